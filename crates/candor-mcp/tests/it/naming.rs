//! What tools are called.

use serde_json::json;

use crate::rig::{Rig, offered};

#[tokio::test]
async fn a_name_has_only_what_providers_take_and_is_short_enough() {
    let rig = Rig::remembering();
    let long = "a server with a name that goes on for quite a while, really";
    let servers =
        rig.servers(&json!({ long: rig.fake("old"), "a.b": rig.fake("old"), "a b": rig.fake("old") }));
    for name in [long, "a.b", "a b"] {
        servers.probe(name).await.unwrap();
    }
    let names = offered(&servers);
    let mut apart = names.clone();
    apart.sort();
    apart.dedup();
    assert_eq!(apart.len(), names.len(), "{names:?}");
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    for name in &names {
        assert!(name.len() <= 64 && name.starts_with("mcp__") && name.chars().all(is_allowed), "{name}");
    }
    assert!(names.iter().any(|name| name.starts_with("mcp__a_b_") && name.ends_with("__dotted_name")));
    // The same whoever else is there.
    let alone = rig.servers(&json!({ "a b": rig.fake("old"), "a.b": rig.fake("old") }));
    let again = offered(&alone);
    assert!(again.iter().all(|name| names.contains(name)), "{again:?} {names:?}");
}
