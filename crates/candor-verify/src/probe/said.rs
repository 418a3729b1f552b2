//! Waits for what the service says: after a line on its standard input, or in its logs at all.

use regex::Regex;

use super::outcome::{Found, SAMPLE_CHARS_MAX, end, quoted};
use super::{Try, pattern, pause};
use crate::heard::Heard;

/// Sends a line, and waits for what must be said afterwards.
pub(super) async fn ask(send: &str, expect: Option<&str>, asked: &Try<'_>) -> Found {
    let heard = asked.target.heard;
    let place = heard.length();
    asked.waiting.for_want_of("the line was not read, and so no answer");
    if let Err(error) = asked.target.running.write(format!("{send}\n").as_bytes()).await {
        return Found::no_answer(format!("its standard input is closed ({error})"), "");
    }
    let missing =
        expect.map_or_else(|| "no answer".to_owned(), |part| format!("no {} in its output", quoted(part)));
    asked.waiting.for_want_of(missing);
    let see = || asked.waiting.saw(&end(&heard.since(place), SAMPLE_CHARS_MAX));
    let coming = until(heard, place, expect);
    tokio::pin!(coming);
    loop {
        tokio::select! {
            biased;
            () = &mut coming => break,
            () = pause() => see(),
        }
    }
    Found::passed("the answer came", end(&heard.since(place), SAMPLE_CHARS_MAX).trim_end())
}

/// Waits until this was said since that place; anything, if nothing is named.
async fn until(heard: &Heard, place: u64, expect: Option<&str>) {
    let part = expect.unwrap_or_default();
    // A line is told of at once. What goes over several is looked for now and then.
    if !part.contains('\n') {
        let wanted = if part.is_empty() { r"\S".to_owned() } else { regex::escape(part) };
        if let Ok(line) = Regex::new(&wanted) {
            heard.line(&line, place).await;
            return;
        }
    }
    while !heard.since(place).contains(part) {
        pause().await;
    }
}

/// Waits for a line in what the service said, or wrote into its log files, since it was started.
pub(super) async fn ask_log(text: &str, asked: &Try<'_>) -> Found {
    let pattern = match pattern(text) {
        Ok(pattern) => pattern,
        Err(found) => return found,
    };
    let target = asked.target;
    asked.waiting.for_want_of("no such line");
    let said = target.heard.line(&pattern, 0);
    tokio::pin!(said);
    loop {
        // What was said long ago may not be kept any more, but was looked for as it passed.
        if let Some(line) = target.heard.found(text) {
            return Found::passed("the line is there", &line);
        }
        if let Some(line) = (target.log_files)(&pattern).await {
            return Found::passed("the line is there", &line);
        }
        tokio::select! {
            biased;
            line = &mut said => return Found::passed("the line is there", &line),
            () = pause() => {}
        }
        asked.waiting.saw(&end(&target.heard.since(0), SAMPLE_CHARS_MAX));
    }
}
