//! The repositories that the commands of a session can reach, kept what they were for as long as somebody is behind the walls.

use std::collections::{HashMap, HashSet};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use candor_beneath::{Facts, PLACE};
use candor_log::event;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat};

use crate::index::{self, Gitlinks};
use crate::lookalike::is_repository_at;
use crate::nested::{self, DEPTH_MAX};
use crate::repository::{Link, Repository, Whereabouts};
use crate::stranger::{Met, Stamp, meet, meet_itself};

/// So many repositories are looked at, each time, that an index names and nobody knew. More are nobody's work.
const STRANGERS_MAX: usize = 100_000;
/// An index that was written this short a time ago may be written again without looking any different.
const SETTLED: Duration = Duration::from_secs(2);
/// Sentences that nobody has heard yet; the first of them say it.
const UNTOLD_MAX: usize = 64;

/// What is kept in order.
#[derive(Debug)]
pub(crate) struct Repositories(Mutex<State>);

#[derive(Debug)]
struct State {
    /// What commands write.
    roots: Vec<PathBuf>,
    /// What of it they do not.
    closed: Vec<PathBuf>,
    trees: Vec<Tree>,
    /// The folders of these.
    known: HashSet<PathBuf>,
    /// What of the roots was a repository itself before there were walls.
    bare: Vec<PathBuf>,
    /// What the person had before there were walls, and is not protected by them, and how it was.
    before: HashMap<PathBuf, Vec<Option<Stamp>>>,
    indexes: HashMap<PathBuf, Indexed>,
    untold: Vec<String>,
}

/// A folder with a repository.
#[derive(Debug)]
struct Tree {
    folder: PathBuf,
    /// Where its index is.
    git: Option<PathBuf>,
    repositories: Vec<Repository>,
    links: Vec<Link>,
}

/// What was read of an index, and how that was.
#[derive(Debug)]
struct Indexed {
    stamp: [i64; 5],
    paths: Vec<PathBuf>,
}

impl Repositories {
    /// Looks at these folders, and at those of repositories that are protected below them.
    pub(crate) fn at(roots: &[PathBuf], nested: &[PathBuf], closed: &[PathBuf]) -> Self {
        let folders = roots.iter().chain(nested).cloned();
        let bare: Vec<PathBuf> = roots.iter().filter(|root| is_repository_at(root)).cloned().collect();
        let trees = folders.clone().map(|folder| Tree::at(folder, roots, closed));
        let bare_trees = bare.iter().map(|root| Tree::of(root.clone(), vec![root.clone()], roots, closed));
        let mut state = State {
            trees: trees.chain(bare_trees).collect(),
            known: folders.collect(),
            bare,
            roots: roots.to_vec(),
            closed: closed.to_vec(),
            before: HashMap::new(),
            indexes: HashMap::new(),
            untold: Vec::new(),
        };
        state.meet_strangers(Doubt::Remembered);
        Self(Mutex::new(state))
    }

    /// Looks again before somebody begins: the person may have worked in them meanwhile, or made one.
    pub(crate) fn look_again(&self) {
        let mut state = self.state();
        let State { trees, roots, closed, .. } = &mut *state;
        for tree in trees {
            if tree.git.is_none() {
                *tree = Tree::at(tree.folder.clone(), roots, closed);
            }
            tree.repositories.iter_mut().for_each(Repository::look_again);
        }
    }

    /// Puts right what was done to them, and says what that was. Whoever asks the next time hears it, too.
    pub(crate) fn put_right(&self) -> Vec<String> {
        self.state().put_right()
    }

    /// The same; what was done, then and before, and nobody was told.
    pub(crate) fn put_right_and_tell(&self) -> Vec<String> {
        let mut state = self.state();
        state.put_right();
        std::mem::take(&mut state.untold)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Repositories {
    fn drop(&mut self) {
        // The run is over and nobody listens any more.
        let _ = self.put_right();
    }
}

impl Tree {
    fn at(folder: PathBuf, roots: &[PathBuf], closed: &[PathBuf]) -> Self {
        let places = nested::places(&folder);
        Self::of(folder, places, roots, closed)
    }

    /// The same where it is known in which places git keeps what it knows.
    fn of(folder: PathBuf, places: Vec<PathBuf>, roots: &[PathBuf], closed: &[PathBuf]) -> Self {
        // Where nobody inside writes, there is nothing to put right.
        let is_open = |place: &&PathBuf| !closed.iter().any(|closed| place.starts_with(closed));
        let spots: Vec<Whereabouts> =
            places.iter().filter(is_open).filter_map(|place| Whereabouts::of(place, roots)).collect();
        let believed = spots.iter().flat_map(|spot| ["config", "hooks"].map(|name| (spot.clone(), name)));
        let own = Whereabouts::of(&folder, roots).map(|spot| (spot, ".git"));
        let links = own.into_iter().chain(believed).filter_map(|(spot, name)| Link::at(spot, name)).collect();
        let git = places.into_iter().next();
        Self { folder, git, repositories: spots.into_iter().map(Repository::at).collect(), links }
    }
}

/// What is done about a repository that git may run something for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// It was there before anybody was inside.
    Remembered,
    /// Whoever is inside may have made it so.
    SetAside,
}

impl State {
    fn put_right(&mut self) -> Vec<String> {
        let mut done: Vec<String> = Vec::new();
        for tree in &mut self.trees {
            // What stands in the place of a link would be put right in vain.
            done.extend(tree.links.iter().filter_map(Link::put_right));
            done.extend(tree.repositories.iter_mut().flat_map(Repository::put_right));
        }
        done.extend(self.meet_roots());
        done.extend(self.meet_strangers(Doubt::SetAside));
        let room = UNTOLD_MAX.saturating_sub(self.untold.len());
        for what in &done {
            event::RepositoryPutRight { what }.log();
        }
        self.untold.extend(done.iter().take(room).cloned());
        done
    }

