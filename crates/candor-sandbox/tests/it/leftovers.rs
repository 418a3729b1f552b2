//! Nothing that a call started is there once the call is over.

use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use candor_sandbox::{How, Sandbox, run, start};
use tokio_util::sync::CancellationToken;

use crate::rig::{LONG, Rig};

/// Ways to stay behind. Each says `ready` on the gate from inside the process that means to stay.
const WAYS: &[(&str, &str)] = &[
    ("in the background", "(echo ready > gate; exec sleep $TOKEN) &"),
    ("deaf to a hang-up", "nohup bash -c 'echo ready > gate; exec sleep $TOKEN' > /dev/null 2>&1 &"),
    ("in its own session", "setsid bash -c 'echo ready > gate; exec sleep $TOKEN' &"),
    (
        "without our streams",
        "setsid bash -c 'echo ready > gate; exec sleep $TOKEN' < /dev/null > /dev/null 2>&1 &",
    ),
    ("forked twice", "(setsid bash -c '(echo ready > gate; exec sleep $TOKEN) > /dev/null 2>&1 &' &)"),
    ("deaf to a request", "setsid bash -c 'trap \"\" TERM; echo ready > gate; sleep $TOKEN; sleep $TOKEN' &"),
    ("with a new environment in the group", "env -i bash -c \"echo ready > gate; exec sleep $TOKEN\" &"),
    (
        "with a new environment below a marked parent",
        "setsid bash -c 'setsid env -i bash -c \"echo ready > gate; exec sleep $TOKEN\"; :' > /dev/null 2>&1 &",
    ),
    (
        "deaf to a request, with a new environment below a marked parent",
        r#"setsid bash -c 'setsid env -i bash -c "trap \"\" TERM; echo ready > gate; exec sleep $TOKEN"; :' > /dev/null 2>&1 &"#,
    ),
    (
        "with a new environment two generations below a marked parent",
        r#"setsid bash -c 'setsid env -i bash -c "setsid bash -c \"echo ready > gate; exec sleep $TOKEN\"; :"; :' &"#,
    ),
    (
        "forked twice with a new environment",
        r#"(env -i setsid bash -c "(echo ready > gate; exec sleep $TOKEN) > /dev/null 2>&1 &" &)"#,
    ),
    (
        "forked twice, deaf to a request, with a new environment",
        r#"(env -i setsid bash -c "(trap '' TERM; echo ready > gate; exec sleep $TOKEN) > /dev/null 2>&1 &" &)"#,
    ),
];

/// All of them behind every kind of walls. On other systems what leaves the group of a call is not found.
fn ways() -> impl Iterator<Item = (&'static (&'static str, &'static str), Rig)> {
    let found = WAYS.iter().filter(|(_, script)| !cfg!(elsewhere) || !script.contains("setsid"));
    found.flat_map(|way| Rig::kinds().into_iter().map(move |rig| (way, rig)))
}

#[tokio::test]
async fn what_a_process_leaves_when_it_ends_is_killed() {
    for ((way, script), rig) in ways() {
        let gate = rig.gate("gate");
        rig.gate("open");
        // It ends only once what is to stay behind runs.
        let spec = rig.script(&format!("{script}\nread line < open; echo end"));
        let cancel = CancellationToken::new();
        let (ended, ()) = tokio::join!(run(&spec, &rig.sandbox, &cancel), async {
            tokio::fs::read(&gate).await.unwrap();
            tokio::fs::write(rig.path("open"), "go\n").await.unwrap();
        });
        let ended = ended.unwrap();
        assert_eq!((ended.how, ended.stdout.text().as_str()), (How::Exited(0), "end\n"), "{way}");
        assert!(ended.duration < Duration::from_secs(10), "{way}: {:?}", ended.duration);
        assert_eq!(rig.sleepers(), 0, "{way}");
    }
    println!("figure: process zoo: {} ways to stay behind, with and without walls, 0 survived", WAYS.len());
}

#[tokio::test]
async fn what_runs_when_the_call_is_cancelled_is_killed() {
    for ((way, script), rig) in ways() {
        let gate = rig.gate("gate");
        let cancel = CancellationToken::new();
        let spec = rig.script(&format!("{script}\nsleep $TOKEN"));
        let (ended, ()) = tokio::join!(run(&spec, &rig.sandbox, &cancel), async {
            tokio::fs::read(&gate).await.unwrap();
            cancel.cancel();
        });
        assert_eq!(ended.unwrap().how, How::Cancelled, "{way}");
        assert_eq!(rig.sleepers(), 0, "{way}");
    }
}

#[tokio::test]
async fn what_runs_when_a_service_is_stopped_is_killed() {
    for ((way, script), rig) in ways() {
        let gate = rig.gate("gate");
        let service = start(&rig.script(&format!("{script}\nsleep $TOKEN")), &rig.sandbox).unwrap();
        tokio::fs::read(&gate).await.unwrap();
        service.stop(LONG).await;
        assert_eq!(rig.sleepers(), 0, "{way}");
    }
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "what leaves its group is not found on other systems")]
async fn what_a_short_process_leaves_is_killed_too() {
    for rig in Rig::kinds() {
        for _ in 0..40 {
            rig.run("setsid sleep $TOKEN < /dev/null > /dev/null 2>&1 & exec true").await;
            assert_eq!(rig.sleepers(), 0);
        }
    }
}

