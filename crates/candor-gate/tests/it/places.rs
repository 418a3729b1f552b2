//! Paths: what is near, what is far, and from where it is seen.

use std::path::{Path, PathBuf};

use candor_gate::Verdict::{Allow, Ask, Deny};
use candor_gate::{Gate, Lists, Scene, Verdict};

#[track_caller]
fn check(cwd: &str, workspace: &str, home: Option<&str>, command: &str, verdict: Verdict) {
    let writable = [PathBuf::from("/srv/scratch")];
    let scene = Scene {
        cwd: Path::new(cwd),
        workspace: Path::new(workspace),
        home: home.map(Path::new),
        writable: &writable,
        variables: &[],
    };
    let found = Gate::new(&Lists::default()).unwrap().judge(command, &scene);
    assert_eq!(found.verdict, verdict, "{command} in {cwd}: {found:?}");
}

#[test]
fn a_workspace_below_a_system_directory_is_still_the_workspace() {
    let check =
        |command: &str, verdict| check("/usr/src/app", "/usr/src/app", Some("/home/dev"), command, verdict);
    check("rm -rf build", Allow);
    check("echo x > out", Allow);
    check("rm -rf /usr/src/app/x", Allow);
    check("rm -rf .", Ask);
    check("rm -rf ..", Deny);
    check("rm -rf /usr/src/other", Deny);
    check("rm -rf /usr", Deny);
}

#[test]
fn paths_are_seen_from_the_directory_of_the_command() {
    let check = |command: &str, verdict| {
        check("/home/dev/project/sub", "/home/dev/project", Some("/home/dev"), command, verdict);
    };
    check("rm -rf *", Allow);
    check("rm -rf ..", Ask);
    check("rm -rf ../..", Deny);
    check("rm -rf ../other", Allow);
    check("rm -rf ../../other", Ask);
    check("cd .. && rm -rf *", Ask);
    check("(cd ..); rm -rf *", Allow);
}

#[test]
fn other_writable_directories_are_near() {
    let check =
        |command: &str, verdict| check("/home/dev/p", "/home/dev/p", Some("/home/dev"), command, verdict);
    check("rm -rf /srv/scratch/x", Allow);
    check("rm -rf /srv/scratch-2/x", Ask);
    check("rm -rf /srv/other", Ask);
    check("rm -rf /srv", Deny);
}

#[test]
fn a_workspace_that_is_a_home_keeps_its_files_deletable() {
    let check = |command: &str, verdict| check("/home/dev", "/home/dev", Some("/home/dev"), command, verdict);
    check("rm -rf build", Allow);
    check("rm -rf ~", Deny);
    check("rm -rf *", Deny);
    check("echo x >> .bashrc", Ask);
}

#[test]
fn without_a_home_the_tilde_is_still_precious() {
    let check = |command: &str, verdict| check("/srv/scratch/p", "/srv/scratch/p", None, command, verdict);
    check("rm -rf ~", Deny);
    check("rm -rf $HOME/*", Deny);
    check("echo x >> ~/.profile", Ask);
    check("rm -rf build", Allow);
}

#[test]
fn a_workspace_at_the_root_does_not_open_the_system() {
    let check = |command: &str, verdict| check("/", "/", Some("/home/dev"), command, verdict);
    check("rm -rf *", Deny);
    check("rm -rf etc", Deny);
    check("echo x > etc/hosts", Deny);
    check("rm -rf /", Deny);
}

#[test]
fn harmless_devices_are_files_like_others() {
    let check =
        |command: &str, verdict| check("/home/dev/p", "/home/dev/p", Some("/home/dev"), command, verdict);
    for device in ["null", "stdout", "stderr", "tty", "fd/3", "pts/1", "shm/x", "zero"] {
        check(&format!("ls > /dev/{device}"), Allow);
    }
    for device in ["sda", "nvme0n1p1", "vda", "mem", "mapper/x", "disk/by-id/y"] {
        check(&format!("ls > /dev/{device}"), Deny);
    }
}
