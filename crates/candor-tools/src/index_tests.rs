use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use rustix::fs::CWD;

use super::*;

/// The index that is in this file.
fn of(bytes: &[u8]) -> Vec<PathBuf> {
    let home = tempfile::tempdir().expect("a folder");
    fs::write(home.path().join("index"), bytes).expect("a file");
    at(home.path())
}

/// Of the index of a repository, what is there: a guess at the other length of a hash may name more.
fn in_repository(folder: &Path) -> Vec<PathBuf> {
    at(&folder.join(".git")).into_iter().filter(|path| folder.join(path).exists()).collect()
}

fn at(git: &Path) -> Vec<PathBuf> {
    let git = openat(CWD, git, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).expect("it is there");
    gitlinks(git).paths
}

#[expect(clippy::disallowed_methods, reason = "it is the git that writes what is read here")]
fn git(folder: &Path, args: &str) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "advice.addEmbeddedRepo=false"]);
    git.arg("-C").arg(folder).args(args.split(' ')).env("GIT_CONFIG_NOSYSTEM", "1");
    assert!(git.output().expect("git is here").status.success(), "git {args}");
}

/// A repository with files and four repositories in it, three of which it knows.
fn made(folder: &Path, format: &str) {
    git(folder, &format!("init -q --object-format={format}"));
    for name in ["a", "b/sub", "b/sub2", "zz"] {
        git(folder, &format!("init -q --object-format={format} {name}"));
        git(&folder.join(name), "commit -q --allow-empty -m x");
    }
    for name in ["b/file", "z"] {
        fs::write(folder.join(name), "x").expect("a file");
    }
    git(folder, "add a b z");
}

#[test]
fn gitlinks_are_found_in_every_version_that_git_writes() {
    let expected = ["a", "b/sub", "b/sub2"].map(PathBuf::from);
    for format in ["sha1", "sha256"] {
        for version in ["2", "3", "4"] {
            let home = tempfile::tempdir().expect("a folder");
            made(home.path(), format);
            // Such an entry needs version 3.
            if version == "3" {
                git(home.path(), "add -N zz/../b/file");
                git(home.path(), "update-index --skip-worktree z");
            }
            git(home.path(), &format!("update-index --index-version {version}"));
            let written = fs::read(home.path().join(".git/index")).expect("an index");
            assert_eq!(written[7].to_string(), version, "{format}");
            assert_eq!(in_repository(home.path()), expected, "{format} {version}");
        }
    }
}

#[test]
fn gitlinks_are_found_where_git_keeps_a_part_of_its_index_elsewhere() {
    let home = tempfile::tempdir().expect("a folder");
    made(home.path(), "sha1");
    git(home.path(), "update-index --split-index");
    git(home.path(), "add zz");
    let expected = ["a", "b/sub", "b/sub2", "zz"].map(PathBuf::from);
    assert_eq!(in_repository(home.path()), expected);
    // What was a file when it was parted, and is a repository now.
    fs::remove_file(home.path().join("z")).expect("it is there");
    git(home.path(), "init -q z");
    git(&home.path().join("z"), "commit -q --allow-empty -m x");
    git(home.path(), "add z");
    assert!(in_repository(home.path()).contains(&PathBuf::from("z")));
}

/// One entry, as version 2 has it.
fn entry(mode: u32, name: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 40];
    bytes[24..28].copy_from_slice(&mode.to_be_bytes());
    bytes.extend([7; 20]);
    bytes.extend(u16::try_from(name.len().min(0xfff)).expect("it fits").to_be_bytes());
    bytes.extend(name);
    bytes.resize((bytes.len() + 8) & !7, 0);
    bytes
}

fn index(version: u32, entries: &[Vec<u8>]) -> Vec<u8> {
    let count = u32::try_from(entries.len()).expect("it fits");
    let start = [&b"DIRC"[..], &version.to_be_bytes(), &count.to_be_bytes()].concat();
    [start, entries.concat()].concat()
}

#[test]
fn names_of_every_length_are_read_and_none_leads_out() {
    for length in (1..20).chain([0xffe, 0xfff, 0x1000, 0x1200]) {
        let name = "n".repeat(length);
        let bytes = index(2, &[entry(0o160_000, name.as_bytes()), entry(0o160_755, b"z")]);
        let found = of(&bytes);
        assert!([&*name, "z"].iter().all(|name| found.contains(&PathBuf::from(name))), "{length}");
    }
    let leading = [&b"../x"[..], b"/x", b"a/../x", b"", b"."];
    let bytes = index(2, &leading.map(|name| entry(0o160_000, name)));
    assert_eq!(of(&bytes), Vec::<PathBuf>::new());
}

#[test]
fn blocks_that_only_the_table_of_blocks_names_are_read() {
    let mut bytes = index(2, &[entry(0o100_644, b"file")]);
    let hidden = u32::try_from(bytes.len()).expect("it fits") + 8;
    let inner = entry(0o160_000, b"evil");
    bytes
        .extend([&b"JUNK"[..], &u32::try_from(inner.len()).expect("it fits").to_be_bytes(), &inner].concat());
    let table = [1_u32, hidden, 1].map(u32::to_be_bytes).concat();
    bytes.extend([&b"IEOT"[..], &12_u32.to_be_bytes(), &table].concat());
    assert_eq!(of(&bytes), [PathBuf::from("evil")]);
}

proptest! {
    #[test]
    fn no_bytes_are_too_strange(
        version in 0_u32..6,
        count in prop_oneof![Just(u32::MAX), 0_u32..9],
        tail in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0), Just(b'n')], 0..600),
        at in 0_usize..600,
        word in prop_oneof![Just("IEOT"), Just("link"), Just("")],
    ) {
        let mut bytes = [&b"DIRC"[..], &version.to_be_bytes(), &count.to_be_bytes(), &tail].concat();
        let at = at.min(bytes.len());
        bytes.splice(at..at, word.bytes());
        of(&bytes);
        of(&tail);
    }

    #[test]
    fn a_spoilt_index_of_gits_shape_is_read_as_far_as_it_goes(at in 0_usize..400, byte in any::<u8>(), cut in 0_usize..400) {
        let names = [&b"a"[..], b"a/b", b"longer-name", b"z"];
        let mut bytes = index(2, &names.map(|name| entry(0o160_000, name)));
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.truncate(cut);
        of(&bytes);
    }
}
