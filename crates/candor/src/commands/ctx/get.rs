//! `candor ctx get`

use std::io::IsTerminal;

use candor_context::{Got, Mode, Report, Returned, Wanted};
use candor_protocol::{Code, Failure};
use serde_json::json;

use super::Desk;
use crate::cli::{CtxGet, CtxMode};
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::printer::tame;

/// The report is the last line of standard output, whatever happens before.
pub(super) fn run(asked: &CtxGet, context: &Context<'_>) -> Result<Exit, Fail> {
    let wanted = wanted(asked);
    let done = fetched(asked, &wanted, context);
    if asked.pd_report {
        let report = done.as_ref().map_or(Report::error(wanted.count()), |got| got.report);
        context.screen.say(format_args!("{report}"))?;
    }
    done.map(|_| Exit::Good)
}

fn wanted(asked: &CtxGet) -> Wanted {
    Wanted {
        ids: asked.ids.clone(),
        mode: match asked.mode {
            CtxMode::Excerpt => Mode::Excerpt,
            CtxMode::Raw => Mode::Raw,
            CtxMode::Skeleton => Mode::Skeleton,
        },
        budget: asked.budget,
        max_chunks: asked.max_chunks,
        stop_on_evidence: asked.stop_on_evidence,
        query: asked.query.clone(),
    }
}

fn fetched(asked: &CtxGet, wanted: &Wanted, context: &Context<'_>) -> Result<Got, Fail> {
    if wanted.count() == 0 {
        return Err(Failure::new(Code::UsageInvalidValue)
            .with("argument", "--ids")
            .with("value", format!("{:?}", asked.ids.join(",")))
            .with("detail", "There is no id in it.")
            .with("help", "candor ctx get --help")
            .into());
    }
    let desk = Desk::open(&asked.place, context)?;
    let redactor = context.screen.redactor();
    let mask = |text: &str| redactor.redact_str(text).into_owned();
    let got = candor_context::get(&desk.segment, wanted, &desk.options, &mask)?;
    if desk.json {
        context.screen.say(format_args!("{:#}", json!(got)))?;
    } else {
        got.chunks.iter().try_for_each(|returned| show(returned, context))?;
    }
    let left = got.report.chunks_requested - got.report.chunks_returned;
    if left > 0 {
        let reason = got.report.stop_reason.as_str();
        context.screen.note(format_args!("{left} more were asked for and not printed ({reason})"));
    }
    Ok(got)
}

fn show(returned: &Returned, context: &Context<'_>) -> Result<(), Fail> {
    let Returned { chunk, text, lines_left_out } = returned;
    let place = format!("{}:{}-{}", chunk.source_path, chunk.first_line, chunk.last_line);
    let head = format!("== {}  {}  ({place}) ==", chunk.id, chunk.title());
    context.screen.say(format_args!("{}", tame(&head).replace('\n', " ")))?;
    // A program gets the text as it is; a terminal must not act on it.
    let text = text.trim_end_matches('\n');
    if std::io::stdout().is_terminal() {
        context.screen.say(format_args!("{}", tame(text)))?;
    } else {
        context.screen.say(format_args!("{text}"))?;
    }
    if *lines_left_out > 0 {
        context.screen.say(format_args!("… {lines_left_out} more lines; --mode raw prints all"))?;
    }
    context.screen.say(format_args!(""))
}
