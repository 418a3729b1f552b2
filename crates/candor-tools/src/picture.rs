//! What kind of picture a file holds, how large that is, and whether it is all there.

mod damage;

use std::fmt;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// The most pixels of a side that every provider takes.
pub(crate) const SIDE_PIXELS_MAX: u32 = 8_000;

/// How many pieces of a JPEG are passed over in search of its size.
const SEGMENTS_MAX: usize = 200;

/// A picture, by the first bytes of its file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    media_type: &'static str,
    /// Width and height.
    size: Option<(u32, u32)>,
}

impl Picture {
    /// Nothing: it is no picture of a kind that models take.
    pub(crate) fn of(head: &[u8], file: &File) -> Option<Self> {
        let (media_type, size) = match head {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => {
                ("image/png", big(head, 16, 4).zip(big(head, 20, 4)))
            }
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => {
                ("image/gif", little(head, 6, 2).zip(little(head, 8, 2)))
            }
            [0xFF, 0xD8, 0xFF, ..] => ("image/jpeg", jpeg(file)),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ("image/webp", webp(head)),
            _ => return None,
        };
        Some(Self { media_type, size })
    }

    /// The name of its kind.
    pub(crate) fn media_type(&self) -> &'static str {
        self.media_type
    }

    /// Whether it is larger than models take. One that is not would be refused with every request that it is in.
    pub(crate) fn is_too_large(&self) -> bool {
        self.size.is_some_and(|(width, height)| width.max(height) > SIDE_PIXELS_MAX)
    }

    /// Why nobody could show it, given all of its file.
    pub(crate) fn damage(&self, bytes: &[u8]) -> Option<&'static str> {
        if self.size.is_none_or(|(width, height)| width == 0 || height == 0) {
            return Some("it has no size");
        }
        match self.media_type {
            "image/png" => damage::of_png(bytes),
            "image/gif" => damage::of_gif(bytes),
            "image/jpeg" => damage::of_jpeg(bytes),
            _ => damage::of_webp(bytes),
        }
    }
}

impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.media_type)?;
        self.size.map_or(Ok(()), |(width, height)| write!(f, ", {width}x{height} pixels"))
    }
}

fn big(bytes: &[u8], start: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(start..start + length)?;
    Some(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn little(bytes: &[u8], start: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(start..start + length)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// The size stands in a segment that comes after others: thumbnails, colours, where it was taken.
fn jpeg(file: &File) -> Option<(u32, u32)> {
    let mut offset = 2;
    for _ in 0..SEGMENTS_MAX {
        let mut segment = [0; 9];
        file.read_exact_at(&mut segment, offset).ok()?;
        let [0xFF, marker, ..] = segment else { return None };
        let length = big(&segment, 2, 2)?;
        // A start of frame; three numbers in its row mean something else.
        if matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC) {
            return big(&segment, 7, 2).zip(big(&segment, 5, 2));
        }
        offset += 2 + u64::from(length);
    }
    None
}

fn webp(head: &[u8]) -> Option<(u32, u32)> {
    match head.get(12..16)? {
        b"VP8 " => Some((little(head, 26, 2)? & 0x3FFF, little(head, 28, 2)? & 0x3FFF)),
        b"VP8L" => {
            let bits = little(head, 21, 4)?;
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        b"VP8X" => Some((little(head, 24, 3)? + 1, little(head, 27, 3)? + 1)),
        _ => None,
    }
}
