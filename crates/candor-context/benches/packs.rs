//! How long it takes to pack ten thousand files, to pack one that has changed, and to find something in them.
//!
//! Prints one line a figure, `measure | goal | measured | met`, for `cargo xtask bench`.
#![expect(clippy::expect_used, reason = "a benchmark that cannot run says so and stops")]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use candor_context::{Mode, Options, Segment, Wanted, create, get, search, sync};
use candor_testkit::{Rng, row};

const FILES: usize = 10_000;
const FILES_PER_FOLDER: usize = 50;
const ITEMS_PER_FILE: usize = 8;
const TIMES: usize = 15;

/// How many different words there are. As in any language, the second is half as frequent as the first, and so on.
const WORDS: usize = 20_000;
const SYLLABLES: &[&str] = &[
    "ba", "co", "di", "fu", "ge", "ha", "ki", "lo", "me", "nu", "pa", "ri", "so", "te", "vu", "wa", "xi",
    "yo", "ze",
];

/// The word of a rank, the most frequent having the first.
fn word_of(rank: usize) -> String {
    let mut word = String::new();
    let mut rest = rank + SYLLABLES.len();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small numbers"
)]
fn word(rng: &mut Rng) -> String {
    let part = rng.below(1_000_000) as f64 / 1e6;
    word_of((WORDS as f64).powf(part) as usize)
}

fn main() {
    // Under `cargo test --benches` there is nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path());
    let segment = Segment::locate(folder.path()).expect("a segment");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(measure(&segment));
}

/// Programs and documents as people write them, of about three kilobytes each.
fn files(root: &Path) {
    let mut rng = Rng::new(7);
    for number in 0..FILES {
        let folder =
            root.join(format!("part{}/{}", number / FILES_PER_FOLDER % 20, number / FILES_PER_FOLDER));
        fs::create_dir_all(&folder).expect("a folder");
        let is_document = number % 5 == 0;
        let mut text = String::new();
        for item in 0..ITEMS_PER_FILE {
            let (one, two, three) = (word(&mut rng), word(&mut rng), word(&mut rng));
            if is_document {
                writeln!(text, "## The {one} of the {two} {item}\n").expect("room");
            } else {
                writeln!(
                    text,
                    "/// Takes the {one} to the {two}.\npub fn {one}_{two}_{number}_{item}({three}: &str) {{"
                )
                .expect("room");
            }
            for _ in 0..7 {
                let line = [word(&mut rng), word(&mut rng), word(&mut rng), word(&mut rng), word(&mut rng)];
                writeln!(text, "    {}", line.join(if is_document { " " } else { "." })).expect("room");
            }
            text.push_str(if is_document { "\n" } else { "}\n\n" });
        }
        let end = if is_document { "md" } else { "rs" };
        fs::write(folder.join(format!("{}_{number}.{end}", word(&mut rng))), text).expect("a file");
    }
}

async fn measure(segment: &Segment) {
    let options = Options::default();
    create(segment, &options).await.expect("a segment");
    let started = Instant::now();
    let synced = sync(segment, &options).await.expect("a pack");
    report(
        &format!("to pack {FILES} files for the first time ({} chunks)", synced.chunks),
        3_000,
        started.elapsed(),
    );
    // The first look again at files that are as new as their pack.
    sync(segment, &options).await.expect("a pack");

    let mut changes = Vec::new();
    for time in 0..TIMES {
        fs::write(segment.root().join("changed.rs"), format!("fn changed_{time}() {{}}\n")).expect("a file");
        let started = Instant::now();
        let synced = sync(segment, &options).await.expect("a pack");
        assert_eq!(synced.changed, 1);
        changes.push(started.elapsed());
    }
    report("to pack one changed file of 10,000", 300, median(changes));

    let [common, usual, rare, seldom] = [5, 50, 400, 3_000].map(word_of);
    for (what, query) in [
        ("two words", format!("{rare} {seldom}")),
        ("a name", name_in(segment.root())),
        (
            "a question with words that most chunks have",
            format!("where is the {common} {usual} of {rare} and {seldom}"),
        ),
    ] {
        let mut times = Vec::new();
        for _ in 0..TIMES {
            let started = Instant::now();
            search(segment, &query, 5, &options).await.expect("an answer");
            times.push(started.elapsed());
        }
        report(&format!("to find {what} in 10,000 files"), 10, median(times));
    }

    let found = search(segment, &format!("{usual} {rare}"), 3, &options).await.expect("an answer");
    let ids = found.hits.into_iter().map(|hit| hit.chunk.id).collect();
    let wanted = Wanted {
        ids,
        mode: Mode::Raw,
        budget: 4_000,
        max_chunks: None,
        stop_on_evidence: false,
        query: None,
    };
    let times = (0..TIMES).map(|_| {
        let started = Instant::now();
        get(segment, &wanted, &options, &str::to_owned).expect("chunks");
        started.elapsed()
    });
    row("to read three chunks of a pack of 10,000 files", "-", &shown(median(times.collect())), None);
}

/// What some file defines.
fn name_in(root: &Path) -> String {
    let folder = fs::read_dir(root.join("part7/107")).expect("a folder").flatten().map(|entry| entry.path());
    let program =
        folder.filter(|path| path.extension().is_some_and(|end| end == "rs")).min().expect("a program");
    let text = fs::read_to_string(program).expect("a file");
    let line = text.lines().find(|line| line.starts_with("pub fn")).expect("a function");
    line.trim_start_matches("pub fn ").split('(').next().unwrap_or_default().to_owned()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn shown(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn report(measure: &str, goal_ms: u64, time: Duration) {
    row(measure, &format!("≤ {goal_ms} ms"), &shown(time), Some(time <= Duration::from_millis(goal_ms)));
}
