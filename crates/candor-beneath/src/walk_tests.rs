//! The walk and the kernel say the same.

use std::ffi::OsString;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use super::walk;
use crate::{Links, PLACE, real_path};

fn root_at(path: &Path) -> OwnedFd {
    openat(CWD, path, PLACE, Mode::empty()).unwrap()
}

#[test]
fn the_walk_follows_links_that_stay_inside_and_no_others() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().canonicalize().unwrap();
    let root = root_at(&at);
    fs::create_dir_all(at.join("a/b")).unwrap();
    fs::write(at.join("a/b/file"), "").unwrap();
    symlink("a", at.join("link")).unwrap();
    symlink("../a/b/file", at.join("a/file_link")).unwrap();
    symlink("/etc/passwd", at.join("out")).unwrap();
    symlink("../../etc", at.join("a/up")).unwrap();
    symlink("loop", at.join("loop")).unwrap();
    let check = |path: &str, links: Links, expect: Result<&str, Errno>| {
        let opened = walk(root.as_fd(), Path::new(path), OFlags::RDONLY, Mode::empty(), links);
        let opened = opened.map(|file| real_path(&file).unwrap());
        assert_eq!(opened, expect.map(|path| at.join(path)), "{path} {links:?}");
    };
    for links in [Links::Inside, Links::Never] {
        check("a/b/file", links, Ok("a/b/file"));
        check("./a/./b", links, Ok("a/b"));
        check("a/../a/b/file", links, Ok("a/b/file"));
        check("a/b/../..", links, Ok(""));
        check("..", links, Err(Errno::XDEV));
        check("a/../..", links, Err(Errno::XDEV));
        check("/etc/passwd", links, Err(Errno::XDEV));
        check("none", links, Err(Errno::NOENT));
        check("a/b/file/more", links, Err(Errno::NOTDIR));
        check("loop", links, Err(Errno::LOOP));
    }
    check(&"./".repeat(3000), Links::Inside, Err(Errno::NAMETOOLONG));
    check("link/b/file", Links::Inside, Ok("a/b/file"));
    check("link/file_link", Links::Inside, Ok("a/b/file"));
    check("out", Links::Inside, Err(Errno::XDEV));
    check("a/up/passwd", Links::Inside, Err(Errno::XDEV));
    for link in ["link/b/file", "a/file_link", "out"] {
        check(link, Links::Never, Err(Errno::LOOP));
    }
}

/// What lies in the folder, by name: where a link leads, or what else it is.
#[derive(Debug, Clone)]
enum Thing {
    File,
    Folder,
    Link(String),
}

/// Few names, so that they meet; and some that lead out.
fn way() -> impl Strategy<Value = String> {
    let part = prop_oneof![Just("a"), Just("b"), Just("c"), Just(".."), Just("."), Just("")];
    let below = prop::collection::vec(part, 1..6).prop_map(|parts| parts.join("/"));
    prop_oneof![9 => below, 1 => Just("/etc".to_owned())]
}

fn thing() -> impl Strategy<Value = Thing> {
    prop_oneof![2 => Just(Thing::Folder), 1 => Just(Thing::File), 3 => way().prop_map(Thing::Link)]
}

/// The bottom of it is a folder of our own inside a folder of our own: a way out by one or two steps finds something, too.
fn furnish(root: &Path, things: &[(Vec<&'static str>, Thing)]) {
    for (place, thing) in things {
        let path = root.join(place.iter().collect::<PathBuf>());
        // A place that cannot be, below a file or where something is, is left out.
        let _ = match thing {
            Thing::File => fs::File::create_new(&path).map(drop),
            Thing::Folder => fs::create_dir(&path),
            Thing::Link(target) => symlink(target, &path),
        };
    }
}

#[cfg(target_os = "linux")]
proptest! {
    #[test]
    fn the_walk_ends_where_the_kernel_ends(
        things in prop::collection::vec(
            (prop::collection::vec(prop_oneof![Just("a"), Just("b"), Just("c")], 1..4), thing()), 1..14),
        paths in prop::collection::vec(way(), 1..12),
    ) {
        use rustix::fs::{ResolveFlags, openat2};
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().canonicalize().unwrap().join("root");
        fs::create_dir(&at).unwrap();
        furnish(&at, &things);
        let root = root_at(&at);
        for path in &paths {
            for (links, more) in [(Links::Inside, ResolveFlags::empty()), (Links::Never, ResolveFlags::NO_SYMLINKS)] {
                for flags in [OFlags::RDONLY, OFlags::PATH, PLACE, OFlags::RDONLY | OFlags::NOFOLLOW, PLACE | OFlags::NOFOLLOW] {
                    let kernel = openat2(&root, path, flags, Mode::empty(), ResolveFlags::BENEATH | more);
                    let walked = walk(root.as_fd(), Path::new(path), flags, Mode::empty(), links);
                    let place = |opened: Result<OwnedFd, Errno>| opened.map(|file| real_path(&file).unwrap());
                    let (kernel, walked) = (place(kernel), place(walked));
                    // Both refuse; a path may be refused for more than one reason, and the order of the looks is ours.
                    if walked.is_err() {
                        let is_link = flags.contains(OFlags::PATH | OFlags::NOFOLLOW);
                        prop_assert!(kernel.is_err() || is_link, "{path} {links:?} {flags:?}: {kernel:?} {walked:?}");
                    } else {
                        prop_assert_eq!(&kernel, &walked, "{} {:?} {:?}", path, links, flags);
                    }
                }
            }
        }
    }
}

/// A file is made where the kernel would make it: at the end of a link that leads nowhere yet, and never outside.
#[test]
fn what_is_made_is_made_inside() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path().canonicalize().unwrap().join("root");
    fs::create_dir(&at).unwrap();
    symlink("new", at.join("dangling")).unwrap();
    symlink("../outside", at.join("leads_out")).unwrap();
    let root = root_at(&at);
    let make = |name: &str| {
        let flags = OFlags::CREATE | OFlags::WRONLY;
        walk(root.as_fd(), Path::new(name), flags, Mode::RUSR, Links::Inside).map(drop)
    };
    assert_eq!(make("dangling"), Ok(()));
    assert_eq!(make("leads_out"), Err(Errno::XDEV));
    let names = |path: &Path| -> Vec<OsString> {
        let mut names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&at), ["dangling", "leads_out", "new"]);
    assert_eq!(names(directory.path()), ["root"]);
}
