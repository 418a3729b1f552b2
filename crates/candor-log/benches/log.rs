//! What logging costs the caller, and how many lines a second reach the disk.
//!
//! No figure here includes a line that was dropped: callers wait for the writer before the queue is full, and the run
//! ends with a count of `log_dropped` lines, which must be none.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has no figures")]

use std::fs;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use candor_log::event::{ToolCall, TurnEnd};
use candor_log::{Log, Options};
use candor_protocol::{Level, SessionId};
use candor_redact::Redactor;
use divan::Bencher;
use divan::counter::ItemsCount;

/// How many lines are logged before the caller waits for the writer: about half of what the queue holds.
const LINES_BETWEEN_FLUSHES: usize = 16 * 1024;

static LOG: OnceLock<Log> = OnceLock::new();

fn main() {
    let directory = tempfile::tempdir().expect("a directory for the log");
    let file = directory.path().join("candor.log");
    let secrets = (0..5).map(|number| format!("known-secret-number-{number}-of-five"));
    let options = Options { redactor: Redactor::with_secrets(secrets), ..Options::new(&file) };
    let (log, guard) = candor_log::start(options).expect("a log");
    log.install().expect("the first log of the process");
    LOG.get_or_init(|| log);
    divan::main();
    drop(guard);
    let mut dropped = 0;
    for file in candor_log::read::files(&file).expect("the files of the log") {
        dropped += fs::read_to_string(file).expect("a readable log").matches("\"log_dropped\"").count();
    }
    assert_eq!(dropped, 0, "the figures include dropped lines");
}

fn log() -> &'static Log {
    LOG.get().expect("the log was started")
}

fn turn_end(session_id: SessionId) -> TurnEnd {
    TurnEnd {
        session_id,
        input_tokens: 15_000,
        output_tokens: 320,
        total_tokens: 15_320,
        duration: Duration::from_millis(3021),
        tool_call_count: 2,
    }
}

/// The cost at the caller while the writer is busy with earlier lines, as it is under load.
#[divan::bench(sample_count = 1000, sample_size = 1000)]
fn call_under_load(bencher: Bencher<'_, '_>) {
    let event = turn_end(SessionId::now());
    bencher.with_inputs(|| log().flush()).bench_local_refs(|()| event.log());
}

/// The cost at the caller of a line that follows another closely, as most do.
#[divan::bench(sample_count = 2000, sample_size = 1)]
fn call_soon_after_another(bencher: Bencher<'_, '_>) {
    let event = turn_end(SessionId::now());
    bencher.with_inputs(|| log().flush()).bench_local_refs(|()| event.log());
}

/// The cost at the caller of a lone line, which has to wake the writer.
#[divan::bench(sample_count = 500, sample_size = 1)]
fn call_that_wakes_the_writer(bencher: Bencher<'_, '_>) {
    let event = turn_end(SessionId::now());
    let busy_elsewhere = || {
        log().flush();
        // Longer than the writer stays up after a line; at work and not asleep, as a caller is.
        let since = Instant::now();
        while since.elapsed() < Duration::from_millis(6) {
            std::hint::spin_loop();
        }
    };
    bencher.with_inputs(busy_elsewhere).bench_local_refs(|()| event.log());
}

/// The cost of an event whose level is not written.
#[divan::bench(sample_count = 1000, sample_size = 10_000)]
fn call_filtered_out(bencher: Bencher<'_, '_>) {
    log().set_level(Level::Error);
    let event = turn_end(SessionId::now());
    bencher.bench_local(|| event.log());
    log().set_level(Level::Info);
}

/// Lines a second from one thread, masked and in the file when the clock stops.
#[divan::bench(args = [200_000], sample_count = 10, sample_size = 1)]
fn lines_to_disk(bencher: Bencher<'_, '_>, lines: usize) {
    let session_id = SessionId::now();
    let event = turn_end(session_id);
    let duration = Duration::from_millis(12);
    let call = ToolCall { session_id, tool: "shell_exec", duration, is_error: false, args: None };
    bencher.counter(ItemsCount::new(lines)).bench_local(|| {
        for line in 0..lines {
            if line % 2 == 0 {
                event.log();
            } else {
                call.log();
            }
            if line % LINES_BETWEEN_FLUSHES == 0 {
                log().flush();
            }
        }
        log().flush();
    });
}
