//! A command line, taken apart far enough to know which programs it runs.
//!
//! This is no shell: it finds the simple commands of a line so that a rule can ask for `git push` and mean the one in
//! `cd app && sudo git push | tee log`. Where it reads a line wrongly, a rule may not apply; nothing is run by it.

use crate::quote;

/// How deep `sh -c` within `sh -c` is followed.
const DEPTH_MAX: usize = 4;
/// The most of a line that is read.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// Programs that run the command behind them, with the options of theirs that take a value.
const WRAPPERS: &[(&str, &[&str])] = &[
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-D"]),
    ("doas", &["-u", "-C"]),
    ("env", &["-u", "-C", "-S"]),
    ("time", &["-o", "-f"]),
    ("nice", &["-n"]),
    ("ionice", &["-c", "-n"]),
    ("nohup", &[]),
    ("setsid", &[]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("xargs", &["-n", "-P", "-I", "-d", "-L", "-s", "-a", "-E"]),
    ("command", &[]),
    ("exec", &[]),
    ("builtin", &[]),
    ("timeout", &["-s", "-k"]),
    ("strace", &["-e", "-o", "-p"]),
];

/// What runs a program of a project: two words before it.
const RUNNERS: &[(&str, &str)] = &[
    ("uv", "run"),
    ("uv", "tool"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("conda", "run"),
    ("pnpm", "exec"),
    ("npm", "exec"),
    ("yarn", "exec"),
    ("bundle", "exec"),
    ("corepack", "npm"),
    ("corepack", "yarn"),
    ("corepack", "pnpm"),
    ("candor", "card"),
];

/// Options before a subcommand that take a value.
const VALUED_OPTIONS: &[&str] =
    &["-C", "-c", "-j", "-f", "-n", "--namespace", "--context", "--prefix", "--git-dir", "--work-tree"];

/// Subcommands that only lead to another.
const GROUPS: &[(&str, &str)] = &[
    ("npm", "run"),
    ("pnpm", "run"),
    ("yarn", "run"),
    ("bun", "run"),
    ("docker", "compose"),
    ("docker", "container"),
    ("docker", "image"),
    ("git", "remote"),
    ("git", "stash"),
    ("gh", "pr"),
    ("cargo", "xtask"),
];

/// What a shell does itself: nothing that anybody could ask for help.
const SHELL_WORDS: &[&str] = &[
    "", ":", "[", "[[", "command", "eval", "exit", "hash", "kill", "read", "return", "set", "test", "trap",
    "type", "wait",
];

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    line: String,
    /// The line without the shell around it.
    inner: String,
    simple: Vec<Vec<String>>,
    /// Where the last command of the line, with what it runs in turn, begins among the simple ones.
    last_from: usize,
    /// How many commands the line is made of, but for `cd`.
    count: usize,
    /// What the line starts first, as it is written there.
    started: String,
    elsewhere: Option<Elsewhere>,
}

/// Where a command works, when that is not where it was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Elsewhere {
    /// `cd DIRECTORY && …`
    Cd(String),
    /// `git -C DIRECTORY …`
    Git(String),
}

impl Elsewhere {
    pub(crate) fn directory(&self) -> &str {
        match self {
            Self::Cd(directory) | Self::Git(directory) => directory,
        }
    }
}

impl Command {
    /// A line for the shell.
    pub fn line(line: &str) -> Self {
        let kept = line.get(..line.floor_char_boundary(LINE_BYTES_MAX)).unwrap_or_default();
        let commands = split(kept);
        let is_work = |words: &&Vec<String>| words.first().is_none_or(|word| word != "cd");
        let count = commands.iter().filter(is_work).count();
        let started = commands.first().map(|words| started(words)).unwrap_or_default();
        let (mut simple, mut last_from) = (Vec::new(), 0);
        for words in commands {
            last_from = simple.len();
            unwrap(words, &mut simple, 0);
        }
        let elsewhere = directory(&simple).map(Elsewhere::Cd).or_else(|| of_git(&simple, count));
        let (line, inner) = (line.to_owned(), line.to_owned());
        Self { line, inner, simple, last_from, count, started, elsewhere }
    }

    /// A program and its arguments. `sh -c LINE` is that line.
    pub fn words(words: &[String]) -> Self {
        let line: Vec<String> = words.iter().map(|word| quote_word(word)).collect();
        let line = line.join(" ");
        if let [shell, option, inner] = words
            && matches!(base(shell), "sh" | "dash" | "bash")
            && option == "-c"
        {
            return Self { line, ..Self::line(inner) };
        }
        let mut simple = Vec::new();
        unwrap(words.to_vec(), &mut simple, 0);
        let elsewhere = of_git(&simple, 1);
        let started = words.first().cloned().unwrap_or_default();
        Self { inner: line.clone(), line, simple, last_from: 0, count: 1, started, elsewhere }
    }

