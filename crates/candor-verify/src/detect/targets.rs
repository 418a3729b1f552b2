//! Targets of Makefiles, justfiles and Taskfiles.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::danger::{danger, is_dangerous_name};
use super::draft::{Draft, check, from, line_at, line_of, service, words};
use super::manifest::{self, Format};
use super::purpose;
use super::signs::pattern;
use super::tree::{is_aside_folder, name};
use crate::classify;
use crate::plan::{Check, CheckKind, Service};

const MAKEFILES: &[&str] = &["Makefile", "makefile", "GNUmakefile"];
const JUSTFILES: &[&str] = &["justfile", "Justfile", ".justfile"];
const TASKFILES: &[&str] = &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"];

/// A target and the lines that it runs.
struct Target {
    name: String,
    body: String,
    line: Option<u32>,
    /// What is made or run before it.
    before: Vec<String>,
}

/// How far what a target leans on is followed.
const BEFORE_MAX: usize = 8;

pub(super) fn detect(draft: &mut Draft<'_>) {
    let folders: Vec<PathBuf> =
        draft.tree.folders().filter(|folder| !is_aside_folder(folder)).map(Path::to_owned).collect();
    for folder in folders {
        if let Some(file) = draft.tree.first(&folder, MAKEFILES) {
            let text = draft.tree.text(&file).unwrap_or_else(|| "".into());
            let targets = rules(&text);
            default_make(draft, &folder, &file, &targets);
            add(draft, &folder, &file, "make", "make -s", &targets);
        }
        if let Some(file) = draft.tree.first(&folder, JUSTFILES) {
            let targets = rules(&draft.tree.text(&file).unwrap_or_else(|| "".into()));
            add(draft, &folder, &file, "just", "just", &targets);
        }
        if let Some(file) = draft.tree.first(&folder, TASKFILES)
            && let Some(read) = manifest::read(draft, &file, Format::Yaml)
        {
            let targets = tasks(&read.value, &read.text);
            add(draft, &folder, &file, "task", "task --silent", &targets);
        }
    }
}

/// Rules of make and recipes of just look the same from here: a name, a colon, indented lines.
fn rules(text: &str) -> Vec<Target> {
    static RULE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^@?([A-Za-z0-9][\w./-]*)(?:\s+[\w=*+\x22']+)*\s*::?(?:[^=]|$)"));
    let mut found: Vec<Target> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.starts_with([' ', '\t']) {
            if let Some(last) = found.last_mut() {
                last.body.push_str(line.trim());
                last.body.push('\n');
            }
        } else if let Some(name) =
            RULE.captures(line).and_then(|found| found.get(1)).filter(|_| !line.contains(":="))
        {
            let before = line.split_once(':').map_or("", |(_, after)| after);
            // `target: a b ; recipe`.
            let (before, recipe) = before.trim_start_matches(':').split_once(';').unwrap_or((before, ""));
            found.push(Target {
                name: name.as_str().to_owned(),
                body: recipe.trim().to_owned(),
                line: u32::try_from(number + 1).ok(),
                before: before
                    .split('#')
                    .next()
                    .unwrap_or_default()
                    .split_whitespace()
                    .filter(|word| *word != ":")
                    .map(str::to_owned)
                    .collect(),
            });
        }
    }
    found
}

fn tasks(value: &Value, text: &str) -> Vec<Target> {
    let Some(tasks) = value.get("tasks").and_then(Value::as_object) else { return Vec::new() };
    let line = |name: &str| text.find(&format!("\n  {name}:")).map(|at| line_at(text, at + 1));
    tasks
        .iter()
        .map(|(name, task)| Target {
            name: name.clone(),
            body: commands(task),
            line: line(name),
            before: leans_on(task),
        })
        .collect()
}

/// The tasks that a task runs: before its own commands, and among them.
fn leans_on(task: &Value) -> Vec<String> {
    let name = |value: &Value| {
        let name = value.as_str().or_else(|| value.get("task").and_then(Value::as_str));
        name.map(str::to_owned)
    };
    let listed = |key: &str| task.get(key).and_then(Value::as_array).into_iter().flatten();
    let called = listed("cmds").filter(|command| command.get("task").is_some());
    listed("deps").chain(called).filter_map(name).collect()
}

fn commands(task: &Value) -> String {
    let list = |value: &Value| match value {
        Value::String(line) => line.clone(),
        other => other.get("cmd").and_then(Value::as_str).unwrap_or_default().to_owned(),
    };
    match task {
        Value::String(line) => line.clone(),
        Value::Array(lines) => lines.iter().map(list).collect::<Vec<_>>().join("\n"),
        other => match other.get("cmds").or_else(|| other.get("cmd")) {
            Some(Value::Array(lines)) => lines.iter().map(list).collect::<Vec<_>>().join("\n"),
            Some(Value::String(line)) => line.clone(),
            _ => String::new(),
        },
    }
}

/// Without a target of that name, what a Makefile does first is its build.
fn default_make(draft: &mut Draft<'_>, folder: &Path, file: &Path, targets: &[Target]) {
    let Some(first) = targets.first() else { return };
    let compiles = targets.iter().any(|target| {
        ["$(CC)", "$(CXX)", "gcc", "g++", "cc ", "clang"].iter().any(|word| target.body.contains(word))
    });
    let has_build = targets.iter().any(|target| purpose::of_name(&target.name) == Some(CheckKind::Build));
    if !compiles || has_build || draft.has_check(CheckKind::Build, folder) {
        return;
    }
    draft.stack("c/c++ (make)");
    if is_dangerous_name(&first.name) || danger(&first.body).is_some() {
        draft.note(format!(
            "{}: what make does first ({}) is not run, because of its words",
            name(file),
            first.name
        ));
        return;
    }
    let source = from(file, first.line, format!("{} builds {} first", name(file), first.name));
    draft.check(Check {
        needs: words(&["make"]),
        ..check(CheckKind::Build, "make", "make -s", folder, source)
    });
}

/// Whether making a target only prints something, and all that it leans on does no more. What is no target is a file, or comes
/// from a rule that is not read here.
fn does_nothing(target: &Target, targets: &[Target], depth: usize) -> bool {
    let lines = target.body.lines().map(|line| line.trim_start_matches(['@', '-', '+', ' ']));
    let is_idle = |name: &String| {
        let found = targets.iter().find(|other| other.name == *name);
        found.is_some_and(|other| depth < BEFORE_MAX && does_nothing(other, targets, depth + 1))
    };
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).all(classify::does_nothing)
        && target.before.iter().all(is_idle)
}

