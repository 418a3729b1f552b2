//! What is read of a name that a command may have made.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;

#[test]
fn only_a_file_is_read_and_nothing_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    mknodat(CWD, at("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    fs::write(at("file"), "text").unwrap();
    symlink("file", at("link")).unwrap();
    symlink("loop", at("loop")).unwrap();
    symlink("/dev/zero", at("device")).unwrap();
    assert_eq!(read_plain(&at("link"), 3).unwrap(), b"tex");
    assert_eq!(read_plain_text(&at("file"), 4).unwrap(), "text");
    assert!(read_plain_text(&at("file"), 3).unwrap_err().to_string().contains("larger than 3 bytes"));
    for name in ["pipe", "loop", "device", "", "missing"] {
        assert!(open_plain(&at(name)).is_err(), "{name}");
    }
}
