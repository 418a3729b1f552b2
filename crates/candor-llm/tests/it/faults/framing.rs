//! How the bytes of a stream may be cut, ended and spelled.

use candor_testkit::{Fault, Reply};
use serde_json::json;

use super::rig::{WORDS, calls, where_it_applies};

/// The answer is the same as without the fault: words and a call, at once.
async fn changes_nothing(fault: Fault, words: &str) {
    where_it_applies(&fault, async |rig| {
        let reply = Reply::text(WORDS).and_call("read", json!({ "path": "ä/b" }));
        rig.fake.push(reply.fault(fault.clone()));
        let asked = rig.ask().await;
        let answer = asked.recovered(words, 0);
        let found = calls(answer);
        assert_eq!((found.len(), &found[0].args), (1, &json!({ "path": "ä/b" })), "{}", rig.name);
        rig.goes_on(answer).await;
    })
    .await;
}

#[tokio::test]
async fn f23_the_ends_of_lines() {
    changes_nothing(Fault::CrLf, WORDS).await;
    changes_nothing(Fault::CrOnly, WORDS).await;
}

#[tokio::test]
async fn f23_the_spelling_of_fields() {
    changes_nothing(Fault::NoSpaceAfterColon, WORDS).await;
    changes_nothing(Fault::MultiLineData, WORDS).await;
    changes_nothing(Fault::Bom, WORDS).await;
}

#[tokio::test]
async fn f23_what_nobody_knows_is_skipped() {
    changes_nothing(Fault::UnknownEvents, WORDS).await;
    changes_nothing(Fault::PingsThen, WORDS).await;
}

#[tokio::test]
async fn f23_a_line_separator_in_the_text_ends_no_line() {
    changes_nothing(Fault::U2028, &format!("{WORDS}before\u{2028}after")).await;
}

#[tokio::test]
async fn f23_bytes_may_come_one_by_one() {
    changes_nothing(Fault::OneBytePerPacket, WORDS).await;
}

#[tokio::test]
async fn f23_a_line_of_eight_megabytes() {
    let fault = Fault::HugeLine(8 << 20);
    let words = format!("{WORDS}{}", "x".repeat(8 << 20));
    where_it_applies(&fault, async |rig| {
        rig.fake.push(Reply::text(WORDS).fault(fault.clone()));
        rig.ask().await.recovered(&words, 0);
    })
    .await;
}

#[tokio::test]
async fn f23_faults_may_come_together() {
    let both = [Fault::CrLf, Fault::OneBytePerPacket, Fault::UnknownEvents, Fault::Bom, Fault::SplitUtf8];
    where_it_applies(&Fault::CrLf, async |rig| {
        let reply = both.iter().cloned().fold(Reply::text(WORDS), Reply::fault);
        rig.fake.push(reply);
        let asked = rig.ask().await;
        rig.goes_on(asked.recovered(&format!("{WORDS}é€"), 0)).await;
    })
    .await;
}

#[tokio::test]
async fn f24_a_character_may_be_spread_over_packets() {
    changes_nothing(Fault::SplitUtf8, &format!("{WORDS}é€")).await;
}

#[tokio::test]
async fn f24_bytes_that_are_no_text_are_replaced() {
    where_it_applies(&Fault::InvalidUtf8InText, async |rig| {
        rig.fake.push(Reply::text(WORDS).fault(Fault::InvalidUtf8InText));
        let asked = rig.ask().await;
        let answer = asked.recovered(&format!("{WORDS}\u{fffd}\u{fffd}"), 0);
        rig.goes_on(answer).await;
    })
    .await;
}

#[tokio::test]
async fn f24_a_character_that_is_cut_off_is_no_reason_to_keep_half_an_answer() {
    where_it_applies(&Fault::CutMidUtf8, async |rig| {
        rig.survives(Reply::text(WORDS).fault(Fault::CutMidUtf8)).await.discarded_after("Cut");
    })
    .await;
}
