//! The text of a PDF.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use lopdf::content::Content;
use lopdf::{Dictionary, Document, Encoding, Object, ObjectId};

use crate::text::visible;
use crate::weighing;

/// How many pages are read.
const PAGES_MAX: usize = 300;
/// How far above a page fonts are looked for. A page may be above itself.
const NODES_MAX: usize = 32;
/// How large all that draws one page may become when it is unpacked.
const PAGE_BYTES_MAX: usize = 4 << 20;
/// How long pages are read; what is there by then is shown.
const TIME_MAX: Duration = Duration::from_secs(8);
/// The longest text.
const TEXT_BYTES_MAX: usize = 5 << 20;
/// The largest table of a font that says which letters its codes are, and how many codes are looked up before somebody looks how long the
/// text has become: one code can stand for a whole table of letters.
const FONT_BYTES_MAX: usize = 512 << 10;
const CODES_MAX: usize = 128;
/// From which distance on, in thousandths of the letters' size, two pieces of a line are two words.
const WORD_GAP: f32 = 200.0;

/// What a document says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) text: String,
    pub(crate) pages: usize,
    /// How many of them were read.
    pub(crate) pages_seen: usize,
}

/// Reads a document, or says why it cannot be read.
pub(crate) fn read(bytes: &[u8]) -> Result<Read, String> {
    let deadline = Instant::now() + TIME_MAX;
    let document = weighing::load(bytes, deadline)?;
    let pages: Vec<ObjectId> = document.page_iter().take(PAGES_MAX + 1).collect();
    let (mut text, mut pages_seen) = (String::new(), 0);
    for page in pages.iter().take(PAGES_MAX) {
        if Instant::now() > deadline || text.len() > TEXT_BYTES_MAX {
            break;
        }
        pages_seen += 1;
        let words = page_text(&document, *page);
        let words = words.trim();
        if !words.is_empty() {
            text.push_str(if text.is_empty() { "" } else { "\n\n" });
            text.push_str(words);
        }
    }
    if text.is_empty() {
        return Err(format!("none of its {} pages holds text; they may be pictures", pages.len()));
    }
    Ok(Read { text: visible(&text), pages: pages.len(), pages_seen })
}

/// The text of a page; nothing of a page that cannot be read.
fn page_text(document: &Document, page: ObjectId) -> String {
    let encodings: BTreeMap<Vec<u8>, Encoding<'_>> = fonts(document, page)
        .into_iter()
        .filter_map(|(name, font)| {
            let encoding = font.get_font_encoding_with_limit(document, FONT_BYTES_MAX).ok();
            // A font whose own table is broken is still read by the usual one, unless it has more letters than that.
            let is_wide = font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Type0");
            let usual = (!is_wide).then_some(Encoding::SimpleEncoding(b"WinAnsiEncoding"));
            encoding.or(usual).map(|encoding| (name, encoding))
        })
        .collect();
    let content = document.get_page_content_with_limit(page, PAGE_BYTES_MAX);
    let Ok(content) = content.and_then(|bytes| Content::decode(&bytes)) else { return String::new() };
    let mut lines = Lines { text: String::new(), height: 0.0 };
    let mut encoding = None;
    for operation in &content.operations {
        let operands = operation.operands.as_slice();
        match (operation.operator.as_str(), operands) {
            ("Tf", [Object::Name(font), ..]) => encoding = encodings.get(font),
            ("T*" | "ET", _) => lines.end(),
            // A step to the side stays on the line.
            ("Td" | "TD", [_, down]) if down.as_float().is_ok_and(|down| down != 0.0) => lines.end(),
            ("Td" | "TD", _) => lines.gap(),
            ("Tm", [.., height]) => lines.at(height.as_float().unwrap_or(0.0)),
            ("Tj", [shown]) => lines.show(encoding, shown),
            ("'", [shown]) | ("\"", [_, _, shown]) => {
                lines.end();
                lines.show(encoding, shown);
            }
            ("TJ", [Object::Array(pieces)]) => lines.show_all(encoding, pieces),
            _ => {}
        }
    }
    lines.text
}

/// The fonts of a page by their names: its own, and those of the nodes above it, the nearest first. The library leaves out what those
/// hold in place.
fn fonts(document: &Document, page: ObjectId) -> BTreeMap<Vec<u8>, &Dictionary> {
    let mut fonts = BTreeMap::new();
    let mut node = document.get_dictionary(page).ok();
    for _ in 0..NODES_MAX {
        let Some(dictionary) = node else { break };
        let found = inside(document, dictionary, b"Resources").and_then(|it| inside(document, it, b"Font"));
        for (name, font) in found.into_iter().flat_map(Dictionary::iter) {
            if let Some(font) = dictionary_at(document, font) {
                fonts.entry(name.clone()).or_insert(font);
            }
        }
        node = inside(document, dictionary, b"Parent");
    }
    fonts
}

fn inside<'a>(document: &'a Document, dictionary: &'a Dictionary, name: &[u8]) -> Option<&'a Dictionary> {
    dictionary.get(name).ok().and_then(|value| dictionary_at(document, value))
}

/// A dictionary that stands in place or elsewhere.
fn dictionary_at<'a>(document: &'a Document, value: &'a Object) -> Option<&'a Dictionary> {
    match value {
        Object::Reference(id) => document.get_dictionary(*id).ok(),
        value => value.as_dict().ok(),
    }
}

/// A page's text, line by line.
struct Lines {
    text: String,
    /// Where the line is on the page.
    height: f32,
}

impl Lines {
    fn end(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    fn at(&mut self, height: f32) {
        if (height - self.height).abs() > 0.5 {
            self.end();
        } else {
            self.gap();
        }
        self.height = height;
    }

    fn show(&mut self, encoding: Option<&Encoding<'_>>, shown: &Object) {
        let (Some(encoding), Ok(bytes)) = (encoding, shown.as_str()) else { return };
        for codes in bytes.chunks(CODES_MAX) {
            if self.text.len() > TEXT_BYTES_MAX {
                return;
            }
            if let Ok(text) = Document::decode_text(encoding, codes) {
                self.text.push_str(&text);
            }
        }
    }

    fn show_all(&mut self, encoding: Option<&Encoding<'_>>, pieces: &[Object]) {
        for piece in pieces {
            match piece.as_float() {
                Ok(back) if back < -WORD_GAP => self.gap(),
                Ok(_) => {}
                Err(_) => self.show(encoding, piece),
            }
        }
    }
}
