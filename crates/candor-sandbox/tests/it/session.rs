//! What a session keeps between its processes, and what it leaves on the host.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use candor_sandbox::{Ended, Error, How, Level, Limits, Policy, Sandbox, best_level, run, start};
use tokio_util::sync::CancellationToken;

use crate::rig::{self, Rig, workspace};

async fn shell(sandbox: &Sandbox, cwd: &Path, script: &str) -> Ended {
    run(&rig::spec(cwd, script), sandbox, &CancellationToken::new()).await.unwrap()
}

#[tokio::test]
async fn the_temporary_directory_is_private_and_lasts() {
    for level in [Level::Landlock, Level::Bubblewrap, Level::Namespaces] {
        let home = tempfile::tempdir().unwrap();
        let (inside, temp) = (home.path().join("ws"), home.path().join("temp"));
        fs::create_dir(&inside).unwrap();
        let policy = Policy { temp: Some(temp.clone()), ..workspace(&inside) };
        let Ok(sandbox) = Sandbox::open_at(policy, level) else {
            assert_eq!(level, Level::Bubblewrap);
            println!("skipped: {level} does not work here");
            continue;
        };
        assert_eq!(fs::metadata(&temp).unwrap().permissions().mode() & 0o777, 0o700);
        let ended = shell(&sandbox, &inside, "echo kept > $TMPDIR/note && realpath $TMPDIR/note").await;
        assert_eq!(fs::read_to_string(temp.join("note")).unwrap(), "kept\n", "{level}");
        let seen = PathBuf::from(ended.stdout.text().trim_end());
        assert_eq!(sandbox.host_path(&seen), temp.canonicalize().unwrap().join("note"), "{level}");
        assert_eq!(
            shell(&sandbox, &inside, "cat $TMPDIR/note; mktemp -u").await.how,
            How::Exited(0),
            "{level}"
        );
        // The workspace lies below the host's temporary directory, and is itself.
        assert_eq!(sandbox.host_path(&inside.join("f")), inside.join("f"), "{level}");
        assert_eq!(shell(&sandbox, &inside, "echo x > f").await.how, How::Exited(0), "{level}");
        assert!(inside.join("f").exists(), "{level}");
    }
}

/// Runtimes speak with their own children by these.
#[tokio::test]
async fn a_pair_of_sockets_works_behind_every_wall() {
    let script = "import socket; a,b=socket.socketpair(); a.send(b'heard'); print(b.recv(9).decode())";
    for level in [Level::Landlock, Level::Namespaces] {
        let rig = Rig::at(level);
        let ended = rig.run(&format!("python3 -c \"{script}\"")).await;
        assert_eq!(ended.stdout.text(), "heard\n", "{level}: {}", ended.stderr.text());
    }
}

#[test]
fn a_path_is_found_on_the_host() {
    let home = tempfile::tempdir().unwrap();
    let temp = home.path().canonicalize().unwrap().join("t");
    let policy = Policy { temp: Some(temp.clone()), ..workspace(home.path()) };
    let sandbox = Sandbox::open_at(policy, Level::Namespaces).unwrap();
    for (seen, expected) in [
        ("/tmp", temp.clone()),
        ("/tmp/a/b", temp.join("a/b")),
        ("/var/tmp/a", temp.join("a")),
        ("/tmp/../etc/passwd", PathBuf::from("/etc/passwd")),
        ("/tmp/./a/../b", temp.join("b")),
        ("/tmpa/b", PathBuf::from("/tmpa/b")),
        ("/etc/passwd", PathBuf::from("/etc/passwd")),
    ] {
        assert_eq!(sandbox.host_path(Path::new(seen)), expected, "{seen}");
    }
    assert_eq!(Sandbox::bare().host_path(Path::new("/tmp/a")), Path::new("/tmp/a"));
}

#[tokio::test]
async fn only_what_is_readable_is_read() {
    for level in [Level::Landlock, Level::Namespaces] {
        let home = tempfile::tempdir().unwrap();
        for name in ["ws", "shown", "other"] {
            fs::create_dir(home.path().join(name)).unwrap();
            fs::write(home.path().join(name).join("file"), format!("in {name}\n")).unwrap();
        }
        let readable = Some(vec![home.path().join("shown")]);
        let policy = Policy { readable, ..workspace(&home.path().join("ws")) };
        let sandbox = Sandbox::open_at(policy, level).unwrap();
        let script = "cat file ../shown/file ../other/file; ls /var/log /root > /dev/null && echo ESCAPED; \
                      echo x > ../shown/file; head -c 1 /dev/zero | wc -c; cat /proc/self/comm";
        let ended = shell(&sandbox, &home.path().join("ws"), script).await;
        assert_eq!(ended.stdout.text(), "in ws\nin shown\n1\ncat\n", "{level}: {}", ended.stderr.text());
        assert_eq!(fs::read_to_string(home.path().join("shown/file")).unwrap(), "in shown\n");
    }
}

