//! Reading a log back, whatever has happened to it.

use std::fs;

use candor_log::read::{Entry, Query, Skipped, entries, files, parse_moment};
use candor_log::{Error, Options};
use candor_protocol::Level;
use jiff::Timestamp;
use proptest::prelude::*;

use crate::rig::{Rig, note, session};

fn line(number: u64) -> String {
    format!(
        "{{\"ts\":\"2025-02-11T10:00:00.000Z\",\"level\":\"info\",\"module\":\"m\",\"event\":\"e\",\"n\":{number}}}\n"
    )
}

fn numbers(entries: &[Entry]) -> Vec<u64> {
    entries.iter().filter_map(|entry| entry.fields.get("n")?.as_u64()).collect()
}

fn read(rig: &Rig, query: Query) -> (Vec<Entry>, Skipped) {
    let mut entries = entries(&rig.path(), query).unwrap();
    let found: Vec<_> = entries.by_ref().map(Result::unwrap).collect();
    (found, entries.skipped())
}

/// Checks which numbered lines are found in a file, and how many others are counted as damaged.
#[track_caller]
fn check(bytes: impl AsRef<[u8]>, expect: &[u64], damaged: u64) {
    let rig = Rig::new();
    rig.write("candor.log", bytes);
    let (found, skipped) = read(&rig, Query::default());
    assert_eq!(numbers(&found), expect);
    assert_eq!(skipped, Skipped { damaged, too_long: 0 });
}

#[test]
fn what_was_logged_is_read_as_it_was() {
    let rig = Rig::new();
    rig.run(|| note(5));
    let (found, skipped) = read(&rig, Query::default());
    assert_eq!(found.len(), 1);
    let entry = &found[0];
    assert_eq!(entry.ts, "2025-02-11T12:00:00Z".parse::<Timestamp>().unwrap());
    assert_eq!(entry.level, Level::Info);
    assert_eq!(entry.module, "sessions");
    assert_eq!(entry.event, "session_compacted");
    assert_eq!(entry.session(), Some(session().to_string().as_str()));
    assert_eq!(entry.fields.keys().collect::<Vec<_>>(), ["sessionId", "removedMessages", "summaryTokens"]);
    assert_eq!(skipped, Skipped::default());
}

#[test]
fn damaged_lines_are_skipped_and_counted() {
    check("", &[], 0);
    check("\n\n  \n", &[], 0);
    check(line(1) + &line(2), &[1, 2], 0);
    check(line(1) + "garbage\n" + &line(2), &[1, 2], 1);
    check(line(1) + "{\"ts\":\"2025\n" + &line(2), &[1, 2], 1);
    check(line(1) + "[1,2]\n\"text\"\n{}\n" + &line(2), &[1, 2], 3);
    check(line(1).replace("info", "loud") + &line(2), &[2], 1);
    check(line(1).replace("2025-02-11T", "2025-02-31T") + &line(2), &[2], 1);
    check([line(1).as_bytes(), b"\xff\xfe\x00\n", line(2).as_bytes()].concat(), &[1, 2], 1);
    check("[".repeat(100_000) + "\n" + &line(2), &[2], 1);
}

#[test]
fn a_line_glued_to_the_remains_of_another_is_found() {
    check([&[0; 4096], line(1).as_bytes()].concat(), &[1], 1);
    check(line(1)[..40].to_owned() + &line(2), &[2], 1);
    check([line(1).as_bytes(), &[0; 100], b"\n", line(2).as_bytes()].concat(), &[1, 2], 1);
    let nested = line(3).replace("\"n\"", "\"args\":{\"ts\":\"x\",\"d\":{\"ts\":\"y\"}},\"n\"");
    check("torn".to_owned() + &nested, &[3], 1);
}

#[test]
fn a_last_line_without_an_end_is_read_if_it_is_whole() {
    check(line(1) + line(2).trim_end(), &[1, 2], 0);
}

#[test]
fn a_log_torn_at_any_byte_loses_only_what_was_torn() {
    let whole = line(1) + &line(2) + &line(3);
    let second = line(1).len();
    let third = second + line(2).len();
    for cut in second..whole.len() {
        let rig = Rig::new();
        rig.write("candor.log", &whole[..cut]);
        rig.run(|| note(9));
        let (found, skipped) = read(&rig, Query::default());
        // The newline is not needed for a line to be whole, and a cut at a line's end damages nothing.
        let expect: &[u64] = match cut {
            cut if cut >= third + line(3).len() - 1 => &[1, 2, 3],
            cut if cut >= third - 1 => &[1, 2],
            _ => &[1],
        };
        assert_eq!(numbers(&found), expect, "cut at {cut}");
        assert_eq!(found.last().unwrap().event, "session_compacted");
        let clean = [second, third - 1, third, whole.len() - 1].contains(&cut);
        assert_eq!(skipped.damaged, u64::from(!clean), "cut at {cut}");
    }
}

