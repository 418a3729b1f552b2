//! What is packed, and what changes when files do.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

use candor_context::{Error, Kind, SECTION_BYTES_MAX, validate};

use crate::rig::Rig;

fn files(rig: &Rig) -> Vec<String> {
    let files = rig.pack().source_files.into_iter().map(|file| file.path);
    files.filter(|path| !path.starts_with("_ctx/")).collect()
}

#[tokio::test]
async fn texts_are_packed_and_what_nobody_reads_is_not() {
    let rig = Rig::with(&[
        (".gitignore", "ignored/\n*.log\n"),
        ("README.md", "# The Thing\n"),
        ("a.log", "x"),
        ("ignored/a.md", "x"),
        ("src/lib.rs", "fn a() {}\n"),
        ("src/env.rs", "fn b() {}\n"),
        ("Cargo.lock", "x"),
        ("picture.bin", "a\0b"),
        (".env", "KEY=1"),
        (".env.example", "KEY="),
        ("prod.env", "KEY=1"),
        ("server.pem", "x"),
        ("id_rsa", "x"),
        ("_ctx/notes.md", "x"),
        ("sub/_ctx/prime_x.md", "x"),
        (".hidden/a.md", "x"),
        (".agents/skills/a/SKILL.md", "# A skill\n"),
        ("empty.md", ""),
        ("excluded/a.md", "x"),
    ]);
    rig.write("latin1.txt", b"caf\xe9");
    rig.create().await;
    let path = rig.path("_ctx/candor_config.json");
    let config =
        fs::read_to_string(&path).unwrap().replace("\"exclude\": []", "\"exclude\": [\"excluded/\"]");
    fs::write(&path, config).unwrap();
    let synced = rig.sync().await;
    assert_eq!(
        files(&rig),
        [".agents/skills/a/SKILL.md", "README.md", "empty.md", "src/env.rs", "src/lib.rs"]
    );
    let told = synced.left_out.to_string();
    assert!(
        told.contains("3 secret") && told.contains("2 not text") && told.contains("1 generated"),
        "{told}"
    );
    let kinds: HashSet<Kind> = rig.pack().chunks.iter().map(|chunk| chunk.kind).collect();
    assert_eq!(kinds, HashSet::from([Kind::Prime, Kind::Skill, Kind::Doc, Kind::Code]));
}

#[tokio::test]
async fn what_the_rules_hide_is_neither_packed_nor_found() {
    let mut rig = Rig::with(&[("README.md", "open words\n"), ("private/notes.md", "hidden words\n")]);
    rig.create().await;
    rig.sync().await;
    assert_eq!(rig.found_in("hidden").await, ["private/notes.md"]);
    let ids = rig.ids("private/notes.md");
    rig.options.hidden = vec![rig.path("private")];
    assert_eq!(rig.found_in("hidden words").await, ["README.md"]);
    assert!(matches!(rig.get(&crate::rig::wanted(&ids)), Err(Error::UnknownIds { .. })));
    rig.sync().await;
    assert_eq!(files(&rig), ["README.md"]);
    rig.options = candor_context::Options { allowed: vec![rig.path("private")], ..Rig::new().options };
    rig.sync().await;
    assert_eq!(files(&rig), ["private/notes.md"]);
}

