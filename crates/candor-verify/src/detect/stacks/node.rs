//! Node: npm, yarn, pnpm and bun; the scripts of `package.json`, TypeScript, plain files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::node_parts::{self, Joined};
use super::node_service;
use super::node_tests;
use crate::classify;
use crate::detect::danger::{danger, is_dangerous_name};
use crate::detect::deps;
use crate::detect::draft::{Draft, check, from, line_of, vars, words};
use crate::detect::manifest::{self, Format, Manifest, text_at};
use crate::detect::project::{Project, each, listed, projects};
use crate::detect::tree::{ending, name};
use crate::plan::{Check, CheckKind};

/// How many files are looked at one by one. Each costs the start of a process.
pub(super) const FILES_MAX: usize = 80;

/// A package with what is known about it.
pub(super) struct Package<'p> {
    pub(super) project: &'p Project,
    pub(super) file: PathBuf,
    pub(super) manifest: Option<Manifest>,
    /// npm, yarn, pnpm or bun.
    pub(super) installer: &'static str,
    pub(super) deps: BTreeSet<String>,
    /// Where the dependencies are, relative to the package; nothing: it has none.
    pub(super) modules: Vec<PathBuf>,
}

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    if draft.tree.files().any(|file| matches!(name(file), "deno.json" | "deno.jsonc"))
        && !draft.tree.files().any(|file| name(file) == "package.json")
    {
        return;
    }
    let all = projects(draft.tree, &["package.json"], &["js", "mjs", "cjs", "ts", "mts", "tsx", "jsx"]);
    let mut roots: Vec<(PathBuf, &'static str)> = Vec::new();
    let mut packages = Vec::new();
    for project in &all {
        let package = package(draft, project, &roots);
        if node_parts::is_whole(draft, &package) {
            roots.push((project.folder.clone(), package.installer));
        }
        if package.manifest.is_some() || is_for_node(draft, &package) {
            packages.push(package);
        }
    }
    let joined = node_parts::joined(draft, &packages);
    for package in &packages {
        stack(draft, package);
        install(draft, package, &roots);
        scripts(draft, package, &roots, &joined);
        node_tests::detect(draft, package);
        types(draft, package);
        syntax(draft, package);
        node_service::detect(draft, package);
    }
    node_parts::add(draft, &packages, &joined);
}

/// Whether files without a manifest are meant for Node and not for a browser.
fn is_for_node(draft: &Draft<'_>, package: &Package<'_>) -> bool {
    let is_meant = package.project.sources.iter().any(|code| {
        code.text.contains("require(")
            || code.text.contains("process.")
            || code.text.contains("'node:")
            || code.text.contains("\"node:")
            || code.text.contains("from 'http'")
    });
    is_meant || !node_tests::own(draft, package).is_empty()
}

fn package<'p>(
    draft: &mut Draft<'_>,
    project: &'p Project,
    roots: &[(PathBuf, &'static str)],
) -> Package<'p> {
    let folder = &project.folder;
    let file = folder.join("package.json");
    let manifest = manifest::read(draft, &file, Format::Json);
    let deps = manifest.as_ref().map(|manifest| deps::node(&manifest.value)).unwrap_or_default();
    let root = roots.iter().rev().find(|(root, _)| folder != root && folder.starts_with(root));
    let installer = installer(draft, folder, manifest.as_ref())
        .or(root.map(|(_, installer)| *installer))
        .unwrap_or("npm");
    let mut modules = Vec::new();
    if manifest.as_ref().is_some_and(|manifest| needs_modules(&manifest.value)) {
        // The dependencies of a part are with the whole, or with itself.
        let up = root
            .filter(|_| !draft.tree.exists(&folder.join("node_modules")))
            .map_or(0, |(root, _)| folder.iter().count() - root.iter().count());
        modules.push(std::iter::repeat_n("..", up).collect::<PathBuf>().join("node_modules"));
    }
    let file = if manifest.is_some() {
        file
    } else {
        project.sources.first().map_or(file, |code| code.path.clone())
    };
    Package { project, file, manifest, installer, deps, modules }
}

fn needs_modules(value: &Value) -> bool {
    ["/dependencies", "/devDependencies"].into_iter().any(|path| !manifest::keys(value, path).is_empty())
}

