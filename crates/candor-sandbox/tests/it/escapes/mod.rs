//! Every known way out is tried, at every level, as root and as somebody without rights; what stands outside decides.

mod cases;
mod world;

use std::time::Duration;

use candor_sandbox::{Level, Sandbox, Spec, Walls, run};
use tokio_util::sync::CancellationToken;

use crate::rig;
use cases::{CASES, Case, Scope, Script};
use world::{PLACE_MARK, World};

/// What python scripts begin with.
const PRELUDE: &str =
    "import os,sys,ctypes,socket,struct\nE=os.environ\nc=ctypes.CDLL(None,use_errno=True)\n";

/// What the test command looks for.
const FIGURE: &str = "figure: ";

/// An attempt that hangs is an attempt that failed.
const TIME_MAX: Duration = Duration::from_secs(10);

fn spec(case: &Case, world: &World) -> Spec {
    let mut spec = rig::spec(&world.path("ws"), "");
    match case.script {
        Script::Shell(script) => spec.args = ["-c", script].map(Into::into).to_vec(),
        Script::Python(script) => {
            spec.program = "/usr/bin/python3".into();
            spec.args = ["-c".into(), format!("{PRELUDE}{script}").into()].to_vec();
        }
    }
    spec.env = world.env();
    spec.timeout = TIME_MAX;
    spec
}

/// Tries one case in a world, and says what it did outside.
async fn attempt(case: &Case, world: &World, sandbox: &Sandbox) -> Option<String> {
    let ended = run(&spec(case, world), sandbox, &CancellationToken::new()).await;
    let ended = ended.unwrap_or_else(|error| panic!("{}: {error:?}", case.name));
    world.damage(&(ended.stdout.text() + &ended.stderr.text())).await
}

/// Tries all that applies at a level.
async fn escaped(level: Level, open: impl Fn(&World) -> Sandbox) -> Vec<String> {
    let applies = |case: &Case| match case.scope {
        Scope::Always | Scope::Walled => true,
        Scope::Unwrapped => level != Level::Bubblewrap,
        Scope::Namespaces => level > Level::Landlock,
        Scope::OwnInit => level == Level::Namespaces,
    };
    let out = escaped_of(applies, open).await;
    let count = CASES.iter().filter(|case| applies(case)).count();
    println!("figure: escape table, {level}, uid {}: {count} ways out tried, {} got out", uid(), out.len());
    out
}

/// Tries some of them; a world that was damaged is built anew.
async fn escaped_of(applies: impl Fn(&Case) -> bool, open: impl Fn(&World) -> Sandbox) -> Vec<String> {
    let mut escaped = Vec::new();
    let mut world = World::new().await;
    let mut sandbox = open(&world);
    for case in CASES.iter().filter(|case| applies(case)) {
        if let Some(damage) = attempt(case, &world, &sandbox).await {
            escaped.push(format!("{}: {damage}", case.name));
            world = World::new().await;
            sandbox = open(&world);
        }
    }
    escaped
}

fn uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[tokio::test]
async fn nothing_gets_out_of_namespaces() {
    let out =
        escaped(Level::Namespaces, |world| Sandbox::open_with(world.policy(), Walls::NAMESPACES).unwrap())
            .await;
    assert!(out.is_empty(), "{}", out.join("\n"));
}

#[tokio::test]
async fn nothing_gets_out_of_landlock() {
    let out =
        escaped(Level::Landlock, |world| Sandbox::open_with(world.policy(), Walls::LANDLOCK).unwrap()).await;
    assert!(out.is_empty(), "{}", out.join("\n"));
}

#[tokio::test]
async fn nothing_gets_out_of_bubblewrap() {
    if let Err(error) = Sandbox::open_at(World::new().await.policy(), Level::Bubblewrap) {
        println!("skipped: bubblewrap does not work here: {error:?}");
        return;
    }
    let out =
        escaped(Level::Bubblewrap, |world| Sandbox::open_at(world.policy(), Level::Bubblewrap).unwrap())
            .await;
    assert!(out.is_empty(), "{}", out.join("\n"));
}

/// Calls that only the filter stops, whoever makes them.
const FILTERED: &[&str] = &[
    "clone with a namespace",
    "clone3 with a namespace",
    "setns",
    "chroot",
    "new mount interface",
    "file system context",
    "keyring",
    "add key",
    "io_uring",
    "bpf",
    "perf",
    "userfaultfd",
    "x32 numbers",
    "foreign architecture",
    "ptrace",
    "process_vm_readv",
    "typing into a terminal",
    "tcp",
    "tcp v6",
    "udp",
    "netlink",
    "vsock",
    "packet",
    "raw",
    "bluetooth",
    "alg",
];

