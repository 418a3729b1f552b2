//! Packages and files for Node that keep running.

use std::path::{Path, PathBuf};

use super::node::{Package, env, needs, run_script, script};
use crate::classify;
use crate::detect::danger::danger;
use crate::detect::draft::{Draft, from, line_of, service, words};
use crate::detect::project::inside;
use crate::detect::tree::{ending, name, stem};
use crate::plan::Service;

/// Scripts that start something, the best first.
const SCRIPTS: &[&str] = &["start", "dev", "serve", "preview", "server", "develop"];
/// Libraries that do nothing but serve.
const SERVERS: &[&str] = &[
    "express",
    "fastify",
    "koa",
    "@nestjs/core",
    "@hapi/hapi",
    "hono",
    "polka",
    "restify",
    "next",
    "nuxt",
    "vite",
    "astro",
    "json-server",
    "http-server",
    "serve",
    "socket.io",
    "@hono/node-server",
    "@apollo/server",
];

pub(super) fn detect(draft: &mut Draft<'_>, package: &Package<'_>) {
    if by_script(draft, package) {
        return;
    }
    for entry in package.project.entries() {
        let Some((command, programs)) = runner(package, &entry.file) else { continue };
        let why = format!("{} calls {}", name(&entry.seen_in), entry.evidence.what);
        let source = from(&entry.seen_in, Some(entry.evidence.line), why);
        let base = service(stem(&entry.file), command, &package.project.folder, source);
        push(draft, package, Service { needs: programs, ..base }, Some(&entry.file), entry.evidence.is_http);
    }
}

/// How a file is started; nothing for one that only a compiler can read and no tool here can.
fn runner(package: &Package<'_>, file: &Path) -> Option<(String, Vec<String>)> {
    let shown = inside(&package.project.folder, file);
    if package.installer == "bun" {
        return Some((format!("bun {shown}"), words(&["bun"])));
    }
    if matches!(ending(file), "js" | "mjs" | "cjs") {
        return Some((format!("node {shown}"), words(&["node"])));
    }
    let tool = ["tsx", "ts-node"].into_iter().find(|tool| package.deps.contains(*tool))?;
    Some((format!("npx --no-install {tool} {shown}"), words(&["node", "npx"])))
}

fn push(draft: &mut Draft<'_>, package: &Package<'_>, base: Service, program: Option<&Path>, is_http: bool) {
    let mut found = Service { env: env(), needs_files: package.modules.clone(), ..base };
    package.project.complete(draft, &mut found, program, is_http);
    draft.service(found, program);
}

struct Candidate<'m> {
    name: &'static str,
    body: &'m str,
    program: Option<PathBuf>,
    is_built: bool,
    is_http: bool,
}

fn by_script(draft: &mut Draft<'_>, package: &Package<'_>) -> bool {
    let Some(manifest) = &package.manifest else { return false };
    let mut found: Vec<Candidate<'_>> =
        SCRIPTS.iter().filter_map(|name| candidate(draft, package, name)).collect();
    // What must be built before is second to what needs nothing.
    found.sort_by_key(|candidate| !candidate.is_built);
    let Some(candidate) = found.into_iter().next() else { return false };
    let line = line_of(&manifest.text, &format!("\"{}\"", candidate.name));
    let why = format!("package.json has a script called {} ({})", candidate.name, candidate.body);
    let source = from(&package.file, line, why);
    let title = manifest
        .value
        .get("name")
        .and_then(|name| name.as_str())
        .filter(|name| !name.is_empty())
        .unwrap_or(candidate.name);
    let base = service(title, run_script(package.installer, candidate.name), &package.project.folder, source);
    push(
        draft,
        package,
        Service { needs: needs(package), ..base },
        candidate.program.as_deref(),
        candidate.is_http,
    );
    true
}

fn candidate<'m>(draft: &Draft<'_>, package: &'m Package<'_>, name: &'static str) -> Option<Candidate<'m>> {
    let body = script(package, name)?;
    if danger(body).is_some() {
        return None;
    }
    let folder = &package.project.folder;
    let target = target(body);
    let file = target.map(|target| folder.join(target.trim_start_matches("./")));
    let known = file.as_ref().and_then(|file| find_source(package, file));
    let entries = package.project.entries();
    let entry = known
        .as_ref()
        .and_then(|known| entries.iter().find(|entry| entry.file == *known || entry.seen_in == *known));
    let has_server = package.deps.iter().any(|dep| SERVERS.contains(&dep.as_str()));
    let is_built = match &file {
        Some(file) => draft.tree.exists(file) || known.is_some(),
        None => !needs_build(body, draft, folder),
    };
    // A file that can be read speaks for itself; one that is still to be built is believed for its libraries.
    let is_lasting = match (&known, entry) {
        (Some(_), Some(_)) => true,
        (Some(known), None) => {
            uses_entry(package, known) || (classify::service(body).is_some() && target.is_none())
        }
        (None, _) => {
            classify::service(body).is_some() || (target.is_some() && (has_server || !entries.is_empty()))
        }
    };
    let is_http = entry.map_or(
        has_server || target.is_none() || entries.iter().any(|entry| entry.evidence.is_http),
        |entry| entry.evidence.is_http,
    );
    is_lasting.then_some(Candidate { name, body, program: known, is_built, is_http })
}

/// Whether a file leads to one that serves: it climbs to itself from there.
fn uses_entry(package: &Package<'_>, file: &Path) -> bool {
    package.project.entries().iter().any(|entry| entry.file == file)
}

/// The file that a script gives to Node or a tool like it.
fn target(body: &str) -> Option<&str> {
    let last = body.rsplit("&&").next().unwrap_or(body);
    let mut parts = last
        .split_whitespace()
        .skip_while(|word| word.contains('=') || matches!(*word, "cross-env" | "npx" | "exec"));
    let program = parts.next()?;
    if !matches!(program, "node" | "nodemon" | "ts-node" | "tsx" | "bun" | "ts-node-dev" | "nodejs") {
        return None;
    }
    let mut last_option = "";
    parts.find(|word| {
        let takes_value = matches!(
            last_option,
            "-r" | "--require" | "--import" | "--loader" | "--exec" | "--watch-path" | "-w"
        );
        last_option = word;
        !word.starts_with('-') && !takes_value && !matches!(*word, "watch" | "run")
    })
}

/// The source that a target names, also without its ending or from what it is built to.
fn find_source(package: &Package<'_>, file: &Path) -> Option<PathBuf> {
    let tries = [
        file.to_owned(),
        file.with_extension("js"),
        file.join("index.js"),
        PathBuf::from(format!("{}.js", file.display())),
    ];
    tries.into_iter().find(|path| package.project.source(path).is_some())
}

/// Whether a script starts what another one must have made before.
fn needs_build(body: &str, draft: &Draft<'_>, folder: &Path) -> bool {
    let is_missing = |place: &str| !draft.tree.exists(&folder.join(place));
    (body.contains("next start") && is_missing(".next"))
        || (body.contains("preview") && is_missing("dist"))
        || ((body.contains("serve dist") || body.contains("serve -s build"))
            && is_missing("dist")
            && is_missing("build"))
}
