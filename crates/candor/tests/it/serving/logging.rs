//! The log on standard output: what a supervisor collects.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Command;

use candor_testkit::{Candor, Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use super::{Served, answer, converse, saying, serve};
use crate::rig::{BINARY, KEY, ask, home_of, home_with, log_lines};

/// Opens a pipe so that neither end waits for the other, nor reading and writing for anything.
const NONBLOCKING: i32 = 0o4000;

fn log_file(home: &Home) -> String {
    home.read("logs/candor.log")
}

/// A pipe with a name, and a server whose standard output it is.
struct Piped<'h> {
    served: Served<'h>,
    /// Held for as long as somebody could read.
    pipe: File,
}

#[expect(clippy::disallowed_methods, reason = "the standard library makes no pipes with names")]
fn named_pipe(home: &Home) -> (PathBuf, File) {
    let path = home.tmp().join("stdout");
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo runs").success());
    let pipe = OpenOptions::new().read(true).write(true).custom_flags(NONBLOCKING).open(&path);
    (path, pipe.expect("a pipe"))
}

fn serve_into_a_pipe(home: &Home, prepare: impl FnOnce(&mut File)) -> Piped<'_> {
    let (path, mut pipe) = named_pipe(home);
    prepare(&mut pipe);
    let line = r#"exec "$0" "$@" >"$OUT""#;
    let candor = Candor::new("/bin/sh", home).args(["-c", line, BINARY]).env("OUT", path);
    Piped { served: Served::start(candor, home), pipe }
}

/// Writes until nothing more fits.
fn fill(pipe: &mut File) {
    // In pages first, because a pipe counts those, and then byte by byte.
    for piece in [[b' '; 4096].as_slice(), b" "] {
        loop {
            match pipe.write(piece) {
                Ok(written) => assert_ne!(written, 0),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::WouldBlock);
                    break;
                }
            }
        }
    }
}

#[test]
fn the_log_is_on_standard_output_as_in_the_file_and_nothing_else_is() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let served = serve(&home);
    converse(&mut served.connect(), "Hello there");
    served.running.signal("TERM");
    let ran = served.running.finish();
    assert_eq!(ran.stdout, log_file(&home), "the same bytes");
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let has = |event: &str| lines.iter().any(|line| line["event"] == event);
    assert!(has("server_start") && has("ws_connect") && has("turn_end"), "{}", ran.stdout);
    assert!(ran.stderr.contains("listening on "), "{}", ran.stderr);
}

#[test]
fn s14_10_no_secret_reaches_standard_output() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.push(Reply::calls([("shell_exec", json!({ "command": format!("echo {KEY}") }))]));
    fake.push(Reply::error("bad_request", &format!("Your key {KEY} is not welcome.")));
    let home = home_with(&fake, "logging = { level = \"debug\" }");
    let served = serve(&home);
    converse(&mut served.connect(), &format!("What is {KEY}?"));
    served.running.signal("TERM");
    let token = served.token.clone();
    let ran = served.running.finish();
    assert!(ran.stdout.contains("\"tool_call\"") && ran.stdout.contains("is not welcome"), "{}", ran.stdout);
    assert!(!ran.stdout.contains(KEY) && !ran.stdout.contains(&token), "{}", ran.stdout);
    assert_eq!(ran.stdout, log_file(&home));
}

#[test]
fn standard_output_can_be_left_alone() {
    let fake = saying("Hello.");
    let home = home_with(&fake, "logging = { stdout = false }");
    let served = serve(&home);
    converse(&mut served.connect(), "Hello there");
    served.running.signal("TERM");
    assert_eq!(served.running.finish().stdout, "");
    assert_eq!(log_lines(&home, "turn_end").len(), 1);
}

#[test]
fn other_commands_keep_standard_output_for_answers() {
    let fake = saying("Hello.");
    let home = home_with(&fake, "logging = { level = \"debug\", stdout = true }");
    let ran = ask(&home, &["Hello there"]).run().ok();
    assert_eq!(ran.stdout, "Hello.\n");
    assert_eq!(log_lines(&home, "turn_end").len(), 1);
}

#[test]
fn a_standard_output_that_nobody_reads_holds_up_nothing() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let Piped { served, pipe } = serve_into_a_pipe(&home, fill);
    for _ in 0..3 {
        assert_eq!(answer(&converse(&mut served.connect(), "Hello there")), "Hello.");
    }
    assert_eq!(log_lines(&home, "turn_end").len(), 3, "the file has every line");
    served.running.signal("TERM");
    assert_eq!(served.running.finish().status, 0, "it ends by itself");
    drop(pipe);
}

#[test]
fn a_standard_output_that_is_closed_is_given_up_and_the_file_says_so_once() {
    let fake = saying("Hello.");
    let home = home_of(&fake);
    let Piped { served, pipe } = serve_into_a_pipe(&home, |_| ());
    drop(pipe);
    for _ in 0..5 {
        assert_eq!(answer(&converse(&mut served.connect(), "Hello there")), "Hello.");
    }
    served.running.wait_for_stderr("cannot mirror the log");
    served.running.signal("TERM");
    let ran = served.running.finish();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(log_lines(&home, "turn_end").len(), 5);
    assert_eq!(log_lines(&home, "log_mirror_ended").len(), 1);
    assert_eq!(ran.stderr.matches("cannot mirror").count(), 1);
}
