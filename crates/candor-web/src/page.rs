//! What came, as text.

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::fetch::Fetched;
use crate::{Error, html, pdf, text};

/// How long a reader may take. Both are linear or look at the clock; this is for a defect in somebody's library.
const TIME_MAX: Duration = Duration::from_secs(15);
/// How many pages are read at once. A reader that hangs keeps its place, so that not more than these ever do.
const READERS_MAX: usize = 4;

/// What came, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    /// What it was.
    pub(crate) kind: String,
    pub(crate) title: Option<String>,
    pub(crate) text: String,
    /// What is missing of it.
    pub(crate) missing: Option<String>,
}

/// Reads what strangers sent, away from everything else.
#[derive(Debug, Clone)]
pub(crate) struct Readers {
    places: Arc<Semaphore>,
}

/// What something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Html,
    Pdf,
    Text,
}

impl Readers {
    pub(crate) fn new() -> Self {
        Self { places: Arc::new(Semaphore::new(READERS_MAX)) }
    }

    /// Turns what came into text. Whatever a reader does, this answers in time.
    pub(crate) async fn read(&self, fetched: Fetched) -> Result<Page, Error> {
        let url = fetched.url.to_string();
        let media_type = media_type(&fetched);
        let failed = |reason: &str| Error::Content {
            url: url.clone(),
            kind: media_type.clone(),
            reason: reason.to_owned(),
        };
        let read = async {
            let place = Arc::clone(&self.places).acquire_owned().await;
            spawn_blocking(move || {
                let _place = place;
                catch_unwind(AssertUnwindSafe(|| page(&fetched))).unwrap_or_else(|_| Err(DEFECT.to_owned()))
            })
            .await
        };
        match timeout(TIME_MAX, read).await {
            Ok(Ok(read)) => read.map_err(|reason| failed(&reason)),
            Ok(Err(_)) => Err(failed(DEFECT)),
            Err(_) => Err(failed("it takes too long to read")),
        }
    }
}

const DEFECT: &str = "it makes its reader fail";

fn page(fetched: &Fetched) -> Result<Page, String> {
    let Fetched { url, content_type, bytes, is_cut, .. } = fetched;
    let kind = kind(fetched).ok_or_else(|| match is_cut {
        true => format!("more than {} bytes of something that is no text", bytes.len()),
        false => format!("{} bytes of something that is no text", bytes.len()),
    })?;
    let media_type = media_type(fetched);
    let cut = is_cut.then(|| format!("only its first {} bytes were read", bytes.len()));
    match kind {
        Kind::Html => {
            let html::Read { title, text } = html::read(&text::decode(bytes, content_type, true), url);
            Ok(Page { kind: media_type, title, text, missing: cut })
        }
        Kind::Text => {
            let text = text::decode(bytes, content_type, false);
            Ok(Page { kind: media_type, title: None, text, missing: cut })
        }
        // Its table of contents is at its end.
        Kind::Pdf if *is_cut => {
            Err(format!("it is longer than {} bytes, and cannot be read in part", bytes.len()))
        }
        Kind::Pdf => {
            let pdf::Read { text, pages, pages_seen } = pdf::read(bytes)?;
            let missing =
                (pages_seen < pages).then(|| format!("only its first {pages_seen} pages were read"));
            Ok(Page { kind: "application/pdf".to_owned(), title: None, text, missing })
        }
    }
}

/// What it says it is, in small letters and without parameters.
fn media_type(fetched: &Fetched) -> String {
    let said = fetched.content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let said: String = said.chars().filter(char::is_ascii_graphic).take(100).collect();
    if said.is_empty() { "of no type".to_owned() } else { said }
}

/// What it is: what it says, and what it begins with where it says nothing.
fn kind(fetched: &Fetched) -> Option<Kind> {
    let said = media_type(fetched);
    let (group, name) = said.split_once('/').unwrap_or(("", &said));
    let bytes = &fetched.bytes;
    if name == "pdf" || name == "x-pdf" || bytes.starts_with(b"%PDF-") {
        return Some(Kind::Pdf);
    }
    match (group, name) {
        (_, "html" | "xhtml+xml") => Some(Kind::Html),
        ("text", _) | ("image", "svg+xml") => Some(Kind::Text),
        ("application", name) if is_text(name) => Some(Kind::Text),
        ("", _) | (_, "octet-stream" | "binary") => guessed(bytes),
        _ => None,
    }
}

fn is_text(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "ecmascript",
        "graphql",
        "javascript",
        "json",
        "json5",
        "jsonlines",
        "ld+json",
        "ndjson",
        "sql",
        "toml",
        "typescript",
        "x-javascript",
        "x-ndjson",
        "x-sh",
        "x-shellscript",
        "x-toml",
        "x-yaml",
        "xml",
        "yaml",
    ];
    NAMES.contains(&name) || name.ends_with("+json") || name.ends_with("+xml") || name.ends_with("+yaml")
}

fn guessed(bytes: &[u8]) -> Option<Kind> {
    let is_marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    if !is_marked
        && (bytes.contains(&0) || str::from_utf8(bytes).is_err_and(|error| error.error_len().is_some()))
    {
        return None;
    }
    let start = bytes.trim_ascii_start();
    let start = start[..start.len().min(14)].to_ascii_lowercase();
    let is_html = start.starts_with(b"<!doctype html") || start.starts_with(b"<html");
    Some(if is_html { Kind::Html } else { Kind::Text })
}
