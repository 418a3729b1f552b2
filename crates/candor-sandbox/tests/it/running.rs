//! A process that goes on while others talk to it.

use std::fs;
use std::time::{Duration, Instant};

use candor_sandbox::{How, Level, Running, Sandbox, State, Stdin, run, run_told, start, start_talking};
use rustix::process::{Pid, Signal, kill_process};
use tokio_util::sync::CancellationToken;

use crate::rig::{self, LONG, Rig};

/// Waits until it has said this.
async fn says(running: &Running, text: &str) {
    while !running.output().text().contains(text) {
        assert_eq!(running.state(), State::Running, "{}", running.output().text());
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn it_hears_and_answers_until_it_is_stopped() {
    for rig in Rig::kinds() {
        let mut spec =
            rig.script("while read line; do echo \"heard $line\"; done; echo closed; exec sleep $TOKEN");
        spec.stdin = Stdin::Piped;
        let running = start(&spec, &rig.sandbox).unwrap();
        running.write(b"one\n").await.unwrap();
        says(&running, "heard one\n").await;
        let first = running.output();
        running.write(b"two\n").await.unwrap();
        says(&running, "heard two\n").await;
        let then = running.output().since(first.total_bytes());
        assert_eq!((then.text.as_str(), then.from), ("heard two\n", 10));
        running.close().await;
        says(&running, "closed\n").await;
        assert_eq!(running.state(), State::Running);
        assert_eq!(running.stop(LONG).await, How::Signalled(15));
        assert_eq!(running.state(), State::Ended(How::Signalled(15)));
        assert!(running.write(b"x").await.is_err());
        assert_eq!(rig.sleepers(), 0);
    }
}

#[tokio::test]
async fn its_end_is_told() {
    for rig in Rig::kinds() {
        let running = start(&rig.script("echo out; echo err >&2; exit 5"), &rig.sandbox).unwrap();
        running.ended().await;
        assert_eq!(running.state(), State::Ended(How::Exited(5)));
        let text = running.output().text();
        assert!(text.contains("out\n") && text.contains("err\n"), "{text}");
        assert_eq!(running.stop(LONG).await, How::Exited(5));
    }
}

/// What init works with is its own: not the stack of the thread that started it, nor what the library keeps for that thread.
#[tokio::test]
async fn it_outlives_the_thread_that_started_it() {
    for rig in Rig::kinds() {
        let spec = rig.script("trap 'exit 7' TERM; echo ready; sleep $TOKEN & wait");
        let (handle, sandbox) = (tokio::runtime::Handle::current(), rig.sandbox.clone());
        let begin = move || {
            let _inside = handle.enter();
            start(&spec, &sandbox).unwrap()
        };
        let running = std::thread::spawn(begin).join().unwrap();
        says(&running, "ready\n").await;
        assert_eq!(running.stop(LONG).await, How::Exited(7));
        assert_eq!(rig.sleepers(), 0);
    }
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "what leaves its group is not found on other systems")]
async fn what_ignores_the_request_is_killed() {
    for rig in Rig::kinds() {
        let script = "trap '' TERM; setsid bash -c \"trap '' TERM; sleep $TOKEN; sleep $TOKEN\" & echo ready; \
                      sleep $TOKEN; sleep $TOKEN";
        let running = start(&rig.script(script), &rig.sandbox).unwrap();
        says(&running, "ready").await;
        assert_eq!(running.stop(Duration::from_millis(50)).await, How::Signalled(9));
        assert_eq!(rig.sleepers(), 0);
    }
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "what leaves its group is not found on other systems")]
async fn dropping_it_kills_all_of_it() {
    for rig in Rig::kinds() {
        let script = "setsid sleep $TOKEN & sleep $TOKEN & echo ready; wait";
        let running = start(&rig.script(script), &rig.sandbox).unwrap();
        says(&running, "ready").await;
        drop(running);
        assert_eq!(rig.sleepers(), 0);
    }
}

#[tokio::test]
async fn what_it_says_is_bounded() {
    for rig in Rig::kinds() {
        let mut spec = rig.script("yes | head -c 10000000; echo last; exec sleep $TOKEN");
        spec.output_bytes_max = 1000;
        let running = start(&spec, &rig.sandbox).unwrap();
        says(&running, "last\n").await;
        let said = running.output();
        assert!(said.is_cut() && said.text().len() < 1200);
        assert_eq!(said.total_bytes(), 10_000_005);
        assert_eq!(said.since(0).from, 10_000_005 - 500);
        assert_eq!(said.since(10_000_000).text, "last\n");
        assert_eq!(said.since(99_999_999).text, "");
    }
}

