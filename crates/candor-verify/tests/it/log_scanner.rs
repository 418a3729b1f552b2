//! A log as it grows: entries of several lines, bounds, patterns, times.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use candor_verify::found::{LogFindings, LogSource};
use candor_verify::logs::{LogRules, Scanner, tail};
use proptest::prelude::*;

fn rules(deny: &[&str], allow: &[&str]) -> Arc<LogRules> {
    let owned = |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.to_owned()).collect::<Vec<_>>();
    Arc::new(LogRules::new(&owned(deny), &owned(allow)).expect("patterns"))
}

fn scanner(rules: Arc<LogRules>) -> Scanner {
    Scanner::new(rules, LogSource::ServiceLog, "stderr".to_owned(), 0, None)
}

fn found(log: impl AsRef<[u8]>) -> LogFindings {
    found_with(log, rules(&[], &[]))
}

fn found_with(log: impl AsRef<[u8]>, rules: Arc<LogRules>) -> LogFindings {
    let mut scanner = scanner(rules);
    scanner.push(log.as_ref());
    scanner.finish()
}

/// 2026-11-15T12:00:00Z and so many seconds.
fn noon_and(seconds: i64) -> SystemTime {
    let noon = UNIX_EPOCH + Duration::from_secs(1_794_744_000);
    if seconds < 0 {
        noon - Duration::from_secs(seconds.unsigned_abs())
    } else {
        noon + Duration::from_secs(seconds.unsigned_abs())
    }
}

/// Each is one failure, and its last line belongs to it. All were printed by the runtimes themselves but those of Go, Ruby, PHP
/// and .NET and of the Java logger, which follow their documentation.
const JOINED: &[(&str, &str)] = &[
    ("python", include_str!("logs/python.txt")),
    ("python chained", include_str!("logs/python_chained.txt")),
    ("python logging", include_str!("logs/python_logging.txt")),
    ("java", include_str!("logs/java.txt")),
    ("java logger", include_str!("logs/java_logger.txt")),
    ("rust", include_str!("logs/rust.txt")),
    ("rust with a backtrace", include_str!("logs/rust_backtrace.txt")),
    ("go", include_str!("logs/go.txt")),
    ("node", include_str!("logs/node.txt")),
    ("node rejection", include_str!("logs/node_rejection.txt")),
    ("node missing module", include_str!("logs/node_module.txt")),
    ("ruby", include_str!("logs/ruby.txt")),
    ("php", include_str!("logs/php.txt")),
    ("perl", include_str!("logs/perl.txt")),
    ("dotnet", include_str!("logs/dotnet.txt")),
    ("sanitizer", include_str!("logs/sanitizer.txt")),
];

#[test]
fn a_failure_of_several_lines_is_one_entry() {
    for (name, log) in JOINED {
        let around = format!("listening on 3000\n{}\nserving again\n", log.trim_end());
        let found = found(&around);
        let messages: Vec<&str> = found.entries.iter().map(|entry| entry.message.as_str()).collect();
        assert_eq!(found.count, 1, "{name}: {messages:#?}");
        let last = log.trim_end().lines().last().unwrap().trim();
        assert!(messages[0].contains(last), "{name}: {last:?} is missing in {:?}", messages[0]);
        assert!(!messages[0].contains("serving again"), "{name}: too much in {:?}", messages[0]);
    }
}

#[test]
fn two_failures_in_a_row_are_two() {
    for (name, log) in JOINED {
        let twice = format!("{}\nserving again\n{}\n", log.trim_end(), log.trim_end());
        assert_eq!(found(twice).count, 2, "{name}");
    }
    assert_eq!(found("ERROR one\nERROR two\nready\nTypeError: three\nTypeError: four\n").count, 4);
}

#[test]
fn an_interrupt_from_outside_is_no_failure() {
    let log = "Traceback (most recent call last):\n  File \"bot.py\", line 3, in <module>\n    time.sleep(9)\nKeyboardInterrupt\n";
    assert_eq!(found(log).count, 0);
}

#[test]
fn what_a_java_logger_puts_below_a_warning_belongs_to_it() {
    let stack = "java.io.IOException: gone\n\tat com.foo.Bar.run(Bar.java:3)\n";
    assert_eq!(found(format!("2026-11-15 12:00:00 WARN com.foo.Bar - retry\n{stack}")).count, 0);
    assert_eq!(found(format!("2026-11-15 12:00:00 INFO com.foo.Bar - start\n{stack}")).count, 1);
    let mut pieces = scanner(rules(&[], &[]));
    pieces.push(b"2026-11-15 12:00:00 WARN com.foo.Bar - retry\n");
    pieces.push(stack.as_bytes());
    assert_eq!(pieces.finish().count, 0);
}

