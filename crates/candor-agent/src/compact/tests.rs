//! What holds on every rung, whatever the conversation.

use candor_protocol::{Message, Part, Role, ToolCall, ToolResult};
use candor_testkit::Rng;
use serde_json::json;

use super::ladder::Shortened;
use super::sections::{HEADINGS, split};
use super::{Compaction, Ladder, Room, cut, message, rules, tokens};
use crate::Summary;

/// How many random conversations are tried.
const CONVERSATIONS: u64 = 60;
/// More steps than there are rungs.
const STEPS_MAX: usize = 20;

fn user(rng: &mut Rng) -> Message {
    let words =
        ["tabs", "## Progress", "Goal", "### Done", "naïve", "日本語", "\n## Next Steps\n", "</summary>"];
    let text: Vec<_> = (0..=rng.below(12)).map(|_| *rng.pick(&words)).collect();
    let number = rng.next_u64();
    Message::text(Role::User, format!("instruction {number}: {}", text.join(" ")))
}

/// An answer with so many calls, and their results.
fn turn(rng: &mut Rng, turn: usize) -> Vec<Message> {
    let calls = rng.below(4);
    let (mut asked, mut came) = (vec![Part::text("I look.\n## Goal\nat it")], Vec::new());
    for call in 0..calls {
        let call_id = format!("call_{turn}_{call}");
        let tool_name = (*rng.pick(&["file_read", "file_write", "shell_exec"])).to_owned();
        let args =
            json!({ "path": format!("./src/{}.rs", rng.below(20)), "content": "c".repeat(rng.below(300)) });
        asked.push(Part::ToolCall(ToolCall {
            call_id: call_id.clone(),
            tool_name: tool_name.clone(),
            args,
            malformed: None,
            opaque: None,
        }));
        let size = if rng.one_in(8) { 20_000 } else { 200 };
        let content = "## Goal\nrésultat ".repeat(rng.below(size) / 16);
        came.push(Part::ToolResult(ToolResult {
            call_id,
            tool_name,
            content,
            is_error: rng.one_in(3),
            card: None,
            images: Vec::new(),
        }));
    }
    let mut messages = vec![Message::new(Role::Assistant, asked)];
    if !came.is_empty() {
        messages.push(Message::new(Role::Tool, came));
    }
    messages
}

fn conversation(rng: &mut Rng) -> Vec<Message> {
    let mut messages = vec![user(rng)];
    for at in 0..rng.below(30) {
        messages.extend(turn(rng, at));
        if rng.one_in(3) {
            messages.push(user(rng));
        }
    }
    messages
}

/// Roles follow each other as providers want it, and every call has its result at once.
#[track_caller]
fn check_sound(messages: &[Message]) {
    assert_eq!(messages[0].role, Role::User);
    for (at, message) in messages.iter().enumerate() {
        let calls: Vec<_> = message.calls().map(|call| call.call_id.clone()).collect();
        let next = messages.get(at + 1);
        if message.role == Role::Tool {
            assert!(messages[at - 1].calls().next().is_some(), "results without calls at {at}");
        }
        if !calls.is_empty() {
            let results: Vec<_> = next.map(result_ids).unwrap_or_default();
            assert_eq!(calls, results, "at {at}");
        }
    }
}

fn result_ids(message: &Message) -> Vec<String> {
    let id = |part: &Part| match part {
        Part::ToolResult(result) => Some(result.call_id.clone()),
        _ => None,
    };
    message.parts.iter().filter_map(id).collect()
}

/// Every word of the user is still there, unless its message was longer than the rule allows on this rung.
#[track_caller]
fn check_words(all: &[Message], kept: &[Message]) {
    let there: String =
        kept.iter().filter(|message| message.role == Role::User).map(|m| m.plain_text() + "\n").collect();
    for message in all.iter().filter(|message| message.role == Role::User) {
        let said = message.plain_text();
        assert!(there.contains(&said), "{said:?} is not in\n{there}");
    }
}

fn room(keep_tokens: u64) -> Room {
    Room::new(Compaction { enabled: true, reserve_tokens: 16_384, keep_tokens }, None)
}

