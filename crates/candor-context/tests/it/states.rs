//! Every state a segment can be in, and that each has a way out.

use std::fs;
use std::os::unix::fs::symlink;

use candor_context::{Error, Made, Segment, get, refresh_prime, search, stats, validate};

use crate::rig::{Rig, wanted};

/// What all commands that need the segment say about its state, which must be the same.
async fn state(rig: &Rig) -> &'static str {
    let segment = rig.segment();
    let said = [
        rig.try_sync().await.err(),
        search(&segment, "thing", 5, &rig.options).await.err(),
        get(&segment, &wanted(&["doc:0"]), &rig.options, &str::to_owned).err(),
        validate(&segment, &rig.options).await.err(),
        stats(&segment, &rig.options).err(),
    ];
    let codes: Vec<&str> = said.iter().map(|error| error.as_ref().unwrap().failure().code.as_str()).collect();
    assert!(codes.iter().all(|code| *code == codes[0]), "{codes:?}");
    codes[0]
}

#[tokio::test]
async fn no_configuration_is_not_initialized_whatever_else_is_there() {
    let rig = Rig::synced(&[("README.md", "# The Thing\n")]).await;
    fs::remove_file(rig.path("_ctx/candor_config.json")).unwrap();
    assert_eq!(state(&rig).await, "SEGMENT_NOT_INITIALIZED");
    // A prime file that people may have written in is taken up again.
    let before = rig.prime();
    assert_eq!(rig.create().await.prime, Made::Kept);
    assert_eq!(rig.prime(), before);
    rig.sync().await;

    fs::remove_dir_all(rig.path("_ctx")).unwrap();
    assert_eq!(state(&rig).await, "SEGMENT_NOT_INITIALIZED");
    let refreshed = refresh_prime(&rig.segment(), &rig.options).await;
    assert!(matches!(refreshed, Err(Error::NotInitialized { .. })));
}

#[tokio::test]
async fn no_prime_file_is_repaired_by_refresh_and_by_create() {
    let rig = Rig::synced(&[("README.md", "# The Thing\n")]).await;
    fs::remove_file(rig.prime()).unwrap();
    assert_eq!(state(&rig).await, "PRIME_FILE_NOT_FOUND");
    assert_eq!(refresh_prime(&rig.segment(), &rig.options).await.unwrap().1, Made::New);
    rig.sync().await;
    fs::remove_file(rig.prime()).unwrap();
    assert_eq!(rig.create().await.prime, Made::New);
    rig.sync().await;
}

#[tokio::test]
async fn a_configuration_that_cannot_be_used_is_put_aside_and_never_lost() {
    let rig = Rig::synced(&[("README.md", "# The Thing\n")]).await;
    let path = rig.path("_ctx/candor_config.json");
    let good = fs::read_to_string(&path).unwrap();
    let bad = [
        "",
        "{",
        "[]",
        "{\"scripts\": {}}",
        "{\"schema_version\":2,\"segment\":\"a\",\"created_at\":\"2026-01-01T00:00:00Z\"}",
        "{\"schema_version\":1,\"segment\":\"../../etc/x\",\"created_at\":\"2026-01-01T00:00:00Z\"}",
        "{\"schema_version\":1,\"segment\":\"a\",\"created_at\":\"2026-01-01T00:00:00Z\",\"exclude\":[\"a[\"]}",
    ];
    for (number, text) in (1..).zip(bad) {
        fs::write(&path, text).unwrap();
        assert_eq!(state(&rig).await, "SEGMENT_CONFIG_INVALID", "{text}");
        let created = rig.create().await;
        assert_eq!(fs::read_to_string(created.put_aside.unwrap()).unwrap(), text);
        let config: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let before: serde_json::Value = serde_json::from_str(&good).unwrap();
        assert_eq!(
            config["segment"], before["segment"],
            "the prime file is still that of the segment, try {number}"
        );
        rig.sync().await;
    }
    fs::write(&path, [0xff, 0xfe]).unwrap();
    assert_eq!(state(&rig).await, "SEGMENT_CONFIG_INVALID");
}

#[tokio::test]
async fn a_pack_that_is_missing_or_damaged_is_made_anew() {
    let rig = Rig::with(&[("README.md", "# The Thing\n")]);
    rig.create().await;
    let said = search(&rig.segment(), "thing", 5, &rig.options).await.unwrap_err().failure().code.as_str();
    assert_eq!(said, "PACK_MISSING");
    rig.sync().await;
    let path = rig.path("_ctx/context_pack.json");
    let good = fs::read_to_string(&path).unwrap();
    let other_id = good.replace("doc:", "dox:");
    for bad in ["", "{}", "null", "[1, 2]", &good[..good.len() / 2], &good[..good.len() - 10], &other_id] {
        fs::write(&path, bad).unwrap();
        let segment = rig.segment();
        // A search answers from the index, which is right whatever else became of the pack.
        let searched = search(&segment, "thing", 5, &rig.options).await;
        assert_eq!(searched.is_ok(), bad == other_id);
        let said = [
            searched.err(),
            get(&segment, &wanted(&["doc:0"]), &rig.options, &str::to_owned).err(),
            validate(&segment, &rig.options).await.err(),
            stats(&segment, &rig.options).err(),
        ];
        for error in said.into_iter().flatten() {
            assert_eq!(error.failure().code.as_str(), "PACK_DAMAGED", "{bad:.60}");
        }
        assert!(rig.sync().await.repaired.is_some());
        validate(&segment, &rig.options).await.unwrap();
        assert_eq!(rig.found_in("thing").await.first().unwrap(), "README.md");
    }
}

#[tokio::test]
async fn a_segment_is_a_folder_and_not_everything() {
    let rig = Rig::with(&[("file", "x")]);
    for path in [rig.path("file"), rig.path("none"), "/".into(), rig.path("file/below")] {
        let error = Segment::locate(&path).unwrap_err();
        assert_eq!(error.failure().code.as_str(), "INVALID_SEGMENT_PATH", "{}", path.display());
    }
    assert!(!rig.path("none").exists(), "the folder is never made");
}

#[tokio::test]
async fn the_folder_for_what_belongs_to_a_segment_is_its_own() {
    let rig = Rig::with(&[("README.md", "x\n"), ("_ctx", "a file")]);
    assert_eq!(state(&rig).await, "INVALID_SEGMENT_PATH");
    fs::remove_file(rig.path("_ctx")).unwrap();
    let elsewhere = rig.outside().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, rig.path("_ctx")).unwrap();
    let created = candor_context::create(&rig.segment(), &rig.options).await;
    assert!(matches!(created, Err(Error::InvalidPath { .. })));
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

#[tokio::test]
async fn nothing_to_pack_is_said_and_the_reading_list_repairs_it() {
    let rig = Rig::new();
    rig.create().await;
    // A folder without files has its reading list.
    assert_eq!(rig.sync().await.files, 1);
    fs::write(rig.prime(), "\n \n").unwrap();
    assert!(matches!(rig.try_sync().await, Err(Error::PackEmpty { .. })));
    refresh_prime(&rig.segment(), &rig.options).await.unwrap();
    assert_eq!(rig.sync().await.files, 1);
}