#[test]
fn overlong_lines_are_skipped_and_counted() {
    let rig = Rig::new();
    rig.write("candor.log", line(1) + &"x".repeat(9 << 20) + "\n" + &line(2) + &"\0".repeat(5 << 20));
    let mut found = entries(&rig.path(), Query::default()).unwrap();
    let read: Vec<_> = found.by_ref().map(Result::unwrap).collect();
    assert_eq!(numbers(&read), [1, 2]);
    assert_eq!(found.skipped(), Skipped { damaged: 0, too_long: 2 });
    assert!(matches!(found.damage(), Some(Error::Damaged { count: 2, .. })));
}

#[derive(Debug, Clone)]
enum Piece {
    Good,
    Noise(Vec<u8>),
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_are_read_and_every_good_line_is_found(pieces in prop::collection::vec(
        prop_oneof![
            Just(Piece::Good),
            prop::collection::vec(any::<u8>(), 0..200).prop_map(Piece::Noise),
            prop::collection::vec(Just(0_u8), 0..5000).prop_map(Piece::Noise),
            "(\\{\"ts\":\"|\"|\\}|\n|x)*".prop_map(|text: String| Piece::Noise(text.into_bytes())),
        ],
        0..20,
    )) {
        let mut bytes = Vec::new();
        let mut expect = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Good => {
                    let number = expect.len() as u64;
                    bytes.extend_from_slice(line(number).as_bytes());
                    expect.push(number);
                }
                Piece::Noise(noise) => bytes.extend(noise),
            }
        }
        let rig = Rig::new();
        rig.write("candor.log", &bytes);
        let (found, _) = read(&rig, Query::default());
        prop_assert_eq!(numbers(&found), expect);
    }
}

#[test]
fn archives_come_before_the_live_file_in_the_order_of_their_days() {
    let rig = Rig::new();
    let names = [
        "candor.2025-02-09.log",
        "candor.2025-02-10.log",
        "candor.2025-02-10.2.log",
        "candor.2025-02-10.10.log",
        "candor.log",
    ];
    for (number, name) in names.iter().enumerate().rev() {
        rig.write(name, line(number as u64));
    }
    rig.write("candor.log.bak", line(100));
    let found: Vec<_> = files(&rig.path()).unwrap();
    let found: Vec<_> = found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(found, names);
    assert_eq!(numbers(&read(&rig, Query::default()).0), [0, 1, 2, 3, 4]);
}

#[test]
fn a_log_that_is_not_there_is_an_error_of_its_own() {
    let rig = Rig::new();
    for path in [rig.path(), rig.directory().join("none/candor.log")] {
        assert!(
            matches!(entries(&path, Query::default()), Err(Error::NotFound { path: named }) if named == path)
        );
        assert!(matches!(files(&path), Err(Error::NotFound { .. })));
    }
    rig.write("candor.2025-02-10.log", line(1));
    assert_eq!(numbers(&read(&rig, Query::default()).0), [1], "archives alone are a log");
    assert!(matches!(entries(rig.directory(), Query::default()), Err(Error::Read { .. })));
}

/// Checks which of four entries a query finds.
#[track_caller]
fn check_query(query: Query, expect: &[u64]) {
    let rig = Rig::new();
    let text = [
        "{\"ts\":\"2025-02-10T23:59:59.999Z\",\"level\":\"error\",\"module\":\"m\",\"event\":\"a\",\"n\":1}",
        "{\"ts\":\"2025-02-11T00:00:00.000Z\",\"level\":\"warn\",\"module\":\"m\",\"event\":\"b\",\"sessionId\":\"s-12\",\"n\":2}",
        "{\"ts\":\"2025-02-11T10:00:00.000Z\",\"level\":\"info\",\"module\":\"m\",\"event\":\"a\",\"sessionId\":\"s-1\",\"n\":3}",
        "{\"ts\":\"2025-02-11T11:00:00.000Z\",\"level\":\"debug\",\"module\":\"m\",\"event\":\"b\",\"sessionId\":3,\"n\":4}",
    ];
    rig.write("candor.log", text.join("\n"));
    assert_eq!(numbers(&read(&rig, query).0), expect);
}

