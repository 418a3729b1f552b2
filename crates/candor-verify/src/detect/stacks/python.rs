//! Python: pip, uv, poetry, pipenv; pytest and unittest; ruff, flake8, mypy, pyright.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::python_service;
use crate::detect::deps;
use crate::detect::draft::{Draft, check, from, in_temp, line_of, vars, words};
use crate::detect::manifest::{self, Format};
use crate::detect::project::{Project, projects};
use crate::detect::tree::{is_test_name, name, shown};
use crate::plan::{Check, CheckKind};

const MANIFESTS: &[&str] =
    &["pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "Pipfile", "manage.py"];

/// Folders whose files nobody wrote here, or which are broken on purpose.
const NOT_COMPILED: &str = r"/(\..*|node_modules|venv|env|site-packages|__pycache__|build|dist|vendor|target|fixtures|testdata|test_data|templates|.*\{\{.*)/";

/// What the check of syntax is called at the top of the workspace.
const SYNTAX: &str = "python syntax";

/// A Python project with what is known about it.
pub(super) struct Python<'p> {
    pub(super) project: &'p Project,
    /// How its interpreter is started.
    pub(super) run: String,
    pub(super) needs: Vec<String>,
    pub(super) deps: BTreeSet<String>,
    /// The manifest, or a source where there is none.
    pub(super) manifest: PathBuf,
}

/// Leaves no compiled files behind, and shows what is printed when it is printed.
pub(super) fn env() -> Vec<(String, String)> {
    vars(&[("PYTHONDONTWRITEBYTECODE", "1"), ("PYTHONUNBUFFERED", "1")])
}

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    let all = projects(draft.tree, MANIFESTS, &["py"]);
    for project in all.iter().filter(|project| !project.files.is_empty()) {
        let Some(python) = python(draft, project) else { continue };
        // Compiling goes through all folders: once from the top is enough.
        if !draft.checks().iter().any(|known| known.name == SYNTAX) {
            syntax(draft, &python);
        }
        install(draft, &python);
        tests(draft, &python);
        linters(draft, &python);
        python_service::detect(draft, &python);
    }
}

fn python<'p>(draft: &mut Draft<'_>, project: &'p Project) -> Option<Python<'p>> {
    let folder = &project.folder;
    let tree = draft.tree;
    // A broken one is a problem, and nothing more.
    manifest::read(draft, &folder.join("pyproject.toml"), Format::Toml);
    let deps = deps::python(&|name| tree.text(&folder.join(name)).map(|text| text.to_string()));
    let has = |name: &str| tree.has(&folder.join(name));
    let (run, needs, installer) = if let Some(own) =
        [".venv/bin/python", "venv/bin/python"].into_iter().find(|path| tree.exists(&folder.join(path)))
    {
        (own.to_owned(), Vec::new(), "own environment")
    } else if has("uv.lock") {
        ("uv run --offline --no-sync python".to_owned(), words(&["uv"]), "uv")
    } else if has("poetry.lock") {
        ("poetry run python".to_owned(), words(&["poetry"]), "poetry")
    } else if has("Pipfile.lock") {
        ("pipenv run python".to_owned(), words(&["pipenv"]), "pipenv")
    } else {
        ("python3".to_owned(), words(&["python3"]), if has("requirements.txt") { "pip" } else { "" })
    };
    let manifest = tree
        .first(folder, MANIFESTS)
        .or_else(|| project.sources.first().map(|code| code.path.clone()))
        .or_else(|| project.files.first().cloned())?;
    draft.stack(if installer.is_empty() { "python".to_owned() } else { format!("python ({installer})") });
    Some(Python { project, run, needs, deps, manifest })
}

