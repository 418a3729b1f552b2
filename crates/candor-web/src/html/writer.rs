//! Markdown while it is written.

use std::fmt::Write as _;

use super::is_block;

/// How many lists or quotations inside of each other are indented.
const INDENTS_MAX: usize = 8;
/// How many tables inside of each other are shown as tables: the text of a cell is moved once for each.
const TABLES_MAX: usize = 2;

/// How many links, or signs of bold, italics and code, are open inside of each other: each moves its words once.
const MARKS_MAX: usize = 8;
/// The most words that are still a link.
const LINK_TEXT_BYTES_MAX: usize = 2_000;

/// Markdown while it is written.
#[derive(Debug, Default)]
pub(super) struct Writer {
    out: String,
    /// White space was seen, and something may follow on the same line.
    has_space: bool,
    /// How many line breaks have to come before the next word.
    breaks: usize,
    lists: Vec<List>,
    quotes: usize,
    /// How many elements are open in which white space counts.
    verbatim: usize,
    /// Where words of a link began, and where it goes.
    links: Vec<(usize, Option<String>)>,
    /// Where words in bold, italics or code began, with their sign.
    marks: Vec<(usize, &'static str)>,
    tables: Vec<Table>,
}

#[derive(Debug)]
struct List {
    /// The number of the next entry; none where entries have none.
    next: Option<i64>,
}

#[derive(Debug, Default)]
struct Table {
    rows: usize,
    cells: Vec<String>,
    /// Where the open cell began.
    start: Option<usize>,
}

impl Writer {
    pub(super) fn open(&mut self, name: &str, link: Option<String>, first: Option<i64>) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block(2);
                let level = name[1..].parse().unwrap_or(1);
                self.put(&"#".repeat(level));
                self.has_space = true;
            }
            "ul" | "ol" | "menu" | "dir" => {
                self.block(if self.lists.is_empty() { 2 } else { 1 });
                self.lists.push(List { next: (name == "ol").then(|| first.unwrap_or(1)) });
            }
            "li" => self.entry(),
            "blockquote" => {
                self.block(2);
                self.quotes += 1;
            }
            "pre" => {
                self.block(2);
                self.put("```");
                self.block(1);
                self.verbatim += 1;
            }
            "a" => {
                self.settle_space();
                if self.links.len() < MARKS_MAX {
                    self.links.push((self.out.len(), link));
                }
            }
            "b" | "strong" => self.begin("**"),
            "i" | "em" => self.begin("*"),
            "code" | "kbd" | "samp" if self.verbatim == 0 => self.begin("`"),
            "table" => {
                self.block(2);
                self.tables.push(Table::default());
            }
            "td" | "th" => self.cell(),
            "dd" => {
                self.block(1);
                self.put(": ");
            }
            name if is_block(name) => self.block(block_breaks(name)),
            _ => {}
        }
    }

    pub(super) fn close(&mut self, name: &str) {
        match name {
            "ul" | "ol" | "menu" | "dir" => {
                self.lists.pop();
                self.block(if self.lists.is_empty() { 2 } else { 1 });
            }
            "blockquote" => {
                self.quotes = self.quotes.saturating_sub(1);
                self.block(2);
            }
            "pre" => {
                self.verbatim = self.verbatim.saturating_sub(1);
                self.breaks = usize::from(!self.out.ends_with('\n'));
                self.put("```");
                self.block(2);
            }
            "a" => self.end_link(),
            "b" | "strong" => self.end_mark("**"),
            "i" | "em" => self.end_mark("*"),
            "code" | "kbd" | "samp" => self.end_mark("`"),
            "td" | "th" => self.end_cell(),
            "tr" => self.end_row(),
            "table" => {
                self.end_row();
                self.tables.pop();
                self.block(2);
            }
            "li" => self.block(1),
            name if is_block(name) => self.block(block_breaks(name)),
            _ => {}
        }
    }

    /// An element without content.
    pub(super) fn void(&mut self, name: &str, alt: Option<&str>) {
        match name {
            "br" => self.block(1),
            "hr" => {
                self.block(2);
                self.put("---");
                self.block(2);
            }
            // Where a picture is, nobody asked; that one is there may matter.
            "img" => {
                if let Some(alt) = alt.map(str::trim).filter(|alt| !alt.is_empty()) {
                    self.text(&format!("[image: {alt}]"));
                }
            }
            _ => {}
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.verbatim > 0 {
            if !text.is_empty() {
                self.settle();
                self.out.push_str(text);
            }
            return;
        }
        for (at, word) in text.split([' ', '\t', '\n', '\r', '\x0c', '\u{a0}']).enumerate() {
            self.has_space |= at > 0;
            if !word.is_empty() {
                self.put(word);
            }
        }
    }

    /// How much is written.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    pub(super) fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        self.out
    }

    /// Writes behind the line breaks and the space that have to come first.
    fn put(&mut self, text: &str) {
        self.settle();
        self.out.push_str(text);
    }

    fn settle(&mut self) {
        if self.breaks > 0 {
            if !self.out.is_empty() {
                self.out.truncate(self.out.trim_end_matches([' ', '\t']).len());
                // Blank lines of a quotation belong to it, but nothing is lost without their sign.
                self.out.extend(std::iter::repeat_n('\n', self.breaks));
            }
            self.indent();
        } else if self.has_space && !self.out.is_empty() && !self.out.ends_with([' ', '\n', '[']) {
            self.out.push(' ');
        }
        (self.breaks, self.has_space) = (0, false);
    }

    fn indent(&mut self) {
        let quotes = self.quotes.min(INDENTS_MAX);
        self.out.push_str(&"> ".repeat(quotes));
        let lists = self.lists.len().saturating_sub(1).min(INDENTS_MAX);
        self.out.push_str(&"  ".repeat(lists));
    }

    /// What follows begins on a line of its own, this many lines on.
    fn block(&mut self, breaks: usize) {
        self.breaks = self.breaks.max(breaks);
        self.has_space = false;
    }

    fn entry(&mut self) {
        self.block(1);
        match self.lists.last_mut().and_then(|list| list.next.as_mut()) {
            Some(next) => {
                let number = *next;
                *next = next.saturating_add(1);
                self.put(&format!("{number}. "));
            }
            None => self.put("- "),
        }
    }

    /// A space before words that are marked stands outside of the mark. Breaks wait: a link may hold blocks.
    fn settle_space(&mut self) {
        if self.breaks == 0 && self.has_space {
            self.settle();
        }
    }

    fn begin(&mut self, sign: &'static str) {
        self.settle_space();
        if self.marks.len() < MARKS_MAX {
            self.marks.push((self.out.len(), sign));
        }
    }

    fn end_mark(&mut self, sign: &'static str) {
        let Some(at) = self.marks.iter().rposition(|(_, open)| *open == sign) else { return };
        let (start, _) = self.marks.remove(at);
        let Some(taken) = self.take_since(start) else { return };
        // Whole paragraphs are not marked: a page may be bold by mistake.
        let words = taken.trim();
        if words.is_empty() || words.contains('\n') {
            self.out.push_str(&taken);
            return;
        }
        let lead = &taken[..taken.len() - taken.trim_start().len()];
        // Writing into a string cannot fail.
        let _ = write!(self.out, "{lead}{sign}{words}{sign}");
    }

    fn end_link(&mut self) {
        let Some((start, link)) = self.links.pop() else { return };
        let Some(taken) = self.take_since(start) else { return };
        let Some(link) = link.filter(|_| !taken.trim().is_empty()) else {
            self.out.push_str(&taken);
            return;
        };
        // Writing into a string cannot fail.
        let _ = if taken.len() > LINK_TEXT_BYTES_MAX {
            write!(self.out, "{taken} [link]({link})")
        } else {
            let lead = &taken[..taken.len() - taken.trim_start().len()];
            let words = taken.split_whitespace().collect::<Vec<_>>().join(" ");
            write!(self.out, "{lead}[{words}]({link})")
        };
    }

    /// Takes back what was written since a place. Nothing, where a cell that ended inside has taken it away already.
    fn take_since(&mut self, start: usize) -> Option<String> {
        let is_there = start <= self.out.len() && self.out.is_char_boundary(start);
        is_there.then(|| self.out.split_off(start))
    }

    fn cell(&mut self) {
        self.end_cell();
        let depth = self.tables.len();
        match self.tables.last_mut() {
            Some(table) if depth <= TABLES_MAX => {
                (self.breaks, self.has_space) = (0, false);
                table.start = Some(self.out.len());
            }
            _ => self.block(1),
        }
    }

    fn end_cell(&mut self) {
        let Some(table) = self.tables.last_mut() else { return };
        let Some(start) = table.start.take() else { return };
        (self.breaks, self.has_space) = (0, false);
        if start <= self.out.len() && self.out.is_char_boundary(start) {
            table.cells.push(self.out.split_off(start).trim().to_owned());
        }
    }

    /// A row of short cells is a row of a table; one that holds more lays out a page, and is shown cell by cell.
    fn end_row(&mut self) {
        self.end_cell();
        let Some(table) = self.tables.last_mut() else { return };
        let cells = std::mem::take(&mut table.cells);
        if cells.iter().all(String::is_empty) {
            return;
        }
        let is_first = table.rows == 0;
        table.rows += 1;
        if cells.len() < 2 || cells.iter().any(|cell| cell.contains('\n')) {
            table.rows = 0;
            for cell in cells.iter().filter(|cell| !cell.is_empty()) {
                self.block(2);
                self.put(cell);
            }
            self.block(2);
            return;
        }
        self.block(if is_first { 2 } else { 1 });
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        self.put(&format!("| {} |", cells.join(" | ")));
        if is_first {
            self.block(1);
            self.put(&format!("|{}", " --- |".repeat(cells.len())));
        }
        self.block(1);
    }
}

/// How far an element stands from what is around it.
fn block_breaks(name: &str) -> usize {
    match name {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "figure" | "article" | "section" | "table" => 2,
        _ => 1,
    }
}
