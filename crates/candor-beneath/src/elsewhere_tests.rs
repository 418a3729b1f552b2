//! What other systems do, on this one.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, mkdirat};
use rustix::io::Errno;

use super::{hold, open_anywhere, reopen};

#[test]
fn a_file_that_is_held_is_read_from_its_beginning_each_time() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, "first").unwrap();
    let held = hold(&path).unwrap();
    // Another file of that name is another file.
    fs::remove_file(&path).unwrap();
    fs::write(&path, "second").unwrap();
    for _ in 0..2 {
        let mut text = String::new();
        reopen(held.fd.as_ref().unwrap()).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "first");
    }
    assert_eq!(FileType::from_raw_mode(held.stat.st_mode), FileType::RegularFile);
}

#[test]
fn a_folder_that_is_held_can_be_listed() {
    let directory = tempfile::tempdir().unwrap();
    mkdirat(CWD, directory.path().join("folder"), Mode::RWXU).unwrap();
    symlink("folder", directory.path().join("link")).unwrap();
    let held = hold(&directory.path().join("link")).unwrap();
    assert_eq!(held.real, directory.path().canonicalize().unwrap().join("folder"));
    assert!(held.folder().is_ok());
}

/// A process that waits for a reader would be let go by an opening.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_told_and_not_opened() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pipe");
    rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let held = hold(&path).unwrap();
    assert_eq!(FileType::from_raw_mode(held.stat.st_mode), FileType::Fifo);
    let flags = OFlags::WRONLY | OFlags::NONBLOCK;
    let writer = rustix::fs::openat(CWD, &path, flags, Mode::empty());
    assert_eq!(writer.map(drop), Err(Errno::NXIO), "nobody reads it");
    assert_eq!(held.file().map(drop), Err(Errno::INVAL));
}

#[test]
fn the_files_that_are_open_here_are_not_opened_by_their_numbers() {
    let directory = tempfile::tempdir().unwrap();
    // Where the kernel resolves these itself they cannot be told by where they lead; what is beside them can.
    let link = directory.path().join("link");
    symlink("/proc/self/status", &link).unwrap();
    for path in [Path::new("/dev/fd/0"), Path::new("/dev/stdin"), &link] {
        assert_eq!(hold(path).map(drop), Err(Errno::LOOP), "{}", path.display());
        assert_eq!(open_anywhere(path, OFlags::RDONLY).map(drop), Err(Errno::LOOP), "{}", path.display());
    }
    assert_eq!(hold(&directory.path().join("none")).map(drop), Err(Errno::NOENT));
}
