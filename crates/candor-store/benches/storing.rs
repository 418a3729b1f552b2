//! How many events become durable in a second, beside what the disk can do, and how long a search takes.
//!
//! Prints one line a figure, `measure | goal | measured | met`, for `cargo xtask bench`.
#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "it measures, prints, and stops at the first trouble"
)]

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_protocol::{Event, EventBody, Moment, Origin, Part, SessionId};
use candor_store::{Location, Search, Store};
use candor_testkit::row;

/// How many bytes are written before each sync: about what one event takes.
const SYNCED_BYTES: usize = 4096;

/// How many messages are searched.
const MESSAGES: u64 = 100_000;

/// How long each rate is measured.
const TIME: Duration = Duration::from_secs(3);

/// The part of the disk's own rate that is asked for, in hundredths.
const RATE_GOAL: f64 = 0.6;

/// How long a search may take.
const SEARCH_MS_GOAL: f64 = 50.0;

/// How often each search is made.
const SEARCHES: usize = 15;

fn main() {
    // Under `cargo test --benches` there is nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for appenders in [100, 1] {
        let path = directory.path().join(format!("{appenders}.db"));
        // Disks of shared machines change their pace; the rate before and after is the one to compare with.
        let before = syncs_per_second(directory.path(), TIME / 2);
        let events = runtime.block_on(appends_per_second(&path, appenders, TIME));
        let disk = f64::midpoint(before, syncs_per_second(directory.path(), TIME / 2));
        let who = if appenders == 1 { "one session alone, waiting for each" } else { "100 sessions at once" };
        row(
            &format!("events stored durably in a second, {who}, against fdatasync alone ({disk:.0}/s)"),
            if appenders == 1 { "–" } else { "≥ 0.60 ×" },
            &format!("{:.2} × ({events:.0}/s)", events / disk),
            (appenders > 1).then_some(events / disk >= RATE_GOAL),
        );
    }
    runtime.block_on(search(&directory.path().join("search.db")));
}

fn syncs_per_second(directory: &Path, time: Duration) -> f64 {
    let mut file = File::create(directory.join("raw")).unwrap();
    let (start, mut count) = (Instant::now(), 0_u32);
    while start.elapsed() < time {
        file.write_all(&[7; SYNCED_BYTES]).unwrap();
        file.sync_data().unwrap();
        count += 1;
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}

async fn appends_per_second(path: &Path, appenders: usize, time: Duration) -> f64 {
    let store = Arc::new(Store::open(&Location::File(path.to_owned())).await.unwrap());
    let start = Instant::now();
    let tasks = (0..appenders).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let session = SessionId::now();
            store.append(&[created(session)]).await.unwrap();
            let mut seq = 1;
            while start.elapsed() < time {
                seq += 1;
                store
                    .append(&[said(session, seq, "a message of the usual length, more or less")])
                    .await
                    .unwrap();
            }
            seq
        })
    });
    let mut events = 0;
    for task in tasks.collect::<Vec<_>>() {
        events += task.await.unwrap();
    }
    events as f64 / start.elapsed().as_secs_f64()
}

async fn search(path: &Path) {
    let store = Store::open(&Location::File(path.to_owned())).await.unwrap();
    for first in (0..MESSAGES).step_by(1000) {
        let session = SessionId::now();
        let mut events = vec![created(session)];
        events.extend((1..=1000).map(|number| {
            let number = first + number;
            let text = format!(
                "message number {number} of the session says word{} and word{}",
                number % 977,
                number % 31
            );
            Event {
                seq: number - first + 1,
                at: Moment::from_millis(i64::try_from(number).unwrap()),
                ..said(session, 1, &text)
            }
        }));
        store.append(&events).await.unwrap();
    }
    let ask = async |text: &str| {
        let start = Instant::now();
        let hits = store.search(&Search { text: text.to_owned(), workspace: None, limit: 50 }).await.unwrap();
        (start.elapsed().as_secs_f64() * 1000.0, hits.len())
    };
    let indexed = ask("nothing").await.0;
    row(
        "the first search after 100,000 new messages, which indexes them",
        "–",
        &format!("{:.1} s", indexed / 1000.0),
        None,
    );
    let searches = [
        ("a rare word", "word976"),
        ("two words", "word976 word3"),
        ("a word that is nowhere", "nowhere"),
        ("a word that is in every one", "message"),
        ("the beginning of a word that is in every one", "mess"),
        ("two that are in every one", "session wor"),
    ];
    for (what, text) in searches {
        let mut times = Vec::new();
        for _ in 0..SEARCHES {
            times.push(ask(text).await.0);
        }
        times.sort_by(f64::total_cmp);
        let typical = times[SEARCHES / 2];
        let measure = format!("search over 100,000 messages for {what}");
        row(&measure, "≤ 50 ms", &format!("{typical:.1} ms"), Some(typical <= SEARCH_MS_GOAL));
    }
}

fn created(session: SessionId) -> Event {
    let [source, name, workspace] = ["cli", "bench", "/work"].map(str::to_owned);
    let body = EventBody::SessionCreated {
        source,
        name,
        workspace,
        instructions: None,
        job: None,
        forked_from: None,
        parent: None,
    };
    Event { seq: 1, session_id: session, run_id: None, at: Moment::now(), body }
}

fn said(session: SessionId, seq: u64, text: &str) -> Event {
    let body = EventBody::MessageAccepted { origin: Origin::Cli, content: vec![Part::text(text)] };
    Event { seq, session_id: session, run_id: None, at: Moment::now(), body }
}
