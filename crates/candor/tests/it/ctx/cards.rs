//! The steps of a card, run as they are, repair what it is about.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Output};

use candor_testkit::{Home, Ran};

use super::{home, ids, run, synced};
use crate::rig::{BINARY, steps};

/// Runs a line in a shell that finds the binary, as whoever reads a card would.
#[expect(clippy::disallowed_methods, reason = "it starts the shell that a card is for")]
fn shell(home: &Home, line: &str) -> Output {
    let bin = home.tmp().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let binary = bin.join("candor");
    if !binary.exists() {
        std::os::unix::fs::symlink(BINARY, binary).unwrap();
    }
    let mut command = Command::new("sh");
    command.args(["-c", line]).env_clear().current_dir("/");
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    command.env("HOME", home.user()).env("CANDOR_HOME", home.path()).output().unwrap()
}

/// The command in a numbered line of a card; none where a person has to do something.
fn command(step: &str) -> Option<&str> {
    let step = step.split_once(". ").unwrap().1;
    let starts = ["candor ", "ls ", "mkdir ", "cat ", "test "];
    let command = step.split_once(": ")?.1;
    starts.iter().any(|start| command.starts_with(start)).then_some(command)
}

/// Runs every step of the card, then what verifies the repair, then the command that failed.
#[track_caller]
fn check_recovery(home: &Home, failing: &str, code: &str, failed: &Ran) {
    let card = &failed.stderr;
    assert!(card.contains(&format!("Error Code: {code}\n")), "{card}");
    let (_, recovery) = card.split_once("Recovery Steps:\n").unwrap();
    let commands: Vec<&str> = steps(recovery).into_iter().filter_map(command).collect();
    assert!(commands.len() >= 2, "{card}");
    for command in commands {
        let ran = shell(home, command);
        assert!(ran.status.success(), "{code}: {command}\n{}", String::from_utf8_lossy(&ran.stderr));
    }
    let (_, verify) = recovery.split_once("Verify: ").unwrap();
    let ran = shell(home, verify.trim());
    assert!(ran.status.success(), "{code}: {verify}\n{}", String::from_utf8_lossy(&ran.stderr));
    if !failing.is_empty() {
        run(home, failing).ok();
    }
}

fn provoked(home: &Home, failing: &str, code: &str) {
    let failed = run(home, failing).code(1);
    check_recovery(home, failing, code, &failed);
}

fn in_ctx(home: &Home, name: &str) -> PathBuf {
    home.workspace().join("_ctx").join(name)
}

fn prime(home: &Home) -> PathBuf {
    let entries = fs::read_dir(home.workspace().join("_ctx")).unwrap().flatten();
    let mut primes = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("prime_"));
    primes.next().unwrap().path()
}

#[test]
fn s004_segment_not_initialized() {
    for failing in ["ctx sync", "ctx search -q thing", "ctx validate", "ctx stats", "ctx refresh-prime"] {
        provoked(&home(), failing, "SEGMENT_NOT_INITIALIZED");
    }
    let home = synced();
    fs::remove_file(in_ctx(&home, "candor_config.json")).unwrap();
    provoked(&home, "ctx sync", "SEGMENT_NOT_INITIALIZED");
}

#[test]
fn s004_the_card_of_a_segment_that_is_not_initialized_is_that_of_the_seed() {
    let home = home();
    let ran = run(&home, "ctx sync").code(1);
    let path = home.workspace().canonicalize().unwrap().display().to_string();
    let expected = format!(
        "❌ Command Failed: candor ctx sync\n\nExit Code: 1\nError Class: Precondition\nError Code: SEGMENT_NOT_INITIALIZED\n\n\
         Cause:\nSegment directory exists but is not initialized.\nMissing: _ctx/candor_config.json\n\nRecovery Steps:\n\
         1. Run: candor ctx create -s {path}\n2. Verify prime file was created: ls {path}/_ctx/prime_*.md\n\
         3. Run: candor ctx sync -s {path}\n\nVerify: candor ctx validate -s {path}\n"
    );
    assert_eq!(ran.stderr, expected);
}

#[test]
fn s004_prime_file_not_found() {
    let home = synced();
    let id = ids(&home, "README.md").remove(0);
    for failing in ["ctx sync", "ctx search -q thing", "ctx stats", &format!("ctx get --ids {id}")] {
        fs::remove_file(prime(&home)).unwrap();
        let ran = run(&home, failing).code(1).stderr_has("Error Class: Runtime");
        assert!(
            ran.stderr.contains("Expected prime file not found: _ctx/prime_workspace_"),
            "{}",
            ran.stderr
        );
        provoked(&home, failing, "PRIME_FILE_NOT_FOUND");
    }
}

