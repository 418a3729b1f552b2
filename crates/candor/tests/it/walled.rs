//! The walls around commands and what people see of them, through the real binary. What matters is what happened: a canary
//! that lives, a key that is not there.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::time::Duration;

use candor_testkit::{Candor, Dialect, FakeLlm, Home, Ran, Reply};
use serde_json::{Value, json};

use crate::rig::{BINARY, KEY, ask, events, home_of, home_with, log_lines, of_type};

const CANARY: &str = "still singing";

fn calling(calls: &[(&str, Value)]) -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    for (name, args) in calls {
        fake.push(Reply::calls([(*name, args.clone())]));
    }
    fake.repeat(Reply::text("That is all."));
    fake
}

pub(crate) fn commanding(command: &str) -> FakeLlm {
    calling(&[("shell_exec", json!({ "command": command }))])
}

/// What came of each call.
fn results(ran: &Ran) -> Vec<Value> {
    let all = events(ran);
    let result = |event: &&Value| {
        let text = event["result"].as_str().expect("a text");
        serde_json::from_str(text).unwrap_or_else(|_| json!(text))
    };
    of_type(&all, "tool_result").iter().map(result).collect()
}

/// Runs one command in a home and gives what came of it.
pub(crate) fn run_in(home: &Home) -> Value {
    let ran = ask(home, &["--json", "Do it"]).run();
    results(&ran).pop().unwrap_or_else(|| panic!("no result: {}", ran.stdout))
}

