//! Code for an interpreter, given as text: `python -c`, `node -e`, `awk`. Such code is ordinary work; only text in it
//! that would be asked about as a command is asked about here, and never more than asked.

use super::Way;
use super::delete;
use crate::call::{Call, Word, base_name};
use crate::flow::Flow;
use crate::verdict::Finding;
use crate::walk::State;
use crate::wrappers::{SHELLS, is_input};

/// Names in code that start a program or delete a tree.
const RUNS: &[&str] = &[
    "os.system",
    "subprocess",
    "popen",
    "os.exec",
    "os.spawn",
    "pty.spawn",
    "child_process",
    "execSync",
    "exec(",
    "exec \"",
    "exec '",
    "exec q",
    "doShellScript",
    "os.cmd",
    "os:cmd",
    "System.cmd",
    "System.shell",
    "Sys.command",
    "run-program",
    "run(`",
    ".execute()",
    "Process(",
    "ProcessBuilder",
    "open(\"|",
    "open('|",
    ",\"|",
    ", \"|",
    "shell(",
    "callCommand",
    "callProcess",
    "spawn",
    "system(",
    "system ",
    "qx",
    "`",
    "%x",
    "IO.popen",
    "Kernel.",
    "shell_exec",
    "passthru",
    "proc_open",
    "os.execute",
    "io.popen",
    "Deno.Command",
    "Bun.spawn",
    "Deno.run",
    "do shell script",
    "| \"",
    "|\"",
    "| getline",
    "commands.get",
    "__import__",
    "importlib",
];
const DELETES: &[&str] = &[
    "rmtree",
    "rmSync",
    "rmdirSync",
    "rm_rf",
    "remove_tree",
    "removeSync",
    "unlink",
    "os.remove",
    "rimraf",
    "fs.rm",
    "FileUtils.rm",
    "remove_entry",
    "deltree",
    "shutil.move",
    "removedirs",
    "Deno.remove",
];
/// Names in code that open a connection.
const CONNECTS: &[&str] = &["socket", "net.connect", "TCPSocket", "IO::Socket", "fsockopen", "net.Socket"];

/// How many texts and commands in code are looked at. Each is cheap.
const LITERALS_MAX: usize = 4_096;

pub(super) fn judge(call: &Call<'_>, state: &State) -> Option<Finding> {
    let codes = code(call);
    let found = codes.iter().find_map(|code| in_code(code, state));
    found.or_else(|| codes.iter().find_map(|code| awk(call, code, state))).or_else(|| from_network(call))
}

/// A shell that a program of `awk` writes to, and files that it writes. What is printed with `>` goes to a file, whose name may
/// be in a variable.
fn awk(call: &Call<'_>, code: &str, state: &State) -> Option<Finding> {
    if !call.name.ends_with("awk") {
        return None;
    }
    let is_shell = |text: &&str| {
        let first = text.split_whitespace().next().unwrap_or_default();
        SHELLS.contains(&base_name(first))
    };
    if code.contains('|') && literals(code).iter().any(is_shell) {
        return Some(Finding::ask("pipe-to-shell", "its code hands text to a shell"));
    }
    if !code.contains("print") || !code.contains('>') {
        return None;
    }
    let given = call.values(Some('v'), Some("assign")).into_iter().chain(call.args());
    let given = given.filter_map(|arg| arg.split_once('=')).map(|(_, value)| value);
    written(literals(code).into_iter().chain(given), state)
}

/// The code that is in the command itself.
fn code<'a>(call: &Call<'a>) -> Vec<&'a str> {
    let name = call.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let mut codes = match name {
        "python" | "pypy" | "ipython" | "jython" => call.values(Some('c'), None),
        "node" | "nodejs" | "bun" | "deno" => {
            let mut found = call.values(Some('e'), Some("eval"));
            found.extend(call.values(Some('p'), Some("print")));
            found.extend(call.operands().skip_while(|word| *word != "eval").nth(1));
            found
        }
        "perl" => {
            let mut found = call.values(Some('e'), None);
            found.extend(call.values(Some('E'), None));
            found
        }
        "ruby" | "lua" | "luajit" | "texlua" | "osascript" | "Rscript" | "R" | "groovy" | "elixir"
        | "iex" | "mix" | "scala" | "julia" | "raku" | "ghc" | "runghc" | "ocaml" | "gnuplot" | "rake"
        | "octave" | "octave-cli" | "mongosh" | "mongo" | "jrunscript" => {
            call.values(Some('e'), Some("eval"))
        }
        "erl" => after(call, "-eval"),
        "swipl" => call.values(Some('g'), Some("goal")),
        "rails" => call.operands().skip_while(|word| !matches!(*word, "runner" | "r")).skip(1).collect(),
        "php" => "rBRE".chars().flat_map(|flag| call.values(Some(flag), None)).collect(),
        "awk" | "gawk" | "mawk" | "nawk" => call.args().filter(|arg| arg.contains(['{', '(', '|'])).collect(),
        // Their own commands are known elsewhere; this is about code of other languages in them.
        "vim" | "vi" | "nvim" | "gvim" | "gdb" | "lldb" => {
            call.args().filter(|arg| arg.contains(['(', '"', '\''])).collect()
        }
        "jshell" | "flask" | "ghci" | "irb" | "pry" | "bpython" | "ptpython" | "ts-node" | "tsx"
        | "groovysh" | "psysh" | "django-admin" | "manage.py" => Vec::new(),
        _ => return Vec::new(),
    };
    let reads_program =
        call.values(Some('f'), Some("file")).iter().any(|file| *file == "-" || is_input(file));
    if is_fed(call) || opens_console(call, name) || (name.ends_with("awk") && reads_program) {
        codes.extend(call.flow.text.as_deref());
    }
    codes
}