#[tokio::test]
async fn what_stands_in_for_a_missing_path_goes_with_the_last_process() {
    let rig = Rig::new();
    let protected = vec![rig.path(".candor/rules"), rig.path("mine")];
    fs::create_dir(rig.path("mine")).unwrap();
    // One that a killed runtime left behind.
    fs::create_dir(rig.path(".candor")).unwrap();
    fs::set_permissions(rig.path(".candor"), fs::Permissions::from_mode(0o1555)).unwrap();
    let open = || {
        let policy = Policy { protected: protected.clone(), ..workspace(rig.directory()) };
        Sandbox::open_at(policy, Level::Namespaces).unwrap()
    };
    let (one, other) = (open(), open());
    assert!(!rig.path(".candor").exists(), "the trial has tidied up");
    let long = start(&rig::spec(rig.directory(), "echo ready; exec sleep 1000"), &one).unwrap();
    assert!(rig.path(".candor").exists());
    let tried =
        shell(&other, rig.directory(), "mkdir -p .candor/rules; touch mine/x; rm -r mine .candor").await;
    assert_ne!(tried.how, How::Exited(0));
    assert!(rig.path(".candor").exists(), "another session ended first");
    long.stop(std::time::Duration::from_secs(5)).await;
    drop(long);
    assert!(!rig.path(".candor").exists());
    assert!(rig.path("mine").exists(), "an empty directory of the user's own stays");
}

#[tokio::test]
async fn a_link_in_place_of_a_protected_path_is_refused() {
    let rig = Rig::new();
    fs::create_dir(rig.path("real")).unwrap();
    std::os::unix::fs::symlink(rig.path("real"), rig.path(".git")).unwrap();
    let policy = Policy { protected: vec![rig.path(".git")], ..workspace(rig.directory()) };
    let error = Sandbox::open_at(policy, Level::Namespaces).unwrap_err();
    assert!(matches!(error, Error::Wall { .. }), "{error:?}");
}

#[tokio::test]
async fn a_wall_that_cannot_be_put_up_stops_the_process() {
    let rig = Rig::new();
    let inside = rig.path("parent/ws");
    fs::create_dir_all(&inside).unwrap();
    fs::create_dir_all(rig.path("other/ws")).unwrap();
    let sandbox = Sandbox::open_at(workspace(&inside), Level::Namespaces).unwrap();
    // Somebody swaps a directory on the way to the writable one for a link to another.
    fs::rename(rig.path("parent"), rig.path("away")).unwrap();
    std::os::unix::fs::symlink(rig.path("other"), rig.path("parent")).unwrap();
    let error =
        run(&rig::spec(&inside, "touch made"), &sandbox, &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, Error::Wall { .. }), "{error:?}");
    assert!(!rig.path("other/ws/made").exists());
}

#[tokio::test]
async fn what_is_covered_is_empty_and_what_is_writable_below_it_is_there() {
    for place in ["/run", "/tmp", "/var/tmp", "/dev/shm"] {
        let Ok(home) = tempfile::tempdir_in(place) else {
            println!("skipped: {place} is not ours to write to");
            continue;
        };
        let (inside, beside) = (home.path().join("ws"), home.path().join("beside"));
        fs::create_dir(&inside).unwrap();
        fs::write(&beside, "seen").unwrap();
        for level in [Level::Bubblewrap, Level::Namespaces] {
            let Ok(sandbox) = Sandbox::open_at(workspace(&inside), level) else { continue };
            let script = format!("echo x > made && cat made; cat {}", beside.display());
            let ended = shell(&sandbox, &inside, &script).await;
            assert_eq!(ended.stdout.text(), "x\n", "{level} {place}: {}", ended.stderr.text());
            assert!(inside.join("made").exists());
            fs::remove_file(inside.join("made")).unwrap();
        }
    }
}

#[tokio::test]
async fn limits_hold() {
    let rig = Rig::with(|directory| {
        let limits = Limits {
            processes: Some(60),
            file_bytes: Some(1 << 20),
            open_files: Some(40),
            memory_bytes: Some(256 << 20),
        };
        Sandbox::open_at(Policy { limits, ..workspace(directory) }, Level::Namespaces).unwrap()
    });
    let pid_max = || fs::read_to_string("/proc/sys/kernel/pid_max").unwrap();
    let before = pid_max();
    let ended = rig.run("head -c 2000000 /dev/zero > big; stat -c %s big").await;
    assert_eq!(ended.stdout.text(), "1048576\n");
    let ended = rig.run("ulimit -n; ulimit -c").await;
    assert_eq!(ended.stdout.text(), "40\n0\n");
    let ended = rig.run("/usr/bin/python3 -c 'bytearray(1<<29)'").await;
    assert!(ended.stderr.text().contains("MemoryError"), "{}", ended.stderr.text());
    assert_eq!(pid_max(), before, "the machine's own limit is not touched");
}