#[tokio::test]
async fn an_id_stays_while_its_text_and_its_file_do() {
    let rig = Rig::synced(&[
        ("a.md", "# One\n\nfirst\n\n# Two\n\nsecond\n"),
        ("b.md", "# One\n\nfirst\n\n# Two\n\nsecond\n"),
    ])
    .await;
    let (a, b) = (rig.ids("a.md"), rig.ids("b.md"));
    assert_eq!((a.len(), b.len()), (2, 2));
    assert!(a.iter().all(|id| !b.contains(id)), "equal sections of two files are two");
    for id in a.iter().chain(&b) {
        let digits = id.strip_prefix("doc:").unwrap();
        assert!(digits.len() == 10 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    }
    rig.write("a.md", "# Nought\n\nnew\n\n# One\n\nfirst\n\n# Two\n\nsecond, changed\n");
    rig.sync().await;
    let now = rig.ids("a.md");
    assert_eq!(now[1], a[0]);
    assert!(now.len() == 3 && now[2] != a[1]);
    assert_eq!(rig.ids("b.md"), b);
}

#[tokio::test]
async fn equal_sections_of_one_file_have_ids_of_their_own() {
    let rig = Rig::synced(&[("a.md", &"# Same\n\ntext\n\n".repeat(3))]).await;
    let ids: HashSet<String> = rig.ids("a.md").into_iter().collect();
    assert_eq!(ids.len(), 3);
}

#[tokio::test]
async fn only_what_changed_is_packed_anew_and_the_same_files_make_the_same_digest() {
    let rig = Rig::synced(&[("a.md", "# A\n\nold\n"), ("b.md", "# B\n"), ("c.md", "# C\n")]).await;
    let first = rig.pack();
    assert_eq!(rig.sync().await.changed, 0);
    rig.write("a.md", "# A\n\nnew\n");
    fs::remove_file(rig.path("b.md")).unwrap();
    rig.write("c.md", b"\0binary now");
    rig.write("d.md", "# D\n");
    let synced = rig.sync().await;
    assert_eq!((synced.changed, synced.removed), (2, 2));
    assert_eq!(files(&rig), ["a.md", "d.md"]);
    assert!(rig.found_in("old").await.is_empty() && rig.found_in("C").await.is_empty());
    assert_eq!(rig.found_in("new").await, ["a.md"]);
    validate(&rig.segment(), &rig.options).await.unwrap();
    for (path, text) in [("a.md", "# A\n\nold\n"), ("b.md", "# B\n"), ("c.md", "# C\n")] {
        rig.write(path, text);
    }
    fs::remove_file(rig.path("d.md")).unwrap();
    rig.sync().await;
    assert_eq!(rig.pack().digest, first.digest);
    assert_eq!(rig.pack().chunks, first.chunks);
}

#[tokio::test]
async fn a_time_that_is_not_before_the_pack_is_not_relied_on() {
    let rig = Rig::with(&[("a.md", "one\n")]);
    rig.create().await;
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(3600);
    let set_time =
        || fs::File::options().write(true).open(rig.path("a.md")).unwrap().set_modified(later).unwrap();
    set_time();
    rig.sync().await;
    rig.write("a.md", "two\n");
    set_time();
    let stats = candor_context::stats(&rig.segment(), &rig.options).unwrap();
    assert_eq!(stats.drift.changed, ["a.md"]);
    assert_eq!(rig.sync().await.changed, 1);
    assert_eq!(rig.found_in("two").await, ["a.md"]);
}

#[tokio::test]
async fn nothing_is_written_when_nothing_has_changed() {
    let rig = Rig::with(&[("a.md", "one\n")]);
    rig.create().await;
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for path in [rig.path("a.md"), rig.prime()] {
        fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
    }
    rig.sync().await;
    let before = fs::metadata(rig.path("_ctx/context_pack.json")).unwrap();
    rig.sync().await;
    let after = fs::metadata(rig.path("_ctx/context_pack.json")).unwrap();
    assert_eq!((before.ino(), before.mtime_nsec()), (after.ino(), after.mtime_nsec()));
}

#[tokio::test]
async fn links_are_not_followed() {
    let rig = Rig::with(&[("README.md", "# The Thing\n"), ("sub/a.md", "x\n")]);
    fs::write(rig.outside().join("secret.md"), "outside words\n").unwrap();
    symlink(rig.outside().join("secret.md"), rig.path("link.md")).unwrap();
    symlink(rig.outside(), rig.path("out")).unwrap();
    symlink(rig.path("sub"), rig.path("sub/loop")).unwrap();
    rig.create().await;
    rig.sync().await;
    assert_eq!(files(&rig), ["README.md", "sub/a.md"]);
}

#[tokio::test]
async fn the_pack_names_every_part_of_every_file() {
    let long = "word ".repeat(3_000);
    let rig = Rig::synced(&[("a.md", "# A\n\ntext\n"), ("long.txt", &long)]).await;
    let pack = rig.pack();
    for file in &pack.source_files {
        let mut next = 0;
        for chunk in pack.chunks.iter().filter(|chunk| chunk.source_path == file.path) {
            assert_eq!(chunk.start, next);
            assert!(chunk.end - chunk.start <= SECTION_BYTES_MAX as u64);
            assert_eq!(chunk.tokens, (chunk.end - chunk.start).div_ceil(4));
            next = chunk.end;
        }
        assert_eq!(next, file.size, "{}", file.path);
    }
}
