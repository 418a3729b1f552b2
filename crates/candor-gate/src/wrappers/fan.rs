//! Programs that run a command for each of many things.

use super::{Inner, behind_options, join};
use crate::call::{Call, UNKNOWN, Word};

/// How many arguments of `parallel` or lines of `xargs` are tried one by one.
const TRIED_MAX: usize = 64;

/// The commands that `xargs`, `find`, `parallel` and their like would run.
pub(super) fn inner(call: &Call<'_>) -> Vec<Inner> {
    match call.name {
        "xargs" | "gxargs" => xargs(call).into_iter().map(Inner::Words).collect(),
        "parallel" => parallel(call),
        "find" | "gfind" => find(call),
        "fd" | "fdfind" => fd(call).into_iter().map(Inner::Words).collect(),
        "watch" => behind_options(call.words.get(1..).unwrap_or_default(), "nq", &["interval"], 0)
            .map(|words| Inner::script(join(&words)))
            .into_iter()
            .collect(),
        "hyperfine" | "concurrently" | "pee" | "npm-run-all" => call.operands().map(Inner::script).collect(),
        "tmux" | "screen" | "byobu" => {
            let texts = call.args().filter(|arg| arg.contains(' ')).map(Inner::script);
            texts.chain(tmux(call).map(Inner::Words)).collect()
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
fn tmux(call: &Call<'_>) -> Option<Vec<Word>> {
    let at = call.words.iter().position(|word| OPENS.contains(&word.text.as_str()))?;
    behind_options(&call.words[at + 1..], "ceFfnstxyl", &[], 0)
}

fn xargs(call: &Call<'_>) -> Option<Vec<Word>> {
    let long = ["max-args", "max-procs", "delimiter", "arg-file", "max-lines", "replace", "max-chars", "eof"];
    let mut words = behind_options(call.words.get(1..)?, "IJRLnPsdEaS", &long[..5], 0)?;
    let mark = call.values(Some('I'), Some("replace")).first().copied();
    let mark = mark.or_else(|| call.has_short("i").then_some("{}"));
    let input = call.flow.text.as_deref();
    match mark {
        Some(mark) => {
            let value = input.map_or_else(|| UNKNOWN.to_string(), |text| text.trim_end().to_owned());
            for word in &mut words {
                word.text = word.text.replace(mark, &value);
            }
        }
        None => match input {
            Some(text) => words.extend(text.split_whitespace().take(TRIED_MAX).map(Word::literal)),
            None => words.push(Word::literal(UNKNOWN)),
        },
    }
    Some(words)
}

fn parallel(call: &Call<'_>) -> Vec<Inner> {
    let words = call.words.get(1..).unwrap_or_default();
    let end = words.iter().position(|word| word.text.starts_with(":::")).unwrap_or(words.len());
    let template =
        behind_options(&words[..end], "jPaIL", &["jobs", "arg-file", "colsep", "joblog", "delay"], 0);
    let template = template.map(|words| join(&words)).unwrap_or_default();
    if call.has_word(&["--pipe", "--pipepart", "--spreadstdin"]) {
        // It hands the text on as it is.
        return vec![Inner::script(template)];
    }
    let mut values: Vec<&str> = words[end..].iter().skip(1).map(|word| word.text.as_str()).collect();
    values.extend(call.flow.text.iter().flat_map(|text| text.lines()));
    if values.is_empty() {
        return vec![Inner::script(fill(&template, &UNKNOWN.to_string()))];
    }
    values.into_iter().take(TRIED_MAX).map(|value| Inner::script(fill(&template, value))).collect()
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
