//! The gate by its effect: what must not pass is sent through the real dispatch with nobody to ask, and a canary that every line
//! would remove first is still there.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use candor_sandbox::{Level, Limits, Policy};
use candor_tools::{Plan, Registry, Rules, ToolContext, ToolOutput, Walls, dispatch};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cases::cases;
use crate::rig::{CANARY, call};

const BYPASS: &str = include_str!("../../../candor-gate/tests/it/bypass.tsv");

/// A workspace behind walls, with a canary in it, below a home that is not the machine's.
struct Cage {
    directory: TempDir,
    registry: Registry,
    context: ToolContext,
}

impl Cage {
    /// Not below the temporary directory of all: what lies there may be deleted, and is another one inside.
    fn new() -> Self {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let root = directory.path().canonicalize().unwrap();
        let workspace = root.join("dev/project");
        fs::create_dir_all(&workspace).unwrap();
        fs::write(root.join("canary"), CANARY).unwrap();
        let env = [("PATH", "/usr/bin:/bin"), ("HOME", "/home/dev")];
        let rules = Rules {
            env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            timeout: Duration::from_secs(5),
            ..Rules::default()
        };
        let limits = Limits { processes: Some(32), file_bytes: Some(1 << 20), ..Limits::default() };
        let policy = Policy { writable: vec![workspace.clone()], limits, ..Policy::default() };
        let plan = Plan { policy: Some(policy), minimum: Level::Bubblewrap };
        let session = "0195a3c1-7b00-7000-8000-000000000001".parse().unwrap();
        let walls = Arc::new(Walls::new(plan));
        let context = ToolContext { walls, ..ToolContext::alone(session, workspace, rules) };
        let cage = Self { directory, registry: Registry::built_in(), context };
        cage.put_canary();
        cage
    }

    async fn call(&self, tool: &str, args: Value) -> ToolOutput {
        dispatch(&self.registry, &call(tool, args.clone()), &args, &self.context).await
    }

    async fn shell(&self, command: &str) -> ToolOutput {
        self.call("shell_exec", json!({ "command": command })).await
    }

    fn put_canary(&self) {
        fs::write(self.context.workspace.join("canary"), CANARY).unwrap();
    }

    fn is_canary_there(&self) -> bool {
        is_canary(&self.context.workspace.join("canary"))
    }

    /// Nothing is tried unless walls stand, by their own word and by what they do, and unless the canary tells what runs.
    async fn check_walls(&self) {
        assert!(self.context.walls.sandbox().unwrap().level() >= Level::Bubblewrap);
        let outside = self.directory.path().canonicalize().unwrap();
        let probe =
            format!("echo x > '{0}/probe'; echo x > '{0}/canary'; rm -f '{0}/canary'", outside.display());
        self.shell(&probe).await;
        assert!(!outside.join("probe").exists(), "there are no walls: nothing is tried");
        assert!(is_canary(&outside.join("canary")), "there are no walls: nothing is tried");
        let output = self.shell("rm -f ./canary\necho ran").await;
        assert!(!output.is_error && !self.is_canary_there(), "{output:?}");
        self.put_canary();
    }
}

fn is_canary(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text == CANARY)
}

#[tokio::test]
async fn r26_no_bypasses_by_effect() {
    let cage = Cage::new();
    cage.check_walls().await;
    let cases = cases(BYPASS);
    assert!(cases.len() >= 400, "only {} cases", cases.len());
    let mut ran = Vec::new();
    let depth = cage.context.workspace.components().count();
    for (_, command) in &cases {
        // As many as lead to the root from here.
        let command = &command.replace("../../../../", &"../".repeat(depth));
        // On a line of its own, so that the rest means what it meant.
        let output = cage.shell(&format!("rm -f ./canary\n{command}")).await;
        if !cage.is_canary_there() || !output.is_error {
            ran.push(command.clone());
            cage.put_canary();
        }
    }
    println!("figure: bypass table by effect: {} commands sent to a shell, {} ran", cases.len(), ran.len());
    assert!(ran.is_empty(), "{} of {} ran: {ran:#?}", ran.len(), cases.len());
}

/// What a call gives its command beside the text.
#[tokio::test]
async fn r26_no_bypasses_by_effect_of_what_is_given() {
    let cage = Cage::new();
    cage.check_walls().await;
    let given = [
        ("rm -rf \"$D\"", json!({ "D": "/home/dev" })),
        ("rm -rf \"$D\"", json!({ "D": "/" })),
        ("rm -rf \"$TMPDIR/etc\"", json!({ "TMPDIR": "" })),
        ("rm -rf ~/etc", json!({ "HOME": "/" })),
        ("cd etc && rm -rf *", json!({ "CDPATH": "/" })),
        ("$D", json!({ "D": "rm -rf /" })),
        ("echo x >> \"$D\"", json!({ "D": "/etc/passwd" })),
        ("kill -9 \"$D\"", json!({ "D": -1 })),
        ("echo $((N))", json!({ "N": "a[$(id)]" })),
    ];
    let both = [("shell_exec", None), ("process", Some("start"))];
    let calls = both.iter().flat_map(|(tool, action)| given.iter().map(move |case| (tool, action, case)));
    for (tool, action, (command, env)) in calls {
        let mut args = json!({ "command": format!("rm -f ./canary\n{command}"), "env": env });
        if let Some(action) = action {
            args["action"] = (*action).into();
        }
        let output = cage.call(tool, args).await;
        assert!(output.is_error && cage.is_canary_there(), "{tool} {command} {env}: {output:?}");
    }
    let args = json!({ "command": "echo \"$D\"", "env": { "D": "/home/dev" } });
    assert!(!cage.call("shell_exec", args).await.is_error);
}

/// What is typed into a program that runs.
#[tokio::test]
async fn r26_no_bypasses_by_effect_of_what_is_typed() {
    let cage = Cage::new();
    cage.check_walls().await;
    let start = |command: &str, more: Value| {
        let mut args = json!({ "action": "start", "command": command });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    let mut number = 0;
    for (command, more, texts) in [
        ("bash", json!({ "cwd": "/" }), &["rm -f \"$OLDPWD/canary\"; rm -rf etc\n"][..]),
        ("bash", json!({ "env": { "D": "/" } }), &["rm -f canary; rm -rf \"$D\"\n"]),
        ("bash", json!({}), &["cd /\n", "rm -f \"$OLDPWD/canary\"; rm -rf etc\n"]),
        ("bash", json!({}), &["cd /", "\r", "rm -f \"$OLDPWD/canary\"; rm -rf etc\n"]),
        ("bash", json!({}), &["D=/\n", "rm -f canary; rm -rf \"$D\"\n"]),
        ("python3 -i", json!({}), &["import os\n", "os.system('rm -f canary; rm -rf /')\n"]),
        ("xargs rm -rf", json!({}), &["canary /\n"]),
        ("while read -r line; do cat \"$line\"; done > x; sh", json!({}), &["rm -f canary; rm -rf /\n"]),
    ] {
        let output = cage.call("process", start(command, more)).await;
        number += 1;
        assert!(output.card.is_none_or(|card| card.code == "COMMAND_FAILED"), "{command}");
        let mut outputs = Vec::new();
        for text in texts {
            outputs
                .push(cage.call("process", json!({ "action": "input", "id": number, "text": text })).await);
        }
        let (last, before) = outputs.split_last().unwrap();
        assert!(before.iter().all(|output| !output.is_error), "{command} {texts:?}: {before:?}");
        assert!(last.is_error && cage.is_canary_there(), "{command} {texts:?}: {last:?}");
        cage.call("process", json!({ "action": "stop", "id": number })).await;
    }
}
