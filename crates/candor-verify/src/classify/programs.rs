//! Programs and what their arguments make of them.

use std::path::Path;

use super::names::is_service_name;
use super::tools::{ENDING, STARTING, TOOLS, When};
use super::wrappers::base_name;

/// Arguments after which a program tells something about itself, tries something once, and ends.
const ASKING: &[&str] = &[
    "--help",
    "-h",
    "--version",
    "-V",
    "--check",
    "--dry-run",
    "--once",
    "--list",
    "--validate",
    "--test",
    "--selftest",
    "--self-test",
];
/// First words of a program of the project's own that does one thing and ends.
const DOING: &[&str] = &[
    "add",
    "build",
    "check",
    "clean",
    "collectstatic",
    "compile",
    "config",
    "create",
    "db",
    "delete",
    "export",
    "generate",
    "help",
    "import",
    "init",
    "install",
    "lint",
    "list",
    "makemigrations",
    "migrate",
    "seed",
    "send",
    "setup",
    "shell",
    "status",
    "stop",
    "sync",
    "test",
    "version",
];
/// Words after `manage.py` that go on.
const DJANGO: &[&str] = &[
    "runserver",
    "runserver_plus",
    "rqworker",
    "qcluster",
    "runworker",
    "celery",
    "process_tasks",
    "run_huey",
    "bot",
    "runbot",
    "run_bot",
    "tailwind",
];

/// Why this is long-lived, or nothing. The first word is the program.
pub(super) fn judge(words: &[&str]) -> Option<String> {
    let (first, args) = words.split_first()?;
    if args.iter().any(|arg| ASKING.contains(arg)) {
        return None;
    }
    let name = base_name(first);
    if let Some(why) = by_table(name, args) {
        return Some(why);
    }
    if only_reads(program(name), args) {
        return None;
    }
    match program(name) {
        "python" => python(args),
        "node" | "ts-node" | "tsx" | "ts-node-dev" | "swc-node" | "babel-node" | "bun"
            if script_comes_first(name, args) =>
        {
            script(
                args,
                &["-r", "--require", "--loader", "--import", "-P", "--project", "--env-file", "-e", "-p"],
                "app",
            )
        }
        "npm" | "yarn" | "pnpm" | "bun" | "composer" => package_script(name, args),
        "deno" => deno(args),
        "ruby" => ruby(args),
        "perl" => script(args, &["-I", "-e", "-E"], "app"),
        "php" => php(args),
        "java" => java(args),
        "go" => go(args),
        "cargo" => cargo(args),
        "swift" => (args.first() == Some(&"run") && args.contains(&"serve"))
            .then(|| "swift run … serve starts a server".to_owned()),
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" => script(args, &["-o"], ""),
        "make" | "gmake" | "just" | "task" => target(name, args),
        "docker" | "podman" => container(name, args),
        "pm2" => (args.first() == Some(&"start")).then(|| "pm2 start keeps a program running".to_owned()),
        "socat" => args
            .iter()
            .any(|arg| arg.to_ascii_uppercase().contains("-LISTEN"))
            .then(|| "socat listens".to_owned()),
        "concurrently" | "npm-run-all" | "run-p" => several(args),
        "dotnet" => args
            .first()
            .filter(|file| has_ending(file, "dll") && is_service_name(file))
            .map(|file| called(file)),
        _ => own_program(first, args),
    }
}

/// Whether an interpreter is asked to read a script and not to run it.
fn only_reads(name: &str, args: &[&str]) -> bool {
    match name {
        "ruby" | "perl" => args.contains(&"-c"),
        "php" => args.contains(&"-l"),
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" => args.contains(&"-n"),
        _ => false,
    }
}

/// Whether a command makes the shell or the project ready for what follows it in the same line.
pub(super) fn prepares(words: &[&str]) -> bool {
    let Some((first, args)) = words.split_first() else { return false };
    match base_name(first) {
        "source" | "." | "set" | "ulimit" | "umask" | "eval" | "tsc" | "javac" | "gcc" | "g++" | "cc"
        | "clang" | "export" | "nvm" | "conda" | "mkdir" => true,
        "make" | "cmake" | "just" => !args.iter().any(|arg| arg.contains("test") || arg.contains("install")),
        _ => args.iter().take(3).any(|arg| {
            matches!(*arg, "build" | "compile" | "migrate" | "collectstatic" | "assets:precompile")
        }),
    }
}

fn has_ending(file: &str, ending: &str) -> bool {
    Path::new(file).extension().is_some_and(|found| found == ending)
}

fn called(file: &str) -> String {
    format!("{} is called like something that keeps running", base_name(file))
}

/// A program's name without its version and ending: `python3.11`, `node.exe`.
fn program(name: &str) -> &str {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    match plain {
        "python" | "pypy" => "python",
        "nodejs" => "node",
        "ruby" | "php" | "perl" | "java" | "deno" | "bun" => plain,
        _ => name,
    }
}