#[test]
fn a_long_entry_keeps_its_beginning_and_the_line_that_tells() {
    let frames =
        "  File \"/app/very/long/path/module.py\", line 12, in function\n    return call(argument)\n"
            .repeat(200);
    let log = format!("Traceback (most recent call last):\n{frames}ValueError: the reason\n");
    let found = found(log);
    let message = &found.entries[0].message;
    assert!(message.chars().count() <= 2_000, "{}", message.chars().count());
    assert!(message.starts_with("Traceback (most recent call last):\n  File "));
    assert!(message.ends_with("ValueError: the reason"), "{message}");

    let frames = "\tat com.foo.Bar.run(Bar.java:3)\n".repeat(200);
    let log = format!(
        "Exception in thread \"main\" java.lang.A: a\n{frames}Caused by: java.lang.BError: the reason\n{frames}"
    );
    let message = &self::found(log).entries[0].message;
    assert!(message.contains("\nCaused by: java.lang.BError: the reason\n"), "{message}");
}

#[test]
fn at_most_200_entries_are_kept_and_all_are_counted() {
    let found = found("ERROR boom\nINFO fine\n".repeat(1_000));
    assert_eq!((found.entries.len(), found.count), (200, 1_000));
    assert_eq!((found.range.from, found.range.to), (0, 21_000));
    assert_eq!(found.entries[1].offset, 21);
}

#[test]
fn an_entry_that_is_still_open_at_the_end_is_counted() {
    let mut scanner = scanner(rules(&[], &[]));
    scanner.push(b"Traceback (most recent call last):\n  File");
    assert_eq!(scanner.finish().count, 1);
}

#[test]
fn offsets_are_places_in_the_file() {
    let mut scanner = Scanner::new(rules(&[], &[]), LogSource::ProjectLog, "a.log".to_owned(), 1_000, None);
    scanner.push(b"fine\r\nstill fine\r\nERR");
    scanner.push(b"OR one\r\n<3>two\n");
    let found = scanner.finish();
    let places: Vec<u64> = found.entries.iter().map(|entry| entry.offset).collect();
    assert_eq!(places, [1_018, 1_029]);
    assert_eq!((found.range.from, found.range.to), (1_000, 1_036));
}

#[test]
fn a_line_without_end_is_bounded_and_read() {
    let mut scanner = scanner(rules(&["needle in the hay"], &[]));
    scanner.push(b"ERROR ");
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..64 {
        scanner.push(&piece);
    }
    scanner.push(b"\nafterwards\nhay ");
    for _ in 0..4 {
        scanner.push(&piece);
    }
    scanner.push(b" needle in the hay");
    for _ in 0..4 {
        scanner.push(&piece);
    }
    let found = scanner.finish();
    assert_eq!(found.count, 2);
    assert!(found.entries.iter().all(|entry| entry.message.chars().count() <= 2_000));
}

#[test]
fn a_level_at_the_end_of_a_long_object_is_found() {
    let long = |level: &str| format!("{{\"msg\":\"{}\",\"level\":\"{level}\"}}\n", "x".repeat(3 << 20));
    assert_eq!(found(long("error")).count, 1);
    assert_eq!(found(long("info")).count, 0);
    let pretty = "{\n  \"level\": \"error\",\n  \"msg\": \"boom\"\n}\n";
    assert_eq!(found(pretty).count, 1);
}

#[test]
fn bytes_that_are_no_text_do_not_hide_anything() {
    assert_eq!(found(b"\xff\xfe\x00junk\n\x00\x00\x00ERROR boom \xff\nfine\n").count, 1);
    assert_eq!(found([vec![0; 1 << 20], b"ERROR boom\n".to_vec()].concat()).count, 1);
    assert_eq!(found(b"10 %\r50 %\rERROR boom\r100 %\r\n").count, 1);
    let coloured = found(b"\x1b[1;31mERROR\x1b[0m \x1b]0;title\x07boom\n");
    assert_eq!(coloured.entries[0].message, "ERROR boom");
}

#[test]
fn patterns_deny_and_allow() {
    let log = "INFO pool exhausted\nERROR connection reset by test client\nERROR boom\nINFO fine\n";
    let count = |deny: &[&str], allow: &[&str]| found_with(log, rules(deny, allow)).count;
    assert_eq!(count(&[], &[]), 2);
    assert_eq!(count(&["pool exhausted"], &[]), 3);
    assert_eq!(count(&[r"\AINFO pool"], &[]), 3);
    assert_eq!(count(&["^INFO pool", "exhausted$"], &[]), 3);
    assert_eq!(count(&[], &["reset by test client"]), 1);
    assert_eq!(count(&["pool exhausted"], &["exhausted", "^ERROR"]), 0);
    let trace = "Traceback (most recent call last):\n  File \"a.py\", line 1, in b\nOSError: reset by peer\n";
    assert_eq!(found_with(trace, rules(&[], &["reset by peer"])).count, 0);
    assert_eq!(found_with(trace, rules(&[], &[r"(?s)Traceback.*OSError"])).count, 0);
}

