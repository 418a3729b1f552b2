//! Cuts programs where something is defined, told by how a line begins.
//!
//! No parser: a cut in a wrong place, as in a text of several lines that looks like a program, costs nothing but a less
//! fitting title, and every language is a line in a table.

use super::{Cut, SECTION_BYTES_MAX, lines};

/// Small definitions in a row are one section until they have so many bytes.
const TOGETHER_BYTES_MAX: usize = 1_200;
/// How many names a title has.
const TITLE_NAMES_MAX: usize = 4;
/// The longest name in a title.
const NAME_CHARS_MAX: usize = 80;

/// What is known of a language.
#[derive(Debug)]
pub(super) struct Language {
    /// What the names of its files end with.
    ends: &'static [&'static str],
    /// What defines something.
    words: &'static [&'static str],
    /// Whether a line at the margin with a parenthesis is a function, as in C.
    bare_functions: bool,
}

const LANGUAGES: &[Language] = &[
    of(
        &["rs"],
        &["fn", "struct", "enum", "trait", "impl", "mod", "type", "union", "const", "static", "macro_rules!"],
    ),
    of(&["py", "pyi"], &["def", "class"]),
    of(
        &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"],
        &[
            "function",
            "function*",
            "class",
            "interface",
            "type",
            "enum",
            "namespace",
            "module",
            "const",
            "let",
            "var",
        ],
    ),
    of(&["go"], &["func", "type", "var", "const"]),
    of(
        &["java", "kt", "kts", "cs", "scala", "swift", "dart", "groovy"],
        &[
            "class",
            "interface",
            "enum",
            "record",
            "object",
            "fun",
            "struct",
            "trait",
            "protocol",
            "extension",
            "func",
            "def",
            "namespace",
            "mixin",
            "typealias",
        ],
    ),
    of(&["rb"], &["def", "class", "module"]),
    of(&["php"], &["function", "class", "interface", "trait", "namespace", "enum"]),
    Language {
        ends: &["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm"],
        words: &["struct", "class", "enum", "union", "typedef", "namespace", "template", "#define"],
        bare_functions: true,
    },
    Language { ends: &["sh", "bash", "zsh"], words: &["function"], bare_functions: true },
    of(&["lua"], &["function"]),
    of(&["ex", "exs"], &["defmodule", "def", "defp", "defmacro"]),
    of(&["zig"], &["fn", "const", "var", "test"]),
    of(
        &["proto", "graphql", "thrift"],
        &["message", "service", "enum", "type", "input", "interface", "struct"],
    ),
    of(&["sql"], &["CREATE", "create", "ALTER", "alter"]),
];

/// Words before the one that defines.
const BEFORE: &[&str] = &[
    "pub",
    "export",
    "default",
    "async",
    "unsafe",
    "static",
    "final",
    "abstract",
    "public",
    "private",
    "protected",
    "internal",
    "open",
    "sealed",
    "data",
    "inline",
    "extern",
    "declare",
    "override",
    "suspend",
    "partial",
    "virtual",
    "local",
    "case",
    "const",
    "readonly",
    "\"C\"",
    "mutating",
    "companion",
];

/// What a line above a definition begins with that belongs to it: remarks, attributes, decorators.
const ABOVE: &[&str] = &["//", "/*", "*", "#", "@", "--", "template", "\"\"\""];

/// What begins a line at the margin that is not a function of C, though it has a parenthesis.
const NO_FUNCTION: &[&str] =
    &["if", "for", "while", "switch", "return", "else", "do", "case", "goto", "using"];

const fn of(ends: &'static [&'static str], words: &'static [&'static str]) -> Language {
    Language { ends, words, bare_functions: false }
}

pub(super) fn language(path: &str) -> Option<&'static Language> {
    let end = path.rsplit_once('.')?.1.to_ascii_lowercase();
    LANGUAGES.iter().find(|language| language.ends.contains(&end.as_str()))
}

/// Whether a file is a program in a language that is known.
pub(crate) fn is_code(path: &str) -> bool {
    language(path).is_some()
}

/// What the lines of a text define, in any of the languages or in that of the file at a path.
pub(crate) fn names<'t>(path: &str, text: &'t str) -> Vec<&'t str> {
    let Some(language) = language(path) else { return Vec::new() };
    text.lines().filter_map(|line| language.defined(line)).map(|defined| defined.name).collect()
}

/// What a line defines, in whatever language.
pub(crate) fn definition(line: &str) -> Option<&str> {
    LANGUAGES.iter().find_map(|language| language.defined(line)).map(|defined| defined.name)
}

/// Something that a line defines.
struct Defined<'t> {
    word: &'t str,
    name: &'t str,
}

impl Language {
    fn defined<'t>(&self, line: &'t str) -> Option<Defined<'t>> {
        let mut rest = line.trim();
        loop {
            let (word, after) = first_word(rest)?;
            let is_more = BEFORE.contains(&word) || word.starts_with("pub(");
            // `const` defines, and also stands before what defines.
            let next_defines = first_word(after).is_some_and(|(next, _)| self.defines(next));
            if self.defines(word) && !(is_more && next_defines) {
                return Some(Defined { word, name: name(word, after)? });
            }
            if !is_more {
                break;
            }
            rest = after;
        }
        self.bare_functions.then(|| bare_function(line)).flatten()
    }

    fn defines(&self, word: &str) -> bool {
        self.words.contains(&word) || (self.words.contains(&"impl") && word.starts_with("impl<"))
    }
}

