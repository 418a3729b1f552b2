//! When a new file begins, what the old one is called, and when it goes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use candor_log::{Options, Rotation};

use crate::rig::{Rig, Running, lines_of, note, notes};

fn rotation(max_days: u32, size_bytes_max: u64, total_bytes_max: u64) -> Rotation {
    Rotation { max_days, size_bytes_max, total_bytes_max }
}

fn start(rig: &Rig, rotation: Rotation) -> Running {
    Running::start(Options { rotation, ..rig.options() })
}

/// Checks which files are there and which notes each of them holds.
#[track_caller]
fn check(rig: &Rig, expect: &[(&str, &[u64])]) {
    let found: Vec<_> =
        rig.names().into_iter().map(|name| (notes(&lines_of(&rig.directory().join(&name))), name)).collect();
    let found: Vec<_> = found.iter().map(|(notes, name)| (name.as_str(), notes.as_slice())).collect();
    assert_eq!(found, expect);
}

/// The length of one note.
fn note_bytes() -> u64 {
    let rig = Rig::new();
    rig.run(|| note(1));
    rig.text().len() as u64
}

#[test]
fn s14_9_a_new_day_begins_a_new_file_named_after_the_old_day() {
    let rig = Rig::new();
    let running = rig.start();
    running.batch(|| note(1));
    rig.hands.set("2025-02-12T00:00:00Z");
    running.batch(|| note(2));
    running.batch(|| note(3));
    // Three quiet days: the archive has the day of its lines, not the day before the rotation.
    rig.hands.set("2025-02-15T08:00:00Z");
    running.batch(|| note(4));
    running.end();
    check(&rig, &[("candor.2025-02-11.log", &[1]), ("candor.2025-02-12.log", &[2, 3]), ("candor.log", &[4])]);
}

#[test]
fn s14_9_lines_of_two_days_in_one_batch_go_to_two_files() {
    let rig = Rig::new();
    let gate = crate::overload::Gate::new();
    let running = Running::start(Options { mirror: gate.mirror(), ..rig.options() });
    running.scope(|| {
        note(1);
        gate.wait_until_closed();
        note(2);
        rig.hands.set("2025-02-12T00:00:00.001Z");
        note(3);
        rig.hands.set("2025-02-13T00:00:00.001Z");
        note(4);
        note(5);
        gate.open();
    });
    running.end();
    check(
        &rig,
        &[("candor.2025-02-11.log", &[1, 2]), ("candor.2025-02-12.log", &[3]), ("candor.log", &[4, 5])],
    );
}

#[test]
fn s14_9_a_clock_that_goes_back_archives_nothing() {
    let rig = Rig::new();
    let running = rig.start();
    running.batch(|| note(1));
    rig.hands.set("2025-02-10T23:00:00Z");
    running.batch(|| note(2));
    running.end();
    check(&rig, &[("candor.log", &[1, 2])]);
}

#[test]
fn s14_9_a_full_file_is_archived_before_it_grows_past_the_limit() {
    let rig = Rig::new();
    let running = start(&rig, rotation(0, 2 * note_bytes(), 0));
    running.batch(|| (1..=7).for_each(note));
    running.end();
    check(
        &rig,
        &[
            ("candor.2025-02-11.1.log", &[3, 4]),
            ("candor.2025-02-11.2.log", &[5, 6]),
            ("candor.2025-02-11.log", &[1, 2]),
            ("candor.log", &[7]),
        ],
    );
}

#[test]
fn s14_9_a_line_longer_than_the_limit_gets_a_file_of_its_own() {
    let rig = Rig::new();
    let running = start(&rig, rotation(0, 10, 0));
    running.batch(|| (1..=2).for_each(note));
    running.end();
    check(&rig, &[("candor.2025-02-11.log", &[1]), ("candor.log", &[2])]);
}

