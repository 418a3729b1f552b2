//! What folders below the workspace say about working in them.

use std::fs;

use serde_json::{Value, json};

use crate::rig::Rig;

fn rig() -> Rig {
    let rig = Rig::new();
    fs::create_dir_all(rig.inside("web/api")).unwrap();
    fs::write(rig.inside("AGENTS.md"), "Of the workspace.").unwrap();
    fs::write(rig.inside("web/AGENTS.md"), "Use tabs.").unwrap();
    fs::write(rig.inside("web/CLAUDE.md"), "Not read beside the other.").unwrap();
    fs::write(rig.inside("web/api/CLAUDE.md"), "Use spaces here.").unwrap();
    fs::write(rig.inside("web/api/file"), "text").unwrap();
    fs::write(rig.inside("file"), "text").unwrap();
    rig
}

#[tokio::test]
async fn the_first_result_about_a_folder_tells_them_the_nearest_last() {
    let rig = rig();
    let first = rig.read("web/api/file").await.for_model;
    let (tabs, spaces) = (first.find("Use tabs.").unwrap(), first.find("Use spaces here.").unwrap());
    assert!(first.starts_with("text") && tabs < spaces && !first.contains("Not read"), "{first}");
    assert!(!first.contains("Of the workspace."), "it stands in the prompt: {first}");
    assert_eq!(rig.read("web/api/file").await.for_model, "text");
}

#[tokio::test]
async fn a_file_that_is_written_brings_them_too() {
    let rig = rig();
    let told: Value = serde_json::from_str(&rig.write("web/new", "x").await.for_model).unwrap();
    assert!(told["instructions"].as_str().unwrap().contains("Use tabs."), "{told}");
    assert_eq!(rig.read("file").await.for_model, "text");
}

#[tokio::test]
async fn no_link_and_no_hidden_file_is_told() {
    let mut rig = rig();
    fs::remove_file(rig.inside("web/AGENTS.md")).unwrap();
    std::os::unix::fs::symlink(rig.outside("canary"), rig.inside("web/AGENTS.md")).unwrap();
    rig.context.rules.hidden = vec![rig.inside("web/api/CLAUDE.md")];
    let told = rig.read("web/api/file").await.for_model;
    assert!(!told.contains(crate::rig::CANARY) && !told.contains("Use spaces"), "{told}");
    let told = rig.call("file_read", json!({ "path": "web/../web/api/file" })).await.for_model;
    assert!(!told.contains(crate::rig::CANARY), "{told}");
}

#[tokio::test]
async fn words_that_are_no_text_are_told_as_that() {
    let rig = rig();
    fs::write(rig.inside("web/AGENTS.md"), b"U\0s\0e\0").unwrap();
    let told = rig.read("web/api/file").await.for_model;
    assert!(told.contains("[left out: the file is not UTF-8 text]") && !told.contains('\0'), "{told}");
}