fn after<'a>(call: &Call<'a>, option: &str) -> Vec<&'a str> {
    let args: Vec<&str> = call.args().collect();
    args.windows(2).filter(|pair| pair[0] == option).map(|pair| pair[1]).collect()
}

/// An interpreter that reads its program from its standard input.
fn is_fed(call: &Call<'_>) -> bool {
    let name = call.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let reads = matches!(
        name,
        "python"
            | "pypy"
            | "node"
            | "nodejs"
            | "perl"
            | "ruby"
            | "php"
            | "lua"
            | "deno"
            | "bun"
            | "osascript"
            | "R"
            | "Rscript"
            | "gnuplot"
            | "octave"
            | "jshell"
            | "flask"
            | "nvim"
            | "gdb"
            | "lldb"
            | "ghci"
            | "ocaml"
            | "iex"
            | "julia"
    );
    let has_program = call.args().any(|arg| {
        !arg.starts_with('-') && arg != "/dev/stdin"
            || ["-c", "-e", "-m", "-r", "-p", "--eval", "-E", "--version", "-V", "-v"]
                .iter()
                .any(|flag| arg.starts_with(flag))
    });
    reads && (!has_program || call.args().next() == Some("-"))
}

/// An interpreter that reads code although it has a program, or a program that opens one.
fn opens_console(call: &Call<'_>, name: &str) -> bool {
    let words: &[&str] = match name {
        "irb" | "pry" | "bpython" | "ptpython" | "ipython" | "psysh" | "iex" | "ghci" | "groovysh" => {
            return true;
        }
        "python" | "pypy" => &["pdb", "ipdb", "code", "IPython", "shell", "shell_plus"],
        "flask" | "django-admin" | "manage.py" => &["shell", "shell_plus"],
        "rails" => &["c", "console"],
        "php" => &["-a", "tinker"],
        "node" | "nodejs" | "deno" | "bun" | "ts-node" | "tsx" => &["inspect", "repl", "--interactive"],
        "lua" | "luajit" | "julia" | "ocaml" => &[],
        _ => return false,
    };
    call.has_short("i") || call.has_word(words)
}

/// A program that comes from a network, straight into an interpreter.
fn from_network(call: &Call<'_>) -> Option<Finding> {
    let is_interpreter = matches!(
        call.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'),
        "python" | "node" | "perl" | "ruby" | "php"
    );
    let operand = call.words.iter().skip(1).find(|word| !word.text.starts_with('-'));
    if is_interpreter
        && operand.is_some_and(|word| {
            word.text == "\0" && word.ran.iter().any(|program| super::shell::is_downloader(program))
        })
    {
        return Some(Finding::ask("download-and-run", "it runs what it downloads, unseen"));
    }
    let fetched =
        is_fed(call) && call.flow.programs.iter().any(|program| super::shell::is_downloader(program));
    fetched.then(|| Finding::ask("download-and-run", "it runs what it downloads, unseen"))
}

fn in_code(code: &str, state: &State) -> Option<Finding> {
    let runs = RUNS.iter().any(|name| code.contains(name));
    let deletes = DELETES.iter().any(|name| code.contains(name));
    if CONNECTS.iter().any(|name| code.contains(name))
        && ["/bin/sh", "/bin/bash", "\"sh\"", "'sh'", "bash"].iter().any(|shell| code.contains(shell))
    {
        return Some(Finding::ask("remote-shell", "its code connects a shell to a network"));
    }
    if !runs && !deletes {
        return writes(code, state);
    }
    let literals = literals(code);
    if deletes {
        let words: Vec<Word> = ["rm", "-rf"]
            .into_iter()
            .map(Word::literal)
            .chain(literals.iter().map(|text| Word::literal(*text)))
            .collect();
        let paths: Vec<Word> = words
            .iter()
            .enumerate()
            .filter(|(at, word)| *at < 2 || word.text.starts_with(['/', '~', '.']))
            .map(|(_, word)| Word::literal(word.text.replacen('~', &state.ground.home, 1)))
            .collect();
        let finding = delete::rm(&Call::new(&paths, &Flow::default()), state);
        if let Some(finding) = finding {
            return Some(Finding {
                reason: format!("in its code, {}", finding.reason),
                ..finding.at_most_ask()
            });
        }
    }
    let hides = ["b64decode", "fromhex", "base64", "chr(", "fromCharCode", "atob", "unhexlify", "pack("];
    if runs && hides.iter().any(|name| code.contains(name)) {
        return Some(Finding::ask("inline-code", "its code runs a command that it hides"));
    }
    if runs { commands(&literals, state) } else { None }
}