/// Compiles into a folder that is thrown away. The compiler says what is wrong as Python itself would.
fn syntax(draft: &mut Draft<'_>, python: &Python<'_>) {
    let run = in_temp(&format!(
        "PYTHONPYCACHEPREFIX=\"$d\" {} -W ignore -m compileall -q -x '{NOT_COMPILED}' .",
        python.run
    ));
    let why = format!(
        "there are Python files, {} among them",
        python.project.files.first().map_or("", |file| name(file))
    );
    let source = from(&python.manifest, None, why);
    draft.check(Check {
        needs: python.needs.clone(),
        ..check(CheckKind::Syntax, SYNTAX, run, &python.project.folder, source)
    });
}

fn install(draft: &mut Draft<'_>, python: &Python<'_>) {
    let folder = &python.project.folder;
    let Some((file, run, needs)) = [
        ("uv.lock", "uv sync --frozen", "uv"),
        ("poetry.lock", "poetry install --no-interaction", "poetry"),
        ("Pipfile.lock", "pipenv sync --dev", "pipenv"),
        // A folder of its own, which says itself that it is not to be committed.
        ("requirements.txt", "python3 -m venv .venv && echo '*' > .venv/.gitignore && .venv/bin/python -m pip install -q -r requirements.txt", "python3"),
    ]
    .into_iter()
    .find(|(file, _, _)| draft.tree.has(&folder.join(file))) else {
        return;
    };
    let has_own = python.run.ends_with("venv/bin/python");
    if python.deps.is_empty() || (has_own && file == "requirements.txt") {
        return;
    }
    let source = from(&folder.join(file), None, format!("{file} names dependencies"));
    draft.check(Check {
        needs: words(&[needs]),
        ..check(CheckKind::Install, "python install", run, folder, source)
    });
}

/// What the tests of a project are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runner {
    Pytest,
    Unittest,
    Django,
}

fn tests(draft: &mut Draft<'_>, python: &Python<'_>) {
    let Some((runner, file, why)) = runner(draft, python) else { return };
    let folder = &python.project.folder;
    let (title, run) = match runner {
        // pytest is a module, with or without a program of its name: only running it tells whether it is there.
        Runner::Pytest => ("pytest", format!("{} -m pytest -q -p no:cacheprovider", python.run)),
        Runner::Unittest => ("unittest", unittest(draft, python)),
        Runner::Django => ("django test", format!("{} manage.py test --noinput", python.run)),
    };
    let source = from(&file, None, why);
    draft.check(Check {
        env: env(),
        needs: python.needs.clone(),
        ..check(CheckKind::Test, title, run, folder, source)
    });
}

fn runner(draft: &Draft<'_>, python: &Python<'_>) -> Option<(Runner, PathBuf, String)> {
    let folder = &python.project.folder;
    let tree = draft.tree;
    let tests: Vec<&PathBuf> = python
        .project
        .files
        .iter()
        .filter(|file| is_test_name(name(file)) || is_unittest_name(name(file)))
        .collect();
    let of = |wanted: &[&str]| {
        tests
            .iter()
            .copied()
            .find(|file| tree.text(file).is_some_and(|text| wanted.iter().any(|word| text.contains(word))))
    };
    let configured = [
        ("pytest.ini", ""),
        ("pyproject.toml", "[tool.pytest"),
        ("setup.cfg", "[tool:pytest]"),
        ("tox.ini", "[pytest]"),
        ("conftest.py", ""),
    ]
    .into_iter()
    .map(|(file, word)| (folder.join(file), word))
    .find(|(file, word)| tree.text(file).is_some_and(|text| text.contains(word)));
    // Nothing to run: helpers for tests are none.
    tests.iter().find(|file| name(file) != "conftest.py")?;
    if tree.has(&folder.join("manage.py")) && !python.deps.contains("pytest-django") && configured.is_none() {
        return Some((
            Runner::Django,
            folder.join("manage.py"),
            "manage.py runs the tests of a Django project".to_owned(),
        ));
    }
    if let Some((file, _)) = configured {
        let why = format!("{} configures pytest", name(&file));
        return Some((Runner::Pytest, file, why));
    }
    if python.deps.contains("pytest") {
        return Some((
            Runner::Pytest,
            python.manifest.clone(),
            "pytest is among the dependencies, and there are tests".to_owned(),
        ));
    }
    if let Some(file) = of(&["import pytest", "from pytest", "@pytest."]) {
        return Some((Runner::Pytest, file.clone(), format!("{} imports pytest", name(file))));
    }
    if let Some(file) = of(&["TestCase", "import unittest"]) {
        return Some((Runner::Unittest, file.clone(), format!("{} has tests for unittest", name(file))));
    }
    let file = of(&["def test_"])?;
    Some((Runner::Pytest, file.clone(), format!("{} has test functions, which only pytest runs", name(file))))
}

