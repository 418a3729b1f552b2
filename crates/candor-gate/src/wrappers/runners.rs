//! Programs whose first word says that another command follows: `npm exec`, `poetry run`.

use super::{Inner, behind_options, join};
use crate::call::{Call, Word};

/// How a runner takes the command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// As words behind its own.
    Words,
    /// As words, or as a script in the option `-c`.
    Script,
    /// As words, which are a script when it was given `-c`.
    Joined,
    /// As words behind `-c`.
    Behind,
    /// As words behind `--`.
    Dashes,
}

/// A program, the words that make it run another one, how it takes that, its options with a value, and how many words
/// of its own come first.
struct Runner(&'static str, &'static [&'static str], Takes, &'static str, &'static [&'static str], usize);

#[rustfmt::skip]
const RUNNERS: &[Runner] = &[
    Runner("poetry", &["run"], Takes::Words, "CP", &["directory", "project"], 0),
    Runner("uv", &["run"], Takes::Words, "pw", &["python", "with", "package", "project", "directory", "extra", "group", "env-file", "with-editable", "with-requirements", "index-url"], 0),
    Runner("pipenv", &["run"], Takes::Words, "", &["python"], 0),
    Runner("pdm", &["run"], Takes::Words, "p", &["project", "venv"], 0),
    Runner("rye", &["run"], Takes::Words, "", &["pyproject"], 0),
    Runner("hatch", &["run"], Takes::Words, "e", &["env"], 0),
    Runner("pixi", &["run", "exec"], Takes::Words, "ecs", &["environment", "manifest-path", "channel", "spec"], 0),
    Runner("pipx", &["run"], Takes::Words, "", &["spec", "python", "pip-args"], 0),
    Runner("bundle", &["exec"], Takes::Words, "", &["gemfile"], 0),
    Runner("npm", &["exec", "x"], Takes::Script, "pcwC", &["package", "call", "workspace", "prefix"], 0),
    Runner("npm", &["explore"], Takes::Words, "", &[], 1),
    Runner("pnpm", &["exec", "dlx"], Takes::Joined, "FC", &["filter", "dir", "package"], 0),
    Runner("yarn", &["exec", "dlx", "node"], Takes::Joined, "p", &["package", "cwd"], 0),
    Runner("bun", &["x", "exec"], Takes::Joined, "p", &["package", "cwd"], 0),
    Runner("composer", &["exec"], Takes::Words, "d", &["working-dir"], 0),
    Runner("conda", &["run"], Takes::Words, "np", &["name", "prefix", "cwd"], 0),
    Runner("mamba", &["run"], Takes::Words, "np", &["name", "prefix", "cwd"], 0),
    Runner("micromamba", &["run"], Takes::Words, "np", &["name", "prefix", "cwd"], 0),
    Runner("mise", &["exec", "x"], Takes::Script, "Cjc", &["cd", "jobs", "command"], 0),
    Runner("asdf", &["exec"], Takes::Words, "", &[], 0),
    Runner("opam", &["exec"], Takes::Words, "", &["switch"], 0),
    Runner("stack", &["exec"], Takes::Words, "", &["package"], 0),
    Runner("cabal", &["exec"], Takes::Words, "", &[], 0),
    Runner("dotenvx", &["run"], Takes::Words, "f", &["env-file", "env"], 0),
    Runner("doppler", &["run"], Takes::Script, "pc", &["project", "config", "command", "token"], 0),
    Runner("direnv", &["exec"], Takes::Words, "", &[], 1),
    Runner("nix", &["develop", "shell", "run"], Takes::Behind, "f", &["file", "override-input", "profile"], 0),
    Runner("guix", &["shell", "environment"], Takes::Dashes, "", &[], 0),
    Runner("op", &["run"], Takes::Words, "", &["env-file", "account"], 0),
    Runner("aws-vault", &["exec"], Takes::Words, "d", &["duration", "region"], 1),
    Runner("chamber", &["exec"], Takes::Words, "", &[], 1),
    Runner("perf", &["stat", "record", "trace"], Takes::Words, "eoFpcCg", &["event", "output", "freq", "call-graph"], 0),
    Runner("rr", &["record"], Takes::Words, "o", &["output-trace-dir"], 0),
    Runner("distrobox", &["enter"], Takes::Words, "n", &["name"], 1),
    Runner("toolbox", &["run"], Takes::Words, "c", &["container", "distro", "release"], 0),
    Runner("zellij", &["run"], Takes::Words, "n", &["name", "cwd"], 0),
    Runner("tailscale", &["ssh"], Takes::Words, "", &[], 1),
    Runner("adb", &["shell"], Takes::Words, "s", &[], 0),
    Runner("ip", &["exec"], Takes::Words, "", &[], 1),
    Runner("mprof", &["run"], Takes::Words, "o", &["output"], 0),
    Runner("scl", &["enable"], Takes::Joined, "", &[], 1),
];

/// The commands that a runner is given.
pub(super) fn inner(call: &Call<'_>) -> Vec<Inner> {
    RUNNERS.iter().filter(|runner| runner.0 == call.name).flat_map(|runner| of(runner, call)).collect()
}

/// The words of a runner's command that are another one.
pub(super) fn behind<'a>(call: &Call<'a>) -> Option<&'a [Word]> {
    RUNNERS.iter().filter(|runner| runner.0 == call.name).find_map(|runner| command_of(runner, call))
}

fn command_of<'a>(runner: &Runner, call: &Call<'a>) -> Option<&'a [Word]> {
    let Runner(_, subcommands, _, short, long, operands) = runner;
    let is_sub = |word: &Word| subcommands.contains(&word.text.as_str());
    let at = call.words.iter().skip(1).position(is_sub)? + 2;
    behind_options(&call.words[at..], short, long, *operands)
}

fn of(runner: &Runner, call: &Call<'_>) -> Vec<Inner> {
    let Runner(_, subcommands, takes, ..) = runner;
    if !call.args().any(|arg| subcommands.contains(&arg)) {
        return Vec::new();
    }
    let dashes = call.words.iter().position(|word| word.text == "--").unwrap_or(call.words.len());
    let own = Call::new(&call.words[..dashes], call.flow);
    let words = command_of(runner, call).map(<[Word]>::to_vec);
    match takes {
        Takes::Words => words.map(Inner::Words).into_iter().collect(),
        Takes::Script => {
            let scripts = own.values(Some('c'), None);
            let scripts = scripts.into_iter().chain(own.values(None, Some("call")));
            let scripts = scripts.chain(own.values(None, Some("command")));
            scripts.map(Inner::script).chain(words.map(Inner::Words)).collect()
        }
        Takes::Joined => {
            let is_script = own.has_short("c") || own.has_long("shell-mode");
            let script = |words: Vec<Word>| {
                let is_one_text = words.first().is_some_and(|word| word.text.contains(char::is_whitespace));
                if is_script || is_one_text { Inner::script(join(&words)) } else { Inner::Words(words) }
            };
            words.map(script).into_iter().collect()
        }
        Takes::Dashes => {
            let rest = call.words.get(dashes + 1..);
            rest.map(|rest| Inner::Words(rest.to_vec())).into_iter().collect()
        }
        Takes::Behind => {
            let start = call.words.iter().position(|word| matches!(word.text.as_str(), "-c" | "--command"));
            let rest = start.and_then(|start| call.words.get(start + 1..));
            rest.map(|rest| Inner::Words(rest.to_vec())).into_iter().collect()
        }
    }
}