#[test]
fn s6_5_s11_2_s11_10_s14_8_what_destroys_is_blocked_told_and_logged() {
    for command in ["rm -rf /", "rm -r -f /*", "sudo rm -rf --no-preserve-root /", "mkfs.ext4 /dev/null0"] {
        let fake = commanding(command);
        let home = home_of(&fake);
        fs::write(home.workspace().join("canary"), CANARY).expect("a file");
        let result = run_in(&home);
        assert_eq!(result["exit_code"], 126, "{command}: {result}");
        assert_eq!(result["card"]["code"], "TOOL_BLOCKED", "{command}");
        assert_eq!(fs::read_to_string(home.workspace().join("canary")).expect("it is there"), CANARY);
        let logged = log_lines(&home, "tool_blocked");
        assert_eq!(logged.len(), 1, "{command}");
        assert_eq!((&logged[0]["tool"], &logged[0]["command"]), (&json!("shell_exec"), &json!(command)));
        assert!(logged[0]["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{logged:?}");
    }
}

#[test]
fn ordinary_work_is_not_held_up() {
    let fake = commanding(
        "echo halt > log; grep halt log 2>/dev/null; printf '#!/bin/sh\\necho ran\\n' > s; chmod +x ./s; ./s",
    );
    let home = home_of(&fake);
    let result = run_in(&home);
    assert_eq!((&result["exit_code"], &result["stdout"]), (&json!(0), &json!("halt\nran\n")), "{result}");
}

#[test]
fn a_command_writes_in_the_workspace_and_in_a_tmp_of_its_own() {
    let script = "import os,sys\nfor p in sys.argv[1:]:\n try: open(p,'w').write('x'); print('wrote',p)\n except OSError: print('refused',p)";
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    let outside = home.user().join("outside");
    let private = "/tmp/candor-walled-test";
    let command = format!("python3 -c \"{script}\" inside {} {private}", outside.display());
    fake.push(Reply::calls([("shell_exec", json!({ "command": command }))]));
    fake.push(Reply::calls([("file_read", json!({ "path": private }))]));
    fake.push(Reply::calls([("file_write", json!({ "path": "/tmp/by-tool", "content": "y" }))]));
    fake.push(Reply::calls([("shell_exec", json!({ "command": "cat /tmp/by-tool" }))]));
    fake.repeat(Reply::text("Well."));
    let ran = ask(&home, &["--json", "Write"]).run();
    let results = results(&ran);
    let said = results[0]["stdout"].as_str().expect("an output").to_owned();
    assert_eq!(
        said,
        format!("wrote inside\nrefused {}\nwrote {private}\n", outside.display()),
        "{results:?}"
    );
    assert!(home.workspace().join("inside").exists() && !outside.exists());
    assert!(!std::path::Path::new(private).exists(), "it is another directory outside");
    assert_eq!(results[1], "x", "and the file tools see the same one");
    assert_eq!(results[2]["path"], "/tmp/by-tool", "it is called as commands call it: {results:?}");
    assert_eq!(results[3]["stdout"], "y", "{results:?}");
}

#[test]
fn s11_3_s11_5_a_command_sees_no_key_and_nothing_that_is_not_listed() {
    let fake = commanding(
        "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; cat /proc/self/mountinfo > /dev/null",
    );
    let home = home_of(&fake);
    let ran = ask(&home, &["--json", "Look"])
        .env("ANTHROPIC_API_KEY", "sk-ant-api03-visible")
        .env("MY_OWN_SETTING", "not listed")
        .env("LD_PRELOAD", "/nonexistent.so")
        .run();
    let result = results(&ran).pop().expect("a result");
    let said = result["stdout"].as_str().expect("an output");
    let names: Vec<&str> = said.lines().filter_map(|line| line.split('=').next()).collect();
    for name in &names {
        let known = [
            "PATH",
            "HOME",
            "USER",
            "LANG",
            "LC_ALL",
            "TERM",
            "SHELL",
            "TMPDIR",
            "TZ",
            "PWD",
            "OLDPWD",
            "SHLVL",
            "_",
            "CANDOR_CALL",
        ];
        assert!(known.contains(name), "{name} in {said}");
    }
    assert!(names.contains(&"PATH"), "{said}");
    assert!(!said.contains(KEY) && !said.contains("visible") && !said.contains("not listed"), "{said}");
}

#[test]
fn what_is_hidden_is_not_there_for_commands() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    fs::create_dir_all(home.user().join(".ssh")).expect("a folder");
    fs::write(home.user().join(".ssh/id"), CANARY).expect("a file");
    fs::write(home.user().join(".netrc"), CANARY).expect("a file");
    symlink(home.user().join(".ssh"), home.workspace().join("link")).expect("a link");
    let own = home.path().join("config.toml");
    let read = format!(
        "cat ~/.ssh/id link/id ~/.netrc {} 2>&1; cp -r ~/.ssh copy 2>/dev/null; ls copy; true",
        own.display()
    );
    fake.push(Reply::calls([("process", json!({ "action": "start", "command": "sleep 0.1" }))]));
    fake.push(Reply::calls([("shell_exec", json!({ "command": read }))]));
    fake.repeat(Reply::text("Well."));
    let config = "[security]\nallow_commands = [\"cat *\", \"cp *\", \"ls *\"]\n";
    home.write("config.toml", format!("{}{config}", home.read("config.toml")));
    let ran = ask(&home, &["--json", "Read"]).run();
    let said = results(&ran).pop().expect("a result").to_string();
    assert!(!said.contains(CANARY) && !said.contains("api_key_env"), "{said}");
}

#[test]
fn what_git_and_candor_believe_cannot_be_changed_from_inside() {
    let fake = commanding(
        "mkdir -p .candor; echo x > .candor/config.toml; echo x > .git/hooks/pre-commit; echo x >> .git/config; mv .git .g; rm -rf .git/hooks; echo done > here",
    );
    let home = home_with(&fake, "approval = \"doubtful\"\n[security]\nallow_commands = [\"/(?s).*/\"]\n");
    fs::create_dir_all(home.workspace().join(".git/hooks")).expect("a folder");
    fs::write(home.workspace().join(".git/config"), CANARY).expect("a file");
    run_in(&home);
    assert_eq!(fs::read_to_string(home.workspace().join(".git/config")).expect("it is there"), CANARY);
    assert_eq!(fs::read_dir(home.workspace().join(".git/hooks")).expect("it is there").count(), 0);
    assert!(!home.workspace().join(".candor").exists(), "nothing is left of it");
    assert_eq!(fs::read_to_string(home.workspace().join("here")).expect("it ran"), "done\n");
}

