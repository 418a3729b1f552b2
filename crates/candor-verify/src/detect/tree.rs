//! What lies in a workspace, as far as it is looked at. The one place that reads folders and files here, and its bounds.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::plain::open_plain;

/// How many directory entries are looked at. Projects have fewer; a disk full of data has more.
const ENTRIES_MAX: usize = 20_000;
/// How many of them in one folder: a heap of data must not use up what the sources need.
const FOLDER_ENTRIES_MAX: usize = 5_000;
/// How deep.
const DEPTH_MAX: usize = 6;
/// A larger file was not written by hand.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// How much is read in all.
const READ_BYTES_MAX: u64 = 48 << 20;

/// Folders of what is brought, built or kept for speed.
const SKIPPED: &[&str] = &[
    "node_modules",
    "bower_components",
    "target",
    "venv",
    "vendor",
    "dist",
    "build",
    "_build",
    "__pycache__",
    "site-packages",
    "coverage",
    "htmlcov",
    "obj",
    "Pods",
    "DerivedData",
];

/// Folders with a dot that tell how a project is checked.
const DOTTED: &[&str] = &[".github", ".gitlab"];

/// Folders whose contents show or try something, and are not the product.
const ASIDE: &[&str] = &[
    "__tests__",
    "bench",
    "benches",
    "benchmarks",
    "demo",
    "demos",
    "doc",
    "docs",
    "e2e",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
    "sample",
    "samples",
    "spec",
    "specs",
    "template",
    "templates",
    "test",
    "test-data",
    "test_data",
    "testdata",
    "tests",
    "third_party",
    "third-party",
    "migrations",
];

/// Files that say what a project is. They are asked for by name where a folder has too many entries to see them all.
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "CMakeLists.txt",
    "Gemfile",
    "Makefile",
    "Package.swift",
    "Procfile",
    "bot.py",
    "build.gradle",
    "build.gradle.kts",
    "compose.yaml",
    "composer.json",
    "deno.json",
    "docker-compose.yml",
    "go.mod",
    "index.html",
    "justfile",
    "main.py",
    "app.py",
    "manage.py",
    "mix.exs",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "requirements.txt",
    "server.js",
    "tsconfig.json",
];

/// The files of a workspace, relative to it, in the order of their names.
pub(super) struct Tree {
    root: PathBuf,
    files: BTreeSet<PathBuf>,
    /// The files of each folder that was looked into.
    folders: BTreeMap<PathBuf, Vec<PathBuf>>,
    texts: RefCell<HashMap<PathBuf, Option<Rc<str>>>>,
    read_bytes: Cell<u64>,
    /// What was not looked at, for people.
    pub(super) left_out: Vec<String>,
}

impl Tree {
    /// Looks through a workspace, folder by folder, those nearest to its root first. No link is followed.
    pub(super) fn walk(root: &Path) -> Self {
        let mut tree = Self {
            root: root.to_owned(),
            files: BTreeSet::new(),
            folders: BTreeMap::new(),
            texts: RefCell::default(),
            read_bytes: Cell::new(0),
            left_out: Vec::new(),
        };
        let mut waiting = VecDeque::from([(PathBuf::new(), 0)]);
        let mut entries = 0;
        let mut is_too_deep = false;
        while let Some((folder, depth)) = waiting.pop_front() {
            if entries >= ENTRIES_MAX {
                tree.left_out.push(format!("only the first {ENTRIES_MAX} files and folders were looked at"));
                break;
            }
            let found = tree.folder(&folder, FOLDER_ENTRIES_MAX.min(ENTRIES_MAX - entries));
            entries += found.seen;
            for inner in found.folders {
                if depth < DEPTH_MAX {
                    waiting.push_back((inner, depth + 1));
                } else {
                    is_too_deep = true;
                }
            }
            tree.folders.insert(folder, Vec::new());
        }
        for file in &tree.files {
            if let Some(files) = file.parent().and_then(|folder| tree.folders.get_mut(folder)) {
                files.push(file.clone());
            }
        }
        if is_too_deep {
            tree.left_out.push(format!("folders more than {DEPTH_MAX} deep were not looked at"));
        }
        tree
    }

