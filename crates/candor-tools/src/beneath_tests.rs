//! The walk that replaces the kernel's own resolution where that is missing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::walk;
use crate::held::real_path;

#[test]
fn the_walk_follows_no_link_and_never_goes_up() {
    let directory = tempfile::tempdir().unwrap();
    let root_path = directory.path().canonicalize().unwrap();
    let root = openat(CWD, &root_path, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
    fs::create_dir_all(root_path.join("a/b")).unwrap();
    fs::write(root_path.join("a/b/file"), "").unwrap();
    symlink("a", root_path.join("link")).unwrap();
    symlink("a/b/file", root_path.join("file_link")).unwrap();
    symlink("/etc/passwd", root_path.join("out")).unwrap();
    let check = |path: &str, expect: Result<&str, Errno>| {
        let opened = walk(&root, Path::new(path), OFlags::PATH, Mode::empty());
        let opened = opened.map(|file| real_path(&file).unwrap());
        assert_eq!(opened, expect.map(|path| root_path.join(path)), "{path}");
    };
    check("a/b/file", Ok("a/b/file"));
    check("./a/./b", Ok("a/b"));
    check("a/../a/b/file", Err(Errno::XDEV));
    check("..", Err(Errno::XDEV));
    check("/etc/passwd", Err(Errno::XDEV));
    check("link/b/file", Err(Errno::NOTDIR));
    check("file_link", Err(Errno::LOOP));
    check("out", Err(Errno::LOOP));
    check("none", Err(Errno::NOENT));
}
