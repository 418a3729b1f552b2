//! A disk that says no: full, broken or with a limit. Nothing is called stored that is not, and once the fault is gone
//! the session goes on.

use std::fs;
use std::path::{Path, PathBuf};

use candor_testkit::{Ran, Rng, Sweep};

use crate::durable::{FIRST, Scene, complaints};
use crate::rig::Keep;
use crate::strace::{Place, places, record};

/// What a disk may answer.
const ERRORS: [&str; 2] = ["ENOSPC", "EIO"];

/// From so many cases on, some of them must have been what they are meant to be.
const TELLING: usize = 20;

/// What is wrong with how a run with a fault ended, if anything.
fn ending(ran: &Ran, promised: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let is_done =
        promised.last().is_some_and(|line| line.contains("\"type\":\"run_end\",\"status\":\"done\""));
    if ran.stderr.contains("panicked at") {
        found.push(format!("a panic: {}", ran.stderr));
    }
    if (ran.status == 0) != is_done {
        found.push(format!("exit code {}, and the end was promised: {is_done}: {}", ran.status, ran.stderr));
    }
    if ran.status != 0 && !ran.stderr.contains("Error Code: ") {
        found.push(format!("exit code {} and no card: {}", ran.status, ran.stderr));
    }
    found
}

/// Every call on a file of the home that can fail, each with an error, once or from then on.
fn faults(seed: u64) -> (Vec<(Place, String)>, PathBuf) {
    let scene = Scene::new(&Keep::in_home());
    let places = places(&record(&scene, &[]), &scene.root());
    let home = scene.home.path();
    let in_home = places
        .into_iter()
        .filter(|(place, _)| place.file.as_ref().is_some_and(|file| Path::new(file).starts_with(&home)));
    let mut faults: Vec<(Place, String)> = Vec::new();
    for (place, count) in in_home {
        for number in 1..=count {
            for error in ERRORS {
                faults.push((place.clone(), format!("error={error}:when={number}")));
                faults.push((place.clone(), format!("error={error}:when={number}+")));
            }
        }
    }
    Rng::new(seed).shuffle(&mut faults);
    (faults, scene.root())
}

#[test]
fn sweep_disk_faults_under_strace() {
    let mut sweep = Sweep::start("disk_faults");
    let (faults, recorded_in) = faults(sweep.seed());
    let (mut found, mut failed, mut tried) = (Vec::new(), 0, 0);
    for _ in 0..faults.len() {
        if !sweep.goes_on() {
            break;
        }
        let case = sweep.case();
        let (place, fault) = &faults[usize::try_from(case).expect("a case") % faults.len()];
        let mut scene = Scene::new(&Keep::in_home());
        let mut flags = vec!["-o".to_owned(), "/dev/null".to_owned()];
        flags.extend(place.moved(&recorded_in, &scene.root()).inject(fault));
        let ran = scene.under_strace(&flags, &[FIRST]).run();
        let promised = scene.promised();
        let mut complained = ending(&ran, &promised);
        complained.extend(complaints(&mut scene, &promised));
        found.extend(
            complained.into_iter().map(|complaint| format!("case {case}, {place} {fault}: {complaint}")),
        );
        failed += usize::from(ran.status != 0);
        tried += 1;
    }
    println!("{failed} runs failed, with {tried} of {} faults", faults.len());
    assert!(tried < TELLING || failed * 3 > tried, "only {failed} of {tried} runs failed");
    assert!(found.is_empty(), "{} complaints\n{}", found.len(), found.join("\n"));
}

/// What a run by a shell line left behind.
struct Left {
    ran: Ran,
    promised: Vec<String>,
    found: Vec<String>,
}

