//! Scripts of `sed`, as far as they run something or write somewhere.

use super::{is_input, unescaped};
use crate::call::Call;

/// What a script does besides editing.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// Commands of `e`, and texts that `s///e` makes to commands.
    pub(super) run: Vec<String>,
    /// Files of `w`.
    pub(super) written: Vec<String>,
}

/// What the scripts of this command do.
pub(super) fn effects(call: &Call<'_>) -> Effects {
    let mut scripts = call.values(Some('e'), Some("expression"));
    let files = call.values(Some('f'), Some("file"));
    if files.iter().any(|file| *file == "-" || is_input(file)) {
        scripts.extend(call.flow.text.as_deref());
    } else if scripts.is_empty() && files.is_empty() {
        scripts.extend(call.operands().next());
    }
    let mut found = Effects::default();
    for script in scripts {
        read(script, &mut found);
    }
    found
}

fn read(script: &str, found: &mut Effects) {
    let mut rest = script;
    loop {
        rest = behind_address(rest.trim_start_matches(|c: char| c.is_whitespace() || ";{}".contains(c)));
        let Some(command) = rest.chars().next() else { return };
        rest = &rest[command.len_utf8()..];
        let line = rest.split('\n').next().unwrap_or_default();
        match command {
            'e' => found.run.push(line.trim().to_owned()),
            'w' | 'W' => found.written.push(line.trim().to_owned()),
            's' => {
                let Some(mark) = rest.chars().next() else { return };
                let (_, after) = section(&rest[mark.len_utf8()..], mark);
                let (text, after) = section(after, mark);
                rest = flags(text, after, found);
                continue;
            }
            'y' => {
                let Some(mark) = rest.chars().next() else { return };
                let (_, after) = section(&rest[mark.len_utf8()..], mark);
                rest = section(after, mark).1;
                continue;
            }
            ':' | 'b' | 't' | 'T' => {
                rest = &rest[rest.find([';', '\n']).unwrap_or(rest.len())..];
                continue;
            }
            'a' | 'i' | 'c' => {
                rest = behind_text(rest);
                continue;
            }
            'r' | 'R' | '#' => {}
            _ => continue,
        }
        // These reach to the end of their line.
        rest = &rest[line.len()..];
    }
}

/// Text that is put in goes on where a line ends with a backslash.
fn behind_text(text: &str) -> &str {
    let end = text.match_indices('\n').find(|(at, _)| !text[..*at].ends_with('\\'));
    end.map_or("", |(at, _)| &text[at..])
}

/// What stands behind `s/x/text/`.
fn flags<'t>(text: &str, after: &'t str, found: &mut Effects) -> &'t str {
    let end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
    let flags = &after[..end];
    if let Some(at) = flags.find('w') {
        let line = after[at + 1..].split('\n').next().unwrap_or_default();
        found.written.push(line.trim().to_owned());
        return &after[at + 1 + line.len()..];
    }
    if flags.contains('e') {
        found.run.push(text.replace("\\/", "/"));
    }
    &after[end..]
}

/// The text up to a mark, and what stands behind it. A backslash takes the next character along.
fn section(text: &str, mark: char) -> (&str, &str) {
    let end = unescaped(text, |c| c == mark);
    (&text[..end], text[end..].strip_prefix(mark).unwrap_or_default())
}

/// The command behind its addresses: `1,$!`, `/x/,/y/`, `\,x,`, `0~3`.
fn behind_address(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || ",$!~+ \t".contains(c));
        if let Some(after) = rest.strip_prefix('/') {
            rest = section(after, '/').1;
        } else if let Some(after) = rest.strip_prefix('\\') {
            let Some(mark) = after.chars().next() else { return "" };
            rest = section(&after[mark.len_utf8()..], mark).1;
        } else {
            // `I` and `M` behind a pattern.
            return rest.trim_start_matches(['I', 'M', ' ', '!']);
        }
        rest = rest.trim_start_matches(['I', 'M']);
    }
}
