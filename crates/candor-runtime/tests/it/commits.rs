//! What durability costs: transactions, counted in SQLite's own log.

use std::path::Path;

use candor_testkit::Reply;
use serde_json::json;

use crate::rig::{Rig, database};

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// How many transactions the write-ahead log of a database holds. The last page of each carries the size of the database
/// after it; pages of an earlier use of the file carry another salt.
fn commits(database: &Path) -> usize {
    let log = std::fs::read(database.with_extension("db-wal")).unwrap();
    let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().unwrap());
    let salt = (number(16), number(20));
    let frame_bytes = FRAME_HEADER_BYTES + number(8) as usize;
    let frames = (HEADER_BYTES..).step_by(frame_bytes).take_while(|at| at + frame_bytes <= log.len());
    let valid = frames.take_while(|at| (number(at + 8), number(at + 12)) == salt);
    valid.filter(|at| number(at + 4) != 0).count()
}

#[tokio::test]
async fn a_short_conversation_takes_three() {
    let rig = Rig::new().await;
    rig.fake.push(Reply::text("Hello."));
    let before = commits(&database(&rig.home));
    let session = rig.create();
    let (_, events) = rig.ask(session, "Hello").await;
    assert_eq!(crate::rig::durable(&events).len(), 5);
    // The session with its message, the start of the run, and the answer with the end of the run.
    assert_eq!(commits(&database(&rig.home)) - before, 3);
}

#[tokio::test]
async fn a_turn_takes_two_and_waits_for_one() {
    let rig = Rig::new().await;
    let turns = 20;
    for turn in 0..turns {
        rig.fake.push(Reply::calls([("shell_exec", json!({ "command": format!("echo {turn}") }))]));
    }
    rig.fake.push(Reply::text("Done."));
    let before = commits(&database(&rig.home));
    let session = rig.create();
    let (outcome, _) = rig.ask(session, "Twenty times").await;
    assert_eq!(outcome.turns, turns + 1);
    let made = commits(&database(&rig.home)) - before;
    assert!(made as u64 <= 2 * (turns + 1) + 2, "{made} transactions for {turns} turns");
}

#[tokio::test]
async fn calls_that_start_together_are_stored_together() {
    let rig = Rig::new().await;
    rig.home.write_in_workspace("a.txt", "a");
    let read = || ("file_read", json!({"path": "a.txt"}));
    rig.fake.push(Reply::calls((0..10).map(|_| read())));
    rig.fake.push(Reply::text("Read."));
    let before = commits(&database(&rig.home));
    let session = rig.create();
    rig.ask(session, "Read it ten times").await;
    let made = commits(&database(&rig.home)) - before;
    // Three as for any conversation, one for the answer and its ten starts, and at most one for each result.
    assert!(made <= 3 + 1 + 10, "{made} transactions");
}
