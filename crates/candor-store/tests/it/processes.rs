//! Several processes on one database, and ones that end in the middle.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use candor_protocol::{Event, SessionId};
use candor_store::{Error, Location, Store};

use crate::rig::{Log, Rig};

/// A child process finds here what it is to do; a test that finds none has nothing to do.
const TASK: &str = "task";

/// Append for ever, and say so after each time.
const FOREVER: &str = "forever";
/// Append to one session together with others, until so many are there.
const TOGETHER: &str = "together";
/// Run into the limit for the size of a file, and go on.
const FILL: &str = "fill";

/// Take the lease of a session, and keep it.
const KEEP: &str = "keep";

/// How many events the writers of one session put into it.
const EVENTS_TOGETHER: u64 = 60;

/// Starts the test below in a process of its own, in a directory that has a task, under a limit set by the shell.
#[expect(
    clippy::disallowed_methods,
    reason = "a second process is what is tested, and it is this very program"
)]
fn child(directory: &Path, limit: &str) -> Child {
    let command = format!("trap '' XFSZ; {limit} exec \"$0\" --exact --nocapture \"$1\"");
    Command::new("sh")
        .arg("-c")
        .arg(command)
        .arg(env::current_exe().unwrap())
        .arg("processes::as_a_process")
        .current_dir(directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The other end of [`child`]. Without a task it is a test like any other.
#[tokio::test]
async fn as_a_process() {
    let Ok(task) = fs::read_to_string(TASK) else { return };
    let path = env::current_dir().unwrap().join("candor.db");
    let store = Store::open(&Location::File(path)).await.unwrap();
    match task.as_str() {
        FOREVER => forever(&store).await,
        FILL => fill(&store).await,
        KEEP => keep(&store).await,
        session => together(&store, session.trim_start_matches(TOGETHER).parse().unwrap()).await,
    }
}

fn say(word: impl std::fmt::Display) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nack {word}").unwrap();
    out.flush().unwrap();
}

/// What the child has said so far, one word at a time.
fn heard(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let out = BufReader::new(child.stdout.take().unwrap());
    out.lines().map_while(Result::ok).filter_map(|line| line.strip_prefix("ack ").map(str::to_owned))
}

async fn forever(store: &Store) {
    let mut log = Log::new();
    store.append(&[log.created()]).await.unwrap();
    say(log.session);
    loop {
        store.append(&[log.said("a"), log.said("b")]).await.unwrap();
        say(log.seq);
    }
}

#[tokio::test]
async fn a_killed_process_has_lost_nothing_that_it_acknowledged() {
    let rig = Rig::new();
    fs::write(rig.directory().join(TASK), FOREVER).unwrap();
    for round in [1, 5, 20, 80] {
        let mut child = child(rig.directory(), "");
        let mut words = heard(&mut child);
        let session: SessionId = words.next().unwrap().parse().unwrap();
        let _ = words.by_ref().take(round).count();
        child.kill().unwrap();
        child.wait().unwrap();
        // What it managed to say before its end counts as well.
        let last: u64 = words.last().map_or(1, |word| word.parse().unwrap());
        let store = rig.open().await;
        let events = store.events(session, 0, u32::MAX).await.unwrap();
        let numbers: Vec<_> = events.iter().map(|event| event.seq).collect();
        assert_eq!(numbers, (1..=u64::try_from(events.len()).unwrap()).collect::<Vec<_>>());
        assert!(events.len() as u64 >= last.max(1 + 2 * round as u64), "{} of {last}", events.len());
        assert_eq!(events.len() % 2, 1, "a part of what was appended at once");
        assert_eq!(store.last_seq(session).await.unwrap(), numbers.last().copied());
        store.close().await;
        assert_eq!(rig.ask("PRAGMA integrity_check").await, ["ok"]);
    }
}

/// Appends what the others have not, until all is there. Each event is acknowledged to exactly one of them.
async fn together(store: &Store, session: SessionId) {
    let mut log = Log { session, ..Log::new() };
    loop {
        log.seq = store.last_seq(session).await.unwrap().unwrap();
        if log.seq > EVENTS_TOGETHER {
            return;
        }
        match store.append(&[log.said("mine")]).await {
            Ok(()) => say(log.seq),
            Err(Error::Conflict { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[tokio::test]
async fn writers_of_one_session_in_several_processes_never_write_the_same_number() {
    let (rig, mut log) = (Rig::new(), Log::new());
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    fs::write(rig.directory().join(TASK), format!("{TOGETHER}{}", log.session)).unwrap();
    let mut children: Vec<_> = (0..3).map(|_| child(rig.directory(), "")).collect();
    let mut acknowledged: Vec<u64> = Vec::new();
    for child in &mut children {
        acknowledged.extend(heard(child).map(|word| word.parse::<u64>().unwrap()));
        assert!(child.wait().unwrap().success());
    }
    acknowledged.sort_unstable();
    assert_eq!(acknowledged, (2..=EVENTS_TOGETHER + 1).collect::<Vec<_>>());
    assert_eq!(store.events(log.session, 0, 1000).await.unwrap().len() as u64, EVENTS_TOGETHER + 1);
}

async fn fill(store: &Store) {
    let mut log = Log::new();
    store.append(&[log.created()]).await.unwrap();
    let large = log.said(&"x".repeat(4_000_000));
    let error = store.append(std::slice::from_ref(&large)).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
    let small = Event { body: log.said("small").body, ..large };
    store.append(&[small]).await.unwrap();
    say(log.session);
}

#[tokio::test]
async fn a_disk_without_room_costs_one_append_and_not_the_store() {
    let rig = Rig::new();
    fs::write(rig.directory().join(TASK), FILL).unwrap();
    let mut child = child(rig.directory(), "ulimit -f 2000;");
    let session: Vec<_> = heard(&mut child).collect();
    assert!(child.wait().unwrap().success());
    let store = rig.open().await;
    assert_eq!(store.last_seq(session[0].parse().unwrap()).await.unwrap(), Some(2));
}

async fn keep(store: &Store) {
    let session = SessionId::now();
    let _lease = store.lease(session).await.unwrap().unwrap();
    say(session);
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_killed_process_keeps_no_lease() {
    let rig = Rig::new();
    fs::write(rig.directory().join(TASK), KEEP).unwrap();
    let mut child = child(rig.directory(), "");
    let session: SessionId = heard(&mut child).next().unwrap().parse().unwrap();
    let store = rig.open().await;
    assert!(store.lease(session).await.unwrap().is_none(), "it lives");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(store.lease(session).await.unwrap().is_some());
}
