//! `file_write`: a file in the workspace, as a whole.

use std::path::{Component, PathBuf};

use candor_protocol::ToolSpec;
use serde_json::{Value, json};

use crate::access::Access;
use crate::changing::{Plan, Step, carry_out, preview};
use crate::target::{LastLink, below_alias};
use crate::{BoxFuture, Effect, Error, Reach, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "file_write";

/// The most that one call writes. A model's answer is far smaller; this is for a caller that is no model.
const CONTENT_BYTES_MAX: usize = 16 << 20;

arguments! {
    struct Args<'a> {
        path: &'a str;
        content: &'a str;
    }
}

/// A file in the workspace, as a whole.
pub(crate) struct FileWrite {
    spec: ToolSpec,
}

impl FileWrite {
    pub(crate) fn new() -> Self {
        let description = "Write a whole file.\nMakes missing folders; replaces what is there.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description) }
    }

    async fn write(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let (asked, text) = asked(args)?;
        let bytes = text.len();
        let (plan, changes, ()) =
            carry_out(NAME, context, move |access| planned(access, &asked, text)).await?;
        let path = plan.iter().map(|step| step.target.shown.display().to_string()).collect::<String>();
        let for_people = format!("wrote {bytes} bytes to {path}");
        let for_model = json!({ "written_bytes": bytes, "path": path }).to_string();
        Ok(ToolOutput { changes, ..ToolOutput::success(for_model, for_people) })
    }
}

impl Tool for FileWrite {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["write", "write_file"]
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn reach(&self) -> Reach {
        Reach::Write
    }

    fn effect(&self, args: &Value, context: &ToolContext) -> Effect {
        arguments::read::<Args<'_>>(args).map_or(Effect::Acts, |args| writes(args.path, context))
    }

    fn preview<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, Option<String>> {
        Box::pin(async {
            let (asked, text) = asked(args).ok()?;
            preview(NAME, context, move |access| planned(access, &asked, text)).await
        })
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::write(args, context).await, context) })
    }
}

/// The effect of writing this file.
pub(crate) fn writes(asked: &str, context: &ToolContext) -> Effect {
    let path = context.workspace.join(asked);
    // Two spellings of one file must not look like two files.
    let path = if path.starts_with(&context.workspace) { path } else { in_workspace(path, context) };
    if path.components().any(|component| component == Component::ParentDir) {
        Effect::Acts
    } else {
        Effect::Writes(path.components().collect())
    }
}

/// The same path by the workspace's own name, where it leads there by another.
fn in_workspace(path: PathBuf, context: &ToolContext) -> PathBuf {
    let real = context.workspace.canonicalize().ok();
    let below = real.and_then(|real| below_alias(&path, &real).map(|below| context.workspace.join(below)));
    below.unwrap_or(path)
}

fn asked(args: &Value) -> Result<(String, String), Error> {
    let Args { path, content } = arguments::of(NAME, args)?;
    if content.len() > CONTENT_BYTES_MAX {
        return Err(Error::arguments(NAME, format!("`content` is longer than {CONTENT_BYTES_MAX} bytes")));
    }
    Ok((path.to_owned(), content.to_owned()))
}

fn planned(access: &Access, asked: &str, text: String) -> Result<(Plan, ()), Error> {
    let mut step = Step::new(access, asked, LastLink::Follow)?;
    step.after = Some(text.into_bytes());
    Ok((vec![step], ()))
}