fn is_unittest_name(name: &str) -> bool {
    name.starts_with("test")
}

/// Discovery goes into packages only, so that each folder of tests that is none is named.
fn unittest(draft: &Draft<'_>, python: &Python<'_>) -> String {
    let folder = &python.project.folder;
    let mut places: BTreeSet<(String, &str)> = BTreeSet::new();
    for file in
        python.project.files.iter().filter(|file| is_test_name(name(file)) || is_unittest_name(name(file)))
    {
        let Some(parent) = file.parent().and_then(|parent| parent.strip_prefix(folder).ok()) else {
            continue;
        };
        let pattern = if name(file).starts_with("test") { "test*.py" } else { "*_test.py" };
        // The topmost folder from which everything down to the test is a package.
        let mut top = parent;
        while !top.as_os_str().is_empty() && draft.tree.has(&folder.join(top).join("__init__.py")) {
            top = top.parent().unwrap_or(Path::new(""));
        }
        places.insert((shown(top), pattern));
    }
    let lines = places.iter().map(|(place, pattern)| {
        let place =
            if place.is_empty() { String::new() } else { format!(" -s {}", candor_cards::quote(place)) };
        let pattern = if *pattern == "test*.py" { String::new() } else { format!(" -p '{pattern}'") };
        format!("{} -m unittest discover{place}{pattern}", python.run)
    });
    lines.collect::<Vec<_>>().join(" && ")
}

/// A linter or type checker runs where the project configures it.
fn linters(draft: &mut Draft<'_>, python: &Python<'_>) {
    /// What it is, its name, how it runs, and the files that configure it, each with the words that do.
    type Tool = (CheckKind, &'static str, &'static str, &'static [(&'static str, &'static str)]);
    const TOOLS: &[Tool] = &[
        (
            CheckKind::Lint,
            "ruff",
            "-m ruff check --no-cache -q .",
            &[("ruff.toml", ""), (".ruff.toml", ""), ("pyproject.toml", "[tool.ruff")],
        ),
        (
            CheckKind::Lint,
            "flake8",
            "-m flake8",
            &[(".flake8", ""), ("setup.cfg", "[flake8]"), ("tox.ini", "[flake8]")],
        ),
        (
            CheckKind::Types,
            "mypy",
            "-m mypy --cache-dir=/dev/null .",
            &[("mypy.ini", ""), ("pyproject.toml", "[tool.mypy"), ("setup.cfg", "[mypy]")],
        ),
        (
            CheckKind::Types,
            "pyright",
            "-m pyright",
            &[("pyrightconfig.json", ""), ("pyproject.toml", "[tool.pyright")],
        ),
    ];
    let folder = &python.project.folder;
    for (kind, title, run, places) in TOOLS {
        let found = places.iter().find_map(|(file, word)| {
            let file = folder.join(file);
            let text = draft.tree.text(&file)?;
            text.contains(word).then(|| (line_of(&text, word).filter(|_| !word.is_empty()), file))
        });
        let Some((line, file)) = found else { continue };
        let source = from(&file, line, format!("{} configures {title}", name(&file)));
        let run = format!("{} {run}", python.run);
        draft.check(Check {
            env: env(),
            needs: python.needs.clone(),
            ..check(*kind, title, run, folder, source)
        });
    }
}
