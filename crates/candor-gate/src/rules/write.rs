//! Where a command would write: redirects, and the programs that write to a file they are given.

use crate::call::{Call, UNKNOWN};
use crate::places::Written;
use crate::verdict::Finding;
use crate::walk::State;

/// The target of a redirect, in either direction.
pub(crate) fn redirect(way: Way, target: &str, state: &State) -> Option<Finding> {
    let is_harmless = way == Way::In && state.ground.written(target) != Some(Written::Socket);
    finding(target, state).filter(|_| !is_harmless).map(Finding::surroundings)
}

/// Which way a redirect goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    In,
    Out,
}

impl Way {
    /// That of a redirect as it is written; one that goes both ways writes.
    pub(crate) fn of(text: &str) -> Self {
        let sign = text.trim_start_matches(char::is_numeric);
        if sign.starts_with('<') && !sign.starts_with("<>") { Self::In } else { Self::Out }
    }
}

/// The files that a program writes because its arguments say so.
pub(super) fn judge(call: &Call<'_>, state: &State) -> Option<Finding> {
    let findings = targets(call).into_iter().filter_map(|target| finding(target, state));
    findings.reduce(|worst, next| if next.verdict > worst.verdict { next } else { worst })
}

fn finding(target: &str, state: &State) -> Option<Finding> {
    let shown = target.replace(UNKNOWN, "…");
    Some(match state.ground.written(target)? {
        Written::Socket => Finding::deny("network-device", format!("it opens a connection through {shown}")),
        Written::Device => Finding::deny("write-device", format!("it writes to the device {shown}")),
        Written::System => {
            Finding::deny("write-system", format!("it writes to {shown}, which belongs to the system"))
        }
        Written::Local => Finding::ask("write-local", format!("it installs into {shown}")),
        Written::Autostart => {
            Finding::ask("write-autostart", format!("it changes {shown}, which decides what runs later"))
        }
    })
}

fn targets<'a>(call: &Call<'a>) -> Vec<&'a str> {
    let operands = || call.operands().filter(|word| *word != "--");
    match call.name {
        "tee" | "truncate" | "touch" | "sponge" | "shred" | "mkfifo" | "mknod" | "fallocate" | "unlink" => {
            operands().collect()
        }
        "cp" | "gcp" | "install" | "ginstall" | "mv" | "ln" | "rsync" | "scp" => {
            let mut found = call.values(Some('t'), Some("target-directory"));
            let is_made = call.name == "install" && call.has_short("d");
            if found.is_empty() || call.name == "rsync" {
                found = if is_made {
                    operands().collect()
                } else {
                    operands().skip(1).last().into_iter().collect()
                };
            }
            found.retain(|target| call.name == "cp" || call.name == "mv" || !target.contains(':'));
            found
        }
        "sed" | "gsed" | "perl" if call.has_short("i") || call.has_long("in-place") => {
            let is_script_given = call.has_short("e") || call.has_short("f") || call.has_long("expression");
            operands().skip(usize::from(!is_script_given)).collect()
        }
        "dd" => call.args().filter_map(|arg| arg.strip_prefix("of=")).collect(),
        "curl" | "sort" => call.values(Some('o'), Some("output")),
        "wget" => {
            let mut found = call.values(Some('O'), Some("output-document"));
            found.extend(call.values(Some('P'), Some("directory-prefix")));
            found
        }
        "patch" | "ed" | "ex" => operands().take(1).collect(),
        "tar" | "bsdtar" | "gtar" if call.args().any(|arg| !arg.starts_with("--") && arg.contains('x')) => {
            call.values(Some('C'), Some("directory"))
        }
        "unzip" => call.values(Some('d'), None),
        "git" if call.has_word(&["clone", "init", "worktree"]) => {
            operands().skip(1).last().into_iter().collect()
        }
        "mkdir" => operands().filter(|path| path.contains("/.git/hooks")).collect(),
        _ => Vec::new(),
    }
}

/// Programs that do not read the files they are told about, or whose business keys are.
const NO_READERS: &[&str] = &[
    "echo",
    "printf",
    "ls",
    "stat",
    "test",
    "[",
    "cd",
    "mkdir",
    "chmod",
    "chown",
    "ssh",
    "ssh-keygen",
    "ssh-add",
    "ssh-copy-id",
    "git",
    "touch",
    "rm",
    "find",
    "scp",
    "sftp",
    "rsync",
    "tee",
    "gpg",
    "export",
];

/// Keys and passwords that a command would read.
pub(super) fn secrets(call: &Call<'_>, state: &State) -> Option<Finding> {
    if NO_READERS.contains(&call.name) {
        return None;
    }
    let secret = call.args().map(|arg| arg.trim_start_matches('@')).find(|arg| {
        let looks_like_a_path = arg.starts_with(['/', '.']) || arg.contains('/');
        looks_like_a_path && state.ground.is_secret(arg)
    })?;
    Some(Finding::ask(
        "read-secret",
        format!("it reads {}, which holds keys or passwords", secret.replace(UNKNOWN, "…")),
    ))
}
