//! What is put in front of a program: to time it, to detach it, to restart it, to give it an environment.

use std::path::PathBuf;

use super::shell::Word;

/// What is left of a command when its wrappers are looked through.
#[derive(Debug, Default)]
pub(super) struct Stripped {
    /// Variables that the wrappers set.
    pub(super) env: Vec<(String, String)>,
    /// Where the wrappers go.
    pub(super) cwd: PathBuf,
    /// A shell line of its own: what `sh -c` runs.
    pub(super) script: Option<String>,
    /// The program and its arguments, to be judged.
    pub(super) seen: Vec<Word>,
    /// The words to start it with: those wrappers stay that bring its environment.
    pub(super) kept: Vec<String>,
}

/// A wrapper whose options are followed by the command.
struct Wrapper {
    name: &'static str,
    /// The word that must come next, for programs that do other things as well.
    verb: &'static [&'static str],
    /// Options that take the next word.
    valued: &'static [&'static str],
    /// Words before the command that are no options.
    operands: usize,
    /// Whether it must stay, because the command is not found or not complete without it.
    stays: bool,
}

const fn gone(name: &'static str, valued: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { name, verb: &[], valued, operands, stays: false }
}

const fn stays(
    name: &'static str,
    verb: &'static [&'static str],
    valued: &'static [&'static str],
) -> Wrapper {
    Wrapper { name, verb, valued, operands: 0, stays: true }
}

const WRAPPERS: &[Wrapper] = &[
    gone("timeout", &["-k", "--kill-after", "-s", "--signal"], 1),
    gone("gtimeout", &["-k", "--kill-after", "-s", "--signal"], 1),
    gone("nohup", &[], 0),
    gone("setsid", &[], 0),
    gone("nice", &["-n", "--adjustment"], 0),
    gone("ionice", &["-c", "-n", "-p"], 0),
    gone("chrt", &[], 1),
    gone("taskset", &[], 1),
    gone("stdbuf", &["-i", "-o", "-e"], 0),
    gone("unbuffer", &[], 0),
    gone("time", &["-f", "-o"], 0),
    gone("exec", &["-a"], 0),
    gone("command", &[], 0),
    gone("builtin", &[], 0),
    gone("chronic", &[], 0),
    gone("catchsegv", &[], 0),
    gone("tini", &[], 0),
    gone("dumb-init", &[], 0),
    gone("sudo", &["-u", "-g", "-h", "-p", "-C", "--user", "--group"], 0),
    gone("doas", &["-u", "-C"], 0),
    gone("flock", &["-w", "-E"], 1),
    gone("cross-env", &[], 0),
    gone("cross-env-shell", &[], 0),
    gone("env", &["-u", "--unset"], 0),
    stays("npx", &[], &["-p", "--package"]),
    stays("bunx", &[], &[]),
    stays("uvx", &[], &["--from", "--with", "-p", "--python"]),
    stays("pnpm", &["exec", "dlx"], &[]),
    stays("npm", &["exec", "x"], &["--package"]),
    stays("yarn", &["exec", "dlx"], &[]),
    stays("poetry", &["run"], &[]),
    stays(
        "uv",
        &["run"],
        &["--with", "--with-requirements", "-p", "--python", "--env-file", "--group", "--extra", "--project"],
    ),
    stays("pipenv", &["run"], &[]),
    stays("pdm", &["run"], &["-p"]),
    stays("hatch", &["run"], &[]),
    stays("rye", &["run"], &[]),
    stays("conda", &["run"], &["-n", "--name", "-p", "--prefix"]),
    stays("micromamba", &["run"], &["-n", "-p"]),
    stays("mise", &["exec", "x"], &[]),
    stays("asdf", &["exec"], &[]),
    stays("bundle", &["exec"], &[]),
    stays("dotenv", &[], &["-e", "-f", "-v"]),
    stays("dotenvx", &["run"], &["-f"]),
    stays("doppler", &["run"], &["-c", "-p"]),
    stays("xvfb-run", &[], &["-e", "-f", "-n", "-s"]),
];

