//! What the person's git believes after a command has worked in their repository. Git runs what its configuration names, so
//! the trap is a configuration, and what matters is whether somebody walks into it.

use std::fs;
use std::path::Path;
use std::process::Command;

use candor_testkit::{Dialect, FakeLlm, Gate, Home, Reply};
use serde_json::json;

use crate::rig::{ask, events, home_with, log_lines, of_type};

/// Makes the workspace itself look like a repository, with a configuration that makes a file when it is believed.
const PLANT: &str = r#"cp -r .git/objects .git/refs . && echo 'ref: refs/heads/main' > HEAD &&
printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch %s; false"\n' "$PWNED" > config &&"#;

/// How git is led to it.
const WAYS: [(&str, &str); 8] = [
    ("shell_exec", "echo garbage > .git/HEAD"),
    ("shell_exec", "rm .git/HEAD; mkdir .git/HEAD"),
    ("shell_exec", "mv .git/refs .git/refs_"),
    ("shell_exec", "mv .git/objects .git/objects_; touch .git/objects"),
    ("shell_exec", "mkdir evil; cp -r objects refs HEAD config evil; echo ../evil > .git/commondir"),
    (
        "shell_exec",
        "cp -r .git/modules/sub evil; git config -f evil/config core.fsmonitor \"touch $PWNED; false\"; \
         echo 'gitdir: ../evil' > sub/.git",
    ),
    ("shell_exec", "grep -v worktree config > .git/config.worktree"),
    ("process", "rm .git/HEAD; echo done; sleep 100"),
];

