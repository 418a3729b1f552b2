//! `candor sessions search`

use anstyle::Style;
use candor_protocol::{Code, Failure, Role};
use candor_store::{Hit, Search};
use serde_json::{Value, json};

use super::Desk;
use super::list::minute;
use crate::fail::{Exit, Fail};
use crate::printer::tame;
use crate::screen::paint;

/// How much of a place is shown: two lines of a terminal.
const EXCERPT_CHARS_MAX: usize = 160;

pub(super) async fn run(
    text: &str,
    all: bool,
    limit: u32,
    json: bool,
    desk: &Desk<'_>,
) -> Result<Exit, Fail> {
    if text.trim().is_empty() {
        return Err(Failure::new(Code::UsageInvalidValue)
            .with("argument", "WORDS")
            .with("value", format!("{text:?}"))
            .with("detail", "There is nothing to look for.")
            .with("help", "candor sessions search --help")
            .into());
    }
    let search = Search { text: text.to_owned(), workspace: (!all).then(|| desk.here.clone()), limit };
    let hits = desk.runtime.search(&search).await?;
    let screen = desk.context.screen;
    if json {
        let hits: Vec<Value> = hits.iter().map(to_json).collect();
        screen.say(format_args!("{}", json!(hits)))?;
        return Ok(Exit::Good);
    }
    if hits.is_empty() {
        let hint = if all { "" } else { " in the sessions of this folder; --all looks in the others, too" };
        screen.note(format_args!("nothing found{hint}"));
    }
    let colour = screen.colour().stdout;
    let mut before = None;
    for hit in &hits {
        if before != Some(hit.session) {
            let head = format!("{}  {}", hit.session, tame(&hit.session_name));
            screen.say(format_args!("{}", paint(colour, Style::new().bold(), &head)))?;
            before = Some(hit.session);
        }
        screen.say(format_args!("  {}  {}", minute(hit.at), excerpt(hit)))?;
    }
    Ok(Exit::Good)
}

/// Who said it, and what, in one line.
pub(crate) fn excerpt(hit: &Hit) -> String {
    let words = hit.excerpt.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = words.chars().take(EXCERPT_CHARS_MAX).collect();
    if short.len() < words.len() {
        short.push_str(" ...");
    }
    let who = if hit.role == Role::User { "you" } else { "model" };
    format!("{who}: {}", tame(&short))
}

fn to_json(hit: &Hit) -> Value {
    json!({
        "session": hit.session,
        "sessionName": hit.session_name,
        "seq": hit.seq,
        "at": hit.at,
        "role": hit.role,
        "excerpt": hit.excerpt,
    })
}