#[test]
fn a_command_reaches_nobody_but_its_own_session() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let connect = format!(
        "(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>&1; python3 -c 'import socket; socket.create_connection((\"127.0.0.1\",{port}),2)' 2>&1 | tail -1"
    );
    let fake = commanding(&connect);
    let home = home_with(&fake, "[security]\nallow_commands = [\"/(?s).*/\"]\n");
    run_in(&home);
    listener.set_nonblocking(true).expect("it can be asked");
    assert!(listener.accept().is_err(), "somebody came through");
}

#[test]
fn a_port_that_is_listed_is_reached_and_two_calls_reach_each_other() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let greet = std::thread::spawn(move || {
        use std::io::Write;
        listener.accept().map(|(mut stream, _)| stream.write_all(b"hello from outside"))
    });
    let python = |port: u16| {
        format!("import socket; print(socket.create_connection((\"127.0.0.1\",{port}),5).recv(99).decode())")
    };
    let serve = "python3 -c 'import socket; s=socket.create_server((\"127.0.0.1\",7001)); print(\"ready\",flush=True); c,_=s.accept(); c.sendall(b\"hello from inside\"); c.close()'";
    let inside = format!("until python3 -c '{}'; do sleep 0.1; done 2>/dev/null", python(7001));
    let fake = calling(&[
        ("process", json!({ "action": "start", "command": serve })),
        ("shell_exec", json!({ "command": inside })),
        ("shell_exec", json!({ "command": format!("python3 -c '{}'", python(port)) })),
    ]);
    let home = home_with(&fake, &format!("[sandbox]\nports = [{port}]\n"));
    let ran = ask(&home, &["--json", "Connect"]).run();
    let results = results(&ran);
    assert_eq!(results[1]["stdout"], "hello from inside\n", "{results:?}");
    assert_eq!(results[2]["stdout"], "hello from outside\n", "{results:?}");
    greet.join().expect("it ends").expect("somebody came").expect("it was heard");
}

#[test]
fn a_process_is_looked_after_and_ends_with_the_run() {
    let fake = calling(&[
        (
            "process",
            json!({ "action": "start", "command": "echo begun; while read line; do echo \"got $line\"; done; echo over" }),
        ),
        ("process", json!({ "action": "input", "id": 1, "text": "a word\n" })),
        ("process", json!({ "action": "start", "command": "exec sleep 4217" })),
        ("process", json!({ "action": "status" })),
        ("process", json!({ "action": "stop", "id": 1 })),
    ]);
    let home = home_of(&fake);
    let ran = ask(&home, &["--json", "Serve"]).run();
    let results = results(&ran);
    assert_eq!((&results[0]["state"], &results[0]["output"]), (&json!("running"), &json!("begun\n")));
    assert_eq!(results[1]["output"], "got a word\n", "{results:?}");
    assert_eq!(results[3].as_array().map(Vec::len), Some(2), "{results:?}");
    assert_ne!(results[4]["state"], "running", "{results:?}");
    let left = fs::read_dir("/proc")
        .expect("processes")
        .flatten()
        .any(|entry| fs::read(entry.path().join("cmdline")).is_ok_and(|line| line == b"sleep\x004217\x00"));
    assert!(!left, "a process has outlived its session");
}

/// Without walls, too.
#[test]
fn s11_4_a_long_output_is_cut_and_the_whole_can_be_read() {
    for permission in ["workspace", "full"] {
        let fake = commanding("seq 1 50000");
        let home =
            home_with(&fake, &format!("permission = \"{permission}\"\n[tools]\noutput_limit = 4096\n"));
        let ran = ask(&home, &["--json", "Count"]).run();
        let said = results(&ran).pop().expect("a result")["stdout"].as_str().expect("an output").to_owned();
        assert!(said.len() < 5_000 && said.starts_with("1\n2\n") && said.ends_with("\n50000\n"), "{said}");
        assert!(said.contains("bytes left out]\nFull output: "), "{permission}: {said}");
        assert_eq!(log_lines(&home, "tool_output_truncated").len(), 1);
    }
}

