//! What is wrong with a picture's file, as far as its frame tells.
//!
//! A provider refuses a request with a picture that it cannot read, and every later one of the session, so what is cut off
//! or garbled is found here. Nothing is decoded: that would be a program of its own, with holes of its own. What only a
//! decoder would find is found by the provider, and the run goes on without pictures then.

/// It ends before its format says that it does.
const CUT: &str = "it ends too early";
/// Bytes of it have changed.
const GARBLED: &str = "its bytes are not what its checksum says";
/// The frame makes no sense.
const BROKEN: &str = "its parts do not fit together";

/// What is wrong with a PNG: a row of chunks, each with its length and its checksum.
pub(super) fn of_png(bytes: &[u8]) -> Option<&'static str> {
    let mut rest = bytes.get(8..).unwrap_or_default();
    let (mut is_first, mut has_pixels) = (true, false);
    loop {
        let Some((head, body)) = rest.split_first_chunk::<8>() else { return Some(CUT) };
        let [a, b, c, d, kind @ ..] = *head;
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if is_first != (kind == *b"IHDR") {
            return Some(BROKEN);
        }
        let Some(sum) = body.get(length..).and_then(<[u8]>::first_chunk::<4>) else { return Some(CUT) };
        if crc(&rest[4..8 + length]) != u32::from_be_bytes(*sum) {
            return Some(GARBLED);
        }
        has_pixels |= kind == *b"IDAT";
        if kind == *b"IEND" {
            return (!has_pixels).then_some(CUT);
        }
        is_first = false;
        rest = &body[length + 4..];
    }
}

/// The checksum of PNG.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| CRC_TABLE[usize::from(sum.to_le_bytes()[0] ^ byte)] ^ sum >> 8;
    !bytes.iter().fold(u32::MAX, step)
}

/// What each byte does to the checksum: bit by bit, a large picture would take a tenth of a second.
const CRC_TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let (mut at, mut byte) = (0, 0_u32);
    while at < 256 {
        let (mut sum, mut bit) = (byte, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 };
            bit += 1;
        }
        table[at] = sum;
        at += 1;
        byte += 1;
    }
    table
};

/// What is wrong with a GIF: a row of blocks, each of them a chain of pieces. The mark at its end is missing in many that
/// everybody shows.
pub(super) fn of_gif(bytes: &[u8]) -> Option<&'static str> {
    let colours = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let Some(flags) = bytes.get(10) else { return Some(CUT) };
    let mut at = 13 + colours(*flags);
    let mut has_frame = false;
    loop {
        let start = match bytes.get(at) {
            Some(0x2C) => match bytes.get(at + 9) {
                Some(flags) => at + 11 + colours(*flags),
                None => return Some(CUT),
            },
            Some(0x21) => at + 2,
            Some(0x3B) | None => return (!has_frame).then_some(CUT),
            Some(_) => return (!has_frame).then_some(BROKEN),
        };
        let is_frame = bytes.get(at) == Some(&0x2C);
        at = start;
        loop {
            match bytes.get(at) {
                Some(0) => break,
                Some(length) => at += 1 + usize::from(*length),
                None => return Some(CUT),
            }
        }
        at += 1;
        has_frame |= is_frame;
    }
}

/// What is wrong with a JPEG: the pixels begin after a row of segments, and a mark stands after them.
pub(super) fn of_jpeg(bytes: &[u8]) -> Option<&'static str> {
    let mut at = 2;
    loop {
        let Some([0xFF, kind, high, low]) = bytes.get(at..).and_then(<[u8]>::first_chunk) else {
            return Some(if bytes.len() < at + 4 { CUT } else { BROKEN });
        };
        at += 2 + usize::from(u16::from_be_bytes([*high, *low]));
        if *kind == 0xDA {
            let pixels = bytes.get(at..).unwrap_or_default();
            let has_end = memchr::memmem::rfind(pixels, &[0xFF, 0xD9]).is_some();
            return (!has_end).then_some(CUT);
        }
    }
}

/// What is wrong with a WebP: it says how long it is.
pub(super) fn of_webp(bytes: &[u8]) -> Option<&'static str> {
    let length = bytes.get(4..).and_then(<[u8]>::first_chunk).map(|length| u32::from_le_bytes(*length));
    let is_whole = length.is_some_and(|length| u64::from(length) + 8 <= bytes.len() as u64);
    (!is_whole).then_some(CUT)
}
