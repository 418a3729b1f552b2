//! A folder with a manifest, or the workspace itself where there is none, and its sources in one language.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::draft::Draft;
use super::probes;
use super::signs::{self, pattern};
use super::source::{self, Evidence, Language};
use super::tree::{Tree, ending, is_aside, is_aside_folder, is_manifest, is_test_name, name, shown, stem};
use crate::plan::Service;

/// How many sources of one project are read. What serves is near the top.
const SOURCES_MAX: usize = 600;
/// How many files may lie between the one that serves and the one that is started.
const CLIMB_MAX: usize = 4;

/// A source without its comments.
pub(super) struct Code {
    pub(super) path: PathBuf,
    pub(super) language: Language,
    pub(super) text: String,
}

/// A project.
pub(super) struct Project {
    /// Relative to the workspace; empty: the workspace.
    pub(super) folder: PathBuf,
    /// All files of its language, those of tests too.
    pub(super) files: Vec<PathBuf>,
    /// Its sources without tests and examples.
    pub(super) sources: Vec<Code>,
}

/// The projects of a language: the folders with one of these manifests, and the workspace if something lies outside them.
pub(super) fn projects(tree: &Tree, manifests: &[&str], endings: &[&str]) -> Vec<Project> {
    let mut folders: BTreeSet<PathBuf> = tree
        .folders()
        .filter(|folder| !is_aside_folder(folder) && tree.first(folder, manifests).is_some())
        .map(Path::to_owned)
        .collect();
    let files: Vec<&Path> = tree.files().filter(|file| endings.contains(&ending(file))).collect();
    let is_loose = files.iter().any(|file| !is_aside(file) && home(&folders, file).is_none());
    if is_loose || folders.is_empty() && is_only_tests(tree, &files) {
        folders.insert(PathBuf::new());
    }
    folders
        .iter()
        .map(|folder| {
            let own: Vec<PathBuf> = files
                .iter()
                .filter(|file| home(&folders, file) == Some(folder))
                .map(|file| (*file).to_owned())
                .collect();
            Project { folder: folder.clone(), sources: sources(tree, folder, &own), files: own }
        })
        .collect()
}

/// Whether all that a workspace has are tests, some of them in these files. Tests of something else belong to that.
fn is_only_tests(tree: &Tree, files: &[&Path]) -> bool {
    let is_product = |file: &Path| !is_aside(file) && (Language::of(file).is_some() || is_manifest(file));
    files.iter().any(|file| is_test_name(name(file))) && !tree.files().any(is_product)
}

/// The innermost of these folders that a file lies in.
fn home<'a>(folders: &'a BTreeSet<PathBuf>, file: &Path) -> Option<&'a PathBuf> {
    file.ancestors().skip(1).find_map(|above| folders.get(above))
}

fn sources(tree: &Tree, folder: &Path, files: &[PathBuf]) -> Vec<Code> {
    let mut own: Vec<&PathBuf> =
        files.iter().filter(|file| !file.strip_prefix(folder).is_ok_and(is_aside)).collect();
    own.sort_by_key(|file| file.iter().count());
    let read = own.into_iter().take(SOURCES_MAX).filter_map(|file| {
        let language = Language::of(file)?;
        let text = source::code_only(language, &tree.text(file)?);
        Some(Code { path: file.clone(), language, text })
    });
    read.collect()
}

/// A file to start, and what shows that it keeps running.
pub(super) struct Entry {
    pub(super) file: PathBuf,
    /// Where the evidence stands: in that file, or in one that it uses.
    pub(super) seen_in: PathBuf,
    pub(super) evidence: Evidence,
}

impl Project {
    /// The files that are to be started, by what their sources say.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let mut found: Vec<Entry> = Vec::new();
        for code in &self.sources {
            let Some(evidence) = source::evidence(code.language, &code.path, &code.text) else { continue };
            let Some(file) = self.climb(code) else { continue };
            if !found.iter().any(|known| known.file == file) {
                found.push(Entry { file, seen_in: code.path.clone(), evidence });
            }
        }
        // A file that another entry uses is a part of that one.
        let used: Vec<PathBuf> = found
            .iter()
            .filter(|entry| {
                found.iter().any(|other| {
                    other.file != entry.file
                        && self.source(&other.file).is_some_and(|other| uses(other, &entry.file))
                })
            })
            .map(|entry| entry.file.clone())
            .collect();
        found.retain(|entry| !used.contains(&entry.file));
        found
    }

    pub(super) fn source(&self, file: &Path) -> Option<&Code> {
        self.sources.iter().find(|code| code.path == file)
    }

    /// From a file that serves to the one that is started: the one that uses it, and so on.
    fn climb(&self, code: &Code) -> Option<PathBuf> {
        let mut now = code;
        let mut passed = vec![code.path.as_path()];
        for _ in 0..CLIMB_MAX {
            let user = self
                .sources
                .iter()
                .find(|other| !passed.contains(&other.path.as_path()) && uses(other, &now.path));
            match user {
                Some(user) => {
                    passed.push(&user.path);
                    now = user;
                }
                None => break,
            }
        }
        if can_start(now) {
            return Some(now.path.clone());
        }
        can_start(code).then(|| code.path.clone())
    }

    /// Puts into a service what its sources tell: probes, logs, variables.
    pub(super) fn complete(
        &self,
        draft: &mut Draft<'_>,
        service: &mut Service,
        program: Option<&Path>,
        is_http: bool,
    ) {
        // What another program serves is not this one's.
        let entries: Vec<PathBuf> = self.entries().into_iter().map(|entry| entry.file).collect();
        let is_own = |code: &&Code| {
            Some(code.path.as_path()) == program || program.is_none() || !entries.contains(&code.path)
        };
        let own: Vec<&Code> = self.sources.iter().filter(is_own).collect();
        if is_http {
            service.probes = probes::http(draft, &self.folder, &own);
        }
        let tree = draft.tree;
        service.logs = signs::logs(&self.folder, own.iter().copied(), |folder| {
            tree.folders().any(|known| known == folder)
        });
        let joined: String = own.iter().map(|code| code.text.as_str()).collect::<Vec<_>>().join("\n");
        if let Some(bot) = signs::telegram(&joined) {
            bot_probe(draft, service, bot);
        }
    }
}

