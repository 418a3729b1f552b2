//! Processes that do not want to end, behind namespaces; and a runtime that is killed.

use std::fs;
use std::time::{Duration, Instant};

use candor_sandbox::{How, Level, Sandbox, run, start};
use rustix::process::{Pid, Signal, kill_process};
use tokio_util::sync::CancellationToken;

use crate::rig::{self, LONG, Rig};

/// Says to a test that it is the one to be killed, and what to call its processes.
const TOKEN: &str = "candor-token";

/// Each says `ready` on the gate once what means to stay is there. Without namespaces, some of these are not found.
const ANIMALS: &[(&str, &str)] = &[
    (
        "no environment, no group, no parent",
        "(env -i setsid bash -c \"(exec sleep $TOKEN) & echo ready > gate\" &)",
    ),
    ("forked thrice", "(setsid bash -c '(env -i setsid sleep $TOKEN &) ; echo ready > gate' &)"),
    (
        "stopped",
        "env -i setsid bash -c \"sleep $TOKEN & kill -STOP \\$!; echo ready > gate; kill -STOP \\$\\$\" &",
    ),
    (
        "deaf",
        "env -i setsid bash -c \"trap '' TERM HUP INT QUIT; echo ready > gate; sleep $TOKEN; sleep $TOKEN\" &",
    ),
    ("holding the streams", "setsid bash -c 'echo ready > gate; exec sleep $TOKEN' &"),
    ("flooding", "setsid yes > /dev/null & sleep $TOKEN & echo ready > gate"),
];

#[tokio::test]
async fn no_animal_survives_the_end_of_its_call() {
    for (animal, script) in ANIMALS {
        let rig = Rig::at(Level::Namespaces);
        let gate = rig.gate("gate");
        let (spec, cancel) = (rig.script(&format!("{script}\nexec sleep $TOKEN")), CancellationToken::new());
        let (ended, ()) = tokio::join!(run(&spec, &rig.sandbox, &cancel), async {
            tokio::fs::read(&gate).await.unwrap();
            cancel.cancel();
        });
        assert_eq!(ended.unwrap().how, How::Cancelled, "{animal}");
        assert_eq!(rig.sleepers(), 0, "{animal}");
        let gate = rig.gate("gate2");
        let script = script.replace("> gate", "> gate2");
        let spec = rig.script(&format!("{script}\nread line < open; echo end"));
        rig.gate("open");
        let never = CancellationToken::new();
        let (ended, ()) = tokio::join!(run(&spec, &rig.sandbox, &never), async {
            tokio::fs::read(&gate).await.unwrap();
            tokio::fs::write(rig.path("open"), "go\n").await.unwrap();
        });
        assert_eq!(ended.unwrap().stdout.text(), "end\n", "{animal}");
        assert_eq!(rig.sleepers(), 0, "{animal}");
    }
    println!(
        "figure: process zoo: {} animals behind namespaces, ended and cancelled, 0 survived",
        ANIMALS.len()
    );
}

#[tokio::test]
async fn a_bomb_is_bounded_and_ends() {
    let rig = Rig::with(|directory| {
        let mut policy = rig::workspace(directory);
        policy.limits.processes = Some(100);
        Sandbox::open_at(policy, Level::Namespaces).unwrap()
    });
    let mut spec = rig.script("bomb() { sleep $TOKEN & bomb | bomb & }; bomb 2> /dev/null; sleep $TOKEN");
    spec.timeout = Duration::from_secs(1);
    let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
    assert_ne!(ended.how, How::Cancelled);
    assert_eq!(rig.sleepers(), 0);
}

/// The program that is killed: it is this test, run by the next one in a directory with a token. Elsewhere it does
/// nothing.
#[tokio::test]
async fn a_runtime_that_waits() {
    let directory = std::env::current_dir().unwrap();
    let Ok(token) = fs::read_to_string(directory.join(TOKEN)) else { return };
    let sandbox = Sandbox::open_at(rig::workspace(&directory), Level::Namespaces).unwrap();
    let script =
        format!("env -i setsid sleep {token} & sleep {token} & echo ready > gate; exec sleep {token}");
    let running = start(&rig::spec(&directory, &script), &sandbox).unwrap();
    running.ended().await;
}

#[tokio::test]
async fn a_killed_runtime_leaves_nothing() {
    let rig = Rig::new();
    let gate = rig.gate("gate");
    fs::write(rig.path(TOKEN), &rig.token).unwrap();
    let program = std::env::current_exe().unwrap();
    let mut spec = rig.script("");
    spec.args = ["--exact", "zoo::a_runtime_that_waits"].map(Into::into).to_vec();
    spec.program = program;
    let runtime = start(&spec, &Sandbox::bare()).unwrap();
    tokio::fs::read(&gate).await.unwrap();
    // Each of them is a shell for a moment before it sleeps.
    let started = Instant::now();
    while rig.sleepers() < 3 {
        assert!(started.elapsed() < LONG, "they have not all begun");
        tokio::task::yield_now().await;
    }
    let pid = Pid::from_raw(i32::try_from(runtime.pid()).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    let started = Instant::now();
    while rig.sleepers() > 0 {
        assert!(started.elapsed() < LONG, "they live on");
        tokio::task::yield_now().await;
    }
}
