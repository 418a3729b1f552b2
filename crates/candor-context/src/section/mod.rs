//! Cuts a text into sections: by headings, by what a program defines, or by size.

mod code;
mod markdown;
mod size;

use std::ops::Range;

pub(crate) use code::{definition, is_code, names};
pub(crate) use markdown::is_heading;

/// The longest section, in bytes: about a thousand tokens, so that one fits into the smallest useful budget.
pub const SECTION_BYTES_MAX: usize = 4_000;

/// A part of a text. The sections of a text follow each other without a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Where it is, in bytes; on the boundaries of characters.
    pub range: Range<usize>,
    /// What it is called, from the outermost heading to its own.
    pub title_path: Vec<String>,
}

/// Where a section begins, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) at: usize,
    pub(crate) title_path: Vec<String>,
}

/// Cuts the text of the file at a path. A text of nothing but blanks has no sections.
pub fn sections(path: &str, text: &str) -> Vec<Section> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let cuts = if markdown::is_markdown(name) {
        markdown::cuts(name, text)
    } else if let Some(language) = code::language(path) {
        code::cuts(name, text, language)
    } else {
        vec![Cut { at: 0, title_path: vec![name.to_owned()] }]
    };
    let ends = cuts.iter().skip(1).map(|cut| cut.at).chain([text.len()]);
    cuts.iter().zip(ends).flat_map(|(cut, end)| bounded(cut, end, text)).collect()
}

/// A section, or several of it when it is too long.
fn bounded(cut: &Cut, end: usize, text: &str) -> Vec<Section> {
    let parts = size::parts(&text[cut.at..end], SECTION_BYTES_MAX);
    let numbered = parts.into_iter().enumerate().map(|(number, part)| {
        let mut title_path = cut.title_path.clone();
        if number > 0 {
            title_path.push(format!("({})", number + 1));
        }
        Section { range: cut.at + part.start..cut.at + part.end, title_path }
    });
    numbered.collect()
}

/// The lines of a text with where they begin; each has its line end.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |next, line| {
        let at = *next;
        *next += line.len();
        Some((at, line))
    })
}