fn by_table(name: &str, args: &[&str]) -> Option<String> {
    let (_, when) = TOOLS.iter().find(|(tool, _)| *tool == name)?;
    // `rails new server` makes one, and starts none.
    if args
        .first()
        .is_some_and(|word| matches!(*word, "new" | "generate" | "g" | "create" | "init" | "add" | "install"))
    {
        return None;
    }
    match when {
        When::Always => Some(format!("{name} is a server")),
        When::With(words) => {
            let word = args.iter().find(|arg| words.contains(arg))?;
            Some(format!("{name} {word} keeps running"))
        }
        When::Without(words) => {
            (!args.iter().any(|arg| words.contains(arg))).then(|| format!("{name} keeps running"))
        }
    }
}

/// The first argument that is no option, and what follows it.
fn operand<'a>(args: &'a [&'a str], valued: &[&str]) -> Option<(&'a str, &'a [&'a str])> {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if !arg.starts_with('-') {
            return Some((arg, args.get(at + 1..).unwrap_or_default()));
        }
        at += if valued.contains(arg) { 2 } else { 1 };
    }
    None
}

/// A script by its name. `also` is a name that means a server in this language, and nothing in others.
fn script(args: &[&str], valued: &[&str], also: &str) -> Option<String> {
    let (file, rest) = operand(args, valued)?;
    let stem = base_name(file).split('.').next().unwrap_or_default();
    let is_lasting = is_service_name(file) || (!also.is_empty() && stem == also);
    let does_one_thing = rest.first().is_some_and(|word| DOING.contains(word));
    (is_lasting && !does_one_thing).then(|| called(file))
}

fn python(args: &[&str]) -> Option<String> {
    if let Some(at) = args.iter().position(|arg| *arg == "-c") {
        const GOING_ON: &[&str] =
            &["serve_forever(", "run_polling(", "app.run(", "uvicorn.run(", "infinity_polling("];
        let code = args.get(at + 1)?;
        return GOING_ON
            .iter()
            .any(|call| code.contains(call))
            .then(|| "its code serves until it is stopped".to_owned());
    }
    if let Some(at) = args.iter().position(|arg| *arg == "-m") {
        let (module, rest) = args.get(at + 1..)?.split_first()?;
        if let Some(why) = by_table(module, rest) {
            return Some(why);
        }
        let last = module.rsplit('.').next().unwrap_or(module);
        let is_lasting = is_service_name(last) && !rest.first().is_some_and(|word| DOING.contains(word));
        return is_lasting.then(|| called(module));
    }
    let (file, rest) = operand(args, &["-X", "-W"])?;
    if base_name(file) == "manage.py" {
        let word = rest.first().filter(|word| DJANGO.contains(word))?;
        return Some(format!("manage.py {word} keeps running"));
    }
    if matches!(base_name(file), "flask" | "uvicorn" | "gunicorn" | "celery" | "streamlit") {
        return by_table(base_name(file), rest);
    }
    script(args, &["-X", "-W"], "app")
}

/// `bun server.ts` runs a file, `bun run dev` a script of the package.
fn script_comes_first(name: &str, args: &[&str]) -> bool {
    name != "bun" || operand(args, &[]).is_some_and(|(file, _)| file.contains('.') || file.contains('/'))
}

fn package_script(name: &str, args: &[&str]) -> Option<String> {
    const VALUED: &[&str] =
        &["--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F", "-d", "--working-dir"];
    let (first, rest) = operand(args, VALUED)?;
    let (word, rest) = match first {
        "run" | "run-script" | "rum" => operand(rest, VALUED)?,
        "workspace" if name == "yarn" => {
            let (word, rest) = operand(rest.get(1..)?, VALUED)?;
            if word == "run" { operand(rest, VALUED)? } else { (word, rest) }
        }
        // npm and composer have no scripts without `run`, but for this one.
        "start" => (first, rest),
        _ if name == "npm" || name == "composer" => return None,
        _ => (first, rest),
    };
    if name == "bun" && word.contains('.') {
        return script(&[&[word], rest].concat(), &[], "app");
    }
    if is_starting(word) {
        return Some(format!("{name} runs a script called {word}"));
    }
    // `yarn vite`, `pnpm next dev`: a program among the dependencies.
    (matches!(name, "yarn" | "pnpm") || first == "run").then(|| by_table(word, rest)).flatten()
}

/// Whether a script or target with this name starts something: `dev`, `start:prod`, `serve-docs`, and not `start:test`.
fn is_starting(word: &str) -> bool {
    let mut parts = word.split([':', '-', '_', '.']);
    let is_start =
        STARTING.contains(&word) || parts.clone().next().is_some_and(|first| STARTING.contains(&first));
    is_start && !parts.any(|part| ENDING.contains(&part))
}

