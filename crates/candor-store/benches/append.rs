//! How many events become durable in a second, beside what the disk can do, and how long a search takes.
//!
//! `cargo bench -p candor-store --bench append` prints one line for each figure. `-- --quick` takes a tenth of the time.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
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

/// How many bytes are written before each sync: about what one event takes.
const SYNCED_BYTES: usize = 4096;

/// How many messages are searched.
const MESSAGES: u64 = 100_000;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let time = Duration::from_secs(if quick { 1 } else { 5 });
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let disk = syncs_per_second(directory.path(), time);
    println!("fdatasync/s: {disk:.0}");
    for appenders in [1, 100] {
        let path = directory.path().join(format!("{appenders}.db"));
        let events = runtime.block_on(appends_per_second(&path, appenders, time));
        println!("{appenders} appenders: events/s: {events:.0}, of fdatasync/s: {:.2}", events / disk);
    }
    runtime
        .block_on(search(&directory.path().join("search.db"), if quick { MESSAGES / 10 } else { MESSAGES }));
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

async fn search(path: &Path, messages: u64) {
    let store = Store::open(&Location::File(path.to_owned())).await.unwrap();
    let start = Instant::now();
    for first in (0..messages).step_by(1000) {
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
    println!("stored {messages} messages in {:.1} s", start.elapsed().as_secs_f64());
    let ask = async |text: &str| {
        let start = Instant::now();
        let hits = store.search(&Search { text: text.to_owned(), workspace: None, limit: 50 }).await.unwrap();
        (start.elapsed().as_secs_f64() * 1000.0, hits.len())
    };
    println!("indexed them in {:.1} s", ask("nothing").await.0 / 1000.0);
    for text in ["message", "word976", "word976 word3", "mess", "session wor", "nowhere"] {
        let (millis, hits) = ask(text).await;
        println!("search {text:?}: {millis:.1} ms, {hits} hits");
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
    };
    Event { seq: 1, session_id: session, run_id: None, at: Moment::now(), body }
}

fn said(session: SessionId, seq: u64, text: &str) -> Event {
    let body = EventBody::MessageAccepted { origin: Origin::Cli, content: vec![Part::text(text)] };
    Event { seq, session_id: session, run_id: None, at: Moment::now(), body }
}
