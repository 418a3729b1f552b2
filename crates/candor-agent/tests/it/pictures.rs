//! Pictures in a conversation: they are sent, they give way before words do, and a model that cannot see goes on without.

use candor_protocol::{EventBody, Image, Message, Part, Role, Status, SummarisedBy};
use candor_testkit::{Dialect, Reply};
use serde_json::json;

use crate::rig::Rig;
use crate::talk::{called, said, user};

/// Two by two pixels.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR42mP4z8DA8B+MgBgAHfAD/a4/4jgAAAAASUVORK5CYII=";

/// A file that was read and holds a picture, and what came of that.
fn saw(id: &str) -> [Message; 2] {
    let mut came = crate::talk::came(id, "file_read", "[image/png, 2x2 pixels, 74 bytes]");
    let Part::ToolResult(result) = &mut came.parts[0] else { panic!("no result") };
    result.images = vec![Image { media_type: "image/png".to_owned(), data: PNG.to_owned() }];
    [called(id, "file_read", json!({ "path": "a.png" })), came]
}

/// A conversation in which so many pictures were read and spoken of.
fn looked(count: usize) -> Vec<Message> {
    let turns = (0..count).flat_map(|at| {
        let [call, came] = saw(&format!("p{at}"));
        [call, came, said("It is red.")]
    });
    [user("Look at them.")].into_iter().chain(turns).chain([user("Which was red?")]).collect()
}

/// How many pictures each compaction removed, and what stands in their place.
fn removed(rig: &Rig) -> Vec<(u64, String, SummarisedBy)> {
    let removed = |event: candor_protocol::Event| match event.body {
        EventBody::Compacted { removed_images, summary, by, .. } => Some((removed_images, summary, by)),
        _ => None,
    };
    rig.events().into_iter().filter_map(removed).collect()
}

#[tokio::test]
async fn every_dialect_shows_what_a_call_brought() {
    for dialect in Dialect::ALL {
        let rig = Rig::speaking(*dialect, 100_000, 10_000);
        rig.fake.push(Reply::text("The first."));
        let messages: Vec<Message> = [user("Look.")].into_iter().chain(saw("p")).collect();
        assert_eq!(rig.answer(messages).await.status, Status::Done, "{dialect:?}");
        let request = &rig.fake.requests()[0];
        assert_eq!(
            (request.refused.as_deref(), request.pictures()),
            (None, vec![PNG.to_owned()]),
            "{dialect:?}"
        );
        assert_eq!(request.tool_results(), ["[image/png, 2x2 pixels, 74 bytes]"], "{dialect:?}");
    }
}

#[tokio::test]
async fn pictures_give_way_before_words_do() {
    // Ten pictures of 1,600 tokens each do not fit; the words around them do.
    let rig = Rig::new(10_000, 5_000);
    rig.fake.push(Reply::text("All."));
    let messages = looked(10);
    assert_eq!(rig.answer(messages.clone()).await.status, Status::Done);
    let [(count, words, by)] = removed(&rig).try_into().unwrap();
    assert_eq!((count, by), (10, SummarisedBy::Rules));
    let requests = rig.fake.requests();
    let [request] = requests.as_slice() else { panic!("no summary was asked for") };
    assert!(request.pictures().is_empty());
    assert_eq!(request.user_texts(), ["Look at them.", "Which was red?"], "every word is there");
    assert_eq!(request.tool_results()[0], format!("[image/png, 2x2 pixels, 74 bytes]\n{words}"));
    // Whoever goes on from what is stored sends the same.
    let after = rig.after(messages);
    let sent = Rig::new(10_000, 5_000);
    sent.fake.push(Reply::text("Yes."));
    sent.answer(after).await;
    let again = &sent.fake.requests()[0];
    assert_eq!((again.tool_results(), again.pictures()), (request.tool_results(), vec![]));
    rig.check_sound();
}

#[tokio::test]
async fn the_picture_that_was_just_read_stays() {
    let rig = Rig::new(10_000, 5_000);
    rig.fake.push(Reply::text("Red."));
    let messages: Vec<Message> = looked(8).into_iter().chain(saw("new")).collect();
    rig.answer(messages).await;
    let request = &rig.fake.requests()[0];
    assert_eq!(request.pictures(), [PNG]);
    assert_eq!(removed(&rig)[0].0, 8);
}

#[tokio::test]
async fn a_provider_that_calls_it_too_long_gets_fewer_pictures_first() {
    let rig = Rig::new(1_000_000, 100_000);
    rig.fake.extend([Reply::error("overflow", ""), Reply::text("All.")]);
    assert_eq!(rig.answer(looked(3)).await.status, Status::Done);
    let requests = rig.fake.requests();
    assert_eq!(requests.iter().map(|request| request.pictures().len()).collect::<Vec<_>>(), [3, 0]);
    assert_eq!(requests[1].user_texts(), ["Look at them.", "Which was red?"], "every word is there");
}

#[tokio::test]
async fn a_summary_names_pictures_and_holds_none() {
    let rig = Rig::new(1_000_000, 10);
    rig.fake.push(Reply::error("bad_request", "no summary today"));
    rig.compact(looked(3)).await;
    assert!(rig.fake.requests()[0].pictures().is_empty());
    let asked = rig.fake.requests()[0].body.to_string();
    assert!(asked.contains("[a picture, image/png]") && !asked.contains(&PNG[..20]), "{asked}");
    let summary = rig.record().summary.text;
    assert!(!summary.contains(&PNG[..20]), "{summary}");
}

#[tokio::test]
async fn a_model_that_cannot_see_goes_on_without() {
    for dialect in Dialect::ALL {
        let rig = Rig::speaking(*dialect, 100_000, 10_000);
        let refusal = || Reply::error("bad_request", "this model does not support image input");
        rig.fake.extend([refusal(), Reply::text("I cannot see it.")]);
        let given = Part::Image { media_type: "image/png".to_owned(), data: PNG.to_owned() };
        let mut messages = vec![Message::new(Role::User, vec![Part::text("And this?"), given])];
        messages.splice(0..0, looked(1));
        let outcome = rig.answer(messages.clone()).await;
        assert_eq!((outcome.status, outcome.turns), (Status::Done, 1), "{dialect:?}: {:?}", outcome.card);
        let requests = rig.fake.requests();
        assert_eq!(requests.iter().map(|request| request.pictures().len()).collect::<Vec<_>>(), [2, 0]);
        assert!(requests[1].tool_results()[0].contains("did not take it"), "{dialect:?}");
        // The next run does not try it again.
        assert!(!json!(rig.after(messages).messages()).to_string().contains(PNG), "{dialect:?}");
        rig.check_sound();
    }
}

#[tokio::test]
async fn such_words_without_a_picture_are_a_failure_like_others() {
    let rig = Rig::new(100_000, 10_000);
    rig.fake.push(Reply::error("bad_request", "this model does not support image input"));
    let outcome = rig.answer(vec![user("Hello")]).await;
    assert_eq!(outcome.card.unwrap().code, "PROVIDER_BAD_REQUEST");
    assert_eq!(rig.fake.requests().len(), 1);
}
