//! Programs with a language of their own that lets the shell in: `.shell` of sqlite3, `\!` of psql, `!` of ed and ftp.

use super::{Inner, editor};
use crate::call::{Call, UNKNOWN};

/// How many commands in one line are looked at.
const COMMANDS_MAX: usize = 64;
const NESTED_MAX: usize = 8;

/// The commands that the shell would run for such a program.
pub(super) fn inner(call: &Call<'_>) -> Vec<Inner> {
    let find: fn(&str, &mut Vec<String>) = match call.name {
        "sqlite3" | "sqlite" | "duckdb" | "sqlcipher" => of_sqlite,
        "psql" | "usql" | "cockroach" | "pgcli" => of_psql,
        "mysql" | "mariadb" | "mycli" => of_mysql,
        "sqlcmd" | "sqlplus" => of_other_sql,
        "ed" | "red" | "ex" | "vim" | "vi" | "nvim" | "view" | "gvim" => of_ed,
        "ftp" | "sftp" | "lftp" | "smbclient" | "telnet" | "gnuplot" | "ipython" | "ipython3" => after_bang,
        "mail" | "mailx" | "mutt" => of_mail,
        "dc" => of_dc,
        "gdb" | "lldb" => of_debugger,
        "m4" => of_m4,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    // Of the arguments of an editor, `programs` knows more; the standard input is its keyboard.
    let is_editor = matches!(call.name, "vim" | "vi" | "nvim" | "view" | "gvim" | "ex");
    if !is_editor {
        for arg in call.args() {
            find(value_of(arg), &mut found);
        }
    }
    find(call.flow.text.as_deref().unwrap_or_default(), &mut found);
    match call.name {
        "psql" => found.extend(call.values(Some('o'), Some("output")).into_iter().filter_map(piped_to)),
        "mysql" | "mariadb" => {
            found.extend(call.values(None, Some("pager")).into_iter().map(str::to_owned));
        }
        _ => {}
    }
    found.into_iter().map(Inner::script).collect()
}

/// The commands that the shell would run for keys that are typed at the terminal of such a program, whatever it reads else.
pub(crate) fn typed(call: &Call<'_>, keys: &str) -> Vec<Inner> {
    let mut found = Vec::new();
    match call.name {
        // Some show what they print in a pager.
        "less" | "more" | "most" | "man" | "git" | "journalctl" | "systemctl" | "bat" | "info" | "w3m"
        | "lynx" | "tig" | "nnn" | "ranger" | "lf" | "mutt" | "emacs" => of_pager(keys, &mut found),
        "vim" | "vi" | "nvim" | "view" | "gvim" | "ex" | "vimdiff" => {
            of_ed(keys, &mut found);
            found.extend(keys.lines().flat_map(editor::shell_commands));
        }
        _ => {}
    }
    found.into_iter().map(Inner::script).collect()
}

/// `!command`, and `|` with the letter of a place; other keys may stand before it.
fn of_pager(keys: &str, found: &mut Vec<String>) {
    for line in keys.lines() {
        found.extend(line.split_once('!').map(|(_, command)| command.trim_start_matches('!').to_owned()));
        let piped = line.split_once('|').map(|(_, rest)| rest.chars().skip(1).collect::<String>());
        found.extend(piped);
    }
}

/// `--execute=text` is about the text, and so is `-etext`.
fn value_of(arg: &str) -> &str {
    match arg.strip_prefix("--").and_then(|long| long.split_once('=')) {
        Some((_, value)) => value,
        None => ["-c", "-e"].iter().find_map(|flag| arg.strip_prefix(flag)).unwrap_or(arg),
    }
}

/// The command behind a bar.
fn piped_to(text: &str) -> Option<String> {
    let text = text.trim_start_matches([' ', '\'', '"']);
    text.strip_prefix('|').map(|command| command.trim_end_matches(['\'', '"']).to_owned())
}

/// A file that is written, as the shell would say it.
fn written(path: &str) -> Option<String> {
    let path = path.trim().trim_matches(['\'', '"']);
    (!path.is_empty()).then(|| format!(": > '{}'", path.replace('\'', "")))
}

fn of_sqlite(text: &str, found: &mut Vec<String>) {
    for line in text.lines() {
        if let Some(command) = line.trim_start().strip_prefix('.') {
            let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
            dot_command(name, rest.trim(), found);
        }
    }
    let lower = text.to_ascii_lowercase();
    let calls = |function: &str| {
        lower
            .match_indices(function)
            .any(|(at, _)| !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    };
    if calls("load_extension(") || calls("edit(") || calls("install shellfs") {
        found.push(UNKNOWN.to_string());
    }
    for (at, function) in lower.match_indices("writefile(") {
        let path = text[at + function.len()..].trim_start().strip_prefix('\'');
        found.extend(path.and_then(|path| path.split('\'').next()).and_then(written));
    }
}

/// sqlite3 takes a command by its first letters as well.
fn dot_command(name: &str, rest: &str, found: &mut Vec<String>) {
    let is = |full: &str, least: usize| name.len() >= least && full.starts_with(name);
    if is("shell", 2) || is("system", 2) {
        found.push(rest.to_owned());
        if rest.starts_with(['\'', '"']) {
            found.push(rest.trim_matches(['\'', '"']).to_owned());
        }
    } else if is("load", 2) {
        found.push(UNKNOWN.to_string());
    } else if is("output", 1) || is("once", 2) || is("import", 1) || is("read", 3) || is("log", 3) {
        let piped = piped_to(rest);
        let is_written = is("output", 1) || is("once", 2) || is("log", 3);
        let path =
            if is_written { written(rest.split_whitespace().last().unwrap_or_default()) } else { None };
        found.extend(piped.or(path.filter(|_| !matches!(rest, "stdout" | "stderr" | "off" | "on"))));
    } else if is("save", 2) || is("backup", 2) || is("clone", 2) {
        found.extend(rest.split_whitespace().last().and_then(written));
    }
}

fn of_psql(text: &str, found: &mut Vec<String>) {
    for line in text.lines() {
        for (index, (at, _)) in line.match_indices('\\').enumerate() {
            if index == COMMANDS_MAX {
                found.push(UNKNOWN.to_string());
                break;
            }
            let command = &line[at + 1..];
            let (name, rest) = command.split_at(command.find([' ', '|', '!']).unwrap_or(command.len()));
            let sends = matches!(name, "g" | "gx" | "o" | "out" | "w" | "write");
            let piped = rest.strip_prefix('!').filter(|_| name.is_empty()).map(str::to_owned);
            let piped = piped.or_else(|| piped_to(rest).filter(|_| sends));
            if let Some(script) = piped {
                // The rest of the line is the shell's.
                found.push(script);
                break;
            }
            let first = rest.split_whitespace().next().unwrap_or_default();
            if matches!(name, "o" | "out" | "w" | "write") {
                found.extend(written(first));
            } else if name == "setenv" {
                let value = rest.trim_start().strip_prefix(first).unwrap_or_default();
                found.push(format!("export {first}={}", value.trim()));
            }
        }
        if line.trim_start().starts_with('\\') {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    found.extend(programs_of_copy(text));
}

/// `copy t to program 'command'`.
fn programs_of_copy(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let programs = lower.match_indices("program").filter_map(|(at, word)| {
        let before = lower[..at].trim_end();
        let after = text[at + word.len()..].trim_start();
        let is_copy = before.len() < at && (before.ends_with("to") || before.ends_with("from"));
        if !is_copy {
            return None;
        }
        if after.starts_with(['$', 'e', 'E', UNKNOWN]) {
            return after.contains(['\'', '$', UNKNOWN]).then(|| UNKNOWN.to_string());
        }
        // A quote in the text is two quotes.
        let literal = after.strip_prefix('\'')?.replace("''", "\u{1}");
        let end = literal.find('\'').unwrap_or(literal.len());
        Some(literal[..end].replace('\u{1}', "'"))
    });
    programs.collect()
}

fn of_mysql(text: &str, found: &mut Vec<String>) {
    for line in text.lines() {
        found.extend(line.split_once("\\!").map(|(_, script)| script.to_owned()));
        for statement in line.split(';').map(str::trim_start) {
            let (word, rest) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
            match word.to_ascii_lowercase().as_str() {
                "system" | "pager" | "\\p" => found.push(rest.to_owned()),
                "tee" => found.extend(written(rest)),
                _ => {}
            }
        }
    }
}

fn of_other_sql(text: &str, found: &mut Vec<String>) {
    for line in text.lines().map(str::trim_start) {
        let line = line.trim_start_matches(':');
        let host = line.get(..5).filter(|word| word.eq_ignore_ascii_case("host "));
        let command = line.strip_prefix('!').or_else(|| host.map(|word| &line[word.len()..]));
        found.extend(command.map(|command| command.trim_start_matches('!').to_owned()));
    }
    let lower = text.to_ascii_lowercase();
    for (at, word) in lower.match_indices("xp_cmdshell") {
        let literal = text[at + word.len()..].split('\'').nth(1);
        found.push(literal.map_or_else(|| UNKNOWN.to_string(), str::to_owned));
    }
}

/// `!command`, `r !command`, `1,$w !command`.
fn of_ed(text: &str, found: &mut Vec<String>) {
    for line in text.lines() {
        let Some((before, command)) = line.split_once('!') else { continue };
        let is_address = |c: char| c.is_ascii_digit() || " .,;$%+-:'<>\t".contains(c);
        let letters = before.trim_start_matches(is_address).trim_end();
        let is_silent = letters.is_empty() || matches!(letters, "r" | "e" | "f" | "read" | "sil" | "silent");
        let is_spaced = matches!(letters, "w" | "W" | "wq" | "write") && before.ends_with(' ');
        if (is_silent || is_spaced) && !command.trim().is_empty() {
            found.push(command.to_owned());
        }
    }
}

fn after_bang(text: &str, found: &mut Vec<String>) {
    let lines = text.lines().flat_map(|line| {
        // Some of them take several commands in a line.
        std::iter::once(line).chain(line.split(';').skip(1))
    });
    found.extend(lines.filter_map(|line| line.trim_start().strip_prefix('!')).map(str::to_owned));
}

fn of_mail(text: &str, found: &mut Vec<String>) {
    let escape =
        |line: &str| ["~!", "~|", "~<!"].iter().find_map(|mark| line.strip_prefix(mark)).map(str::to_owned);
    found.extend(text.lines().filter_map(escape));
}

/// `!<`, `!>` and `!=` compare.
fn of_dc(text: &str, found: &mut Vec<String>) {
    for line in text.lines() {
        let Some((_, command)) = line.split_once('!') else { continue };
        if !command.starts_with(['<', '>', '=']) {
            found.push(command.to_owned());
        }
    }
}

fn of_debugger(text: &str, found: &mut Vec<String>) {
    for line in text.lines().map(str::trim_start) {
        let marks = ["shell ", "!", "platform shell ", "make "];
        let command = marks.iter().find_map(|mark| line.strip_prefix(mark));
        found.extend(command.map(str::to_owned));
        if line.starts_with("pipe ") || line.starts_with('|') {
            found.extend(line.trim_start_matches('|').split_once('|').map(|(_, command)| command.to_owned()));
        }
    }
}

fn of_m4(text: &str, found: &mut Vec<String>) {
    // Text in text is the same text again, so that the first ones say it.
    for (index, (at, word)) in text.match_indices("syscmd(").enumerate() {
        if index == NESTED_MAX {
            return found.push(UNKNOWN.to_string());
        }
        let inside = text[at + word.len()..].lines().next().unwrap_or_default();
        let end = inside.rfind(')').unwrap_or(inside.len());
        found.push(inside[..end].trim_matches(['`', '\'']).to_owned());
    }
}
