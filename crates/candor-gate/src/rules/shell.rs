//! Text that becomes a script: from a network, from a program, from a variable.

use crate::call::{Call, UNKNOWN, Word, short_group};
use crate::env::{names_a_program, puts_code_into_programs};
use crate::places::Ground;
use crate::verdict::Finding;
use crate::walk::State;
use crate::wrappers::{
    Reads, SHELLS, is_input, is_program_key, is_tcl, makefiles, reads, run_by_flag, tame_program,
};

const DOWNLOADERS: &[&str] = &[
    "curl", "wget", "fetch", "aria2c", "http", "https", "xh", "lynx", "w3m", "nc", "ncat", "telnet", "ftp",
    "axel", "httpie",
];

/// Programs that print the settings of a shell, made to be evaluated.
const PRINTS_SETTINGS: &[&str] = &[
    "asdf",
    "brew",
    "conda",
    "dircolors",
    "direnv",
    "docker-machine",
    "fnm",
    "keychain",
    "luarocks",
    "minikube",
    "mise",
    "nodenv",
    "opam",
    "perl",
    "pipx",
    "pyenv",
    "rbenv",
    "register-python-argcomplete",
    "resize",
    "ssh-agent",
    "starship",
    "thefuck",
    "volta",
    "zoxide",
    "goenv",
    "jenv",
    "podman",
    "gpg-agent",
    "mamba",
    "micromamba",
    "rustup",
    "fzf",
];

pub(crate) fn is_downloader(program: &str) -> bool {
    DOWNLOADERS.contains(&program)
}

pub(crate) fn bomb() -> Finding {
    Finding::deny("fork-bomb", "it starts itself again and again until the machine stands still")
}

/// Variables that make later commands do something else.
pub(crate) fn variable(name: &str, value: &str) -> Option<Finding> {
    let is_program = names_a_program(name) && !tame_program(value);
    let is_code = (puts_code_into_programs(name) || name.starts_with("BASH_FUNC_")) && !value.is_empty();
    let is_setting = match name {
        "MAKEFLAGS" | "GNUMAKEFLAGS" => {
            value.contains("eval") || value.contains("SHELL") || value.contains("-E")
        }
        "GIT_CONFIG_PARAMETERS" => !value.is_empty(),
        _ => name.starts_with("GIT_CONFIG_KEY_") && is_program_key(value),
    };
    let is_start = matches!(name, "ENV" | "ZDOTDIR") && value.starts_with(['/', '.', '~']);
    let is_prompt =
        matches!(name, "PS4" | "PS1" | "PS0") && value.contains(['`', UNKNOWN]) | value.contains("$(");
    if is_program || is_code || is_start || is_prompt || is_setting {
        let reason = format!("it sets {name}, which makes later commands run something else");
        return Some(Finding::ask("variable", reason).surroundings());
    }
    hides_in_index(value).then(hidden)
}

/// A shell runs what stands in `a[$(…)]` when it calculates with it, quotes or not.
pub(crate) fn arithmetic(text: &str) -> Option<Finding> {
    let quoted = text.split('\'').skip(1).step_by(2);
    let mut parts = quoted.chain(text.split('"').skip(1).step_by(2));
    (parts.any(hides_in_index) || text.contains("@P}")).then(hidden)
}

fn hides_in_index(text: &str) -> bool {
    text.split('[').skip(1).any(|rest| rest.starts_with("$(") || rest.starts_with('`'))
}

fn hidden() -> Finding {
    Finding::ask("hidden-command", "it hides a command in what looks like a number or a text").surroundings()
}

pub(super) fn judge(call: &Call<'_>, state: &State) -> Vec<Finding> {
    let mut found = Vec::new();
    if SHELLS.contains(&call.name) {
        found.extend(shell(call, state));
    }
    match call.name {
        "eval" => found.extend(evaluated(call)),
        "source" | "." => found.extend(sourced(call, state)),
        "let" | "unset" | "read" | "printf" | "test" | "mapfile" if call.args().any(hides_in_index) => {
            found.push(hidden());
        }
        "enable" if call.has_short("f") => found.push(hidden()),
        "make" | "gmake" => found.extend(from_makefile(call, state)),
        name if is_tcl(name) && call.operands().next().is_none() => found.extend(from_input(call)),
        // What stands there is expanded when somebody asks for a completion.
        "complete" | "compgen" if call.args().any(|arg| arg.contains("$(") || arg.contains('`')) => {
            found.push(hidden());
        }
        _ => {}
    }
    if matches!(call.name, "export" | "env" | "sudo" | "declare" | "typeset") {
        let pairs = call.args().filter_map(|arg| arg.split_once('='));
        found.extend(
            pairs
                .filter(|(name, _)| !name.starts_with('-'))
                .filter_map(|(name, value)| variable(name, value)),
        );
    }
    found.extend(flags(call));
    if call.words.iter().any(|word| word.text.contains("@P}")) {
        found.push(hidden());
    }
    found
}

/// Programs that options name. Some tools are made for that.
fn flags(call: &Call<'_>) -> Option<Finding> {
    let is_made_for_it =
        matches!(call.name, "nix-shell" | "npx" | "npm" | "nodemon" | "cargo-watch" | "make" | "gmake");
    let named =
        run_by_flag(call).into_iter().find(|program| is_shell_like(call) || !tame_program(program))?;
    (!is_made_for_it).then(|| {
        let shown = named.replace(UNKNOWN, "…");
        Finding::ask("runs-program", format!("an option of {} makes it run `{shown}`", call.name))
    })
}