#[test]
fn s6_15_the_tools_that_a_model_has_by_itself() {
    let fake = commanding("true");
    let home = home_of(&fake);
    run_in(&home);
    let names = fake.requests()[0].tool_names().join(" ");
    let all = "shell_exec file_read file_write file_edit apply_patch search find list process todo ask_user sleep delegate verify notes web_fetch";
    assert_eq!(names, all);
    // The names that the seed has for the first four are understood, too.
    for name in ["bash", "read", "write", "edit"] {
        Candor::new(BINARY, &home).args(["tools", "show", name]).run().ok();
    }
}

#[test]
fn what_was_changed_is_shown_and_taken_back() {
    let fake = calling(&[
        ("file_write", json!({ "path": "new/file", "content": "made\n" })),
        ("file_edit", json!({ "path": "kept", "old": "one", "new": "1" })),
        ("shell_exec", json!({ "command": "sed -i s/two/2/ kept; rm gone; echo x > by-command" })),
    ]);
    let home = home_of(&fake);
    for (name, text) in [("kept", "one\ntwo\n"), ("gone", "it was here\n")] {
        fs::write(home.workspace().join(name), text).expect("a file");
    }
    ask(&home, &["Change things"]).run();
    let workspace = home.workspace();
    let read = |name: &str| fs::read_to_string(workspace.join(name)).ok();
    assert_eq!(read("kept").as_deref(), Some("1\n2\n"));
    let sessions = |args: &[&str]| Candor::new(BINARY, &home).args(["sessions"]).args(args).run();
    let diff = sessions(&["diff", "last"]).ok().stdout;
    for line in ["-one", "+1", "-two", "+2", "+made", "-it was here", "+x"] {
        assert!(diff.lines().any(|found| found == line), "{line} in {diff}");
    }
    let undone = sessions(&["undo", "last"]).ok().stdout;
    assert!(undone.contains("restored ") && undone.contains("removed  "), "{undone}");
    assert_eq!(read("kept").as_deref(), Some("one\ntwo\n"));
    assert_eq!(read("gone").as_deref(), Some("it was here\n"));
    assert!(!workspace.join("new").exists() && read("by-command").is_none(), "{undone}");
    assert!(sessions(&["diff", "last"]).ok().stdout.is_empty());
}

#[test]
fn a_file_that_was_changed_since_is_left_alone() {
    let fake = calling(&[("file_write", json!({ "path": "file", "content": "theirs\n" }))]);
    let home = home_of(&fake);
    ask(&home, &["Write"]).run();
    let file = home.workspace().join("file");
    fs::write(&file, "mine\n").expect("a file");
    let sessions = |args: &[&str]| Candor::new(BINARY, &home).args(["sessions"]).args(args).run();
    let ran = sessions(&["undo", "last"]).code(1);
    assert!(ran.stdout.contains("left ") && ran.stdout.contains("it was changed since"), "{}", ran.stdout);
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "mine\n");
    sessions(&["undo", "last", "--force"]).ok();
    assert!(!file.exists());
}

#[test]
fn in_read_only_commands_look_and_change_nothing() {
    let fake = calling(&[
        ("shell_exec", json!({ "command": "cat file; echo x > file; echo y > other; ls" })),
        ("file_write", json!({ "path": "file", "content": "z" })),
    ]);
    let home = home_of(&fake);
    fs::write(home.workspace().join("file"), CANARY).expect("a file");
    let ran = ask(&home, &["--permission", "read-only", "--json", "Look"]).run();
    let results = results(&ran);
    assert!(results[0]["stdout"].as_str().is_some_and(|said| said.contains(CANARY)), "{results:?}");
    assert_eq!(results[1]["card"]["code"], "TOOL_BLOCKED", "{results:?}");
    assert_eq!(fs::read_to_string(home.workspace().join("file")).expect("it is there"), CANARY);
    assert_eq!(fs::read_dir(home.workspace()).expect("a folder").count(), 1);
}

