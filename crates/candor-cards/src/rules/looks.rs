//! Carries out the looks of a rule.

use regex::Regex;
use serde_json::Value;

use super::facts::Found;
use super::git::Git;
use super::rule::Look;
use super::tables;
use super::world::{Kind, World};
use crate::Command;
use crate::near::{nearest, nearest_file, nearest_program};

/// How deep a file is looked for by its name.
const DEPTH_MAX: usize = 4;
/// How many directories are looked into for it.
const DIRECTORIES_MAX: usize = 200;
/// Directories that hold other people's files.
const FOREIGN: &[&str] =
    &["node_modules", "target", ".git", ".venv", "venv", "vendor", "dist", "build", "__pycache__"];

/// What a look finds.
pub(crate) fn look(look: &Look, found: &Found, world: &dyn World) -> Option<String> {
    let of = |template: &str| found.prose(template);
    let is = |template: &str, wanted: Option<Kind>| {
        of(template)
            .filter(|path| world.kind(path).is_some_and(|kind| wanted.is_none_or(|wanted| kind == wanted)))
    };
    match look {
        Look::Exists(path) => is(path, None),
        Look::Missing(path) => of(path).filter(|path| world.kind(path).is_none()),
        Look::Directory(path) => is(path, Some(Kind::Directory)),
        Look::File(path) => is(path, Some(Kind::File)),
        Look::Parent(path) => parent(&of(path)?).map(str::to_owned),
        Look::Base(path) => of(path)?.trim_end_matches('/').rsplit('/').next().map(str::to_owned),
        Look::Interpreter(path) => interpreter(&of(path)?, world),
        Look::CarriageReturn(path) => {
            of(path).filter(|path| shebang(path, world).is_some_and(|line| line.ends_with('\r')))
        }
        Look::NearFile(path) if !changes_files(found) => near_file(&of(path)?, world),
        Look::NearFile(_) => None,
        Look::Near { word, among } => nearest(&of(word)?, among),
        Look::NearBranch(name) => nearest(&of(name)?, Git::find(world)?.branches()),
        Look::DefaultBranch => Git::find(world)?.default(),
        Look::CurrentBranch => Git::find(world)?.current(),
        Look::Remote => Git::find(world)?.remote(),
        Look::NearScript(name) => nearest(&of(name)?, scripts(world)),
        Look::Scripts => joined(&scripts(world)),
        Look::NearTarget(name) => nearest(&of(name)?, targets(world)),
        Look::Targets => joined(&targets(world)),
        Look::NearProgram(name) => nearest_program(&of(name)?, world.programs()),
        Look::Package(program) => tables::package(&of(program)?).map(str::to_owned),
        Look::PythonPackage(module) => python_package(&of(module)?),
        Look::Installer => installer(world).map(str::to_owned),
        Look::NodeInstaller => Some(node_installer(world).to_owned()),
        Look::Python => Some(python(world).to_owned()),
        Look::First(names) => names.iter().find_map(|name| {
            found.get(name).map(str::to_owned).or_else(|| of(name).filter(|_| name.contains('{')))
        }),
        Look::Words { of: text, from, to } => words(&of(text)?, from, to, found),
    }
}

fn parent(path: &str) -> Option<&str> {
    let (directory, _) = path.trim_end_matches('/').rsplit_once('/')?;
    (!directory.is_empty()).then_some(directory)
}

fn joined(words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| words.join(", "))
}

/// A text with some of its words replaced.
fn words(text: &str, from: &str, to: &str, found: &Found) -> Option<String> {
    // Between quotes that are there already nothing can be quoted.
    let is_quoted = text.contains(['\'', '"', '`', '\\']);
    let to = found.replacement(to, is_quoted)?;
    match found.whole(from) {
        Some(word) => replaced_word(text, word, &to.replace("$$", "$")),
        None => replaced(text, &found.pattern(from)?, &to),
    }
}

/// A command line with a word replaced wherever it stands by itself; where a program is named only if it stands nowhere else.
fn replaced_word(line: &str, word: &str, to: &str) -> Option<String> {
    let is_end = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || "'\"=:,;|&()<>".contains(c));
    let stands = |at: &usize| {
        let (before, after) = (line.get(..*at), line.get(at + word.len()..));
        // The dashes of an option belong to it.
        let before = before
            .map(|before| before.trim_end_matches('-'))
            .filter(|bare| bare.is_empty() || bare.ends_with(' ') || Some(*bare) == before);
        before.is_some_and(|before| is_end(before.chars().next_back()))
            && is_end(after.and_then(|after| after.chars().next()))
    };
    let is_program = |at: &usize| {
        let before = line.get(..*at).unwrap_or_default().trim_end();
        before.is_empty() || before.ends_with([';', '|', '&', '('])
    };
    let places: Vec<usize> = line.match_indices(word).map(|(at, _)| at).filter(stands).collect();
    let arguments: Vec<usize> = places.iter().copied().filter(|at| !is_program(at)).collect();
    let chosen = if arguments.is_empty() { places } else { arguments };
    let mut out = line.to_owned();
    for at in chosen.iter().rev() {
        out.replace_range(*at..at + word.len(), to);
    }
    (!chosen.is_empty()).then_some(out)
}

