//! What a git repository says about itself in its files; git is not run for this.

use super::world::{Kind, World};

/// How many directories up the repository is looked for.
const UP_MAX: usize = 16;
/// How deep branch names with slashes are followed.
const DEPTH_MAX: usize = 4;
/// The most branches that are looked at.
const BRANCHES_MAX: usize = 2_000;

/// A repository around a command.
pub(crate) struct Git<'w> {
    world: &'w dyn World,
    /// The directory of this work tree.
    own: String,
    /// The directory that all work trees share.
    shared: String,
}

impl<'w> Git<'w> {
    pub(crate) fn find(world: &'w dyn World) -> Option<Self> {
        let mut path = ".git".to_owned();
        for _ in 0..UP_MAX {
            match world.kind(&path) {
                Some(Kind::Directory) => return Some(Self { world, own: path.clone(), shared: path }),
                Some(Kind::File) => {
                    let own = world.read(&path)?.strip_prefix("gitdir:")?.trim().to_owned();
                    let shared = world
                        .read(&format!("{own}/commondir"))
                        .map(|common| format!("{own}/{}", common.trim()));
                    return Some(Self { world, shared: shared.unwrap_or_else(|| own.clone()), own });
                }
                None => path = format!("../{path}"),
            }
        }
        None
    }

    /// The branch that is checked out.
    pub(crate) fn current(&self) -> Option<String> {
        let head = self.world.read(&format!("{}/HEAD", self.own))?;
        head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
    }

    /// The first remote of the configuration.
    pub(crate) fn remote(&self) -> Option<String> {
        let config = self.world.read(&format!("{}/config", self.shared))?;
        config
            .lines()
            .find_map(|line| line.trim().strip_prefix("[remote \"")?.strip_suffix("\"]").map(str::to_owned))
    }

    /// The branch that work usually starts from.
    pub(crate) fn default(&self) -> Option<String> {
        let remote = self.remote().unwrap_or_else(|| "origin".to_owned());
        let head = self.world.read(&format!("{}/refs/remotes/{remote}/HEAD", self.shared));
        let named = head.and_then(|head| {
            head.trim().strip_prefix(&format!("ref: refs/remotes/{remote}/")).map(str::to_owned)
        });
        named.or_else(|| {
            let branches = self.branches();
            ["main", "master", "trunk", "develop"]
                .into_iter()
                .find(|name| branches.iter().any(|known| known == name))
                .map(str::to_owned)
        })
    }

    /// The branches here and on the remotes, the latter without their remote's name.
    pub(crate) fn branches(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.collect("refs/heads", "", 0, &mut found);
        for remote in self.world.names(&format!("{}/refs/remotes", self.shared)) {
            self.collect(&format!("refs/remotes/{remote}"), "", 0, &mut found);
        }
        let packed = self.world.read(&format!("{}/packed-refs", self.shared)).unwrap_or_default();
        for name in packed.lines().filter_map(|line| line.split_once(' ')).map(|(_, name)| name.trim()) {
            let branch = name
                .strip_prefix("refs/heads/")
                .or_else(|| Some(name.strip_prefix("refs/remotes/")?.split_once('/')?.1));
            found.extend(branch.map(str::to_owned));
        }
        found.retain(|name| name != "HEAD");
        found.truncate(BRANCHES_MAX);
        found.sort();
        found.dedup();
        found
    }

    fn collect(&self, below: &str, prefix: &str, depth: usize, found: &mut Vec<String>) {
        if depth >= DEPTH_MAX || found.len() >= BRANCHES_MAX {
            return;
        }
        let directory = format!("{}/{below}", self.shared);
        for name in self.world.names(&directory) {
            let whole = format!("{prefix}{name}");
            match self.world.kind(&format!("{directory}/{name}")) {
                Some(Kind::Directory) => {
                    self.collect(&format!("{below}/{name}"), &format!("{whole}/"), depth + 1, found);
                }
                Some(Kind::File) => found.push(whole),
                None => {}
            }
        }
    }
}