#[test]
fn full_has_no_walls_but_still_a_gate() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    let outside = home.user().join("outside");
    fake.push(Reply::calls([("shell_exec", json!({ "command": format!("touch {}", outside.display()) }))]));
    fake.push(Reply::calls([("shell_exec", json!({ "command": "rm -rf /" }))]));
    fake.repeat(Reply::text("Well."));
    let ran = ask(&home, &["--permission", "full", "--json", "Touch"]).run();
    assert!(outside.exists());
    assert_eq!(results(&ran)[1]["exit_code"], 126);
}

/// Where the kernel gives us no namespaces of our own.
const NO_NAMESPACES: &str = "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$CANDOR\" \"$@\"";

fn without_namespaces<'h>(home: &'h Home, args: &[&str]) -> Candor<'h> {
    Candor::new("unshare", home)
        .args(["-r", "sh", "-c", NO_NAMESPACES, "sh"])
        .args(args)
        .env("CANDOR", BINARY)
        .env("FAKE_KEY", KEY)
}

#[test]
fn walls_that_are_too_weak_let_nothing_run() {
    let fake = commanding("touch made");
    let home = home_with(&fake, "[sandbox]\nminimum = \"namespaces\"\n");
    let ran = without_namespaces(&home, &["--json", "Touch"]).run();
    let result = results(&ran).pop().expect("a result");
    assert_eq!(result["card"]["code"], "SANDBOX_TOO_WEAK", "{result}");
    assert!(!home.workspace().join("made").exists());
    let doctor = without_namespaces(&home, &["doctor"]).run().code(1);
    assert!(doctor.stdout.contains("SANDBOX_TOO_WEAK"), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("commands cannot run: namespaces"), "with the reason: {}", doctor.stdout);
}

/// What was written may be right or wrong: no check could be run.
#[test]
fn without_walls_to_check_behind_nothing_is_called_done() {
    for (profile, exit) in [("fast", 3), ("strict", 4)] {
        let fake = calling(&[("file_write", json!({ "path": "test.sh", "content": "exit 0\n" }))]);
        let home = home_with(&fake, "[sandbox]\nminimum = \"namespaces\"\n");
        let ran = without_namespaces(&home, &["--json", "--profile", profile, "Write"]).run();
        let end = of_type(&events(&ran), "run_end").pop().expect("an end").clone();
        assert_eq!(end["verdict"]["status"], "unverifiable", "{end}");
        let card = &end["card"];
        assert_eq!((&card["code"], &card["exitCode"]), (&json!("SANDBOX_TOO_WEAK"), &json!(exit)), "{card}");
        assert_eq!(ran.status, exit, "{profile}");
    }
}

/// Work that nobody could check is not forgotten: the next run that can, does.
#[test]
fn what_could_not_be_checked_is_checked_when_it_can_be() {
    let fake = calling(&[("file_write", json!({ "path": "Makefile", "content": "test:\n\tfalse\n" }))]);
    let home = home_with(&fake, "[sandbox]\nminimum = \"namespaces\"\n");
    without_namespaces(&home, &["Write"]).run().code(3);
    let ran = ask(&home, &["-c", "--json", "Well?"]).run();
    let end = of_type(&events(&ran), "run_end").pop().expect("an end").clone();
    assert_eq!(end["verdict"]["status"], "failed", "{end}");
}