fn deno(args: &[&str]) -> Option<String> {
    match args.split_first()? {
        (&"serve", _) => Some("deno serve starts a server".to_owned()),
        (&"task", rest) => {
            let (word, _) = operand(rest, &["--cwd", "-c", "--config"])?;
            is_starting(word).then(|| format!("deno runs a task called {word}"))
        }
        (&"run", rest) => script(rest, &["-c", "--config", "--import-map"], "app"),
        _ => None,
    }
}

fn ruby(args: &[&str]) -> Option<String> {
    if args.contains(&"-run") && args.iter().any(|arg| arg.contains("httpd")) {
        return Some("ruby -run -e httpd starts a server".to_owned());
    }
    let (file, rest) = operand(args, &["-I", "-r", "-e"])?;
    by_table(base_name(file), rest).or_else(|| script(args, &["-I", "-r", "-e"], "app"))
}

fn php(args: &[&str]) -> Option<String> {
    if args.contains(&"-S") {
        return Some("php -S starts a server".to_owned());
    }
    let (file, rest) = operand(args, &["-d", "-c"])?;
    by_table(base_name(file), rest).or_else(|| script(args, &["-d", "-c"], ""))
}

fn java(args: &[&str]) -> Option<String> {
    if let Some(at) = args.iter().position(|arg| *arg == "-jar") {
        let jar = args.get(at + 1)?;
        let stem = base_name(jar);
        return (is_service_name(stem) || stem.starts_with("app")).then(|| called(jar));
    }
    let (class, _) = operand(args, &["-cp", "-classpath", "--class-path", "-p", "--module-path", "-m"])?;
    let last = class.trim_end_matches(".java").rsplit(['.', '/']).next().unwrap_or(class);
    (is_service_name(last) || last.ends_with("Application")).then(|| called(class))
}

fn go(args: &[&str]) -> Option<String> {
    let (verb, rest) = args.split_first()?;
    if *verb != "run" {
        return None;
    }
    let (package, _) = operand(rest, &["-tags", "-ldflags", "-mod", "-C"])?;
    is_service_name(package.trim_end_matches('/')).then(|| called(package))
}

fn cargo(args: &[&str]) -> Option<String> {
    let args = args.strip_prefix(&["+nightly"]).or_else(|| args.strip_prefix(&["+stable"])).unwrap_or(args);
    let (verb, rest) = args.split_first()?;
    match *verb {
        "run" | "r" => {
            let at =
                rest.iter().position(|arg| matches!(*arg, "--bin" | "-p" | "--package" | "--example"))?;
            rest.get(at + 1).filter(|name| is_service_name(name)).map(|name| called(name))
        }
        "leptos" => rest
            .first()
            .filter(|word| matches!(**word, "serve" | "watch"))
            .map(|word| format!("cargo leptos {word} keeps running")),
        "shuttle" => (rest.first() == Some(&"run")).then(|| "cargo shuttle run keeps running".to_owned()),
        _ => None,
    }
}

fn target(name: &str, args: &[&str]) -> Option<String> {
    const VALUED: &[&str] = &["-C", "-f", "-d", "--dir", "--justfile", "-t"];
    let mut rest = args;
    while let Some((word, after)) = operand(rest, VALUED) {
        if is_starting(word) {
            return Some(format!("{name} has been asked for {word}"));
        }
        rest = after;
    }
    None
}

fn container(name: &str, args: &[&str]) -> Option<String> {
    match args.split_first()? {
        (&"compose", rest) => {
            rest.contains(&"up").then(|| format!("{name} compose up keeps its services running"))
        }
        (&"run", rest) => {
            let publishes = rest.iter().any(|arg| {
                matches!(*arg, "-d" | "--detach" | "-p" | "--publish" | "-P") || arg.starts_with("--publish=")
            });
            publishes.then(|| format!("{name} run opens a port or goes to the background"))
        }
        _ => None,
    }
}

/// `concurrently "npm run api" "npm run web"`.
fn several(args: &[&str]) -> Option<String> {
    let one = args
        .iter()
        .filter(|arg| !arg.starts_with('-'))
        .find(|line| is_starting(line) || super::service(line).is_some())?;
    Some(format!("one of what it starts keeps running: {one}"))
}

/// Something of the project's own: `./server`, `bin/dev`, `./bot.sh`.
fn own_program(first: &str, args: &[&str]) -> Option<String> {
    let name = base_name(first);
    // `uv run bot.py` runs a file by itself.
    if has_ending(name, "py") {
        return python(&[&[first], args].concat());
    }
    let is_own = first.contains('/')
        && !first.contains("node_modules")
        && !first.starts_with("/usr")
        && !first.starts_with("/bin");
    let does_one_thing = args.first().is_some_and(|word| DOING.contains(word));
    let is_dev = first.ends_with("bin/dev");
    (is_own && (is_dev || is_service_name(name)) && !does_one_thing).then(|| called(first))
}
