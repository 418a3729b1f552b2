//! `file_edit`: pieces of a file replaced by others.
//!
//! A piece must stand in the file once, as it is written or, failing that, with other spaces: a model that means one of
//! two places has to say which. All pieces are replaced, or none.

use candor_protocol::ToolSpec;
use serde_json::Value;

use crate::access::Access;
use crate::changing::{FILE_BYTES_MAX, Plan, Step, carry_out, diff, preview};
use crate::diffs::{RESULT_BYTES_MAX, cut};
use crate::file_write::writes;
use crate::line_ends::{Unified, with_line_end, without_cr};
use crate::matching::{exact, flexible, line_numbers, nearest};
use crate::target::LastLink;
use crate::{BoxFuture, Effect, Error, Reach, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "file_edit";

/// The most edits of one call.
const EDITS_MAX: usize = 100;

arguments! {
    struct Args<'a> {
        path: &'a str;
        // Not required: a single one may stand beside the path.
        edits: Option<Vec<Piece<'a>>>;
    }
}

arguments! {
    struct Piece<'a> {
        old: &'a str, or ["old_text", "oldText", "old_string", "oldString", "old_str"];
        new: &'a str, or ["new_text", "newText", "new_string", "newString", "new_str"];
        all: Option<bool>, or ["replace_all", "replaceAll"];
    }
}

/// Pieces of a file replaced by others.
pub(crate) struct FileEdit {
    spec: ToolSpec,
}

/// One piece.
struct Edit {
    old: String,
    new: String,
    is_everywhere: bool,
}

/// What was done, for the model.
#[derive(Default)]
struct Done {
    replaced: usize,
    is_flexible: bool,
}

impl FileEdit {
    pub(crate) fn new() -> Self {
        let description = "Replace pieces of a file.\nEach old must occur once, unless all is true.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description) }
    }

    async fn edit(args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let (asked, edits) = asked(args)?;
        let (plan, changes, done) =
            carry_out(NAME, context, move |access| planned(access, &asked, &edits)).await?;
        let path = plan.iter().map(|step| step.target.shown.display().to_string()).collect::<String>();
        if changes.is_empty() {
            let text = format!("No change: {path} is already like that.");
            return Ok(ToolOutput::success(text.clone(), text));
        }
        let how = if done.is_flexible { ", found by ignoring spaces" } else { "" };
        let count =
            if done.replaced == 1 { "1 place".to_owned() } else { format!("{} places", done.replaced) };
        let for_people = format!("{path}: {count}{how}");
        let room = RESULT_BYTES_MAX.min(context.rules.output_bytes_max.saturating_sub(for_people.len()));
        let for_model = format!("{for_people}\n{}", cut(diff(&plan), room));
        Ok(ToolOutput { changes, ..ToolOutput::success(for_model, for_people) })
    }
}

impl Tool for FileEdit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["edit", "edit_file"]
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
            let (asked, edits) = asked(args).ok()?;
            preview(NAME, context, move |access| planned(access, &asked, &edits)).await
        })
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::edit(args, context).await, context) })
    }
}

fn asked(args: &Value) -> Result<(String, Vec<Edit>), Error> {
    let read: Args<'_> = arguments::of(NAME, args)?;
    let pieces = match read.edits {
        Some(pieces) => pieces,
        None => vec![arguments::of(NAME, args)?],
    };
    if pieces.is_empty() || pieces.len() > EDITS_MAX {
        return Err(Error::arguments(
            NAME,
            format!("`edits` holds {} edits, not 1 to {EDITS_MAX}", pieces.len()),
        ));
    }
    let edits = pieces.iter().enumerate().map(|(index, piece)| Edit::of(piece, index + 1));
    Ok((read.path.to_owned(), edits.collect::<Result<_, _>>()?))
}

impl Edit {
    fn of(piece: &Piece<'_>, number: usize) -> Result<Self, Error> {
        if piece.old.trim().is_empty() {
            return Err(Error::arguments(NAME, format!("edit {number} has an `old` without any text")));
        }
        let (old, new) = (without_cr(piece.old), without_cr(piece.new));
        Ok(Self { old, new, is_everywhere: piece.all.unwrap_or(false) })
    }

    /// Replaces the piece in a text.
    fn apply(&self, raw: &str, done: &mut Done) -> Result<String, String> {
        let there = Unified::new(raw);
        let mut found = exact(&there.text, &self.old);
        if found.is_empty() {
            found = flexible(&there.text, &self.old);
            done.is_flexible |= !found.is_empty();
        }
        if found.is_empty() {
            let nearest = nearest(&there.text, &self.old);
            return Err(nearest.map_or_else(
                || "`old` is not in the file".to_owned(),
                |line| format!("`old` is not in the file; the nearest is {line}"),
            ));
        }
        if found.len() > 1 && !self.is_everywhere {
            let lines = line_numbers(&there.text, &found);
            return Err(format!(
                "`old` is in the file {} times, in lines {lines}: add lines around the one that is meant",
                found.len()
            ));
        }
        done.replaced += found.len();
        let mut text = String::with_capacity(raw.len());
        let mut from = 0;
        for place in &found {
            let range = there.raw(&place.range);
            if range.start < from {
                continue;
            }
            text.push_str(&raw[from..range.start]);
            text.push_str(&with_line_end(&place.adapted(&self.new), there.line_end()));
            from = range.end;
        }
        text.push_str(&raw[from..]);
        Ok(text)
    }
}

fn planned(access: &Access, asked: &str, edits: &[Edit]) -> Result<(Plan, Done), Error> {
    let mut step = Step::new(access, asked, LastLink::Follow)?;
    let mut text = step.text(asked)?;
    let mut done = Done::default();
    for (index, edit) in edits.iter().enumerate() {
        text = edit.apply(&text, &mut done).map_err(|reason| {
            let which = if edits.len() > 1 { format!("edit {}: ", index + 1) } else { String::new() };
            Error::arguments(NAME, format!("{which}{reason}"))
        })?;
        if text.len() > FILE_BYTES_MAX {
            return Err(Error::arguments(
                NAME,
                format!("the file would be longer than {FILE_BYTES_MAX} bytes"),
            ));
        }
    }
    step.after = Some(text.into_bytes());
    Ok((vec![step], done))
}
