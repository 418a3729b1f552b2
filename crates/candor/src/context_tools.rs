//! The two tools by which a model looks things up in the context pack of the workspace, where there is one.
//!
//! They are here because `candor-tools` does not know packs, and `candor-context` does not know tools.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use candor_context::{CONFIG_PATH, Error, Mode, Options, Segment, Wanted};
use candor_protocol::ToolSpec;
use candor_tools::arguments::AtLeast;
use candor_tools::{BoxFuture, Effect, Registry, Tool, ToolContext, ToolOutput, arguments, choices};
use serde_json::{Value, json};

const SEARCH: &str = "context_search";
const GET: &str = "context_get";

/// How many chunks a search finds, unless the model wants another number.
const LIMIT: u64 = 5;
const LIMIT_MAX: u64 = 50;
/// About how many tokens a `context_get` returns.
const BUDGET: u64 = 4_000;

/// Offers the tools where the workspace is a segment.
pub(crate) fn offer(registry: &Registry, workspace: &Path) {
    if workspace.join(CONFIG_PATH).is_file() {
        registry.add(Arc::new(searching()));
        registry.add(Arc::new(getting()));
    }
}

arguments! {
    struct Sought<'a> {
        query: &'a str;
        limit: Option<AtLeast<1>>;
    }
}

arguments! {
    struct Read<'a> {
        ids: Vec<&'a str>;
        mode: Option<How>;
    }
}

choices! {
    /// How much of a section is read.
    enum How {
        Raw = "raw",
        Excerpt = "excerpt",
        Skeleton = "skeleton",
    }
}

/// A tool that looks into the pack.
struct ContextTool {
    spec: ToolSpec,
    problem: fn(&Value) -> Option<String>,
    run: for<'a> fn(&'a Value, &'a ToolContext) -> BoxFuture<'a, ToolOutput>,
}

impl Tool for ContextTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn problem(&self, args: &Value) -> Option<String> {
        (self.problem)(args)
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        (self.run)(args, context)
    }
}

fn searching() -> ContextTool {
    let description = "Find sections of the workspace's files, ranked.\nRead them with context_get.";
    ContextTool {
        spec: arguments::spec::<Sought<'_>>(SEARCH, description),
        problem: |args| arguments::read::<Sought<'_>>(args).err(),
        run: |args, context| {
            Box::pin(async {
                let Sought { query, limit } = match arguments::of(SEARCH, args) {
                    Ok(sought) => sought,
                    Err(error) => return ToolOutput::failure(&error),
                };
                let limit = limit.map_or(LIMIT, |limit| limit.0).min(LIMIT_MAX);
                output(search(query, u32::try_from(limit).unwrap_or(1), context).await)
            })
        },
    }
}

fn getting() -> ContextTool {
    ContextTool {
        spec: arguments::spec::<Read<'_>>(GET, "Read sections by the ids that context_search found."),
        problem: |args| arguments::read::<Read<'_>>(args).err(),
        run: |args, context| {
            Box::pin(async {
                let wanted = match arguments::of(GET, args) {
                    Ok(read) => wanted(&read),
                    Err(error) => return ToolOutput::failure(&error),
                };
                let (workspace, options) = (context.workspace.clone(), options(context));
                // A large pack takes a while to read, and other sessions must not wait for it.
                let read = tokio::task::spawn_blocking(move || get(&workspace, &wanted, &options)).await;
                match read {
                    Ok(read) => output(read),
                    Err(panic) => std::panic::resume_unwind(panic.into_panic()),
                }
            })
        },
    }
}

fn wanted(read: &Read<'_>) -> Wanted {
    let mode = match read.mode {
        Some(How::Raw) | None => Mode::Raw,
        Some(How::Excerpt) => Mode::Excerpt,
        Some(How::Skeleton) => Mode::Skeleton,
    };
    let ids = read.ids.iter().map(|id| (*id).to_owned()).collect();
    Wanted { ids, mode, budget: BUDGET, max_chunks: None, stop_on_evidence: false, query: None }
}

fn options(context: &ToolContext) -> Options {
    let rules = &context.rules;
    Options { hidden: rules.hidden.clone(), allowed: rules.allowed.clone(), ..Options::default() }
}

/// What the model and a person read, or the card.
fn output(done: Result<(String, String), Error>) -> ToolOutput {
    match done {
        Ok((for_model, for_people)) => ToolOutput::success(for_model, for_people),
        Err(error) => ToolOutput::refused(&error.failure()),
    }
}

async fn search(query: &str, limit: u32, context: &ToolContext) -> Result<(String, String), Error> {
    let segment = Segment::locate(&context.workspace)?;
    let found = candor_context::search(&segment, query, limit, &options(context)).await?;
    let hits = found.hits.iter().map(|hit| {
        json!({
            "id": hit.chunk.id,
            "title": hit.chunk.title(),
            "path": format!("{}:{}-{}", hit.chunk.source_path, hit.chunk.first_line, hit.chunk.last_line),
            "tokens": hit.chunk.tokens,
            "preview": hit.preview,
            "stale": hit.stale,
        })
    });
    let answer = json!({ "hits": hits.collect::<Vec<_>>(), "warning": found.warning });
    Ok((answer.to_string(), format!("{} found", found.hits.len())))
}

fn get(workspace: &Path, wanted: &Wanted, options: &Options) -> Result<(String, String), Error> {
    let segment = Segment::locate(workspace)?;
    // Secrets are masked where a result leaves for the model.
    let got = candor_context::get(&segment, wanted, options, &str::to_owned)?;
    let mut text = String::new();
    for returned in &got.chunks {
        let chunk = &returned.chunk;
        let place = format!("{}:{}-{}", chunk.source_path, chunk.first_line, chunk.last_line);
        let head = format!("== {} {} ({place}) ==", chunk.id, chunk.title());
        // Writing to a text does not fail, here and below.
        let _ = writeln!(text, "{head}\n{}\n", returned.text.trim_end());
    }
    let left = got.report.chunks_requested - got.report.chunks_returned;
    if left > 0 {
        let _ = writeln!(text, "{left} more did not fit; ask for them again");
    }
    Ok((text, format!("{} of {} read", got.report.chunks_returned, got.report.chunks_requested)))
}