#[test]
fn a_query_finds_what_it_names() {
    check_query(Query::default(), &[1, 2, 3, 4]);
    check_query(Query { level: Some(Level::Warn), ..Query::default() }, &[1, 2]);
    check_query(Query { event: Some("a".to_owned()), ..Query::default() }, &[1, 3]);
    check_query(Query { session: Some("s-1".to_owned()), ..Query::default() }, &[2, 3]);
    check_query(Query { session: Some("s-12".to_owned()), ..Query::default() }, &[2]);
    let midnight: Timestamp = "2025-02-11T00:00:00Z".parse().unwrap();
    check_query(Query { since: Some(midnight), ..Query::default() }, &[2, 3, 4]);
    check_query(Query { until: Some(midnight), ..Query::default() }, &[1]);
    let event = Some("a".to_owned());
    check_query(Query { since: Some(midnight), event, level: Some(Level::Info), ..Query::default() }, &[3]);
}

#[test]
fn archives_too_old_for_the_query_are_not_even_opened() {
    let rig = Rig::new();
    // A line of the wrong day in an old archive shows whether it was read.
    rig.write("candor.2025-02-01.log", line(1));
    rig.write("candor.2025-02-10.log", line(2));
    rig.write("candor.log", line(3));
    let since = Some("2025-02-11T00:00:00Z".parse().unwrap());
    assert_eq!(numbers(&read(&rig, Query { since, ..Query::default() }).0), [2, 3]);
}

#[test]
fn reading_goes_on_while_the_log_rotates() {
    let rig = Rig::new();
    let rotation = candor_log::Rotation { max_days: 0, size_bytes_max: 3000, total_bytes_max: 0 };
    let running = crate::rig::Running::start(Options { rotation, ..rig.options() });
    running.batch(|| (0..50).for_each(note));
    let mut reading = entries(&rig.path(), Query::default()).unwrap();
    assert!(reading.next().is_some());
    running.batch(|| (50..100).for_each(note));
    running.end();
    let rest: Vec<_> = reading.map(Result::unwrap).collect();
    let removed = |entry: &Entry| entry.fields["removedMessages"].as_u64().unwrap();
    let numbers: Vec<_> = rest.iter().map(removed).collect();
    let expect: Vec<_> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, expect);
    assert!(numbers.len() >= 49);
    assert!(fs::read_dir(rig.directory()).unwrap().count() > 3);
}

/// Checks the moment a text names at noon.
#[track_caller]
fn check_moment(text: &str, expect: Option<&str>) {
    let now: Timestamp = "2025-02-11T12:00:00Z".parse().unwrap();
    let moment = parse_moment(text, now);
    match expect {
        Some(expect) => assert_eq!(moment.unwrap(), expect.parse::<Timestamp>().unwrap()),
        None => assert!(matches!(moment, Err(Error::Time { .. })), "{text:?} is {moment:?}"),
    }
}

#[test]
fn moments_are_ages_dates_or_times() {
    check_moment("90s", Some("2025-02-11T11:58:30Z"));
    check_moment("10m", Some("2025-02-11T11:50:00Z"));
    check_moment("2h", Some("2025-02-11T10:00:00Z"));
    check_moment("1h30m", Some("2025-02-11T10:30:00Z"));
    check_moment(" 3d ", Some("2025-02-08T12:00:00Z"));
    check_moment("1w", Some("2025-02-04T12:00:00Z"));
    check_moment("0m", Some("2025-02-11T12:00:00Z"));
    check_moment("2025-02-10", Some("2025-02-10T00:00:00Z"));
    check_moment("2025-02-10T08:30:00", Some("2025-02-10T08:30:00Z"));
    check_moment("2025-02-10 08:30", Some("2025-02-10T08:30:00Z"));
    check_moment("2025-02-10T08:30:00Z", Some("2025-02-10T08:30:00Z"));
    check_moment("2025-02-10T08:30:00.5+02:00", Some("2025-02-10T06:30:00.5Z"));
    for wrong in
        ["", "m", "10", "10x", "-5m", "1.5h", "yesterday", "2025-02-31", "99999999999999999999d", "9999999d"]
    {
        check_moment(wrong, None);
    }
}
