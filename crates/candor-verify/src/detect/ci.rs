//! Steps of CI workflows that are plainly build, test, lint or types. Everything else that CI does is left to CI.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::danger::danger;
use super::draft::{Draft, check, from, line_of, vars, words};
use super::manifest::{self, Format};
use super::purpose;
use super::tree::{ending, name};
use crate::plan::{Check, CheckKind};

/// How many workflow files are read.
const FILES_MAX: usize = 20;

/// A line that CI runs.
struct Step {
    line: String,
    folder: PathBuf,
    env: Vec<(String, String)>,
}

pub(super) fn detect(draft: &mut Draft<'_>) {
    let mut files: Vec<PathBuf> = draft
        .tree
        .files_in(Path::new(".github/workflows"))
        .filter(|file| matches!(ending(file), "yml" | "yaml"))
        .map(Path::to_owned)
        .collect();
    files.truncate(FILES_MAX);
    files.extend(draft.tree.first(Path::new(""), &[".gitlab-ci.yml", ".gitlab-ci.yaml"]));
    for file in files {
        let Some(read) = manifest::read(draft, &file, Format::Yaml) else { continue };
        let steps =
            if name(&file).starts_with(".gitlab") { gitlab(&read.value) } else { github(&read.value) };
        for step in steps {
            add(draft, &file, &read.text, step);
        }
    }
}

fn github(value: &Value) -> Vec<Step> {
    let mut found = Vec::new();
    let jobs = value.get("jobs").and_then(Value::as_object).into_iter().flatten();
    for (name, job) in jobs {
        if danger(name).is_some() || job.get("environment").is_some() {
            continue;
        }
        let folder_of =
            |holder: &Value, path: &str| holder.pointer(path).and_then(Value::as_str).map(PathBuf::from);
        let default = folder_of(job, "/defaults/run/working-directory")
            .or_else(|| folder_of(value, "/defaults/run/working-directory"))
            .unwrap_or_default();
        for step in job.get("steps").and_then(Value::as_array).into_iter().flatten() {
            let Some(run) = step.get("run").and_then(Value::as_str) else { continue };
            let folder = folder_of(step, "/working-directory").unwrap_or_else(|| default.clone());
            let env = [job, step].into_iter().flat_map(variables).collect::<Option<Vec<_>>>();
            let Some(env) = env else { continue };
            found.extend(lines(run).map(|line| Step { line, folder: folder.clone(), env: env.clone() }));
        }
    }
    found
}

/// The variables of a job or step; nothing in the list for one that only CI can fill in.
fn variables(holder: &Value) -> Vec<Option<(String, String)>> {
    let Some(env) = holder.get("env").and_then(Value::as_object) else { return Vec::new() };
    env.iter()
        .map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            (!value.contains("${{")).then(|| (name.clone(), value))
        })
        .collect()
}

fn gitlab(value: &Value) -> Vec<Step> {
    let mut found = Vec::new();
    for (name, job) in value.as_object().into_iter().flatten() {
        if danger(name).is_some() || job.get("environment").is_some() {
            continue;
        }
        let scripts: Vec<&str> = match job.get("script") {
            Some(Value::String(line)) => vec![line],
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        found.extend(scripts.into_iter().flat_map(lines).map(|line| Step {
            line,
            folder: PathBuf::new(),
            env: Vec::new(),
        }));
    }
    found
}

/// The lines of a script. One that goes on, or that leans on the one before it, is none.
fn lines(script: &str) -> impl Iterator<Item = String> {
    let is_program = script.contains("\\\n")
        || script.contains("<<")
        || script.contains("\nif ")
        || script.contains("\nfor ");
    script
        .lines()
        .map(str::trim)
        .filter(move |line| !is_program && !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
}

fn add(draft: &mut Draft<'_>, file: &Path, text: &str, step: Step) {
    let Some((kind, program)) = purpose::of_line(&step.line) else { return };
    if step.folder.is_absolute()
        || step.folder.iter().any(|part| part == "..")
        || step.line.contains(['|', ';', '>', '`', '$', '&'])
    {
        return;
    }
    if let Some(why) = danger(&step.line) {
        draft.note(format!("{}: `{}` is not run, because {why}", name(file), step.line));
        return;
    }
    let folder: PathBuf =
        step.folder.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect();
    let repeats = draft.checks().iter().any(|known| {
        let is_near = known.cwd == folder || folder.as_os_str().is_empty();
        is_near
            && (purpose::is_same(kind, &program, known.kind, &known.run)
                || is_build_again(kind, &program, known))
    });
    if repeats {
        return;
    }
    let source = from(file, line_of(text, &step.line), format!("{} runs this", name(file)));
    let mut env = step.env;
    env.extend(
        vars(&[("CARGO_NET_OFFLINE", "true"), ("GOPROXY", "off"), ("GOTOOLCHAIN", "local")])
            .into_iter()
            .filter(|(name, _)| {
                (program == "cargo" && name.starts_with("CARGO"))
                    || (program == "go" && name.starts_with("GO"))
            }),
    );
    let first = step.line.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
    let needs = if first.contains('/') { Vec::new() } else { words(&[first]) };
    let title = format!("ci {program} {kind}");
    draft.check(Check { env, needs, ..check(kind, &title, step.line.clone(), &folder, source) });
}

/// `cargo check` says nothing that `cargo build` does not.
fn is_build_again(kind: CheckKind, program: &str, known: &Check) -> bool {
    let is_compile = |kind| matches!(kind, CheckKind::Build | CheckKind::Types);
    is_compile(kind)
        && is_compile(known.kind)
        && purpose::is_same(known.kind, program, known.kind, &known.run)
}
