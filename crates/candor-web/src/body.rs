//! A body, unpacked and bounded.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;
use reqwest::Response;
use reqwest::header::CONTENT_ENCODING;

use crate::error::innermost;

/// What was read of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    /// Whether there was more than may be read.
    pub(crate) is_cut: bool,
}

/// Why there is no body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It did not come to its end.
    Broken(String),
    /// It is packed in a way that was not asked for, or wrongly.
    Packed(String),
}

/// Reads a body up to this many bytes, counted after unpacking: what a bomb would become is never held.
pub(crate) async fn read(response: &mut Response, bytes_max: usize) -> Result<Body, Unread> {
    let encoding =
        response.headers().get(CONTENT_ENCODING).map(|value| value.as_bytes().to_ascii_lowercase());
    let mut unpack = match encoding.as_deref() {
        None | Some(b"" | b"identity") => Unpack::Plain(Bounded::new(bytes_max)),
        Some(b"gzip" | b"x-gzip") => Unpack::Gzip(MultiGzDecoder::new(Bounded::new(bytes_max))),
        Some(other) => return Err(Unread::Packed(format!("packed with {}", String::from_utf8_lossy(other)))),
    };
    while let Some(piece) = response.chunk().await.map_err(|error| Unread::Broken(innermost(&error)))? {
        let written = match &mut unpack {
            Unpack::Plain(bounded) => bounded.write_all(&piece),
            Unpack::Gzip(decoder) => decoder.write_all(&piece),
        };
        match written {
            Ok(()) => {}
            Err(_) if unpack.bounded().is_full => break,
            Err(error) => return Err(Unread::Packed(format!("packed with gzip, and broken: {error}"))),
        }
    }
    if let Unpack::Gzip(decoder) = &mut unpack
        && !decoder.get_ref().is_full
    {
        let ended = decoder.try_finish();
        if ended.is_err() && !unpack.bounded().is_full {
            return Err(Unread::Packed("packed with gzip, and cut short".to_owned()));
        }
    }
    let bounded = unpack.bounded();
    Ok(Body { bytes: std::mem::take(&mut bounded.bytes), is_cut: bounded.is_full })
}

enum Unpack {
    Plain(Bounded),
    Gzip(MultiGzDecoder<Bounded>),
}

impl Unpack {
    fn bounded(&mut self) -> &mut Bounded {
        match self {
            Self::Plain(bounded) => bounded,
            Self::Gzip(decoder) => decoder.get_mut(),
        }
    }
}

/// Takes so many bytes and then no more.
struct Bounded {
    bytes: Vec<u8>,
    bytes_max: usize,
    is_full: bool,
}

impl Bounded {
    fn new(bytes_max: usize) -> Self {
        Self { bytes: Vec::new(), bytes_max, is_full: false }
    }
}

impl Write for Bounded {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let room = self.bytes_max - self.bytes.len();
        self.is_full |= piece.len() > room;
        let taken = piece.len().min(room);
        self.bytes.extend_from_slice(&piece[..taken]);
        if taken == 0 && !piece.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
