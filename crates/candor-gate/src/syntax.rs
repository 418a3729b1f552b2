//! The bash parser, behind a pool.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// How often the parser may report progress before it is stopped. It reports every few hundred steps; an ordinary text
/// of the full size needs a tenth of this, and text made to be slow does not get more.
const PROGRESS_MAX: usize = 200_000;

/// How many bars a text may hold. A pipeline that does not end well takes the parser time and memory by the square of its length,
/// of which it reports next to nothing.
const BARS_MAX: usize = 2_000;

/// Parsers kept for the next command; more are made when more are in use.
const PARSERS_KEPT: usize = 8;

/// How deep a tree may be, so that a walk through it cannot exhaust the stack.
const NESTING_MAX: usize = 150;

/// Parsers that are not in use. A parser is a few hundred kilobytes of state that is worth keeping.
#[derive(Default)]
pub(crate) struct Parsers(Mutex<Vec<Parser>>);

/// What a text is.
pub(crate) enum Parsed {
    /// A script; the tree is sound.
    Script(Tree),
    /// Parts of it are no bash. The tree holds the rest.
    Broken(Tree),
    /// It nests too deep to be walked through, or takes too long to parse.
    Refused,
}

impl Parsers {
    pub(crate) fn parse(&self, text: &str) -> Parsed {
        if text.bytes().filter(|byte| *byte == b'|').count() > BARS_MAX {
            return Parsed::Refused;
        }
        let Some(mut parser) = self.take() else { return Parsed::Refused };
        let tree = parse_bounded(&mut parser, text);
        parser.reset();
        self.give_back(parser);
        match tree {
            Some(tree) if depth(tree.root_node()) > NESTING_MAX => Parsed::Refused,
            Some(tree) if tree.root_node().has_error() => Parsed::Broken(tree),
            Some(tree) => Parsed::Script(tree),
            None => Parsed::Refused,
        }
    }

    fn take(&self) -> Option<Parser> {
        if let Some(parser) = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Some(parser);
        }
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
        Some(parser)
    }

    fn give_back(&self, parser: Parser) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < PARSERS_KEPT {
            kept.push(parser);
        }
    }
}

fn parse_bounded(parser: &mut Parser, text: &str) -> Option<Tree> {
    let ascii = ascii(text);
    let bytes = ascii.as_bytes();
    let mut reports = 0;
    let mut stop = |_: &tree_sitter::ParseState| {
        reports += 1;
        if reports > PROGRESS_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut stop);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// The text with every other character as that many `%`, so that positions stay what they are. The grammar's scanner asks
/// C's `isdigit` about whole code points, which reads far outside of its table: `{` before U+10FFFF ended the process.
/// To a shell, such characters are a part of a word and of no name, and so is `%`.
fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            plain.push(c);
        } else {
            plain.extend(std::iter::repeat_n('%', c.len_utf8()));
        }
    }
    Cow::Owned(plain)
}

/// How deep a tree is, found without recursion.
fn depth(root: Node<'_>) -> usize {
    let mut cursor = root.walk();
    let (mut depth, mut deepest) = (0, 0);
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            deepest = depth.max(deepest);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return deepest;
            }
            depth -= 1;
        }
    }
}