#[test]
fn weaker_walls_that_are_enough_still_stand() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    let outside = home.user().join("outside");
    // Right beside what is protected nothing new can be made at this level.
    fs::create_dir(home.workspace().join("src")).expect("a folder");
    let command = format!("touch {} 2>/dev/null; touch src/made", outside.display());
    fake.push(Reply::calls([("shell_exec", json!({ "command": command }))]));
    fake.repeat(Reply::text("Well."));
    let allow = "[security]\nallow_commands = [\"touch *\"]\n";
    home.write("config.toml", format!("{}{allow}", home.read("config.toml")));
    let ran = without_namespaces(&home, &["--json", "Touch"]).run();
    let result = results(&ran).pop().expect("a result");
    assert_eq!(result["exit_code"], 0, "{result}");
    assert!(home.workspace().join("src/made").exists() && !outside.exists());
    let doctor = without_namespaces(&home, &["doctor"]).run().stdout;
    assert!(doctor.contains("+seccomp") && !doctor.contains("namespaces+"), "{doctor}");
}

#[test]
fn the_level_is_shown() {
    let fake = commanding("true");
    let home = home_of(&fake);
    let doctor = ask(&home, &["doctor"]).run().stdout;
    assert!(doctor.contains("namespaces+landlock+seccomp, network loopback"), "{doctor}");
    let tools = ask(&home, &["tools", "list"]).run().ok();
    assert!(tools.stdout.contains("apply_patch"), "{}", tools.stdout);
    assert!(tools.stderr.contains("sandbox: namespaces+landlock+seccomp"), "{}", tools.stderr);
}

/// Git would run what a command writes into a new repository's hooks, outside of the walls.
#[test]
fn a_command_that_would_make_a_repository_of_the_workspace_is_told_who_can() {
    let fake = commanding("git init .");
    let home = home_of(&fake);
    let result = run_in(&home);
    assert_eq!(result["exit_code"], 128, "{result}");
    assert!(
        result["sandbox"].as_str().is_some_and(|hint| hint.contains("a person has to run `git init`")),
        "{result}"
    );
    assert_eq!(result["card"]["code"], "SANDBOX_NO_REPOSITORY", "{result}");
    let first = result["card"]["steps"][0]["text"].as_str().expect("a step");
    assert!(first.contains(&format!("git init {}", home.workspace().display())), "{first}");
    assert!(!home.workspace().join(".git").exists());
    // Below it, one can be made: nobody stands there with git unless they mean to.
    let fake = commanding("git init -q below && git -C below config user.name x");
    assert_eq!(run_in(&home_of(&fake))["exit_code"], 0);
}

/// Its repository is there, elsewhere: nobody has to make one.
#[test]
#[expect(clippy::disallowed_methods, reason = "it is the person's own git")]
fn a_worktree_whose_repository_is_elsewhere_is_told_which_place_has_to_be_writable() {
    let fake = commanding("git commit -q --allow-empty -m one");
    let home = home_of(&fake);
    // Where commands see it: not in the temporary directory, of which they have one of their own.
    let places = [env!("CARGO_TARGET_TMPDIR"), "/var/lib", "/srv"].map(std::path::Path::new);
    let mut seen =
        places.into_iter().filter(|place| !place.starts_with("/tmp") && !place.starts_with("/var/tmp"));
    let outside = seen.find_map(|place| tempfile::tempdir_in(place).ok()).expect("a folder");
    let main = outside.path().canonicalize().expect("it is there").join("main");
    let git = |place: &std::path::Path, args: &str| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@y", "-C"]).arg(place).args(args.split(' '));
        assert!(git.status().expect("git runs").success(), "git {args}");
    };
    fs::create_dir_all(&main).expect("a folder");
    git(&main, "init -q");
    git(&main, "commit -q --allow-empty -m first");
    fs::remove_dir_all(home.workspace()).expect("it was empty");
    git(&main, &format!("worktree add -q {}", home.workspace().display()));
    let result = run_in(&home);
    assert_eq!(result["card"]["code"], "SANDBOX_READ_ONLY", "{result}");
    let steps = result["card"]["steps"].to_string();
    assert!(steps.contains(&format!("adds {} to sandbox.writable", main.join(".git").display())), "{steps}");
    assert!(!result["sandbox"].to_string().contains("git init"), "{result}");
}

