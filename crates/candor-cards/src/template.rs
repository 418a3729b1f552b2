//! Templates: text with named holes, filled from the facts of a failure.

use std::borrow::Cow;

/// The longest fact a card takes in.
///
/// A configuration with a hundred problems, each with its excerpt, fits well; the whole output of a runaway command
/// does not, and would make a card that nobody reads and no socket frame holds.
pub(crate) const FACT_BYTES_MAX: usize = 64 * 1024;

/// Stands in a sentence where a fact was not given.
const UNKNOWN: &str = "unknown";

/// Stands in a sentence for a fact that was given and is empty, such as the value of `--level ""`.
const EMPTY: &str = "(empty)";

/// A part of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Taken over as it is.
    Text(&'a str),
    /// A hole for a fact.
    Fact {
        /// The name of the fact.
        name: &'a str,
        /// How the fact enters a command; prose takes both alike.
        form: Form,
    },
}

/// How a fact enters a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `{name}`: one word of the shell, quoted where it must be.
    Word,
    /// `{!name}`: a shell line of its own, inserted as it is. Only for facts that a crate of ours composed.
    Line,
}

/// Takes a template apart.
///
/// A brace that opens no hole is text: templates are ours, and the tests refuse such a one, so a reader is better
/// served with a stray brace than with no card.
pub(crate) fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from_brace) = rest.split_at(at);
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        let (piece, length) = brace(from_brace);
        pieces.push(piece);
        rest = from_brace.get(length..).unwrap_or_default();
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// The piece that a brace begins, and how many bytes of the template it takes.
fn brace(rest: &str) -> (Piece<'_>, usize) {
    let stray = Piece::Text(rest.get(..1).unwrap_or_default());
    if rest.starts_with("{{") || rest.starts_with("}}") {
        return (stray, 2);
    }
    let Some((hole, _)) = rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) else {
        return (stray, 1);
    };
    let (name, form) = match hole.strip_prefix('!') {
        Some(name) => (name, Form::Line),
        None => (hole, Form::Word),
    };
    // `{2}` and `{1,3}` are counts of a pattern, not names.
    if !name.starts_with(|c: char| c.is_ascii_lowercase())
        || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    {
        return (stray, 1);
    }
    (Piece::Fact { name, form }, hole.len() + 2)
}

