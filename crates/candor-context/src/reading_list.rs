//! What to read first, made from what is there.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::config::Config;
use crate::source::{Content, Folder};
use crate::walk::walk;
use crate::{Error, Options, Segment, sections};

/// What tells people and agents what this is, by the beginnings of names in small letters, the most telling first.
const FIRST: &[&str] =
    &["readme", "agents.md", "claude.md", "architecture", "contributing", "changelog", "skill.md"];
/// What says how it is built, and from what.
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "requirements.txt",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "CMakeLists.txt",
    "Makefile",
    "justfile",
    "Dockerfile",
    "docker-compose.yml",
    "compose.yaml",
    "deno.json",
    "tsconfig.json",
    "flake.nix",
];
/// Where programs begin.
const ENTRIES: &[&str] = &[
    "main.rs",
    "lib.rs",
    "main.py",
    "__main__.py",
    "app.py",
    "manage.py",
    "index.js",
    "index.ts",
    "main.ts",
    "main.js",
    "server.js",
    "server.ts",
    "main.go",
    "Main.java",
    "main.c",
    "main.cpp",
    "Program.cs",
];
/// Folders in which programs begin that are not the thing itself.
const ASIDE: &[&str] = &["tests", "test", "benches", "examples", "fixtures", "testdata"];
/// Files further down are entries of something smaller.
const ENTRY_DEPTH_MAX: usize = 4;
/// How many of each are listed: a list that is too long is not read.
const LISTED_MAX: usize = 25;

/// The generated part of the reading list, in Markdown.
pub(crate) fn reading_list(segment: &Segment, config: &Config, options: &Options) -> Result<String, Error> {
    let walked = walk(segment, config, options)?;
    let folder = Folder::open(segment.root()).map_err(Error::io(segment.root()))?;
    let paths: Vec<&str> = walked
        .sources
        .iter()
        .map(|source| source.path.as_str())
        .filter(|path| !path.starts_with("_ctx/"))
        .collect();
    let mut list = String::new();
    list_files(&mut list, "Start here", &first(&paths), &folder);
    list_files(&mut list, "How it is built", &top_named(&paths, MANIFESTS), &folder);
    list_files(&mut list, "Where it begins", &entries(&paths), &folder);
    list_files(&mut list, "Documents", &documents(&paths), &folder);
    list_folders(&mut list, &paths);
    if list.is_empty() {
        list.push_str("\nThere is nothing to read here yet.\n");
    }
    Ok(list.trim_start().to_owned())
}

fn is_top(path: &&str) -> bool {
    !path.contains('/')
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn first<'p>(paths: &[&'p str]) -> Vec<&'p str> {
    let named = |start: &&str, path: &str| name(path).to_ascii_lowercase().starts_with(*start);
    FIRST
        .iter()
        .flat_map(|start| paths.iter().copied().filter(is_top).filter(move |path| named(start, path)))
        .collect()
}

fn top_named<'p>(paths: &[&'p str], names: &[&str]) -> Vec<&'p str> {
    paths.iter().copied().filter(is_top).filter(|path| names.contains(path)).collect()
}

fn entries<'p>(paths: &[&'p str]) -> Vec<&'p str> {
    let depth = |path: &str| path.matches('/').count();
    let is_aside = |path: &str| path.split('/').any(|folder| ASIDE.contains(&folder));
    let mut entries: Vec<&str> = paths
        .iter()
        .copied()
        .filter(|path| ENTRIES.contains(&name(path)) && depth(path) <= ENTRY_DEPTH_MAX && !is_aside(path))
        .collect();
    entries.sort_by_key(|path| depth(path));
    entries
}

fn documents<'p>(paths: &[&'p str]) -> Vec<&'p str> {
    let told = first(paths);
    let documents = paths.iter().copied().filter(|path| {
        let below = path.starts_with("docs/") || path.starts_with("doc/") || is_top(path);
        below && path.to_ascii_lowercase().ends_with(".md") && !told.contains(path)
    });
    documents.collect()
}

fn list_files(list: &mut String, title: &str, paths: &[&str], folder: &Folder) {
    if paths.is_empty() {
        return;
    }
    // Writing to a text does not fail, here and below.
    let _ = writeln!(list, "\n## {title}\n");
    for path in paths.iter().take(LISTED_MAX) {
        let _ = writeln!(list, "- [{}](<../{}>){}", shown(path), shown(path), about(path, folder));
    }
    if paths.len() > LISTED_MAX {
        let _ = writeln!(list, "- and {} more", paths.len() - LISTED_MAX);
    }
}

/// What the first heading of a document says.
fn about(path: &str, folder: &Folder) -> String {
    if !path.to_ascii_lowercase().ends_with(".md") {
        return String::new();
    }
    let Ok(Content::Text(text)) = folder.read(path) else { return String::new() };
    let first = sections(path, &text).into_iter().next();
    let title = first.and_then(|section| section.title_path.into_iter().next());
    title.filter(|title| title != name(path)).map_or_else(String::new, |title| format!(": {}", shown(&title)))
}

fn list_folders(list: &mut String, paths: &[&str]) {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for (folder, _) in paths.iter().filter_map(|path| path.split_once('/')) {
        *folders.entry(folder).or_default() += 1;
    }
    if folders.is_empty() {
        return;
    }
    list.push_str("\n## Folders\n\n");
    for (folder, count) in folders.iter().take(LISTED_MAX) {
        let files = if *count == 1 { "file" } else { "files" };
        let _ = writeln!(list, "- `{}/`: {count} {files}", shown(folder));
    }
}

/// In one line, and without what Markdown would take for something else.
fn shown(text: &str) -> String {
    text.replace(|c: char| c.is_control() || matches!(c, '<' | '>' | '[' | ']' | '`'), " ")
}
