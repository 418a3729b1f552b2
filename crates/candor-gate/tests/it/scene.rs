//! What the tests share: one scene, and the gate in it.

use std::path::{Path, PathBuf};

use candor_gate::{Gate, Judgement, Lists, Scene, Verdict};

/// A user in a project below a home, with one more writable directory.
pub(crate) fn judge_with(lists: &Lists, command: &str) -> Judgement {
    let writable = [PathBuf::from("/srv/scratch")];
    let scene = Scene {
        cwd: Path::new("/home/dev/project"),
        workspace: Path::new("/home/dev/project"),
        home: Some(Path::new("/home/dev")),
        writable: &writable,
        variables: &[],
    };
    Gate::new(lists).unwrap().judge(command, &scene)
}

pub(crate) fn judge(command: &str) -> Judgement {
    judge_with(&Lists::default(), command)
}

#[track_caller]
pub(crate) fn check(command: &str, verdict: Verdict, rule: &str) {
    let judgement = judge(command);
    assert_eq!((judgement.verdict, judgement.rule.as_str()), (verdict, rule), "{command}: {judgement:?}");
}
