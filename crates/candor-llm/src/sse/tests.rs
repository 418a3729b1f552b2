//! The framing, byte by byte.

use candor_testkit::Rng;

use super::{Frames, LINE_BYTES_MAX};
use crate::Error;
use crate::wire::{Flow, Framing};

fn frames_of(framing: Framing, chunks: &[&[u8]]) -> Result<Vec<(String, String)>, Error> {
    let mut frames = Frames::new(framing);
    let mut seen = Vec::new();
    let mut on = |event: &str, data: &str| {
        seen.push((event.to_owned(), data.to_owned()));
        Ok(Flow::More)
    };
    for chunk in chunks {
        frames.feed(chunk, &mut on)?;
    }
    frames.finish(&mut on)?;
    Ok(seen)
}

#[track_caller]
fn check(input: &[u8], expect: &[(&str, &str)]) {
    let expect: Vec<_> =
        expect.iter().map(|(event, data)| ((*event).to_owned(), (*data).to_owned())).collect();
    assert_eq!(frames_of(Framing::Events, &[input]).unwrap(), expect, "in one piece");
    let bytes: Vec<&[u8]> = input.chunks(1).collect();
    assert_eq!(frames_of(Framing::Events, &bytes).unwrap(), expect, "byte by byte");
}

#[test]
fn every_end_of_line_ends_a_line() {
    check(b"event: a\ndata: 1\n\ndata: 2\n\n", &[("a", "1"), ("", "2")]);
    check(b"event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", &[("a", "1"), ("", "2")]);
    check(b"event: a\rdata: 1\r\rdata: 2\r\r", &[("a", "1"), ("", "2")]);
}

#[test]
fn what_means_nothing_is_skipped() {
    check(b": keep-alive\n\nid: 7\nretry: 10\nodd: x\ndata: 1\n\n", &[("", "1")]);
    check(b"event: ping\n\ndata: 1\n\n", &[("", "1")]);
    check(b"\n\n\n", &[]);
    check(b"", &[]);
}

#[test]
fn the_byte_order_mark_is_skipped_at_the_start_alone() {
    check(b"\xef\xbb\xbfdata: 1\n\n", &[("", "1")]);
    check(b"data: \xef\xbb\xbf1\n\n", &[("", "\u{feff}1")]);
}

#[test]
fn one_space_after_the_colon_belongs_to_the_syntax() {
    check(b"data:1\n\ndata:  2\n\ndata\n\n", &[("", "1"), ("", " 2"), ("", "")]);
}

#[test]
fn lines_of_data_are_joined() {
    check(b"data: 1\ndata:\ndata: 2\n\n", &[("", "1\n\n2")]);
}

#[test]
fn a_name_counts_for_its_own_event_alone() {
    check(b"event: a\ndata: 1\n\ndata: 2\n\n", &[("a", "1"), ("", "2")]);
    check(b"event: a\n\ndata: 2\n\n", &[("", "2")]);
}

#[test]
fn unicode_line_separators_are_text() {
    check("data: a\u{2028}b\u{2029}c\u{85}d\n\n".as_bytes(), &[("", "a\u{2028}b\u{2029}c\u{85}d")]);
}

#[test]
fn code_points_may_be_spread_over_reads() {
    check("data: Привет 👋\n\n".as_bytes(), &[("", "Привет 👋")]);
}

#[test]
fn invalid_utf8_is_replaced() {
    check(b"data: a\xffb\xd0\n\ndata: 2\n\n", &[("", "a\u{fffd}b\u{fffd}"), ("", "2")]);
}

#[test]
fn the_last_event_needs_no_blank_line() {
    check(b"data: 1\n\ndata: 2\n", &[("", "1"), ("", "2")]);
    check(b"data: 1\n\ndata: 2", &[("", "1"), ("", "2")]);
}

#[test]
fn lines_are_values_of_their_own() {
    let seen =
        frames_of(Framing::Lines, &[b"\xef\xbb\xbf{\"a\":1}\r", b"\n\n  {\"b\":\xff}\n{\"c\"", b":3}"])
            .unwrap();
    let data: Vec<_> = seen.iter().map(|(_, data)| data.as_str()).collect();
    assert_eq!(data, ["{\"a\":1}", "{\"b\":\u{fffd}}", "{\"c\":3}"]);
}

#[test]
fn nothing_is_told_after_the_end() {
    let mut frames = Frames::new(Framing::Events);
    let mut seen = 0;
    let mut on = |_: &str, _: &str| {
        seen += 1;
        Ok(Flow::End)
    };
    assert_eq!(frames.feed(b"data: 1\n\ndata: 2\n\n", &mut on).unwrap(), Flow::End);
    assert_eq!(seen, 1);
}

#[test]
fn the_longest_line_is_read_and_a_longer_one_refused() {
    let mut input = b"data: ".to_vec();
    input.resize(LINE_BYTES_MAX, b'x');
    let half = input.len() / 2;
    let seen = frames_of(Framing::Events, &[&input[..half], &input[half..], b"\n\n"]).unwrap();
    assert_eq!(seen[0].1.len(), LINE_BYTES_MAX - 6);
    let longer = frames_of(Framing::Events, &[&input, b"x\n\n"]);
    assert!(matches!(longer, Err(Error::TooLarge { .. })), "spread over reads");
    input.extend_from_slice(b"x\n\n");
    assert!(matches!(frames_of(Framing::Events, &[&input]), Err(Error::TooLarge { .. })), "in one read");
    let lines = b"data: y\n".repeat(10);
    let half = [b"data: ".as_slice(), &vec![b'x'; LINE_BYTES_MAX - 8], b"\n"].concat();
    let many = frames_of(Framing::Events, &[&half, &lines, b"\n"]);
    assert!(matches!(many, Err(Error::TooLarge { .. })), "as many lines of data");
}

#[test]
fn any_cut_gives_the_same_frames() {
    let pieces: [&[u8]; 14] = [
        b"data: ",
        b"event: x",
        b"\n",
        b"\n\n",
        b"\r\n",
        b"\r",
        b"\r\n\r\n",
        b": c",
        b"{\"a\":1}",
        "\u{2028}ü👋".as_bytes(),
        b"\xff",
        b"data:",
        b"\xef\xbb\xbf",
        b"id: 3\n",
    ];
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let mut input = Vec::new();
        for _ in 0..rng.between(1, 40) {
            let piece: &&[u8] = rng.pick(&pieces);
            input.extend_from_slice(piece);
        }
        for framing in [Framing::Events, Framing::Lines] {
            let whole = frames_of(framing, &[&input]).unwrap();
            let mut chunks = Vec::new();
            let mut rest = input.as_slice();
            while !rest.is_empty() {
                let (chunk, after) = rest.split_at(rng.between(1, 9).min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            assert_eq!(frames_of(framing, &chunks).unwrap(), whole, "seed {seed}");
        }
    }
}

/// A scan that began anew with each read would take hours for this one.
#[test]
fn a_long_line_may_come_byte_by_byte() {
    let mut input = b"data: ".to_vec();
    input.resize(4 << 20, b'x');
    let bytes: Vec<&[u8]> = input.chunks(1).collect();
    let seen = frames_of(Framing::Events, &bytes).unwrap();
    assert_eq!(seen[0].1.len(), (4 << 20) - 6);
}
