//! Making a folder a segment.

use std::fs;

use candor_context::{Made, refresh_prime};

use crate::rig::Rig;

#[tokio::test]
async fn a_segment_has_a_configuration_and_a_reading_list_of_what_is_there() {
    let rig = Rig::with(&[
        ("README.md", "# The Thing\n"),
        ("AGENTS.md", "# Rules\n"),
        ("Cargo.toml", "[package]\n"),
        ("src/main.rs", "fn main() {}\n"),
        ("docs/design.md", "Design\n======\n"),
    ]);
    let created = rig.create().await;
    assert_eq!((created.config, created.prime, created.moved), (Made::New, Made::New, false));
    assert!(
        created.segment.starts_with("some_project_") && created.segment.len() == 21,
        "{}",
        created.segment
    );
    assert_eq!(rig.prime(), rig.path(&created.prime_path));
    let prime = fs::read_to_string(rig.prime()).unwrap();
    for line in [
        "- [README.md](<../README.md>): The Thing",
        "- [AGENTS.md](<../AGENTS.md>): Rules",
        "- [Cargo.toml](<../Cargo.toml>)",
        "- [src/main.rs](<../src/main.rs>)",
        "- [docs/design.md](<../docs/design.md>): Design",
        "- `src/`: 1 file",
    ] {
        assert!(prime.contains(line), "{line} is not in\n{prime}");
    }
}

#[tokio::test]
async fn to_create_it_again_changes_no_byte() {
    let rig = Rig::with(&[("README.md", "# The Thing\n")]);
    rig.create().await;
    let prime = rig.prime();
    fs::write(&prime, "mine\n").unwrap();
    let config = fs::read(rig.path("_ctx/candor_config.json")).unwrap();
    let created = rig.create().await;
    assert_eq!((created.config, created.prime), (Made::Kept, Made::Kept));
    assert_eq!(fs::read_to_string(prime).unwrap(), "mine\n");
    assert_eq!(fs::read(rig.path("_ctx/candor_config.json")).unwrap(), config);
}

#[tokio::test]
async fn what_people_wrote_around_the_generated_part_is_kept() {
    let rig = Rig::with(&[("README.md", "# The Thing\n")]);
    rig.create().await;
    let text = fs::read_to_string(rig.prime()).unwrap();
    fs::write(rig.prime(), format!("before\r\n{text}after, without an end")).unwrap();
    assert_eq!(refresh_prime(&rig.segment(), &rig.options).await.unwrap().1, Made::Kept);
    rig.write("AGENTS.md", "# Rules\n");
    assert_eq!(refresh_prime(&rig.segment(), &rig.options).await.unwrap().1, Made::Refreshed);
    let refreshed = fs::read_to_string(rig.prime()).unwrap();
    assert!(
        refreshed.starts_with("before\r\n# Reading list") && refreshed.ends_with("after, without an end")
    );
    assert!(refreshed.contains("AGENTS.md"), "{refreshed}");
}

#[tokio::test]
async fn marks_that_are_no_pair_never_swallow_what_a_person_wrote() {
    let rig = Rig::with(&[("README.md", "# The Thing\n")]);
    rig.create().await;
    let text = fs::read_to_string(rig.prime()).unwrap();
    let (begin, end) = {
        let mut marks = text.lines().filter(|line| line.starts_with("<!--"));
        (marks.next().unwrap(), marks.next().unwrap())
    };
    for broken in [
        format!("{begin}\nkeep me\n"),
        format!("{end}\nkeep me\n{begin}\n"),
        format!("{begin}\nkeep me\n{begin}\nkeep me\n{end}\n"),
        "keep me".to_owned(),
        String::new(),
    ] {
        fs::write(rig.prime(), &broken).unwrap();
        for _ in 0..2 {
            refresh_prime(&rig.segment(), &rig.options).await.unwrap();
            let now = fs::read_to_string(rig.prime()).unwrap();
            assert_eq!(now.matches("keep me").count(), broken.matches("keep me").count(), "{now}");
            assert_eq!((now.matches(begin).count(), now.matches(end).count()), (1, 1), "{now}");
        }
    }
}

#[tokio::test]
async fn a_segment_that_was_moved_or_copied_keeps_its_id_and_says_so() {
    let rig = Rig::synced(&[("README.md", "# The Thing\n")]).await;
    let moved = rig.outside().join("moved");
    fs::rename(rig.root(), &moved).unwrap();
    let segment = candor_context::Segment::locate(&moved).unwrap();
    let synced = candor_context::sync(&segment, &rig.options).await.unwrap();
    assert!(synced.moved && synced.segment.starts_with("some_project_"));
    assert_eq!((synced.changed, synced.removed), (0, 0));
    assert_eq!(candor_context::search(&segment, "thing", 5, &rig.options).await.unwrap().hits.len(), 2);
}

#[tokio::test]
async fn a_name_that_is_no_word_still_makes_an_id() {
    let folder = tempfile::tempdir().unwrap();
    for (name, start) in [("…", "segment_"), ("Ünï Code-2", "n_code_2_"), ("a\nb", "a_b_")] {
        let root = folder.path().join(name);
        fs::create_dir(&root).unwrap();
        let segment = candor_context::Segment::locate(&root).unwrap();
        assert!(segment.own_id().starts_with(start), "{}", segment.own_id());
        candor_context::create(&segment, &Rig::new().options).await.unwrap();
        candor_context::sync(&segment, &Rig::new().options).await.unwrap();
    }
}
