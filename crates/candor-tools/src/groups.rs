//! Which calls may run at once.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use candor_protocol::ToolCall;
use serde_json::Value;

use crate::{Effect, Registry, Tool, ToolContext, arguments};

/// The most calls that run at once: more would only wait for each other's disk.
const GROUP_CALLS_MAX: usize = 16;

/// Divides the calls into runs of neighbours that may happen at once. The order is kept: a group begins when the one
/// before it has ended.
pub fn groups(registry: &Registry, calls: &[&ToolCall], context: &ToolContext) -> Vec<Range<usize>> {
    let effects: Vec<Effect> = calls.iter().map(|call| effect(registry, call, context)).collect();
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (index, effect) in effects.iter().enumerate() {
        match groups.last_mut() {
            Some(group)
                if group.len() < GROUP_CALLS_MAX
                    && effects[group.clone()].iter().all(|other| effect.allows(other)) =>
            {
                group.end = index + 1;
            }
            _ => groups.push(index..index + 1),
        }
    }
    groups
}

fn effect(registry: &Registry, call: &ToolCall, context: &ToolContext) -> Effect {
    // What will not run changes nothing.
    let Some(tool) = registry.find(&call.tool_name) else { return Effect::Reads };
    if call.malformed.is_some() || arguments::problem(&tool.spec().parameters, &call.args).is_some() {
        return Effect::Reads;
    }
    // What a hook touches that looks at it nobody knows.
    if context.hooks.looks_at(tool.name()) {
        return Effect::Acts;
    }
    effect_of(&*tool, &call.args, context)
}

/// What a call touches. A tool that cannot even say so may do anything.
pub(crate) fn effect_of(tool: &dyn Tool, args: &Value, context: &ToolContext) -> Effect {
    catch_unwind(AssertUnwindSafe(|| tool.effect(args, context))).unwrap_or(Effect::Acts)
}
