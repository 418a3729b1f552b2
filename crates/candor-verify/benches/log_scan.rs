//! How many bytes of log are read in a second.
//! `cargo bench -p candor-verify --bench log_scan`

use std::fmt::Write as _;
use std::sync::Arc;

use candor_verify::found::LogSource;
use candor_verify::logs::{LogRules, Scanner};
use divan::{Bencher, black_box, counter::BytesCount};

fn main() {
    divan::main();
}

const BYTES: usize = 200 << 20;
/// As much as a pipe or a file gives at once.
const PIECE_BYTES: usize = 64 << 10;

/// What the services of an ordinary project write: JSON, columns, logfmt, access logs, banners; words like `error` in
/// entries that are none, and an error once in a thousand lines.
fn mixed() -> String {
    let mut log = String::with_capacity(BYTES + 4096);
    let mut number = 0_u64;
    while log.len() < BYTES {
        let (second, request) = (number / 40 % 60, number * 7919 % 100_003);
        let _ = match number % 11 {
            0 | 6 => writeln!(
                log,
                r#"{{"level":"info","time":"2026-11-15T12:00:{second:02}.000Z","req":{request},"msg":"request completed","status":200,"ms":12}}"#
            ),
            1 | 7 => writeln!(
                log,
                "2026-11-15 12:00:{second:02},123 - app.views - INFO - user {request} signed in from 10.0.0.7"
            ),
            2 | 8 => writeln!(
                log,
                r#"time="2026-11-15T12:00:{second:02}Z" level=info msg="job {request} finished" took=12ms queue=default"#
            ),
            3 | 9 => writeln!(
                log,
                r#"10.0.0.7 - - [15/Nov/2026:12:00:{second:02} +0000] "GET /items/{request} HTTP/1.1" 200 2326 "-" "Mozilla/5.0 (X11; Linux x86_64)""#
            ),
            4 => writeln!(
                log,
                "2026-11-15T12:00:{second:02}.000000Z  INFO my_service::http: listening, {request} connections open"
            ),
            5 if number % 1001 == 5 => writeln!(
                log,
                "2026-11-15 12:00:{second:02},123 - app.views - ERROR - item {request} is broken"
            ),
            5 if number % 55 == 5 => writeln!(
                log,
                "2026-11-15 12:00:{second:02},123 - app.views - INFO - retried {request} after an error"
            ),
            _ => writeln!(log, "DEBUG cache: {request} entries, {second} evicted, hit rate 0.97"),
        };
        number += 1;
    }
    log
}

fn scan(log: &str, rules: &Arc<LogRules>) -> u64 {
    let mut scanner = Scanner::new(
        Arc::clone(rules),
        LogSource::ServiceLog,
        "stdout".to_owned(),
        0,
        Some(std::time::UNIX_EPOCH),
    );
    for piece in log.as_bytes().chunks(PIECE_BYTES) {
        scanner.push(piece);
    }
    scanner.finish().count
}

fn bench(bencher: Bencher<'_, '_>, log: &str, rules: LogRules) {
    let rules = Arc::new(rules);
    assert!(scan(log, &rules) > 0);
    bencher.counter(BytesCount::of_str(log)).bench(|| scan(black_box(log), &rules));
}

#[divan::bench(sample_count = 10)]
fn mixed_log(bencher: Bencher<'_, '_>) {
    bench(bencher, &mixed(), LogRules::default());
}

#[divan::bench(sample_count = 10)]
fn with_patterns(bencher: Bencher<'_, '_>) {
    let deny = [r"handlers\.\w+ - ERROR -".to_owned(), "deadlock detected".to_owned()];
    let allow = ["connection reset by test client".to_owned()];
    bench(bencher, &mixed(), LogRules::new(&deny, &allow).unwrap_or_default());
}

#[divan::bench(sample_count = 5)]
fn nothing_but_errors(bencher: Bencher<'_, '_>) {
    let line = "2026-11-15 12:00:00,123 - app.views - ERROR - item 12 is broken\n";
    bench(bencher, &line.repeat((20 << 20) / line.len()), LogRules::default());
}

/// One line without end.
#[divan::bench(sample_count = 10)]
fn one_line(bencher: Bencher<'_, '_>) {
    let line = format!("ERROR {}", "x".repeat(BYTES));
    bench(bencher, &line, LogRules::default());
}