/// How many wrappers may stand in a row.
const ROW_MAX: usize = 16;

/// `NAME=value`, with a value that needs no shell.
pub(super) fn assignment(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let is_name = !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && !value.contains(['$', '`'])).then(|| (name.to_owned(), value.to_owned()))
}

/// Takes the wrappers off a command.
pub(super) fn strip(words: &[Word]) -> Stripped {
    let mut found = Stripped::default();
    let mut rest = words;
    for _ in 0..ROW_MAX {
        rest = leading_assignments(rest, &mut found);
        let Some(next) = unwrap(rest, &mut found) else { break };
        rest = next;
        if found.script.is_some() {
            return found;
        }
    }
    if let Some(replaced) = restarted(rest) {
        match replaced {
            Restarted::Line(line) => found.script = Some(line),
            Restarted::Words(words) => {
                found.kept.extend(words.iter().map(|word| word.raw.clone()));
                found.seen = words;
            }
        }
        return found;
    }
    found.kept.extend(rest.iter().map(|word| word.raw.clone()));
    found.seen = rest.to_vec();
    found
}

fn leading_assignments<'a>(words: &'a [Word], found: &mut Stripped) -> &'a [Word] {
    let mut rest = words;
    while let [first, after @ ..] = rest {
        if let Some(pair) = assignment(&first.text) {
            found.env.push(pair);
        } else if !after.is_empty() && is_assignment_to_expand(&first.text) {
            found.kept.push(first.raw.clone());
        } else {
            break;
        }
        rest = after;
    }
    rest
}

fn is_assignment_to_expand(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| assignment(&format!("{name}=")).is_some())
}

/// The command inside the first wrapper; nothing if the first word is none.
fn unwrap<'a>(words: &'a [Word], found: &mut Stripped) -> Option<&'a [Word]> {
    let (first, rest) = words.split_first()?;
    let name = base_name(&first.text);
    if let Some(script) = shell_script(name, rest) {
        found.script = Some(script);
        return Some(&[]);
    }
    let second = rest.first().map(|word| word.text.as_str());
    let wrapper = WRAPPERS.iter().find(|wrapper| {
        wrapper.name == name
            && (wrapper.verb.is_empty() || second.is_some_and(|word| wrapper.verb.contains(&word)))
    })?;
    let mut at = usize::from(!wrapper.verb.is_empty());
    let mut operands = wrapper.operands;
    while let Some(word) = rest.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            at += 1;
            break;
        }
        if text.starts_with('-') && text.len() > 1 {
            // `npx -c` and `env -S` hold a line of their own.
            if (wrapper.name == "npx" && (text == "-c" || text == "--call"))
                || (wrapper.name == "env" && text == "-S")
            {
                found.script = rest.get(at + 1).map(|word| word.text.clone());
                return Some(&[]);
            }
            if wrapper.name == "env" && (text == "-C" || text == "--chdir") {
                found.cwd = rest.get(at + 1).map(|word| PathBuf::from(&word.text)).unwrap_or_default();
                at += 1;
            }
            at += if wrapper.valued.contains(&text) { 2 } else { 1 };
            continue;
        }
        if operands == 0 {
            break;
        }
        operands -= 1;
        at += 1;
    }
    let inner = rest.get(at..).filter(|inner| !inner.is_empty())?;
    if wrapper.stays && !is_restarter(inner) {
        found.kept.push(first.raw.clone());
        found.kept.extend(rest.get(..at).unwrap_or_default().iter().map(|word| word.raw.clone()));
    }
    Some(inner)
}

