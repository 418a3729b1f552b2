//! Which pictures are sent.

use candor_protocol::{Image, Message, Part, Role, ToolResult};

use super::{BYTES_MAX, COUNT_MAX, GAVE_WAY, TOO_MANY, count, leave_out, leave_out_excess, sizes};

fn seen(name: &str, images: usize, bytes: usize) -> Message {
    let image = || Image { media_type: "image/png".to_owned(), data: "A".repeat(bytes) };
    let result = ToolResult {
        call_id: name.to_owned(),
        tool_name: "file_read".to_owned(),
        content: name.to_owned(),
        is_error: false,
        card: None,
        images: (0..images).map(|_| image()).collect(),
    };
    Message::new(Role::Tool, vec![Part::ToolResult(result)])
}

fn given() -> Message {
    let picture = Part::Image { media_type: "image/png".to_owned(), data: "AAAA".to_owned() };
    Message::new(Role::User, vec![Part::text("Look"), picture])
}

fn content(message: &Message) -> &str {
    match &message.parts[0] {
        Part::ToolResult(result) => &result.content,
        _ => "",
    }
}

#[test]
fn words_stand_in_the_place_of_the_oldest() {
    let mut messages = vec![seen("a", 2, 4), given(), seen("b", 2, 4)];
    assert_eq!(count(&messages), 5);
    leave_out(&mut messages, 4, GAVE_WAY);
    assert_eq!(count(&messages), 1);
    assert_eq!(content(&messages[0]), format!("a\n{GAVE_WAY}\n{GAVE_WAY}"));
    assert_eq!(messages[1].parts, [Part::text("Look"), Part::text(GAVE_WAY)]);
    assert_eq!(content(&messages[2]), format!("b\n{GAVE_WAY}"));
    leave_out(&mut messages, 9, GAVE_WAY);
    assert_eq!(count(&messages), 0);
}

#[test]
fn what_one_request_cannot_take_is_left_out() {
    let mut few: Vec<Message> = (0..COUNT_MAX).map(|_| seen("a", 1, 4)).collect();
    let before = few.clone();
    leave_out_excess(&mut few);
    assert_eq!(few, before);
    few.push(seen("last", 1, 4));
    leave_out_excess(&mut few);
    assert_eq!(count(&few), COUNT_MAX / 2);
    assert!(content(&few[0]).ends_with(TOO_MANY));
    assert_eq!(content(few.last().unwrap()), "last");

    let mut large: Vec<Message> = (0..4).map(|_| seen("a", 1, BYTES_MAX / 4 + 1)).collect();
    leave_out_excess(&mut large);
    assert!(sizes(&large).sum::<usize>() <= BYTES_MAX / 2 && count(&large) == 1, "{}", count(&large));
    let mut alone = vec![seen("a", 1, BYTES_MAX + 1)];
    leave_out_excess(&mut alone);
    assert_eq!(count(&alone), 1, "the newest stays");
}

#[test]
fn the_front_of_a_conversation_that_goes_on_changes_rarely() {
    let mut told: Vec<Message> = Vec::new();
    let (mut last, mut changes) = (Vec::new(), 0);
    for at in 0..100 {
        told.push(seen(&at.to_string(), 1, 4));
        let mut sent = told.clone();
        leave_out_excess(&mut sent);
        assert!(count(&sent) <= COUNT_MAX);
        changes += usize::from(sent[..at] != last[..]);
        last = sent;
    }
    assert!(changes <= 100 / (COUNT_MAX / 2), "{changes} times");
}
