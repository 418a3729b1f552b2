//! Files of hooks, and a rig that has some.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use candor_protocol::{Code, Failure};
use candor_tools::ToolOutput;
use candor_tools::hooks::{Found, HookFiles, Hooks, Listener, Occasion};
use candor_tools::trust::{Kind, Trust};
use serde_json::{Value, json};

use crate::rig::Rig;

/// What must not reach a hook, nor come back from one.
pub(crate) const SECRET: &str = "plain-words-7391-zebra";
pub(crate) const MASK: &str = "[REDACTED:a1b2c3]";

/// Hears what people are told, and keeps one secret.
#[derive(Default)]
pub(crate) struct Ear {
    told: Mutex<Vec<String>>,
}

impl Ear {
    pub(crate) fn told(&self) -> String {
        self.told.lock().unwrap().join("\n")
    }
}

impl Listener for Ear {
    fn hide(&self, text: &str) -> String {
        text.replace(SECRET, MASK)
    }

    fn reveal(&self, args: &Value) -> Result<Value, Failure> {
        Ok(serde_json::from_str(&args.to_string().replace(MASK, SECRET)).unwrap())
    }

    fn tell(&self, message: String) {
        self.told.lock().unwrap().push(message);
    }
}

/// A workspace and a home, with files of hooks in both.
pub(crate) struct Hooked {
    pub(crate) rig: Rig,
    pub(crate) files: HookFiles,
    pub(crate) trust: Arc<Trust>,
    pub(crate) ear: Arc<Ear>,
}

impl Hooked {
    pub(crate) fn new() -> Self {
        let mut rig = Rig::new();
        let home = rig.outside("home");
        fs::create_dir_all(&home).unwrap();
        rig.context.rules.snapshots = Some(home.join("snapshots"));
        rig.context.rules.env.push(("HOME".to_owned(), home.display().to_string()));
        let trust = Arc::new(Trust::new(home.join("trust.json")));
        let places = HookFiles::places(&home, &rig.context.workspace);
        let files = HookFiles::new(places, Arc::clone(&trust));
        Self { rig, files, trust, ear: Arc::default() }
    }

    /// With one command for one occasion, of the person's own.
    pub(crate) fn with(occasion: Occasion, matcher: &str, command: &str) -> Self {
        Self::with_own(&one(occasion, matcher, command))
    }

    /// With a file of the person's own.
    pub(crate) fn with_own(file: &Value) -> Self {
        let mut hooked = Self::new();
        hooked.write_own(&file.to_string());
        hooked.take_up();
        hooked
    }

    /// With a file of the workspace that a person has trusted.
    pub(crate) fn with_trusted(file: &Value) -> Self {
        let mut hooked = Self::new();
        hooked.write_inside(".claude/settings.json", &file.to_string());
        hooked.trust_all();
        hooked.take_up();
        hooked
    }

    pub(crate) fn own(&self) -> PathBuf {
        self.rig.outside("home/hooks.json")
    }

    pub(crate) fn write_own(&self, text: &str) {
        fs::write(self.own(), text).unwrap();
    }

