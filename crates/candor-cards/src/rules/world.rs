//! What a rule can look at.

use std::collections::BTreeMap;

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file, or anything else that is no directory.
    File,
    /// A directory.
    Directory,
}

/// The world around a command that failed. Paths are as the command would write them, from the directory it ran in.
///
/// Nothing here writes or runs anything, and an implementation decides what may be seen: what is hidden from tools is not
/// there for rules either.
pub trait World {
    /// What is at this path, if anything is.
    fn kind(&self, path: &str) -> Option<Kind>;
    /// The names in this directory, as many as are worth looking at.
    fn names(&self, directory: &str) -> Vec<String>;
    /// Those of them that are directories themselves. Whoever can tell without a look at each says so here.
    fn folders(&self, directory: &str) -> Vec<String> {
        let is_folder = |name: &String| self.kind(&format!("{directory}/{name}")) == Some(Kind::Directory);
        self.names(directory).into_iter().filter(is_folder).collect()
    }
    /// A small text file.
    fn read(&self, path: &str) -> Option<String>;
    /// The names of the programs on the search path.
    fn programs(&self) -> Vec<String>;
}

/// A world given as a list: the examples of rules have theirs, and an output that was captured elsewhere has an empty one.
#[derive(Debug, Clone, Default)]
pub struct Given {
    files: BTreeMap<String, String>,
    programs: Vec<String>,
}

impl Given {
    /// A world of these files. A path that ends in `/` is an empty directory; `PATH/name` is a program.
    pub fn new<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Self {
        let mut given = Self::default();
        for (path, content) in files {
            match path.strip_prefix("PATH/") {
                Some(program) => given.programs.push(program.to_owned()),
                None => {
                    given.files.insert(plain(path), content.to_owned());
                }
            }
        }
        given
    }

    fn below<'p>(&'p self, directory: &str) -> impl Iterator<Item = &'p str> {
        let prefix = match plain(directory).trim_end_matches('/') {
            "" | "." => String::new(),
            directory => format!("{directory}/"),
        };
        self.files
            .keys()
            .filter_map(move |path| path.strip_prefix(prefix.as_str()))
            .filter(|rest| !rest.is_empty())
    }
}

impl World for Given {
    fn kind(&self, path: &str) -> Option<Kind> {
        let path = plain(path);
        if self.files.contains_key(&path) && !path.ends_with('/') {
            return Some(Kind::File);
        }
        let directory = path.trim_end_matches('/');
        let is_directory = matches!(directory, "" | ".")
            || self.files.contains_key(&format!("{directory}/"))
            || self.below(directory).next().is_some();
        is_directory.then_some(Kind::Directory)
    }

    fn names(&self, directory: &str) -> Vec<String> {
        let mut names: Vec<String> =
            self.below(directory).filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect();
        names.dedup();
        names
    }

    fn read(&self, path: &str) -> Option<String> {
        self.files.get(&plain(path)).cloned()
    }

    fn programs(&self) -> Vec<String> {
        self.programs.clone()
    }
}

fn plain(path: &str) -> String {
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

/// The world as it looks from one of its directories.
pub(crate) struct Below<'w> {
    pub(crate) world: &'w dyn World,
    pub(crate) directory: &'w str,
}

impl Below<'_> {
    fn path(&self, path: &str) -> String {
        if path.starts_with('/') {
            return path.to_owned();
        }
        let directory = self.directory.trim_end_matches('/');
        match path.strip_prefix("./").unwrap_or(path) {
            "" | "." => directory.to_owned(),
            path => format!("{directory}/{path}"),
        }
    }
}

impl World for Below<'_> {
    fn kind(&self, path: &str) -> Option<Kind> {
        self.world.kind(&self.path(path))
    }

    fn names(&self, directory: &str) -> Vec<String> {
        self.world.names(&self.path(directory))
    }

    fn folders(&self, directory: &str) -> Vec<String> {
        self.world.folders(&self.path(directory))
    }

    fn read(&self, path: &str) -> Option<String> {
        self.world.read(&self.path(path))
    }

    fn programs(&self) -> Vec<String> {
        self.world.programs()
    }
}