/// A repository with a submodule.
fn make_repository(home: &Home) {
    git(home, &["init", "-q", "-b", "main"]);
    git(home, &["config", "extensions.worktreeConfig", "true"]);
    let sub = home.workspace().join("sub");
    fs::create_dir_all(home.workspace().join(".git/modules")).expect("a folder");
    git(home, &["init", "-q", "-b", "main", "--separate-git-dir", ".git/modules/sub", "sub"]);
    fs::write(sub.join("file"), "x").expect("a file");
    git(home, &["-C", "sub", "add", "file"]);
    git(home, &["-C", "sub", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x"]);
    let module = "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n";
    fs::write(home.workspace().join(".gitmodules"), module).expect("a file");
    git(home, &["add", "sub"]);
}

/// Git, as the person runs it.
#[expect(clippy::disallowed_methods, reason = "it is the person's own git")]
pub(crate) fn git(home: &Home, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(args).current_dir(home.workspace()).env("HOME", home.user()).env("GIT_CONFIG_NOSYSTEM", "1");
    git.output().expect("git is here");
}

/// Whether the person's git makes the file, by walking into the trap.
fn walks_into_the_trap(home: &Home, pwned: &Path) -> bool {
    for args in [&["status"][..], &["-C", "sub", "status"]] {
        git(home, args);
    }
    pwned.exists()
}

/// The command runs behind the walls; what the model was told.
pub(crate) fn run_walled(home: &Home, fake: &FakeLlm, tool: &str, script: &str, pwned: &Path) -> String {
    let mut args = json!({ "command": script, "env": { "PWNED": pwned } });
    if tool == "process" {
        args["action"] = json!("start");
    }
    fake.push(Reply::calls([(tool, args)]));
    fake.repeat(Reply::text("That is all."));
    let told = events(&ask(home, &["--json", "Go"]).run());
    let results = of_type(&told, "tool_result");
    let said = |name: &'static str| results.iter().filter_map(move |result| result[name].as_str());
    said("result").chain(said("forPeople")).collect::<Vec<_>>().join("\n")
}

/// The same without walls.
#[expect(clippy::disallowed_methods, reason = "it is a command without walls")]
pub(crate) fn run_bare(home: &Home, script: &str, pwned: &Path) {
    let mut shell = Command::new("bash");
    let script = script.replace("; sleep 100", "");
    shell.args(["-c", &script]).current_dir(home.workspace()).env("PWNED", pwned);
    shell.output().expect("a shell");
}

pub(crate) const ALLOW_ALL: &str = "[security]\nallow_commands = [\"/(?s).*/\"]\n";

#[test]
fn the_persons_git_believes_no_configuration_that_a_command_made() {
    for (tool, way) in WAYS {
        let fake = FakeLlm::start(Dialect::OpenaiChat);
        let home = home_with(&fake, ALLOW_ALL);
        make_repository(&home);
        let pwned = home.user().join("pwned");
        run_walled(&home, &fake, tool, &format!("{PLANT} {{ {way}; }}"), &pwned);
        assert!(home.workspace().join("config").exists(), "{way}: the trap is not set");
        assert!(!walks_into_the_trap(&home, &pwned), "{way}");
    }
}

#[test]
fn the_trap_works() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    for (_, way) in WAYS {
        let home = home_with(&fake, "");
        make_repository(&home);
        let pwned = home.user().join("pwned");
        run_bare(&home, &format!("{PLANT} {{ {way}; }}"), &pwned);
        assert!(walks_into_the_trap(&home, &pwned), "{way}");
    }
}

/// What a command knows to do: make a repository, and have a program run by whoever looks at one.
const WORDS: &str = r#"ran="touch $PWNED; false"
export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=a GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=a@b
made() { git init -q -b main "$1" && echo x > "$1/file" && git -C "$1" add file && git -C "$1" commit -q -m x; }
trap_in() { printf '[core]\n\tfsmonitor = "%s"\n' "$ran" >> "$1"; }
hook_in() { mkdir -p "$1/hooks"; printf '#!/bin/sh\ntouch %s\n' "$PWNED" > "$1/hooks/post-index-change"; chmod +x "$1/hooks/post-index-change"; }
"#;

/// What is done to repositories that were there before: one that the index names, and one that lies there, with another in it.
const TO_NESTED: [&str; 13] = [
    "trap_in emb/.git/config",
    "hook_in emb/.git; touch emb/file",
    "rm -rf emb/.git/hooks; hook_in emb/.git; touch emb/file",
    "mv emb/.git/config emb/.git/c; cp emb/.git/c emb/.git/config; trap_in emb/.git/config",
    "mv emb e; cp -r e emb; trap_in emb/.git/config",
    "cp -r emb/.git evil; trap_in evil/config; echo ../../evil > emb/.git/commondir",
    "cp -r emb/.git evil; trap_in evil/config; rm -rf emb/.git; echo 'gitdir: ../evil' > emb/.git",
    "cp -r emb/.git/. emb; printf '\tworktree = .\n' >> emb/config; trap_in emb/config; echo x > emb/.git/HEAD",
    "trap_in vendor/lib/.git/config",
    "trap_in vendor/lib/in/.git/config",
    "cp -rL linked/.git evil; trap_in evil/config; rm linked/.git; ln -s ../evil linked/.git",
    "trap_in store/config",
    "trap_in apart/config; echo 'gitdir: ../apart' > elsewhere/.git",
];

/// What is done by a command that makes a repository itself.
const OWN: [&str; 15] = [
    "made own; git add own; trap_in own/.git/config",
    "made own; git add own; git update-index --index-version 4; trap_in own/.git/config",
    "made own; git add own; git update-index --split-index; trap_in own/.git/config",
    "made own; git add own; trap_in evil.config; printf '[include]\\n\\tpath = ../../evil.config\\n' >> own/.git/config",
    "made own; git add own; hook_in own/.git; touch own/file",
    "made own; git add own; mv own/.git/hooks x; hook_in y; ln -s ../../y/hooks own/.git/hooks; touch own/file",
    "made own; git add own; mv own/.git evil; trap_in evil/config; echo 'gitdir: ../evil' > own/.git",
    "made own; git add own; mv own/.git evil; trap_in evil/config; ln -s ../evil own/.git",
    "made own; git add own; cp -r own/.git evil; trap_in evil/config; echo ../../evil > own/.git/commondir",
    "made own; git add own; mv own/.git/config evil.config; trap_in evil.config; ln -s ../../evil.config own/.git/config",
    "made own; made own/deep; git -C own add deep; git -C own commit -q -m y; git add own; trap_in own/deep/.git/config",
    "made emb/own; git -C emb add own; trap_in emb/own/.git/config",
    "made own; git add own; trap_in own/.git/config; mkdir own/.git.set-aside; chmod 555 own",
    "made own; git config -f own/.git/config extensions.worktreeConfig true; git add own; trap_in own/.git/config.worktree",
    "rm -rf later; made later; git add later; trap_in later/.git/config",
];

/// A repository with others in it: one that the index names, two that no index names, and such whose parts are elsewhere.
fn make_nested(home: &Home) {
    git(home, &["init", "-q", "-b", "main"]);
    let script = format!(
        "{WORDS} made emb; made later; git add emb later; rm -rf later/.git; made vendor/lib; made vendor/lib/in; made linked; \
         mv linked/.git store; ln -s ../store linked/.git; made elsewhere; mv elsewhere/.git apart; \
         echo 'gitdir: ../apart' > elsewhere/.git; git commit -q -m x"
    );
    run_bare(home, &script, Path::new("/nonexistent"));
}

/// Whether somebody who looks at each of them makes the file.
fn any_is_a_trap(home: &Home, pwned: &Path) -> bool {
    for place in [".", "emb", "vendor/lib", "vendor/lib/in", "linked", "elsewhere"] {
        git(home, &["-C", place, "status"]);
    }
    pwned.exists()
}

#[test]
fn nested_repositories_are_no_traps_after_a_command() {
    for way in TO_NESTED.into_iter().chain(OWN) {
        let fake = FakeLlm::start(Dialect::OpenaiChat);
        let home = home_with(&fake, ALLOW_ALL);
        make_nested(&home);
        let pwned = home.user().join("pwned");
        let said = run_walled(&home, &fake, "shell_exec", &format!("{WORDS} {way}"), &pwned);
        assert!(!pwned.exists() && said.contains("exit_code"), "{way}: it did not run: {said}");
        assert!(!any_is_a_trap(&home, &pwned), "{way}: {said}");
        // The model is told, and so are people.
        assert!(!OWN.contains(&way) || said.matches("was set aside as").count() == 2, "{way}: {said}");
        // What was the person's is as it was.
        assert!(home.workspace().join("emb/.git/config").exists(), "{way}");
    }
}

#[test]
fn nested_traps_work() {
    for way in TO_NESTED.into_iter().chain(OWN) {
        let fake = FakeLlm::start(Dialect::OpenaiChat);
        let home = home_with(&fake, "");
        make_nested(&home);
        let pwned = home.user().join("pwned");
        run_bare(&home, &format!("{WORDS} {way}"), &pwned);
        assert!(!pwned.exists(), "{way}: the command itself walked into it");
        assert!(any_is_a_trap(&home, &pwned), "{way}");
    }
}

/// A process that goes on has its repository set aside when the run is over.
#[test]
fn what_a_process_makes_is_set_aside_too() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_with(&fake, ALLOW_ALL);
    make_nested(&home);
    let pwned = home.user().join("pwned");
    let script = format!("{WORDS} made own; git add own; trap_in own/.git/config; touch ready; sleep 100");
    let args = json!({ "action": "start", "command": script, "env": { "PWNED": &pwned } });
    let gate = Gate::new();
    fake.push(Reply::calls([("process", args)]));
    fake.push(Reply::text("That is all.").gate(&gate));
    let running = ask(&home, &["Go"]).spawn();
    running.wait_for_file(&home.workspace().join("ready"));
    gate.open();
    let ran = running.finish();
    let set_aside = "own/.git` was set aside as";
    assert!(ran.stderr.contains(set_aside), "{}", ran.stderr);
    assert!(log_lines(&home, "repository_put_right")[0]["what"].as_str().unwrap().contains(set_aside));
    assert!(!any_is_a_trap(&home, &pwned));
    assert!(home.workspace().join("own/.git.set-aside").exists());
}

#[test]
fn a_repository_that_runs_nothing_is_left_as_it_is() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_with(&fake, ALLOW_ALL);
    make_nested(&home);
    let pwned = home.user().join("pwned");
    let script = format!(
        "{WORDS} made sub && git add sub && git clone -q sub copy && git add copy && git -C copy switch -q -c other && \
         git -C emb commit -q --allow-empty -m y && git -C vendor/lib commit -q --allow-empty -m y && git commit -q -m all"
    );
    let said = run_walled(&home, &fake, "shell_exec", &script, &pwned);
    assert!(said.contains("\"exit_code\":0"), "{said}");
    assert!(!said.contains("set aside") && !said.contains("put back"), "{said}");
    for place in ["sub", "copy", "emb", "vendor/lib", "linked", "elsewhere", "vendor/lib/in"] {
        let entries = fs::read_dir(home.workspace().join(place)).expect("it is there").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).filter(|name| name != "in").collect();
        names.sort();
        assert_eq!(names, [".git", "file"], "{place}");
    }
}
