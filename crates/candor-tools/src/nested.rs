//! The repositories below a folder that commands write.
//!
//! Git believes the configuration of each of them: it goes by itself into those that the index names, and a person goes into
//! any other. Where they are is told by four places, and each may be incomplete: the repositories that git keeps for submodules
//! below `.git/modules`, the index, `.gitmodules`, which everybody may write, and the folders themselves.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use candor_sandbox::without_dots;
use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::index;
use crate::linked::Linked;
use crate::lookalike::is_repository_at;
use crate::plain::read_plain_text;

/// More are not protected: each is some mounts for every command.
const NESTED_MAX: usize = 256;
/// How far repositories are in each other, and how far below `.git/modules` one may be: the name of a submodule may hold slashes.
pub(crate) const DEPTH_MAX: usize = 8;
/// How far below a root folders are looked through, how many, and how much may be in all of them.
const WALK_DEPTH_MAX: usize = 6;
const WALK_FOLDERS_MAX: usize = 2000;
const WALK_ENTRIES_MAX: usize = 200_000;
/// Folders of many files that no person works in.
const NOT_WALKED: &[&str] = &[".git", "node_modules", "target", ".venv"];
/// A configuration with thousands of branches is shorter.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// The folders of repositories below these roots, those first that git goes into by itself: what lies anywhere must not crowd
/// them out. What git keeps comes first of all, as no command can make that.
pub(crate) fn below(roots: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Found { roots, seen: HashSet::new(), folders: Vec::new() };
    // The first is the workspace, of which the settings say what is protected.
    found.seen.extend(roots.first().cloned());
    for root in roots {
        found.add(root);
        let mut kept_here = Vec::new();
        kept(&root.join(".git/modules"), DEPTH_MAX, &mut kept_here);
        for folder in &kept_here {
            found.add(folder);
        }
    }
    let mut starts: Vec<PathBuf> = roots.iter().chain(&found.folders).cloned().collect();
    found.enter(&starts, &gitlinks);
    starts.extend(found.folders.clone());
    found.enter(&starts, &named);
    for root in roots {
        for folder in walked(root) {
            if found.add(&folder) {
                found.enter(&[folder], &gitlinks);
            }
        }
    }
    found.folders
}

struct Found<'r> {
    roots: &'r [PathBuf],
    seen: HashSet<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Found<'_> {
    /// Keeps a folder of a repository; whether it is a new one.
    fn add(&mut self, folder: &Path) -> bool {
        if self.folders.len() >= NESTED_MAX || !is_repository(folder) {
            return false;
        }
        let Ok(real) = folder.canonicalize() else { return false };
        let is_new = self.roots.iter().any(|root| real.starts_with(root)) && self.seen.insert(real.clone());
        if is_new {
            self.folders.push(real);
        }
        is_new
    }

    /// Keeps what these name, and what that names in turn, the near ones first.
    fn enter(&mut self, starts: &[PathBuf], names: &dyn Fn(&Path) -> Vec<PathBuf>) {
        let mut waiting: VecDeque<(PathBuf, usize)> = starts.iter().map(|start| (start.clone(), 0)).collect();
        let mut entered: HashSet<PathBuf> = starts.iter().cloned().collect();
        while let Some((folder, depth)) = waiting.pop_front() {
            for path in names(&folder) {
                let below = folder.join(path);
                self.add(&below);
                if self.seen.contains(&below) && depth < DEPTH_MAX && entered.insert(below.clone()) {
                    waiting.push_back((below, depth + 1));
                }
            }
        }
    }
}

/// A folder without a `HEAD` is none yet, such as the one that the walls put where none is to be made.
fn is_repository(folder: &Path) -> bool {
    let git = folder.join(".git");
    match git.symlink_metadata() {
        Ok(kind) if kind.is_dir() => git.join("HEAD").symlink_metadata().is_ok(),
        Ok(kind) => kind.is_file() || git.exists(),
        Err(_) => false,
    }
}

/// Where git keeps what it knows of a folder, without links: its own place first, then what it shares with others.
pub(crate) fn places(folder: &Path) -> Vec<PathBuf> {
    let git = folder.join(".git");
    let places = match Linked::of(folder) {
        _ if git.is_dir() => vec![git],
        Some(Linked { folder, common }) => [Some(folder), common].into_iter().flatten().collect(),
        None => Vec::new(),
    };
    places.iter().filter_map(|place| place.canonicalize().ok()).collect()
}