/// Somebody who is not root runs this one, too.
#[tokio::test]
async fn no_call_has_more_processes_than_it_may() {
    let many = "/usr/bin/python3 -c 'import os,sys,time\ncount=0\ntry:\n  while count<2000:\n    if os.fork()==0: \
                time.sleep(1000)\n    count+=1\nexcept OSError: pass\nprint(count,flush=True); os._exit(0)'";
    // Root is not held by the usual limit, and is by the highest number that its namespace gives out.
    let is_root = rustix::process::geteuid().is_root();
    let weaker = if is_root { &[][..] } else { &[Level::Landlock, Level::Bubblewrap] };
    for level in weaker.iter().chain([&Level::Namespaces]) {
        let limits = Limits { processes: Some(60), ..Limits::default() };
        let rig = Rig::new();
        let policy = Policy { limits, ..workspace(rig.directory()) };
        let sandbox = match Sandbox::open_at(policy, *level) {
            Err(error) if *level == Level::Bubblewrap => {
                println!("skipped: bubblewrap does not work here: {error:?}");
                continue;
            }
            opened => opened.unwrap(),
        };
        let ended = shell(&sandbox, rig.directory(), many).await;
        let count: u32 = ended.stdout.text().trim().parse().unwrap();
        assert!((10..420).contains(&count), "{level}: {count}");
        println!("{level}: bounded");
    }
}

#[tokio::test]
async fn what_a_library_left_open_is_not_open_inside() {
    use rustix::fs::{Mode, OFlags};
    for level in [Level::Landlock, Level::Bubblewrap, Level::Namespaces] {
        let rig = Rig::new();
        // Unlike everything that the standard library opens, this one would be inherited.
        let flags = OFlags::CREATE | OFlags::RDWR;
        let leak = rustix::fs::open(rig.path("leak"), flags, Mode::from_raw_mode(0o600)).unwrap();
        let Ok(sandbox) = Sandbox::open_at(workspace(rig.directory()), level) else { continue };
        let ended = shell(&sandbox, rig.directory(), "ls -l /proc/self/fd").await;
        assert!(!ended.stdout.text().contains("leak"), "{level}: {}", ended.stdout.text());
        drop(leak);
    }
}

#[test]
fn a_policy_that_cannot_be_kept_is_an_error_and_no_reason_for_weaker_walls() {
    let error = Sandbox::open(
        &Policy { writable: vec!["/nonexistent".into()], ..Policy::default() },
        Level::Landlock,
    )
    .unwrap_err();
    assert!(matches!(error, Error::Wall { .. }), "{error:?}");
    let (level, why) = best_level();
    assert!(level == Level::Namespaces || !why.is_empty(), "{level}: {why}");
    assert_eq!(Sandbox::open(&Policy::default(), Level::None).unwrap().level(), level);
    assert_eq!(Sandbox::bare().level(), Level::None);
}

/// What the runtime has open leads around the walls, whoever names it.
#[tokio::test]
async fn a_link_of_the_kernel_is_no_directory_to_start_in() {
    let (home, inside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(home.path().join("key"), "a secret").unwrap();
    let open = fs::File::open(home.path()).unwrap();
    let number = open.as_raw_fd();
    std::os::unix::fs::symlink(format!("/proc/self/fd/{number}"), inside.path().join("link")).unwrap();
    let ways = [
        PathBuf::from(format!("/proc/self/fd/{number}")),
        format!("/proc/thread-self/fd/{number}/.").into(),
        format!("/proc/{}/fd/{number}", std::process::id()).into(),
        format!("/dev/fd/{number}").into(),
        inside.path().join("link"),
    ];
    for level in [Level::Landlock, Level::Bubblewrap, Level::Namespaces] {
        let policy = Policy { hidden: vec![home.path().to_owned()], ..workspace(inside.path()) };
        let Ok(sandbox) = Sandbox::open_at(policy, level) else { continue };
        for cwd in &ways {
            let mut spec = rig::spec(inside.path(), "cat key; ls");
            spec.cwd.clone_from(cwd);
            match run(&spec, &sandbox, &CancellationToken::new()).await {
                Err(error) => assert!(matches!(&error, Error::Cwd { path, .. } if path == cwd), "{error:?}"),
                Ok(ended) => panic!("{level}: it started in {}: {}", cwd.display(), ended.stdout.text()),
            }
        }
    }
}

#[tokio::test]
async fn where_all_of_the_machine_may_be_written_what_is_hidden_below_a_cover_is_no_trouble() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("key"), "a secret").unwrap();
    let policy =
        Policy { writable: vec!["/".into()], hidden: vec![home.path().to_owned()], ..Policy::default() };
    let sandbox = Sandbox::open_at(policy, Level::Namespaces).unwrap();
    let ended =
        shell(&sandbox, Path::new("/"), &format!("echo runs; cat {}/key", home.path().display())).await;
    assert_eq!(ended.stdout.text(), "runs\n", "{}", ended.stderr.text());
}