#[test]
fn s14_9_day_and_size_work_together() {
    let rig = Rig::new();
    let running = start(&rig, rotation(0, 2 * note_bytes(), 0));
    running.batch(|| (1..=3).for_each(note));
    rig.hands.set("2025-02-12T12:00:00Z");
    running.batch(|| (4..=6).for_each(note));
    running.end();
    check(
        &rig,
        &[
            ("candor.2025-02-11.1.log", &[3]),
            ("candor.2025-02-11.log", &[1, 2]),
            ("candor.2025-02-12.log", &[4, 5]),
            ("candor.log", &[6]),
        ],
    );
}

#[test]
fn s14_9_a_restart_past_midnight_rotates() {
    let rig = Rig::new();
    rig.run(|| note(1));
    rig.hands.set("2025-02-12T00:00:01Z");
    rig.run(|| note(2));
    check(&rig, &[("candor.2025-02-11.log", &[1]), ("candor.log", &[2])]);
}

#[test]
fn s14_9_a_restart_on_the_same_day_goes_on_in_the_same_file() {
    let rig = Rig::new();
    rig.run(|| note(1));
    rig.hands.set("2025-02-11T23:59:59.999Z");
    rig.run(|| note(2));
    check(&rig, &[("candor.log", &[1, 2])]);
}

#[test]
fn s14_9_a_file_that_names_no_day_has_the_day_it_was_last_written() {
    let rig = Rig::new();
    rig.write("candor.log", "not of ours\n");
    let file = fs::File::options().append(true).open(rig.path()).unwrap();
    let day: u64 = 1_738_540_800; // 2025-02-03
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(day)).unwrap();
    rig.run(|| note(1));
    assert_eq!(rig.names(), ["candor.2025-02-03.log", "candor.log"]);
    assert_eq!(notes(&rig.lines()), [1]);
}

#[test]
fn s14_9_an_archive_is_never_overwritten() {
    let rig = Rig::new();
    rig.write("candor.2025-02-11.log", "mine\n");
    rig.write("candor.2025-02-11.4.log", "mine too\n");
    fs::create_dir(rig.directory().join("candor.2025-02-11.5.log")).unwrap();
    let running = rig.start();
    running.batch(|| note(1));
    rig.hands.set("2025-02-12T12:00:00Z");
    running.batch(|| note(2));
    running.end();
    let read = |name: &str| fs::read_to_string(rig.directory().join(name)).unwrap();
    assert_eq!(read("candor.2025-02-11.log"), "mine\n");
    assert_eq!(read("candor.2025-02-11.4.log"), "mine too\n");
    assert_eq!(notes(&lines_of(&rig.directory().join("candor.2025-02-11.6.log"))), [1]);
}

#[test]
fn archives_go_when_their_day_is_too_long_ago() {
    let rig = Rig::new();
    for day in ["2025-01-11", "2025-01-12", "2025-02-10"] {
        rig.write(&format!("candor.{day}.log"), "x\n");
        rig.write(&format!("candor.{day}.1.log"), "x\n");
    }
    let running = start(&rig, rotation(30, 0, 0));
    running.batch(|| note(1));
    running.end();
    assert_eq!(
        rig.names(),
        [
            "candor.2025-01-12.1.log",
            "candor.2025-01-12.log",
            "candor.2025-02-10.1.log",
            "candor.2025-02-10.log",
            "candor.log"
        ]
    );
}

#[test]
fn archives_go_oldest_first_when_all_together_are_too_large() {
    let rig = Rig::new();
    for name in ["2025-02-08", "2025-02-09", "2025-02-09.1", "2025-02-09.10", "2025-02-10"] {
        rig.write(&format!("candor.{name}.log"), "x".repeat(1000));
    }
    let running = start(&rig, rotation(0, 0, 2500));
    running.batch(|| note(1));
    running.end();
    // At the start the live file is empty, so two archives of 1000 bytes fit.
    assert_eq!(rig.names(), ["candor.2025-02-09.10.log", "candor.2025-02-10.log", "candor.log"]);
}