#[test]
fn a_denied_line_behind_another_match_is_found() {
    // The pattern can reach over the line end, and must not swallow the second line.
    let log = "a b\nc pool\n exhausted\nx pool exhausted\n";
    assert_eq!(found_with(log, rules(&[r"pool\s+exhausted"], &[])).count, 1);
    assert_eq!(found_with("a\nb\nc x\n", rules(&[r"[^y]+x"], &[])).count, 1);
}

#[test]
fn a_bad_pattern_is_named() {
    let bad = LogRules::new(&["fine".to_owned(), "a(b".to_owned()], &[]).expect_err("an open group");
    assert_eq!(bad.pattern, "a(b");
    assert!(bad.message.contains("unclosed group"), "{}", bad.message);
}

#[test]
fn what_says_that_it_is_older_is_not_new() {
    let lines = [
        "2026-11-15T{}Z ERROR crate: boom",
        "2026-11-15T{}+00:00 ERROR crate: boom",
        "[15/Nov/2026:{} +0000] \"GET / HTTP/1.1\" 500 1",
        "{\"time\":\"2026-11-15T{}Z\",\"level\":\"error\"}",
        "time=2026-11-15T{}Z level=error msg=boom",
        "2026-11-15 {},000 UTC [1] ERROR:  boom",
        "[15-Nov-2026 {} UTC] PHP Fatal error:  boom",
        "<11>1 2026-11-15T{}Z host app 1 - - boom",
        "ERROR 2026-11-15T{}Z boom",
        "[api] 2026-11-15T{}Z ERROR boom",
        "web-1  | 2026-11-15T{}Z ERROR boom",
        "10.0.0.7 - frank [15/Nov/2026:{} +0000] \"GET / HTTP/1.1\" 500 1",
        "E, [2026-11-15T{}Z #12] ERROR -- : boom",
    ];
    let rules = rules(&[], &[]);
    for line in lines {
        let count = |clock: &str| {
            let mut scanner =
                Scanner::new(Arc::clone(&rules), LogSource::ServiceLog, "a".to_owned(), 0, Some(noon_and(0)));
            scanner.push(line.replace("{}", clock).as_bytes());
            scanner.finish()
        };
        assert_eq!(count("11:59:57").count, 0, "{line}");
        let at_noon = count("11:59:58");
        assert_eq!(at_noon.count, 1, "{line}");
        assert_eq!(at_noon.entries[0].timestamp, Some(1_794_743_998_000), "{line}");
    }
}

#[test]
fn a_time_that_the_message_is_about_does_not_make_it_old() {
    for line in [
        "ERROR: 2020-01-01 10:00:00 is no time to deliver",
        "ERROR invoice of 2020-01-01 10:00:00 is invalid",
        "TypeError: 2020-01-01T10:00:00Z is no number",
        "[error] order 7 of 2020-01-01 10:00:00 failed",
        "{\"level\":\"error\",\"order\":{\"time\":\"2020-01-01T10:00:00Z\"},\"date\":\"2020-01-01T10:00:00Z\"}",
        "level=error msg=\"bad date: ts=2020-01-01T10:00:00Z\"",
    ] {
        let since = Some(noon_and(0));
        let mut scanner = Scanner::new(rules(&[], &[]), LogSource::ServiceLog, "a".to_owned(), 0, since);
        scanner.push(line.as_bytes());
        assert_eq!(scanner.finish().count, 1, "{line}");
    }
}

#[test]
fn numbers_are_times_too() {
    let since = Some(noon_and(0));
    for (number, is_new) in [
        ("1794743000", false),
        ("1794744000.5", true),
        ("1794743000000", false),
        ("1794744000500", true),
        ("1794744000500000000", true),
    ] {
        let mut scanner = Scanner::new(rules(&[], &[]), LogSource::ServiceLog, "a".to_owned(), 0, since);
        scanner.push(format!("{{\"level\":50,\"time\":{number}}}\n").as_bytes());
        assert_eq!(scanner.finish().count, u64::from(is_new), "{number}");
    }
}

