//! Packages of one workspace of npm, pnpm or bun, which runs a script in all of its parts by itself: one check for all of them,
//! where a profile has no room for one each.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use super::node::{Package, SCRIPTS, does_nothing, env, needs, script, unfit};
use crate::detect::draft::{Draft, check, from};
use crate::detect::manifest::{self, Format};
use crate::plan::{Check, CheckKind};

/// A script that the whole runs in its parts.
pub(super) struct Joined {
    /// Where the whole is among the packages.
    whole: usize,
    kind: CheckKind,
    name: &'static str,
    /// The folders of the parts.
    parts: Vec<PathBuf>,
}

impl Joined {
    /// Whether the script of this name in this folder is run with the others.
    pub(super) fn has(&self, name: &str, folder: &Path) -> bool {
        self.name == name && self.parts.iter().any(|part| part == folder)
    }
}

/// Whether a package is the whole of some parts.
pub(super) fn is_whole(draft: &Draft<'_>, package: &Package<'_>) -> bool {
    draft.tree.has(&package.project.folder.join("pnpm-workspace.yaml"))
        || package.manifest.as_ref().is_some_and(|manifest| manifest.value.get("workspaces").is_some())
}

/// The scripts that several parts of a whole have and that the whole does not run in them already.
pub(super) fn joined(draft: &mut Draft<'_>, packages: &[Package<'_>]) -> Vec<Joined> {
    let mut found = Vec::new();
    for (whole, root) in packages.iter().enumerate() {
        let folder = &root.project.folder;
        // yarn has two ways, and one of them fails where a part has no such script.
        if !is_whole(draft, root) || root.installer == "yarn" {
            continue;
        }
        let globs = globs(draft, root);
        let parts = packages.iter().filter(|package| {
            let below = package.project.folder.strip_prefix(folder);
            package.project.folder != *folder && below.is_ok_and(|below| is_part(&globs, below))
        });
        let parts: Vec<&Package<'_>> = parts.collect();
        for (kind, names) in SCRIPTS {
            for name in *names {
                let with: Vec<_> = parts.iter().filter(|part| is_first(part, names, name)).collect();
                let is_fit = with.iter().all(|part| {
                    script(part, name).is_some_and(|body| unfit(name, body).is_none())
                        && !does_nothing(part, name, 0)
                });
                if with.len() > 1 && is_fit && !asks_parts(draft, folder, name) {
                    let parts = with.iter().map(|part| part.project.folder.clone()).collect();
                    found.push(Joined { whole, kind: *kind, name, parts });
                }
            }
        }
    }
    found
}

/// Whether a script of the whole runs the same one in its parts.
pub(super) fn asks_parts(draft: &Draft<'_>, root: &Path, name: &str) -> bool {
    let Some(text) = draft.tree.text(&root.join("package.json")) else { return false };
    let Ok(value) = manifest::parse(&text, Format::Json) else { return false };
    let body = value
        .get("scripts")
        .and_then(|scripts| scripts.get(name))
        .and_then(Value::as_str)
        .unwrap_or_default();
    [
        "--workspaces",
        "-ws",
        "workspaces foreach",
        "pnpm -r",
        "--recursive",
        "turbo",
        "nx ",
        "lerna",
        "--filter",
    ]
    .iter()
    .any(|word| body.contains(word))
}

/// Puts them into the plan.
pub(super) fn add(draft: &mut Draft<'_>, packages: &[Package<'_>], joined: &[Joined]) {
    for Joined { whole, kind, name, parts } in joined {
        let Some(root) = packages.get(*whole) else { continue };
        let run = match root.installer {
            "pnpm" => format!("pnpm -r --if-present run {name}"),
            "bun" => format!("bun run --filter '*' {name}"),
            _ => format!("npm run --silent {name} --workspaces --if-present"),
        };
        let source = from(
            &root.file,
            None,
            format!("{} parts of this workspace have a script called {name}", parts.len()),
        );
        let mut env = env();
        if *kind == CheckKind::Test {
            env.push(("CI".to_owned(), "true".to_owned()));
        }
        let needs_modules = packages
            .iter()
            .any(|package| parts.contains(&package.project.folder) && !package.modules.is_empty());
        let title = format!("{} {name} of all parts", root.installer);
        draft.check(Check {
            env,
            needs: needs(root),
            needs_files: if needs_modules { vec!["node_modules".into()] } else { Vec::new() },
            ..check(*kind, &title, run, &root.project.folder, source)
        });
    }
}

/// Whether this is the script of its kind that a package is checked by.
fn is_first(package: &Package<'_>, names: &[&str], name: &str) -> bool {
    names.iter().find(|name| script(package, name).is_some()) == Some(&name)
}

/// What says which folders are parts, and which are not.
fn globs(draft: &mut Draft<'_>, root: &Package<'_>) -> Vec<(bool, GlobMatcher)> {
    let own = root.manifest.as_ref().and_then(|manifest| manifest.value.get("workspaces"));
    let own = own.map(|value| value.get("packages").unwrap_or(value).clone());
    let file = root.project.folder.join("pnpm-workspace.yaml");
    let pnpm = manifest::read(draft, &file, Format::Yaml);
    let pnpm = pnpm.and_then(|manifest| manifest.value.get("packages").cloned());
    let listed = own.into_iter().chain(pnpm);
    let texts: Vec<String> = listed
        .filter_map(|value| match value {
            Value::Array(items) => Some(items),
            _ => None,
        })
        .flatten()
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect();
    let glob = |text: &String| {
        let (is_part, text) = text.strip_prefix('!').map_or((true, text.as_str()), |rest| (false, rest));
        let text = text.trim_start_matches("./").trim_end_matches('/');
        Some((is_part, GlobBuilder::new(text).literal_separator(true).build().ok()?.compile_matcher()))
    };
    texts.iter().filter_map(glob).collect()
}

/// Whether a folder below the whole is a part of it: the last that matches decides.
fn is_part(globs: &[(bool, GlobMatcher)], folder: &Path) -> bool {
    globs.iter().rev().find(|(_, glob)| glob.is_match(folder)).is_some_and(|(is_part, _)| *is_part)
}
