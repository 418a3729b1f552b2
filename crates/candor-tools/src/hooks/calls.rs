//! What hooks say about calls.

use std::path::PathBuf;

use candor_protocol::ToolCall;
use serde_json::{Value, json};

use super::occasion::Occasion;
use super::{Block, Hooks, Leave, names};
use crate::groups::effect_of;
use crate::{Effect, Error, Tool, ToolContext, ToolOutput};

/// The most files of one patch that hooks are asked about, each by itself.
const FILES_MAX: usize = 64;

/// What hooks made of a call before the rules looked at it.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// What they say of the question to a person.
    pub(crate) leave: Leave,
    /// What it is to be given instead, as the model would write it.
    pub(crate) updated: Option<Value>,
    /// Words for the model.
    pub(crate) added: Vec<String>,
}

/// What hooks say in the place of a person.
pub(crate) enum Permitted {
    /// Nothing: the person is asked.
    Open,
    /// Yes, with these arguments where they are others.
    Yes(Option<Value>),
}

impl Hooks {
    /// Whether a hook looks at calls of this tool. Such a call runs alone: nobody knows what a hook touches.
    pub(crate) fn looks_at(&self, tool: &str) -> bool {
        if self.all.is_empty() {
            return false;
        }
        let names = names::of_tool(tool);
        let is_about_calls = |occasion| {
            matches!(occasion, Occasion::PreToolUse | Occasion::PermissionRequest | Occasion::PostToolUse)
        };
        self.all.iter().any(|hook| is_about_calls(hook.occasion) && hook.matches.matches(&names))
    }

    /// Asks before the rules do.
    pub(crate) async fn before_call(
        &self,
        tool: &dyn Tool,
        call: &ToolCall,
        context: &ToolContext,
    ) -> Result<Before, Error> {
        if self.all.is_empty() {
            return Ok(Before::default());
        }
        // Whatever was asked for beside the call that ended the run is not begun.
        if let Some(block) = self.halted() {
            return Err(stopped(tool, block));
        }
        let response = self.about(Occasion::PreToolUse, tool, call, None, context).await?;
        self.keep(response.changes);
        match response.block {
            Some(block) => Err(stopped(tool, block)),
            None => Ok(Before { leave: response.leave, updated: response.updated, added: response.added }),
        }
    }

    /// Asks in the place of a person.
    pub(crate) async fn permission(
        &self,
        tool: &dyn Tool,
        call: &ToolCall,
        context: &ToolContext,
    ) -> Result<Permitted, Error> {
        let response = self.about(Occasion::PermissionRequest, tool, call, None, context).await?;
        self.keep(response.changes);
        match (response.block, response.leave) {
            (Some(block), _) => Err(stopped(tool, block)),
            (None, Leave::Spared) => Ok(Permitted::Yes(response.updated)),
            (None, _) => Ok(Permitted::Open),
        }
    }

    /// Tells of a call that worked, and puts what is said about it into its result.
    pub(crate) async fn after_call(
        &self,
        tool: &dyn Tool,
        call: &ToolCall,
        output: &mut ToolOutput,
        context: &ToolContext,
    ) {
        let shown = super::answer::cut(&output.for_model);
        let Ok(response) = self.about(Occasion::PostToolUse, tool, call, Some(&shown), context).await else {
            return;
        };
        output.changes.extend(response.changes);
        let said = response.block.map(|block| block.reason).into_iter().chain(response.added);
        tell(output, &said.collect::<Vec<_>>());
    }

    /// Asks about a call: of a patch about each of its files, as if each was one call.
    async fn about(
        &self,
        occasion: Occasion,
        tool: &dyn Tool,
        call: &ToolCall,
        result: Option<&str>,
        context: &ToolContext,
    ) -> Result<super::Response, Error> {
        if !self.any(occasion) {
            return Ok(super::Response::default());
        }
        let ours = tool.name();
        let names = names::of_tool(ours);
        let files = files(tool, call, context);
        if files.len() > FILES_MAX && occasion.is_guarded() && !self.chosen(occasion, &names).is_empty() {
            let reason =
                format!("it is asked about each file, and there are more than {FILES_MAX}: split the patch");
            let block = Block { occasion, hook: "each".to_owned(), reason, is_failure: false };
            return Err(stopped(tool, block));
        }
        let facts = |file: Option<PathBuf>| {
            let mut facts = json!({
                "tool_name": names.first(),
                "candor_tool": ours,
                "tool_input": names::theirs(ours, &call.args, file),
                "tool_use_id": call.call_id,
            });
            if let Some(result) = result {
                let told = self.hide(result);
                facts["tool_response"] = serde_json::from_str(&told).unwrap_or(Value::String(told));
            }
            facts
        };
        let all = || {
            if files.is_empty() {
                return vec![facts(None)];
            }
            files.iter().take(FILES_MAX).map(|file| facts(Some(file.clone()))).collect()
        };
        let mut response = self.ask(occasion, &names, all, context).await;
        if occasion == Occasion::PermissionRequest || occasion == Occasion::PreToolUse {
            let given = names::theirs(ours, &call.args, files.first().cloned());
            response.updated = response.updated.map(|updated| names::ours(&call.args, &given, updated));
        }
        if context.cancel.is_cancelled() && occasion.is_guarded() {
            self.keep(response.changes);
            return Err(Error::Interrupted { tool: ours.to_owned() });
        }
        Ok(response)
    }
}

/// The files that a call is about.
fn files(tool: &dyn Tool, call: &ToolCall, context: &ToolContext) -> Vec<PathBuf> {
    match effect_of(tool, &call.args, context) {
        Effect::Writes(path) => vec![path],
        Effect::WritesSeveral(paths) => paths,
        _ => names::path(tool.name(), &call.args)
            .map(|path| context.workspace.join(path))
            .into_iter()
            .collect(),
    }
}

/// Puts what hooks say into a result.
pub(crate) fn tell(output: &mut ToolOutput, said: &[String]) {
    if said.is_empty() {
        return;
    }
    let said = said.join("\n\n");
    let before = output.for_model.clone();
    output.add("hook", json!(said));
    // What was read is a text; most other results are objects.
    if output.for_model == before {
        output.for_model = format!("{before}\n\n[a hook says: {said}]");
    }
}

fn stopped(tool: &dyn Tool, block: Block) -> Error {
    Error::Hook { tool: tool.name().to_owned(), block }
}
