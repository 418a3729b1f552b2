//! Keeps the head and the tail of a stream, however long it is.

use std::collections::VecDeque;

use crate::output::{Output, Whole};

/// The head and the tail of what was pushed.
#[derive(Debug)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_bytes_max: usize,
    tail_bytes_max: usize,
    total_bytes: u64,
}

impl Capture {
    /// Keeps this much, half of it from the head: an error is told in the first lines or in the last.
    pub(crate) fn new(bytes_max: usize) -> Self {
        let head_bytes_max = bytes_max / 2;
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_bytes_max,
            tail_bytes_max: bytes_max - head_bytes_max,
            total_bytes: 0,
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total_bytes += bytes.len() as u64;
        let for_head = bytes.len().min(self.head_bytes_max - self.head.len());
        let (head, rest) = bytes.split_at(for_head);
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(self.tail_bytes_max)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.tail_bytes_max);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// Whether this many more bytes could be kept without giving up any.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        let free = (self.head_bytes_max - self.head.len()) + (self.tail_bytes_max - self.tail.len());
        bytes <= free && self.total_bytes == self.kept_bytes()
    }

    pub(crate) fn kept_bytes(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64
    }

    /// What is kept, in order.
    pub(crate) fn kept(&self) -> Vec<u8> {
        let (first, second) = self.tail.as_slices();
        [self.head.as_slice(), first, second].concat()
    }

    /// What is kept, as it is now.
    pub(crate) fn output(&self) -> Output {
        let (first, second) = self.tail.as_slices();
        Output {
            head: self.head.clone(),
            tail: [first, second].concat(),
            total_bytes: self.total_bytes,
            whole: Whole::Nowhere,
        }
    }

    /// The head, the tail, and how long the stream was.
    pub(crate) fn into_parts(self) -> (Vec<u8>, Vec<u8>, u64) {
        (self.head, Vec::from(self.tail), self.total_bytes)
    }
}