fn replaced(text: &str, from: &str, to: &str) -> Option<String> {
    let regex = Regex::new(from).ok()?;
    regex.is_match(text).then(|| regex.replace_all(text, to).into_owned())
}

/// Whether the command does something to the file itself: with another file it would do that to the wrong one.
fn changes_files(found: &Found) -> bool {
    const CHANGING: &[&str] =
        &["rm", "rmdir", "mv", "shred", "unlink", "truncate", "dd", "chmod", "chown", "source", "."];
    let command = Command::line(found.get("command").unwrap_or_default());
    command.programs().any(|program| CHANGING.contains(&program))
}

/// The nearest name in the same directory; else the same name somewhere below.
fn near_file(path: &str, world: &dyn World) -> Option<String> {
    let (directory, name) = match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some((directory, name)) => (directory, name),
        None => (".", path),
    };
    let beside = nearest_file(name, world.names(directory)).map(|near| match directory {
        "." => near,
        "/" => format!("/{near}"),
        directory => format!("{directory}/{near}"),
    });
    beside.or_else(|| elsewhere(name, world))
}

/// The file of this name, if there is one alone: which of several is meant is not for us to guess.
fn elsewhere(name: &str, world: &dyn World) -> Option<String> {
    let mut level = vec![String::new()];
    let mut looked = 0;
    let mut only = None;
    for _ in 0..DEPTH_MAX {
        let mut next = Vec::new();
        for directory in level {
            looked += 1;
            if looked > DIRECTORIES_MAX {
                return None;
            }
            let at = if directory.is_empty() { "." } else { directory.trim_end_matches('/') };
            let is_here = !directory.is_empty() && world.names(at).iter().any(|entry| entry == name);
            if is_here && only.replace(format!("{directory}{name}")).is_some() {
                return None;
            }
            let folders = world.folders(at).into_iter().filter(|entry| !FOREIGN.contains(&entry.as_str()));
            next.extend(folders.map(|entry| format!("{directory}{entry}/")));
        }
        level = next;
    }
    only
}

/// The first line of a script, when that names its interpreter.
fn shebang(path: &str, world: &dyn World) -> Option<String> {
    let text = world.read(path)?;
    text.strip_prefix("#!")?.split('\n').next().map(str::to_owned)
}

/// The program that runs a script: the one that `env` finds, or the one whose path is given.
fn interpreter(path: &str, world: &dyn World) -> Option<String> {
    let line = shebang(path, world)?;
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let of_env = first.ends_with("/env").then(|| words.find(|word| !word.starts_with('-'))).flatten();
    Some(of_env.unwrap_or(first).to_owned())
}

fn scripts(world: &dyn World) -> Vec<String> {
    let manifest = world.read("package.json").and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let names = |scripts: &Value| scripts.as_object().map(|scripts| scripts.keys().cloned().collect());
    manifest.and_then(|manifest| names(manifest.get("scripts")?)).unwrap_or_default()
}

/// The targets of a makefile that somebody may ask for by name.
fn targets(world: &dyn World) -> Vec<String> {
    let text = ["GNUmakefile", "makefile", "Makefile"]
        .into_iter()
        .find_map(|name| world.read(name))
        .unwrap_or_default();
    let mut targets: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with(['\t', '#', '.'])) {
        let Some((names, rest)) = line.split_once(':') else { continue };
        if rest.starts_with('=') || names.contains(['=', '$', '%']) {
            continue;
        }
        targets.extend(names.split_whitespace().map(str::to_owned));
    }
    targets.dedup();
    targets
}

fn python_package(module: &str) -> Option<String> {
    let top = module.split('.').next()?;
    let named = tables::module(module).or_else(|| tables::module(top));
    Some(named.map_or_else(|| top.replace('_', "-"), str::to_owned))
}

fn installer(world: &dyn World) -> Option<&'static str> {
    let has = |path: &str| world.kind(path).is_some();
    let known = [
        ("/usr/bin/apt-get", "apt-get install -y"),
        ("/usr/bin/dnf", "dnf install -y"),
        ("/sbin/apk", "apk add"),
        ("/opt/homebrew/bin/brew", "brew install"),
        ("/usr/local/bin/brew", "brew install"),
    ];
    known.into_iter().find(|(path, _)| has(path)).map(|(_, command)| command)
}

fn node_installer(world: &dyn World) -> &'static str {
    let has = |path: &str| world.kind(path).is_some();
    let known = [
        ("pnpm-lock.yaml", "pnpm add"),
        ("yarn.lock", "yarn add"),
        ("bun.lock", "bun add"),
        ("bun.lockb", "bun add"),
    ];
    known.into_iter().find(|(path, _)| has(path)).map_or("npm install", |(_, command)| command)
}

fn python(world: &dyn World) -> &'static str {
    [".venv/bin/python", "venv/bin/python"]
        .into_iter()
        .find(|path| world.kind(path).is_some())
        .unwrap_or("python3")
}
