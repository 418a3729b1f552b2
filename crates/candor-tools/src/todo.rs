//! `todo`: the list of what is left to do, as the model sees it.
//!
//! Nothing is kept here: the list stands in the conversation, and each call writes it anew as a whole.

use candor_protocol::ToolSpec;
use serde_json::{Value, json};

use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput};

const NAME: &str = "todo";

const ITEMS_MAX: usize = 100;
/// The most of an item that is shown.
const ITEM_CHARS_MAX: usize = 200;

/// The list of what is left to do.
pub(crate) struct Todo {
    spec: ToolSpec,
}

impl Todo {
    pub(crate) fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": { "items": { "type": "array", "items": {
                "type": "object",
                "properties": {
                    "text": { "type": "string" },
                    "state": { "enum": ["open", "doing", "done"] },
                },
                "required": ["text", "state"],
            } } },
            "required": ["items"],
        });
        let description = "Show the user your plan.\nSend the whole list each time.";
        Self { spec: ToolSpec { name: NAME.to_owned(), description: description.to_owned(), parameters } }
    }
}

impl Tool for Todo {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(listed(args), context) })
    }
}

fn listed(args: &Value) -> Result<ToolOutput, Error> {
    let items = args["items"].as_array().map_or(&[][..], Vec::as_slice);
    if items.len() > ITEMS_MAX {
        let reason = format!("`items` holds {} items, more than {ITEMS_MAX}", items.len());
        return Err(Error::arguments(NAME, reason));
    }
    let mut lines = Vec::new();
    let mut done = 0;
    for (index, item) in items.iter().enumerate() {
        let wrong = |reason: &str| Error::arguments(NAME, format!("item {} {reason}", index + 1));
        let mark = match item["state"].as_str() {
            Some("open") | None => ' ',
            Some("doing") => '>',
            Some("done") => 'x',
            Some(_) => return Err(wrong("has a `state` other than open, doing or done")),
        };
        done += usize::from(mark == 'x');
        let text = item["text"].as_str().ok_or_else(|| wrong("has no `text`"))?;
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.push(format!("[{mark}] {}", text.chars().take(ITEM_CHARS_MAX).collect::<String>()));
    }
    let for_model = format!("{} items, {done} done.", items.len());
    Ok(ToolOutput::success(for_model, lines.join("\n")))
}