/// Names in code that change a file that they are given.
const CHANGES: &[&str] = &[
    "writeFile",
    "write_text",
    "write_bytes",
    "File.write",
    "IO.write",
    "file_put_contents",
    "appendFile",
    "createWriteStream",
    "truncate(",
    "os.rename",
    "os.replace",
    "renameSync",
    "File.rename",
];

/// Files that code opens for writing, or changes.
fn writes(code: &str, state: &State) -> Option<Finding> {
    let changes = CHANGES.iter().any(|name| code.contains(name));
    if !changes && !code.contains("open(") {
        return None;
    }
    let literals = literals(code);
    let is_mode = |text: &&str| text.starts_with(['w', 'a', '>']) || text.starts_with("+<");
    let opens = literals.iter().any(is_mode) || code.contains("rite") || code.contains("append");
    if changes || opens { written(literals.into_iter(), state) } else { None }
}

/// The worst of the files among these texts.
fn written<'t>(texts: impl Iterator<Item = &'t str>, state: &State) -> Option<Finding> {
    // Some languages put the mode before the name.
    let paths = texts.map(|text| text.trim_start_matches(['>', '+', '<', ' ']));
    let mut paths = paths.filter(|text| text.starts_with(['/', '~']) && text.len() > 1);
    paths.find_map(|path| {
        let finding = super::write::redirect(Way::Out, &path.replacen('~', &state.ground.home, 1), state)?;
        Some(Finding { reason: format!("in its code, {}", finding.reason), ..finding.at_most_ask() })
    })
}

/// Judges the literals of code as commands: each by itself, and all in a row, as in `["rm", "-rf", "/"]`.
fn commands(literals: &[&str], state: &State) -> Option<Finding> {
    let row = literals.join(" ");
    let texts = literals
        .iter()
        .copied()
        .filter(|text| text.contains(' '))
        .chain((!row.is_empty()).then_some(row.as_str()));
    let mut worst: Option<Finding> = None;
    for words in texts.flat_map(crate::lossy::commands).take(LITERALS_MAX) {
        let call_words: Vec<Word> =
            words.iter().map(|word| Word::literal(word.text.replacen('~', &state.ground.home, 1))).collect();
        for start in 0..call_words.len().min(4) {
            let flow = Flow::default();
            let call = Call::new(&call_words[start..], &flow);
            let found = super::by_program(&call, state).into_iter().chain(super::write::judge(&call, state));
            worst = worst.into_iter().chain(found).max_by_key(|finding| finding.verdict);
        }
    }
    let pipes_a_download = literals.iter().any(|text| {
        text.split('|').next().is_some_and(|first| first.split_whitespace().any(super::shell::is_downloader))
            && text
                .split('|')
                .skip(1)
                .any(|stage| stage.split_whitespace().any(|word| matches!(word, "sh" | "bash")))
    });
    if pipes_a_download {
        return Some(Finding::ask("download-and-run", "it runs what it downloads, unseen"));
    }
    let worst = worst?;
    Some(Finding {
        rule: "inline-code",
        reason: format!("in its code, {}", worst.reason),
        pattern: None,
        ..worst.at_most_ask()
    })
}

/// Letters that make quotes of brackets: `qx{…}`, `%x(…)`, `qw/…/`.
const QUOTING: &[&str] = &["%x", "%q", "%Q", "%w", "qx", "qq", "qw", " q", "(q", ",q"];

/// The texts between quotes in code of any language.
pub(crate) fn literals(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find(['"', '\'', '`', '{', '(', '[', '/']) {
        let open = rest[start..].chars().next().unwrap_or('"');
        let body = &rest[start + 1..];
        let before = &rest[..start];
        let close = match open {
            '{' => "}",
            '(' => ")",
            // Lua has two of them.
            '[' if body.starts_with('[') => "]]",
            '[' => "]",
            '/' => "/",
            '\'' => "'",
            '`' => "`",
            _ => "\"",
        };
        let is_quote = matches!(open, '"' | '\'' | '`')
            || close == "]]"
            || QUOTING.iter().any(|letters| before.ends_with(letters));
        if !is_quote {
            rest = body;
            continue;
        }
        let Some(end) = body.find(close) else { break };
        found.push(body[..end].trim_start_matches('['));
        rest = &body[end + close.len()..];
        if found.len() >= LITERALS_MAX {
            break;
        }
    }
    found
}
