//! What a process finds when it starts.

use std::fs::File;

use candor_sandbox::{How, level, run};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

#[tokio::test]
async fn both_streams_and_the_exit_code_come_back() {
    let ended = Rig::new().run("echo out; echo err >&2; exit 3").await;
    assert_eq!(ended.how, How::Exited(3));
    assert_eq!(ended.stdout.text(), "out\n");
    assert_eq!(ended.stderr.text(), "err\n");
}

#[tokio::test]
async fn a_signal_is_told_from_an_exit() {
    assert_eq!(Rig::new().run("kill -SEGV $$").await.how, How::Signalled(11));
}

#[tokio::test]
async fn the_environment_is_what_was_given_and_the_mark() {
    let rig = Rig::new();
    let mut spec = rig.script("");
    spec.program = "/usr/bin/env".into();
    spec.args.clear();
    spec.env = vec![("ONE".into(), "1".into()), ("TWO".into(), "zwei drei".into())];
    let text = run(&spec, &CancellationToken::new()).await.unwrap().stdout.text();
    let mut names: Vec<&str> = text.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    assert_eq!(names, ["CANDOR_CALL", "ONE", "TWO"]);
    assert!(text.contains("TWO=zwei drei\n"), "{text}");
}

#[tokio::test]
async fn standard_input_is_empty_and_our_files_are_not_open() {
    let rig = Rig::new();
    let _file = File::create(rig.path("ours")).unwrap();
    let ended = rig.run("cat; readlink /proc/self/fd/0; ls -l /proc/self/fd").await;
    let text = ended.stdout.text();
    assert!(text.starts_with("/dev/null\n"), "{text}");
    assert!(text.contains(" 1 -> pipe:"), "{text}");
    assert!(!text.contains("/ours"), "{text}");
}

#[tokio::test]
async fn it_starts_where_it_is_told_and_leads_its_own_group() {
    let rig = Rig::new();
    let ended = rig.run("pwd -P; ps -o pgid= -p $$ | tr -d ' '; echo $$").await;
    let text = ended.stdout.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], rig.directory().canonicalize().unwrap().to_str().unwrap());
    assert_eq!(lines[1], lines[2]);
}

#[tokio::test]
async fn arguments_reach_the_program_as_they_are() {
    let rig = Rig::new();
    let mut spec = rig.script("");
    spec.program = "/usr/bin/printf".into();
    spec.args = ["%s|", "$(id)", "a b", ";", ""].map(Into::into).to_vec();
    let ended = run(&spec, &CancellationToken::new()).await.unwrap();
    assert_eq!(ended.stdout.text(), "$(id)|a b|;||");
}

#[test]
fn the_level_is_named() {
    assert_eq!(level().to_string(), "none");
}
