//! Log files while they are written, by real files.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use candor_verify::found::{LogFindings, LogSource};
use candor_verify::logs::{LogRules, Watch};
use tempfile::TempDir;

fn watch(root: &Path, globs: &[&str]) -> Watch {
    let globs: Vec<String> = globs.iter().map(|&glob| glob.to_owned()).collect();
    Watch::begin(root, &globs, Arc::new(LogRules::default()), LogSource::ProjectLog)
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("logs")).expect("a folder in it");
    folder
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(path).expect("a log");
    file.write_all(text.as_bytes()).expect("a line");
}

fn messages(findings: &[LogFindings]) -> Vec<&str> {
    findings.iter().flat_map(|found| &found.entries).map(|entry| entry.message.as_str()).collect()
}

fn drained(watch: &mut Watch) {
    while watch.poll() {}
}

#[test]
fn what_was_there_before_is_not_read() {
    let folder = folder();
    let log = folder.path().join("logs/app.log");
    append(&log, "ERROR old\n");
    let mut watch = watch(folder.path(), &["logs/*.log"]);
    append(&log, "INFO fine\nERROR new\n");
    drained(&mut watch);
    let findings = watch.finish().findings;
    assert_eq!(messages(&findings), ["ERROR new"]);
    let entry = &findings[0].entries[0];
    assert_eq!(
        (entry.file.as_str(), entry.offset, entry.source),
        ("logs/app.log", 20, LogSource::ProjectLog)
    );
    assert_eq!((findings[0].range.from, findings[0].range.to), (10, 30));
}

#[test]
fn a_file_that_appears_is_read_from_its_first_byte() {
    let folder = folder();
    let watch = watch(folder.path(), &["logs/*.log", "nothing/**/*.log"]);
    append(&folder.path().join("logs/late.log"), "ERROR one\n");
    append(&folder.path().join("logs/other.txt"), "ERROR two\n");
    assert_eq!(messages(&watch.finish().findings), ["ERROR one"]);
}

#[test]
fn a_file_that_was_cut_is_read_from_its_first_byte() {
    let folder = folder();
    let log = folder.path().join("logs/app.log");
    append(&log, "INFO a long first line, written before\n");
    let mut watch = watch(folder.path(), &["logs/*.log"]);
    append(&log, "ERROR one\n");
    drained(&mut watch);
    fs::write(&log, "ERROR two\n").expect("a shorter log");
    drained(&mut watch);
    assert_eq!(messages(&watch.finish().findings), ["ERROR one", "ERROR two"]);
}

#[test]
fn a_file_that_was_cut_and_is_longer_now_is_read_from_its_first_byte() {
    let folder = folder();
    let log = folder.path().join("logs/app.log");
    append(&log, "INFO before\n");
    let mut watch = watch(folder.path(), &["logs/*.log"]);
    fs::write(&log, format!("ERROR two\n{}", "INFO fine\n".repeat(100))).expect("a longer log");
    drained(&mut watch);
    assert_eq!(messages(&watch.finish().findings), ["ERROR two"]);
}

#[test]
fn a_rotated_file_is_read_to_its_end() {
    let folder = folder();
    let log = folder.path().join("logs/app.log");
    let mut old = File::create(&log).expect("a log");
    let mut watch = watch(folder.path(), &["logs/app.log"]);
    old.write_all(b"ERROR one\n").expect("a line");
    fs::rename(&log, folder.path().join("logs/app.log.1")).expect("a rename");
    append(&log, "ERROR three\n");
    drained(&mut watch);
    // Whoever has it open goes on writing.
    old.write_all(b"ERROR two\n").expect("a line");
    let findings = watch.finish().findings;
    let mut found = messages(&findings);
    found.sort_unstable();
    assert_eq!(found, ["ERROR one", "ERROR three", "ERROR two"]);
}

#[test]
fn a_rotated_file_that_matches_under_its_new_name_is_not_read_twice() {
    let folder = folder();
    let log = folder.path().join("logs/app.log");
    append(&log, "ERROR old\n");
    let mut watch = watch(folder.path(), &["logs/*"]);
    append(&log, "ERROR one\n");
    drained(&mut watch);
    fs::rename(&log, folder.path().join("logs/app.log.1")).expect("a rename");
    append(&log, "ERROR two\n");
    assert_eq!(messages(&watch.finish().findings), ["ERROR one", "ERROR two"]);
}

#[test]
fn a_deleted_file_is_read_to_its_end() {
    let folder = folder();
    let log = folder.path().join("logs/app.log");
    append(&log, "INFO before\n");
    let watch = watch(folder.path(), &["logs/*.log"]);
    append(&log, "ERROR one\n");
    fs::remove_file(&log).expect("a removal");
    assert_eq!(messages(&watch.finish().findings), ["ERROR one"]);
}

#[test]
fn an_entry_over_two_polls_is_one() {
    let folder = folder();
    let log = folder.path().join("logs/app.log");
    append(&log, "");
    let mut watch = watch(folder.path(), &["logs/*.log"]);
    append(&log, "Traceback (most recent call last):\n  File \"a.py\", li");
    drained(&mut watch);
    append(&log, "ne 1, in b\nValueError: x\n");
    let findings = watch.finish().findings;
    assert_eq!(
        messages(&findings),
        ["Traceback (most recent call last):\n  File \"a.py\", line 1, in b\nValueError: x"]
    );
}

