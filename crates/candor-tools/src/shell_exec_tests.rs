//! What is said about walls, which not every machine can put up.

use std::path::PathBuf;
use std::sync::Arc;

use candor_protocol::SessionId;
use candor_sandbox::{Level, Policy};

use super::hint;
use crate::{Plan, Rules, ToolContext, Walls};

/// What is said to a command that said this behind walls of this policy.
fn hinted(policy: Policy, stderr: &str) -> Option<&'static str> {
    let directory = tempfile::tempdir().unwrap();
    let plan = Plan { policy: Some(policy), minimum: Level::None };
    let context = ToolContext {
        walls: Arc::new(Walls::new(plan)),
        ..ToolContext::alone(SessionId::now(), directory.path().to_owned(), Rules::default())
    };
    hint("", stderr, &context)
}

#[test]
fn who_may_write_nothing_is_not_told_of_the_workspace() {
    let told = |writable: Vec<PathBuf>| {
        let policy = Policy { writable, ..Policy::default() };
        hinted(policy, "touch: cannot touch 'a': Read-only file system").unwrap()
    };
    let said = told(Vec::new());
    assert!(said.contains("write below /tmp alone") && !said.contains("in the workspace"), "{said}");
    assert!(told(vec!["/workspace".into()]).contains("in the workspace and /tmp only"));
}

#[test]
fn a_hidden_path_is_no_matter_of_modes() {
    let policy = Policy { hidden: vec!["/home/a/.npmrc".into()], ..Policy::default() };
    let said = hinted(policy.clone(), "cat: /home/a/.npmrc: Permission denied");
    assert!(said.unwrap().contains("security.denied_paths"));
    assert_eq!(hinted(policy, "cat: /home/a/other: Permission denied"), None);
}