/// `sed e` and `vim -c '!…'` take whole scripts, which no list of names makes harmless.
fn is_shell_like(call: &Call<'_>) -> bool {
    matches!(
        call.name,
        "sed" | "gsed" | "vim" | "vi" | "nvim" | "ex" | "gdb" | "lldb" | "less" | "view" | "emacs"
    )
}

fn shell(call: &Call<'_>, state: &State) -> Option<Finding> {
    let starts = |pair: &[Word]| matches!(pair[0].text.as_str(), "--rcfile" | "--init-file");
    let mut start = call.words.windows(2).filter(|pair| starts(pair)).map(|pair| &pair[1]);
    if let Some(file) = start.find(|file| !file.ran.is_empty()) {
        return from_file(file, state);
    }
    match reads(call) {
        Reads::Script(script, _) => {
            if script.ran.iter().any(|program| is_downloader(program)) {
                return Some(download());
            }
            let is_unknown = script.text.trim_matches(|c: char| c == UNKNOWN || c.is_whitespace()).is_empty();
            is_unknown.then(|| {
                Finding::ask("script-not-literal", "the script it runs is only known when it runs")
                    .surroundings()
            })
        }
        Reads::Input => from_input(call),
        Reads::File(file) => from_file(file, state),
        Reads::Nothing => None,
    }
}

/// A script on the standard input that another program prints there.
fn from_input(call: &Call<'_>) -> Option<Finding> {
    let programs = &call.flow.programs;
    if call.flow.is_empty() || call.flow.text.is_some() {
        return None;
    }
    if programs.iter().any(|program| is_downloader(program)) {
        return Some(download());
    }
    let is_file = call.flow.is_file && programs.is_empty() || programs.iter().all(|program| program == "cat");
    (!is_file).then(piped)
}

/// A makefile that another program prints, or that was just downloaded.
fn from_makefile(call: &Call<'_>, state: &State) -> Option<Finding> {
    if makefiles(call).any(|file| file == "-" || is_input(file)) {
        return from_input(call);
    }
    let names_file = |text: &str| {
        text == "--file"
            || text == "--makefile"
            || short_group(text).is_some_and(|group| group.ends_with('f'))
    };
    let named = call.words.windows(2).filter(|pair| names_file(&pair[0].text)).map(|pair| pair[1].clone());
    let glued = call.words.iter().filter_map(|word| {
        let text = ["-f", "--file=", "--makefile="].iter().find_map(|flag| word.text.strip_prefix(flag))?;
        Some(Word { text: text.to_owned(), ran: word.ran.clone() })
    });
    named.chain(glued).find_map(|file| from_file(&file, state))
}

/// A script in a file that this command has made, or that is no file but what another program prints.
fn from_file(file: &Word, state: &State) -> Option<Finding> {
    if file.ran.iter().any(|program| is_downloader(program)) {
        return Some(download());
    }
    if !file.ran.is_empty()
        && file.text.starts_with(UNKNOWN)
        && !file.ran.iter().all(|program| is_path_printer(program))
    {
        return Some(piped());
    }
    just_downloaded(file, state)
}

fn just_downloaded(file: &Word, state: &State) -> Option<Finding> {
    let path = state.ground.path(&file.text)?;
    state
        .downloads
        .contains(&path)
        .then(|| Finding::ask("run-download", "it runs a file that it has just downloaded"))
}

/// `bash "$(dirname "$0")/x.sh"` names a file; its text is not the program.
fn is_path_printer(program: &str) -> bool {
    matches!(
        program,
        "dirname" | "pwd" | "realpath" | "readlink" | "which" | "git" | "basename" | "cd" | "command"
    )
}

fn download() -> Finding {
    Finding::ask("download-and-run", "it runs what it downloads, unseen").surroundings()
}

fn piped() -> Finding {
    Finding::ask("pipe-to-shell", "it runs what another program prints, unseen").surroundings()
}

/// Text that is only known when it runs, run.
fn evaluated(call: &Call<'_>) -> Option<Finding> {
    let unknown = call.words.iter().skip(1).find(|word| !word.is_known())?;
    let is_settings = !unknown.ran.is_empty()
        && unknown.ran.iter().all(|program| PRINTS_SETTINGS.contains(&program.as_str()));
    (!is_settings)
        .then(|| Finding::ask("eval", "it runs text that is only known when it runs").surroundings())
}

fn sourced(call: &Call<'_>, state: &State) -> Option<Finding> {
    let file = call.words.get(1)?;
    if file.ran.iter().any(|program| is_downloader(program)) {
        return Some(download());
    }
    let is_printed = file.text.starts_with(UNKNOWN) && !file.ran.is_empty();
    if is_printed
        && !file
            .ran
            .iter()
            .all(|program| is_path_printer(program) || PRINTS_SETTINGS.contains(&program.as_str()))
    {
        return Some(piped());
    }
    if is_input(&file.text) && call.flow.text.is_none() && !call.flow.is_empty() {
        return Some(piped());
    }
    just_downloaded(file, state)
}

/// The files that this command fetches.
pub(crate) fn downloaded(call: &Call<'_>, ground: &Ground) -> Vec<String> {
    let named = match call.name {
        "curl" => {
            let mut named = call.values(Some('o'), Some("output"));
            if call.has_short("O") || call.has_long("remote-name") {
                named.extend(call.operands().filter_map(|word| word.rsplit('/').next()));
            }
            named
        }
        "wget" => {
            let mut named = call.values(Some('O'), Some("output-document"));
            if named.is_empty() {
                named.extend(call.operands().filter_map(|word| word.rsplit('/').next()));
            }
            named
        }
        _ => return Vec::new(),
    };
    named.into_iter().filter_map(|name| ground.path(name)).collect()
}
