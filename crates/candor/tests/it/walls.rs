//! What the system refuses: no permission, no space, a disk that cannot be written.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use candor_testkit::{Candor, Home, Ran};

use crate::rig::BINARY;

/// Runs a shell line in a mount namespace of its own, where `$CANDOR_HOME` can be made into a disk of any kind.
fn in_own_mounts(home: &Home, line: &str) -> Ran {
    home.write("x", "");
    Candor::new("unshare", home).args(["-rm", "sh", "-ec", line]).env("CANDOR", BINARY).run()
}

#[test]
fn a_full_disk_is_a_card_and_the_old_config_stays() {
    let home = Home::new();
    let line = "mount -t tmpfs -o size=8k tmpfs \"$CANDOR_HOME\"; echo 'model = \"mine\"' > \"$CANDOR_HOME/config.toml\"; \
                code=0; \"$CANDOR\" init --force || code=$?; cat \"$CANDOR_HOME/config.toml\"; \"$CANDOR\" config check; exit $code";
    let ran = in_own_mounts(&home, line).code(4);
    assert!(ran.stderr.contains("Error Code: DISK_FULL"), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("model = \"mine\"\nok: "), "{}", ran.stdout);
}

#[test]
fn a_disk_that_cannot_be_written_is_a_card() {
    let home = Home::new();
    let line = "mount -t tmpfs -o size=1m,ro tmpfs \"$CANDOR_HOME\"; exec \"$CANDOR\" init";
    let ran = in_own_mounts(&home, line).code(1);
    assert!(ran.stderr.contains("Error Code: DISK_READ_ONLY"), "{}", ran.stderr);
    let ran =
        in_own_mounts(&home, "mount -t tmpfs -o ro tmpfs \"$CANDOR_HOME\"; exec \"$CANDOR\" doctor").code(1);
    assert!(ran.stdout.contains("HOME_NOT_WRITABLE"), "{}", ran.stdout);
}

#[test]
fn a_log_that_cannot_be_opened_is_a_card() {
    let home = Home::new();
    home.write("logs/candor.log/x", "");
    let ran = Candor::new(BINARY, &home).args(["config", "check", "--watch"]).run().code(1);
    assert!(ran.stderr.contains("Error Code: LOG_OPEN_FAILED"), "{}", ran.stderr);
}

#[test]
fn a_log_on_a_full_disk_does_not_stop_the_program_and_is_told_once() {
    let home = Home::new();
    home.write("full/x", "");
    home.write("config.toml", "[logging]\nfile = \"full/candor.log\"\n");
    let line = "mount -t tmpfs -o size=4k tmpfs \"$CANDOR_HOME/full\"; head -c 4096 /dev/zero > \"$CANDOR_HOME/full/x\"; \
                exec \"$CANDOR\" config check --watch";
    let watching =
        Candor::new("unshare", &home).args(["-rm", "sh", "-ec", line]).env("CANDOR", BINARY).spawn();
    watching.wait_for_stderr("watching");
    for model in ["a", "b"] {
        home.write("config.toml", format!("model = \"{model}\"\n[logging]\nfile = \"full/candor.log\"\n"));
        watching.wait_for_stdout("ok: reloaded; changed: model");
    }
    home.write("config.toml", "max_tokens = 1\n[logging]\nfile = \"full/candor.log\"\n");
    watching.wait_for_stdout("max_tokens");
    watching.wait_for_stderr("LOG_DISK_FULL");
    watching.signal("TERM");
    let ran = watching.finish();
    assert_eq!(ran.stderr.matches("LOG_DISK_FULL").count(), 1, "{}", ran.stderr);
}

#[test]
fn no_permission_is_a_card() {
    let home = Home::new();
    // Root may read everything, so the binary is run as nobody, from a folder that nobody may enter.
    let open =
        tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().expect("a folder");
    let binary = open.path().join("candor");
    fs::copy(BINARY, &binary).expect("copied");
    let candor_home = open.path().join("home");
    fs::create_dir(&candor_home).expect("made");
    fs::write(candor_home.join("config.toml"), "model = \"x\"\n").expect("written");
    fs::set_permissions(&candor_home, fs::Permissions::from_mode(0o755)).expect("set");
    fs::set_permissions(candor_home.join("config.toml"), fs::Permissions::from_mode(0o000)).expect("set");
    let as_nobody = |line: &str| {
        let drop = if is_root() {
            vec!["--reuid=65534", "--regid=65534", "--clear-groups"]
        } else {
            vec!["--no-new-privs"]
        };
        Candor::new("setpriv", &home)
            .args(drop)
            .args([&binary])
            .args(line.split_whitespace())
            .env("CANDOR_HOME", &candor_home)
            .current_dir(open.path())
            .run()
    };
    as_nobody("config check").code(1).stderr_has("Error Code: CONFIG_UNREADABLE");
    fs::set_permissions(&candor_home, fs::Permissions::from_mode(0o000)).expect("set");
    as_nobody("config check").code(1).stderr_has("Error Code: CONFIG_UNREADABLE");
    fs::set_permissions(&candor_home, fs::Permissions::from_mode(0o755)).expect("set");
    let ran = as_nobody("doctor").code(1);
    assert!(ran.stdout.contains("CONFIG_UNREADABLE"), "{}", ran.stdout);
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| std::os::unix::fs::MetadataExt::uid(&process) == 0)
}