/// What nobody may change of a repository, be it there or not: what git runs, and what says where that is.
pub(crate) fn protected(folder: &Path) -> Vec<PathBuf> {
    let git = folder.join(".git");
    let is_file = git.symlink_metadata().is_ok_and(|kind| kind.is_file());
    let places = places(folder);
    let pointers = is_file.then_some(git).into_iter().chain(pointing(&places));
    let run = places.iter().flat_map(|place| ["hooks", "config"].map(|name| place.join(name)));
    pointers.chain(run).filter_map(without_link).collect()
}

/// The same of the workspace, of which the settings name the rest.
pub(crate) fn protected_besides(workspace: &Path) -> Vec<PathBuf> {
    pointing(&places(workspace)).into_iter().filter_map(without_link).collect()
}

/// The same of a root that is a repository itself.
pub(crate) fn protected_bare(root: &Path) -> Vec<PathBuf> {
    if !is_repository_at(root) {
        return Vec::new();
    }
    let run = ["hooks", "config"].map(|name| root.join(name));
    pointing(&[root.to_owned()]).into_iter().chain(run).filter_map(without_link).collect()
}

/// Files that git reads only sometimes, and never writes: the configuration of one worktree, where it is brought into play, and
/// where the rest of a linked one is.
fn pointing(places: &[PathBuf]) -> Vec<PathBuf> {
    let is_on = |place: &PathBuf| {
        let config = read_plain_text(&place.join("config"), FILE_BYTES_MAX);
        config.is_ok_and(|text| text.to_ascii_lowercase().contains("worktreeconfig"))
    };
    let is_on = places.iter().any(is_on);
    let own = places.iter().filter(|_| is_on).map(|place| place.join("config.worktree"));
    let shared = places.iter().map(|place| place.join("commondir")).filter(|path| path.is_file());
    own.chain(shared).collect()
}

/// A link cannot be protected, what it leads to can.
fn without_link(path: PathBuf) -> Option<PathBuf> {
    match path.symlink_metadata() {
        Ok(kind) if kind.is_symlink() => path.canonicalize().ok(),
        _ => Some(path),
    }
}

/// Those that git keeps a repository for, whose configuration says where they are.
fn kept(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let repository = entry.path();
        if depth == 0 || found.len() >= NESTED_MAX {
            return;
        }
        match value(&repository.join("config"), "worktree").first() {
            Some(place) => {
                found.push(without_dots(&repository.join(place)));
                kept(&repository.join("modules"), depth - 1, found);
            }
            None => kept(&repository, depth - 1, found),
        }
    }
}

/// Those that the index names.
fn gitlinks(folder: &Path) -> Vec<PathBuf> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let git = places(folder).first().and_then(|place| openat(CWD, place, flags, Mode::empty()).ok());
    git.map(|git| index::gitlinks(git).paths).unwrap_or_default()
}

/// Those that `.gitmodules` names.
fn named(folder: &Path) -> Vec<PathBuf> {
    let paths = value(&folder.join(".gitmodules"), "path").into_iter().map(PathBuf::from);
    let stays = |path: &PathBuf| path.components().all(|part| matches!(part, Component::Normal(_)));
    paths.filter(stays).collect()
}

/// Those that are found by looking through the folders, the near ones first. No link is followed.
fn walked(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([(root.to_owned(), 0)]);
    let (mut folders, mut entries) = (0, 0);
    while let Some((folder, depth)) = waiting.pop_front() {
        folders += 1;
        if folders > WALK_FOLDERS_MAX {
            break;
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            entries += 1;
            if entries > WALK_ENTRIES_MAX {
                return found;
            }
            let name = entry.file_name();
            if name == ".git" {
                found.push(folder.clone());
            }
            let is_walked = !NOT_WALKED.iter().any(|other| name == OsStr::new(other));
            let is_near = depth < WALK_DEPTH_MAX && waiting.len() < WALK_FOLDERS_MAX;
            if is_walked && is_near && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push_back((entry.path(), depth + 1));
            }
        }
    }
    found
}

/// What a file of git's kind says of this key, each time it does.
fn value(file: &Path, key: &str) -> Vec<String> {
    let text = read_plain_text(file, FILE_BYTES_MAX).unwrap_or_default();
    let of = |line: &str| {
        let (name, value) = line.split_once('=')?;
        name.trim().eq_ignore_ascii_case(key).then(|| value.trim().trim_matches('"').to_owned())
    };
    text.lines().filter_map(of).collect()
}

#[cfg(test)]
#[path = "nested_tests.rs"]
mod tests;