    pub(crate) fn write_inside(&self, name: &str, text: &str) {
        let path = self.rig.inside(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn trust_all(&self) {
        for brought in self.files.found().into_iter().filter_map(|found| found.brought) {
            assert_eq!(brought.kind, Kind::Hooks);
            self.trust.add(brought).unwrap();
        }
    }

    /// What a run does at its beginning.
    pub(crate) fn take_up(&mut self) {
        self.rig.context.hooks =
            Arc::new(Hooks::new(self.files.now(), Arc::clone(&self.ear) as Arc<dyn Listener>));
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.rig.inside(name)).unwrap_or_default()
    }

    pub(crate) async fn shell(&self, command: &str) -> ToolOutput {
        self.rig.shell(command).await
    }
}

/// A file with one command.
pub(crate) fn one(occasion: Occasion, matcher: &str, command: &str) -> Value {
    let hooks = json!([{ "type": "command", "command": command }]);
    json!({ "hooks": { occasion.as_str(): [{ "matcher": matcher, "hooks": hooks }] } })
}

/// What the model was told: an error with this code.
#[track_caller]
pub(crate) fn check_blocked(output: &ToolOutput, code: Code, says: &str) {
    assert!(output.is_error, "{output:?}");
    assert_eq!(output.card.as_ref().unwrap().code, code.as_str(), "{output:?}");
    assert!(output.for_model.contains(says), "{says} is not in {}", output.for_model);
}

fn reasons(found: &[Found]) -> Vec<String> {
    let problems = found.iter().flat_map(|file| &file.problems);
    let fact = |failure: &Failure, name| failure.fact(name).unwrap_or_default().to_owned();
    problems
        .inspect(|failure| assert_eq!(failure.code, Code::HookFileInvalid))
        .map(|failure| format!("{}: {}", fact(failure, "entry"), fact(failure, "reason")))
        .collect()
}

#[test]
fn a_mistake_leaves_its_entry_out_and_the_others_work() {
    let hooked = Hooked::new();
    let good = json!({ "type": "command", "command": "true" });
    hooked.write_own(
        &json!({ "$schema": "x", "hooks": {
            "PreToolUse": [
                { "matcher": "Bash", "hooks": [good, { "type": "prompt", "prompt": "x" }, { "type": "command" }, 7] },
                { "matcher": "mcp__(", "hooks": [good] },
                { "matcher": 7, "hooks": [good] },
                { "hooks": "x" },
                { "hooks": [{ "type": "command", "command": "true", "timeout": "long", "async": true }] },
            ],
            "Notification": [{ "hooks": [good] }],
            "Stop": { "hooks": [good] },
        }})
        .to_string(),
    );
    hooked.write_inside(".candor/hooks.json", "{ \"hooks\": ");
    hooked.write_inside(".claude/settings.local.json", "{ \"permissions\": {} }");
    let found = hooked.files.found();
    let mut reasons = reasons(&found);
    reasons.sort();
    let expected = [
        "Notification: there is no such event",
        "PreToolUse[0].hooks[1]: the type `prompt` is not known",
        "PreToolUse[0].hooks[2]: it has no `command`",
        "PreToolUse[0].hooks[3]: it is no object",
        "PreToolUse[1]: the matcher is no regular expression",
        "PreToolUse[2]: `matcher` is no text",
        "PreToolUse[3]: it has no list `hooks`",
        "PreToolUse[4].hooks[0]: `timeout` is no number of seconds",
        "Stop: it is no list",
        "the whole file: EOF while parsing",
    ];
    assert_eq!(reasons.len(), expected.len(), "{reasons:#?}");
    for (reason, expected) in reasons.iter().zip(expected) {
        assert!(reason.starts_with(expected), "{reason} does not begin with {expected}");
    }
    assert_eq!(hooked.files.now().len(), 1);
}

#[test]
fn a_file_is_read_again_when_it_changes_and_within_bounds() {
    let hooked = Hooked::new();
    assert!(hooked.files.now().is_empty());
    hooked.write_own(&one(Occasion::Stop, "", "true").to_string());
    assert_eq!(hooked.files.now().len(), 1);
    let long = format!("{{ \"x\": \"{}\", \"hooks\": {{}} }}", "y".repeat(1 << 20));
    hooked.write_own(&long);
    assert!(hooked.files.now().is_empty());
    assert!(reasons(&hooked.files.found())[0].contains("larger than 262144 bytes"));
    let many: Vec<Value> =
        (0..200).map(|at| json!({ "type": "command", "command": format!("true {at}") })).collect();
    hooked.write_own(&json!({ "hooks": { "Stop": [{ "hooks": many }] } }).to_string());
    assert_eq!(hooked.files.now().len(), 128);
    fs::remove_file(hooked.own()).unwrap();
    crate::rig::fifo(&hooked.own());
    assert!(reasons(&hooked.files.found())[0].contains("it is no file"));
}

#[test]
fn trust_is_for_the_hooks_of_a_file_and_ends_with_a_change_of_them() {
    let hooked = Hooked::new();
    let file = |command: &str, model: &str| {
        let mut file = one(Occasion::Stop, "", command);
        file["model"] = model.into();
        file.to_string()
    };
    hooked.write_inside(".claude/settings.json", &file("true", "a"));
    assert!(hooked.files.now().is_empty(), "it was not trusted");
    hooked.trust_all();
    assert_eq!(hooked.files.now().len(), 1);
    hooked.write_inside(".claude/settings.json", &file("true", "another"));
    assert_eq!(hooked.files.now().len(), 1, "nothing that is run has changed");
    hooked.write_inside(".claude/settings.json", &file("touch made", "another"));
    assert!(hooked.files.now().is_empty(), "what is run has changed");
}

#[test]
fn only_a_persons_own_may_run_without_walls_and_times_are_bounded() {
    let hooked = Hooked::new();
    let hook = json!({ "type": "command", "command": "true", "walls": false, "timeout": 9999 });
    let file = json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } }).to_string();
    hooked.write_own(&file);
    hooked.write_inside(".candor/hooks.json", &file);
    hooked.trust_all();
    let now = hooked.files.now();
    assert_eq!((now.len(), now[0].is_own, now[0].is_walled, now[0].timeout.as_secs()), (1, true, false, 600));
    assert!(reasons(&hooked.files.found())[0].contains("only your own may say `walls`"));
}
