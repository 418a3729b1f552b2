use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::*;

/// A folder that commands write.
struct Root {
    _home: tempfile::TempDir,
    path: PathBuf,
}

impl Root {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().canonicalize().expect("it is there");
        Self { _home: home, path }
    }

    /// A repository with one that its index names.
    fn with_sub() -> Self {
        let root = Self::new();
        root.git("init -q");
        root.make("sub");
        root
    }

    fn make(&self, name: &str) {
        self.git(&format!("init -q {name}"));
        self.git(&format!("-C {name} commit -q --allow-empty -m x"));
        self.git(&format!("add {name}"));
    }

    #[expect(clippy::disallowed_methods, reason = "it is the person's own git")]
    fn git(&self, args: &str) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "advice.addEmbeddedRepo=false"]);
        git.args(args.split(' ')).current_dir(&self.path).env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(git.output().expect("git is here").status.success(), "git {args}");
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path.join(name), text).expect("a file");
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path.join(name)).ok()
    }

    /// Watched with nothing protected below it.
    fn watched(&self, closed: &[&str]) -> Repositories {
        let closed: Vec<PathBuf> = closed.iter().map(|name| self.path.join(name)).collect();
        Repositories::at(std::slice::from_ref(&self.path), &[], &closed)
    }
}

const TRAP: &str = "[core]\n\tfsmonitor = x\n";

#[test]
fn what_the_person_had_stays_until_it_is_changed() {
    for change in ["config", "hooks/pre-commit", "hooks/another", "commondir", "config.worktree"] {
        let root = Root::with_sub();
        root.write("sub/.git/config", TRAP);
        root.write("sub/.git/hooks/pre-commit", "true");
        let repositories = root.watched(&[]);
        assert_eq!(repositories.put_right_and_tell(), [""; 0], "{change}");
        // Git itself writes these.
        root.git("-C sub commit -q --allow-empty -m y --no-verify");
        assert_eq!(repositories.put_right_and_tell(), [""; 0], "{change}");
        root.write(&format!("sub/.git/{change}"), &TRAP.repeat(2));
        let told = repositories.put_right_and_tell();
        assert!(told.len() == 1 && told[0].contains("`sub/.git.set-aside`"), "{change}: {told:?}");
        assert!(!root.path.join("sub/.git").exists() && root.path.join("sub/.git.set-aside/HEAD").exists());
        assert_eq!(repositories.put_right_and_tell(), [""; 0], "{change}");
    }
}

#[test]
fn nothing_is_lost_when_a_name_is_taken_and_each_is_told_once() {
    let root = Root::with_sub();
    let repositories = root.watched(&[]);
    root.write("sub/.git.set-aside", "mine");
    root.write("sub/.git/config", TRAP);
    // As at the end of a run, when nobody listens.
    repositories.put_right();
    let told = repositories.put_right_and_tell();
    assert!(told.len() == 1 && told[0].contains("`sub/.git.set-aside.1`"), "{told:?}");
    assert_eq!(root.read("sub/.git.set-aside").as_deref(), Some("mine"));
    assert_eq!(root.read("sub/.git.set-aside.1/config").as_deref(), Some(TRAP));
}

#[test]
fn a_file_is_left_only_if_all_of_it_leads_to_where_no_command_writes() {
    for (text, is_left) in [
        ("gitdir: ../.git/modules/sub\n", true),
        ("gitdir: ../.git/modules/sub", true),
        ("gitdir: ../.git/modules/../../evil\n", false),
        ("gitdir: ../evil\n", false),
        ("gitdir: ../link\nto\n", false),
        ("gitdir: \n", false),
        ("x", false),
    ] {
        let root = Root::with_sub();
        let repositories = root.watched(&[".git/modules"]);
        fs::create_dir_all(root.path.join(".git/modules")).expect("a folder");
        fs::rename(root.path.join("sub/.git"), root.path.join(".git/modules/sub")).expect("it is there");
        fs::create_dir_all(root.path.join("evil")).expect("a folder");
        fs::create_dir_all(root.path.join("link\nto")).expect("a folder");
        symlink(".git/modules/sub", root.path.join("link")).expect("a link");
        root.write("sub/.git", text);
        assert_eq!(repositories.put_right_and_tell().is_empty(), is_left, "{text}");
        assert_eq!(root.path.join("sub/.git").exists(), is_left, "{text}");
    }
}

#[test]
fn a_link_in_the_place_of_a_repository_is_set_aside() {
    let root = Root::with_sub();
    let repositories = root.watched(&[]);
    fs::rename(root.path.join("sub"), root.path.join("evil")).expect("it is there");
    symlink("evil", root.path.join("sub")).expect("a link");
    let told = repositories.put_right_and_tell();
    assert!(told.len() == 1 && told[0].contains("`sub.set-aside`"), "{told:?}");
    assert!(root.path.join("sub").symlink_metadata().is_err() && root.path.join("evil/.git").exists());
}

#[test]
fn what_the_person_makes_or_does_between_two_commands_is_how_it_was() {
    let root = Root::new();
    let repositories = root.watched(&[]);
    root.git("init -q -b first");
    repositories.look_again();
    root.write(".git/HEAD", "spoilt");
    assert_eq!(repositories.put_right_and_tell(), ["`.git/HEAD` was gone or spoilt, and has been put back"]);
    root.git("symbolic-ref HEAD refs/heads/second");
    repositories.look_again();
    fs::remove_file(root.path.join(".git/HEAD")).expect("it is there");
    root.write(".git/commondir", "../evil");
    assert_eq!(repositories.put_right_and_tell().len(), 2);
    assert_eq!(root.read(".git/HEAD").as_deref(), Some("ref: refs/heads/second\n"));
    assert!(!root.path.join(".git/commondir").exists());
    // Another one in its place.
    fs::remove_dir_all(root.path.join(".git")).expect("it is there");
    root.git("init -q -b third");
    repositories.look_again();
    root.write(".git/HEAD", "spoilt");
    repositories.put_right();
    assert_eq!(root.read(".git/HEAD").as_deref(), Some("ref: refs/heads/third\n"));
}

#[test]
fn an_index_that_was_written_again_is_read_again() {
    let root = Root::with_sub();
    let repositories = root.watched(&[]);
    for name in ["one", "two"] {
        root.make(name);
        root.write(&format!("{name}/.git/config"), TRAP);
        assert_eq!(repositories.put_right_and_tell().len(), 1, "{name}");
    }
}
