use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::TempDir;

use super::{Access, Made, is_same, stamp};

#[track_caller]
fn open(file: &Path) -> (Access, Made) {
    Access::open(file.to_owned()).expect("it can be opened")
}

fn write(file: &Path, text: &str) {
    fs::write(file, text).expect("it can be written");
    fs::set_permissions(file, Permissions::from_mode(0o600)).expect("it is ours");
}

#[track_caller]
fn check_same(offered: &str, token: &str, expect: bool) {
    assert_eq!(is_same(offered.as_bytes(), token.as_bytes()), expect, "{offered:?} {token:?}");
}

#[test]
fn only_the_very_same_bytes_are_the_same() {
    check_same("abcd", "abcd", true);
    check_same("abce", "abcd", false);
    check_same("bbcd", "abcd", false);
    check_same("abc", "abcd", false);
    check_same("abcde", "abcd", false);
    check_same("", "abcd", false);
    check_same("abcd\0", "abcd", false);
    // A length that differs in its higher bits only.
    check_same(&"a".repeat(4 + 256), "aaaa", false);
}

#[test]
fn a_token_is_made_once_and_for_its_owner_alone() {
    let dir = TempDir::new().expect("a folder");
    let file = dir.path().join("token");
    let (first, made) = open(&file);
    assert_eq!(made, Made::Now);
    let token = first.token().expect("a token");
    assert_eq!(token.len(), 64);
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    let (second, made) = open(&file);
    assert_eq!((made, second.token()), (Made::Before, Some(token)));
    assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing is left beside it");
}

#[test]
fn a_token_that_is_no_secret_is_replaced() {
    let dir = TempDir::new().expect("a folder");
    let file = dir.path().join("token");
    for (text, mode) in [("", 0o600), ("short", 0o600), ("x y", 0o600), (&"x".repeat(64), 0o640)] {
        write(&file, text);
        fs::set_permissions(&file, Permissions::from_mode(mode)).expect("it is ours");
        let (access, made) = open(&file);
        assert_eq!(made, Made::Anew, "{text:?}");
        assert_ne!(access.token().expect("a token"), text);
    }
}

#[test]
fn what_is_no_file_is_neither_waited_for_nor_replaced() {
    let dir = TempDir::new().expect("a folder");
    let file = dir.path().join("token");
    let (access, _) = open(&file);
    let token = access.token().expect("a token");
    for make in ["mkdir", "mkfifo"] {
        let _ = fs::remove_file(&file);
        make_with(make, &file);
        assert!(access.admits(Some(token.as_bytes())).is_none(), "{make}");
        assert!(Access::open(file.clone()).is_err(), "{make}");
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing is left beside it");
        let _ = fs::remove_dir(&file);
    }
}

#[expect(clippy::disallowed_methods, reason = "it makes what the library cannot")]
fn make_with(command: &str, file: &Path) {
    let made = std::process::Command::new(command).args(["-m", "755"]).arg(file).status();
    assert!(made.expect("it starts").success(), "{command}");
}

#[test]
fn a_token_is_good_until_the_file_says_otherwise() {
    let dir = TempDir::new().expect("a folder");
    let file = dir.path().join("token");
    let (access, _) = open(&file);
    let old = access.token().expect("a token");
    let valid = access.admits(Some(old.as_bytes())).expect("it is the token");
    assert!(access.admits(None).is_none() && access.admits(Some(b"")).is_none());
    assert!(!valid.is_cancelled());
    let before = stamp(&file);
    write(&file, &"n".repeat(64));
    assert_ne!(stamp(&file), before);
    assert!(access.admits(Some(old.as_bytes())).is_none());
    assert!(valid.is_cancelled());
    assert!(access.admits(Some("n".repeat(64).as_bytes())).is_some());
    fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("it is ours");
    assert!(access.admits(Some("n".repeat(64).as_bytes())).is_none(), "others can read it now");
    fs::remove_file(&file).expect("it is there");
    assert!(access.admits(Some("n".repeat(64).as_bytes())).is_none());
}
