//! Statements that a database would not give back.

use crate::call::Call;
use crate::verdict::Finding;

pub(super) fn judge(call: &Call<'_>) -> Option<Finding> {
    let gone = |what: &str| Some(Finding::ask("database", format!("it {what}")));
    match call.name {
        "dropdb" | "dropuser" => return gone("deletes a database"),
        "mysqladmin" if call.has_word(&["drop"]) => return gone("deletes a database"),
        "redis-cli" | "valkey-cli" => {
            let flushes = call
                .args()
                .any(|arg| matches!(arg.to_uppercase().as_str(), "FLUSHALL" | "FLUSHDB" | "SHUTDOWN"));
            return if flushes { gone("empties a database") } else { None };
        }
        _ => {}
    }
    let texts = call.args().chain(call.flow.text.as_deref());
    let is_lost = texts.filter(|text| text.contains([' ', '.', '\n'])).any(loses);
    if is_lost { gone("deletes data from a database") } else { None }
}

/// Does this text drop, truncate or delete without a condition?
pub(super) fn loses(text: &str) -> bool {
    let text = text.to_uppercase();
    if text.contains(".DROPDATABASE(")
        || text.contains(".DROP()")
        || text.contains(".DELETEMANY({})")
        || text.contains(".REMOVE({})")
    {
        return true;
    }
    text.split(';').any(|statement| {
        let words: Vec<&str> = statement
            .split(|c: char| c.is_whitespace() || "('\"".contains(c))
            .filter(|word| !word.is_empty())
            .collect();
        let has = |first: &str, second: &[&str]| {
            words.windows(2).any(|pair| pair[0] == first && second.contains(&pair[1]))
        };
        let drops = has(
            "DROP",
            &[
                "TABLE",
                "DATABASE",
                "SCHEMA",
                "INDEX",
                "VIEW",
                "COLLECTION",
                "KEYSPACE",
                "USER",
                "ROLE",
                "COLUMN",
                "OWNED",
            ],
        );
        let truncates = words.first() == Some(&"TRUNCATE") || has("TRUNCATE", &["TABLE"]);
        let deletes = has("DELETE", &["FROM"]) && !words.contains(&"WHERE");
        drops || truncates || deletes
    })
}
