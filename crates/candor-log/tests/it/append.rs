//! The file only ever grows, and is found again when it has gone.

use std::fs::{self, OpenOptions};
use std::io::Write;

use crate::rig::{Rig, lines_of, note, notes};

#[test]
fn s12_4_what_was_written_never_changes() {
    let rig = Rig::new();
    rig.write("candor.log", "{\"half\":");
    let mut before = rig.text();
    for start in 0..3 {
        let running = rig.start();
        for number in 0..5 {
            running.batch(|| note(start * 10 + number));
            let now = rig.text();
            assert!(now.len() > before.len() && now.starts_with(&before), "{before:?} became {now:?}");
            before = now;
        }
        running.end();
        assert_eq!(rig.text(), before, "ending writes nothing");
    }
}

#[test]
fn a_torn_tail_is_closed_before_the_next_line() {
    let rig = Rig::new();
    rig.write("candor.log", "{\"ts\":\"2025-02-11T10:00:00.000Z\",\"lev");
    rig.run(|| note(1));
    let text = rig.text();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], "{\"ts\":\"2025-02-11T10:00:00.000Z\",\"lev");
    assert_eq!(notes(&[serde_json::from_str(lines[1]).unwrap()]), [1]);
}

#[test]
fn a_line_torn_by_someone_else_while_running_is_closed_too() {
    let rig = Rig::new();
    let running = rig.start();
    running.batch(|| note(1));
    OpenOptions::new().append(true).open(rig.path()).unwrap().write_all(b"{\"torn").unwrap();
    running.batch(|| note(2));
    running.batch(|| note(3));
    running.end();
    let text = rig.text();
    assert_eq!(text.lines().count(), 4);
    assert_eq!(text.lines().nth(1), Some("{\"torn"));
}

#[test]
fn a_deleted_file_is_made_again() {
    let rig = Rig::new();
    let running = rig.start();
    running.batch(|| note(1));
    fs::remove_file(rig.path()).unwrap();
    running.batch(|| note(2));
    running.batch(|| note(3));
    running.end();
    assert_eq!(notes(&rig.lines()), [2, 3]);
    assert!(rig.heard.codes().is_empty());
}

#[test]
fn a_deleted_directory_is_made_again() {
    let rig = Rig::new();
    let path = rig.directory().join("logs/candor.log");
    let running = crate::rig::Running::start(candor_log::Options { file: path.clone(), ..rig.options() });
    running.batch(|| note(1));
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    running.batch(|| note(2));
    running.end();
    assert_eq!(notes(&lines_of(&path)), [2]);
}

#[test]
fn a_replaced_file_is_used_from_then_on() {
    let rig = Rig::new();
    let running = rig.start();
    running.batch(|| note(1));
    fs::rename(rig.path(), rig.directory().join("moved")).unwrap();
    rig.write("candor.log", "");
    running.batch(|| note(2));
    running.end();
    assert_eq!(notes(&rig.lines()), [2]);
    assert_eq!(notes(&lines_of(&rig.directory().join("moved"))), [1]);
}

#[test]
fn a_truncated_file_is_written_on_from_its_new_end() {
    let rig = Rig::new();
    let running = rig.start();
    running.batch(|| (1..100).for_each(note));
    OpenOptions::new().write(true).open(rig.path()).unwrap().set_len(0).unwrap();
    running.batch(|| note(100));
    running.end();
    assert_eq!(notes(&rig.lines()), [100]);
}
