//! `shell_exec`.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_cards::Source;
use candor_gate::{Gate, Lists};
use candor_protocol::Code;
use candor_sandbox::{Level, Policy};
use candor_tools::{Permission, Plan, RecipePlace, Recipes, ToolOutput, Walls};
use serde_json::{Value, json};

use crate::rig::{Rig, check_failure, check_success, fifo};

fn told(output: &ToolOutput) -> Value {
    serde_json::from_str(&output.for_model).unwrap()
}

#[tokio::test]
async fn s6_1_a_command_runs_in_the_workspace() {
    let rig = Rig::new();
    fs::write(rig.inside("here"), "").unwrap();
    let output = rig.shell("ls; echo err >&2").await;
    check_success(&output, r#"{"stdout":"here\n","stderr":"err\n","exit_code":0,"timed_out":false}"#);
    assert_eq!(output.for_people, "exit 0, 2 lines");
    assert_eq!(rig.shell("true").await.for_people, "exit 0, 0 lines");
    // Not every shell knows arrays.
    assert_eq!(told(&rig.shell("a=(x y); echo ${a[1]}").await)["stdout"], "y\n");
}

#[tokio::test]
async fn a_command_that_fails_keeps_its_output_and_gets_a_card() {
    let rig = Rig::new();
    let output = rig.shell("echo before; echo 'no such thing' >&2; exit 7").await;
    assert!(output.is_error);
    let told = told(&output);
    let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["stdout", "stderr", "exit_code", "timed_out", "card"]);
    assert_eq!(told["stdout"], "before\n");
    assert_eq!(told["exit_code"], 7);
    assert_eq!(told["timed_out"], false);
    assert_eq!(told["card"]["code"], "COMMAND_FAILED");
    assert_eq!(told["card"]["exitCode"], 7);
    assert_eq!(told["card"]["cause"], "The command ended with exit code 7.\nno such thing");
    assert_eq!(output.for_people, "exit 7: no such thing");
}

#[tokio::test]
async fn a_command_that_is_killed_has_no_exit_code() {
    let output = Rig::new().shell("kill -KILL $$").await;
    assert!(output.is_error);
    assert_eq!(told(&output)["exit_code"], Value::Null);
    assert_eq!(told(&output)["timed_out"], false);
    let card = output.card.unwrap();
    assert_eq!((card.code.as_str(), card.exit_code), ("COMMAND_KILLED", 137));
}

#[tokio::test]
async fn s6_4_a_command_that_takes_too_long_is_stopped() {
    let mut rig = Rig::new();
    rig.context.rules.timeout = Duration::from_secs(1);
    // More than it is given, so what it is given holds.
    let args = json!({ "command": "echo begun; sleep 100", "timeout": 1000 });
    let started = Instant::now();
    let output = rig.call("shell_exec", args).await;
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(output.is_error);
    let told = told(&output);
    assert_eq!((&told["exit_code"], &told["timed_out"]), (&Value::Null, &Value::Bool(true)));
    assert_eq!(told["stdout"], "begun\n");
    assert_eq!(told["card"]["code"], "COMMAND_TIMED_OUT");
    assert!(told["card"]["cause"].as_str().unwrap().contains("1 s"), "{told}");
    assert_eq!(output.for_people, "stopped after 1 s, 1 line");
}

