//! A configuration that is edited while it is in force.

use std::fs;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use candor_config::{Error, Loaded, Reload, Watch};

use crate::case::Case;

/// Far longer than a change takes to be noticed; reached only when it is never noticed.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a test wants to know of a reload.
#[derive(Debug, PartialEq)]
enum Seen {
    Changed(Vec<&'static str>),
    Failed,
}

fn start(case: &Case) -> (Watch, Receiver<Seen>) {
    let (sender, seen) = mpsc::channel();
    let watch = Watch::start(case.request(), case.load(), move |reload| {
        let what = match reload {
            Reload::Changed { sections, .. } => Seen::Changed(sections.clone()),
            Reload::Failed(Error::Invalid { .. } | Error::Syntax(_)) => Seen::Failed,
            Reload::Failed(other) => panic!("{other}"),
        };
        sender.send(what).expect("the test listens");
    });
    (watch.expect("watches"), seen)
}

#[track_caller]
fn next(seen: &Receiver<Seen>) -> Seen {
    seen.recv_timeout(PATIENCE).expect("a reload was to be seen")
}

fn model(loaded: &Loaded) -> Option<&str> {
    loaded.config.model.as_deref()
}

/// Replaces a file in one step, as editors do.
fn replace(case: &Case, text: &str) {
    let new = case.home.write("config.toml.new", text);
    fs::rename(new, case.home.path().join("config.toml")).expect("renamed");
}

#[test]
fn s17_8_a_reload_validates_first_and_keeps_the_last_good() {
    let case = Case::toml("model = \"one\"\n");
    let (watch, seen) = start(&case);
    replace(&case, "model = \"two\"\n[retry]\nmax_retries = 9\n");
    assert_eq!(next(&seen), Seen::Changed(vec!["model", "retry"]));
    assert_eq!(model(&watch.current()), Some("two"));
    replace(&case, "model = 3\n");
    assert_eq!(next(&seen), Seen::Failed);
    assert_eq!(model(&watch.current()), Some("two"), "a bad edit changes nothing");
    replace(&case, "model = \"two\"\n[retry]\nmax_retries = 9\n");
    assert_eq!(next(&seen), Seen::Changed(vec![]), "the way back is told, too");
}

#[test]
fn a_file_written_in_place_and_one_that_appears_are_seen() {
    let case = Case::new();
    let (watch, seen) = start(&case);
    case.home.write("config.yaml", "model: one\n");
    assert_eq!(next(&seen), Seen::Changed(vec!["model"]));
    case.home.write("config.yaml", "model: two\n");
    assert_eq!(next(&seen), Seen::Changed(vec!["model"]));
    assert_eq!(model(&watch.current()), Some("two"));
    fs::remove_file(case.home.path().join("config.yaml")).expect("removed");
    assert_eq!(next(&seen), Seen::Changed(vec!["model"]));
    assert_eq!(model(&watch.current()), None);
}

#[test]
fn a_workspace_that_gets_its_first_config_is_seen() {
    let case = Case::new();
    let (watch, seen) = start(&case);
    case.home.write_in_workspace(".candor/config.toml", "model = \"here\"\n");
    assert_eq!(next(&seen), Seen::Changed(vec!["model"]));
    case.home.write_in_workspace(".candor/config.toml", "model = \"there\"\n");
    assert_eq!(next(&seen), Seen::Changed(vec!["model"]));
    assert_eq!(model(&watch.current()), Some("there"));
}

#[test]
fn a_mounted_volume_that_swaps_its_links_is_seen() {
    let case = Case::new()
        .with("..first/config.toml", "model = \"one\"\n")
        .with("..second/config.toml", "model = \"two\"\n");
    let home = case.home.path();
    let link = |from: &str, to: &str| std::os::unix::fs::symlink(from, home.join(to)).expect("linked");
    link("..first", "..data");
    link("..data/config.toml", "config.toml");
    let (watch, seen) = start(&case);
    assert_eq!(model(&watch.current()), Some("one"));
    link("..second", "..data.new");
    fs::rename(home.join("..data.new"), home.join("..data")).expect("swapped");
    assert_eq!(next(&seen), Seen::Changed(vec!["model"]));
    assert_eq!(model(&watch.current()), Some("two"));
}

#[test]
fn other_files_and_empty_touches_are_no_news() {
    let case = Case::toml("model = \"one\"\n");
    let (_watch, seen) = start(&case);
    case.home.write("candor.db", "x");
    case.home.write("config.toml", "model = \"one\"\n");
    // A report would come once the edits have settled, in about a tenth of a second.
    assert!(seen.recv_timeout(Duration::from_secs(1)).is_err());
    replace(&case, "model = \"two\"\n");
    assert_eq!(next(&seen), Seen::Changed(vec!["model"]));
}