/// It is not the disk: whoever is sent to remount it looks in the wrong place.
#[test]
fn a_write_that_the_walls_refuse_is_told_from_a_disk_that_is_read_only() {
    let fake = commanding("touch .candor/x");
    let home = home_of(&fake);
    let allow = "[security]\nallow_commands = [\"/(?s).*/\"]\n";
    home.write("config.toml", format!("{}{allow}", home.read("config.toml")));
    let result = run_in(&home);
    assert_eq!(result["card"]["code"], "SANDBOX_READ_ONLY", "{result}");
    let cause = result["card"]["cause"].as_str().expect("a cause");
    assert!(cause.contains(".candor/x'") && cause.contains("below the workspace"), "{cause}");
}

#[test]
fn a_long_output_is_not_led_out_of_the_walls() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    let canary = home.user().join("canary");
    let command = format!(
        "for d in /tmp/*/ /tmp/output \"$TMPDIR\"/*; do rm -rf \"$d\"; ln -s {} \"$d\"; done; yes X | head -c 900000",
        canary.display()
    );
    fake.push(Reply::calls([("shell_exec", json!({ "command": command }))]));
    fake.push(Reply::calls([("shell_exec", json!({ "command": "yes Y | head -c 900000" }))]));
    fake.repeat(Reply::text("Well."));
    let allow = "[security]\nallow_commands = [\"/(?s).*/\"]\n";
    home.write("config.toml", format!("{}{allow}", home.read("config.toml")));
    ask(&home, &["Flood"]).run();
    assert!(!canary.exists(), "an output was written outside");
}

#[test]
fn what_lies_in_a_workspace_does_not_choose_weaker_walls() {
    // A link where something is protected: nothing runs.
    let fake = commanding("touch made");
    let home = home_of(&fake);
    symlink("elsewhere", home.workspace().join(".candor")).expect("a link");
    let result = run_in(&home);
    assert_eq!(result["card"]["code"], "SANDBOX_FAILED", "{result}");
    assert!(!home.workspace().join("made").exists());
    // A `.git` that is a file, as in every worktree: everything runs, as strongly walled as ever.
    let fake = commanding("echo $$; echo x > .git; cat .git");
    let home = home_of(&fake);
    let git = home.user().join("real.git");
    fs::create_dir_all(&git).expect("a folder");
    fs::write(home.workspace().join(".git"), format!("gitdir: {}\n", git.display())).expect("a file");
    let result = run_in(&home);
    let said = result["stdout"].as_str().unwrap_or_default();
    assert!(said.starts_with("2\n") && said.contains("gitdir:"), "{result}");
}

#[test]
fn a_link_that_a_command_made_brings_nothing_hidden_into_the_prompt() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    fs::create_dir_all(home.user().join(".ssh")).expect("a folder");
    fs::write(home.user().join(".ssh/id"), CANARY).expect("a file");
    for name in ["AGENTS.md", "SYSTEM_PROMPT.md"] {
        symlink(home.user().join(".ssh/id"), home.workspace().join(name)).expect("a link");
    }
    fake.repeat(Reply::text("Well."));
    ask(&home, &["Hello"]).run().ok();
    assert!(!fake.requests()[0].body.to_string().contains(CANARY));
    // One that stays in the folder is as good as a file.
    fs::remove_file(home.workspace().join("AGENTS.md")).expect("it was there");
    fs::write(home.workspace().join("CLAUDE.md"), "Speak softly.").expect("a file");
    symlink("CLAUDE.md", home.workspace().join("AGENTS.md")).expect("a link");
    ask(&home, &["Hello"]).run().ok();
    assert!(fake.requests()[1].body.to_string().contains("Speak softly."));
}