fn installer(draft: &Draft<'_>, folder: &Path, manifest: Option<&Manifest>) -> Option<&'static str> {
    const LOCKS: &[(&str, &str)] = &[
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lockb", "bun"),
        ("bun.lock", "bun"),
        ("package-lock.json", "npm"),
        ("npm-shrinkwrap.json", "npm"),
    ];
    let said = manifest
        .and_then(|manifest| text_at(&manifest.value, "/packageManager"))
        .and_then(|text| text.split('@').next());
    let by_name = ["npm", "yarn", "pnpm", "bun"].into_iter().find(|known| said == Some(known));
    by_name.or_else(|| {
        LOCKS.iter().find(|(file, _)| draft.tree.has(&folder.join(file))).map(|(_, installer)| *installer)
    })
}

fn stack(draft: &mut Draft<'_>, package: &Package<'_>) {
    const FRAMEWORKS: &[&str] = &[
        "vite",
        "next",
        "nuxt",
        "astro",
        "express",
        "fastify",
        "koa",
        "@nestjs/core",
        "hono",
        "react",
        "vue",
        "svelte",
        "typescript",
    ];
    let found: Vec<&str> = FRAMEWORKS
        .iter()
        .filter(|name| package.deps.contains(**name))
        .map(|name| if *name == "@nestjs/core" { "nest" } else { *name })
        .collect();
    let inner = [&[package.installer], found.as_slice()].concat().join(", ");
    draft.stack(if package.manifest.is_some() { format!("node ({inner})") } else { "node".to_owned() });
}

/// The programs that a package's installer needs.
pub(super) fn needs(package: &Package<'_>) -> Vec<String> {
    if package.installer == "bun" { words(&["bun"]) } else { words(&["node", package.installer]) }
}

/// Keeps the managers from asking their registry about themselves.
pub(super) fn env() -> Vec<(String, String)> {
    vars(&[("npm_config_update_notifier", "false"), ("NEXT_TELEMETRY_DISABLED", "1")])
}

fn install(draft: &mut Draft<'_>, package: &Package<'_>, roots: &[(PathBuf, &'static str)]) {
    let folder = &package.project.folder;
    let is_member = roots.iter().any(|(root, _)| root != folder && folder.starts_with(root));
    if package.modules.is_empty() || is_member {
        return;
    }
    let has = |file: &str| draft.tree.has(&folder.join(file));
    let run = match package.installer {
        "pnpm" => "pnpm install --frozen-lockfile",
        "yarn" if has(".yarnrc.yml") => "yarn install --immutable",
        "yarn" => "yarn install --frozen-lockfile",
        "bun" => "bun install --frozen-lockfile",
        _ if has("package-lock.json") || has("npm-shrinkwrap.json") => "npm ci --no-audit --no-fund",
        _ => "npm install --no-audit --no-fund --no-package-lock",
    };
    let source = from(&package.file, None, "package.json names dependencies");
    draft.check(Check {
        env: env(),
        needs: needs(package),
        ..check(CheckKind::Install, "node install", run, folder, source)
    });
}

/// Which script is for what. The first of each kind that exists is taken.
pub(super) const SCRIPTS: &[(CheckKind, &[&str])] = &[
    (CheckKind::Build, &["build", "compile"]),
    (CheckKind::Types, &["typecheck", "type-check", "types", "check-types", "check:types", "tsc"]),
    (CheckKind::Test, &["test", "test:unit", "unit"]),
    (CheckKind::Lint, &["lint", "lint:check", "eslint"]),
];

/// The scripts of a package, by name.
pub(super) fn script<'m>(package: &'m Package<'_>, name: &str) -> Option<&'m str> {
    package
        .manifest
        .as_ref()?
        .value
        .get("scripts")?
        .get(name)?
        .as_str()
        .filter(|body| !body.trim().is_empty())
}

fn scripts(
    draft: &mut Draft<'_>,
    package: &Package<'_>,
    roots: &[(PathBuf, &'static str)],
    joined: &[Joined],
) {
    let Some(manifest) = &package.manifest else { return };
    for (kind, names) in SCRIPTS {
        let Some((name, body)) = names.iter().find_map(|name| Some((*name, script(package, name)?))) else {
            continue;
        };
        // The whole asks its parts itself.
        let is_asked_above = roots.iter().any(|(root, _)| {
            *root != package.project.folder
                && package.project.folder.starts_with(root)
                && node_parts::asks_parts(draft, root, name)
        });
        if is_asked_above || joined.iter().any(|joined| joined.has(name, &package.project.folder)) {
            continue;
        }
        if body.contains("no test specified") || does_nothing(package, name, 0) {
            draft.note(format!("package.json: the script {name} is not run, because it does nothing"));
            continue;
        }
        if *kind != CheckKind::Test && classify::ends_well_anyway(body) {
            draft.note(format!(
                "package.json: the script {name} is not run, because it ends well whatever fails"
            ));
            continue;
        }
        if let Some(why) = unfit(name, body) {
            draft.note(format!("package.json: the script {name} is not run, because {why}"));
            continue;
        }
        let line = line_of(&manifest.text, &format!("\"{name}\""));
        let source = from(&package.file, line, format!("package.json has a script called {name}"));
        let run = run_script(package.installer, name);
        let title = run.replace(" --silent", "");
        let mut env = env();
        if *kind == CheckKind::Test {
            // Without it some runners wait for changes.
            env.push(("CI".to_owned(), "true".to_owned()));
        }
        draft.check(Check {
            env,
            needs: needs(package),
            needs_files: package.modules.clone(),
            ..check(*kind, &title, run, &package.project.folder, source)
        });
    }
}

/// How far scripts that run others are followed.
const SCRIPTS_DEPTH_MAX: usize = 8;

/// Whether a script only prints something, with those that run before and after it and those that it runs.
pub(super) fn does_nothing(package: &Package<'_>, name: &str, depth: usize) -> bool {
    let is_idle = |name: &str| depth < SCRIPTS_DEPTH_MAX && does_nothing(package, name, depth + 1);
    let runs_idle = |words: &[&str]| match words {
        ["npm" | "yarn" | "pnpm" | "bun", rest @ ..] => {
            let mut names = rest.iter().filter(|word| !word.starts_with('-') && **word != "run");
            matches!((names.next(), names.next()), (Some(name), None) if is_idle(name))
        }
        _ => false,
    };
    let Some(body) = script(package, name) else { return false };
    let around = ["pre", "post"].map(|when| format!("{when}{name}"));
    classify::does_nothing_by(body, &runs_idle)
        && around.iter().all(|name| script(package, name).is_none() || is_idle(name))
}

/// A script as its installer runs it.
pub(super) fn run_script(installer: &str, name: &str) -> String {
    match (installer, name) {
        ("npm", "test") => "npm test --silent".to_owned(),
        ("npm", "start") => "npm start --silent".to_owned(),
        ("npm", _) => format!("npm run --silent {name}"),
        (installer, _) => format!("{installer} run {name}"),
    }
}

/// Why a script is no check, if it is none.
pub(super) fn unfit(name: &str, body: &str) -> Option<String> {
    if is_dangerous_name(name) {
        return Some("of its name".to_owned());
    }
    let watches =
        body.split_whitespace().any(|word| matches!(word, "--watch" | "-w" | "--watchAll" | "--watch=true"));
    if watches && !body.contains("--watch=false") {
        return Some("it waits for changes".to_owned());
    }
    danger(body)
}

fn types(draft: &mut Draft<'_>, package: &Package<'_>) {
    let folder = &package.project.folder;
    let file = folder.join("tsconfig.json");
    let Some(config) = manifest::read(draft, &file, Format::Jsonc) else { return };
    let compiles = ["build", "compile"]
        .into_iter()
        .filter_map(|name| script(package, name))
        .any(|body| body.contains("tsc"));
    // A project of several configurations is built by its own script, or not at all.
    let is_split = config.value.get("references").is_some()
        || config.value.pointer("/compilerOptions/composite").is_some();
    if compiles
        || is_split
        || draft.has_check(CheckKind::Types, folder)
        || !package.deps.contains("typescript")
    {
        return;
    }
    let source = from(&file, None, "tsconfig.json configures TypeScript");
    draft.check(Check {
        env: env(),
        needs: words(&["node", "npx"]),
        needs_files: package.modules.clone(),
        ..check(CheckKind::Types, "tsc", "npx --no-install tsc --noEmit", folder, source)
    });
}

/// Files that Node itself reads. What a bundler reads first may hold more than JavaScript.
fn syntax(draft: &mut Draft<'_>, package: &Package<'_>) {
    const BROWSER: &[&str] = &["public", "static", "assets", "www", "client", "frontend", "web"];
    const TRANSLATED: &[&str] = &[
        "react",
        "preact",
        "vite",
        "next",
        "webpack",
        "flow-bin",
        "@babel/core",
        "svelte",
        "vue",
        "parcel",
        "solid-js",
        "react-native",
    ];
    let folder = &package.project.folder;
    if TRANSLATED.iter().any(|dep| package.deps.contains(*dep)) {
        return;
    }
    let is_module =
        package.manifest.as_ref().is_some_and(|manifest| text_at(&manifest.value, "/type") == Some("module"));
    let files: Vec<&Path> = package
        .project
        .sources
        .iter()
        .filter(|code| {
            // Below the package: that itself may lie in a folder called web.
            let path = code.path.strip_prefix(folder).unwrap_or(&code.path);
            let is_ours = !path.iter().any(|part| part.to_str().is_some_and(|part| BROWSER.contains(&part)));
            let says_module =
                code.text.lines().any(|line| line.starts_with("import ") || line.starts_with("export "));
            is_ours
                && matches!(ending(&code.path), "js" | "cjs" | "mjs")
                && (is_module || !says_module || ending(&code.path) == "mjs")
        })
        .map(|code| code.path.as_path())
        .collect();
    if files.is_empty() {
        return;
    }
    let (list, left) = listed(folder, &files, FILES_MAX);
    if left > 0 {
        draft.note(format!(
            "the syntax of {left} JavaScript files is not checked one by one: {FILES_MAX} are"
        ));
    }
    let source = from(&package.file, None, "there are JavaScript files that Node reads as they are");
    draft.check(Check {
        needs: words(&["node"]),
        ..check(CheckKind::Syntax, "node syntax", each("node --check", &list), folder, source)
    });
}
