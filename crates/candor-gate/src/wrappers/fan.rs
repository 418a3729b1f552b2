//! Programs that run a command for each of many things.

use super::{Inner, behind_options, join};
use crate::call::{Call, UNKNOWN, Word};
use crate::expand;

/// How many arguments of `parallel` or lines of `xargs` are tried one by one. Those behind are looked at all at once, which
/// finds what must be denied, and are asked about.
const TRIED_MAX: usize = 64;

/// The commands that `xargs`, `find`, `parallel` and their like would run.
pub(super) fn inner(call: &Call<'_>) -> Vec<Inner> {
    match call.name {
        "xargs" | "gxargs" => xargs(call),
        "parallel" => parallel(call),
        "find" | "gfind" => find(call),
        "fd" | "fdfind" => fd(call).into_iter().map(Inner::Words).collect(),
        "watch" => behind_options(call.words.get(1..).unwrap_or_default(), "nq", &["interval"], 0)
            .map(|words| Inner::script(join(words)))
            .into_iter()
            .collect(),
        "hyperfine" | "concurrently" | "pee" | "npm-run-all" => call.operands().map(Inner::script).collect(),
        "tmux" | "screen" | "byobu" => {
            let texts = call.args().filter(|arg| arg.contains(' ')).map(Inner::script);
            texts.chain(in_window(call).map(|words| Inner::Words(words.to_vec()))).collect()
        }
        _ => Vec::new(),
    }
}

/// Commands of tmux that start another one.
const OPENS: &[&str] = &[
    "new",
    "new-session",
    "new-window",
    "neww",
    "respawn-pane",
    "respawn-window",
    "respawnp",
    "respawnw",
    "run",
    "run-shell",
    "split-window",
    "splitw",
];

/// The command that a new window or pane starts with.
pub(super) fn in_window<'a>(call: &Call<'a>) -> Option<&'a [Word]> {
    if !matches!(call.name, "tmux" | "screen" | "byobu") {
        return None;
    }
    let at = call.words.iter().position(|word| OPENS.contains(&word.text.as_str()))?;
    behind_options(&call.words[at + 1..], "ceFfnstxyl", &[], 0)
}

fn xargs(call: &Call<'_>) -> Vec<Inner> {
    let long = ["max-args", "max-procs", "delimiter", "arg-file", "max-lines", "replace", "max-chars", "eof"];
    let words = call.words.get(1..).unwrap_or_default();
    let Some(words) = behind_options(words, "IJRLnPsdEaS", &long[..5], 0) else { return Vec::new() };
    let own = Call::new(&call.words[..call.words.len() - words.len()], call.flow);
    let mark = own.values(Some('I'), None).first().copied();
    let mark = mark.or_else(|| own.args().find_map(|arg| arg.strip_prefix("--replace=")));
    let mark = mark.or_else(|| (own.has_short("i") || own.has_long("replace")).then_some("{}"));
    let Some(input) = call.flow.text.as_deref() else {
        let unknown = UNKNOWN.to_string();
        return match mark {
            Some(mark) => vec![Inner::Words(replaced(words, mark, &[&unknown]))],
            None => vec![Inner::Words(words.iter().cloned().chain([Word::literal(unknown)]).collect())],
        };
    };
    let delimiter = own.values(Some('d'), Some("delimiter")).first().map(|text| expand::ansi(text));
    let items = match delimiter.as_deref().and_then(|text| text.chars().next()) {
        Some(delimiter) => input.split(delimiter).map(|item| item.trim().to_owned()).collect(),
        None if mark.is_some() => input.lines().map(|line| items(line).join(" ")).collect(),
        None => items(input),
    };
    let Some(mark) = mark else {
        let words = words.iter().cloned().chain(items.into_iter().map(Word::literal));
        return vec![Inner::Words(words.collect())];
    };
    let items: Vec<&str> = items.iter().map(String::as_str).collect();
    let (tried, rest) = items.split_at(items.len().min(TRIED_MAX));
    let mut found: Vec<Inner> =
        tried.iter().map(|item| Inner::Words(replaced(words, mark, &[item]))).collect();
    if !rest.is_empty() {
        found.push(Inner::Words(replaced(words, mark, rest)));
        found.push(Inner::script(UNKNOWN));
    }
    found
}

/// The words with these in the place of the mark.
fn replaced(words: &[Word], mark: &str, items: &[&str]) -> Vec<Word> {
    let one = |word: &Word| {
        if mark.is_empty() || !word.text.contains(mark) {
            return vec![word.clone()];
        }
        items.iter().map(|item| Word::literal(word.text.replace(mark, item))).collect()
    };
    words.iter().flat_map(one).collect()
}

/// What `xargs` makes of its input: blanks separate, unless they are quoted.
fn items(input: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut item: Option<String> = None;
    let mut quote = None;
    let mut chars = input.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                item.get_or_insert_default();
            }
            (None, '\\') => item.get_or_insert_default().extend(chars.next()),
            (None, c) if c.is_whitespace() => found.extend(item.take()),
            (_, c) => item.get_or_insert_default().push(c),
        }
    }
    found.extend(item);
    found
}

fn parallel(call: &Call<'_>) -> Vec<Inner> {
    let words = call.words.get(1..).unwrap_or_default();
    let end = words.iter().position(|word| word.text.starts_with(":::")).unwrap_or(words.len());
    let long =
        ["jobs", "arg-file", "colsep", "joblog", "delay", "workdir", "wd", "results", "timeout", "tmpdir"];
    let template = behind_options(&words[..end], "jPaIL", &long, 0);
    let template = template.map(join).unwrap_or_default();
    if call.has_word(&["--pipe", "--pipepart", "--spreadstdin"]) {
        // It hands the text on as it is.
        return vec![Inner::script(template)];
    }
    let mut values: Vec<&str> = words[end..].iter().skip(1).map(|word| word.text.as_str()).collect();
    values.extend(call.flow.text.iter().flat_map(|text| text.lines()));
    if values.is_empty() {
        return vec![Inner::script(fill(&template, &UNKNOWN.to_string()))];
    }
    let (tried, rest) = values.split_at(values.len().min(TRIED_MAX));
    let mut found: Vec<Inner> = tried.iter().map(|value| Inner::script(fill(&template, value))).collect();
    if !rest.is_empty() {
        found.push(Inner::script(fill(&template, &rest.join(" "))));
        found.push(Inner::script(UNKNOWN));
    }
    found
}

fn fill(template: &str, value: &str) -> String {
    if template.contains("{}") { template.replace("{}", value) } else { format!("{template} {value}") }
}

fn find(call: &Call<'_>) -> Vec<Inner> {
    let words = call.words;
    let runs = |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
    let starts = words.iter().enumerate().filter(|(_, word)| runs(word)).map(|(at, _)| at + 1);
    let commands = starts.map(|start| {
        let rest = &words[start..];
        let end = rest.iter().position(|word| matches!(word.text.as_str(), ";" | "+")).unwrap_or(rest.len());
        let found = |word: &Word| Word::literal(word.text.replace("{}", &UNKNOWN.to_string()));
        Inner::Words(rest[..end].iter().map(found).collect())
    });
    commands.collect()
}

fn fd(call: &Call<'_>) -> Option<Vec<Word>> {
    let runs = |word: &Word| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let start = call.words.iter().position(runs)?;
    call.words.get(start + 1..).map(<[Word]>::to_vec)
}
