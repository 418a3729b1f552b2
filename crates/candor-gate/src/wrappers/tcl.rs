//! Tcl, which `expect` and `tclsh` run: words separated by blanks, with braces, quotes and brackets around them.

use super::{Inner, unescaped};
use crate::call::{Call, UNKNOWN};

/// How deep blocks may be in each other, and how many commands are looked at.
const DEPTH_MAX: usize = 8;
const COMMANDS_MAX: usize = 250;

/// Whether this program runs Tcl.
pub(crate) fn is_tcl(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    matches!(name, "expect" | "expectk" | "tclsh" | "wish" | "jimsh")
}

/// The commands that a Tcl script starts.
pub(super) fn inner(call: &Call<'_>) -> Vec<Inner> {
    if !is_tcl(call.name) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if call.name.starts_with("expect") {
        for text in call.values(Some('c'), None) {
            if text.chars().all(|c| c == UNKNOWN || c.is_whitespace()) {
                found.push(UNKNOWN.to_string());
            }
            script(text, 0, &mut 0, &mut found);
        }
    }
    let reads_input = call.operands().all(|operand| operand == "-" || super::is_input(operand));
    if reads_input || call.has_short("f") {
        script(call.flow.text.as_deref().unwrap_or_default(), 0, &mut 0, &mut found);
    }
    found.into_iter().map(Inner::script).collect()
}

fn script(text: &str, depth: usize, commands: &mut usize, found: &mut Vec<String>) {
    let mut rest = text;
    while !rest.is_empty() {
        *commands += 1;
        if depth > DEPTH_MAX || *commands > COMMANDS_MAX {
            found.push(UNKNOWN.to_string());
            return;
        }
        let (words, after) = command(rest);
        rest = after;
        started(&words, found);
        for word in &words {
            // A block of a loop or a procedure, or a command whose result is put in.
            let block = word.strip_prefix('{').map(|block| block.strip_suffix('}').unwrap_or(block));
            if let Some(block) = block {
                script(block, depth + 1, commands, found);
            } else {
                for (at, _) in word.match_indices('[') {
                    if *commands > COMMANDS_MAX {
                        return;
                    }
                    let inside = &word[at + 1..];
                    script(&inside[..closing(inside, '[', ']')], depth + 1, commands, found);
                }
            }
        }
    }
}

/// What a command starts.
fn started(words: &[&str], found: &mut Vec<String>) {
    let Some((name, args)) = words.split_first() else { return };
    let plain: Vec<String> = args.iter().map(|word| bare(word)).collect();
    let behind_options =
        || plain.iter().skip_while(|word| word.starts_with('-')).cloned().collect::<Vec<_>>();
    match name.trim_start_matches("::") {
        // Words with blanks are put between quotes again, so that they stay words.
        "spawn" | "exec" | "overlay" => {
            let words: Vec<String> = behind_options().into_iter().map(quoted).collect();
            found.push(words.join(" "));
        }
        "system" => found.push(plain.join(" ")),
        "open" => found.extend(
            plain.first().and_then(|target| target.trim_start().strip_prefix('|')).map(str::to_owned),
        ),
        "file" if plain.first().is_some_and(|word| word == "delete") => {
            let paths = plain.iter().skip(1).filter(|word| !word.starts_with('-'));
            let paths: Vec<String> = paths.cloned().map(quoted).collect();
            found.push(format!("rm -rf {}", paths.join(" ")));
        }
        // Text that becomes a script, and programs by a name that is not known.
        "eval" | "uplevel" | "source" if plain.iter().any(|word| word.contains(UNKNOWN)) => {
            found.push(UNKNOWN.to_string());
        }
        name if name.starts_with(['$', '[', UNKNOWN]) => found.push(UNKNOWN.to_string()),
        _ => {}
    }
}

/// A word without what surrounds it; what is put in is not known.
fn bare(word: &str) -> String {
    if let Some(block) = word.strip_prefix('{') {
        return block.strip_suffix('}').unwrap_or(block).to_owned();
    }
    let word = word.strip_prefix('"').map_or(word, |text| text.strip_suffix('"').unwrap_or(text));
    let mut out = String::new();
    let mut rest = word;
    while let Some(at) = rest.find(['$', '[', '\\']) {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if rest[at..].starts_with('\\') {
            let c = after.chars().next();
            out.extend(c);
            rest = &after[c.map_or(0, char::len_utf8)..];
            continue;
        }
        out.push(UNKNOWN);
        rest = if rest[at..].starts_with('[') {
            after.get(closing(after, '[', ']') + 1..).unwrap_or_default()
        } else {
            after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_:{}".contains(c))
        };
    }
    out.push_str(rest);
    out
}

fn quoted(word: String) -> String {
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_-./:=+,@%".contains(c));
    if is_plain || word.contains(UNKNOWN) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// The words of the first command, and the text behind it.
fn command(text: &str) -> (Vec<&str>, &str) {
    let mut words = Vec::new();
    let mut rest = text.trim_start_matches([' ', '\t', '\n', '\r', ';']);
    if rest.starts_with('#') {
        return (words, rest.find('\n').map_or("", |end| &rest[end..]));
    }
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r']);
        if let Some(after) = rest.strip_prefix("\\\n") {
            rest = after;
            continue;
        }
        if rest.is_empty() || rest.starts_with([';', '\n']) {
            return (words, rest);
        }
        let end = match rest.as_bytes()[0] {
            b'{' => 1 + closing(&rest[1..], '{', '}') + 1,
            b'"' => 1 + unescaped(&rest[1..], |c| c == '"') + 1,
            _ => plain_end(rest),
        };
        let end = rest.floor_char_boundary(end.clamp(1, rest.len()));
        let end = if end == 0 { rest.len() } else { end };
        words.push(&rest[..end]);
        rest = &rest[end..];
    }
}

/// Where a word without quotes ends; brackets hold blanks together.
fn plain_end(text: &str) -> usize {
    let mut level = 0;
    unescaped(text, |c| {
        level += i32::from(c == '[') - i32::from(c == ']');
        level <= 0 && (c.is_whitespace() || c == ';')
    })
}

/// Where the bracket closes that was opened before this text.
fn closing(text: &str, open: char, close: char) -> usize {
    let mut level = 1;
    unescaped(text, |c| {
        level += i32::from(c == open) - i32::from(c == close);
        level == 0
    })
}