#[test]
fn looking_at_the_workspace_waits_for_nobody_and_is_not_led_astray() {
    let fake = calling(&[
        (
            "shell_exec",
            json!({ "command": "mkfifo .gitignore pipe; ln -s /dev/zero zero; truncate -s 3G big; mkdir sub; ln -s /dev/zero sub/.gitignore" }),
        ),
        ("shell_exec", json!({ "command": "rm .gitignore; echo '*' > .gitignore; echo changed > kept" })),
    ]);
    let home = home_of(&fake);
    fs::write(home.workspace().join("kept"), "as it was\n").expect("a file");
    ask(&home, &["Make trouble"]).run();
    let kept = || fs::read_to_string(home.workspace().join("kept")).expect("it is there");
    assert_eq!(kept(), "changed\n");
    Candor::new(BINARY, &home).args(["sessions", "undo", "last"]).run();
    assert_eq!(kept(), "as it was\n", "what git is told to ignore is taken back all the same");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a pipe is made as somebody would")]
fn a_pipe_in_place_of_a_file_that_is_read_is_not_waited_for() {
    const NAMES: &str = ".env .env.test .gitignore .mcp.json AGENTS.md CLAUDE.md SYSTEM_PROMPT.md Cargo.toml Makefile package.json \
                         pyproject.toml docker-compose.yml crates/candor/Cargo.toml .candor/verify.yaml .candor/tools.yaml elsewhere/commondir";
    let fake = calling(&[]);
    let home = home_of(&fake);
    for name in NAMES.split_whitespace() {
        let pipe = home.workspace().join(name);
        fs::create_dir_all(pipe.parent().expect("a folder")).expect("a folder");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("it runs").success());
    }
    home.write_in_workspace(".git", "gitdir: elsewhere");
    for words in [&["Look"][..], &["verify", "--plan"], &["tools", "list"]] {
        // It panics when that is over.
        ask(&home, words).time_limit(Duration::from_secs(20)).run();
    }
}

#[test]
fn what_is_typed_into_a_process_is_judged_and_a_decoy_is_not_shown() {
    let fake = calling(&[
        ("process", json!({ "action": "start", "command": "bash" })),
        ("process", json!({ "action": "input", "id": 1, "text": "rm -rf /\n", "command": "ls" })),
    ]);
    let home = home_of(&fake);
    let ran = ask(&home, &["--json", "Type"]).run();
    let results = results(&ran);
    assert_eq!(results[1]["card"]["code"], "TOOL_BLOCKED", "{results:?}");
    assert!(results[1]["card"]["cause"].as_str().is_some_and(|cause| cause.contains("input to 1: rm -rf /")));
}

#[test]
fn file_tools_do_not_see_a_tmp_that_commands_do_not_see() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_of(&fake);
    let outside = home.tmp().join("outside");
    fs::write(&outside, CANARY).expect("a file");
    symlink(home.tmp(), home.workspace().join("link")).expect("a link");
    let by_dots = format!("/usr/..{}", outside.display());
    for path in ["link/outside", by_dots.as_str(), outside.to_str().expect("text")] {
        fake.push(Reply::calls([("file_read", json!({ "path": path }))]));
    }
    // Nor do they by its names: a walk from above comes by.
    let shared = tempfile::Builder::new().prefix("candor-canary-").tempdir_in("/var/tmp").expect("a folder");
    fs::write(shared.path().join("candor-canary-below"), CANARY).expect("a file");
    let search = json!({ "path": "/var", "pattern": CANARY, "glob": "candor-canary-*" });
    fake.push(Reply::calls([("search", search)]));
    fake.push(Reply::calls([("find", json!({ "path": "/var", "pattern": "candor-canary-*" }))]));
    fake.repeat(Reply::text("Well."));
    let ran = ask(&home, &["--json", "Read"]).run();
    let results = results(&ran);
    assert_eq!(results.len(), 5);
    for result in results {
        assert!(!result.to_string().contains(CANARY), "{result}");
        assert!(!result.to_string().contains("candor-canary"), "{result}");
    }
}
