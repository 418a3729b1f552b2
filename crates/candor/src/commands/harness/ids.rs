//! The ids that a harness asks for: real ones, in an order that does not change.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

/// How many ids are asked for.
const IDS: usize = 2;
/// The kinds that say most about a segment, best first.
const KINDS: &[&str] = &["prime", "skill", "doc", "agent", "session", "config", "code"];
/// What the console shows of a report, as the seed does.
const SHOWN: &[&str] = &["chunks_returned", "strong_hit"];

/// Two ids of the pack; nothing when there is no pack, or an empty one.
pub(super) fn from_pack(directory: &Path) -> Option<Vec<String>> {
    let text = fs::read_to_string(directory.join("_ctx/context_pack.json")).ok()?;
    let pack: Value = serde_json::from_str(&text).ok()?;
    let chunks = pack.get("chunks")?.as_array()?;
    let mut ids: Vec<&str> = chunks.iter().filter_map(|chunk| chunk.get("id")?.as_str()).collect();
    ids.sort_by_key(|id| (rank(id), *id));
    ids.truncate(IDS);
    (!ids.is_empty()).then(|| ids.into_iter().map(str::to_owned).collect())
}

fn rank(id: &str) -> usize {
    let kind = id.split(':').next().unwrap_or_default();
    KINDS.iter().position(|known| *known == kind).unwrap_or(KINDS.len())
}

/// `['prime:363a719791', 'skill:03ba77a5e8']`, as the seed shows them.
pub(super) fn shown(ids: &[String]) -> String {
    let quoted: Vec<String> = ids.iter().map(|id| format!("'{id}'")).collect();
    format!("[{}]", quoted.join(", "))
}

/// `{'chunks_returned': 2, 'strong_hit': 0}`: numbers are numbers.
pub(super) fn shown_report(report: &Map<String, Value>) -> String {
    let known: Vec<String> =
        SHOWN.iter().filter_map(|name| Some(format!("'{name}': {}", report.get(*name)?))).collect();
    if known.is_empty() {
        Value::Object(report.clone()).to_string()
    } else {
        format!("{{{}}}", known.join(", "))
    }
}
