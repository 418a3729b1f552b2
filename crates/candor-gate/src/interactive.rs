//! Whether what a command reads from its input would be run by a shell.

use crate::call::{Call, UNKNOWN};
use crate::wrappers::{Inner, Reads, SHELLS, is_input, reads};

/// Programs that open a shell, here or elsewhere, or run the lines that they are given.
const OPEN_ONE: &[&str] = &[
    "abduco", "at", "autossh", "batch", "byobu", "dtach", "login", "mosh", "newgrp", "rlogin", "rsh", "sg",
    "ssh", "sshpass", "telnet", "tmux", "zellij",
];

/// Programs that open one unless they are given a command.
const OPEN_ONE_ALONE: &[&str] = &[
    "chroot",
    "doas",
    "fakeroot",
    "firejail",
    "i386",
    "linux32",
    "linux64",
    "nix-shell",
    "nsenter",
    "pkexec",
    "runuser",
    "screen",
    "script",
    "su",
    "sudo",
    "systemd-run",
    "unshare",
    "x86_64",
];

/// Programs with words that make them open one, or start something of which nothing is known.
const OPEN_ONE_BY_WORD: &[(&str, &[&str])] = &[
    ("adb", &["shell"]),
    ("distrobox", &["enter"]),
    ("docker", &["attach", "run", "start"]),
    ("docker-compose", &["run"]),
    ("guix", &["shell"]),
    ("hatch", &["shell"]),
    ("kubectl", &["attach", "debug", "run"]),
    ("limactl", &["shell"]),
    ("lxc", &["console", "shell"]),
    ("machinectl", &["login", "shell"]),
    ("multipass", &["shell"]),
    ("nerdctl", &["attach", "run", "start"]),
    ("nix", &["develop", "shell"]),
    ("oc", &["attach", "debug", "rsh", "run"]),
    ("pipenv", &["shell"]),
    ("podman", &["attach", "run", "start"]),
    ("poetry", &["shell"]),
    ("toolbox", &["enter"]),
    ("vagrant", &["ssh"]),
];

/// Whether a shell would read what this command is given; `inner` is what it runs in turn, which is asked for itself.
pub(crate) fn reads_commands(call: &Call<'_>, inner: &[Inner]) -> bool {
    // A program that is only known when it runs may be a shell.
    if call.name.contains(UNKNOWN) || OPEN_ONE.contains(&call.name) {
        return true;
    }
    if SHELLS.contains(&call.name) {
        return match reads(call) {
            Reads::Input => true,
            Reads::File(file) => !file.is_known() || is_input(&file.text),
            Reads::Script(..) | Reads::Nothing => false,
        };
    }
    match call.name {
        "eval" => call.words.iter().any(|word| !word.is_known()),
        "source" | "." => call.args().next().is_some_and(|file| file.contains(UNKNOWN) || is_input(file)),
        "nc" | "ncat" | "netcat" if call.has_short("ec") => true,
        name if inner.is_empty() => {
            OPEN_ONE_ALONE.contains(&name)
                || OPEN_ONE_BY_WORD.iter().any(|(of, words)| *of == name && call.has_word(words))
                || call.args().any(names_shell)
        }
        _ => false,
    }
}

/// Whether a shell is named in an argument, however it would be started: `docker exec -it x sh`, `pty.spawn("/bin/bash")`.
fn names_shell(arg: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    arg.split(|c| !is_of_name(c)).any(|word| SHELLS.contains(&word))
}
