//! The network: connections that break, lengths that lie, addresses that lead elsewhere.

use candor_llm::Dialect;
use candor_testkit::{FakeLlm, Fault, Reply};

use super::rig::{FINE, KEY, RETRIES, Rig, WORDS, in_all, kind_of, where_it_applies};
use crate::server::nobody;

#[tokio::test]
async fn f22_a_connection_that_ends_before_the_answer_is_tried_again() {
    for fault in [Fault::CloseBeforeHead, Fault::ResetBeforeHead, Fault::CloseMidHead] {
        where_it_applies(&fault, async |rig| {
            let asked = rig.survives(Reply::text(WORDS).fault(fault.clone())).await;
            assert!(!asked.waited_after("Unreachable").discard, "{}: nothing was told", rig.name);
        })
        .await;
    }
}

#[tokio::test]
async fn f22_a_connection_that_ends_within_the_answer_is_tried_again() {
    for fault in [
        Fault::CutAfterDeltas(2),
        Fault::ResetAfterDeltas(2),
        Fault::CutMidUtf8,
        Fault::CutMidChunkSize,
        Fault::WrongChunkSize,
    ] {
        where_it_applies(&fault, async |rig| {
            let asked = rig.survives(Reply::text(WORDS).fault(fault.clone())).await;
            asked.waited_after("Cut");
        })
        .await;
    }
}

#[tokio::test]
async fn f22_words_before_the_break_are_void() {
    for fault in [Fault::CutAfterDeltas(2), Fault::CutMidUtf8, Fault::CutMidChunkSize] {
        where_it_applies(&fault, async |rig| {
            rig.survives(Reply::text(WORDS).fault(fault.clone())).await.discarded_after("Cut");
        })
        .await;
    }
}

/// The answer is taken where it is whole in spite of the fault, and asked for again where it is not.
async fn answers_or_retries(rig: &Rig, fault: Fault, whole: bool) {
    let reply = Reply::text(WORDS).fault(fault);
    if !whole {
        rig.survives(reply).await.discarded_after("Cut");
        return;
    }
    rig.fake.push(reply);
    let asked = rig.ask().await;
    rig.goes_on(asked.recovered(WORDS, 0)).await;
}

#[tokio::test]
async fn f22_a_body_that_is_shorter_than_it_said() {
    where_it_applies(&Fault::ContentLengthTooLong, async |rig| {
        // The terminator has come, so nothing is missing. Gemini has none: a body that breaks off may miss anything.
        let whole = rig.dialect != Dialect::Gemini;
        answers_or_retries(&rig, Fault::ContentLengthTooLong, whole).await;
    })
    .await;
}

#[tokio::test]
async fn f22_a_body_that_is_longer_than_it_said() {
    where_it_applies(&Fault::ContentLengthTooShort, async |rig| {
        // What is lost of the last frame is `]` of `[DONE]` in one dialect and a line end in another; in the others it is
        // the brace without which the frame cannot be read.
        let whole = matches!(rig.dialect, Dialect::OpenaiChat | Dialect::Gemini);
        answers_or_retries(&rig, Fault::ContentLengthTooShort, whole).await;
    })
    .await;
}

#[tokio::test]
async fn f22_a_body_that_claims_to_be_packed_is_no_stream() {
    where_it_applies(&Fault::BrokenGzip, async |rig| {
        rig.fake.push(Reply::text(WORDS).fault(Fault::BrokenGzip));
        rig.ask().await.failed_at_once("NotAProvider");
    })
    .await;
}

#[tokio::test]
async fn f22_early_heads_mean_nothing() {
    where_it_applies(&Fault::Informational100, async |rig| {
        rig.fake.push(Reply::text(WORDS).fault(Fault::Informational100));
        let asked = rig.ask().await;
        rig.goes_on(asked.recovered(WORDS, 0)).await;
    })
    .await;
}

#[tokio::test]
async fn f22_the_key_does_not_follow_a_redirect() {
    in_all("a redirect", async |rig| {
        let other = FakeLlm::start(rig.fake.dialect());
        other.repeat(Reply::text("stolen"));
        let to = format!("{}/somewhere?token={KEY}", other.base_url());
        rig.fake.push(Reply::empty().fault(Fault::Redirect(to)));
        let asked = rig.ask().await;
        asked.failed_at_once("NotAProvider");
        assert_eq!((other.requests().len(), other.connections()), (0, 0), "{}", rig.name);
    })
    .await;
}

#[tokio::test]
async fn f22_a_redirect_to_the_same_server_is_not_followed_either() {
    in_all("a redirect to itself", async |rig| {
        for to in
            [rig.fake.base_url(), "/elsewhere".to_owned(), "//other.invalid/x".to_owned(), String::new()]
        {
            rig.fake.push(Reply::empty().fault(Fault::Redirect(to)));
            rig.ask().await.failed_at_once("NotAProvider");
        }
    })
    .await;
}

#[tokio::test]
async fn f22_nobody_at_the_address_is_unreachable() {
    let (_held, address) = nobody();
    for dialect in Dialect::ALL {
        let rig = Rig::at(dialect, "nobody listens", &format!("http://{address}"));
        let asked = rig.ask().await;
        let Err(error) = &asked.answer else { panic!("{}: {asked:?}", rig.name) };
        assert_eq!((kind_of(error).as_str(), asked.waits.len()), ("Unreachable", RETRIES), "{}", rig.name);
    }
}

#[tokio::test]
async fn f22_a_connection_that_the_server_has_closed_is_replaced() {
    in_all("the connection is gone", async |rig| {
        rig.fake.push(Reply::text(FINE).header("connection", "close")).push(Reply::text(WORDS));
        rig.ask().await.recovered(FINE, 0);
        rig.ask().await.recovered(WORDS, 0);
    })
    .await;
}

#[tokio::test]
async fn f22_bytes_that_are_no_http_are_unreachable() {
    for bytes in [
        &b"SSH-2.0-OpenSSH_9.9\r\n"[..],
        b"\x15\x03\x01\x00\x02\x02\x46",
        b"HTTP/1.1 abc\r\n\r\n",
        b"\0\0\0\0",
    ] {
        let fault = Fault::Raw(bytes.to_vec());
        where_it_applies(&fault, async |rig: Rig| {
            rig.survives(Reply::empty().fault(fault.clone())).await.waited_after("Unreachable");
        })
        .await;
    }
}
