//! The elements that are open, one inside of the other.

use std::collections::HashMap;

/// The elements that are open.
#[derive(Debug, Default)]
pub(super) struct Open {
    elements: Vec<Element>,
    /// How often each is open, so that an end without a beginning costs nothing.
    counts: HashMap<String, usize>,
}

#[derive(Debug)]
struct Element {
    name: String,
    hidden: bool,
}

impl Open {
    pub(super) fn depth(&self) -> usize {
        self.elements.len()
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.elements.last().is_some_and(|element| element.hidden)
    }

    pub(super) fn is_inside(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|count| *count > 0)
    }

    pub(super) fn push(&mut self, name: String, hidden: bool) {
        *self.counts.entry(name.clone()).or_default() += 1;
        self.elements.push(Element { name, hidden });
    }

    /// Ends an element and all inside of it. Gives those that were shown, innermost first.
    pub(super) fn end(&mut self, name: &str) -> Vec<String> {
        if self.is_inside(name) { self.pop_until(name) } else { Vec::new() }
    }

    pub(super) fn end_all(&mut self) -> Vec<String> {
        self.counts.clear();
        let shown = self.elements.drain(..).rev().filter(|element| !element.hidden);
        shown.map(|element| element.name).collect()
    }

    /// What ends because this begins: people leave out the ends of paragraphs, entries and cells.
    pub(super) fn implied_ends(&mut self, name: &str) -> Vec<String> {
        let (ended, within): (&[&str], &[&str]) = match name {
            "li" => (&["li"], &["ul", "ol", "menu", "dir"]),
            "dt" | "dd" => (&["dt", "dd"], &["dl"]),
            "td" | "th" => (&["td", "th"], &["tr", "table"]),
            "tr" => (&["tr"], &["table"]),
            "thead" | "tbody" | "tfoot" => (&["thead", "tbody", "tfoot"], &["table"]),
            "option" => (&["option"], &["select", "datalist"]),
            "a" => (&["a"], &["table"]),
            "body" => (&["head"], &[]),
            name if super::is_block(name) => (&["p"], &["table", "button", "object"]),
            _ => return Vec::new(),
        };
        if !ended.iter().any(|name| self.is_inside(name)) {
            return Vec::new();
        }
        // An open element beyond the list or the table is another one's.
        for element in self.elements.iter().rev().take(LOOK_BACK) {
            if ended.contains(&element.name.as_str()) {
                let name = element.name.clone();
                return self.pop_until(&name);
            }
            if within.contains(&element.name.as_str()) {
                break;
            }
        }
        Vec::new()
    }

    fn pop_until(&mut self, name: &str) -> Vec<String> {
        let mut shown = Vec::new();
        while let Some(element) = self.elements.pop() {
            if let Some(count) = self.counts.get_mut(&element.name) {
                *count -= 1;
            }
            let is_last = element.name == name;
            if !element.hidden {
                shown.push(element.name);
            }
            if is_last {
                break;
            }
        }
        shown
    }
}

/// How far up an element is looked for that a new one would end: pages go no deeper, and a trap must not cost its square.
const LOOK_BACK: usize = 32;
