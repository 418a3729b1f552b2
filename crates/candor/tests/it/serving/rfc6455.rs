//! The WebSocket protocol by its bytes (RFC 6455): what a client may send, and what ends the socket, with which code.
//!
//! Every frame is masked with zeros, so that what is written is what is meant.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::{saying, serve};
use crate::rig::home_of;

const CONTINUED: u8 = 0x0;
const TEXT: u8 = 0x1;
const BINARY: u8 = 0x2;
const CLOSE: u8 = 0x8;
const PING: u8 = 0x9;
const PONG: u8 = 0xa;
const FIN: u8 = 0x80;

/// What is the first thing to come back.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Back {
    /// A text: the frame was read, and answered.
    Text,
    /// A pong with this in it.
    Pong(Vec<u8>),
    /// A close with this code, or none.
    Close(Option<u16>),
    /// The connection ended without a word.
    Gone,
}

/// A masked frame with a short payload.
fn frame(head: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).ok().filter(|length| *length < 126).expect("it is short");
    [&[head, 0x80 | length, 0, 0, 0, 0], payload].concat()
}

fn close(code: u16) -> Vec<u8> {
    frame(FIN | CLOSE, &code.to_be_bytes())
}

fn back(mut stream: &TcpStream) -> Back {
    let mut head = [0; 2];
    if stream.read_exact(&mut head).is_err() {
        return Back::Gone;
    }
    assert_eq!(head[1] & 0x80, 0, "a server does not mask");
    let mut length = usize::from(head[1]);
    if length == 126 {
        let mut long = [0; 2];
        stream.read_exact(&mut long).expect("a length");
        length = usize::from(u16::from_be_bytes(long));
    }
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).expect("a payload");
    match head[0] {
        head if head == FIN | TEXT => Back::Text,
        head if head == FIN | PONG => Back::Pong(payload),
        head if head == FIN | CLOSE => {
            Back::Close(payload.first_chunk().map(|code| u16::from_be_bytes(*code)))
        }
        head => panic!("what is {head:x}?"),
    }
}

/// Sends each on a socket of its own and looks at what comes back; after a close, at the end of the connection.
#[track_caller]
fn check(cases: &[(&str, Vec<u8>, Back)]) {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    for (name, bytes, expect) in cases {
        let socket = served.connect();
        let mut stream = socket.stream();
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time limit");
        stream.write_all(bytes).expect("it reads");
        let came = back(stream);
        assert_eq!(&came, expect, "{name}");
        if let Back::Close(_) = came {
            // The answer to it; the server is the first to end the connection.
            let _ = stream.write_all(&close(1000));
            assert_eq!(back(stream), Back::Gone, "{name}: the connection ends");
        }
    }
    assert!(fake.requests().is_empty());
}

#[test]
fn frames_that_are_sound_are_read() {
    let pieces = |pieces: &[(u8, &[u8])]| {
        pieces.iter().flat_map(|(head, payload)| frame(*head, payload)).collect::<Vec<u8>>()
    };
    check(&[
        ("a text", frame(FIN | TEXT, b"{}"), Back::Text),
        ("an empty text", frame(FIN | TEXT, b""), Back::Text),
        ("a binary", frame(FIN | BINARY, b"{}"), Back::Text),
        ("in two", pieces(&[(TEXT, b"{"), (FIN | CONTINUED, b"}")]), Back::Text),
        ("in empty pieces", pieces(&[(TEXT, b""), (CONTINUED, b""), (FIN | CONTINUED, b"")]), Back::Text),
        ("a letter in two", pieces(&[(TEXT, b"\xc3"), (FIN | CONTINUED, b"\xa4")]), Back::Text),
        ("a ping", frame(FIN | PING, b"abc"), Back::Pong(b"abc".to_vec())),
        ("an empty ping", frame(FIN | PING, b""), Back::Pong(Vec::new())),
        ("the longest ping", frame(FIN | PING, &[1; 125]), Back::Pong(vec![1; 125])),
        ("a pong nobody asked for", pieces(&[(FIN | PONG, b"abc"), (FIN | TEXT, b"{}")]), Back::Text),
        ("a ping between", pieces(&[(TEXT, b"{"), (FIN | PING, b"p")]), Back::Pong(b"p".to_vec())),
        ("a length that is not the shortest", b"\x81\xfe\0\x02\0\0\0\0{}".to_vec(), Back::Text),
        ("nor this", b"\x81\xff\0\0\0\0\0\0\0\x02\0\0\0\0{}".to_vec(), Back::Text),
        ("a million empty pieces", million(), Back::Text),
    ]);
}

