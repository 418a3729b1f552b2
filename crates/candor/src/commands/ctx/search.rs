//! `candor ctx search`

use candor_context::Hit;
use candor_protocol::{Code, Failure};
use serde_json::json;

use super::Desk;
use crate::cli::CtxSearch;
use crate::fail::{Exit, Fail};
use crate::printer::tame;

pub(super) async fn run(wanted: &CtxSearch, desk: &Desk<'_>) -> Result<Exit, Fail> {
    if !wanted.query.contains(char::is_alphanumeric) {
        return Err(Failure::new(Code::UsageInvalidValue)
            .with("argument", "--query")
            .with("value", format!("{:?}", wanted.query))
            .with("detail", "There is no word in it to look for.")
            .with("help", "candor ctx search --help")
            .into());
    }
    let found = candor_context::search(&desk.segment, &wanted.query, wanted.limit, &desk.options).await?;
    let screen = desk.context.screen;
    if desk.json {
        let answer = json!({ "query": wanted.query, "hits": found.hits, "warning": found.warning });
        screen.say(format_args!("{answer:#}"))?;
    } else {
        for hit in &found.hits {
            show(hit, desk)?;
        }
        if found.hits.is_empty() {
            screen.note(format_args!("nothing found"));
        }
    }
    if let Some(warning) = &found.warning {
        let path = candor_cards::quote(&desk.segment.root().display().to_string());
        screen.warn(&format!("{}; run candor ctx sync -s {path}", tame(warning)));
    }
    Ok(Exit::Good)
}

fn show(hit: &Hit, desk: &Desk<'_>) -> Result<(), Fail> {
    let chunk = &hit.chunk;
    let lines = format!("{}:{}-{}", chunk.source_path, chunk.first_line, chunk.last_line);
    let one_line = |text: &str| tame(text).replace('\n', " ");
    let screen = desk.context.screen;
    screen.say(format_args!(
        "{}  {}  score {:.2}  {} tokens",
        chunk.id,
        one_line(&chunk.title()),
        hit.score,
        chunk.tokens
    ))?;
    let preview = if hit.stale { "(changed since it was packed)" } else { &hit.preview };
    screen.say(format_args!("    {}: {}", one_line(&lines), one_line(preview)))
}