#[test]
fn segment_config_invalid() {
    for text in ["", "{", "{\"name\": \"foreign\"}", "{\"schema_version\":9}"] {
        let home = synced();
        fs::write(in_ctx(&home, "candor_config.json"), text).unwrap();
        provoked(&home, "ctx sync", "SEGMENT_CONFIG_INVALID");
        // And the same a second time.
        fs::write(in_ctx(&home, "candor_config.json"), text).unwrap();
        provoked(&home, "ctx search -q thing", "SEGMENT_CONFIG_INVALID");
    }
}

#[test]
fn pack_missing() {
    let home = synced();
    for failing in ["ctx search -q thing", "ctx validate", "ctx stats"] {
        fs::remove_file(in_ctx(&home, "context_pack.json")).unwrap();
        provoked(&home, failing, "PACK_MISSING");
    }
}

#[test]
fn pack_damaged() {
    let home = synced();
    for text in ["", "{", "[]", "{\"chunks\": []}"] {
        for failing in ["ctx search -q thing", "ctx validate", "ctx stats"] {
            fs::write(in_ctx(&home, "context_pack.json"), text).unwrap();
            provoked(&home, failing, "PACK_DAMAGED");
        }
    }
    fs::write(in_ctx(&home, "index.db"), "no database").unwrap();
    provoked(&home, "ctx validate", "PACK_DAMAGED");
}

#[test]
fn pack_stale() {
    let home = synced();
    home.write_in_workspace("README.md", "# Another Thing\n");
    provoked(&home, "ctx validate", "PACK_STALE");
    let id = ids(&home, "README.md").remove(0);
    home.write_in_workspace("README.md", "# A third Thing\n");
    let failed = run(&home, &format!("ctx get --ids {id}")).code(1);
    // What was asked for is gone; the repair is a pack in which it has another id.
    check_recovery(&home, "", "PACK_STALE", &failed);
}

#[test]
fn pack_empty() {
    let home = Home::new();
    run(&home, "ctx create").ok();
    fs::write(prime(&home), "\n").unwrap();
    provoked(&home, "ctx sync", "PACK_EMPTY");
}

#[test]
fn unknown_id() {
    let home = synced();
    let failed = run(&home, "ctx get --ids prime:abc").code(1);
    assert!(
        failed.stderr.contains("no chunk prime:abc") && failed.stderr.contains("Nearest: prime:"),
        "{}",
        failed.stderr
    );
    check_recovery(&home, "", "UNKNOWN_ID", &failed);
}

#[test]
fn invalid_segment_path() {
    let home = home();
    let failed = run(&home, "ctx create -s not/there").code(1);
    check_recovery(&home, "ctx create -s not/there", "INVALID_SEGMENT_PATH", &failed);
    for line in ["ctx sync -s README.md", "ctx create -s /"] {
        let ran = run(&home, line).code(1);
        assert!(ran.stderr.contains("INVALID_SEGMENT_PATH"), "{ran}");
        assert!(!ran.stderr.contains("mkdir") && !ran.stderr.contains("Verify:"), "nothing to make: {ran}");
    }
    // What stands where `_ctx` belongs is moved away, and then there is a segment.
    fs::write(home.workspace().join("_ctx"), "mine").unwrap();
    let ran = run(&home, "ctx create").code(1);
    assert!(ran.stderr.contains("INVALID_SEGMENT_PATH") && !ran.stderr.contains("mkdir"), "{ran}");
    let (_, moving) = ran.stderr.split_once("so that a folder can be made in its place: ").unwrap();
    assert!(shell(&home, moving.lines().next().unwrap()).status.success(), "{ran}");
    run(&home, "ctx create").ok();
    assert_eq!(fs::read_to_string(home.workspace().join("_ctx.old")).unwrap(), "mine");
}

#[test]
fn segment_locked() {
    let home = synced();
    let lock = File::options().read(true).write(true).open(in_ctx(&home, "lock")).unwrap();
    lock.lock().unwrap();
    let failed = run(&home, "ctx sync --wait 0").code(1);
    drop(lock);
    check_recovery(&home, "ctx sync --wait 0", "SEGMENT_LOCKED", &failed);
}

#[test]
fn steps_for_a_path_with_blanks_and_quotes_work_too() {
    let home = Home::new();
    let folder = home.workspace().join("it's a \"$HOME\" project");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("README.md"), "# The Thing\n").unwrap();
    let sync = || crate::rig::candor(&home, "ctx sync").current_dir(&folder).run();
    let failed = sync().code(1);
    check_recovery(&home, "", "SEGMENT_NOT_INITIALIZED", &failed);
    sync().ok();
}
