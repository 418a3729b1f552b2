//! Reading chunks, and the report about it.

use candor_context::{Error, Kind, Mode, Wanted};
use proptest::prelude::*;

use crate::rig::{Rig, wanted};

const LIB: &str = "/// Loads it.\npub fn load(path: &str) {\n    read(path)\n}\n";

async fn rig() -> Rig {
    Rig::synced(&[
        ("a.md", "# One\n\nfirst text\n"),
        ("b.md", "# Two\n\nsecond text\n"),
        ("c.md", "# Three\n\nthird text\n"),
        ("src/lib.rs", LIB),
    ])
    .await
}

fn ids(rig: &Rig) -> Vec<String> {
    ["a.md", "b.md", "c.md"].iter().flat_map(|path| rig.ids(path)).collect()
}

#[tokio::test]
async fn chunks_come_whole_in_the_order_asked_and_the_report_counts_what_came() {
    let rig = rig().await;
    let mut ids = ids(&rig);
    ids.reverse();
    let got = rig.get(&wanted(&ids)).unwrap();
    let texts: Vec<&str> = got.chunks.iter().map(|returned| returned.text.as_str()).collect();
    assert_eq!(texts, ["# Three\n\nthird text\n", "# Two\n\nsecond text\n", "# One\n\nfirst text\n"]);
    let chars: usize = texts.iter().map(|text| text.chars().count()).sum();
    assert_eq!(
        got.report.to_string(),
        format!(
            "PD_REPORT v=1 stop_reason=complete chunks_returned=3 chunks_requested=3 chars_returned_total={chars} \
             strong_hit=0 support=0"
        )
    );
}

#[tokio::test]
async fn ids_may_be_joined_by_commas_repeated_and_surrounded_by_blanks() {
    let rig = rig().await;
    let ids = ids(&rig);
    let odd = [format!(" {},,{} ", ids[0], ids[1]), ids[0].clone(), String::new()];
    let got = rig.get(&wanted(&odd)).unwrap();
    assert_eq!((got.report.chunks_returned, got.report.chunks_requested), (2, 2));
}

#[tokio::test]
async fn an_id_that_is_not_there_is_named_and_nothing_is_skipped_in_silence() {
    let rig = rig().await;
    let known = ids(&rig)[0].clone();
    let mistyped = format!("{}x", &known[..known.len() - 1]);
    let error = rig.get(&wanted(&[&known, &mistyped, "a/b,c:d:e", "prime:abc"])).unwrap_err();
    let Error::UnknownIds { ids, nearest, .. } = error else { panic!("{error}") };
    assert_eq!(ids, [mistyped.as_str(), "a/b", "c:d:e", "prime:abc"]);
    assert_eq!(nearest[0], known);
    assert!(rig.get(&wanted(&["x".repeat(1 << 20)])).is_err());
}

#[tokio::test]
async fn the_budget_stops_before_the_number_and_the_first_is_always_returned() {
    let rig = rig().await;
    let all = wanted(&ids(&rig));
    let stop = |wanted: &Wanted| {
        let report = rig.get(wanted).unwrap().report;
        (report.stop_reason.as_str(), report.chunks_returned)
    };
    assert_eq!(stop(&Wanted { budget: 0, ..all.clone() }), ("budget", 1));
    assert_eq!(stop(&Wanted { budget: 10, ..all.clone() }), ("budget", 2));
    assert_eq!(stop(&Wanted { max_chunks: Some(2), ..all.clone() }), ("max_chunks", 2));
    assert_eq!(stop(&Wanted { max_chunks: Some(0), ..all.clone() }), ("max_chunks", 0));
    assert_eq!(stop(&Wanted { max_chunks: Some(3), ..all.clone() }), ("complete", 3));
    // Both at once: the budget is the stronger reason.
    assert_eq!(stop(&Wanted { max_chunks: Some(1), budget: 1, ..all }), ("budget", 1));
}

#[tokio::test]
async fn evidence_is_a_title_of_the_reading_list_and_a_definition() {
    let rig = rig().await;
    let prime = rig.prime();
    std::fs::write(&prime, "# The load function\n\nSee below.\n").unwrap();
    rig.sync().await;
    let pack = rig.pack();
    let prime = pack.chunks.iter().find(|chunk| chunk.kind == Kind::Prime).unwrap().id.clone();
    let lib = rig.ids("src/lib.rs")[0].clone();
    let more = ids(&rig)[0].clone();
    let ask = |ids: &[&String], query: &str| {
        let wanted = Wanted { stop_on_evidence: true, query: Some(query.to_owned()), ..wanted(ids) };
        let report = rig.get(&wanted).unwrap().report;
        (report.stop_reason.as_str(), report.strong_hit, report.support)
    };
    assert_eq!(ask(&[&prime, &lib, &more], "load"), ("evidence", true, true));
    // Also where nothing is left to be asked for.
    assert_eq!(ask(&[&prime, &lib], "load"), ("evidence", true, true));
    assert_eq!(ask(&[&lib, &more], "load"), ("complete", false, true));
    assert_eq!(ask(&[&prime], "load"), ("complete", true, false));
    // A part of a word is no word, and a keyword, a mention or nothing at all is no definition.
    assert_eq!(ask(&[&prime, &lib], "loa"), ("complete", false, false));
    assert_eq!(ask(&[&lib], "fn"), ("complete", false, false));
    assert_eq!(ask(&[&lib], "read"), ("complete", false, false));
    assert_eq!(ask(&[&prime, &lib], " "), ("complete", false, false));
    assert_eq!(ask(&[&prime], "prime"), ("complete", true, false), "in the id");
}

