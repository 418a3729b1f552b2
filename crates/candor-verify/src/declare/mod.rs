//! What a project says about how it is checked.
//!
//! `.candor/verify.yaml` says it, and blocks labelled `verify` in the files that describe the project to agents. A mistake leaves
//! out as little as possible, and is told with its place; everything else counts.

mod address;
mod checks;
mod doubt;
mod fences;
mod file;
mod merge;
mod names;
mod probes;
mod reader;
mod services;
mod words;
mod yaml;

use std::path::Path;

use file::Content;
use names::Named;
use reader::{Fields, ITEMS_MAX, Reader};
use yaml::Place;

use crate::plan::{Check, Plan, Problem, Service, Source};

pub use doubt::merge_doubting;
pub use merge::merge;

/// The files that declarations are read from, relative to the workspace; what comes first wins.
pub const SOURCES: &[&str] =
    &[".candor/verify.yaml", ".candor/verify.yml", "AGENTS.md", ".sdd/project.md", ".sdd/architect.md"];

const KEYS: &[&str] = &["checks", "services", "only_declared", "remote_probes"];

/// Most blocks of one Markdown file that are read.
const BLOCKS_MAX: usize = 20;

/// What the project declares: `.candor/verify.yaml`, and fenced blocks labelled `verify` in `AGENTS.md`, `.sdd/project.md` and
/// `.sdd/architect.md`. Everything in it has `source.declared = true`.
///
/// Never fails: what cannot be read is in [`Plan::problems`].
pub fn read(root: &Path) -> Plan {
    let mut gathered = Gathered::default();
    let mut own: Option<&str> = None;
    for source in SOURCES {
        let path = Path::new(source);
        let is_markdown = path.extension().is_some_and(|ending| ending == "md");
        match (file::read(root, path), own) {
            (Content::Missing, _) => {}
            (Content::Text(text), _) if is_markdown => blocks(&mut gathered, root, path, &text),
            (Content::Text(_), Some(first)) => {
                let message =
                    format!("{first} is there as well, and is the one that is read; keep one of them");
                gathered.problem(path, 0, 0, message);
            }
            (Content::Text(text), None) => {
                own = Some(source);
                let mut reader = Reader::new(root, path);
                document(&mut gathered, &mut reader, &text, 1, Origin::OwnFile);
                gathered.plan.problems.extend(reader.into_problems());
            }
            // It is there for other reasons, and may declare nothing: no mistake.
            (Content::Refused(message, ..), _) if is_markdown => {
                gathered.plan.notes.push(format!("{source} is not searched for declarations: {message}"));
            }
            (Content::Refused(message, line, column), _) => gathered.problem(path, line, column, message),
        }
    }
    gathered.settled()
}

/// What was read so far.
#[derive(Default)]
struct Gathered {
    plan: Plan,
    checks: Vec<Named<Check>>,
    services: Vec<Named<Service>>,
}

impl Gathered {
    fn problem(&mut self, file: &Path, line: u32, column: u32, message: String) {
        self.plan.problems.push(Problem { file: file.to_owned(), line, column, message });
    }

    /// The plan, with a name of its own for everything in it.
    fn settled(self) -> Plan {
        let Self { mut plan, checks, services } = self;
        plan.checks = names::settled(checks, |check| &mut check.name);
        plan.services = names::settled(services, |service| &mut service.name);
        plan
    }
}

/// What a text stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    OwnFile,
    Block,
}

fn blocks(gathered: &mut Gathered, root: &Path, path: &Path, markdown: &str) {
    let mut reader = Reader::new(root, path);
    for (block, index) in fences::blocks(markdown).iter().zip(0..) {
        let fence = Place::at(block.line.saturating_sub(1), 1);
        if index >= BLOCKS_MAX {
            let message =
                format!("these are more than {BLOCKS_MAX} blocks labelled verify; the rest is not read");
            reader.tell(fence, message);
            break;
        }
        if let Some((line, column)) = block.unclosed {
            // Whatever follows would be read as YAML: the whole rest of the document.
            let message = "nothing closes this block, so it is not read; end it with the same marks on a line of their own";
            reader.tell(Place::at(line, column), message);
            continue;
        }
        document(gathered, &mut reader, &block.text, block.line, Origin::Block);
    }
    gathered.plan.problems.extend(reader.into_problems());
}

/// Reads one YAML document.
fn document(gathered: &mut Gathered, reader: &mut Reader<'_>, text: &str, first_line: u32, origin: Origin) {
    let (root, mistakes) = yaml::parse(text, first_line);
    for (place, message) in mistakes {
        reader.tell(place, message);
    }
    let Some(root) = root.filter(|root| !root.is_null()) else { return };
    let Ok(fields) = reader.fields(&root, "checks and services", KEYS) else { return };
    let Gathered { plan, checks, services } = gathered;
    if let Ok(Some(items)) = reader.optional(&fields, "checks", |reader, node| reader.items(node, "checks")) {
        let read = items.iter().filter_map(|item| checks::check(reader, item).ok()).collect();
        let read = names::once(reader, "check", read, |check| &mut check.name);
        add(checks, read, &mut plan.notes, |check| (&check.name, &check.source));
    }
    let items = reader.optional(&fields, "services", |reader, node| reader.items(node, "services"));
    if let Ok(Some(items)) = items {
        let read = items.iter().filter_map(|item| services::service(reader, item).ok()).collect();
        let read = names::once(reader, "service", read, |service| &mut service.name);
        add(services, read, &mut plan.notes, |service| (&service.name, &service.source));
    }
    plan.only_declared |= setting(reader, &fields, "only_declared", origin);
    plan.remote_probes |= setting(reader, &fields, "remote_probes", origin);
}

/// A key that is for the file of our own alone. What an agent works on holds the blocks as well, and an agent must not be able
/// to turn off what is looked for, or to send probes out of the machine.
fn setting(reader: &mut Reader<'_>, fields: &Fields<'_>, key: &'static str, origin: Origin) -> bool {
    match fields.entry(key) {
        Some(entry) if origin == Origin::Block => {
            let message = format!("{key:?} counts in .candor/verify.yaml only; move it there");
            reader.tell(entry.place, message);
            false
        }
        _ => reader.optional(fields, key, Reader::flag).unwrap_or_default().unwrap_or(false),
    }
}

/// Adds what one text declares. A name that another text has given keeps its first meaning.
fn add<T>(
    all: &mut Vec<Named<T>>,
    read: Vec<Named<T>>,
    notes: &mut Vec<String>,
    parts: fn(&T) -> (&String, &Source),
) {
    for named in read {
        let (name, source) = parts(&named.item);
        let place = shown_place(source);
        let has_name = |known: &&Named<T>| known.given_at.is_some() && parts(&known.item).0 == name;
        if all.len() >= ITEMS_MAX {
            notes.push(format!(
                "{name:?} in {place} is left out: {ITEMS_MAX} of its kind are declared before it"
            ));
            // The same would hold for those that follow.
            return;
        }
        match all.iter().find(has_name).filter(|_| named.given_at.is_some()) {
            Some(first) => {
                let first = shown_place(parts(&first.item).1);
                notes.push(format!("{name:?} in {place} is left out: {first} declares that name"));
            }
            None => all.push(named),
        }
    }
}

fn shown_place(source: &Source) -> String {
    match source.line {
        Some(line) => format!("{}:{line}", source.file.display()),
        None => source.file.display().to_string(),
    }
}

/// Where something is declared.
fn declared_in(file: &Path, place: Place) -> Source {
    Source { file: file.to_owned(), line: Some(place.line), declared: true, why: "declared".to_owned() }
}
