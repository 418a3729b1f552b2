//! `candor errors stats`: which failures were met, and got past.

use candor_log::{Clock, read};
use candor_protocol::Moment;
use candor_runtime::Runtime;
use candor_store::{CardRow, Location};
use serde_json::json;

use crate::assemble;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::screen::block_on;

/// What the columns count, for a person who sees them for the first time.
const LEGEND: &str = "recovered: failed calls after which the same worked in the same run; by runtime: those that the safe steps of \
                      the card repaired; rate: recovered of failed calls; median time: from the first failure to that";

/// Reads the stored sessions: the log tells the same, but not for as long.
pub(crate) fn run(since: Option<&str>, as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    let since = since.map(|text| read::parse_moment(text, Clock::system().now())).transpose()?;
    let database = assemble::database(&loaded);
    // A question makes no home where there is none.
    let rows = if matches!(&database, Location::File(path) if !path.exists()) {
        Vec::new()
    } else {
        block_on(async {
            let runtime = Runtime::open_for_questions(&database, Vec::new()).await?;
            Ok(runtime.query().cards(since.map(Moment::at)).await.map_err(|error| error.failure())?)
        })?
    };
    if as_json {
        context.screen.say(format_args!("{}", json!(rows)))?;
        return Ok(Exit::Good);
    }
    if rows.is_empty() {
        let when = if since.is_some() { "since then" } else { "yet" };
        context.screen.note(format_args!("no failures in runs of the agent {when}"));
        return Ok(Exit::Good);
    }
    let width = rows.iter().map(|row| row.code.len()).max().unwrap_or(0).max("code".len());
    context.screen.say(format_args!(
        "{:width$}  {:>12}  {:>10}  {:>9}  {:>10}  {:>4}  {:>11}",
        "code", "failed calls", "ended runs", "recovered", "by runtime", "rate", "median time"
    ))?;
    for row in &rows {
        context.screen.say(format_args!("{}", line(row, width)))?;
    }
    context.screen.note(format_args!("{LEGEND}"));
    Ok(Exit::Good)
}

fn line(row: &CardRow, width: usize) -> String {
    let rate = row.recovery_rate.map_or_else(|| "-".to_owned(), |rate| format!("{:.0}%", rate * 100.0));
    #[expect(clippy::cast_precision_loss, reason = "a time for people")]
    let median = row.median_ms.map_or_else(|| "-".to_owned(), |ms| format!("{:.1} s", ms as f64 / 1000.0));
    format!(
        "{:width$}  {:>12}  {:>10}  {:>9}  {:>10}  {rate:>4}  {median:>11}",
        row.code, row.calls, row.runs, row.recovered, row.recovered_by_auto
    )
}
