//! `find`: files and folders by their names.

use std::fmt::Write;
use std::path::Path;

use candor_protocol::ToolSpec;
use ignore::overrides::Override;
use rustix::fs::FileType;
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::access::Access;
use crate::arguments::AtLeast;
use crate::first::First;
use crate::search::{dots, glob};
use crate::shortened::{self, Shortened};
use crate::walk::{DotNames, Entry, Visitor, named, walk};
use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput, arguments, choices};

const NAME: &str = "find";

const RESULTS: usize = 500;
const RESULTS_MAX: usize = 5000;
/// What the line about a cut may take of the output.
const NOTE_BYTES_MAX: usize = 128;

choices! {
    enum Kind {
        File = "file",
        Directory = "directory",
        All = "all",
    }
}

arguments! {
    struct Args<'a> {
        pattern: &'a str = "glob";
        path: Option<&'a str>;
        kind: Option<Kind>;
        max: Option<AtLeast<1>>;
    }
}

/// Files and folders by their names.
pub(crate) struct Find {
    spec: ToolSpec,
}

/// What is sought, and where.
struct Query {
    path: String,
    pattern: String,
    kind: Kind,
    dots: DotNames,
    results_max: usize,
    output_bytes_max: usize,
}

impl Find {
    pub(crate) fn new() -> Self {
        let description = "Find files by name.\nHeeds .gitignore.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description) }
    }

    async fn find(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let query = Query::of(&arguments::of(NAME, args)?, context);
        let access = Access::new(NAME, context);
        let found = spawn_blocking(move || query.run(&access));
        let found = found.await.map_err(|_| Error::Interrupted { tool: NAME.to_owned() })??;
        Ok(shortened::told(found, NAME, context))
    }
}

impl Tool for Find {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::find(args, context).await, context) })
    }
}

impl Query {
    fn of(args: &Args<'_>, context: &ToolContext) -> Self {
        let pattern = args.pattern;
        // A bare word is a part of a name.
        let is_word = !pattern.is_empty() && !pattern.contains(['*', '?', '[', '{', '/', '!']);
        let max = args.max.map_or(RESULTS, |max| usize::try_from(max.0).unwrap_or(usize::MAX));
        Self {
            path: args.path.unwrap_or(".").to_owned(),
            pattern: if is_word { format!("*{pattern}*") } else { pattern.to_owned() },
            kind: args.kind.unwrap_or(Kind::All),
            dots: dots(pattern),
            results_max: max.min(RESULTS_MAX),
            output_bytes_max: context.rules.output_bytes_max,
        }
    }

    fn run(&self, access: &Access) -> Result<(ToolOutput, Option<Shortened>), Error> {
        let root = access.hold(&self.path)?;
        let glob = glob(NAME, root.real(), &self.pattern)?;
        // One more tells whether there are more.
        let first = First::new(self.results_max + 1);
        walk(access, &root, self.dots, || Names { access, glob: &glob, kind: self.kind, first: &first })?;
        if access.context.cancel.is_cancelled() {
            return Err(Error::Interrupted { tool: NAME.to_owned() });
        }
        Ok(self.told(first))
    }

    fn told(&self, first: First<FileType>) -> (ToolOutput, Option<Shortened>) {
        let room = self.output_bytes_max.saturating_sub(NOTE_BYTES_MAX);
        let (mut text, mut count, mut found_bytes) = (String::new(), 0, 0);
        let mut is_cut = false;
        let results = first.into_results();
        let (found, is_all) = (results.len(), results.len() <= self.results_max);
        for (path, kind) in results {
            let end = if kind == FileType::Directory { "/\n" } else { "\n" };
            let name = named(&self.path, &path);
            found_bytes += name.len() + end.len();
            is_cut |= count == self.results_max || found_bytes > room;
            if is_cut {
                continue;
            }
            text.push_str(&name);
            text.push_str(end);
            count += 1;
        }
        let shortened = is_cut.then(|| Shortened::new(found_bytes, text.len()));
        if is_cut {
            let at_least = if is_all { "" } else { "at least " };
            // Writing into a string cannot fail.
            let _ = writeln!(
                text,
                "[find truncated] returned {count} of {at_least}{found}; narrow pattern, path or kind"
            );
        } else if text.is_empty() {
            text.push_str("[nothing found]\n");
        }
        (ToolOutput::success(text, format!("{count} found")), shortened)
    }
}

/// Looks at names on one thread.
struct Names<'a> {
    access: &'a Access,
    glob: &'a Override,
    kind: Kind,
    first: &'a First<FileType>,
}

impl Visitor for Names<'_> {
    fn wants(&self, path: &Path) -> bool {
        self.first.wants(path)
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        let is_folder = entry.kind == FileType::Directory;
        let is_kind = match self.kind {
            Kind::All => true,
            Kind::Directory => is_folder,
            Kind::File => !is_folder,
        };
        // Folders are asked about like files: what may be below one does not make it a result. Names tell something, too.
        if is_kind
            && !self.glob.matched(entry.real, false).is_ignore()
            && self.access.check_read("", entry.real, None).is_ok()
        {
            self.first.add(&entry.path, 1, entry.kind);
        }
    }
}
