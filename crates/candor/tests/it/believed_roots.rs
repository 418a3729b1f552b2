//! What the person's git believes of the very folder in which they work, where that is no repository: any folder with the right
//! files in it is one to git, whoever put them there.

use std::fs;
use std::path::Path;

use candor_testkit::{Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use crate::believed::{ALLOW_ALL, git, run_bare, run_walled};
use crate::rig::{ask, home_of, home_with};

/// What a command does; `config` is what makes a file when it is believed.
const WORDS: &str = r#"config() { printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = %s\n\tfsmonitor = "touch %s; false"\n' "$PWD" "$PWNED"; }
head() { echo 'ref: refs/heads/main' > HEAD; }
"#;

const BY_COMMAND: [(&str, &str); 6] = [
    ("shell_exec", "mkdir objects refs; head; config > config"),
    ("shell_exec", "mkdir objects refs; ln -s refs/heads/main HEAD; config > config"),
    ("shell_exec", "mkdir objects refs; printf '%040d' 0 > HEAD; config > config"),
    ("shell_exec", "touch objects refs; chmod +x objects refs; head; config > config"),
    (
        "shell_exec",
        "mkdir objects refs; head; config > evil; config | grep -v fsmonitor > config; printf '[include]\\n\\tpath = evil\\n' >> config",
    ),
    ("process", "mkdir objects refs; head; config > config; echo done; sleep 100"),
];

/// Whether the person's git makes the file, by walking into the trap.
fn is_a_trap(home: &Home, pwned: &Path) -> bool {
    git(home, &["status"]);
    pwned.exists()
}

#[test]
fn a_command_makes_no_repository_of_the_folder_in_which_a_person_works() {
    for (tool, way) in BY_COMMAND {
        let fake = FakeLlm::start(Dialect::OpenaiChat);
        let home = home_with(&fake, ALLOW_ALL);
        let pwned = home.user().join("pwned");
        let said = run_walled(&home, &fake, tool, &format!("{WORDS} {way}"), &pwned);
        assert!(
            home.workspace().join("config").exists() || home.workspace().join("evil").exists(),
            "{way}: {said}"
        );
        assert!(!is_a_trap(&home, &pwned), "{way}: {said}");
        assert!(home.workspace().join("HEAD.set-aside").symlink_metadata().is_ok(), "{way}");
        assert!(tool == "process" || said.matches("`HEAD` was set aside as").count() == 2, "{way}: {said}");
    }
}

#[test]
fn the_traps_of_commands_work() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    for (_, way) in BY_COMMAND {
        let home = home_with(&fake, "");
        let pwned = home.user().join("pwned");
        run_bare(&home, &format!("{WORDS} {way}"), &pwned);
        assert!(is_a_trap(&home, &pwned), "{way}");
    }
}

/// One that git runs nothing for may be somebody's work.
#[test]
fn a_bare_repository_that_runs_nothing_is_left_as_it_is() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_with(&fake, ALLOW_ALL);
    let said = run_walled(
        &home,
        &fake,
        "shell_exec",
        "git init -q --bare x && mv x/* .",
        &home.user().join("pwned"),
    );
    assert!(said.contains("\"exit_code\":0") && !said.contains("set aside"), "{said}");
    assert!(home.workspace().join("HEAD").exists());
}

/// Where the person works in a bare repository, its configuration and its hooks are theirs.
#[test]
fn a_workspace_that_is_a_bare_repository_is_protected_as_any_other() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_with(&fake, ALLOW_ALL);
    git(&home, &["init", "-q", "--bare", "-b", "main"]);
    let pwned = home.user().join("pwned");
    let script = format!("{WORDS} touch ran; config > config; mv config c; config > config");
    let said = run_walled(&home, &fake, "shell_exec", &script, &pwned);
    assert!(home.workspace().join("ran").exists(), "{said}");
    assert!(!is_a_trap(&home, &pwned), "{said}");
    assert!(home.workspace().join("HEAD").exists());
    let bare = home_with(&fake, "");
    git(&bare, &["init", "-q", "--bare", "-b", "main"]);
    let pwned = bare.user().join("pwned");
    run_bare(&bare, &script, &pwned);
    assert!(is_a_trap(&bare, &pwned), "the trap does not work");
}

/// The files that a model would have written: in a repository, whose own `HEAD` has to be spoilt, and in a plain folder.
fn files(is_repository: bool, pwned: &Path) -> Vec<(&'static str, String)> {
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch {}; false\"\n",
        pwned.display()
    );
    let text = |text: &str| text.to_owned();
    let mut files = vec![("objects/x", text("x")), ("refs/x", text("x")), ("config", config)];
    files.push(("HEAD", text("ref: refs/heads/main\n")));
    if is_repository {
        files.push((".git/HEAD", text("garbage\n")));
    }
    files
}

fn patch(files: &[(&str, String)]) -> Value {
    let add = |(path, text): &(&str, String)| {
        if path.starts_with(".git") {
            return format!("*** Delete File: {path}\n");
        }
        let lines: String = text.lines().flat_map(|line| ["+", line, "\n"]).collect();
        format!("*** Add File: {path}\n{lines}")
    };
    let all: String = files.iter().map(add).collect();
    json!({ "patch": format!("*** Begin Patch\n{all}*** End Patch\n") })
}

#[test]
fn file_tools_make_no_repository_of_the_folder_in_which_a_person_works() {
    for is_repository in [true, false] {
        for is_patch in [true, false] {
            let fake = FakeLlm::start(Dialect::OpenaiChat);
            let home = home_of(&fake);
            if is_repository {
                git(&home, &["init", "-q", "-b", "main"]);
            }
            let pwned = home.user().join("pwned");
            let files = files(is_repository, &pwned);
            let write = |(path, content): &(&'static str, String)| {
                ("file_write", json!({ "path": path, "content": content }))
            };
            let calls = if is_patch {
                vec![("apply_patch", patch(&files))]
            } else {
                files.iter().map(write).collect()
            };
            fake.push(Reply::calls(calls));
            fake.repeat(Reply::text("That is all."));
            ask(&home, &["Go"]).run();
            assert!(!is_a_trap(&home, &pwned), "patch: {is_patch}, repository: {is_repository}");
            // The rest was written: what is refused is what makes the trap one.
            assert!(is_patch || home.workspace().join("config").exists());
        }
    }
}

#[test]
fn the_traps_of_file_tools_work() {
    for is_repository in [true, false] {
        let fake = FakeLlm::start(Dialect::OpenaiChat);
        let home = home_of(&fake);
        if is_repository {
            git(&home, &["init", "-q", "-b", "main"]);
        }
        let pwned = home.user().join("pwned");
        for (path, text) in files(is_repository, &pwned) {
            let path = home.workspace().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        assert!(is_a_trap(&home, &pwned), "repository: {is_repository}");
    }
}
