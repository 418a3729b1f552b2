//! The log in trouble: the program goes on, and is told once.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use candor_log::{Clock, Error, Mirror, Options};

use crate::rig::{NOON, Rig, Running, lines_of, note, notes};

/// Makes the log's path lead somewhere else, in one step.
fn point(rig: &Rig, target: &Path) {
    let link = rig.directory().join("link");
    symlink(target, &link).unwrap();
    fs::rename(link, rig.path()).unwrap();
}

#[test]
fn a_full_disk_is_told_once_and_the_lines_are_counted() {
    let rig = Rig::new();
    point(&rig, Path::new("/dev/full"));
    let running = rig.start();
    running.batch(|| note(1));
    running.batch(|| (2..=5).for_each(note));
    running.batch(|| note(6));
    assert_eq!(rig.heard.codes(), ["LOG_DISK_FULL"]);
    let real = rig.directory().join("real.log");
    point(&rig, &real);
    running.batch(|| note(7));
    running.batch(|| note(8));
    running.end();
    let lines = lines_of(&real);
    assert_eq!(lines[0]["event"], "log_dropped");
    assert_eq!(lines[0]["count"], 6);
    assert_eq!(notes(&lines), [7, 8]);
    assert_eq!(lines.len(), 3);
    assert_eq!(rig.heard.codes(), ["LOG_DISK_FULL"]);
}

#[test]
fn lines_lost_to_a_panic_are_counted_too() {
    let rig = Rig::new();
    point(&rig, Path::new("/dev/full"));
    let broken = Arc::new(AtomicBool::new(false));
    let clock = Clock::new({
        let broken = Arc::clone(&broken);
        move || {
            let writer = thread::current().name() == Some("candor-log");
            assert!(!(writer && broken.load(Ordering::SeqCst)), "a clock that panics");
            NOON.parse().unwrap()
        }
    });
    let running = Running::start(Options { clock, ..rig.options() });
    running.batch(|| note(1));
    broken.store(true, Ordering::SeqCst);
    running.batch(|| (2..=3).for_each(note));
    broken.store(false, Ordering::SeqCst);
    let real = rig.directory().join("real.log");
    point(&rig, &real);
    running.batch(|| note(4));
    running.end();
    let lines = lines_of(&real);
    assert_eq!(lines[0]["count"], 3);
    assert_eq!(notes(&lines), [4]);
    assert_eq!(rig.heard.codes(), ["LOG_DISK_FULL", "LOG_WRITE_FAILED"]);
}

#[test]
fn lines_lost_until_the_end_are_told_at_the_end() {
    let rig = Rig::new();
    point(&rig, Path::new("/dev/full"));
    rig.run(|| (1..=3).for_each(note));
    assert_eq!(rig.heard.codes(), ["LOG_DISK_FULL", "LOG_LINES_DROPPED"]);
}

#[test]
fn a_link_is_written_through_and_never_rotated() {
    let rig = Rig::new();
    let real = rig.directory().join("elsewhere.txt");
    point(&rig, &real);
    let running = rig.start();
    running.batch(|| note(1));
    rig.hands.set("2025-02-12T12:00:00Z");
    running.batch(|| note(2));
    running.end();
    assert_eq!(rig.names(), ["candor.log", "elsewhere.txt"]);
    assert_eq!(notes(&lines_of(&real)), [1, 2]);
}

