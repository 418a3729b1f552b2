//! `candor ctx`

mod cards;
mod commands;
mod tools;

use candor_testkit::{Home, Ran};

use crate::rig::candor;

/// A workspace with a few files, that is no segment yet.
fn home() -> Home {
    let home = Home::new();
    home.write_in_workspace("README.md", "# The Thing\n\nIt greets people.\n");
    home.write_in_workspace("src/lib.rs", "/// Says hello.\npub fn greet(name: &str) {}\n");
    home
}

/// The same as a segment that was synced.
fn synced() -> Home {
    let home = home();
    run(&home, "ctx create").ok();
    run(&home, "ctx sync").ok();
    home
}

fn run(home: &Home, line: &str) -> Ran {
    candor(home, line).run()
}

/// The ids in the pack of the chunks of a file.
fn ids(home: &Home, path: &str) -> Vec<String> {
    let text = std::fs::read_to_string(home.workspace().join("_ctx/context_pack.json")).unwrap();
    let pack: serde_json::Value = serde_json::from_str(&text).unwrap();
    let chunks = pack["chunks"].as_array().unwrap().iter();
    let of_file = chunks.filter(|chunk| chunk["source_path"].as_str().unwrap().contains(path));
    of_file.map(|chunk| chunk["id"].as_str().unwrap().to_owned()).collect()
}