#[tokio::test]
async fn the_filter_alone_stops_its_calls() {
    let walls = Walls { namespaces: false, landlock: false, seccomp: true };
    let is_its = |case: &Case| FILTERED.contains(&case.name);
    let out = escaped_of(is_its, |world| Sandbox::open_with(world.policy(), walls).unwrap()).await;
    assert!(out.is_empty(), "{}", out.join("\n"));
    let count = CASES.iter().filter(|case| is_its(case)).count();
    assert_eq!(count, FILTERED.len());
}

/// What namespaces and lost privileges stop without the help of another wall, beside what gets out without walls.
const SEPARATED: &[&str] = &[
    "chown",
    "setuid program",
    "setuid call",
    "capabilities",
    "no new privileges",
    "device node",
    "character device node",
    "raw disk",
    "raw disk opened for writing",
    "kernel settings",
    "sysrq",
    "sys",
    "control group",
    "memory of the victim",
    "environment of the runtime",
    "a route out",
    "every address",
    "a huge file",
    "more files than allowed",
    "a core dump",
];

#[tokio::test]
async fn namespaces_alone_hold_what_they_are_for() {
    let walls = Walls { namespaces: true, landlock: false, seccomp: false };
    let is_its = |case: &Case| case.scope != Scope::Walled || SEPARATED.contains(&case.name);
    let out = escaped_of(is_its, |world| Sandbox::open_with(world.policy(), walls).unwrap()).await;
    assert!(out.is_empty(), "{}", out.join("\n"));
    assert!(SEPARATED.iter().all(|name| CASES.iter().any(|case| case.name == *name)));
}

/// Whether it gets out where there are no walls.
fn gets_out(case: &Case) -> bool {
    matches!(case.scope, Scope::Always | Scope::Unwrapped)
}

/// Landlock knows nothing of networks and of sockets with a path; the filter stops these.
#[tokio::test]
async fn landlock_alone_holds_what_it_is_for() {
    let walls = Walls { namespaces: false, landlock: true, seccomp: false };
    let is_its = |case: &Case| gets_out(case);
    let out = escaped_of(is_its, |world| Sandbox::open_with(world.policy(), walls).unwrap()).await;
    let names: Vec<&str> = out.iter().filter_map(|line| line.split(':').next()).collect();
    let internet = ["tcp", "tcp by the shell", "tcp v6", "udp", "udp v6"];
    let local = ["unix socket", "unix datagram", "a pair sends away"];
    let services = ["service", "letter to a service"];
    assert_eq!(names, [&internet[..], &local, &services].concat(), "{}", out.join("\n"));
}

/// Shows that the table is no empty threat: without walls all of this gets out.
#[tokio::test]
async fn without_walls_all_of_it_gets_out() {
    let mut held = Vec::new();
    let cases = CASES.iter().filter(|case| gets_out(case));
    for case in cases {
        let world = World::new().await;
        if attempt(case, &world, &Sandbox::bare()).await.is_none() {
            held.push(case.name);
        }
    }
    assert!(held.is_empty(), "these get nowhere even without walls: {held:?}");
}

/// The same tables, by somebody who is not root.
#[tokio::test]
async fn nothing_gets_out_as_nobody() {
    if uid() != 0 {
        println!(
            "skipped: only root can become somebody else, and the other tests are run without root already"
        );
        return;
    }
    let home = tempfile::Builder::new().prefix("candor-nobody-").tempdir_in("/var/lib").unwrap();
    let program = home.path().join("it");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::write(home.path().join(PLACE_MARK), "").unwrap();
    let quoted = home.path().to_str().unwrap();
    let script = format!(
        "chown -R 65534:65534 {quoted} && exec setpriv --reuid=65534 --regid=65534 --clear-groups \
         sh -c '{quoted}/it --nocapture escapes::nothing_gets_out_of && \
         {quoted}/it --nocapture --exact session::no_call_has_more_processes_than_it_may && \
         LD_TRY=1 {quoted}/it --nocapture --exact hardening::a_hardened_program'"
    );
    let mut spec = rig::spec(home.path(), &script);
    spec.env = vec![("PATH".into(), "/usr/sbin:/usr/bin:/sbin:/bin".into())];
    let ended = run(&spec, &Sandbox::bare(), &CancellationToken::new()).await.unwrap();
    let said = ended.stdout.text() + &ended.stderr.text();
    // The runner of the tests within may have begun the line.
    for (_, figure) in said.lines().filter_map(|line| line.split_once(FIGURE)) {
        println!("{FIGURE}{figure}");
    }
    assert_eq!(ended.how, candor_sandbox::How::Exited(0), "{said}");
    assert!(said.contains("uid 65534") && said.contains("hardened\n"), "{said}");
    assert!(said.contains(&format!("{}: bounded\n", Level::Landlock)), "{said}");
}
