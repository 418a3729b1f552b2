//! `candor usage`

use candor_log::{Clock, read};
use candor_protocol::Moment;
use candor_runtime::Runtime;
use candor_store::{Grouping, UsageRow};
use serde_json::json;

use crate::assemble;
use crate::cli::{Usage, UsageBy};
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::screen::block_on;

pub(crate) fn run(options: &Usage, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    loaded.home.make()?;
    let since =
        options.since.as_deref().map(|text| read::parse_moment(text, Clock::system().now())).transpose()?;
    let by = match options.by {
        UsageBy::Day => Grouping::Day,
        UsageBy::Model => Grouping::Model,
        UsageBy::Session => Grouping::Session,
    };
    let rows = block_on(async {
        let runtime = Runtime::open_for_questions(&assemble::database(&loaded), Vec::new()).await?;
        Ok(runtime.query().usage(by, since.map(Moment::at)).await.map_err(|error| error.failure())?)
    })?;
    if options.json {
        context.screen.say(format_args!("{}", json!(rows)))?;
        return Ok(Exit::Good);
    }
    if rows.is_empty() {
        context.screen.note(format_args!("no runs yet"));
        return Ok(Exit::Good);
    }
    context.screen.say(format_args!(
        "{:<36} {:>5} {:>6} {:>12} {:>12} {:>12} {:>10}",
        "", "runs", "turns", "input", "from cache", "output", "US dollars"
    ))?;
    for row in &rows {
        context.screen.say(format_args!("{}", line(row)))?;
    }
    context.screen.note(format_args!("prices as of {}", candor_llm::prices::PRICES_DATE));
    Ok(Exit::Good)
}

fn line(row: &UsageRow) -> String {
    let cost = match (row.unpriced_runs, row.runs) {
        (0, _) => format!("{:.4}", row.cost_usd),
        (unpriced, runs) if unpriced == runs => "unknown".to_owned(),
        _ => format!(">{:.4}", row.cost_usd),
    };
    format!(
        "{:<36} {:>5} {:>6} {:>12} {:>12} {:>12} {:>10}",
        row.key,
        row.runs,
        row.turns,
        row.usage.input_tokens,
        row.usage.cache_read_tokens,
        row.usage.output_tokens,
        cost
    )
}
