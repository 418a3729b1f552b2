//! What a process finds when it starts.

use std::fs::File;

use candor_sandbox::{Error, How, Level, run};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

#[tokio::test]
async fn both_streams_and_the_exit_code_come_back() {
    for rig in Rig::kinds() {
        let ended = rig.run("echo out; echo err >&2; exit 3").await;
        assert_eq!(ended.how, How::Exited(3));
        assert_eq!(ended.stdout.text(), "out\n");
        assert_eq!(ended.stderr.text(), "err\n");
    }
}

#[tokio::test]
async fn a_signal_is_told_from_an_exit() {
    for rig in Rig::kinds() {
        assert_eq!(rig.run("kill -SEGV $$").await.how, How::Signalled(11));
    }
}

#[tokio::test]
async fn the_environment_is_what_was_given_and_the_mark() {
    for rig in Rig::kinds() {
        let mut spec = rig.script("");
        spec.program = "/usr/bin/env".into();
        spec.args.clear();
        spec.env = vec![("ONE".into(), "1".into()), ("TWO".into(), "zwei drei".into())];
        let text = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap().stdout.text();
        let own: Vec<String> = rig.sandbox.env().into_iter().map(|(name, _)| name).collect();
        let mut names: Vec<&str> = text.lines().filter_map(|line| line.split('=').next()).collect();
        names.retain(|name| !own.iter().any(|own| own == name));
        names.sort_unstable();
        assert_eq!(names, ["CANDOR_CALL", "ONE", "TWO"]);
        assert!(text.contains("TWO=zwei drei\n"), "{text}");
    }
}

#[tokio::test]
async fn standard_input_is_empty_and_our_files_are_not_open() {
    for rig in Rig::kinds() {
        let _file = File::create(rig.path("ours")).unwrap();
        let ended = rig.run("cat; readlink /proc/self/fd/0; ls -l /proc/self/fd").await;
        let text = ended.stdout.text();
        assert!(text.starts_with("/dev/null\n"), "{text}");
        assert!(text.contains(" 1 -> pipe:"), "{text}");
        assert!(!text.contains("/ours"), "{text}");
    }
}

#[tokio::test]
async fn it_starts_where_it_is_told_and_leads_its_own_group() {
    for rig in Rig::kinds() {
        let ended = rig.run("pwd -P; ps -o pgid= -p $$ | tr -d ' '; echo $$").await;
        let text = ended.stdout.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], rig.directory().canonicalize().unwrap().to_str().unwrap());
        assert_eq!(lines[1], lines[2]);
    }
}

#[tokio::test]
async fn arguments_reach_the_program_as_they_are() {
    for rig in Rig::kinds() {
        let mut spec = rig.script("");
        spec.program = "/usr/bin/printf".into();
        spec.args = ["%s|", "$(id)", "a b", ";", ""].map(Into::into).to_vec();
        let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
        assert_eq!(ended.stdout.text(), "$(id)|a b|;||");
    }
}

#[tokio::test]
async fn a_relative_program_is_one_of_the_directory_that_it_starts_in() {
    use std::os::unix::fs::PermissionsExt;
    for rig in Rig::kinds() {
        let path = rig.path("said.sh");
        std::fs::write(&path, "#!/bin/sh\necho found\n").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        let mut spec = rig.script("");
        (spec.program, spec.args) = ("./said.sh".into(), Vec::new());
        let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
        assert_eq!((ended.how, ended.stdout.text().as_str()), (How::Exited(0), "found\n"));
    }
}

#[tokio::test]
async fn what_we_have_open_and_would_pass_on_is_not_passed_on() {
    let ours = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&ours, rustix::io::FdFlags::empty()).unwrap();
    for rig in Rig::kinds() {
        let open = rig.run("for fd in /proc/self/fd/*; do echo ${fd##*/}; done").await.stdout.text();
        // The shell's own three, and the one with which it lists them.
        assert!(open.lines().all(|fd| fd.parse::<u32>().is_ok_and(|fd| fd <= 3)), "{open}");
    }
}

#[test]
fn the_levels_are_named_and_ordered() {
    for (level, name) in [
        (Level::None, "none"),
        (Level::Landlock, "landlock+seccomp"),
        (Level::Bubblewrap, "bubblewrap+seccomp"),
        (Level::Namespaces, "namespaces+landlock+seccomp"),
    ] {
        assert_eq!(level.to_string(), name);
    }
    assert!(Level::None < Level::Landlock && Level::Landlock < Level::Bubblewrap);
    assert!(Level::Bubblewrap < Level::Namespaces);
}

/// Init shares our memory while we go on: what one thread lends it must never be taken for what another does.
#[test]
fn threads_that_start_and_fail_side_by_side_get_each_their_own_answer() {
    for rig in Rig::kinds() {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let rig = &rig;
                scope.spawn(move || answers(rig, thread));
            }
        });
    }
}

fn answers(rig: &Rig, thread: i32) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for round in 0..10 {
        let cancel = CancellationToken::new();
        let code = thread * 10 + round;
        let ended =
            runtime.block_on(run(&rig.script(&format!("exit {code}")), &rig.sandbox, &cancel)).unwrap();
        assert_eq!(ended.how, How::Exited(code));
        let mut missing = rig.script("");
        missing.program = format!("nothing-{code}").into();
        let error = runtime.block_on(run(&missing, &rig.sandbox, &cancel)).unwrap_err();
        assert!(matches!(&error, Error::NotFound { program } if *program == missing.program), "{error:?}");
    }
}

#[tokio::test]
#[cfg_attr(elsewhere, ignore = "other systems have no walls")]
async fn what_was_lent_to_a_process_comes_back_when_it_has_ended() {
    const STARTS: u64 = 300;
    /// Far less than the stacks of so many processes.
    const GROWTH_KIB_MAX: u64 = STARTS * 32;
    let rig = Rig::at(Level::Namespaces);
    let (cancel, mut missing) = (CancellationToken::new(), rig.script(""));
    missing.program = "nothing".into();
    rig.run("true").await;
    let before = data_kib();
    for _ in 0..STARTS / 2 {
        rig.run("true").await;
        run(&missing, &rig.sandbox, &cancel).await.unwrap_err();
    }
    let growth = data_kib().saturating_sub(before);
    assert!(growth <= GROWTH_KIB_MAX, "{growth} KiB more after {STARTS} starts");
}

fn data_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let data = status.lines().find_map(|line| line.strip_prefix("VmData:")).unwrap();
    data.trim().trim_end_matches(" kB").parse().unwrap()
}