/// Without a zone a time may be that of the machine or UTC. What is a day old is old in both, what is now is new in one.
#[test]
fn times_without_a_zone_or_a_year_are_read_in_favour_of_the_error() {
    let now = SystemTime::now();
    let shown = |time: SystemTime, format: &str| {
        let at = jiff::Timestamp::try_from(time).expect("a time");
        at.to_zoned(jiff::tz::TimeZone::UTC).strftime(format).to_string()
    };
    for format in [
        "%Y-%m-%d %H:%M:%S,000 ERROR boom",
        "%Y/%m/%d %H:%M:%S [error] 1#1: boom",
        "%b %d %H:%M:%S host app[1]: ERROR boom",
        "E%m%d %H:%M:%S.000000    1 a.go:1] boom",
        "%m-%d %H:%M:%S.000  1  1 E Tag: boom",
        "[%a %b %d %H:%M:%S.123456 %Y] [core:error] boom",
    ] {
        let count = |time: SystemTime| {
            let mut scanner =
                Scanner::new(rules(&[], &[]), LogSource::ServiceLog, "a".to_owned(), 0, Some(now));
            scanner.push(shown(time, format).as_bytes());
            scanner.finish().count
        };
        assert_eq!(count(now), 1, "{format}");
        assert_eq!(count(now - Duration::from_secs(3 * 86_400)), 0, "{format}");
    }
}

fn tail_of(log: &str, start: SystemTime) -> LogFindings {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.log");
    std::fs::write(&path, log).expect("a log");
    tail(&path, "app.log".to_owned(), rules(&[], &[]), LogSource::ProjectLog, start).expect("a file")
}

#[test]
fn a_tail_begins_with_the_first_line_that_is_new() {
    let log = "2026-11-15T11:00:00Z ERROR old\nTypeError: also old\n2026-11-15T12:00:01Z INFO new\nTypeError: new\n";
    let found = tail_of(log, noon_and(0));
    assert_eq!(found.count, 1);
    assert_eq!(found.entries[0].message, "TypeError: new");
    assert_eq!(found.entries[0].offset, 81);
    assert_eq!((found.range.from, found.range.to), (51, 96));
}

#[test]
fn a_tail_without_times_is_new_if_the_file_is() {
    assert_eq!(tail_of("starting\nTypeError: boom\n", SystemTime::now()).count, 1);
    assert_eq!(tail_of("starting\nTypeError: boom\n", SystemTime::now() + Duration::from_secs(60)).count, 0);
}

#[test]
fn what_follows_the_last_time_of_a_file_that_was_written_to_is_new() {
    let log = "2026-11-14T11:00:00Z ERROR old\n2026-11-14T11:00:01Z INFO old\nTypeError: new\n";
    let found = tail_of(log, SystemTime::now());
    assert_eq!(found.count, 1);
    assert_eq!(found.entries[0].message, "TypeError: new");
}

#[test]
fn a_tail_is_128_kb_of_whole_lines() {
    let log = format!("{}TypeError: boom\n", "ERROR in a line that is cut somewhere\n".repeat(10_000));
    let found = tail_of(&log, SystemTime::now());
    assert!(found.range.to - found.range.from <= 128 * 1024);
    assert_eq!(log.as_bytes()[usize::try_from(found.range.from).unwrap() - 1], b'\n');
}

/// Lines and parts of lines that meet at the edges of pieces.
fn parts() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "ERROR boom",
        "INFO fine",
        "\n",
        "\n",
        "\r\n",
        "\r",
        "Traceback (most recent call last):\n",
        "  File \"a.py\", line 1, in b\n",
        "ValueError: x\n",
        "\n\nDuring handling of the above exception, another exception occurred:\n\n",
        "{\"level\":\"error\"}\n",
        "<3>kernel\n",
        "E1115 12:00:00.000000 1 a.go:1] x\n",
        "panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\n",
        "thread 'main' panicked at a.rs:1:1:\nboom\n",
        "2026-11-15 12:00:00 WARN a.B - x\n",
        "java.lang.IllegalStateException: x\n\tat a.B.c(B.java:1)\n",
        "\u{1b}[31mERROR\u{1b}[0m red\n",
        "pool exhausted\n",
        "ü 🔥 ",
        "\0",
        "plain\n",
    ]);
    prop::collection::vec(parts, 1..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn how_the_bytes_are_cut_changes_nothing(log in parts(), cuts in prop::collection::vec(0..2_000_usize, 0..12)) {
        // A text, so that what fails can be read.
        let log = log.as_bytes();
        let rules = rules(&["pool exhausted", "^INFO fine$"], &["red"]);
        let whole = found_with(log, Arc::clone(&rules));
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(log.len())).collect();
        cuts.sort_unstable();
        cuts.push(log.len());
        let mut pieces = scanner(Arc::clone(&rules));
        let mut bytes = scanner(rules);
        let mut from = 0;
        for cut in cuts {
            pieces.push(&log[from..cut]);
            from = cut;
        }
        for byte in log.chunks(1) {
            bytes.push(byte);
        }
        prop_assert_eq!(&pieces.finish(), &whole);
        prop_assert_eq!(&bytes.finish(), &whole);
    }

    #[test]
    fn no_bytes_make_it_panic(log in prop::collection::vec(any::<u8>(), 0..4_000)) {
        let found = found(&log);
        prop_assert_eq!(found.range.to, log.len() as u64);
    }
}