/// The facts a template is filled from.
pub(crate) struct Facts<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(lookup: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { lookup }
    }

    /// A fact that says something. An empty one is as good as missing wherever a line can be left out for it.
    fn get(&self, name: &str) -> Option<String> {
        (self.lookup)(name).filter(|value| !value.trim().is_empty())
    }

    /// A fact that says something, as a sentence takes it.
    fn spoken(&self, name: &str) -> Option<String> {
        self.get(name).map(|value| no_file(&value).map_or(value, str::to_owned)).map(shortened)
    }

    /// Fills a cause. A missing fact becomes `unknown`; a line that would be nothing but that is left out.
    pub(crate) fn cause(&self, template: &str) -> String {
        let lines = template.split('\n').filter_map(|line| match *pieces(line) {
            [Piece::Fact { name, .. }] => self.spoken(name),
            _ => Some(self.sentence(line)),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn sentence(&self, line: &str) -> String {
        let filled = pieces(line).into_iter().map(|piece| match piece {
            Piece::Text(text) => Cow::Borrowed(text),
            Piece::Fact { name, .. } => match (self.lookup)(name) {
                None => Cow::Borrowed(UNKNOWN),
                Some(value) if value.trim().is_empty() => Cow::Borrowed(EMPTY),
                Some(value) => no_file(&value).map_or_else(|| Cow::Owned(shortened(value)), Cow::Borrowed),
            },
        });
        filled.collect()
    }

    /// Fills the prose of a step, or nothing when a fact is missing.
    pub(crate) fn prose(&self, template: &str) -> Option<String> {
        let filled = pieces(template).into_iter().map(|piece| match piece {
            Piece::Text(text) => Some(Cow::Borrowed(text)),
            Piece::Fact { name, .. } => self.spoken(name).map(Cow::Owned),
        });
        filled.collect()
    }

    /// Fills a command, or nothing when a fact is missing, too long to be inserted whole, or the name of no file.
    ///
    /// Between quotes of the template's own a fact cannot be quoted again: there it must be plain, or the command is left out.
    pub(crate) fn command(&self, template: &str) -> Option<String> {
        let mut quotes = Quotes::default();
        let mut filled = String::new();
        for piece in pieces(template) {
            match piece {
                Piece::Text(text) => {
                    quotes.read(text);
                    filled.push_str(text);
                }
                Piece::Fact { name, form } => {
                    let is_usable =
                        |value: &String| value.len() <= FACT_BYTES_MAX && no_file(value).is_none();
                    let value = self.get(name).filter(is_usable)?;
                    match form {
                        Form::Line => filled.push_str(&value),
                        Form::Word if quotes.are_open() => {
                            filled.push_str(Some(&value).filter(|value| is_plain(value))?);
                        }
                        Form::Word => filled.push_str(&quote(&operand(value))),
                    }
                }
            }
        }
        Some(filled)
    }
}

/// What to call code that is in no file, where an interpreter shows a name in place of the path.
pub(crate) fn no_file(name: &str) -> Option<&'static str> {
    match name.rsplit('/').next().unwrap_or(name) {
        "<string>" | "[eval]" | "[eval1]" | "evalmachine.<anonymous>" | "<anonymous_script>" => {
            Some("the code given as text")
        }
        "<stdin>" | "[stdin]" => Some("the code on standard input"),
        _ => None,
    }
}

/// Which quotes are open at a place of a command.
#[derive(Debug, Default)]
struct Quotes {
    /// `'`, `"`, or `(` for a command inside of `"$( )"`, which is quoted anew.
    open: Vec<char>,
    before: char,
}

impl Quotes {
    fn read(&mut self, text: &str) {
        for c in text.chars() {
            match (self.open.last(), c) {
                (Some('\''), '\'') | (Some('"'), '"') | (Some('('), ')') => {
                    self.open.pop();
                }
                (Some('\''), _) => {}
                _ if self.before == '\\' => {}
                (Some('"'), '(') if self.before == '$' => self.open.push('('),
                (Some('"'), _) => {}
                (_, '\'' | '"') => self.open.push(c),
                _ => {}
            }
            self.before = if self.before == '\\' { ' ' } else { c };
        }
    }

    fn are_open(&self) -> bool {
        matches!(self.open.last(), Some('\'' | '"'))
    }
}

/// Quotes a value so that a POSIX shell reads it as exactly one word with exactly these characters.
pub fn quote(value: &str) -> String {
    if is_plain(value) {
        return value.to_owned();
    }
    // Nothing is special between single quotes but the single quote itself, which has to stand outside.
    format!("'{}'", value.replace('\'', r"'\''"))
}

/// Whether a value means the same to a shell with quotes and without.
fn is_plain(value: &str) -> bool {
    // Fewer characters than a shell leaves alone: `=`, `%` and `~` mean something in some places and some shells.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@,+".contains(&byte);
    !value.is_empty() && !value.starts_with('-') && value.bytes().all(plain)
}

/// Keeps a path such as `-rf` from being read as an option, which no quoting can do.
fn operand(value: String) -> String {
    if value.starts_with('-') { format!("./{value}") } else { value }
}

/// A fact for prose: without the newline that the output of a program ends with, and not longer than a card takes.
fn shortened(mut value: String) -> String {
    value.truncate(value.trim_end_matches(['\n', '\r']).len());
    if value.len() > FACT_BYTES_MAX {
        let end = value.floor_char_boundary(FACT_BYTES_MAX);
        let (kept, left_out) = value.split_at(end);
        return format!("{kept}… ({} bytes left out)", left_out.len());
    }
    value
}
