//! `todo`: the list of what is left to do, as the model sees it.
//!
//! Nothing is kept here: the list stands in the conversation, and each call writes it anew as a whole.

use candor_protocol::ToolSpec;
use serde_json::Value;

use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput, arguments, choices};

const NAME: &str = "todo";

const ITEMS_MAX: usize = 100;
/// The most of an item that is shown.
const ITEM_CHARS_MAX: usize = 200;

choices! {
    enum State {
        Open = "open",
        Doing = "doing",
        Done = "done",
    }
}

arguments! {
    struct Args<'a> {
        items: Vec<Item<'a>>;
    }
}

arguments! {
    struct Item<'a> {
        text: &'a str;
        state: Option<State>;
    }
}

/// The list of what is left to do.
pub(crate) struct Todo {
    spec: ToolSpec,
}

impl Todo {
    pub(crate) fn new() -> Self {
        let description = "Show the user your plan: the whole list each time.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description) }
    }
}

impl Tool for Todo {
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
        Box::pin(async { ToolOutput::of(listed(args), context) })
    }
}

fn listed(args: &Value) -> Result<ToolOutput, Error> {
    let Args { items } = arguments::of(NAME, args)?;
    if items.len() > ITEMS_MAX {
        let reason = format!("`items` holds {} items, more than {ITEMS_MAX}", items.len());
        return Err(Error::arguments(NAME, reason));
    }
    let done = items.iter().filter(|item| item.state == Some(State::Done)).count();
    let lines: Vec<String> = items.iter().map(line).collect();
    Ok(ToolOutput::success(format!("{} items, {done} done.", items.len()), lines.join("\n")))
}

fn line(item: &Item<'_>) -> String {
    let mark = match item.state {
        Some(State::Open) | None => ' ',
        Some(State::Doing) => '>',
        Some(State::Done) => 'x',
    };
    let text: String = item.text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("[{mark}] {}", text.chars().take(ITEM_CHARS_MAX).collect::<String>())
}
