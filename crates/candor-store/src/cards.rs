//! How often which failure was met, and how often it was got past.

use std::collections::BTreeMap;

use candor_protocol::{Moment, Recovered, RecoveredBy};
use serde::{Deserialize, Serialize};

use crate::row::{count, session};
use crate::{Error, Store};

/// How many events are read at a time: a result may be long, and all of a page is in memory.
const PAGE_EVENTS_MAX: u32 = 100;
/// How many codes are told apart. Programs print codes of their own, which are as many as they like.
const CODES_MAX: usize = 10_000;
/// How many times to recovery are kept of one code, for the one in the middle.
const TIMES_MAX: usize = 10_000;

/// How often one failure was met, and got past.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CardRow {
    /// The code of its card.
    pub code: String,
    /// How often a call failed with it.
    pub calls: u64,
    /// How often it ended a run.
    pub runs: u64,
    /// How many of the calls were got past in the same run: the same worked later.
    pub recovered: u64,
    /// How many of those the runtime repaired by itself.
    pub recovered_by_auto: u64,
    /// The part of the calls that was got past; nothing where there was no call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_rate: Option<f64>,
    /// How long it took from the first failure on, the one in the middle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<u64>,
}

/// What is read of an event: a result can be long, and nothing of it is needed.
#[derive(Deserialize)]
struct Told {
    card: Option<Head>,
    #[serde(default)]
    recovered: Vec<Recovered>,
}

#[derive(Deserialize)]
struct Head {
    code: String,
}

#[derive(Default)]
struct Tally {
    row: CardRow,
    times: Vec<u64>,
}

impl Store {
    /// The failures that calls and runs met, those met most often first; with `since`, only what happened then or later. A
    /// run that a copy of a session repeats counts once.
    ///
    /// Results that worked and got past nothing stay in the database: there are far more of them.
    pub async fn cards(&self, since: Option<Moment>) -> Result<Vec<CardRow>, Error> {
        let sql = "SELECT e.session_id, e.seq, e.type, e.body FROM events e \
                   WHERE (e.session_id, e.seq) > ($1, $2) AND e.at_ms >= $3 \
                   AND (e.type = 'error' OR (e.type = 'tool_result' \
                   AND (e.body LIKE '%\"isError\":true%' OR e.body LIKE '%\"recovered\":[%'))) \
                   AND EXISTS (SELECT 1 FROM runs r WHERE r.run_id = e.run_id AND r.session_id = e.session_id) \
                   AND e.session_id NOT IN (SELECT id FROM sessions WHERE last_seq < 0) \
                   ORDER BY e.session_id, e.seq LIMIT $4";
        let since = since.map_or(i64::MIN, Moment::as_millis);
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        let (mut last, mut seq) = (String::new(), 0);
        loop {
            let values = [(&last).into(), seq.into(), since.into(), PAGE_EVENTS_MAX.into()];
            let rows = self.rows(sql, &values).await?;
            for row in &rows {
                let (id, number) = (self.read(session(row, "session_id"))?, self.read(count(row, "seq"))?);
                let body = self.read(row.text("body"))?;
                let told = serde_json::from_str(body).map_err(|_| {
                    Error::damaged(self.name(), format_args!("event {number} of session {id} cannot be read"))
                })?;
                add(&mut tallies, told, self.read(row.text("type"))? == "error");
            }
            let Some(end) = rows.last() else { break };
            last = self.read(end.text("session_id"))?.to_owned();
            seq = self.read(end.int("seq"))?;
        }
        let mut found: Vec<CardRow> = tallies.into_iter().map(|(code, tally)| tally.row(code)).collect();
        found.sort_by_key(|row| std::cmp::Reverse(row.calls + row.runs));
        Ok(found)
    }
}

fn add(tallies: &mut BTreeMap<String, Tally>, told: Told, ends_run: bool) {
    if let Some(tally) = told.card.and_then(|card| tally(tallies, card.code)) {
        *if ends_run { &mut tally.row.runs } else { &mut tally.row.calls } += 1;
    }
    for past in told.recovered {
        let Some(tally) = tally(tallies, past.code) else { continue };
        tally.row.recovered += past.failures;
        if past.by == RecoveredBy::Auto {
            tally.row.recovered_by_auto += past.failures;
        }
        if tally.times.len() < TIMES_MAX {
            tally.times.push(past.duration_ms);
        }
    }
}

fn tally(tallies: &mut BTreeMap<String, Tally>, code: String) -> Option<&mut Tally> {
    let has_room = tallies.len() < CODES_MAX || tallies.contains_key(&code);
    has_room.then(|| tallies.entry(code).or_default())
}

impl Tally {
    fn row(mut self, code: String) -> CardRow {
        self.times.sort_unstable();
        let median_ms = self.times.get(self.times.len() / 2).copied();
        // With `since`, what failed before it may have been got past after it.
        let recovered = self.row.recovered.min(self.row.calls);
        #[expect(clippy::cast_precision_loss, reason = "counts of failures are far below 2^52")]
        let recovery_rate = (self.row.calls > 0).then(|| recovered as f64 / self.row.calls as f64);
        CardRow { code, recovered, recovery_rate, median_ms, ..self.row }
    }
}
