//! Programs that run another one because an option says so: `tar --checkpoint-action`, `git -c core.pager`, `rg --pre`.

use super::{Inner, editor, join, sed};
use crate::call::{Call, UNKNOWN, Word, base_name};

/// What people set as pager, editor, transport or compressor every day.
const TAME: &[&str] = &[
    "",
    ":",
    "bat",
    "brotli",
    "bzip2",
    "cachepot",
    "cat",
    "ccache",
    "code",
    "col",
    "delta",
    "diff",
    "difft",
    "ed",
    "emacs",
    "false",
    "firefox",
    "git",
    "gzip",
    "head",
    "lbzip2",
    "less",
    "lz4",
    "lzip",
    "lzop",
    "man",
    "more",
    "most",
    "nano",
    "nvim",
    "open",
    "pbzip2",
    "pigz",
    "pixz",
    "plzip",
    "pxz",
    "sccache",
    "sed",
    "ssh",
    "tail",
    "true",
    "vi",
    "vim",
    "vimdiff",
    "xdg-open",
    "xz",
    "zstd",
    "zstdmt",
    "store",
    "cache",
    "osxkeychain",
    "manager",
    "libsecret",
    "gpg",
    "gpg2",
];

/// Is this the name of such a program, with harmless arguments?
pub(crate) fn tame_program(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    TAME.contains(&base_name(first)) && !text.contains([';', '|', '&', '`', '$', '\0', '!', '\n', '<', '>'])
}

/// Options whose value is a program: the program they belong to, the letter, the long name.
const PROGRAM_OPTIONS: &[(&[&str], Option<char>, Option<&str>)] = &[
    (&["tar", "gtar", "bsdtar"], Some('I'), Some("use-compress-program")),
    (&["tar", "gtar", "bsdtar"], None, Some("to-command")),
    (&["tar", "gtar", "bsdtar"], None, Some("rsh-command")),
    (&["tar", "gtar", "bsdtar"], Some('F'), Some("info-script")),
    (&["sort", "gsort"], None, Some("compress-program")),
    (&["split"], None, Some("filter")),
    (&["man"], Some('P'), Some("pager")),
    (&["man"], Some('H'), Some("html")),
    (&["tar", "gtar", "bsdtar"], None, Some("rmt-command")),
    (&["watchman-make"], None, Some("run")),
    (&["rg"], None, Some("pre")),
    (&["rg"], None, Some("hostname-bin")),
    (&["rsync"], Some('e'), Some("rsh")),
    (&["rsync"], None, Some("rsync-path")),
    (&["scp", "sftp"], Some('S'), None),
    (&["zip"], None, Some("unzip-command")),
    (&["tcpdump"], Some('z'), None),
    (&["wget"], None, Some("use-askpass")),
    (&["socat"], None, None),
    (&["nix-shell"], None, Some("run")),
    (&["nix-shell"], None, Some("command")),
    (&["npx", "npm"], None, Some("call")),
    (&["nodemon"], Some('x'), Some("exec")),
    (&["cargo-watch"], Some('s'), Some("shell")),
    (&["watchexec"], None, None),
    (&["git"], None, Some("upload-pack")),
    (&["git"], None, Some("receive-pack")),
    (&["git"], None, Some("extcmd")),
    (&["git"], None, Some("open-files-in-pager")),
    (&["ctags"], None, Some("filter-terminator")),
    (&["bsdcpio", "cpio"], None, Some("rsh-command")),
];

/// The programs named by options of this command, as scripts.
pub(crate) fn run_by_flag(call: &Call<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (names, short, long) in PROGRAM_OPTIONS {
        if names.contains(&call.name) {
            found.extend(call.values(*short, *long).into_iter().map(str::to_owned));
        }
    }
    match call.name {
        "tar" | "gtar" | "bsdtar" => {
            let actions = call.values(None, Some("checkpoint-action"));
            found.extend(actions.iter().filter_map(|action| action.strip_prefix("exec=")).map(str::to_owned));
        }
        "git" => found.extend(of_git(call)),
        "zip" => found.extend(after(call, "-TT")),
        "ssh" | "scp" | "sftp" => {
            let options = call.values(Some('o'), None);
            let commands = options.iter().filter_map(|option| option.split_once(['=', ' ']));
            let commands = commands.filter(|(key, _)| {
                let key = key.trim().to_lowercase();
                matches!(key.as_str(), "proxycommand" | "localcommand" | "knownhostscommand")
            });
            found.extend(commands.map(|(_, command)| command.to_owned()));
        }
        "vim" | "vi" | "nvim" | "view" | "ex" | "gvim" | "vimdiff" | "less" | "more" | "emacs" => {
            found.extend(call.args().flat_map(editor::shell_commands));
        }
        "gdb" | "lldb" => {
            let commands =
                call.args().filter_map(|arg| arg.strip_prefix("shell ").or_else(|| arg.strip_prefix('!')));
            found.extend(commands.map(str::to_owned));
        }
        "sed" | "gsed" => found.extend(sed::effects(call).run),
        "make" | "gmake" => {
            found.extend(call.args().filter_map(|arg| arg.strip_prefix("SHELL=")).map(str::to_owned));
        }
        "socat" => {
            let addresses = call.args().filter_map(|arg| arg.split_once(':'));
            let run = addresses.filter(|(kind, _)| matches!(kind.to_uppercase().as_str(), "EXEC" | "SYSTEM"));
            found.extend(run.map(|(_, command)| command.split(',').next().unwrap_or_default().to_owned()));
        }
        _ => {}
    }
    found
}

