//! How a process is brought to its end.

use std::time::Duration;

use candor_sandbox::{How, run};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

const SHORT: Duration = Duration::from_millis(200);
/// What a process that ignores the request is given, and a process that follows it does not need.
const GRACE: Duration = Duration::from_secs(2);

#[tokio::test]
async fn a_process_that_takes_too_long_is_stopped_and_what_it_said_is_kept() {
    for rig in Rig::kinds() {
        let mut spec = rig.script("echo begun; sleep $TOKEN");
        spec.timeout = SHORT;
        let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
        assert_eq!(ended.how, How::TimedOut);
        assert_eq!(ended.stdout.text(), "begun\n");
        assert!(ended.duration >= SHORT && ended.duration < GRACE, "{:?}", ended.duration);
        assert_eq!(rig.sleepers(), 0);
    }
}

#[tokio::test]
async fn a_process_may_tidy_up_before_it_ends() {
    for rig in Rig::kinds() {
        let mut spec = rig.script("trap 'echo tidy; exit' TERM; echo begun; while :; do sleep 0.01; done");
        spec.timeout = Duration::from_millis(500);
        let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
        assert_eq!(ended.how, How::TimedOut);
        assert_eq!(ended.stdout.text(), "begun\ntidy\n");
    }
}

#[tokio::test]
async fn a_process_that_will_not_end_is_killed() {
    for rig in Rig::kinds() {
        let mut spec =
            rig.script("trap '' TERM INT HUP; sleep $TOKEN & sleep $TOKEN & wait; wait; sleep $TOKEN");
        spec.timeout = SHORT;
        let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
        assert_eq!(ended.how, How::TimedOut);
        assert!(ended.duration >= SHORT + GRACE, "{:?}", ended.duration);
        assert_eq!(rig.sleepers(), 0);
    }
}

#[tokio::test]
async fn a_stopped_process_is_ended_too() {
    for rig in Rig::kinds() {
        let mut spec = rig.script("trap 'echo heard; exit' TERM; kill -STOP $$");
        spec.timeout = SHORT;
        let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
        // Stopped, it could not have said so; killed, neither.
        assert_eq!((ended.how, ended.stdout.text().as_str()), (How::TimedOut, "heard\n"));
    }
}

#[tokio::test]
async fn cancelling_cuts_short() {
    for rig in Rig::kinds() {
        let gate = rig.gate("gate");
        let cancel = CancellationToken::new();
        let spec = rig.script("echo ready > gate; exec sleep $TOKEN");
        let (ended, ()) = tokio::join!(run(&spec, &rig.sandbox, &cancel), async {
            tokio::fs::read(&gate).await.unwrap();
            cancel.cancel();
        });
        let ended = ended.unwrap();
        assert_eq!(ended.how, How::Cancelled);
        assert!(ended.duration < GRACE, "{:?}", ended.duration);
        assert_eq!(rig.sleepers(), 0);
    }
}

#[tokio::test]
async fn what_was_cancelled_before_is_cancelled() {
    for rig in Rig::kinds() {
        let cancel = CancellationToken::new();
        cancel.cancel();
        let ended = run(&rig.script("exec sleep $TOKEN"), &rig.sandbox, &cancel).await.unwrap();
        assert_eq!(ended.how, How::Cancelled);
        assert_eq!(rig.sleepers(), 0);
    }
}
