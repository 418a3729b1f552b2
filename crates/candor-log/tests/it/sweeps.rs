//! Mutated logs: whatever a file holds, reading answers, and no good line is passed over.

use std::collections::HashSet;
use std::fmt::Write;

use candor_log::read::{Query, entries};
use candor_testkit::{Home, Sweep, mutate};

/// A log of fifty lines, no two alike.
fn log() -> String {
    let mut text = String::new();
    for number in 0..50 {
        writeln!(
            text,
            "{{\"ts\":\"2025-02-11T10:00:{number:02}.000Z\",\"level\":\"info\",\"module\":\"agent-loop\",\
             \"event\":\"turn_end\",\"sessionId\":\"s{number}\",\"durationMs\":{number}}}"
        )
        .expect("written");
    }
    text
}

#[test]
fn sweep_log_reader_mutated() {
    let (home, good) = (Home::new(), log());
    let originals: HashSet<&[u8]> = good.lines().map(str::as_bytes).collect();
    let mut sweep = Sweep::start("log_reader_mutated");
    while sweep.goes_on() {
        let text = mutate(sweep.rng(), good.as_bytes());
        let file = home.write("candor.log", &text);
        let mut reader = entries(&file, Query::default()).expect("a log");
        let read = reader.by_ref().flatten().count();
        let intact = text.split(|byte| *byte == b'\n').filter(|line| originals.contains(line)).count();
        assert!(read >= intact, "{read} entries read of {intact} intact lines");
    }
}