fn add(draft: &mut Draft<'_>, folder: &Path, file: &Path, program: &str, run: &str, targets: &[Target]) {
    for target in targets {
        if let Some(kind) = purpose::of_name(&target.name) {
            if does_nothing(target, targets, 0) {
                draft.note(format!("{}: {} is not run, because it does nothing", name(file), target.name));
                continue;
            }
            add_check(draft, folder, file, program, run, target, kind);
        } else if matches!(target.name.as_str(), "run" | "serve" | "start" | "dev" | "server") {
            add_service(draft, folder, file, program, run, target);
        }
    }
}

fn add_check(
    draft: &mut Draft<'_>,
    folder: &Path,
    file: &Path,
    program: &str,
    run: &str,
    target: &Target,
    kind: CheckKind,
) {
    if let Some(why) = danger(&target.body) {
        draft.note(format!("{}: {} is not run, because {why}", name(file), target.name));
        return;
    }
    let repeats = target.body.lines().filter_map(purpose::of_line).any(|(_, tool)| {
        draft
            .checks()
            .iter()
            .any(|known| known.cwd == folder && purpose::is_same(kind, &tool, known.kind, &known.run))
    });
    let is_second = draft
        .checks()
        .iter()
        .any(|known| known.cwd == folder && known.kind == kind && known.run.starts_with(run));
    if repeats || is_second {
        return;
    }
    let source = from(file, target.line, format!("{} has a target called {}", name(file), target.name));
    let line = format!("{run} {}", candor_cards::quote(&target.name));
    let title = format!("{program} {}", target.name);
    draft.check(Check { needs: words(&[program]), ..check(kind, &title, line, folder, source) });
}

/// A target that starts something, where nothing else of this folder does.
fn add_service(draft: &mut Draft<'_>, folder: &Path, file: &Path, program: &str, run: &str, target: &Target) {
    let starts =
        target.body.lines().map(|line| line.trim_start_matches(['@', '-'])).find_map(classify::service);
    if draft.has_service_in(folder) || danger(&target.body).is_some() {
        return;
    }
    let Some(starts) = starts else { return };
    let line = target.line.or_else(|| draft.tree.text(file).and_then(|text| line_of(&text, &target.name)));
    let source = from(
        file,
        line,
        format!("{} has a target called {} that starts {}", name(file), target.name, starts.command),
    );
    let found = service(&target.name, format!("{run} {}", candor_cards::quote(&target.name)), folder, source);
    draft.service(Service { needs: words(&[program]), ..found }, None);
}
