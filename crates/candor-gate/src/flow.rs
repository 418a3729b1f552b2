//! What one command prints and the next one reads, where that can be told from the text.

use tree_sitter::Node;

use crate::call::{Call, UNKNOWN, Word};
use crate::evaluate::Evaluator;
use crate::expand;

/// Text longer than this is not put together; it is then simply not known.
const PRINTED_BYTES_MAX: usize = 64 * 1024;

/// What a command reads from its standard input.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flow {
    /// The text, when it is literal.
    pub(crate) text: Option<String>,
    /// The programs upstream.
    pub(crate) programs: Vec<String>,
    /// The words of a `find` directly upstream, whose paths become the arguments of an `xargs`.
    pub(crate) found_by: Vec<Word>,
    /// Whether the input is a file of the user's, named in the command.
    pub(crate) is_file: bool,
}

impl Flow {
    /// Nothing is piped in and nothing is redirected.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_none() && self.programs.is_empty() && !self.is_file
    }

    pub(crate) fn of_text(text: String) -> Self {
        Self { text: Some(text), ..Self::default() }
    }
}

/// The programs that run in a substitution.
pub(crate) fn programs(evaluator: &Evaluator<'_>, node: Node<'_>) -> Vec<String> {
    let mut found = Vec::new();
    collect_programs(evaluator, node, &mut found);
    found
}

fn collect_programs(evaluator: &Evaluator<'_>, node: Node<'_>, found: &mut Vec<String>) {
    if node.kind() == "command_name" {
        let text = evaluator.text(node).trim_start_matches('\\');
        found.push(crate::call::base_name(text).to_owned());
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        collect_programs(evaluator, child, found);
    }
}

/// What the commands below a node print, when each of them prints something literal.
pub(crate) fn printed(evaluator: &Evaluator<'_>, node: Node<'_>) -> Option<String> {
    match node.kind() {
        "command" => {
            let mut cursor = node.walk();
            let mut words = Vec::new();
            for child in node.named_children(&mut cursor) {
                match child.kind() {
                    "variable_assignment" => {}
                    "file_redirect" | "herestring_redirect" => return None,
                    _ => words.extend(evaluator.words(child)),
                }
            }
            let nothing = Flow::default();
            let call = Call::new(&words, &nothing);
            if call.name == "pwd" {
                return evaluator.variables.get("PWD").cloned();
            }
            printed_by(&call)
        }
        "command_substitution"
        | "process_substitution"
        | "compound_statement"
        | "subshell"
        | "list"
        | "program" => {
            let mut cursor = node.walk();
            let mut all = String::new();
            for child in node.named_children(&mut cursor).filter(|child| child.kind() != "comment") {
                all.push_str(&printed(evaluator, child)?);
            }
            Some(all)
        }
        "redirected_statement" => {
            // Only `cat` with a here-document: every other redirect moves the text elsewhere.
            let body = node.child_by_field_name("body")?;
            let redirect = node.child_by_field_name("redirect")?;
            let is_cat = evaluator.text(body).trim() == "cat" && redirect.kind() == "heredoc_redirect";
            let mut cursor = redirect.walk();
            let mut parts = redirect.named_children(&mut cursor);
            let body = parts.find(|part| part.kind() == "heredoc_body").filter(|_| is_cat)?;
            Some(evaluator.body(body))
        }
        _ => None,
    }
}

/// What this command prints, if it only prints its arguments or passes on what it reads.
pub(crate) fn printed_by(call: &Call<'_>) -> Option<String> {
    match call.name {
        "echo" => Some(echo(call)),
        "printf" => printf(call),
        "cat" | "tee" if call.operands().next().is_none() => call.flow.text.clone(),
        "cat" if call.args().eq(["-"]) => call.flow.text.clone(),
        "mktemp" => Some(format!("/tmp/{UNKNOWN}")),
        "true" | ":" => Some(String::new()),
        "dirname" => {
            let path = call.operands().next().filter(|path| !path.contains(UNKNOWN))?;
            let parent = path.trim_end_matches('/').rsplit_once('/').map_or(".", |(parent, _)| parent);
            Some(if parent.is_empty() { "/".to_owned() } else { parent.to_owned() })
        }
        _ => None,
    }
    .filter(|text| text.len() <= PRINTED_BYTES_MAX)
}

fn echo(call: &Call<'_>) -> String {
    let is_option =
        |arg: &&str| arg.len() > 1 && arg.starts_with('-') && arg[1..].chars().all(|c| "neE".contains(c));
    let options: String = call.args().take_while(is_option).collect();
    let text = call.args().skip_while(is_option).collect::<Vec<_>>().join(" ");
    let text = if options.contains('e') { expand::ansi(&text) } else { text };
    if options.contains('n') { text } else { text + "\n" }
}

fn printf(call: &Call<'_>) -> Option<String> {
    let mut args = call.args().skip_while(|arg| *arg == "--");
    let format = args.next().filter(|format| *format != "-v")?;
    let args: Vec<&str> = args.collect();
    let mut rest = args.iter();
    let mut out = String::new();
    loop {
        let before = rest.len();
        conversion(format, &mut rest, &mut out)?;
        if rest.len() == 0 || rest.len() == before || out.len() > PRINTED_BYTES_MAX {
            return Some(out);
        }
    }
}

/// Goes through the format once.
fn conversion<'t>(
    format: &str,
    args: &mut impl Iterator<Item = &'t &'t str>,
    out: &mut String,
) -> Option<()> {
    let mut pieces = format.split('%');
    out.push_str(&expand::ansi(pieces.next()?));
    while let Some(piece) = pieces.next() {
        if piece.is_empty() {
            out.push('%');
            out.push_str(&expand::ansi(pieces.next().unwrap_or_default()));
            continue;
        }
        // A width only adds blanks, which separate nothing that was one word before.
        let piece = piece.trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #".contains(c));
        let (limit, piece) = precision(piece)?;
        let c = piece.chars().next()?;
        if !"sqdibc".contains(c) {
            return None;
        }
        let arg = args.next().copied().unwrap_or_default();
        match c {
            'b' => out.push_str(&expand::ansi(arg)),
            'c' => out.extend(arg.chars().next()),
            _ => out.extend(arg.chars().take(limit)),
        }
        out.push_str(&expand::ansi(&piece[c.len_utf8()..]));
    }
    Some(())
}

/// How much of its text a conversion takes, and what stands behind that.
fn precision(piece: &str) -> Option<(usize, &str)> {
    let Some(rest) = piece.strip_prefix('.') else { return Some((usize::MAX, piece)) };
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    Some((if end == 0 { 0 } else { rest[..end].parse().ok()? }, &rest[end..]))
}