#[test]
fn retention_works_again_at_each_rotation_and_spares_the_live_file() {
    let rig = Rig::new();
    let running = start(&rig, rotation(0, 2 * note_bytes(), 3 * note_bytes()));
    running.batch(|| (1..=9).for_each(note));
    running.end();
    check(&rig, &[("candor.2025-02-11.3.log", &[7, 8]), ("candor.log", &[9])]);
    let tiny = Rig::new();
    let running = start(&tiny, rotation(1, note_bytes(), 1));
    running.batch(|| (1..=3).for_each(note));
    running.end();
    check(&tiny, &[("candor.log", &[3])]);
}

#[test]
fn zero_means_no_limit() {
    let rig = Rig::new();
    rig.write("candor.1999-12-31.log", "x\n".repeat(1000));
    let running = start(&rig, rotation(0, 0, 0));
    running.batch(|| (1..=1000).for_each(note));
    running.end();
    assert_eq!(rig.names(), ["candor.1999-12-31.log", "candor.log"]);
    assert_eq!(notes(&rig.lines()).len(), 1000);
}

#[test]
fn only_files_named_exactly_like_an_archive_are_ever_removed() {
    let rig = Rig::new();
    let foreign = [
        "candor.log.1",
        "candor.log.2020-01-01",
        "candor.2020-01-01.log.gz",
        "candor.2020-01-01.log~",
        "candor.2020-13-01.log",
        "candor.2020-1-1.log",
        "candor.2020-01-01.01.log",
        "candor.2020-01-01.0.log",
        "candor.2020-01-01.x.log",
        "candor.2020-01-01.-1.log",
        "candor.2020-01-01..log",
        "candor.2020-01-01",
        "candorx.2020-01-01.log",
        "other.2020-01-01.log",
        "2020-01-01.log",
        "candor.20200101.log",
    ];
    for name in foreign {
        rig.write(name, "precious\n".repeat(100));
    }
    fs::create_dir(rig.directory().join("candor.2020-01-02.log")).unwrap();
    rig.write("target", "precious\n");
    std::os::unix::fs::symlink("target", rig.directory().join("candor.2020-01-03.log")).unwrap();
    let mut expected = rig.names();
    rig.write("candor.2020-01-04.log", "old\n");
    let running = start(&rig, rotation(1, 0, 1));
    running.batch(|| note(1));
    running.end();
    expected.push("candor.log".to_owned());
    expected.sort();
    assert_eq!(rig.names(), expected);
}

#[test]
fn files_are_for_their_owner_only() {
    let rig = Rig::new();
    let path = rig.directory().join("deep/er/candor.log");
    let running = Running::start(Options { file: path.clone(), ..rig.options() });
    running.batch(|| note(1));
    rig.hands.set("2025-02-12T12:00:00Z");
    running.batch(|| note(2));
    running.end();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&path.with_file_name("candor.2025-02-11.log")), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(path.parent().unwrap().parent().unwrap()), 0o700);
}

#[test]
fn an_existing_file_that_others_may_read_is_tightened() {
    let rig = Rig::new();
    rig.write("candor.log", "");
    fs::set_permissions(rig.path(), fs::Permissions::from_mode(0o664)).unwrap();
    rig.run(|| note(1));
    assert_eq!(fs::metadata(rig.path()).unwrap().permissions().mode() & 0o7777, 0o600);
}

#[test]
fn a_file_without_an_extension_rotates_too() {
    let rig = Rig::new();
    let running = Running::start(Options { file: rig.directory().join("journal"), ..rig.options() });
    running.batch(|| note(1));
    rig.hands.set("2025-02-12T12:00:00Z");
    running.batch(|| note(2));
    running.end();
    check(&rig, &[("journal", &[2]), ("journal.2025-02-11", &[1])]);
}
