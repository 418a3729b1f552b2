//! What a process said.

use std::path::PathBuf;

/// What a process said on one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub(crate) head: Vec<u8>,
    pub(crate) tail: Vec<u8>,
    pub(crate) total_bytes: u64,
    pub(crate) whole: Whole,
}

/// What became of the part that is not in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Whole {
    /// It was not kept.
    Nowhere,
    /// All of it is in this file.
    In(PathBuf),
    /// This much of its beginning is in this file.
    BeginningIn(PathBuf, u64),
}

impl Output {
    /// Nothing was said.
    pub(crate) fn empty() -> Self {
        Self { head: Vec::new(), tail: Vec::new(), total_bytes: 0, whole: Whole::Nowhere }
    }

    /// What was said. Bytes that are no text become `U+FFFD`; where the middle was left out, a line says how much and
    /// where to find it.
    pub fn text(&self) -> String {
        if !self.is_cut() {
            return String::from_utf8_lossy(&[self.head.as_slice(), &self.tail].concat()).into_owned();
        }
        // A character that the cut went through is left out whole, rather than shown as two broken ones.
        let head = &self.head[..whole_chars_len(&self.head)];
        let tail = &self.tail[split_char_len(&self.tail)..];
        self.cut(head, tail)
    }

    /// The same in no more room than this, where a character may take more of it than its bytes: as many from the beginning and
    /// from the end as fit.
    pub fn text_within(&self, room: usize, weight: impl Fn(char) -> usize) -> String {
        let text = self.text();
        if text.chars().map(&weight).sum::<usize>() <= room {
            return text;
        }
        let joined = [self.head.as_slice(), &self.tail].concat();
        let (head, tail) = if self.is_cut() { (&*self.head, &*self.tail) } else { (&*joined, &*joined) };
        let frame: usize = self.cut(&[], &[]).chars().map(&weight).sum();
        let half = room.saturating_sub(frame) / 2;
        let head_len = fitting(pieces(head, &weight).into_iter(), half);
        let tail_len = fitting(pieces(tail, &weight).into_iter().rev(), half);
        let (head, tail) = (&head[..head_len], &tail[tail.len() - tail_len..]);
        self.cut(&head[..whole_chars_len(head)], &tail[split_char_len(tail)..])
    }

    /// Its beginning and its end, and a line about the rest.
    fn cut(&self, head: &[u8], tail: &[u8]) -> String {
        let left_out = self.total_bytes - (head.len() + tail.len()) as u64;
        let place = match &self.whole {
            Whole::Nowhere => String::new(),
            Whole::In(path) => format!("\nFull output: {}", path.display()),
            Whole::BeginningIn(path, bytes) => format!("\nIts first {bytes} bytes: {}", path.display()),
        };
        let head = String::from_utf8_lossy(head);
        let tail = String::from_utf8_lossy(tail);
        format!("{head}\n[output truncated: {left_out} bytes left out]{place}\n{tail}")
    }

    /// How much was said.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// How much of it is in memory.
    pub fn kept_bytes(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64
    }

    /// Whether that is not all of it.
    pub fn is_cut(&self) -> bool {
        self.kept_bytes() < self.total_bytes
    }
}

/// The characters of these bytes, each with its length and the room that it takes. What is no text takes that of its mark.
fn pieces(bytes: &[u8], weight: impl Fn(char) -> usize) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    for chunk in bytes.utf8_chunks() {
        pieces.extend(chunk.valid().chars().map(|char| (char.len_utf8(), weight(char))));
        if !chunk.invalid().is_empty() {
            pieces.push((chunk.invalid().len(), weight(char::REPLACEMENT_CHARACTER)));
        }
    }
    pieces
}

/// How many bytes of these pieces fit in the room.
fn fitting(pieces: impl Iterator<Item = (usize, usize)>, mut room: usize) -> usize {
    let fits = |(_, weight): &(usize, usize)| {
        let fits = *weight <= room;
        room = room.saturating_sub(*weight);
        fits
    };
    pieces.take_while(fits).map(|(len, _)| len).sum()
}

/// The longest a character can be, less the byte that begins it.
const CONTINUATIONS_MAX: usize = 3;

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// How much of the bytes is left without a character at their end that they hold only in part.
fn whole_chars_len(bytes: &[u8]) -> usize {
    let last = bytes.iter().rev().take(CONTINUATIONS_MAX + 1).position(|byte| !is_continuation(*byte));
    let Some(start) = last.map(|from_end| bytes.len() - 1 - from_end) else { return bytes.len() };
    match std::str::from_utf8(&bytes[start..]) {
        Err(error) if error.error_len().is_none() => start,
        _ => bytes.len(),
    }
}

/// How many bytes at the beginning belong to a character that begins before them.
fn split_char_len(bytes: &[u8]) -> usize {
    bytes.iter().take(CONTINUATIONS_MAX).take_while(|byte| is_continuation(**byte)).count()
}