/// What the events would make of the conversation before.
fn folded(before: &[Message], shortened: &Shortened) -> Vec<Message> {
    let kept = before[shortened.removed..].iter().cloned();
    std::iter::once(message(&shortened.summary)).chain(kept).collect()
}

fn texts(messages: &[Message]) -> Vec<(Role, Vec<Part>)> {
    messages.iter().map(|message| (message.role, message.parts.clone())).collect()
}

#[test]
fn s7_13_on_every_rung_calls_keep_their_results_and_users_their_words() {
    let mut rungs = 0;
    for seed in 0..CONVERSATIONS {
        let rng = &mut Rng::new(seed);
        let all = conversation(rng);
        let room = room(*rng.pick(&[1, 50, 500, 5_000, 50_000]));
        let (mut now, mut ladder) = (all.clone(), Ladder::new(all.clone(), None));
        for step in 0.. {
            let Some(shortened) = ladder.down(room) else { break };
            assert!(step < STEPS_MAX);
            assert_eq!(
                texts(&folded(&now, &shortened)),
                texts(&shortened.messages),
                "seed {seed}, step {step}"
            );
            assert!(tokens::of(&shortened.messages) < tokens::of(&now), "seed {seed}, step {step}");
            now = shortened.messages;
            check_sound(&now);
            check_words(&all, &now);
            assert!(split(super::sections::body(&shortened.summary)).is_some());
            rungs += 1;
        }
    }
    assert!(rungs > 200, "{rungs}");
}

#[test]
fn a_summary_of_a_summary_keeps_every_word_and_every_file() {
    for seed in 0..CONVERSATIONS {
        let rng = &mut Rng::new(seed);
        let (mut all, mut now): (Vec<Message>, Vec<Message>) = (Vec::new(), Vec::new());
        let mut summary: Option<Summary> = None;
        for round in 0..3 {
            let more: Vec<Message> = (0..8).flat_map(|at| turn(rng, round * 100 + at)).collect();
            let more: Vec<Message> = std::iter::once(user(rng)).chain(more).collect();
            all.extend(more.clone());
            now.extend(more);
            let mut ladder = Ladder::new(now.clone(), summary.clone());
            let Some(shortened) = ladder.step(room(*rng.pick(&[1, 100, 400]))) else { continue };
            if let Some(earlier) = &summary {
                let kept = |path: &String| {
                    shortened.summary.modified_files.contains(path)
                        || shortened.summary.read_files.contains(path)
                };
                assert!(earlier.read_files.iter().chain(&earlier.modified_files).all(kept), "seed {seed}");
            }
            now = shortened.messages;
            summary = Some(shortened.summary);
            check_sound(&now);
            check_words(&all, &now);
            let text = &now[0].plain_text();
            assert_eq!(text.matches(rules::USER_WORDS).count(), 1, "seed {seed}\n{text}");
        }
    }
}

#[test]
fn what_is_kept_is_at_least_and_at_most_what_was_asked_for() {
    for seed in 0..CONVERSATIONS {
        let rng = &mut Rng::new(seed);
        let all = conversation(rng);
        let keep = rng.below(4_000) as u64;
        if let Some(cut) = cut::at_least(&all, keep) {
            assert!(cut >= 2 && tokens::of(&all[cut..]) >= keep, "seed {seed}");
            check_sound(&[vec![Message::text(Role::User, "")], all[cut..].to_vec()].concat());
        }
        let cut = cut::at_most(&all, keep);
        assert!(cut == 0 || tokens::of(&all[cut..]) <= keep, "seed {seed}");
    }
}

#[test]
fn s7_13_nothing_is_cut_between_a_call_and_its_result_whatever_stands_there() {
    let rng = &mut Rng::new(7);
    let mut all = vec![user(rng), user(rng)];
    let answered = (0..100).map(|at| turn(rng, at)).find(|turn| turn.len() == 2).unwrap();
    all.extend(answered);
    all.insert(3, user(rng));
    let last = tokens::of(&all[3..]);
    assert_eq!(cut::at_least(&all, last), Some(2));
    assert_eq!(cut::at_most(&all, last), 5);
}

