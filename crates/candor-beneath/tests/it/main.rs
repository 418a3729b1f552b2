//! What is opened is what was meant, whatever happens to the path.
#![cfg(test)]

use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use candor_beneath::{Facts, Hold, Links, PLACE, mode, name, open, open_anywhere, real_path};
use rustix::fs::{FileType, Mode, OFlags, fstat};
use rustix::io::Errno;

fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap();
    (directory, path)
}

#[test]
fn a_path_that_leads_out_opens_nothing() {
    let (_directory, at) = folder();
    fs::create_dir_all(at.join("root/in")).unwrap();
    fs::write(at.join("secret"), "canary").unwrap();
    fs::write(at.join("root/in/file"), "text").unwrap();
    symlink("../secret", at.join("root/link")).unwrap();
    symlink(at.join("secret"), at.join("root/absolute")).unwrap();
    symlink("in", at.join("root/inside")).unwrap();
    let root = open_anywhere(&at.join("root"), PLACE).unwrap();
    let opened = |path: &str, links: Links| {
        open(&root, Path::new(path), OFlags::RDONLY, Mode::empty(), links)
            .map(|file| real_path(file).unwrap())
    };
    for path in ["../secret", "link", "absolute", "in/../../secret", "/etc/passwd"] {
        assert!(opened(path, Links::Inside).is_err() && opened(path, Links::Never).is_err(), "{path}");
    }
    assert_eq!(opened("inside/file", Links::Inside), Ok(at.join("root/in/file")));
    assert_eq!(opened("inside/file", Links::Never), Err(Errno::LOOP));
    assert_eq!(opened("in/file", Links::Never), Ok(at.join("root/in/file")));
}

#[test]
fn a_folder_that_is_replaced_by_a_link_meanwhile_is_not_left() {
    let (_directory, at) = folder();
    fs::create_dir_all(at.join("root/in")).unwrap();
    fs::create_dir(at.join("outside")).unwrap();
    fs::write(at.join("outside/file"), "canary").unwrap();
    let root = open_anywhere(&at.join("root"), PLACE).unwrap();
    // As if somebody had done it after a look.
    fs::remove_dir(at.join("root/in")).unwrap();
    symlink("../outside", at.join("root/in")).unwrap();
    let flags = OFlags::WRONLY | OFlags::CREATE;
    for (path, links) in [("in/file", Links::Inside), ("in/new", Links::Inside), ("in/new", Links::Never)] {
        assert!(open(&root, Path::new(path), flags, mode(0o600), links).is_err(), "{path}");
    }
    assert_eq!(fs::read_to_string(at.join("outside/file")).unwrap(), "canary");
    assert!(!at.join("outside/new").exists());
}

#[test]
fn what_is_held_stays_what_was_looked_at() {
    let (_directory, at) = folder();
    fs::write(at.join("file"), "first").unwrap();
    symlink("file", at.join("link")).unwrap();
    let held = Hold::of(&at.join("link")).unwrap();
    assert_eq!((held.real.as_path(), held.stat.st_size), (at.join("file").as_path(), 5));
    fs::rename(at.join("file"), at.join("moved")).unwrap();
    fs::write(at.join("file"), "another").unwrap();
    for _ in 0..2 {
        let mut text = String::new();
        held.file().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "first");
    }
    let folder = Hold::of(&at).unwrap();
    assert_eq!(FileType::from_raw_mode(folder.stat.st_mode), FileType::Directory);
    assert_eq!(real_path(folder.folder().unwrap()).unwrap(), at);
}

#[test]
fn the_files_that_we_have_open_are_not_reached_by_their_numbers() {
    for path in ["/dev/stdin", "/dev/fd/0"] {
        assert_eq!(Hold::of(Path::new(path)).map(drop), Err(Errno::LOOP), "{path}");
        assert_eq!(open_anywhere(Path::new(path), OFlags::RDONLY).map(drop), Err(Errno::LOOP), "{path}");
    }
}

#[test]
fn facts_are_those_of_the_standard_library() {
    let (_directory, at) = folder();
    let path = at.join("file");
    fs::write(&path, "text").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4750)).unwrap();
    let file = fs::File::open(&path).unwrap();
    let (stat, known) = (fstat(&file).unwrap(), file.metadata().unwrap());
    assert_eq!(stat.file(), (known.dev(), known.ino()));
    assert_eq!((stat.permissions(), mode(stat.permissions())), (0o4750, mode(0o4750)));
    assert_eq!(stat.modified(), (known.mtime(), known.mtime_nsec()));
    assert_eq!(stat.changed(), (known.ctime(), known.ctime_nsec()));
    assert_eq!(fs::metadata(name(&file).unwrap()).unwrap().ino(), known.ino());
}