    /// The line as a shell takes it: without a shell of its own around it.
    pub fn shell_line(&self) -> &str {
        &self.inner
    }

    /// The name of the program, where the line runs just one.
    pub fn only_program(&self) -> Option<&str> {
        let name = self.program();
        let is_program = !SHELL_WORDS.contains(&name);
        (self.count == 1 && is_program).then_some(name)
    }

    /// The line, as somebody could type it.
    pub fn as_line(&self) -> &str {
        &self.line
    }

    /// The name of the first program that is not `cd`.
    pub fn program(&self) -> &str {
        self.programs().find(|name| *name != "cd").unwrap_or_default()
    }

    /// The names of the programs, without their directories.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        self.simple.iter().filter_map(|words| words.first()).map(|program| base(program))
    }

    /// What kind of command it is: its first program that is not `cd`, with the first word after it that is no option, such
    /// as `git push` for `cd app && git push --force origin`.
    pub fn kind(&self) -> String {
        let simple = self.simple.iter().find(|words| words.first().is_some_and(|word| word != "cd"));
        let Some((program, rest)) = simple.and_then(|words| words.split_first()) else {
            return self.line.clone();
        };
        let program = base(program);
        let mut words = after_options(rest, VALUED_OPTIONS).iter().filter(|word| !word.starts_with('-'));
        match words.next() {
            // `npm run` says nothing without the name of the script.
            Some(first) if GROUPS.contains(&(program, first)) => match words.next() {
                Some(second) => format!("{program} {first} {second}"),
                None => format!("{program} {first}"),
            },
            Some(first) => format!("{program} {first}"),
            None => program.to_owned(),
        }
    }

    /// The simple commands, each as its words with single spaces between them, and whether it is of the last of the line.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (String, bool)> {
        self.simple.iter().enumerate().filter_map(|(at, words)| {
            let (program, rest) = words.split_first()?;
            let words: Vec<&str> =
                std::iter::once(base(program)).chain(rest.iter().map(String::as_str)).collect();
            Some((words.join(" "), at >= self.last_from))
        })
    }

    /// What the line starts first, as it is written there: a name, or a path.
    pub(crate) fn started(&self) -> &str {
        &self.started
    }

    /// Where the line works, when that is not where it was started.
    pub(crate) fn elsewhere(&self) -> Option<&Elsewhere> {
        self.elsewhere.as_ref()
    }

    /// What follows one of these options, such as the `x` of `-s x` or of `--segment=x`.
    pub(crate) fn option(&self, names: &[&str]) -> Option<&str> {
        self.simple.iter().find_map(|words| {
            words.iter().enumerate().find_map(|(at, word)| {
                if names.contains(&word.as_str()) {
                    return words.get(at + 1).map(String::as_str);
                }
                let (name, value) = word.split_once('=')?;
                names.contains(&name).then_some(value)
            })
        })
    }
}

fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Like [`quote`], but options stay as they are: they are the caller's own.
fn quote_word(word: &str) -> String {
    let bare = word.strip_prefix('-').unwrap_or(word);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@,+=%".contains(&byte);
    if !bare.is_empty() && bare.bytes().all(plain) { word.to_owned() } else { quote(word) }
}

fn started(words: &[String]) -> String {
    words.iter().find(|word| !is_assignment(word)).cloned().unwrap_or_default()
}

/// The directory of a single `git -C`, when it is a plain name.
fn of_git(simple: &[Vec<String>], count: usize) -> Option<Elsewhere> {
    let words = simple.last().filter(|_| count == 1)?;
    let (program, rest) = words.split_first()?;
    if base(program) != "git" {
        return None;
    }
    let before = rest.len() - after_options(rest, VALUED_OPTIONS).len();
    let options = rest.get(..before)?;
    let mut places = options.iter().enumerate().filter(|(_, word)| *word == "-C");
    let (at, _) = places.next()?;
    let path = options.get(at + 1).filter(|path| is_plain_path(path))?;
    places.next().is_none().then(|| Elsewhere::Git(path.clone()))
}

fn is_plain_path(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('-') && !path.contains(['$', '~', '*'])
}