#[test]
fn the_longest_of_the_users_words_are_cut_first() {
    let instruction = "Never touch the schema. ".repeat(20);
    let pasted = format!("Look at this: {} What is it?", "dump ".repeat(50_000));
    let all = [&instruction, &pasted].map(|text| Message::text(Role::User, text)).to_vec();
    let small = Room::new(Compaction { enabled: true, reserve_tokens: 0, keep_tokens: 0 }, Some(8_000));
    let shortened = Ladder::new(all, None).down(small).unwrap();
    let text = shortened.summary.text;
    assert!(text.contains(&instruction));
    assert!(text.contains("Look at this: dump") && text.contains("dump  What is it?"), "both ends stay");
    let left_out: usize = text.split("[… ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let kept = text.matches("dump ").count() * 5;
    assert!((249_970..=250_030).contains(&(left_out + kept)), "{left_out} and {kept}");
    assert!(text.len() < 8_000 + 1_000, "a quarter of the window, in bytes: {}", text.len());
}

#[test]
fn headings_in_the_users_words_do_not_hide_the_real_ones() {
    let text = HEADINGS.map(|heading| format!("{heading}\nof {heading}\n")).join("\n");
    let fake = text.replacen("of ## Goal", &format!("the user wrote:\n{}", HEADINGS.join("\n")), 1);
    let sections = split(&fake).unwrap();
    assert_eq!(sections[8], "of ## Critical Context");
    assert_eq!(sections[1], "of ## Constraints & Preferences");
    assert!(sections[0].ends_with("## Critical Context"), "{}", sections[0]);
    assert_eq!(split(&text.replace("### Done", "### Undone")), None);
    assert!(split(&text.replace("## Goal", "**Goal:**")).is_some());
}

#[test]
fn small_windows_leave_room_for_everything() {
    let defaults = Compaction { enabled: true, reserve_tokens: 16_384, keep_tokens: 20_000 };
    assert_eq!(Room::new(defaults, None), Room { window: 200_000, limit: 183_616, keep: 20_000 });
    assert_eq!(Room::new(defaults, Some(8_192)), Room { window: 8_192, limit: 4_096, keep: 2_048 });
}

#[test]
fn instructions_stay_whole_over_five_rounds_beside_whatever_was_pasted() {
    let small = Room::new(Compaction { enabled: true, reserve_tokens: 0, keep_tokens: 1 }, Some(8_000));
    let (mut now, mut summary): (Vec<Message>, Option<Summary>) = (Vec::new(), None);
    for round in 0..5 {
        let pasted = format!("Paste {round}: {}", "dump ".repeat(1_500));
        let instruction = format!("Rule {round}: never touch table {round}, whatever anybody says.");
        now.extend([pasted, instruction].map(|text| Message::text(Role::User, text)));
        now.extend([
            Message::text(Role::Assistant, "I see. ".repeat(1_000)),
            Message::text(Role::User, "Go on."),
        ]);
        let shortened = Ladder::new(now, summary).step(small).unwrap();
        (now, summary) = (shortened.messages, Some(shortened.summary));
        let text = now[0].plain_text();
        for earlier in 0..=round {
            let rule = format!("[User]: Rule {earlier}: never touch table {earlier}, whatever anybody says.");
            assert!(text.contains(&rule), "rule {earlier} in round {round}\n{text}");
        }
    }
}

#[test]
fn the_rules_keep_the_constraints_of_an_earlier_summary_in_a_small_window() {
    let constraints = (0..40).map(|at| format!("- never touch table {at}")).collect::<Vec<_>>().join("\n");
    let body = HEADINGS.map(|heading| format!("{heading}\n- (none)\n")).join("\n");
    let body = body.replacen("- (none)", "- x", 1).replacen("- (none)", &constraints, 1);
    let earlier = super::sections::standing(&body, super::files::Files::default());
    let mut now = vec![message(&earlier)];
    now.extend([Message::text(Role::Assistant, "x ".repeat(4_000)), Message::text(Role::User, "Go on.")]);
    let small = Room::new(Compaction { enabled: true, reserve_tokens: 0, keep_tokens: 1 }, Some(8_000));
    let text = Ladder::new(now, Some(earlier)).step(small).unwrap().summary.text;
    assert!(text.contains(&constraints), "{text}");
}
