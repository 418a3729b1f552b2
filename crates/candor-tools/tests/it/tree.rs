//! A tree of files as a value, to compare what was with what is.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

/// Every path below a folder, and what is there.
pub(crate) type Tree = BTreeMap<PathBuf, Node>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Folder,
    File { content: Vec<u8>, mode: u32 },
    Link(PathBuf),
}

pub(crate) fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    add(root, root, &mut tree);
    tree
}

fn add(root: &Path, folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let node = if meta.is_symlink() {
            Node::Link(fs::read_link(&path).unwrap())
        } else if meta.is_dir() {
            add(root, &path, tree);
            Node::Folder
        } else {
            Node::File { content: fs::read(&path).unwrap(), mode: meta.mode() & 0o7777 }
        };
        tree.insert(path.strip_prefix(root).unwrap().to_owned(), node);
    }
}

/// Makes files and links, and the folders that they need. `a -> b` is a link, `a/` a folder, and a file holds `text`.
pub(crate) fn plant(root: &Path, paths: &[&str], text: &str) {
    for path in paths {
        if let Some((path, target)) = path.split_once(" -> ") {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            symlink(target, root.join(path)).unwrap();
        } else if let Some(path) = path.strip_suffix('/') {
            fs::create_dir_all(root.join(path)).unwrap();
        } else {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
    }
}
