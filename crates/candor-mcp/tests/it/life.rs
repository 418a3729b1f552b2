//! Servers that die, do not start, hang, and are started again.

use std::time::Duration;

use candor_mcp::{Error, Standing};
use candor_sandbox::{Sandbox, Spec, Stdin, start};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;

use crate::rig::{Rig, call, code, until};

#[tokio::test]
async fn a_server_that_dies_during_a_call_fails_that_call_and_is_there_for_the_next() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let died = call(&servers, "mcp__fake__die", json!({})).await;
    assert_eq!(code(&died), "MCP_DIED");
    let cause = died.card.unwrap().cause;
    assert!(cause.contains("ended with exit code 3") && cause.contains("a bolt of lightning"), "{cause}");
    assert_eq!(rig.starts(), 1, "what may have been done was done again");
    assert!(!call(&servers, "mcp__fake__sum", json!({})).await.is_error);
    assert_eq!(rig.starts(), 2);
}

#[tokio::test]
async fn a_line_without_end_ends_the_server_and_not_us() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let died = call(&servers, "mcp__fake__long", json!({})).await;
    assert_eq!(code(&died), "MCP_DIED");
    assert!(died.card.unwrap().cause.contains("a line of more than"));
}

#[tokio::test]
async fn a_server_that_cannot_start_is_left_alone_in_the_end_and_a_probe_tries_again() {
    let rig = Rig::new();
    let servers = rig.servers(&json!({ "fake": rig.fake("dead") }));
    for count in 1..=5 {
        let Err(Error::Start { reason, said, .. }) = again(&servers).await else { panic!("{count}") };
        assert!(reason.contains("exit code 7") && said.contains("no such database"), "{reason}: {said}");
    }
    let Err(Error::GivenUp { count: 5, reason, .. }) = again(&servers).await else { panic!() };
    assert!(reason.contains("exit code 7"), "{reason}");
    assert_eq!(servers.statuses()[0].standing, Standing::GivenUp);
    // Each try is two starts: one that opens with a question, and one for servers that end over it.
    let starts = rig.starts();
    assert_eq!(starts, 10);
    assert!(servers.probe("fake").await.is_err());
    assert_eq!(rig.starts(), starts + 2);
}

/// Asks for something that needs the server.
async fn again(servers: &candor_mcp::Servers) -> Result<String, Error> {
    servers.prompt("fake", "greet", serde_json::Map::new(), &tokio_util::sync::CancellationToken::new()).await
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let rig = Rig::new();
    let servers = rig.servers(&json!({ "a": { "command": "no-such-program" } }));
    let error = servers.probe("a").await.unwrap_err();
    assert!(error.to_string().contains("there is no program no-such-program"), "{error}");
    assert_eq!(candor_cards::card(&error.failure()).code, "MCP_START");
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up_in_time_and_ended() {
    let mut rig = Rig::new();
    rig.options.start_time_max = Duration::from_millis(300);
    let servers = rig.servers(&json!({ "fake": rig.fake("mute") }));
    let error = servers.probe("fake").await.unwrap_err();
    assert!(error.to_string().contains("had not answered after 0.3 seconds"), "{error}");
    let pid = pid(&rig);
    until(|| test_kill_process(pid).is_err()).await;
}

#[tokio::test]
async fn all_who_want_a_server_wait_for_one_start() {
    let rig = Rig::remembering();
    rig.known("old").await.stop().await;
    let servers = rig.servers(&json!({ "fake": rig.fake("old") }));
    let calls = (0..20).map(|_| call(&servers, "mcp__fake__sum", json!({})));
    let outputs = futures_util::future::join_all(calls).await;
    assert!(outputs.iter().all(|output| !output.is_error));
    assert_eq!(rig.starts(), 2, "one to learn, one to call");
}

#[tokio::test]
async fn what_nobody_agreed_to_is_not_started() {
    let rig = Rig::remembering();
    rig.known("old").await.stop().await;
    let mut entries = crate::rig::entries(&json!({ "fake": rig.fake("old"), "off": rig.fake("old") }));
    entries[0].is_untrusted = true;
    entries[1].is_disabled = true;
    let servers = candor_mcp::Servers::new(entries, rig.options.clone());
    assert!(servers.tools().is_empty());
    let error = servers.probe("fake").await.unwrap_err();
    assert_eq!(candor_cards::card(&error.failure()).code, "MCP_UNTRUSTED");
    assert!(servers.probe("off").await.is_err());
    assert_eq!(rig.starts(), 1);
}

#[tokio::test]
async fn a_start_that_nobody_wants_any_more_is_broken_off() {
    let rig = Rig::new();
    let servers = rig.servers(&json!({ "fake": rig.fake("mute") }));
    servers.learn();
    rig.noted("start").await;
    servers.stop().await;
    let pid = pid(&rig);
    until(|| test_kill_process(pid).is_err()).await;
    assert_eq!(servers.statuses()[0].standing, Standing::Away);
}

#[tokio::test]
async fn a_server_ends_with_its_owner() {
    let rig = Rig::new();
    let servers = rig.known("old").await;
    let pid = pid(&rig);
    assert!(test_kill_process(pid).is_ok());
    drop(servers);
    until(|| test_kill_process(pid).is_err()).await;
}

/// The program that is killed: it is this test, run by the next one in a folder with a fake server that does not read its
/// input. Elsewhere it does nothing.
#[tokio::test]
async fn an_owner_that_waits() {
    let directory = std::env::current_dir().unwrap();
    if !directory.join("fake.py").exists() {
        return;
    }
    let env = vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())];
    let options = candor_mcp::Options::new(directory.clone(), env);
    let entry =
        json!({ "command": "python3", "args": ["fake.py", "deaf"], "env": { "FAKE_DIR": directory } });
    let servers = candor_mcp::Servers::new(crate::rig::entries(&json!({ "fake": entry })), options);
    let _ = servers.probe("fake").await;
}

#[tokio::test]
async fn a_server_that_does_not_listen_ends_when_its_owner_is_killed() {
    let rig = Rig::new();
    let spec = Spec {
        program: std::env::current_exe().unwrap(),
        args: ["--exact", "life::an_owner_that_waits"].map(Into::into).to_vec(),
        cwd: rig.directory().to_owned(),
        env: rig.options.env.clone(),
        timeout: Duration::MAX,
        output_bytes_max: 1 << 10,
        spill: None,
        stdin: Stdin::Closed,
        pty: None,
    };
    let owner = start(&spec, &Sandbox::bare()).unwrap();
    rig.noted("deaf").await;
    let server = pid(&rig);
    // The one process only: whatever it started is left to itself.
    kill_process(Pid::from_raw(i32::try_from(owner.pid()).unwrap()).unwrap(), Signal::KILL).unwrap();
    until(|| is_gone(server)).await;
}

/// The newest process of the fake server.
fn pid(rig: &Rig) -> Pid {
    let log = rig.log();
    let started = log.lines().filter_map(|line| line.strip_prefix("start ")).next_back().unwrap();
    Pid::from_raw(started.parse().unwrap()).unwrap()
}

/// Whether a process is gone, or is only waited for by nobody.
fn is_gone(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.map_or(true, |stat| stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
}