    /// Looks whether somebody made a repository of a root itself: the person stands there.
    fn meet_roots(&self) -> Vec<String> {
        let new = self.roots.iter().filter(|root| !self.bare.contains(root));
        let open = new.filter_map(|root| openat(CWD, root, PLACE, Mode::empty()).ok());
        let aside = open.filter_map(|root| match meet_itself(root) {
            Met::Doubtful(found) => Some(found.set_aside()),
            Met::Harmless | Met::Nothing => None,
        });
        aside.collect()
    }

    /// Looks at the repositories that an index names and that are not protected, and at those that they name in turn.
    fn meet_strangers(&mut self, doubt: Doubt) -> Vec<String> {
        let mut done = Vec::new();
        let trees = self.trees.iter().filter_map(|tree| Some((tree.folder.clone(), tree.git.clone()?, 0)));
        let mut waiting: Vec<(PathBuf, PathBuf, usize)> = trees.collect();
        let mut met: HashSet<PathBuf> = HashSet::new();
        while let Some((folder, git, depth)) = waiting.pop() {
            for path in self.gitlinks(&git, depth) {
                let path = folder.join(path);
                if self.known.contains(&path) || met.len() >= STRANGERS_MAX || !met.insert(path.clone()) {
                    continue;
                }
                let Some(spot) = Whereabouts::of(&path, &self.roots) else { continue };
                let Some(root) = spot.open_root() else { continue };
                match meet(root, &spot.below, &self.closed) {
                    Met::Harmless if depth < DEPTH_MAX => {
                        waiting.push((path.clone(), path.join(".git"), depth + 1));
                    }
                    Met::Harmless | Met::Nothing => {}
                    Met::Doubtful(found) if doubt == Doubt::Remembered => {
                        self.before.insert(path, found.print());
                    }
                    Met::Doubtful(found) => {
                        if self.before.get(&path) != Some(&found.print()) {
                            done.push(found.set_aside());
                        }
                    }
                }
            }
        }
        done
    }

    /// What the index names that is kept in this folder. It is read again only when it was written again.
    fn gitlinks(&mut self, git: &Path, depth: usize) -> Vec<PathBuf> {
        let Some(open) = self.open(git, depth) else { return Vec::new() };
        let stamp = stamp(&open);
        if let Some(known) = self.indexes.get(git)
            && Some(known.stamp) == stamp
        {
            return known.paths.clone();
        }
        let Gitlinks { paths, is_split } = index::gitlinks(&open);
        match stamp.filter(|stamp| !is_split && is_settled(stamp[3])) {
            Some(stamp) => _ = self.indexes.insert(git.to_owned(), Indexed { stamp, paths: paths.clone() }),
            None => _ = self.indexes.remove(git),
        }
        paths
    }

    /// Opens a folder of git's. Over no link in what a command made.
    fn open(&self, git: &Path, depth: usize) -> Option<OwnedFd> {
        match Whereabouts::of(git, &self.roots) {
            Some(spot) => spot.open(),
            None if depth == 0 => {
                openat(CWD, git, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
            }
            None => None,
        }
    }
}

/// When the index was written, as nobody but the kernel can say, and which file it is.
fn stamp(git: &OwnedFd) -> Option<[i64; 5]> {
    let stat = statat(git, "index", AtFlags::empty()).ok()?;
    let number = |number: u64| i64::try_from(number).ok();
    let ((device, inode), (seconds, nanoseconds)) = (stat.file(), stat.changed());
    Some([number(device)?, number(inode)?, stat.st_size, seconds, nanoseconds])
}

fn is_settled(seconds: i64) -> bool {
    let Ok(seconds) = u64::try_from(seconds) else { return false };
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    then.elapsed().is_ok_and(|age| age > SETTLED)
}

#[cfg(test)]
#[path = "repositories_tests.rs"]
mod tests;