/// The directory of a leading `cd`, when it is a plain name.
fn directory(simple: &[Vec<String>]) -> Option<String> {
    match simple {
        [first, _, ..] if first.first().is_some_and(|word| word == "cd") => match first.as_slice() {
            [_, path] if is_plain_path(path) => Some(path.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Adds a command, and what it runs in turn, without what only wraps it.
fn unwrap(words: Vec<String>, simple: &mut Vec<Vec<String>>, depth: usize) {
    let words: Vec<String> = words.into_iter().skip_while(|word| is_assignment(word)).collect();
    let Some(program) = words.first().map(|word| base(word).to_owned()) else { return };
    if depth >= DEPTH_MAX {
        simple.push(words);
        return;
    }
    // A question about a program, which does not run it.
    if program == "command" && words.get(1).is_some_and(|option| option == "-v" || option == "-V") {
        simple.push(words);
        return;
    }
    if let Some((_, valued)) = WRAPPERS.iter().find(|(name, _)| *name == program) {
        let mut rest = after_options(words.get(1..).unwrap_or_default(), valued);
        if program == "timeout" {
            rest = rest.get(1..).unwrap_or_default();
        }
        if rest.is_empty() {
            simple.push(words);
        } else {
            unwrap(rest.to_vec(), simple, depth + 1);
        }
        return;
    }
    let inner = inside(&program, &words);
    simple.push(words);
    for words in inner {
        unwrap(words, simple, depth + 1);
    }
}

/// The commands that a command runs and is known besides as: `sh -c 'git push'`, `python3 -m pip`, `uv run pytest`, `npx tsc`.
fn inside(program: &str, words: &[String]) -> Vec<Vec<String>> {
    let rest = words.get(1..).unwrap_or_default();
    match program {
        "sh" | "bash" | "zsh" | "dash" | "ksh" => {
            let at = rest.iter().position(|word| word.starts_with('-') && word.ends_with('c'));
            at.and_then(|at| rest.get(at + 1)).map(|line| split(line)).unwrap_or_default()
        }
        _ if program.starts_with("python") => {
            let at = rest.iter().position(|word| word == "-m");
            at.and_then(|at| rest.get(at + 1..))
                .filter(|rest| !rest.is_empty())
                .map(|rest| vec![rest.to_vec()])
                .unwrap_or_default()
        }
        "npx" | "bunx" | "uvx" | "pipx" => {
            let rest = after_options(rest, &["-p", "--package"]);
            if rest.is_empty() { Vec::new() } else { vec![rest.to_vec()] }
        }
        _ => {
            let second = rest.first().map(String::as_str).unwrap_or_default();
            if RUNNERS.contains(&(program, second)) {
                let rest =
                    after_options(rest.get(1..).unwrap_or_default(), &["-p", "-n", "--with", "--python"]);
                return if rest.is_empty() { Vec::new() } else { vec![rest.to_vec()] };
            }
            Vec::new()
        }
    }
}

/// What stands behind options and assignments.
fn after_options<'w>(words: &'w [String], valued: &[&str]) -> &'w [String] {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word == "--" {
            at += 1;
            break;
        }
        if valued.contains(&word.as_str()) {
            at += 2;
        } else if word.starts_with('-') || is_assignment(word) {
            at += 1;
        } else {
            break;
        }
    }
    words.get(at..).unwrap_or_default()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Splits a line into simple commands and those into words, quotes taken off.
fn split(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    let end_word = |word: &mut Option<String>, commands: &mut Vec<Vec<String>>| {
        if let (Some(word), Some(words)) = (word.take(), commands.last_mut()) {
            words.push(word);
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '\'' => word.get_or_insert_default().extend(chars.by_ref().take_while(|c| *c != '\'')),
            '"' => double_quoted(&mut chars, word.get_or_insert_default()),
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(next) => word.get_or_insert_default().push(next),
            },
            ';' | '\n' | '|' | '&' | '(' | ')' | '`' => {
                // `2>&1` and `&>` are no ends of a command.
                let joins = c == '&'
                    && (word.as_deref().is_some_and(|word| word.ends_with(['>', '<']))
                        || chars.peek() == Some(&'>'));
                if joins {
                    word.get_or_insert_default().push(c);
                } else {
                    end_word(&mut word, &mut commands);
                    commands.push(Vec::new());
                }
            }
            '#' if word.is_none() => {
                for _ in chars.by_ref().take_while(|c| *c != '\n') {}
                commands.push(Vec::new());
            }
            c if c.is_whitespace() => end_word(&mut word, &mut commands),
            c => word.get_or_insert_default().push(c),
        }
    }
    end_word(&mut word, &mut commands);
    commands.retain(|words| !words.is_empty());
    commands
}

fn double_quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, word: &mut String) {
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' if chars.peek().is_some_and(|next| "\"\\$`".contains(*next)) => word.extend(chars.next()),
            c => word.push(c),
        }
    }
}
