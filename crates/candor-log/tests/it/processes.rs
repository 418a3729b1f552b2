//! Several writers on one log: as threads, and as processes.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use candor_log::{Options, Rotation};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::rig::{Hands, Heard, NOON, Rig, Running, lines_of, note, notes};

/// A child process finds here what it is to do; a test that finds none does the same by itself.
const TASK: &str = "task";

/// The task to run into a limit; every other one is the number of the first note to write.
const FILL: &str = "fill";

const NOTES: u64 = 3000;

/// Writes many small batches, with a file size that makes both writers rotate all the time.
fn scribe(directory: &Path, first: u64) {
    let rotation = Rotation { max_days: 0, size_bytes_max: 20_000, total_bytes_max: 0 };
    let running = Running::start(Options {
        rotation,
        clock: Hands::at(NOON).clock(),
        ..Options::new(directory.join("candor.log"))
    });
    for number in first..first + NOTES {
        running.scope(|| note(number));
        if number % 7 == 0 {
            running.log.flush();
        }
    }
    running.end();
}

/// Checks that every note of both writers is there once, in lines that are all whole.
#[track_caller]
fn check_both(directory: &Path) {
    let files = candor_log::read::files(&directory.join("candor.log")).unwrap();
    assert!(files.len() > 10, "they have rotated: {files:?}");
    let mut found: Vec<_> = files.iter().flat_map(|file| notes(&lines_of(file))).collect();
    found.sort_unstable();
    let expected: Vec<_> = (0..NOTES).chain(10_000..10_000 + NOTES).collect();
    assert_eq!(found, expected);
}

#[test]
fn s14_9_two_logs_in_one_process_share_a_file() {
    let rig = Rig::new();
    std::thread::scope(|scope| {
        scope.spawn(|| scribe(rig.directory(), 0));
        scope.spawn(|| scribe(rig.directory(), 10_000));
    });
    check_both(rig.directory());
}

/// Starts the test below in a process of its own, in a directory that has a task, under a limit set by the shell.
#[expect(
    clippy::disallowed_methods,
    reason = "a second process is what is tested, and it is this very program"
)]
fn child(directory: &Path, limit: &str) -> std::process::Child {
    let command = format!("trap '' XFSZ; {limit} exec \"$0\" --exact \"$1\"");
    Command::new("sh")
        .arg("-c")
        .arg(command)
        .arg(env::current_exe().unwrap())
        .arg("processes::as_a_process")
        .current_dir(directory)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// The other end of [`child`]. Without a task it is a test like any other.
#[test]
fn as_a_process() {
    match fs::read_to_string(TASK).as_deref() {
        Ok(FILL) => fill(Path::new(".")),
        Ok(first) => scribe(Path::new(".."), first.parse().unwrap()),
        Err(_) => {
            let rig = Rig::new();
            scribe(rig.directory(), 0);
            let files = candor_log::read::files(&rig.path()).unwrap();
            assert_eq!(files.iter().flat_map(|file| notes(&lines_of(file))).count() as u64, NOTES);
        }
    }
}

#[test]
fn s14_9_two_processes_share_a_file() {
    let rig = Rig::new();
    let children: Vec<_> = ["0", "10000"]
        .into_iter()
        .map(|first| {
            let own = rig.directory().join(first);
            fs::create_dir(&own).unwrap();
            fs::write(own.join(TASK), first).unwrap();
            child(&own, "")
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    check_both(rig.directory());
}

/// Writes until the file may not grow any more, in the middle of a line; then it may again.
fn fill(directory: &Path) {
    let heard = Heard::default();
    let running = Running::start(Options {
        rotation: Rotation { max_days: 0, size_bytes_max: 0, total_bytes_max: 0 },
        clock: Hands::at(NOON).clock(),
        trouble: heard.trouble(),
        ..Options::new(directory.join("candor.log"))
    });
    for number in 0..20 {
        running.batch(|| note(number));
    }
    assert_eq!(heard.codes(), ["LOG_WRITE_FAILED"]);
    let maximum = getrlimit(Resource::Fsize).maximum;
    setrlimit(Resource::Fsize, Rlimit { current: maximum, maximum }).unwrap();
    for number in 20..23 {
        running.batch(|| note(number));
    }
    running.end();
}

#[test]
fn a_write_that_was_cut_short_is_closed_counted_and_not_repeated() {
    let rig = Rig::new();
    rig.write(TASK, FILL);
    // Blocks of 512 bytes, as POSIX has it; some shells count 1024, and both end inside one of the twenty lines.
    let mut child = child(rig.directory(), "ulimit -S -f 2;");
    assert!(child.wait().unwrap().success());
    let text = rig.text();
    let (whole, torn): (Vec<_>, Vec<_>) =
        text.lines().map(serde_json::from_str::<serde_json::Value>).partition(Result::is_ok);
    let whole: Vec<_> = whole.into_iter().map(Result::unwrap).collect();
    assert_eq!(torn.len(), 1, "one line was cut short: {text}");
    let written = notes(&whole);
    let lost: Vec<_> = whole.iter().filter(|line| line["event"] == "log_dropped").collect();
    assert_eq!(lost.len(), 1, "{text}");
    let kept = written.len() as u64 - 3;
    assert_eq!(lost[0]["count"], 20 - kept);
    assert_eq!(written, (0..kept).chain(20..23).collect::<Vec<_>>());
}
