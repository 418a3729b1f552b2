//! Failures before they are cards.

use std::io::{Error, ErrorKind};
use std::path::Path;

use candor_protocol::{Code, Failure};

#[track_caller]
fn check(kind: ErrorKind, code: Code) {
    let failure = Failure::file(Path::new("/p"), &Error::from(kind));
    assert_eq!(failure.code, code);
    assert_eq!(failure.fact("path"), Some("/p"));
    assert!(failure.fact("reason").is_some_and(|reason| !reason.is_empty()));
}

#[test]
fn what_the_system_says_of_a_file_has_its_code() {
    check(ErrorKind::NotFound, Code::FileNotFound);
    check(ErrorKind::PermissionDenied, Code::FilePermission);
    check(ErrorKind::IsADirectory, Code::FileIsDirectory);
    check(ErrorKind::InvalidData, Code::FileNotUtf8);
    check(ErrorKind::FileTooLarge, Code::FileTooLarge);
    check(ErrorKind::AlreadyExists, Code::FileExists);
    check(ErrorKind::StorageFull, Code::DiskFull);
    check(ErrorKind::QuotaExceeded, Code::DiskFull);
    check(ErrorKind::ReadOnlyFilesystem, Code::DiskReadOnly);
    check(ErrorKind::Other, Code::FileIo);
}

#[test]
fn facts_keep_their_order_and_the_first_counts() {
    let failure = Failure::new(Code::FileIo).with("b", 1).with("a", "x").with("b", 2);
    assert_eq!(failure.facts.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["b", "a", "b"]);
    assert_eq!((failure.fact("b"), failure.fact("a"), failure.fact("c")), (Some("1"), Some("x"), None));
}