#[test]
fn the_mode_of_a_linked_file_is_not_ours_to_change() {
    let rig = Rig::new();
    for link in [
        |from: &Path, to: &Path| std::os::unix::fs::symlink(from, to),
        |from: &Path, to: &Path| fs::hard_link(from, to),
    ] {
        let (victim, log) = (rig.directory().join("victim"), rig.path());
        fs::write(&victim, "").unwrap();
        fs::set_permissions(&victim, fs::Permissions::from_mode(0o644)).unwrap();
        link(&victim, &log).unwrap();
        rig.run(|| note(1));
        assert_eq!(fs::metadata(&victim).unwrap().permissions().mode() & 0o777, 0o644);
        fs::remove_file(&log).unwrap();
        fs::remove_file(&victim).unwrap();
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the standard library makes no pipes with names")]
fn a_pipe_is_refused_and_not_waited_for() {
    let rig = Rig::new();
    assert!(std::process::Command::new("mkfifo").arg(rig.path()).status().unwrap().success());
    let error = candor_log::start(rig.options()).map(|_| ()).unwrap_err();
    assert_eq!(error.failure().code.as_str(), "LOG_OPEN_FAILED");
    let read = candor_log::read::entries(&rig.path(), candor_log::read::Query::default());
    assert!(matches!(read, Err(candor_log::Error::Read { .. })));
}

#[test]
fn a_log_that_cannot_be_rotated_goes_on_in_the_same_file() {
    let rig = Rig::new();
    // The archive's name would be longer than a name may be.
    let file = rig.directory().join("x".repeat(250));
    let running = Running::start(Options { file: file.clone(), ..rig.options() });
    running.batch(|| note(1));
    rig.hands.set("2025-02-12T12:00:00Z");
    running.batch(|| note(2));
    running.batch(|| note(3));
    running.end();
    assert_eq!(notes(&lines_of(&file)), [1, 2, 3]);
    assert_eq!(rig.heard.codes(), ["LOG_WRITE_FAILED"]);
}

/// Checks that a path is refused as a log.
#[track_caller]
fn check_refused(file: &Path) {
    let error = candor_log::start(Options::new(file)).unwrap_err();
    assert!(matches!(&error, Error::Open { path, .. } if path == file), "{error:?}");
    assert_eq!(error.failure().fact("path"), Some(file.display().to_string().as_str()));
}

#[test]
fn a_path_that_cannot_be_a_log_is_refused_at_the_start() {
    let rig = Rig::new();
    rig.write("plain", "");
    check_refused(rig.directory());
    check_refused(&rig.directory().join("plain/candor.log"));
    check_refused(Path::new("/"));
    check_refused(Path::new(".."));
    check_refused(&rig.directory().join("x".repeat(300)));
}

struct Broken;

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::from(io::ErrorKind::BrokenPipe))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Panicking;

impl Write for Panicking {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        panic!("a mirror that panics");
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_broken_mirror_costs_no_line_and_is_told_once() {
    let mirrors: [(Box<dyn Write + Send>, &[&str]); 2] =
        [(Box::new(Broken), &["broken pipe"]), (Box::new(Panicking), &[])];
    for (mirror, reasons) in mirrors {
        let rig = Rig::new();
        let running = Running::start(Options { mirror: Mirror::To(mirror), ..rig.options() });
        running.batch(|| note(1));
        running.batch(|| note(2));
        running.end();
        let lines = rig.lines();
        assert_eq!(notes(&lines), [1, 2]);
        let ended: Vec<_> = lines.iter().filter(|line| line["event"] == "log_mirror_ended").collect();
        assert_eq!(ended.iter().map(|line| &line["reason"]).collect::<Vec<_>>(), reasons);
        assert_eq!(lines.len(), 2 + reasons.len());
        assert_eq!(rig.heard.codes(), ["LOG_WRITE_FAILED"]);
    }
}

#[test]
fn a_callback_that_panics_neither_ends_the_log_nor_spoils_its_count() {
    let rig = Rig::new();
    point(&rig, Path::new("/dev/full"));
    let trouble = candor_log::Trouble::new(|_| panic!("a callback that panics"));
    let running = Running::start(Options { trouble, ..rig.options() });
    running.batch(|| (1..=3).for_each(note));
    running.batch(|| note(4));
    let real = rig.directory().join("real.log");
    point(&rig, &real);
    running.batch(|| note(5));
    running.end();
    let lines = lines_of(&real);
    assert_eq!(lines[0]["count"], 4);
    assert_eq!(notes(&lines), [5]);
}