/// Runs the first prompt by a shell line that sees `$FIRST` and `$PRINTED`, and looks at what is left. A home that the
/// line has put into `$KEPT` takes the place of the one outside.
fn run_by_shell(shell: &[&str], line: &str) -> Left {
    let mut scene = Scene::new(&Keep::in_home());
    let kept = scene.home.user().join("kept");
    let shell = scene.program(shell[0]).args(&shell[1..]).args(["-ec", line]);
    let ran = shell.env("FIRST", FIRST).env("PRINTED", scene.printed_file()).env("KEPT", &kept).run();
    if kept.exists() {
        fs::remove_dir_all(scene.home.path()).expect("removed");
        fs::rename(&kept, scene.home.path()).expect("put in its place");
    }
    let promised = scene.promised();
    let found = complaints(&mut scene, &promised);
    Left { ran, promised, found }
}

/// A disk of one mebibyte on which so much is left; what was on it is kept for the look afterwards.
#[test]
fn a_full_disk_makes_no_promise_and_the_session_goes_on_later() {
    let mut failed = 0;
    for left_kib in [8, 60, 100, 140, 180, 260, 800] {
        let line = format!(
            "cp \"$CANDOR_HOME/config.toml\" \"$HOME\"; mount -t tmpfs -o size=1m tmpfs \"$CANDOR_HOME\"; \
             cp \"$HOME/config.toml\" \"$CANDOR_HOME\"; head -c {}k /dev/zero > \"$CANDOR_HOME/ballast\"; code=0; \
             \"$CANDOR\" --json --no-verify \"$FIRST\" > \"$PRINTED\" || code=$?; rm \"$CANDOR_HOME/ballast\"; \
             cp -a \"$CANDOR_HOME\" \"$KEPT\"; exit $code",
            1024 - left_kib
        );
        let Left { ran, promised, mut found } = run_by_shell(&["unshare", "-rm", "sh"], &line);
        found.extend(ending(&ran, &promised));
        assert!(found.is_empty(), "{left_kib} KiB left:\n{}", found.join("\n"));
        failed += usize::from(ran.status != 0);
    }
    assert!((2..7).contains(&failed), "{failed} of 7 disks were full");
}

/// A limit on the length of a file: the system sends a signal first, and only where that is ignored an error.
#[test]
fn a_limit_of_file_size_makes_no_promise_and_the_session_goes_on_later() {
    let mut failed = 0;
    for blocks in [1, 60, 130, 200, 260, 320, 4000] {
        for trap in ["", "trap '' XFSZ; "] {
            let line = format!(
                "{trap}ulimit -f {blocks}; exec \"$CANDOR\" --json --no-verify \"$FIRST\" > \"$PRINTED\""
            );
            let Left { ran, promised, mut found } = run_by_shell(&["sh"], &line);
            if !trap.is_empty() {
                found.extend(ending(&ran, &promised));
            }
            assert!(found.is_empty(), "{trap}{blocks} blocks:\n{}", found.join("\n"));
            failed += usize::from(ran.status != 0);
        }
    }
    assert!((2..14).contains(&failed), "{failed} of 14 runs met their limit");
}

/// A disk that has become read-only: nothing is promised, a card says so, and the session goes on once it can be written.
#[test]
fn a_read_only_disk_makes_no_promise_and_the_session_goes_on_later() {
    let line = "cp \"$CANDOR_HOME/config.toml\" \"$HOME\"; mount -t tmpfs tmpfs \"$CANDOR_HOME\"; \
                cp \"$HOME/config.toml\" \"$CANDOR_HOME\"; \"$CANDOR\" --json --no-verify \"$FIRST\" > \"$PRINTED\"; \
                mount -o remount,ro \"$CANDOR_HOME\"; code=0; \"$CANDOR\" -c --json --no-verify again || code=$?; \
                cp -a \"$CANDOR_HOME\" \"$KEPT\"; exit $code";
    let Left { ran, promised, found } = run_by_shell(&["unshare", "-rm", "sh"], line);
    assert!(found.is_empty() && !promised.is_empty(), "{}", found.join("\n"));
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let only_error = ran.stdout.contains("\"type\":\"error\"") && ran.stdout.lines().count() == 1;
    assert!(only_error, "no word of success: {}", ran.stdout);
    assert_eq!(ran.stderr.matches("Error Code: ").count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("Read-only file system"), "{}", ran.stderr);
}
