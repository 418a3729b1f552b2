//! Tools that a model is told about only when it looks for them.
//!
//! Every schema is paid for with every request. Where those that come from outside would take too much of what the model
//! can read, it is told that they are there and gets `tool_search`; what that finds is offered from then on in the session.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use candor_protocol::ToolSpec;
use serde_json::{Value, json};

use crate::arguments::AtLeast;
use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput, ToolSource, arguments};

const NAME: &str = "tool_search";

/// What part of what a model can read the schemas from outside may take: one tenth.
const SHARE: u64 = 10;
/// What a token is about, in bytes of JSON.
const TOKEN_BYTES: u64 = 4;
/// What a model can read when nobody knows how much that is.
const WINDOW_TOKENS: u64 = 200_000;
/// How many tools one search finds unless it asks for another number, and at most.
const FOUND: u64 = 5;
const FOUND_MAX: u64 = 20;

/// What a session has found.
#[derive(Debug, Default)]
pub struct Sought {
    /// A plain lock: it is held for a look.
    names: Mutex<BTreeSet<String>>,
}

impl Sought {
    /// Whether the session has found this tool.
    pub fn has(&self, name: &str) -> bool {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    fn add(&self, name: &str) {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }
}

/// The tools that a model is told about, of all there are.
pub(crate) fn offered(all: &[Arc<dyn Tool>], sought: &Sought, window_tokens: Option<u64>) -> Vec<ToolSpec> {
    let can_wait = |tool: &&Arc<dyn Tool>| tool.is_foreign();
    let bytes: usize = all.iter().filter(can_wait).map(|tool| tool.weight()).sum();
    let is_too_much = bytes as u64 / TOKEN_BYTES > window_tokens.unwrap_or(WINDOW_TOKENS) / SHARE;
    let is_offered = |tool: &&Arc<dyn Tool>| {
        let name = tool.name();
        if name == NAME { is_too_much } else { !is_too_much || !tool.is_foreign() || sought.has(name) }
    };
    all.iter().filter(is_offered).map(|tool| tool.spec().clone()).collect()
}

arguments! {
    struct Args<'a> {
        query: &'a str = "words, or select:NAME,NAME";
        limit: Option<AtLeast<1>>;
    }
}

/// Finds tools of a source, and has them offered.
pub struct ToolSearch {
    spec: ToolSpec,
    source: Arc<dyn ToolSource>,
}

impl ToolSearch {
    /// Searches this source.
    pub fn new(source: Arc<dyn ToolSource>) -> Self {
        let description = "Find more tools, of connected servers, by what they do. What is found can be called from then on.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description), source }
    }

    fn search(&self, args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let args: Args<'_> = arguments::of(NAME, args)?;
        let most = args.limit.map_or(FOUND, |limit| limit.0).min(FOUND_MAX);
        let tools = self.source.tools();
        let found = found(&tools, args.query, usize::try_from(most).unwrap_or(usize::MAX));
        for tool in &found {
            context.sought.add(tool.name());
        }
        let count = found.len();
        let told: Vec<&ToolSpec> = found.iter().map(|tool| tool.spec()).collect();
        let told = json!({ "found": told, "searched": tools.len() });
        Ok(ToolOutput::success(told.to_string(), format!("{count} of {} tools", tools.len())))
    }
}

impl Tool for ToolSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(self.search(args, context), context) })
    }
}

/// The tools that fit best, the best first. Those that are named are taken by their names.
fn found<'t>(tools: &'t [Arc<dyn Tool>], query: &str, most: usize) -> Vec<&'t Arc<dyn Tool>> {
    if let Some(names) = query.strip_prefix("select:") {
        let wanted: Vec<&str> = names.split(',').map(str::trim).collect();
        return tools.iter().filter(|tool| wanted.contains(&tool.name())).take(most).collect();
    }
    let words: Vec<String> = words(query).collect();
    let mut scored: Vec<(usize, &Arc<dyn Tool>)> =
        tools.iter().map(|tool| (score(tool.spec(), &words), tool)).filter(|(score, _)| *score > 0).collect();
    scored
        .sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.spec().name.cmp(&other.1.spec().name)));
    scored.into_iter().take(most).map(|(_, tool)| tool).collect()
}

/// A word in a name says most about a tool, one in its description less, one in its parameters least.
fn score(spec: &ToolSpec, wanted: &[String]) -> usize {
    let properties = spec.parameters["properties"].as_object();
    let parameters = properties.into_iter().flatten().flat_map(|(name, _)| words(name)).collect::<Vec<_>>();
    let (name, description) =
        (words(&spec.name).collect::<Vec<_>>(), words(&spec.description).collect::<Vec<_>>());
    let worth = |word: &String| {
        8 * usize::from(name.contains(word))
            + 3 * usize::from(description.contains(word))
            + usize::from(parameters.contains(word))
    };
    wanted.iter().map(worth).sum()
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 1);
    words.map(str::to_lowercase)
}
