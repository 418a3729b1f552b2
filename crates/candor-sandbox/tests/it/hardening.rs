//! What a program does to itself at its beginning.

use candor_sandbox::{How, Level, Sandbox, harden, run};
use rustix::process::{Resource, getrlimit};
use tokio_util::sync::CancellationToken;

use crate::rig::{self, Rig};

/// Whoever sets this asks for the first test below, and gives the second something to remove.
const VARIABLE: &str = "LD_TRY";

#[expect(clippy::disallowed_methods, reason = "it is the environment that is tested")]
fn is_set() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// What a careless parent leaves to its children: that the kernel does not tell how theirs end.
#[expect(unsafe_code, reason = "there is no other way to ignore a signal")]
fn forget_children() {
    // SAFETY: no handler is set, and this program has no children yet.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
}

/// The program that hardens itself, and can still put up walls: it is this test, run by the next one with a variable.
/// Elsewhere it does nothing, as it changes its own process.
#[test]
fn a_hardened_program() {
    if !is_set() {
        return;
    }
    forget_children();
    harden().unwrap();
    assert!(!is_set());
    assert_eq!(getrlimit(Resource::Core).maximum, Some(0));
    assert_eq!(rustix::process::dumpable_behavior().unwrap(), rustix::process::DumpableBehavior::NotDumpable);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let directory = tempfile::tempdir().unwrap();
        let sandbox = Sandbox::open_at(rig::workspace(directory.path()), Level::Namespaces).unwrap();
        let spec = rig::spec(directory.path(), "echo works > file; exit 3");
        for sandbox in [sandbox, Sandbox::bare()] {
            let ended = run(&spec, &sandbox, &CancellationToken::new()).await.unwrap();
            assert_eq!(ended.how, How::Exited(3), "{}", ended.stderr.text());
        }
        assert!(directory.path().join("file").exists());
        println!("hardened");
    });
}

#[tokio::test]
async fn a_program_hardens_itself() {
    let rig = Rig::new();
    let mut spec = rig.script("");
    spec.program = std::env::current_exe().unwrap();
    spec.args = ["--exact", "--nocapture", "hardening::a_hardened_program"].map(Into::into).to_vec();
    spec.env.push((VARIABLE.into(), "1".into()));
    let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
    assert_eq!(ended.how, How::Exited(0), "{}", ended.stdout.text());
    assert!(ended.stdout.text().contains("hardened\n"), "{}", ended.stdout.text());
}
