//! What the walls cost: the same program, bare and behind each kind of walls, in one run.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has no figures")]

use std::path::Path;
use std::time::Duration;

use candor_sandbox::{Policy, Sandbox, Spec, Stdin, Walls, run};
use divan::Bencher;
use tokio_util::sync::CancellationToken;

/// A policy as a session has it: a workspace with something protected and something hidden.
fn policy(home: &Path) -> Policy {
    let workspace = home.join("workspace");
    for directory in ["workspace/.git/hooks", "secrets"] {
        std::fs::create_dir_all(home.join(directory)).expect("it can be set up");
    }
    Policy {
        protected: vec![workspace.join(".git/hooks"), workspace.join(".candor")],
        hidden: vec![home.join("secrets")],
        temp: Some(home.join("temp")),
        writable: vec![workspace],
        ..Policy::default()
    }
}

fn bench(bencher: Bencher<'_, '_>, open: impl FnOnce(Policy) -> Sandbox) {
    let home = tempfile::tempdir().expect("it can be set up");
    let sandbox = open(policy(home.path()));
    let spec = Spec {
        program: "/bin/true".into(),
        args: Vec::new(),
        cwd: home.path().join("workspace"),
        env: Vec::new(),
        timeout: Duration::from_secs(10),
        output_bytes_max: 1 << 10,
        spill: None,
        stdin: Stdin::Closed,
        pty: None,
    };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it can be set up");
    let cancel = CancellationToken::new();
    bencher.bench_local(|| runtime.block_on(run(&spec, &sandbox, &cancel)).expect("it can be set up"));
}

#[divan::bench(sample_count = 300, sample_size = 1)]
fn a_bare(bencher: Bencher<'_, '_>) {
    bench(bencher, |_| Sandbox::bare());
}

#[divan::bench(sample_count = 300, sample_size = 1)]
fn b_landlock(bencher: Bencher<'_, '_>) {
    bench(bencher, |policy| Sandbox::open_with(policy, Walls::LANDLOCK).expect("it can be set up"));
}

#[divan::bench(sample_count = 300, sample_size = 1)]
fn c_namespaces(bencher: Bencher<'_, '_>) {
    bench(bencher, |policy| Sandbox::open_with(policy, Walls::NAMESPACES).expect("it can be set up"));
}

/// The same from a program that has 200 MiB in memory, of which the first process behind the walls must not get a copy.
#[divan::bench(sample_count = 300, sample_size = 1)]
fn c_namespaces_from_a_large_program(bencher: Bencher<'_, '_>) {
    let ballast = vec![1_u8; 200 << 20];
    c_namespaces(bencher);
    divan::black_box(ballast);
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn d_opening_namespaces(bencher: Bencher<'_, '_>) {
    let home = tempfile::tempdir().expect("it can be set up");
    let policy = policy(home.path());
    bencher.bench_local(|| Sandbox::open_with(policy.clone(), Walls::NAMESPACES).expect("it can be set up"));
}

fn main() {
    divan::main();
}
