//! How long things take. Nothing is asserted: `cargo nextest run -p candor-store --run-ignored only --no-capture`.

use std::time::{Duration, Instant};

use candor_protocol::{Event, RunId};

use crate::rig::{Log, Rig};

const SAMPLES: usize = 200;

fn tell(what: &str, mut samples: Vec<Duration>) {
    samples.sort_unstable();
    let (median, late) = (samples[samples.len() / 2], samples[samples.len() * 95 / 100]);
    println!("{what}: median {median:.1?}, p95 {late:.1?}, {} samples", samples.len());
}

async fn timed<T>(samples: &mut Vec<Duration>, work: impl Future<Output = T>) -> T {
    let start = Instant::now();
    let done = work.await;
    samples.push(start.elapsed());
    done
}

#[tokio::test]
#[ignore = "measures, and asserts nothing"]
async fn opening_appending_and_closing() {
    let rig = Rig::new();
    let mut log = Log::new();
    let mut first = Vec::new();
    let store = timed(&mut first, rig.open()).await;
    store.append(&[log.created()]).await.unwrap();
    store.close().await;
    tell("open, new database", first);
    let [mut open, mut three, mut ask, mut close] = [const { Vec::new() }; 4];
    for _ in 0..SAMPLES {
        let mut log = Log::new();
        let (created, said, start) = (log.created(), log.said("hello"), log.start(RunId::now(), "m"));
        let store = timed(&mut open, rig.open()).await;
        timed(&mut three, store.append(&[created, said, start])).await.unwrap();
        timed(&mut ask, store.latest("/work")).await.unwrap();
        timed(&mut close, store.close()).await;
    }
    tell("open, existing database", open);
    tell("first append, 3 events", three);
    tell("first question", ask);
    tell("close", close);
}

#[tokio::test]
#[ignore = "measures, and asserts nothing"]
async fn appending_on() {
    let (rig, mut log) = (Rig::new(), Log::new());
    let store = rig.open().await;
    store.append(&[log.created()]).await.unwrap();
    for (count, samples) in [(1, SAMPLES), (10, SAMPLES), (1000, 10)] {
        let mut times = Vec::new();
        for _ in 0..samples {
            let events: Vec<Event> = (0..count).map(|_| log.said(&"word ".repeat(40))).collect();
            timed(&mut times, store.append(&events)).await.unwrap();
        }
        tell(&format!("append of {count}"), times);
    }
    let mut reads = Vec::new();
    for _ in 0..20 {
        timed(&mut reads, store.events(log.session, 0, 1000)).await.unwrap();
    }
    tell("reading 1000 events", reads);
}
