//! `list`: what is in a folder.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use candor_protocol::ToolSpec;
use rustix::fs::{FileType, Mode, OFlags, openat};
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::access::Access;
use crate::arguments::AtLeast;
use crate::diffs::shown;
use crate::output::counted;
use crate::shortened::{self, Shortened};
use crate::walk::entries;
use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "list";

const DEPTH_MAX: u64 = 10;
const ENTRIES_MAX: usize = 1000;
/// What the line about a cut may take of the output.
const NOTE_BYTES_MAX: usize = 128;

arguments! {
    struct Args<'a> {
        path: Option<&'a str>;
        depth: Option<AtLeast<1>>;
    }
}

/// What is in a folder.
pub(crate) struct List {
    spec: ToolSpec,
}

impl List {
    pub(crate) fn new() -> Self {
        let description = "List a folder.\nFolders end in /.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description) }
    }

    async fn list(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let args: Args<'_> = arguments::of(NAME, args)?;
        let asked = args.path.unwrap_or(".").to_owned();
        let depth = args.depth.map_or(1, |depth| depth.0).min(DEPTH_MAX);
        let access = Access::new(NAME, context);
        let room = context.rules.output_bytes_max.saturating_sub(NOTE_BYTES_MAX);
        let listed = spawn_blocking(move || listed(&access, &asked, depth, room));
        let listed = listed.await.map_err(|_| Error::Interrupted { tool: NAME.to_owned() })??;
        Ok(shortened::told(listed, NAME, context))
    }
}

impl Tool for List {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["ls", "list_directory"]
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::list(args, context).await, context) })
    }
}

fn listed(
    access: &Access,
    asked: &str,
    depth: u64,
    room: usize,
) -> Result<(ToolOutput, Option<Shortened>), Error> {
    let held = access.hold(asked)?;
    let folder = held.directory()?;
    let mut listing =
        Listing { access, real: held.real(), text: String::new(), count: 0, shortened: None, room };
    listing.add(&folder, Path::new(""), depth);
    if access.context.cancel.is_cancelled() {
        return Err(Error::Interrupted { tool: NAME.to_owned() });
    }
    let Listing { mut text, count, shortened, .. } = listing;
    if shortened.is_some() {
        text.push_str("[list truncated] there are more; list a folder below, or use find\n");
    } else if text.is_empty() {
        text.push_str("[empty]\n");
    }
    Ok((ToolOutput::success(text, counted(count as u64, "entry", "entries")), shortened))
}

struct Listing<'a> {
    access: &'a Access,
    real: &'a Path,
    text: String,
    count: usize,
    /// Set with the first entry that finds no room; nobody looks how many there are besides.
    shortened: Option<Shortened>,
    room: usize,
}

impl Listing<'_> {
    /// Adds what is in an open folder, each folder followed by what is in it.
    fn add(&mut self, folder: &OwnedFd, path: &Path, depth: u64) {
        for (name, kind) in entries(folder) {
            let path: PathBuf = path.join(&name);
            if self.shortened.is_some() || self.access.context.cancel.is_cancelled() {
                return;
            }
            if self.access.check_read("", &self.real.join(&path), None).is_err() {
                continue;
            }
            let end = match kind {
                FileType::Directory => "/\n",
                FileType::Symlink => "@\n",
                _ => "\n",
            };
            let line = shown(&path) + end;
            if self.count == ENTRIES_MAX || self.text.len() + line.len() > self.room {
                let kept = self.text.len();
                self.shortened = Some(Shortened::new(kept + line.len(), kept));
                return;
            }
            self.text.push_str(&line);
            self.count += 1;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            if kind == FileType::Directory
                && depth > 1
                && let Ok(below) = openat(folder, &name, flags, Mode::empty())
            {
                self.add(&below, &path, depth - 1);
            }
        }
    }
}