/// What the options name, to be judged in turn.
pub(super) fn inner(call: &Call<'_>) -> Vec<Inner> {
    let mut found: Vec<Inner> = run_by_flag(call).into_iter().map(Inner::script).collect();
    match call.name {
        "git" => found.extend(git_words(call)),
        "sed" | "gsed" => {
            // A file that it writes, as the shell would say it.
            let written = sed::effects(call).written;
            found.extend(
                written.iter().map(|path| Inner::script(format!(": > '{}'", path.replace('\'', "")))),
            );
        }
        _ => {}
    }
    found
}

fn after(call: &Call<'_>, option: &str) -> Option<String> {
    let at = call.words.iter().position(|word| word.text == option)?;
    call.words.get(at + 1).map(|word| word.text.clone())
}

/// Settings of git that name a program.
pub(crate) fn is_program_key(key: &str) -> bool {
    let key = key.to_lowercase();
    matches!(
        key.as_str(),
        "core.pager"
            | "core.editor"
            | "core.sshcommand"
            | "core.fsmonitor"
            | "core.hookspath"
            | "core.askpass"
            | "core.gitproxy"
            | "core.alternaterefscommand"
            | "diff.external"
            | "sequence.editor"
            | "gpg.program"
            | "init.templatedir"
            | "uploadpack.packobjectshook"
            | "interactive.difffilter"
            | "web.browser"
    ) || key.starts_with("pager.")
        || [
            "alias.",
            "credential.",
            "filter.",
            "diff.",
            "difftool.",
            "mergetool.",
            "merge.",
            "browser.",
            "man.",
            "remote.",
            "gpg.",
        ]
        .iter()
        .any(|section| {
            key.strip_prefix(section).is_some_and(|rest| {
                *section == "alias."
                    || [
                        "helper",
                        "clean",
                        "smudge",
                        "process",
                        "textconv",
                        "command",
                        "cmd",
                        "driver",
                        "program",
                        "uploadpack",
                        "receivepack",
                        "vcs",
                        "path",
                    ]
                    .iter()
                    .any(|end| rest.ends_with(end))
            })
        })
}

/// Programs in `git -c key=value` and in the address of an `ext::` remote.
fn of_git(call: &Call<'_>) -> Vec<String> {
    let settings = call.words.windows(2).filter(|pair| pair[0].text == "-c" || pair[0].text == "--config");
    let mut found: Vec<String> = settings
        .filter_map(|pair| pair[1].text.split_once('='))
        .filter(|(key, _)| is_program_key(key))
        .map(|(key, value)| {
            // An alias that is no shell command is a git command.
            if key.to_lowercase().starts_with("alias.") {
                let value = value.trim_start();
                return value.strip_prefix('!').map_or_else(|| format!("git {value}"), str::to_owned);
            }
            value.trim_start_matches('!').to_owned()
        })
        .collect();
    // The value is in a variable, whose value is not known here.
    let from_env = call.values(None, Some("config-env"));
    let keys = from_env.iter().filter_map(|pair| pair.split_once('='));
    found.extend(keys.filter(|(key, _)| is_program_key(key)).map(|_| UNKNOWN.to_string()));
    if call.has_word(&["difftool"]) {
        found.extend(call.values(Some('x'), None).into_iter().map(str::to_owned));
    }
    if call.has_word(&["grep"]) {
        found.extend(call.args().filter_map(|arg| arg.strip_prefix("-O")).map(str::to_owned));
    }
    found.extend(call.args().filter_map(|arg| arg.strip_prefix("ext::")).map(str::to_owned));
    if !call.has_word(&["rebase"]) {
        found.extend(call.values(None, Some("exec")).into_iter().map(str::to_owned));
    }
    found
}

/// Subcommands of git that run a command.
fn git_words(call: &Call<'_>) -> Vec<Inner> {
    let position = |name: &str| call.words.iter().position(|word| word.text == name);
    let mut found = Vec::new();
    if let (Some(_), Some(run)) = (position("bisect"), position("run")) {
        found.push(Inner::Words(call.words[run + 1..].to_vec()));
    }
    if let (Some(_), Some(each)) = (position("submodule"), position("foreach")) {
        let words: Vec<Word> =
            call.words[each + 1..].iter().filter(|word| word.text != "--recursive").cloned().collect();
        found.push(Inner::script(join(&words)));
    }
    if position("rebase").is_some() {
        found.extend(call.values(Some('x'), Some("exec")).into_iter().map(Inner::script));
    }
    if position("filter-branch").is_some() {
        let filters = call.args().filter(|arg| arg.contains(' '));
        found.extend(filters.map(Inner::script));
    }
    found
}
