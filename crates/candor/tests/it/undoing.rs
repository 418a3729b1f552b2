//! `candor sessions diff` and `undo`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use candor_testkit::{Gate, Reply};
use serde_json::json;

use crate::cards_in_runs::{fake, shell};
use crate::rig::{ask, candor, home_of};

#[test]
fn what_a_run_made_is_not_taken_away_under_it() {
    let fake = fake();
    let home = home_of(&fake);
    let gate = Gate::new();
    fake.push(Reply::calls([("file_write", json!({ "path": "made", "content": "x" }))]));
    fake.push(Reply::text("Done.").gate(&gate));
    let running = ask(&home, &["--no-verify", "Make it"]).spawn();
    gate.wait_reached();
    for line in ["sessions undo last", "sessions undo last --force"] {
        candor(&home, line).run().code(4).stderr_has("SESSION_BUSY");
    }
    assert!(home.workspace().join("made").exists());
    candor(&home, "sessions diff last").run().ok().stdout_has("+++ b/made");
    gate.open();
    running.finish().ok();
    candor(&home, "sessions undo last").run().ok().stdout_has("removed ");
    assert!(!home.workspace().join("made").exists());
}

/// What nobody looks at before and after a command can have been changed by any.
#[test]
fn that_not_all_is_watched_is_told_where_a_command_ran() {
    const UNWATCHED: &str = "in files that git ignores, or outside of the workspace, is not watched";
    let fake = fake();
    let home = home_of(&fake);
    home.write_in_workspace(".gitignore", ".env\n");
    home.write_in_workspace(".env", "before\n");
    fake.push(Reply::calls([("file_write", json!({ "path": "made", "content": "x" }))]));
    fake.push(shell("sudo -n true"));
    fake.push(Reply::text("Done."));
    ask(&home, &["--no-verify", "Make it"]).run();
    for line in ["sessions diff last", "sessions undo last"] {
        let ran = candor(&home, line).run().ok();
        assert!(!ran.stderr.contains(UNWATCHED), "{ran}");
    }
    fake.push(shell("echo x > .env"));
    fake.push(Reply::text("Done."));
    ask(&home, &["--no-verify", "Change it"]).run().ok();
    candor(&home, "sessions diff last").run().ok().stderr_has(UNWATCHED);
    candor(&home, "sessions undo last").run().ok().stderr_has(UNWATCHED);
    assert_eq!(fs::read_to_string(home.workspace().join(".env")).expect("a file"), "x\n");
}

#[test]
fn a_second_undo_says_that_nothing_is_left_to_take_back() {
    let fake = fake();
    let home = home_of(&fake);
    let path = |name: &str| home.workspace().join(name);
    fs::write(path("old"), "before\n").expect("a file");
    fs::set_permissions(path("old"), fs::Permissions::from_mode(0o644)).expect("a mode");
    symlink("old", path("link")).expect("a link");
    for content in ["1\n", "2\n"] {
        fake.push(Reply::calls([("file_write", json!({ "path": "old", "content": content }))]));
    }
    fake.push(shell("ln -sfn elsewhere link; chmod 600 old"));
    fake.push(Reply::text("Done."));
    ask(&home, &["--no-verify", "Change it"]).run().ok();
    let diff = candor(&home, "sessions diff last").run().ok();
    for part in ["diff --git a/old b/old\nold mode 100644\nnew mode 100600\n", "-old\n", "+elsewhere\n"] {
        assert!(diff.stdout.contains(part), "{diff}");
    }
    let ran = candor(&home, "sessions undo last").run().ok();
    assert_eq!(ran.stdout.matches("restored ").count(), 2, "{ran}");
    assert_eq!(fs::read_link(path("link")).expect("a link"), Path::new("old"));
    let ran = candor(&home, "sessions undo last").run().ok().stderr_has("nothing is left to take back");
    assert_eq!(ran.stdout, "");
}