/// The line that a shell is given with `-c`, in whatever heap of letters it stands.
fn shell_script(name: &str, rest: &[Word]) -> Option<String> {
    if !matches!(name, "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "busybox" | "su" | "script") {
        return None;
    }
    let at = rest.iter().position(|word| {
        word.text.starts_with('-')
            && !word.text.starts_with("--")
            && word.text.ends_with('c')
            && word.text.len() <= 5
    })?;
    rest.get(at + 1).map(|word| word.text.clone())
}

enum Restarted {
    Line(String),
    Words(Vec<Word>),
}

fn is_restarter(words: &[Word]) -> bool {
    words.first().is_some_and(|word| {
        matches!(base_name(&word.text), "nodemon" | "watchmedo" | "watchexec" | "watchfiles")
    })
}

/// What a program that restarts another one runs. It would hide a crash, so that it must not stay.
fn restarted(words: &[Word]) -> Option<Restarted> {
    let (first, rest) = words.split_first()?;
    match base_name(&first.text) {
        "nodemon" => nodemon(rest),
        "watchmedo" if rest.first().is_some_and(|word| word.text == "auto-restart") => {
            const VALUED: &[&str] = &[
                "-d",
                "--directory",
                "-p",
                "--pattern",
                "--patterns",
                "-i",
                "--ignore-pattern",
                "--ignore-patterns",
                "--signal",
                "--kill-after",
                "--interval",
            ];
            after_options(rest.get(1..)?, VALUED).map(Restarted::Words)
        }
        "watchexec" => {
            const VALUED: &[&str] =
                &["-e", "--exts", "-w", "--watch", "-i", "--ignore", "-s", "--signal", "-f", "--filter"];
            after_options(rest, VALUED).map(Restarted::Words)
        }
        "watchfiles" => rest
            .iter()
            .find(|word| !word.text.starts_with('-'))
            .map(|word| Restarted::Line(word.text.clone())),
        "entr" => after_options(rest, &[]).map(Restarted::Words),
        "cargo" if rest.first().is_some_and(|word| word.text == "watch") => {
            let at = rest.iter().position(|word| word.text == "-x" || word.text == "--exec")?;
            Some(Restarted::Line(format!("cargo {}", rest.get(at + 1)?.text)))
        }
        "tmux" | "screen" => {
            let line = rest.last().filter(|word| word.text.contains(' '))?;
            Some(Restarted::Line(line.text.clone()))
        }
        _ => None,
    }
}

fn nodemon(rest: &[Word]) -> Option<Restarted> {
    const VALUED: &[&str] =
        &["-w", "--watch", "-e", "--ext", "-i", "--ignore", "-d", "--delay", "--config", "--signal"];
    if let Some(at) = rest.iter().position(|word| word.text == "--exec" || word.text == "-x") {
        let with = rest.get(at + 1)?;
        // `--exec ts-node server.ts` and `--exec "ts-node server.ts"` are the same.
        let files = rest
            .get(at + 2..)?
            .iter()
            .filter(|word| !word.text.starts_with('-'))
            .map(|word| word.raw.clone());
        return Some(Restarted::Line([vec![with.text.clone()], files.collect()].concat().join(" ")));
    }
    let mut words = after_options(rest, VALUED)?;
    let first = words.first()?;
    let with = match first.text.rsplit_once('.').map(|(_, end)| end) {
        Some("js" | "mjs" | "cjs") => "node",
        Some("ts") => "ts-node",
        Some("py") => "python3",
        _ => return Some(Restarted::Words(words)),
    };
    words.insert(0, Word { raw: with.to_owned(), text: with.to_owned() });
    Some(Restarted::Words(words))
}

fn after_options(words: &[Word], valued: &[&str]) -> Option<Vec<Word>> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word.text == "--" {
            at += 1;
            break;
        }
        if !word.text.starts_with('-') {
            break;
        }
        at += if valued.contains(&word.text.as_str()) { 2 } else { 1 };
    }
    words.get(at..).filter(|rest| !rest.is_empty()).map(<[Word]>::to_vec)
}

/// A program's name without its folder.
pub(super) fn base_name(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}
