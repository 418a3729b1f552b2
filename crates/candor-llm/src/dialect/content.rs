//! What the dialects have in common about content: files that have no place of their own, and words of ours.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use candor_protocol::{Image, Message, Part, Role};

use crate::lenient::Problem;
use crate::{Error, classify};

/// What we say for the user where a provider wants the user to have spoken and nobody has.
pub(super) const GO_ON: &str = "Go on.";

/// What an error says that says nothing.
const NO_MESSAGE: &str = "an error without a message";

/// The system prompt: all system messages, or none if they are blank.
pub(super) fn system(messages: &[Message]) -> Option<String> {
    let texts: Vec<String> = messages
        .iter()
        .filter(|message| message.role == Role::System)
        .map(Message::plain_text)
        .filter(|text| !is_blank(text))
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Whether a text says nothing.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The error that a provider put into its frame, if it says anything: some send an empty one with every frame.
pub(super) fn error_in(problem: &Problem<'_>) -> Option<Error> {
    let said = problem.0.as_ref()?;
    let kinds = said.kinds();
    let says_something = !is_blank(&kinds) || !is_blank(&said.message);
    says_something.then(|| classify::stream_error(&kinds, said.message.given().unwrap_or(NO_MESSAGE)))
}

/// The error of a frame that calls itself one.
pub(super) fn error_of(problem: &Problem<'_>) -> Error {
    error_in(problem).unwrap_or_else(|| classify::stream_error("", NO_MESSAGE))
}

/// A file in words: its text if it is one, otherwise a note, so that the model knows that there was something.
pub(super) fn file_in_words(name: &str, media_type: &str, data: &str) -> String {
    let text = is_text(media_type)
        .then(|| STANDARD.decode(data).ok().and_then(|bytes| String::from_utf8(bytes).ok()))
        .flatten();
    match text {
        Some(text) => format!("The file {name}:\n\n{text}"),
        None => format!("[The file {name} ({media_type}) cannot be shown to this model.]"),
    }
}

/// A picture in words, where the dialect does not take its kind.
pub(super) fn image_in_words(media_type: &str) -> String {
    format!("[A picture ({media_type}) cannot be shown to this model.]")
}

/// The pictures that came of calls, each with words that say of which: for dialects whose results take nothing but
/// words, so that the user has to show them.
pub(super) fn pictures(message: &Message) -> impl Iterator<Item = (String, &Image)> {
    let results = message.parts.iter().filter_map(|part| match part {
        Part::ToolResult(result) => Some(result),
        _ => None,
    });
    results.flat_map(|result| {
        let words = format!("The picture from {} ({}):", result.tool_name, result.call_id);
        result.images.iter().map(move |image| (words.clone(), image))
    })
}

/// Kinds that are text although their names do not begin with it.
const ALSO_TEXT: [&str; 8] = [
    "application/json",
    "application/javascript",
    "application/sql",
    "application/toml",
    "application/x-sh",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
];

/// Whether files of this kind are text.
fn is_text(media_type: &str) -> bool {
    // Parameters such as `; charset=utf-8` do not change the kind.
    let kind = media_type.split(';').next().unwrap_or_default().trim();
    kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || ALSO_TEXT.contains(&kind)
}