#[tokio::test]
async fn a_terminal_is_one() {
    for rig in Rig::kinds() {
        let mut spec = rig.script(
            "test -t 0 && test -t 1 && test -t 2 && echo tty; stty size; read line; echo \"got $line\"; \
             echo direct > /dev/tty; sleep $TOKEN",
        );
        spec.env.push(("TERM".into(), "dumb".into()));
        spec.stdin = Stdin::Piped;
        spec.pty = Some((33, 111));
        let running = start(&spec, &rig.sandbox).unwrap();
        says(&running, "33 111").await;
        running.write(b"hello\n").await.unwrap();
        says(&running, "direct").await;
        let text = running.output().text();
        assert!(text.contains("tty\r\n") && text.contains("got hello\r\n"), "{text}");
        // What a person types to interrupt does.
        running.write(b"\x03").await.unwrap();
        running.ended().await;
        assert_eq!(rig.sleepers(), 0);
        let mut spec = rig.script("echo to a terminal; tty > /dev/null || true");
        spec.pty = Some((24, 80));
        let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
        assert_eq!((ended.how, ended.stdout.text().as_str()), (How::Exited(0), "to a terminal\r\n"));
    }
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "other systems have no walls")]
async fn terminals_can_be_made_inside() {
    let rig = Rig::at(Level::Namespaces);
    let script =
        "/usr/bin/python3 -c 'import pty; pty.spawn([\"sh\",\"-c\",\"tty; test -t 0 && echo made\"])'";
    let text = rig.run(script).await.stdout.text();
    assert!(text.contains("/dev/pts/0") && text.contains("made"), "{text}");
}

/// The program that is killed: it is this test, run by the next one in a directory with a token. Elsewhere it does nothing.
#[tokio::test]
async fn an_owner_without_walls() {
    let directory = std::env::current_dir().unwrap();
    let Ok(token) = fs::read_to_string(directory.join("token")) else { return };
    let script = format!("read line; sleep {token} & echo ready > gate; exec sleep {token}");
    let mut spec = rig::spec(&directory, &script);
    spec.stdin = Stdin::Piped;
    let (running, _output) = start_talking(&spec, &Sandbox::bare()).unwrap();
    // It is ready only once it is tied to us.
    running.write(b"go\n").await.unwrap();
    running.ended().await;
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "what a killed program left goes on on other systems")]
async fn what_is_talked_to_ends_when_its_owner_is_killed() {
    let rig = Rig::new();
    let gate = rig.gate("gate");
    fs::write(rig.path("token"), &rig.token).unwrap();
    let mut spec = rig.script("");
    spec.args = ["--exact", "running::an_owner_without_walls"].map(Into::into).to_vec();
    spec.program = std::env::current_exe().unwrap();
    let owner = start(&spec, &Sandbox::bare()).unwrap();
    tokio::fs::read(&gate).await.unwrap();
    let pid = Pid::from_raw(i32::try_from(owner.pid()).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    let started = Instant::now();
    while rig.sleepers() > 0 {
        assert!(started.elapsed() < LONG, "they live on");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_one_is_told_it_finds_on_its_input_whether_it_listens_or_not() {
    let (told, cancel) = ("x".repeat(1 << 20), CancellationToken::new());
    for rig in Rig::kinds() {
        let run = async |script: &str| {
            let ended = run_told(&rig.script(script), told.as_bytes(), &rig.sandbox, &cancel).await.unwrap();
            (ended.how, ended.stdout.text().trim().to_owned())
        };
        assert_eq!(run("wc -c").await, (How::Exited(0), told.len().to_string()));
        assert_eq!(run("exit 3").await.0, How::Exited(3));
        assert_eq!(run("exec 0<&-; exit 4").await.0, How::Exited(4));
        let mut spec = rig.script("sleep $TOKEN & sleep $TOKEN");
        spec.timeout = Duration::from_millis(200);
        let ended = run_told(&spec, told.as_bytes(), &rig.sandbox, &cancel).await.unwrap();
        assert_eq!((ended.how, rig.sleepers()), (How::TimedOut, 0));
    }
}
