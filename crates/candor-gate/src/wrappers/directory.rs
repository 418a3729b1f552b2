//! What a program changes for the command that it runs: the directory, and variables.

use super::{behind, fan, is_assignment, runners};
use crate::call::{Call, Word};

/// The programs, and the option that names the directory.
const OPTIONS: &[(&[&str], Option<char>, Option<&str>)] = &[
    (&["env"], Some('C'), Some("chdir")),
    (&["sudo", "run0"], Some('D'), Some("chdir")),
    (&["unshare", "nsenter"], Some('w'), Some("wd")),
    (&["systemd-run"], None, Some("working-directory")),
    (&["flatpak-spawn"], None, Some("directory")),
    (&["bwrap"], None, Some("chdir")),
    (&["start-stop-daemon"], Some('d'), Some("chdir")),
    (&["daemonize"], Some('c'), None),
    (&["wsl"], None, Some("cd")),
    (&["conda", "mamba", "micromamba", "yarn", "bun", "zellij"], None, Some("cwd")),
    (&["poetry"], Some('C'), Some("directory")),
    (&["uv"], None, Some("directory")),
    (&["composer"], Some('d'), Some("working-dir")),
    (&["npm"], Some('C'), Some("prefix")),
    (&["pnpm"], Some('C'), Some("dir")),
    (&["mise"], Some('C'), Some("cd")),
    (&["git", "hub"], Some('C'), None),
    (&["make", "gmake"], Some('C'), Some("directory")),
    (&["ninja"], Some('C'), None),
    (&["just"], Some('d'), Some("working-directory")),
    (&["watchexec"], None, Some("workdir")),
    (&["parallel", "sem"], None, Some("workdir")),
    (&["parallel", "sem"], None, Some("wd")),
    (&["cpio"], Some('D'), Some("directory")),
    (&["tmux"], Some('c'), None),
];

/// Where this command goes first; several names in a row are one way.
pub(crate) fn directory(call: &Call<'_>) -> Option<String> {
    let options = OPTIONS.iter().filter(|(names, _, _)| names.contains(&call.name));
    let mut way: Vec<&str> = Vec::new();
    for (_, short, long) in options {
        way.extend(Call::new(own(call), call.flow).values(*short, *long));
    }
    if way.is_empty() {
        return elsewhere(call);
    }
    // An absolute name begins anew.
    let start = way.iter().rposition(|part| part.starts_with('/')).unwrap_or(0);
    Some(way[start..].join("/"))
}

/// The variables that this command sets or takes away for the one that it runs.
pub(crate) fn given(call: &Call<'_>) -> Vec<(String, String)> {
    let pair = |text: &str| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let nothing = |name: &str| (name.to_owned(), String::new());
    let is_env = call.name == "env";
    if !is_env && !call.args().any(|arg| arg.contains('=')) || behind(call).is_none() {
        return Vec::new();
    }
    let own = Call::new(own(call), call.flow);
    let mut found = Vec::new();
    if is_env && (own.has_short("i") || own.has_long("ignore-environment") || own.has_word(&["-"])) {
        // The shell finds the home again.
        found.push(nothing("TMPDIR"));
    }
    if is_env {
        found.extend(own.values(Some('u'), Some("unset")).into_iter().map(nothing));
    }
    if call.name == "systemd-run" {
        found.extend(own.values(Some('E'), Some("setenv")).into_iter().filter_map(pair));
    }
    found.extend(own.args().filter(|arg| is_assignment(arg)).filter_map(pair));
    found
}

/// The words of the command itself, without those of the command that it runs.
fn own<'a>(call: &Call<'a>) -> &'a [Word] {
    if matches!(call.name, "git" | "hub") {
        // Behind the subcommand the same letter means something else.
        let mut at = 1;
        while let Some(word) = call.words.get(at).filter(|word| word.text.starts_with('-')) {
            at += 1 + usize::from(matches!(word.text.as_str(), "-C" | "-c" | "--git-dir" | "--work-tree"));
        }
        return &call.words[..at.min(call.words.len())];
    }
    let inner = behind(call).or_else(|| runners::behind(call)).or_else(|| fan::in_window(call));
    let inner = inner.map_or(0, <[Word]>::len);
    &call.words[..call.words.len() - inner]
}

/// Programs that go somewhere by themselves: to another root, or to the home of another user.
fn elsewhere(call: &Call<'_>) -> Option<String> {
    let own = Call::new(own(call), call.flow);
    let home = |user: Option<&str>| match user {
        None | Some("root") => "/root".to_owned(),
        Some(user) => format!("/home/{user}"),
    };
    match call.name {
        "chroot" if !own.has_long("skip-chdir") => Some("/".to_owned()),
        "sudo" if !own.values(Some('R'), Some("chroot")).is_empty() => Some("/".to_owned()),
        "unshare" if !own.values(Some('R'), Some("root")).is_empty() => Some("/".to_owned()),
        "sudo" if own.has_short("i") || own.has_long("login") => {
            Some(home(own.values(Some('u'), Some("user")).first().copied()))
        }
        "su" | "runuser" if call.has_word(&["-", "-l", "--login"]) => {
            let options = call.values(Some('c'), Some("command"));
            Some(home(call.operands().find(|word| *word != "-" && !options.contains(word))))
        }
        "pkexec" if !own.has_long("keep-cwd") => Some(home(own.values(None, Some("user")).first().copied())),
        "cmake" => {
            let at =
                call.words.windows(2).position(|pair| pair[0].text == "-E" && pair[1].text == "chdir")?;
            call.words.get(at + 2).map(|word| word.text.clone())
        }
        _ => None,
    }
}
