//! `apply_patch`: several files changed by one patch, all of them or none.

use std::path::PathBuf;

use candor_beneath::Facts;
use candor_protocol::ToolSpec;
use serde_json::Value;

use crate::access::Access;
use crate::changing::{FILE_BYTES_MAX, Plan, Step, carry_out, diff, preview};
use crate::diffs::{RESULT_BYTES_MAX, cut};
use crate::error::bounded;
use crate::file_write::writes;
use crate::patch::{self, Action, FilePatch};
use crate::target::{LastLink, NewMode};
use crate::{BoxFuture, Effect, Error, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "apply_patch";

/// The longest patch. A model's answer is far shorter.
const PATCH_BYTES_MAX: usize = 4 << 20;
/// What all files of one patch may hold together: they are held in memory, to be able to put them back.
const TOTAL_BYTES_MAX: usize = 64 << 20;

arguments! {
    struct Args<'a> {
        patch: &'a str;
    }
}

/// Several files changed by one patch.
pub(crate) struct ApplyPatch {
    spec: ToolSpec,
}

impl ApplyPatch {
    pub(crate) fn new() -> Self {
        let description = "Change, add, delete or rename files by a patch, all or none.\n\
            A unified diff, or *** Begin Patch with *** Add|Update|Delete File: sections.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description) }
    }

    async fn apply(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let files = read(args)?;
        let (plan, changes, ()) = carry_out(NAME, context, move |access| planned(access, &files)).await?;
        if changes.is_empty() {
            let text = "No change: the files are already like that.";
            return Ok(ToolOutput::success(text, text));
        }
        let lines: Vec<String> = plan.iter().filter(|step| step.is_change()).map(told).collect();
        let for_people = lines.join(", ");
        let room = RESULT_BYTES_MAX.min(context.rules.output_bytes_max.saturating_sub(for_people.len()));
        let for_model = format!("{}\n{}", lines.join("\n"), cut(diff(&plan), room));
        Ok(ToolOutput { changes, ..ToolOutput::success(for_model, for_people) })
    }
}

impl Tool for ApplyPatch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn effect(&self, args: &Value, context: &ToolContext) -> Effect {
        let mut paths: Vec<PathBuf> = Vec::new();
        for file in read(args).unwrap_or_default() {
            for name in names(&file) {
                let Effect::Writes(path) = writes(name, context) else { return Effect::Acts };
                paths.push(path);
            }
        }
        Effect::WritesSeveral(paths)
    }

    fn preview<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, Option<String>> {
        Box::pin(async {
            let files = read(args).ok()?;
            preview(NAME, context, move |access| planned(access, &files)).await
        })
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::apply(args, context).await, context) })
    }
}

fn read(args: &Value) -> Result<Vec<FilePatch>, Error> {
    let Args { patch: text } = arguments::of(NAME, args)?;
    if text.len() > PATCH_BYTES_MAX {
        return Err(Error::arguments(NAME, format!("`patch` is longer than {PATCH_BYTES_MAX} bytes")));
    }
    patch::read(text).map_err(|reason| Error::arguments(NAME, reason))
}

/// The files that a part of a patch touches.
fn names(file: &FilePatch) -> impl Iterator<Item = &str> {
    let moved_to = match &file.action {
        Action::Update { moved_to, .. } => moved_to.as_deref(),
        _ => None,
    };
    std::iter::once(file.path.as_str()).chain(moved_to)
}

/// What became of a file.
fn told(step: &Step) -> String {
    let what = match (step.was_there(), &step.after) {
        (false, _) => "added",
        (true, None) => "deleted",
        (true, Some(_)) => "changed",
    };
    format!("{what} {}", step.target.shown.display())
}

/// Looks at every file, so that everything that can be wrong is known before the first one is changed.
fn planned(access: &Access, files: &[FilePatch]) -> Result<(Plan, ()), Error> {
    let mut draft = Draft { access, plan: Vec::new() };
    for file in files {
        draft.add(file)?;
        let bytes: usize = draft.plan.iter().filter_map(|step| step.after.as_ref()).map(Vec::len).sum();
        if bytes > TOTAL_BYTES_MAX {
            return Err(Error::arguments(NAME, format!("its files hold more than {TOTAL_BYTES_MAX} bytes")));
        }
    }
    Ok((draft.plan, ()))
}

struct Draft<'a> {
    access: &'a Access,
    plan: Plan,
}

impl Draft<'_> {
    /// A later part of a patch sees what an earlier one did.
    fn step(&mut self, asked: &str, last: LastLink) -> Result<&mut Step, Error> {
        let step = Step::new(self.access, asked, last)?;
        let known = self.plan.iter().position(|known| known.target.real == step.target.real);
        let index = known.unwrap_or_else(|| {
            self.plan.push(step);
            self.plan.len() - 1
        });
        Ok(&mut self.plan[index])
    }

    fn add(&mut self, file: &FilePatch) -> Result<(), Error> {
        let asked = file.path.as_str();
        let wrong = |reason: String| Error::arguments(NAME, format!("{}: {reason}", bounded(asked)));
        match &file.action {
            Action::Add(text) => {
                let step = self.step(asked, LastLink::Follow)?;
                if step.after.is_some() {
                    return Err(wrong("it is already there; change it, or delete it first".to_owned()));
                }
                step.after = Some(text.clone().into_bytes());
                step.mode = mode(file);
            }
            Action::Delete(hunks) => {
                let step = self.step(asked, LastLink::Refuse)?;
                let text =
                    if hunks.is_empty() && step.after.is_some() { None } else { Some(step.text(asked)?) };
                if let Some(text) = text
                    && !patch::apply(&text, hunks).map_err(wrong)?.is_empty()
                {
                    return Err(wrong("it holds more than what the patch deletes".to_owned()));
                }
                step.after = None;
            }
            Action::Update { hunks, moved_to } => {
                let last = if moved_to.is_some() { LastLink::Refuse } else { LastLink::Follow };
                let step = self.step(asked, last)?;
                let text = patch::apply(&step.text(asked)?, hunks).map_err(wrong)?;
                if text.len() > FILE_BYTES_MAX {
                    return Err(wrong(format!("it would be longer than {FILE_BYTES_MAX} bytes")));
                }
                match moved_to {
                    None => {
                        step.after = Some(text.into_bytes());
                        step.mode = mode(file);
                    }
                    Some(name) => self.rename(file, name, text)?,
                }
            }
        }
        Ok(())
    }

    fn rename(&mut self, file: &FilePatch, name: &str, text: String) -> Result<(), Error> {
        let old = self.step(&file.path, LastLink::Refuse)?;
        let old_mode = old.target.old.map_or(NewMode::Usual, |old| NewMode::Exactly(old.permissions()));
        old.after = None;
        let new = self.step(name, LastLink::Refuse)?;
        if new.after.is_some() {
            let old = bounded(&file.path);
            let reason = format!("{}: it is already there, and {old} cannot take its name", bounded(name));
            return Err(Error::arguments(NAME, reason));
        }
        new.after = Some(text.into_bytes());
        new.mode = if file.executable.is_some() { mode(file) } else { old_mode };
        Ok(())
    }
}

fn mode(file: &FilePatch) -> NewMode {
    file.executable.map_or(NewMode::Usual, NewMode::Executable)
}