    fn folder(&mut self, folder: &Path, limit: usize) -> FolderFound {
        let mut found = FolderFound::default();
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else { return found };
        for entry in entries.flatten() {
            if found.seen >= limit {
                let name = if folder.as_os_str().is_empty() { "." } else { &folder.to_string_lossy() };
                self.left_out.push(format!("{name} has many entries: only {limit} of them were looked at"));
                self.by_name(folder);
                break;
            }
            found.seen += 1;
            let (Ok(kind), Some(name)) = (entry.file_type(), entry.file_name().to_str().map(str::to_owned))
            else {
                continue;
            };
            if kind.is_file() {
                self.files.insert(folder.join(name));
            } else if kind.is_dir() && !is_skipped(&name) {
                found.folders.push(folder.join(name));
            }
        }
        found.folders.sort();
        found
    }

    fn by_name(&mut self, folder: &Path) {
        for name in MANIFESTS {
            let path = folder.join(name);
            if fs::symlink_metadata(self.root.join(&path)).is_ok_and(|found| found.is_file()) {
                self.files.insert(path);
            }
        }
    }

    /// The folders that were looked into; the workspace itself is the first, with an empty path.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.keys().map(PathBuf::as_path)
    }

    /// All files.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(PathBuf::as_path)
    }

    /// The files right in a folder.
    pub(super) fn files_in(&self, folder: &Path) -> impl Iterator<Item = &Path> {
        self.folders.get(folder).into_iter().flatten().map(PathBuf::as_path)
    }

    /// Whether this file was seen.
    pub(super) fn has(&self, file: &Path) -> bool {
        self.files.contains(file)
    }

    /// The first of these names that is a file in that folder.
    pub(super) fn first(&self, folder: &Path, names: &[&str]) -> Option<PathBuf> {
        names.iter().map(|name| folder.join(name)).find(|file| self.has(file))
    }

    /// Whether something is there, also in a folder that is skipped.
    pub(super) fn exists(&self, path: &Path) -> bool {
        self.root.join(path).exists()
    }

    /// A file's text. Nothing if it is too large, no text, or if enough has been read.
    pub(super) fn text(&self, file: &Path) -> Option<Rc<str>> {
        if let Some(known) = self.texts.borrow().get(file) {
            return known.clone();
        }
        let text = self.read(file).map(Rc::from);
        self.texts.borrow_mut().insert(file.to_owned(), text.clone());
        text
    }

    fn read(&self, file: &Path) -> Option<String> {
        if self.read_bytes.get() > READ_BYTES_MAX {
            return None;
        }
        let mut bytes = Vec::new();
        let opened = open_plain(&self.root.join(file), FILE_BYTES_MAX).ok()?;
        opened.take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
        self.read_bytes.set(self.read_bytes.get() + bytes.len() as u64);
        let text = String::from_utf8(bytes).ok()?;
        Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
    }
}

#[derive(Default)]
struct FolderFound {
    seen: usize,
    folders: Vec<PathBuf>,
}

fn is_skipped(name: &str) -> bool {
    SKIPPED.contains(&name) || (name.starts_with('.') && !DOTTED.contains(&name))
}

/// What comes after the last dot of a file's name.
pub(super) fn ending(file: &Path) -> &str {
    file.extension().and_then(|end| end.to_str()).unwrap_or_default()
}

/// A file's name.
pub(super) fn name(file: &Path) -> &str {
    file.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// A file's name without its ending.
pub(super) fn stem(file: &Path) -> &str {
    file.file_stem().and_then(|name| name.to_str()).unwrap_or_default()
}

/// A path as people and shells write it.
pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Whether a file says what a project is.
pub(super) fn is_manifest(file: &Path) -> bool {
    MANIFESTS.contains(&name(file))
}

/// Whether a file belongs to tests, examples or documents, and not to the product.
pub(super) fn is_aside(file: &Path) -> bool {
    is_aside_folder(file.parent().unwrap_or(Path::new(""))) || is_test_name(name(file))
}

/// Whether a folder, or one above it, is such a one.
pub(super) fn is_aside_folder(folder: &Path) -> bool {
    folder.iter().any(|part| part.to_str().is_some_and(|part| ASIDE.contains(&part) || part.contains("{{")))
}

/// Whether a name is one that test files have in some language.
pub(super) fn is_test_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    name.contains(".test.")
        || name.contains(".spec.")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem == "conftest"
        || stem.ends_with("Test")
        || stem.ends_with("Tests")
}