fn bot_probe(draft: &mut Draft<'_>, service: &mut Service, bot: signs::Telegram) {
    if let Some(base) = bot.api_base_env {
        service.probes.push(signs::message(&base));
        if let Some(token) = bot.token_env {
            service.env.push((token, signs::MADE_UP_TOKEN.to_owned()));
        }
    } else {
        draft.note(format!(
            "{} is a Telegram bot, but no variable gives it the address of the API, so that no message can be sent to it: \
             read the address from a variable such as TELEGRAM_API_BASE, and declare a `message` probe with it in .candor/verify.yaml",
            service.name
        ));
    }
}

/// Whether starting this file does something, and does not only define it.
fn can_start(code: &Code) -> bool {
    static TOP_LEVEL: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?m)^(?:[A-Za-z_][\w.]*\s*\(|await |while |for |with |try:|asyncio\.)"));
    match code.language {
        Language::Python => {
            code.text.contains("__main__")
                || (TOP_LEVEL.is_match(&code.text) && name(&code.path) != "__init__.py")
        }
        Language::Go => code.text.contains("package main") && code.text.contains("func main("),
        Language::Rust => code.text.contains("fn main("),
        Language::Java => code.text.contains("void main(") || code.text.contains("fun main("),
        Language::C => code.text.contains("main("),
        _ => true,
    }
}

static JS_IMPORT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?:require\(\s*|from\s+|import\s+|import\(\s*)['"`](\.{1,2}/[^'"`]+)['"`]"#));
static LINE_IMPORT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^\s*(?:from|import|require|require_relative|use|mod|\.|source)\b[^\n]*"));

/// Whether a source uses another one, as far as its imports tell.
fn uses(code: &Code, file: &Path) -> bool {
    if code.path == file {
        return false;
    }
    match code.language {
        Language::Js => JS_IMPORT.captures_iter(&code.text).filter_map(|found| found.get(1)).any(|import| {
            let target = plain(&code.path.parent().unwrap_or(Path::new("")).join(import.as_str()));
            let without = |path: &Path| path.with_extension("");
            target == file
                || without(&target) == without(file)
                || (stem(file) == "index" && file.parent() == Some(&target))
                || target == without(file)
        }),
        // `from handlers import messages`, `import app.server`: the name is there.
        Language::Python | Language::Ruby | Language::Shell | Language::Perl | Language::Php => {
            let wanted = if name(file) == "__init__.py" {
                file.parent().map_or("", |folder| name(folder))
            } else {
                stem(file)
            };
            LINE_IMPORT.find_iter(&code.text).any(|line| {
                line.as_str()
                    .split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '-'))
                    .any(|word| word == wanted)
            })
        }
        // Packages and modules, not files, are used there.
        Language::Go | Language::Rust | Language::Java | Language::C | Language::CSharp => false,
    }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::Normal(part) => out.push(part),
            _ => {}
        }
    }
    out
}

/// A path below a project's folder, as a shell in that folder would write it.
pub(super) fn inside(folder: &Path, file: &Path) -> String {
    candor_cards::quote(&shown(file.strip_prefix(folder).unwrap_or(file)))
}

/// Files below a folder, quoted and joined for a shell, as many as fit into a line; and how many did not.
pub(super) fn listed(folder: &Path, files: &[&Path], limit: usize) -> (String, usize) {
    let shown: Vec<String> = files.iter().take(limit).map(|file| inside(folder, file)).collect();
    (shown.join(" "), files.len().saturating_sub(limit))
}

/// A shell line that runs a command on each of these files and fails if one did.
pub(super) fn each(command: &str, files: &str) -> String {
    format!("s=0; for f in {files}; do {command} \"$f\" || s=1; done; exit $s")
}