#[tokio::test]
async fn a_command_may_ask_for_less_time() {
    let rig = Rig::new();
    let started = Instant::now();
    let output = rig.call("shell_exec", json!({ "command": "sleep 100", "timeout": 1 })).await;
    assert_eq!(told(&output)["timed_out"], true);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_command_that_is_cancelled_is_told_as_interrupted() {
    let rig = Rig::new();
    fifo(&rig.inside("gate"));
    let (output, ()) = tokio::join!(rig.shell("echo ready > gate; sleep 100"), async {
        tokio::fs::read(rig.inside("gate")).await.unwrap();
        rig.context.cancel.cancel();
    });
    check_failure(&output, Code::ToolInterrupted);
}

#[tokio::test]
async fn s6_6_a_command_sees_the_environment_of_the_context_alone() {
    let mut rig = Rig::new();
    rig.context.rules.env.push(("GREETING".into(), "hello".into()));
    let text = told(&rig.shell("env").await)["stdout"].as_str().unwrap().to_owned();
    let mut names: Vec<&str> = text.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    // The shell is told which one it is, and itself adds three.
    assert_eq!(names, ["CANDOR_CALL", "GREETING", "PATH", "PWD", "SHELL", "SHLVL", "_"]);
    assert!(text.contains("\nSHELL=/bin/bash\n") || text.starts_with("SHELL=/bin/bash\n"), "{text}");
    rig.context.rules.env.push(("SHELL".into(), "/bin/zsh".into()));
    assert_eq!(told(&rig.shell("echo $SHELL").await)["stdout"], "/bin/zsh\n");
}

#[tokio::test]
async fn a_permission_that_allows_no_command_refuses_it() {
    let mut rig = Rig::new();
    rig.context.rules.permission = Permission::ReadOnly;
    let output = rig.shell("touch made").await;
    assert_eq!(told(&output)["exit_code"], 126);
    let card = output.card.unwrap();
    assert_eq!(card.code, Code::ToolBlocked.as_str());
    let cause = card.cause;
    assert!(cause.ends_with("Command: touch made\nReason: the permission is read-only"), "{cause}");
    assert!(!rig.inside("made").exists());
    rig.context.rules.permission = Permission::Full;
    assert!(!rig.shell("touch made").await.is_error);
}

/// Behind walls it cannot write, and where there are none it is not run: the owner's word that none are needed is no leave to.
#[tokio::test]
async fn where_nothing_may_be_written_a_command_writes_nothing_with_walls_or_without() {
    let mut rig = Rig::new();
    rig.context.rules.permission = Permission::ReadOnly;
    let policy = Policy { shown: vec![rig.context.workspace.clone()], ..Policy::default() };
    rig.context.walls = Arc::new(Walls::new(Plan { policy: Some(policy), minimum: Level::None }));
    for (tool, args) in [
        ("shell_exec", json!({ "command": "touch made" })),
        ("process", json!({ "action": "start", "command": "touch made" })),
    ] {
        let output = rig.call(tool, args).await;
        assert!(output.is_error, "{output:?}");
        let card = output.card.unwrap();
        let is_blocked = card.code == Code::ToolBlocked.as_str();
        assert!(!is_blocked || card.cause.contains("no walls can be put up"), "{card:?}");
    }
    assert!(!rig.inside("made").exists());
}

#[tokio::test]
async fn what_is_refused_for_good_is_told_from_what_was_set() {
    let mut rig = Rig::new();
    rig.context.rules.gate =
        Arc::new(Gate::new(&Lists { deny: vec!["touch *".to_owned()], ..Lists::default() }).unwrap());
    let next = |output: ToolOutput| output.card.unwrap().steps[1].to_string();
    let set = next(rig.shell("touch made").await);
    assert!(set.contains("its owner changes what was set") && set.contains("config show --origin"), "{set}");
    let built_in = next(rig.shell("mkfs.ext4 /dev/no-such-disk").await);
    assert!(built_in.contains("runs it themselves") && !built_in.contains("config show"), "{built_in}");
}

#[tokio::test]
async fn s6_20_a_long_output_is_cut_and_the_whole_is_in_a_file() {
    let rig = Rig::new();
    let output = rig.shell("seq 1 100000").await;
    assert!(!output.is_error);
    assert!(output.for_model.len() <= 10_000, "{}", output.for_model.len());
    assert!(output.for_people.ends_with(" lines (cut)"), "{}", output.for_people);
    let told = told(&output);
    let text = told["stdout"].as_str().unwrap();
    assert!(text.starts_with("1\n2\n") && text.ends_with("\n100000\n"), "{text}");
    let path =
        PathBuf::from(text.split("left out]\nFull output: ").nth(1).unwrap().split('\n').next().unwrap());
    assert_eq!(fs::read_to_string(path).unwrap().lines().count(), 100_000);
}

/// What counts is what is sent: a byte can take six there, and one that is no text three.
#[tokio::test]
async fn an_output_is_no_longer_than_the_limit_as_it_is_sent() {
    let rig = Rig::new();
    let said = "printf first; head -c 100000 /dev/zero";
    for (command, text_from) in [
        (format!("{said}; printf last"), "stdout"),
        (format!("({said}; printf last) >&2"), "stderr"),
        (format!("({said}; printf last) >&2; {said}; printf last"), "stdout"),
        (format!("{said}; printf last; exit 3"), "stdout"),
        ("printf first; head -c 4000 /dev/zero; printf last".to_owned(), "stdout"),
        ("printf first; head -c 4900 /dev/zero | tr '\\0' '\\377'; printf last".to_owned(), "stdout"),
        ("printf first; yes '\"' | head -c 4900; printf last".to_owned(), "stdout"),
    ] {
        let output = rig.shell(&command).await;
        assert!(output.for_model.len() <= 10_000, "{command}: {}", output.for_model.len());
        assert!(output.for_model.len() >= 9_000, "{command}: {}", output.for_model.len());
        let told = told(&output);
        let text = told[text_from].as_str().unwrap();
        assert!(text.starts_with("first") && text.ends_with("last"), "{command}: {text:?}");
        let is_cut = text.contains("\n[output truncated: ");
        assert!(is_cut || command.contains("yes"), "{command}: {text:?}");
    }
    let short = rig.shell("head -c 1000 /dev/zero").await;
    assert_eq!(told(&short)["stdout"].as_str().unwrap(), "\0".repeat(1000));
}

#[tokio::test]
async fn a_workspace_that_is_gone_is_told() {
    let rig = Rig::new();
    fs::remove_dir(&rig.context.workspace).unwrap();
    check_failure(&rig.shell("true").await, Code::FileNotFound);
}

#[tokio::test]
async fn a_known_failure_gets_the_card_of_its_rule_and_two_times_the_same() {
    let rig = Rig::new();
    let (first, second) = (rig.shell("git status").await, rig.shell("git status").await);
    assert_eq!((first.source, first.card.as_ref()), (Some(Source::Rule), second.card.as_ref()));
    let card = first.card.as_ref().unwrap();
    assert_eq!((card.code.as_str(), card.exit_code), ("GIT_NOT_A_REPOSITORY", 128));
    assert_eq!(told(&first)["card"], serde_json::to_value(card).unwrap());
    assert_eq!(rig.shell("exit 3").await.source, Some(Source::Generic));
}

#[tokio::test]
async fn recipes_look_at_what_is_around_the_command_where_file_tools_may_look() {
    let rules = "ecosystem: t\nrules:\n  - code: NEAR_ONE\n    class: Usage\n    title: t\n    match: 'no such thing: (?P<name>.+)'\n    \
                 looks: { near: { near_file: '{name}' } }\n    needs: [near]\n    cause: Nearly {near}.\n    \
                 steps: [{ run: 'cat {near}' }, { do: Think again. }]\n    \
                 examples: [{ from: docs, command: x, exit: 1, output: 'no such thing: nots', files: { note: '' } }]\n";
    let mut rig = Rig::new();
    fs::create_dir(rig.inside("sub")).unwrap();
    fs::write(rig.inside("sub/notes.txt"), "").unwrap();
    fs::create_dir(rig.outside("recipes")).unwrap();
    fs::write(rig.outside("recipes/t.yaml"), rules).unwrap();
    rig.context.rules.recipes = Arc::new(Recipes::new(vec![RecipePlace::Own(rig.outside("recipes"))]));
    let args = json!({ "command": "echo no such thing: nots.txt >&2; exit 1", "cwd": "sub" });
    let output = rig.call("shell_exec", args.clone()).await;
    assert_eq!(output.card.unwrap().cause, "Nearly notes.txt.");
    rig.context.rules.hidden.push(rig.inside("sub"));
    let output = rig.call("shell_exec", args).await;
    assert_eq!(output.card.unwrap().code, "COMMAND_FAILED");
}

#[tokio::test]
async fn a_process_that_ends_badly_at_its_start_gets_a_card() {
    let rig = Rig::new();
    let start = |command: &str| json!({ "action": "start", "command": command });
    let output = rig.call("process", start("echo cannot >&2; exit 3")).await;
    assert!(output.is_error);
    assert_eq!((&told(&output)["state"], &told(&output)["id"]), (&json!("exit 3"), &json!(1)));
    let card = output.card.unwrap();
    assert_eq!((card.code.as_str(), card.exit_code), ("COMMAND_FAILED", 3));
    assert!(card.cause.contains("cannot"), "{card:?}");
    assert!(!rig.call("process", start("exit 0")).await.is_error);
}

/// Whoever may set one could have run what it names directly, where it would be judged.
#[tokio::test]
async fn a_variable_that_makes_programs_run_something_else_is_refused() {
    let rig = Rig::new();
    for tool in ["shell_exec", "process"] {
        for name in ["LD_PRELOAD", "ld_preload", "LD_AUDIT", "BASH_ENV", "GIT_SSH_COMMAND"] {
            let mut args = json!({ "command": "touch ran", "action": "start", "env": { name: "./x" } });
            if tool == "shell_exec" {
                args.as_object_mut().unwrap().remove("action");
            }
            let output = rig.call(tool, args).await;
            assert!(output.is_error && output.for_model.contains(name), "{tool} {name}: {output:?}");
        }
    }
    assert!(!rig.inside("ran").exists());
}

#[tokio::test]
async fn a_variable_whose_name_is_none_is_refused() {
    let rig = Rig::new();
    for tool in ["shell_exec", "process"] {
        for name in ["", "A B", "A=B", "=", "A\0B", "A\nB", " A"] {
            let mut args = json!({ "command": "touch ran", "action": "start", "env": { name: "x" } });
            if tool == "shell_exec" {
                args.as_object_mut().unwrap().remove("action");
            }
            let output = rig.call(tool, args).await;
            check_failure(&output, Code::ToolArguments);
            assert!(output.for_model.contains("is no name of a variable"), "{name:?}: {output:?}");
        }
    }
    let output = rig.call("shell_exec", json!({ "command": "touch ran", "env": { "A": "x\0y" } })).await;
    check_failure(&output, Code::ToolArguments);
    assert!(!rig.inside("ran").exists());
    let output = rig.call("shell_exec", json!({ "command": "echo $A_1", "env": { "A_1": "x y=z" } })).await;
    assert_eq!(told(&output)["stdout"], "x y=z\n");
}
