//! Python programs that keep running: frameworks first, then what a source plainly does.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::python::{Python, env};
use crate::detect::draft::{Draft, from, line_at, service};
use crate::detect::project::{Code, Entry, inside};
use crate::detect::signs::pattern;
use crate::detect::tree::{name, stem};
use crate::plan::Service;

static FLASK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^(\w+)\s*(?::[^=\n]+)?=\s*(?:flask\.)?(?:Flask|Quart)\("));
static ASGI: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^(\w+)\s*(?::[^=\n]+)?=\s*(?:fastapi\.|\w+\.)?(?:FastAPI|Starlette|Litestar|BlackSheep)\(")
});
static STREAMLIT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^(?:import streamlit|from streamlit)"));
static FACTORY: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^def (create_app|make_app)\(\s*\)"));

pub(super) fn detect(draft: &mut Draft<'_>, python: &Python<'_>) {
    let folder = &python.project.folder;
    if django(draft, python) {
        return;
    }
    let entries = python.project.entries();
    if !entries.iter().any(|entry| entry.evidence.is_http) {
        application(draft, python);
    }
    for entry in entries {
        if let Some(why) = wants_words(python.project.source(&entry.file)) {
            draft.note(format!(
                "{} keeps running ({}), but {why}: it is not started by itself",
                name(&entry.file),
                entry.evidence.what
            ));
            continue;
        }
        let file = inside(folder, &entry.file);
        let command =
            module_command(draft, python, &entry.file).unwrap_or_else(|| format!("{} {file}", python.run));
        add(draft, python, stem(&entry.file), &command, &entry);
    }
}

/// A file of a package that imports its neighbours by dots must be started as a module.
fn module_command(draft: &Draft<'_>, python: &Python<'_>, file: &Path) -> Option<String> {
    let relative = file.strip_prefix(&python.project.folder).ok()?;
    let package = file.parent()?;
    let code = python.project.source(file)?;
    let imports_by_dots = code.text.lines().any(|line| line.trim_start().starts_with("from ."));
    let imports_itself = relative.iter().count() > 1
        && code.text.lines().any(|line| {
            let line = line.trim_start();
            relative.iter().next().and_then(|top| top.to_str()).is_some_and(|top| {
                line.starts_with(&format!("from {top}."))
                    || line.starts_with(&format!("from {top} "))
                    || line.starts_with(&format!("import {top}."))
            })
        });
    if !(imports_itself || (imports_by_dots && draft.tree.has(&package.join("__init__.py")))) {
        return None;
    }
    Some(format!("{} -m {}", python.run, module(relative)?))
}

/// `app/main.py` is `app.main`, `bot/__main__.py` is `bot`.
fn module(relative: &Path) -> Option<String> {
    let mut parts: Vec<&str> = relative.iter().filter_map(|part| part.to_str()).collect();
    let last = parts.pop()?.strip_suffix(".py")?;
    if last != "__main__" && last != "__init__" {
        parts.push(last);
    }
    let joined = parts.join(".");
    let is_plain = !joined.is_empty()
        && joined.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '.');
    is_plain.then_some(joined)
}

fn add(draft: &mut Draft<'_>, python: &Python<'_>, title: &str, command: &str, entry: &Entry) {
    let why = format!("{} calls {}", name(&entry.seen_in), entry.evidence.what);
    let source = from(&entry.seen_in, Some(entry.evidence.line), why);
    push(
        draft,
        python,
        service(title, command, &python.project.folder, source),
        Some(&entry.file),
        entry.evidence.is_http,
    );
}

fn push(draft: &mut Draft<'_>, python: &Python<'_>, base: Service, program: Option<&Path>, is_http: bool) {
    let mut found = Service { env: env(), needs: python.needs.clone(), ..base };
    python.project.complete(draft, &mut found, program, is_http);
    draft.service(found, program);
}

/// Why a program cannot be started as it is: it has several commands, or needs a word.
fn wants_words(code: Option<&Code>) -> Option<&'static str> {
    let text = code?.text.as_str();
    if text.contains("add_subparsers(") || text.contains("@click.group") || text.contains("typer.Typer(") {
        return Some("it has several commands");
    }
    if text.contains("sys.argv[1]") && !text.contains("len(sys.argv)") && !text.contains("sys.argv[1:]") {
        return Some("it wants an argument");
    }
    None
}

fn django(draft: &mut Draft<'_>, python: &Python<'_>) -> bool {
    let folder = &python.project.folder;
    let manage = folder.join("manage.py");
    let is_django = python.project.source(&manage).is_some_and(|code| code.text.contains("django"));
    if is_django {
        draft.stack("django");
        let command = format!("{} manage.py runserver --noreload 127.0.0.1:8000", python.run);
        let source = from(&manage, None, "manage.py belongs to a Django project");
        push(draft, python, service("django", command, folder, source), Some(&manage), true);
    }
    is_django
}

/// An application that a server of its framework runs.
fn application(draft: &mut Draft<'_>, python: &Python<'_>) {
    let found = python.project.sources.iter().find_map(|code| framework(python, code));
    let Some(found) = found else { return };
    draft.stack(found.title);
    let source = from(&found.file, Some(found.line), found.why);
    push(
        draft,
        python,
        service(found.title, found.command, &python.project.folder, source),
        Some(&found.file),
        true,
    );
}

struct Framework {
    title: &'static str,
    command: String,
    file: PathBuf,
    line: u32,
    why: String,
}

fn framework(python: &Python<'_>, code: &Code) -> Option<Framework> {
    let folder = &python.project.folder;
    let relative = code.path.strip_prefix(folder).ok()?;
    let file = || code.path.clone();
    if let Some(found) = ASGI.captures(&code.text) {
        let line = line_at(&code.text, found.get(0)?.start());
        let variable = found.get(1)?.as_str();
        let command = format!(
            "{} -m uvicorn {}:{variable} --host 127.0.0.1 --port 8000",
            python.run,
            module(relative)?
        );
        return Some(Framework {
            title: "uvicorn",
            command,
            file: file(),
            line,
            why: format!("{} makes an ASGI application called {variable}", name(&code.path)),
        });
    }
    let flask = FLASK.captures(&code.text);
    let factory = FACTORY.captures(&code.text).filter(|_| code.text.contains("Flask("));
    if let Some(found) = flask.or(factory) {
        let line = line_at(&code.text, found.get(0)?.start());
        let (variable, module) = (found.get(1)?.as_str(), module(relative)?);
        let target = if variable == "app" || variable.ends_with("_app") {
            module
        } else {
            format!("{module}:{variable}")
        };
        let command = format!("{} -m flask --app {target} run --host 127.0.0.1 --port 5000", python.run);
        return Some(Framework {
            title: "flask",
            command,
            file: file(),
            line,
            why: format!("{} makes a Flask application", name(&code.path)),
        });
    }
    if let Some(found) = STREAMLIT.find(&code.text) {
        let command = format!(
            "{} -m streamlit run {} --server.headless true --server.port 8501",
            python.run,
            inside(folder, &code.path)
        );
        return Some(Framework {
            title: "streamlit",
            command,
            file: file(),
            line: line_at(&code.text, found.start()),
            why: format!("{} is a Streamlit page", name(&code.path)),
        });
    }
    None
}