fn first_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    (!word.is_empty()).then_some((word, after))
}

/// The name after the word that defines.
fn name<'t>(word: &str, after: &'t str) -> Option<&'t str> {
    let mut after = after.trim_start();
    if word.starts_with("impl") || word.eq_ignore_ascii_case("create") || word.eq_ignore_ascii_case("alter") {
        let end = after.find(['{', '(', ';']).unwrap_or(after.len());
        return Some(after[..end].trim_end()).filter(|name| !name.is_empty());
    }
    // The receiver of a method in Go.
    if let Some(receiver) = after.strip_prefix('(') {
        after = receiver.split_once(')')?.1.trim_start();
    }
    let end = after.find(|c: char| !(c.is_alphanumeric() || "_$.:!?'".contains(c))).unwrap_or(after.len());
    Some(after[..end].trim_end_matches([':', '.'])).filter(|name| !name.is_empty())
}

/// `int main(void) {` and `deploy() {`, at the margin.
fn bare_function(line: &str) -> Option<Defined<'_>> {
    let first = line.chars().next()?;
    let (before, _) = line.split_once('(')?;
    let ends = line.trim_end().ends_with([';', ',', '\\']);
    if !(first.is_alphabetic() || first == '_') || ends || before.contains(['=', '"', '\'', '/']) {
        return None;
    }
    let word = first_word(line)?.0;
    let name = before.trim_end().rsplit([' ', '*', '&', '\t']).next().filter(|name| !name.is_empty())?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || "_:~-.".contains(c));
    (is_name && !NO_FUNCTION.contains(&word.trim_end_matches('('))).then_some(Defined { word: "", name })
}

/// Where the sections begin: small definitions together, large ones apart and, where they must, cut at what is defined
/// in them.
pub(super) fn cuts(file: &str, text: &str, language: &Language) -> Vec<Cut> {
    let groups = grouped(items(text, 0, language), text.len());
    let cut = |group: Group| {
        let outer = titled(vec![file.to_owned()], &group.names);
        if group.end - group.at <= SECTION_BYTES_MAX {
            return vec![Cut { at: group.at, title_path: outer }];
        }
        let inner = inner(&text[group.at..group.end], language).into_iter();
        let inner = inner
            .map(|inner| Cut { at: group.at + inner.at, title_path: titled(outer.clone(), &inner.names) });
        inner.collect()
    };
    groups.into_iter().flat_map(cut).collect()
}

/// Definitions that are one section.
struct Group {
    at: usize,
    end: usize,
    names: Vec<String>,
}

fn grouped(items: Vec<Item>, length: usize) -> Vec<Group> {
    let ends: Vec<usize> = items.iter().skip(1).map(|item| item.at).chain([length]).collect();
    let mut groups: Vec<Group> = Vec::new();
    for (Item { at, name }, end) in items.into_iter().zip(ends) {
        match groups.last_mut().filter(|group| end - group.at <= TOGETHER_BYTES_MAX) {
            Some(group) => {
                group.end = end;
                group.names.extend(name);
            }
            None => groups.push(Group { at, end, names: name.into_iter().collect() }),
        }
    }
    groups
}

/// Something that is defined, from the remarks above it on.
struct Item {
    at: usize,
    name: Option<String>,
}

/// What is defined at one indentation. What comes before the first is an item without a name.
fn items(text: &str, indent: usize, language: &Language) -> Vec<Item> {
    let mut items = vec![Item { at: 0, name: None }];
    // Where the remarks begin that the next definition belongs to.
    let mut above: Option<usize> = None;
    for (at, line) in lines(text) {
        let bare = line.trim_start();
        let here = line.len() - bare.len() == indent && !bare.is_empty();
        if here && let Some(defined) = language.defined(line) {
            let at = above.take().unwrap_or(at);
            let name: String = defined.name.chars().take(NAME_CHARS_MAX).collect();
            let name = if defined.word.is_empty() { name } else { format!("{} {name}", defined.word) };
            match items.last_mut().filter(|last| last.at == at) {
                Some(last) => last.name = Some(name),
                None => items.push(Item { at, name: Some(name) }),
            }
        } else if ABOVE.iter().any(|start| bare.starts_with(start)) {
            above = above.or(Some(at));
        } else {
            above = None;
        }
    }
    items
}

/// What is in a definition that is too long, at the least indentation at which something is defined in it.
fn inner(text: &str, language: &Language) -> Vec<Group> {
    let indents = text.lines().skip(1).filter(|line| language.defined(line).is_some());
    let indents = indents.map(|line| line.len() - line.trim_start().len()).filter(|indent| *indent > 0);
    match indents.min() {
        Some(indent) => grouped(items(text, indent, language), text.len()),
        None => vec![Group { at: 0, end: text.len(), names: Vec::new() }],
    }
}

fn titled(mut title_path: Vec<String>, names: &[String]) -> Vec<String> {
    let mut title = names.iter().take(TITLE_NAMES_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > TITLE_NAMES_MAX {
        title.push_str(", …");
    }
    title_path.extend((!title.is_empty()).then_some(title));
    title_path
}
