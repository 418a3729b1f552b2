//! What is said about walls, which not every machine can put up.

use std::path::PathBuf;
use std::sync::Arc;

use candor_protocol::SessionId;
use candor_sandbox::{Level, Policy};

use super::hint;
use crate::{Plan, Rules, ToolContext, Walls};

/// What is said to a command that could not write, where these paths may be written.
fn hinted(writable: Vec<PathBuf>) -> String {
    let directory = tempfile::tempdir().unwrap();
    let policy = Policy { writable, ..Policy::default() };
    let plan = Plan { policy: Some(policy), minimum: Level::None };
    let context = ToolContext {
        walls: Arc::new(Walls::new(plan)),
        ..ToolContext::alone(SessionId::now(), directory.path().to_owned(), Rules::default())
    };
    hint("", "touch: cannot touch 'a': Read-only file system", &context).unwrap().to_owned()
}

#[test]
fn who_may_write_nothing_is_not_told_of_the_workspace() {
    let said = hinted(Vec::new());
    assert!(said.contains("write below /tmp alone") && !said.contains("in the workspace"), "{said}");
    assert!(hinted(vec!["/workspace".into()]).contains("in the workspace and /tmp only"));
}