#[test]
fn links_are_followed_inside_and_not_out_of_the_folder() {
    let (folder, outside) = (folder(), tempfile::tempdir().expect("a folder"));
    let logs = folder.path().join("logs");
    fs::create_dir(folder.path().join("var")).expect("a folder");
    std::os::unix::fs::symlink(outside.path().join("out.log"), logs.join("out.log")).expect("a link");
    std::os::unix::fs::symlink("../var/in.txt", logs.join("in.log")).expect("a link");
    std::os::unix::fs::symlink(outside.path(), folder.path().join("away")).expect("a link");
    std::os::unix::fs::symlink(&logs, logs.join("loop")).expect("a link");
    let watch = watch(folder.path(), &["logs/**/*.log", "away/*.log", "../*.log", "/etc/*.log"]);
    append(&outside.path().join("out.log"), "ERROR outside\n");
    append(&folder.path().join("var/in.txt"), "ERROR inside\n");
    assert_eq!(messages(&watch.finish().findings), ["ERROR inside"]);
}

#[test]
fn a_pipe_does_not_make_it_wait() {
    let folder = folder();
    let pipe = folder.path().join("logs/pipe.log");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    let mut watch = watch(folder.path(), &["logs/*.log"]);
    drained(&mut watch);
    assert!(watch.finish().findings.is_empty());
}

#[test]
fn at_most_64_files_are_read_and_the_rest_is_told() {
    let folder = folder();
    let path = |number: usize| folder.path().join(format!("logs/{number}.log"));
    (0..100).for_each(|number| append(&path(number), "INFO before\n"));
    let watch = || self::watch(folder.path(), &["logs/*.log"]);
    assert_eq!(watch().finish().left_out, 0, "nothing was written to them yet");
    let watch = watch();
    (0..100).for_each(|number| append(&path(number), &"ERROR one\n".repeat(10)));
    let watched = watch.finish();
    assert_eq!(watched.left_out, 36);
    assert_eq!(watched.findings.iter().map(|found| found.count).sum::<u64>(), 640);
    assert_eq!(messages(&watched.findings).len(), 200);
}

#[test]
fn of_many_files_the_one_that_grows_is_read_and_what_stood_in_it_is_not() {
    let folder = folder();
    let path = |number: usize| folder.path().join(format!("logs/{number}.log"));
    (0..100).for_each(|number| append(&path(number), "ERROR old\n"));
    let watch = watch(folder.path(), &["logs/*.log"]);
    (0..100).filter(|number| number % 10 == 0).for_each(|number| append(&path(number), "ERROR new\n"));
    let watched = watch.finish();
    assert_eq!((messages(&watched.findings), watched.left_out), (vec!["ERROR new"; 10], 0));
}

#[test]
fn a_file_that_waited_and_was_written_anew_is_read_from_its_first_byte() {
    let folder = folder();
    let path = |number: usize| folder.path().join(format!("logs/{number}.log"));
    (0..100).for_each(|number| append(&path(number), "ERROR old, and a long line of it\n"));
    let watch = watch(folder.path(), &["logs/*.log"]);
    (0..100)
        .filter(|number| number % 10 == 0)
        .for_each(|number| fs::write(path(number), "ERROR new\n").expect("a log"));
    assert_eq!(messages(&watch.finish().findings), vec!["ERROR new"; 10]);
}

#[test]
fn a_rotated_file_makes_room_for_the_one_that_has_its_name() {
    let folder = folder();
    let path = |number: usize| folder.path().join(format!("logs/{number}.log"));
    (0..64).for_each(|number| append(&path(number), "INFO before\n"));
    let watch = watch(folder.path(), &["logs/*.log"]);
    append(&path(7), "ERROR one\n");
    fs::rename(path(7), folder.path().join("logs/7.old")).expect("a rename");
    append(&path(7), "ERROR two\n");
    let findings = watch.finish().findings;
    assert_eq!(messages(&findings), ["ERROR one", "ERROR two"]);
}

#[test]
fn a_file_that_is_cut_again_and_again_is_bounded() {
    let folder = folder();
    let log = folder.path().join("logs/app.log");
    append(&log, "INFO before\n");
    let mut watch = watch(folder.path(), &["logs/*.log"]);
    for number in 0..600 {
        fs::write(&log, format!("ERROR {}\n", "x".repeat(1 + number % 2))).expect("a log");
        drained(&mut watch);
    }
    let findings = watch.finish().findings;
    assert!(findings.len() <= 257, "{}", findings.len());
    assert_eq!(findings.iter().map(|found| found.count).sum::<u64>(), 600);
}

#[test]
fn much_is_read_in_parts() {
    let folder = folder();
    let log = folder.path().join("logs/app.log");
    append(&log, "");
    let mut watch = watch(folder.path(), &["logs/*.log"]);
    append(&log, &"INFO fine, nothing to see in this line at all\n".repeat(400_000));
    append(&log, "ERROR one\n");
    assert!(watch.poll(), "eighteen megabytes at once");
    drained(&mut watch);
    assert_eq!(watch.finish().findings[0].count, 1);
}
