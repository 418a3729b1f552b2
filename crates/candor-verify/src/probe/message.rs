//! Sends a bot a message through the fake of its API, and waits for the answer.

use std::time::Duration;

use tokio::time::timeout;

use super::Try;
use super::outcome::{Found, SAMPLE_CHARS_MAX, beginning, end, one_line, quoted, span};
use crate::bot::Bot;

/// How long a bot may take until it asks for messages. The time of the probe begins with the message.
const START_MAX: Duration = Duration::from_secs(10);

/// How long a bot must have sent nothing before it is asked the next thing, and how long that is waited for.
const QUIET: Duration = Duration::from_millis(100);
const QUIET_WAIT_MAX: Duration = Duration::from_secs(2);

/// How long it may take until the time of the probe begins, and a moment more.
pub(super) const BEFORE_MAX: Duration = Duration::from_secs(13);

pub(super) async fn ask(text: &str, expect: Option<&str>, variable: &str, asked: &Try<'_>) -> Found {
    let Some(bot) = asked.target.bot else {
        return Found::unverifiable(format!(
            "the bot was not told of a bot API to use; it must read its address from {}",
            one_line(variable)
        ));
    };
    // A bot may throw away what was sent before it asked for the first time.
    if timeout(START_MAX, bot.asked()).await.is_err() {
        return unasked(bot, variable);
    }
    // One that never stops sending is asked nevertheless.
    let _ = timeout(QUIET_WAIT_MAX, bot.quiet(QUIET)).await;
    let update = bot.send(text);
    let limit = asked.probe.timeout;
    match timeout(limit, answered(bot, update, expect)).await {
        Ok(answer) => Found::passed("the bot answered", &answer),
        Err(_) => silent(bot, update, expect, limit),
    }
}

/// Waits for an answer with this in it; any, if nothing is named.
async fn answered(bot: &Bot, update: i64, expect: Option<&str>) -> String {
    let mut seen = 0;
    loop {
        let answers = bot.answers(update, seen).await;
        seen = answers.len();
        let right = answers.into_iter().find(|answer| expect.is_none_or(|part| answer.contains(part)));
        if let Some(answer) = right {
            return answer;
        }
    }
}

/// The bot never asked for messages. If it never spoke to the API at all, it does not know of it, and nothing is known.
fn unasked(bot: &Bot, variable: &str) -> Found {
    let calls = bot.calls();
    if calls.is_empty() {
        return Found::unverifiable(format!(
            "the bot did not speak to the bot API at {} within {}; does it read the address from {}?",
            bot.base_url(),
            span(START_MAX),
            one_line(variable)
        ));
    }
    let said =
        format!("the bot speaks to the bot API, but did not ask for messages within {}", span(START_MAX));
    Found::no_answer(said, &end(&calls.join("\n"), SAMPLE_CHARS_MAX))
}

fn silent(bot: &Bot, update: i64, expect: Option<&str>, limit: Duration) -> Found {
    let calls = end(&bot.calls().join("\n"), SAMPLE_CHARS_MAX / 2);
    let answers = bot.answered(update);
    if let Some(last) = answers.last() {
        let wanted = expect.map_or_else(String::new, quoted);
        let said = format!("the bot answered {}, and not {wanted} within {}", quoted(last), span(limit));
        let sample = format!("{}\n{calls}", beginning(&answers.join("\n"), SAMPLE_CHARS_MAX / 2 - 1));
        return Found::failed(said, &sample);
    }
    let said = if bot.is_taken(update) {
        "the bot took the message, but sent no answer"
    } else {
        "the bot did not take the message"
    };
    Found::no_answer(format!("{said} within {}", span(limit)), &calls)
}
