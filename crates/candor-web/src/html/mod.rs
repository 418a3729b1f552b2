//! HTML as Markdown.
//!
//! The page is cut into tags by the book, and its elements are kept on a stack rather than in a tree: time and memory are linear in the
//! page whatever is in it, and nothing here calls itself. What a browser would not show is not shown.

mod elements;
mod open;
mod writer;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{StartTag, Token, Tokenizer};
use url::Url;

use elements::{is_block, is_hidden, is_skipped, is_void};
use open::Open;
use writer::Writer;

/// How deep elements may be inside of each other. What is deeper is a trap, and left out.
const DEPTH_MAX: usize = 5_000;

/// The longest text. Short links of a page with a long address become long ones, and numbers and signs are ours: a page must not
/// grow without bound by being read.
const TEXT_BYTES_MAX: usize = 10 << 20;

/// The longest link, and the longest address that others begin with.
const LINK_BYTES_MAX: usize = 2_000;

/// The longest title that is shown.
const TITLE_CHARS_MAX: usize = 300;

/// What a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) title: Option<String>,
    pub(crate) text: String,
}

/// Reads a page that was found at this address.
pub(crate) fn read(html: &str, base: &Url) -> Read {
    let mut emitter: DefaultEmitter = DefaultEmitter::default();
    // Scripts and titles hold no tags.
    emitter.naively_switch_states(true);
    let mut page = Page {
        base: base.clone(),
        has_base: false,
        open: Open::default(),
        writer: Writer::default(),
        title: None,
    };
    // Reading from a string cannot fail.
    for token in Tokenizer::new_with_emitter(html, emitter).flatten() {
        if page.writer.len() > TEXT_BYTES_MAX {
            break;
        }
        match token {
            Token::StartTag(tag) => {
                if !page.start(&tag) {
                    break;
                }
            }
            Token::EndTag(tag) => page.end(&name(&tag.name)),
            Token::String(text) => page.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    page.finish()
}

/// A page while it is read.
struct Page {
    base: Url,
    has_base: bool,
    open: Open,
    writer: Writer,
    title: Option<String>,
}

impl Page {
    /// An element begins. No: the page goes too deep to be read on.
    fn start(&mut self, tag: &StartTag<()>) -> bool {
        let name = name(&tag.name);
        let attribute = |wanted: &str| {
            tag.attributes.get(wanted.as_bytes()).map(|value| String::from_utf8_lossy(value).into_owned())
        };
        for closed in self.open.implied_ends(&name) {
            self.writer.close(&closed);
        }
        let hidden = self.open.is_hidden() || is_skipped(&name) || is_hidden(&attribute);
        if is_void(&name) {
            if name == "base" {
                self.rebase(attribute("href"));
            }
            if !hidden {
                self.writer.void(&name, attribute("alt").as_deref());
            }
            return true;
        }
        if self.open.depth() >= DEPTH_MAX {
            return false;
        }
        // Foreign elements may end where they begin; they are not shown anyway.
        if tag.self_closing && is_skipped(&name) {
            return true;
        }
        if !hidden {
            let link = attribute("href").filter(|_| name == "a").and_then(|href| self.link(&href));
            self.writer.open(&name, link, attribute("start").and_then(|start| start.trim().parse().ok()));
        }
        self.open.push(name, hidden);
        true
    }

    fn end(&mut self, name: &str) {
        // Browsers take a lost end of a paragraph for a paragraph.
        if is_void(name) {
            return;
        }
        for closed in self.open.end(name) {
            self.writer.close(&closed);
        }
    }

    fn text(&mut self, text: &str) {
        if self.open.is_inside("title") && !self.open.is_inside("body") {
            if self.title.is_none() {
                let words: Vec<&str> = text.split_whitespace().collect();
                let title: String = words.join(" ").chars().take(TITLE_CHARS_MAX).collect();
                self.title = Some(title).filter(|title| !title.is_empty());
            }
        } else if !self.open.is_hidden() {
            self.writer.text(text);
        }
    }

    /// Where links of the page begin, if it says so: the first word on it counts.
    fn rebase(&mut self, href: Option<String>) {
        let href = href.filter(|href| href.len() <= LINK_BYTES_MAX);
        if let Some(base) = href.filter(|_| !self.has_base).and_then(|href| self.base.join(href.trim()).ok())
        {
            self.has_base = true;
            self.base = base;
        }
    }

    /// A link as it can be fetched; nothing for one that cannot.
    fn link(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.is_empty() || href.starts_with('#') {
            return None;
        }
        if href.len().max(self.base.as_str().len()) > LINK_BYTES_MAX {
            return None;
        }
        let url = self.base.join(href).ok()?;
        let is_short = url.as_str().len() <= LINK_BYTES_MAX;
        (is_short && matches!(url.scheme(), "http" | "https" | "mailto")).then(|| url.to_string())
    }

    fn finish(mut self) -> Read {
        for closed in self.open.end_all() {
            self.writer.close(&closed);
        }
        Read { title: self.title, text: self.writer.finish() }
    }
}

fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The words of a piece of HTML, in one line, such as engines send them.
pub(crate) fn words(html: &str) -> String {
    let mut words = String::new();
    let mut emitter: DefaultEmitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut skipped = false;
    for token in Tokenizer::new_with_emitter(html, emitter).flatten() {
        match token {
            Token::String(text) if !skipped => words.push_str(&String::from_utf8_lossy(&text)),
            Token::StartTag(tag) => {
                skipped = is_skipped(&name(&tag.name)) && !tag.self_closing;
                if is_block(&name(&tag.name)) {
                    words.push(' ');
                }
            }
            Token::EndTag(_) => skipped = false,
            _ => {}
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
