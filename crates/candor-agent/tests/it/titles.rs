//! What sessions are called.

use candor_agent::{Title, first_words, title};
use candor_llm::retry::Policy;
use candor_protocol::Usage;
use candor_testkit::{Dialect, FakeLlm, Reply, Stop};

use crate::rig::model;

async fn asked(reply: Reply) -> (Option<Title>, FakeLlm) {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(reply);
    let policy = Policy { max_retries: 0, ..Policy::default() };
    let given = title("Why does the build fail?", "A header is missing.", &model(&fake, None), &policy).await;
    (given, fake)
}

async fn check(said: &str, expect: Option<&str>) {
    let (given, _) = asked(Reply::text(said)).await;
    assert_eq!(given.map(|title| title.text).as_deref(), expect, "{said:?}");
}

#[tokio::test]
async fn s18_3_a_title_has_at_most_six_words() {
    check("A missing header breaks the whole build today", Some("A missing header breaks the whole")).await;
    check("Missing header", Some("Missing header")).await;
    let word = "header".repeat(12);
    check(&word, Some(&word[..60])).await;
}

#[tokio::test]
async fn a_title_is_bare_words_on_one_line() {
    check("\n\n**\"Missing header.\"**\nIt is about a header.", Some("Missing header")).await;
    check("# Title: Missing `stdio.h`", Some("Missing stdio.h")).await;
    check("Missing\theader…", Some("Missing header…")).await;
    check("“Kopfzeile fehlt”.", Some("Kopfzeile fehlt")).await;
    check("It's the header's fault", Some("It's the header's fault")).await;
    check("***", None).await;
}

#[tokio::test]
async fn a_title_says_what_it_took_and_is_asked_for_without_tools() {
    let (given, fake) = asked(Reply::text("Missing header").usage(40, 3)).await;
    assert_eq!(given, Some(Title { text: "Missing header".to_owned(), usage: Usage::new(40, 3) }));
    let request = &fake.requests()[0];
    assert_eq!(request.tool_names(), Vec::<String>::new());
    assert_eq!(
        request.user_texts(),
        ["[User]: Why does the build fail?\n\n[Assistant]: A header is missing."]
    );
}

#[tokio::test]
async fn a_title_that_cannot_be_had_is_no_failure() {
    for reply in [Reply::status(500), Reply::status(401), Reply::empty()] {
        assert_eq!(asked(reply).await.0, None);
    }
}

#[tokio::test]
async fn a_title_is_asked_for_twice_at_most_and_with_little_to_read() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::status(500));
    let policy = Policy { base_delay: std::time::Duration::ZERO, ..Policy::default() };
    let long = "word ".repeat(100_000);
    assert_eq!(title(&long, &long, &model(&fake, None), &policy).await, None);
    let requests = fake.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[0].body_bytes < 6_000, "{}", requests[0].body_bytes);
}

#[track_caller]
fn check_words(message: &str, expect: &str) {
    assert_eq!(first_words(message), expect);
}

#[test]
fn s18_4_without_a_title_the_first_words_of_the_message_do() {
    check_words("Repair the build", "Repair the build");
    let long = "Please look at the build of the parser and tell me why it fails on Tuesdays";
    check_words(long, "Please look at the build of the parser and tell me why it...");
    let sixty = "x".repeat(57) + " yz";
    check_words(&sixty, &sixty);
    check_words(&format!("{sixty} more"), &format!("{sixty}..."));
    check_words(&format!("{sixty}more"), &format!("{}...", "x".repeat(57)));
    check_words(&"ü".repeat(61), &format!("{}...", "ü".repeat(60)));
    check_words("\n\n  a\u{7}b\tc\r\nd ", "a b c d");
    check_words(" \n\t", "");
}

#[tokio::test]
async fn a_refusal_is_no_title() {
    assert_eq!(asked(Reply::text("I cannot name this").stop(Stop::Refusal)).await.0, None);
}

#[tokio::test]
async fn a_title_cannot_turn_the_line_it_stands_in() {
    check("Missing \u{202e}redaeh\u{2066}\u{200f}", Some("Missing redaeh")).await;
    check("\u{feff}A\u{1b}[31m\u{200b}red\u{2028}line", Some("A [31mred line")).await;
    check("Family 👨\u{200d}👩\u{200d}👧 photos", Some("Family 👨\u{200d}👩\u{200d}👧 photos")).await;
    check("\u{202e}\u{202c}", None).await;
    check_words("\u{202e}Repair the\u{2069} build", "Repair the build");
}