fn million() -> Vec<u8> {
    let between = frame(CONTINUED, b"").repeat(1_000_000);
    [frame(TEXT, b"{"), between, frame(FIN | CONTINUED, b"}")].concat()
}

#[test]
fn frames_that_are_not_end_the_socket() {
    let garbled = Back::Close(Some(1002));
    let mut cases = vec![
        ("not masked", b"\x81\x02{}".to_vec(), garbled.clone()),
        ("a ping that is not masked", b"\x89\0".to_vec(), garbled.clone()),
        ("a ping in pieces", frame(PING, b"x"), garbled.clone()),
        ("a close in pieces", frame(CLOSE, b""), garbled.clone()),
        (
            "a ping that is too long",
            [b"\x89\xfe\0\x7e\0\0\0\0".to_vec(), vec![0; 126]].concat(),
            garbled.clone(),
        ),
        ("a piece of nothing", frame(FIN | CONTINUED, b"x"), garbled.clone()),
        ("a text within a text", [frame(TEXT, b"x"), frame(FIN | TEXT, b"y")].concat(), garbled.clone()),
        ("not UTF-8", frame(FIN | TEXT, b"\xff\xfe"), Back::Close(Some(1007))),
        ("half a letter", frame(FIN | TEXT, b"\xc3"), Back::Close(Some(1007))),
        ("half a pair", frame(FIN | TEXT, b"\xed\xa0\x80"), Back::Close(Some(1007))),
        (
            "a length that nobody has",
            b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0".to_vec(),
            Back::Close(Some(1009)),
        ),
        (
            "2 MiB in one",
            [b"\x81\xff\0\0\0\0\0\x20\0\0\0\0\0\0".to_vec(), vec![b'x'; 2 << 20]].concat(),
            Back::Close(Some(1009)),
        ),
    ];
    for reserved in [0x40, 0x20, 0x10, 0x70] {
        cases.push(("a reserved bit", frame(FIN | reserved | TEXT, b"{}"), garbled.clone()));
        cases.push(("a reserved bit of a ping", frame(FIN | reserved | PING, b""), garbled.clone()));
    }
    for kind in [0x3, 0x4, 0x5, 0x6, 0x7, 0xb, 0xc, 0xd, 0xe, 0xf] {
        cases.push(("a kind that is not known", frame(FIN | kind, b""), garbled.clone()));
    }
    check(&cases);
}

#[test]
fn a_close_is_answered() {
    let garbled = Back::Close(Some(1002));
    let mut cases = vec![
        ("without a code", frame(FIN | CLOSE, b""), Back::Close(None)),
        ("with a reason", frame(FIN | CLOSE, b"\x03\xe8bye"), Back::Close(Some(1000))),
        ("half a code", frame(FIN | CLOSE, b"\x03"), garbled.clone()),
        ("a reason that is not UTF-8", frame(FIN | CLOSE, b"\x03\xe8\xff"), Back::Close(Some(1007))),
        ("with frames behind it", [close(1000), frame(FIN | TEXT, b"{}")].concat(), Back::Close(Some(1000))),
    ];
    for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999] {
        cases.push(("a code", close(code), Back::Close(Some(code))));
    }
    for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] {
        cases.push(("a code that nobody may send", close(code), garbled.clone()));
    }
    check(&cases);
}
