//! Damage for sweeps: what editors, disks and networks do to text, and what an attacker would try.

use crate::Rng;

/// How much longer than its source a mutant may be: enough for deep nesting, not enough to make a sweep measure
/// the allocator.
pub const MUTANT_GROWTH_BYTES_MAX: usize = 4096;

/// How many pieces of damage one mutant gets at most. With more, hardly anything parses and only the first few
/// bytes of a format are exercised.
const WOUNDS_MAX: usize = 4;

/// Longest piece that is removed or doubled in one go.
const PIECE_BYTES_MAX: usize = 64;

/// Tokens that have a meaning somewhere: structure, escapes, numbers at their limits, broken UTF-8, line ends.
const TOKENS: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\r\n",
    b"\r",
    b"\t",
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\xe2\x80\x8b",
    b"{",
    b"}",
    b"[",
    b"]",
    b"[[",
    b"]]",
    b"(",
    b")",
    b"<<: *a",
    b"&a",
    b"*a",
    b"!!",
    b"---\n",
    b"...\n",
    b"- ",
    b"? ",
    b": ",
    b":",
    b"|",
    b">",
    b"|+1\n",
    b"%YAML 1.2\n",
    b"#",
    b"\"",
    b"'",
    b"\"\"\"",
    b"'''",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\\U00110000",
    b"\\x",
    b"=",
    b",",
    b",,",
    b"${",
    b"${A",
    b"${A:-",
    b"$",
    b"~",
    b"null",
    b"true",
    b"nan",
    b"-0",
    b"0x",
    b"1e999",
    b"9223372036854775808",
    b"-9223372036854775809",
    b"18446744073709551616",
    b"1979-05-27T07:32:00Z",
    b"\x1b[31m",
    b"\x1b]0;",
    b"password=",
    b"Authorization: Bearer ",
    b"-----BEGIN PRIVATE KEY-----",
    b"://u:p@",
    b"%",
    b"%00",
    b"../",
    b"Traceback (most recent call last):\n",
];

/// A damaged copy of `source`: one to four bytes or pieces flipped, inserted, deleted, doubled, moved or cut off.
///
/// The result is at most [`MUTANT_GROWTH_BYTES_MAX`] longer than `source`.
pub fn mutate(rng: &mut Rng, source: &[u8]) -> Vec<u8> {
    let mut bytes = source.to_vec();
    for _ in 0..rng.between(1, WOUNDS_MAX) {
        wound(rng, &mut bytes);
    }
    bytes
}

fn wound(rng: &mut Rng, bytes: &mut Vec<u8>) {
    match rng.below(9) {
        0 => flip_a_bit(rng, bytes),
        1 => replace_a_byte(rng, bytes),
        2 => insert(rng, bytes, b" "),
        3 => {
            let token = *rng.pick(TOKENS);
            insert(rng, bytes, token);
        }
        4 => repeat_a_token(rng, bytes),
        5 => {
            let piece = piece(rng, bytes);
            bytes.drain(piece);
        }
        6 => double_a_piece(rng, bytes),
        7 => move_a_piece(rng, bytes),
        _ => bytes.truncate(rng.below(bytes.len() + 1)),
    }
}

fn flip_a_bit(rng: &mut Rng, bytes: &mut [u8]) {
    let at = rng.below(bytes.len());
    let bit = rng.below(8);
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << bit;
    }
}

fn replace_a_byte(rng: &mut Rng, bytes: &mut [u8]) {
    let at = rng.below(bytes.len());
    let new = rng.byte();
    if let Some(byte) = bytes.get_mut(at) {
        *byte = new;
    }
}

fn insert(rng: &mut Rng, bytes: &mut Vec<u8>, what: &[u8]) {
    let at = rng.below(bytes.len() + 1);
    bytes.splice(at..at, what.iter().copied());
}

/// Many of the same token in a row is what finds recursion without a limit. No other wound adds as much, so that
/// as many of these as there can be stay within the limit together.
fn repeat_a_token(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let token = *rng.pick(TOKENS);
    let times = rng.between(2, MUTANT_GROWTH_BYTES_MAX / WOUNDS_MAX / token.len());
    insert(rng, bytes, &token.repeat(times));
}

fn double_a_piece(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let piece = piece(rng, bytes);
    let copy = bytes[piece].to_vec();
    insert(rng, bytes, &copy);
}

fn move_a_piece(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let piece = piece(rng, bytes);
    let moved: Vec<u8> = bytes.drain(piece).collect();
    insert(rng, bytes, &moved);
}

fn piece(rng: &mut Rng, bytes: &[u8]) -> std::ops::Range<usize> {
    let from = rng.below(bytes.len());
    // A quarter at most, or short sources would mostly lose their whole rest.
    let len = rng.between(1, PIECE_BYTES_MAX.min(bytes.len() / 4)).min(bytes.len() - from);
    from..from + len
}