/// Without walls a command can end the process that would end what it leaves.
#[tokio::test]
#[cfg_attr(elsewhere, ignore = "there is no keeper on other systems")]
async fn what_is_left_by_a_command_that_killed_its_keeper_is_killed() {
    let rig = Rig::with(|_| Sandbox::bare());
    let stays = "setsid sleep $TOKEN < /dev/null > /dev/null 2>&1 &";
    let ended = rig.run(&format!("{stays} kill -KILL $PPID; exec sleep $TOKEN")).await;
    assert_eq!((ended.how, rig.sleepers()), (How::Signalled(9), 0));
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "what leaves its group is not found on other systems")]
async fn what_runs_when_the_time_is_over_is_killed() {
    for rig in Rig::kinds() {
        let mut spec = rig
            .script("setsid sleep $TOKEN & (setsid sleep $TOKEN > /dev/null 2>&1 &) & sleep $TOKEN & wait");
        spec.timeout = Duration::from_millis(500);
        let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
        assert_eq!(ended.how, How::TimedOut);
        assert_eq!(rig.sleepers(), 0);
    }
}

#[tokio::test]
async fn dropping_the_call_leaves_no_process() {
    for ((way, script), rig) in ways() {
        let gate = rig.gate("gate");
        let cancel = CancellationToken::new();
        let spec = rig.script(&format!("{script}\nsleep $TOKEN"));
        tokio::select! {
            ended = run(&spec, &rig.sandbox, &cancel) => panic!("{way}: {ended:?}"),
            line = tokio::fs::read(&gate) => assert_eq!(line.unwrap(), b"ready\n"),
        }
        assert_eq!(rig.sleepers(), 0, "{way}");
    }
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "what leaves its group is not found on other systems")]
async fn a_call_leaves_the_processes_of_another_alone() {
    for rig in Rig::kinds() {
        let gate = rig.gate("gate");
        let cancel = CancellationToken::new();
        let other = rig.script("setsid bash -c 'echo ready > gate; exec sleep $TOKEN' & wait");
        let (ended, ()) = tokio::join!(run(&other, &rig.sandbox, &cancel), async {
            tokio::fs::read(&gate).await.unwrap();
            let mut spec = rig.script("setsid sleep 100 & sleep 100");
            spec.timeout = Duration::from_millis(100);
            let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
            assert_eq!(ended.how, How::TimedOut);
            assert_eq!(rig.sleepers(), 1);
            cancel.cancel();
        });
        assert_eq!(ended.unwrap().how, How::Cancelled);
        assert_eq!(rig.sleepers(), 0);
    }
}

#[tokio::test]
async fn two_hundred_calls_leave_no_process_and_no_open_file() {
    for rig in Rig::kinds() {
        let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
        rig.run("true").await;
        let before = open();
        for number in 0..200 {
            let ended = rig.run(&format!("echo {number}")).await;
            assert_eq!(ended.stdout.text(), format!("{number}\n"));
        }
        assert_eq!(open(), before);
        let own = std::process::id().to_string();
        let is_child = |path: std::path::PathBuf| {
            let status = std::fs::read_to_string(path.join("status")).unwrap_or_default();
            status.lines().any(|line| line.strip_prefix("PPid:").is_some_and(|parent| parent.trim() == own))
        };
        let children =
            std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| is_child(entry.path())).count();
        assert_eq!(children, 0);
    }
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "what a killed program left goes on on other systems")]
async fn what_a_dead_program_left_is_ended_and_what_a_living_one_runs_is_not() {
    let (rig, foreign) = (Rig::new(), Rig::new());
    let gate = rig.gate("gate");
    rig.gate("open");
    let space = std::fs::metadata("/proc/self/ns/pid").unwrap().ino();
    // No process has this number: the kernel's largest is smaller. In another namespace it is not for us to say so.
    let orphan = format!(
        "CANDOR_CALL=99999999.1.{space}.x setsid -f sh -c 'env -i sleep $0 & sleep $0; :' $TOKEN; \
         CANDOR_CALL=99999999.1.{}.x setsid -f sleep {}; \
         echo ready > gate; read line < open; echo end",
        space + 1,
        foreign.token
    );
    let (spec, cancel) = (rig.script(&orphan), CancellationToken::new());
    let (ended, ()) = tokio::join!(run(&spec, &rig.sandbox, &cancel), async {
        tokio::fs::read(&gate).await.unwrap();
        while rig.sleepers() < 2 || foreign.sleepers() < 1 {
            tokio::task::yield_now().await;
        }
        assert!(candor_sandbox::end_orphans() >= 3);
        assert_eq!(rig.sleepers(), 0, "it is gone");
        assert_eq!(foreign.sleepers(), 1, "what was started in another namespace goes on");
        tokio::fs::write(rig.path("open"), "go\n").await.unwrap();
    });
    assert_eq!(ended.unwrap().stdout.text(), "end\n", "the call of a living program went on");
}
