//! Finding chunks.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;

use candor_store::{Passage, Passages};

use crate::rig::Rig;

#[tokio::test]
async fn titles_names_and_paths_count_more_than_a_mention() {
    let rig = Rig::synced(&[
        ("mention.md", "# Other\n\nSome text about an invoice, and then about much else.\n"),
        ("title.md", "# The invoice\n\nSome text about something.\n"),
        ("src/a.rs", "/// Makes one.\nfn printLedgerPage() {}\n"),
        ("src/b.rs", "fn other() { print_ledger_page(); }\n"),
        ("src/cursor/mod.rs", "fn nothing() {}\n"),
    ])
    .await;
    assert_eq!(rig.found_in("invoice").await, ["title.md", "mention.md"]);
    for query in ["printLedgerPage", "print_ledger_page", "printledgerpage", "ledger page"] {
        assert_eq!(rig.found_in(query).await, ["src/a.rs", "src/b.rs"], "{query}");
    }
    assert_eq!(rig.found_in("cursor").await, ["src/cursor/mod.rs"]);
}

#[tokio::test]
async fn all_words_come_before_some_and_a_beginning_finds_the_rest() {
    let rig = Rig::synced(&[
        (
            "both.md",
            "apples and pears and many other words that make the text long, so that it weighs less\n",
        ),
        ("one.md", "apples\n"),
        ("deadline.md", "the deadlines of it\n"),
    ])
    .await;
    assert_eq!(rig.found_in("apples pears").await, ["both.md", "one.md"]);
    assert_eq!(rig.found_in("dead").await, ["deadline.md"]);
    assert_eq!(rig.found_in("deadline").await, ["deadline.md"]);
    assert_eq!(rig.found_in("where is the apple").await.len(), 2);
    assert!(rig.found_in("nowhere").await.is_empty());
}

#[tokio::test]
async fn a_hit_says_what_it_is_and_shows_the_line() {
    let rig = Rig::synced(&[("a.md", "# One\n\nfirst\n\n## Two\n\nsomething\nthe needle is here\n")]).await;
    let found = rig.search("needle").await;
    let hit = &found.hits[0];
    assert_eq!(hit.chunk.title_path, ["One", "Two"]);
    assert_eq!((hit.chunk.first_line, hit.chunk.last_line), (5, 8));
    assert_eq!((hit.preview.as_str(), hit.stale), ("the needle is here", false));
    assert!(hit.score > 0.0);
    assert_eq!(found.warning, None);
}

#[tokio::test]
async fn what_changed_since_is_said_and_the_rest_is_still_right() {
    let rig = Rig::synced(&[("a.md", "needle one\n"), ("b.md", "needle two\n")]).await;
    rig.write("a.md", "something else\n");
    let found = rig.search("needle").await;
    let stale: Vec<_> = found.hits.iter().map(|hit| (hit.chunk.source_path.as_str(), hit.stale)).collect();
    assert!(stale.contains(&("a.md", true)) && stale.contains(&("b.md", false)), "{stale:?}");
    assert!(found.warning.unwrap().contains("1 of 2"));
    rig.write("c.md", "haystack\n");
    let found = rig.search("haystack").await;
    assert!(found.hits.is_empty() && found.warning.unwrap().contains("c.md"));
}

#[tokio::test]
async fn an_index_that_is_missing_damaged_or_of_another_pack_is_made_anew() {
    let rig = Rig::synced(&[("a.md", "needle\n")]).await;
    let index = rig.path("_ctx/index.db");
    fs::remove_file(&index).unwrap();
    assert_eq!(rig.found_in("needle").await, ["a.md"]);
    assert!(index.exists());
    for bad in ["", "not a database at all, whatever it is called", "SQLite format 3\0 and then nothing"] {
        fs::write(&index, bad).unwrap();
        assert_eq!(rig.found_in("needle").await, ["a.md"], "{bad}");
        fs::write(&index, bad).unwrap();
        rig.sync().await;
        candor_context::validate(&rig.segment(), &rig.options).await.unwrap();
    }
    let older = fs::read(&index).unwrap();
    rig.write("b.md", "another\n");
    rig.sync().await;
    fs::write(&index, older).unwrap();
    let error = candor_context::validate(&rig.segment(), &rig.options).await.unwrap_err();
    assert_eq!(error.failure().code.as_str(), "PACK_DAMAGED");
    assert_eq!(rig.found_in("another").await, ["b.md"]);
    candor_context::validate(&rig.segment(), &rig.options).await.unwrap();
}

#[tokio::test]
async fn an_index_whose_maker_was_cut_off_is_made_anew() {
    let rig = Rig::synced(&[("a.md", "needle\n")]).await;
    let index = rig.path("_ctx/index.db");
    for is_sync in [false, true] {
        fs::remove_file(&index).unwrap();
        let mut passages = Passages::create(&index).await.unwrap();
        let mut filling = passages.fill().await.unwrap();
        let half = Passage {
            path: "gone.md".into(),
            text: "needle".into(),
            about: "{}".into(),
            ..Passage::default()
        };
        filling.add(vec![half.prepare()]).await.unwrap();
        drop(filling);
        passages.close().await;
        if is_sync {
            rig.sync().await;
        }
        assert_eq!(rig.found_in("needle").await, ["a.md"], "{is_sync}");
        candor_context::validate(&rig.segment(), &rig.options).await.unwrap();
    }
}

#[tokio::test]
async fn a_segment_in_which_nothing_can_be_written_is_searched_all_the_same() {
    let rig = Rig::synced(&[("a.md", "needle\n")]).await;
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        let _ = fs::remove_file(rig.path("_ctx").join(name));
    }
    // A folder in its place cannot be opened, nor removed as a file, whoever asks: permissions do not hold for root.
    fs::create_dir(rig.path("_ctx/index.db")).unwrap();
    fs::set_permissions(rig.path("_ctx"), fs::Permissions::from_mode(0o555)).unwrap();
    let found = rig.found_in("needle").await;
    fs::set_permissions(rig.path("_ctx"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(found, ["a.md"]);
}

#[test]
fn no_question_is_taken_for_the_language_of_the_index() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let rig = runtime.block_on(Rig::synced(&[("a.md", "needle AND thread, title: x\n漢字 text\n")]));
    let hostile = [
        "\"",
        "a\"b",
        "NEAR(a b)",
        "a AND",
        "OR",
        "-",
        "title:x",
        "*",
        "a*b",
        "(",
        "^needle",
        "{}",
        "\0",
        "'--",
    ];
    for query in hostile {
        runtime.block_on(rig.search(query));
    }
    assert_eq!(runtime.block_on(rig.found_in("\"needle\" AND (thread*")), ["a.md"]);
    assert_eq!(runtime.block_on(rig.found_in("漢字")), ["a.md"]);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(64));
    runner
        .run(&"\\PC{0,40}", |query| {
            runtime.block_on(rig.search(&query));
            Ok(())
        })
        .unwrap();
}
