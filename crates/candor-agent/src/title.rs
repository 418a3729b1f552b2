//! What a session is called.

use std::time::Duration;

use candor_llm::Request;
use candor_llm::retry::{self, Policy};
use candor_protocol::{Message, Role, StopReason, Usage, plain_text};
use tokio::time::timeout;

use crate::Model;

/// The most words of a title.
const WORDS_MAX: usize = 6;
/// The most characters of a title: what fits into a line of a list.
const CHARS_MAX: usize = 60;
/// How much of the message and of the answer the model reads: a title needs no more.
const READ_CHARS_MAX: usize = 2_000;
/// The longest answer. Models that think do so within it.
const TOKENS_MAX: u64 = 512;
/// How often is asked again.
const RETRIES_MAX: u32 = 1;
/// How long the model may take: a title that comes later is of no use.
const TIME_MAX: Duration = Duration::from_secs(60);
/// What follows words that were cut.
const ELLIPSIS: &str = "...";

const INSTRUCTIONS: &str = "\
You name conversations. Give the one below a title of at most six words that says what it is about, in its own language. \
Write nothing but the title: no quotation marks, no full stop, no explanation. Do not answer the conversation.";

/// A title that a model thought of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title {
    /// One line of at most six words.
    pub text: String,
    /// What it took.
    pub usage: Usage,
}

/// Asks a model what a conversation is about. None when it does not say: a title is never worth a failure.
pub async fn title(first_message: &str, answer: &str, model: &Model, policy: &Policy) -> Option<Title> {
    let text = format!("[User]: {}\n\n[Assistant]: {}", beginning(first_message), beginning(answer));
    let request = Request {
        model: model.name.clone(),
        messages: vec![Message::text(Role::System, INSTRUCTIONS), Message::text(Role::User, text)],
        tools: Vec::new(),
        max_tokens: Some(TOKENS_MAX),
        context_tokens: model.context_window,
        cache_key: None,
    };
    let policy = Policy { max_retries: policy.max_retries.min(RETRIES_MAX), ..policy.clone() };
    let mut unheard = |_: retry::Notice<'_>| {};
    let asked = retry::ask(model.provider.as_ref(), &request, &policy, &mut unheard);
    let answer = timeout(TIME_MAX, asked).await.ok()?.ok()?;
    let text = cleaned(&plain_text(&answer.parts));
    (!text.is_empty() && answer.stop != StopReason::Refusal).then_some(Title { text, usage: answer.usage })
}

/// The first words of a message, for a session that nobody and no model has named. Empty for a message without words.
pub fn first_words(message: &str) -> String {
    let line = spaced(message);
    match cut(&line, CHARS_MAX) {
        Some(words) => format!("{words}{ELLIPSIS}"),
        None => line,
    }
}

fn beginning(text: &str) -> &str {
    text.char_indices().nth(READ_CHARS_MAX).map_or(text, |(end, _)| &text[..end])
}

/// One line of what a model wrote, without the marks that models like to put around it.
fn cleaned(text: &str) -> String {
    let lines = text.lines().map(unmarked).find(|line| !line.is_empty());
    let words: Vec<String> =
        lines.unwrap_or_default().split(' ').take(WORDS_MAX).map(str::to_owned).collect();
    let line = words.join(" ");
    unmarked(cut(&line, CHARS_MAX).unwrap_or(&line))
}

fn unmarked(line: &str) -> String {
    let line = spaced(line).replace(['*', '`', '"', '“', '”', '«', '»', '„'], "");
    let marks = |c: char| matches!(c, '#' | '>' | '-' | '_' | '\'' | '‘' | '’' | ' ');
    let line = line.trim_matches(marks);
    let line = line.strip_prefix("Title:").unwrap_or(line);
    line.trim_matches(marks).trim_end_matches(['.', '。', ':', ',', ';', ' ']).trim_matches(marks).to_owned()
}

/// The text on one line, control characters and runs of spaces each a single space.
fn spaced(text: &str) -> String {
    let text: String = text.chars().filter(|c| !is_unseen(*c)).collect();
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether a character shows nothing: it turns the reading direction of all that follows in a list, or it is a space that
/// nobody sees. What joins the parts of a sign stays.
fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    )
}

/// The whole words of a line that fit into so many characters, or the beginning of the first when that is longer. None
/// when the whole line fits.
fn cut(line: &str, chars_max: usize) -> Option<&str> {
    let (end, next) = line.char_indices().nth(chars_max)?;
    let fitting = &line[..end];
    let words =
        if next == ' ' { fitting } else { fitting.rsplit_once(' ').map_or(fitting, |(words, _)| words) };
    Some(words)
}