#[tokio::test]
async fn a_definition_in_a_remark_supports_nothing() {
    let rig = Rig::synced(&[
        ("a.py", "# def load(path): not here\nx = 'def load(path):'\n"),
        ("b.py", "class load:\n    pass\n"),
        ("c.py", "    async def load(self):\n"),
    ])
    .await;
    for (path, supports) in [("a.py", false), ("b.py", true), ("c.py", true)] {
        let wanted = Wanted { query: Some("load".to_owned()), ..wanted(&rig.ids(path)) };
        assert_eq!(rig.get(&wanted).unwrap().report.support, supports, "{path}");
    }
}

#[tokio::test]
async fn shorter_forms_say_how_much_they_leave_out() {
    let long = (0..60).map(|number| format!("line {number}\n\n")).collect::<Vec<_>>().concat();
    let rig = Rig::synced(&[("long.txt", &long), ("src/lib.rs", LIB), ("a.md", "# One\n\nfirst\n")]).await;
    let one = |path: &str, mode: Mode| {
        let got = rig.get(&Wanted { mode, ..wanted(&rig.ids(path)) }).unwrap();
        (got.chunks[0].text.clone(), got.chunks[0].lines_left_out, got.report.chars_returned_total)
    };
    let (text, left, chars) = one("long.txt", Mode::Excerpt);
    assert_eq!((text.lines().count(), left), (25, 35));
    assert_eq!(chars, text.chars().count() as u64);
    assert_eq!(one("src/lib.rs", Mode::Skeleton).0, "pub fn load(path: &str) {");
    assert_eq!(one("a.md", Mode::Skeleton).0, "# One");
    assert_eq!(one("long.txt", Mode::Skeleton).0.chars().count(), 200);
}

#[tokio::test]
async fn a_chunk_whose_text_has_changed_is_not_handed_out() {
    let rig = rig().await;
    let ids = ids(&rig);
    // What follows a chunk does not concern it.
    rig.write("a.md", "# One\n\nfirst text\nand more\n");
    assert_eq!(rig.get(&wanted(&ids[..1])).unwrap().chunks[0].text, "# One\n\nfirst text\n");
    for text in ["# One\n\nFIRST text\n", "", "\0", "# On"] {
        rig.write("a.md", text);
        assert!(matches!(rig.get(&wanted(&ids)), Err(Error::PackStale { .. })), "{text:?}");
    }
    std::fs::remove_file(rig.path("a.md")).unwrap();
    assert!(matches!(rig.get(&wanted(&ids)), Err(Error::PackStale { .. })));
    assert_eq!(rig.get(&wanted(&ids[1..])).unwrap().chunks.len(), 2);
}

#[test]
fn the_budget_is_never_exceeded_but_by_the_first() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let texts: Vec<(String, String)> = (1..20_usize)
        .map(|n| (format!("{n}.md"), format!("# T{n}\n\n{}\n", "wörd ".repeat(n * n))))
        .collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let rig = runtime.block_on(Rig::synced(&files));
    let ids: Vec<String> = rig.pack().chunks.into_iter().map(|chunk| chunk.id).collect();
    let mode = prop_oneof![Just(Mode::Raw), Just(Mode::Excerpt), Just(Mode::Skeleton)];
    let asked = proptest::sample::subsequence(ids.clone(), 0..ids.len()).prop_shuffle();
    let case = (asked, mode, 0_u64..3_000, proptest::option::of(0_u64..8), "[a-z]{0,4}");
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(128));
    runner
        .run(&case, |(asked, mode, budget, max_chunks, query)| {
            let wanted = Wanted { mode, budget, max_chunks, query: Some(query), ..wanted(&asked) };
            let got = rig.get(&wanted).unwrap();
            let tokens: u64 = got.chunks.iter().map(|one| one.text.len().div_ceil(4) as u64).sum();
            prop_assert!(tokens <= budget || got.chunks.len() == 1);
            prop_assert!(max_chunks.is_none_or(|most| got.chunks.len() as u64 <= most));
            let chars: u64 = got.chunks.iter().map(|one| one.text.chars().count() as u64).sum();
            prop_assert_eq!(got.report.chars_returned_total, chars);
            prop_assert_eq!(got.report.chunks_requested, asked.len() as u64);
            let is_all = got.chunks.len() == asked.len();
            prop_assert_eq!(is_all, got.report.stop_reason.as_str() == "complete");
            Ok(())
        })
        .unwrap();
}
