//! What comes back of a child: what was seen, and what it claims.

use candor_testkit::{Gate, Reply};
use serde_json::json;

use super::{
    TASK, apart, checked, child, codes, declare, does, end, fake, starts, starts_apart, told, tree, writes,
};
use crate::rig::{ask, candor, events, home_of, home_with, log_lines, of_type};

#[test]
fn an_awaited_child_does_its_task_and_what_was_seen_comes_back() {
    let fake = fake();
    fake.extend([starts(json!({})), writes(), Reply::text("I wrote it."), Reply::text("All done.")]);
    let home = checked(&fake, "test -f made.txt");
    let ran = ask(&home, &["--json", "Have it written"]).run().ok();
    let events = events(&ran);
    let requests = fake.requests();
    assert_eq!(requests[1].user_texts(), [TASK], "a child knows its task and nothing else");
    assert!(requests[1].system().unwrap_or_default().contains("You work for another agent"));
    let told = told(&events);
    assert_eq!((&told["status"], &told["claim"]), (&json!("done"), &json!("I wrote it.")));
    assert_eq!(told["verdict"]["status"], "verified");
    assert_eq!(told["verdict"]["evidence"][0]["check"], "unit");
    assert_eq!((&told["changes"], &told["turns"]), (&json!(["made.txt"]), &json!(2)));
    // The run above has looked for itself, and what the child found stands beside it.
    let end = end(&events);
    assert_eq!((&end["status"], &end["verdict"]["status"]), (&json!("done"), &json!("verified")));
    let evidence = end["verdict"]["evidence"].as_array().expect("evidence");
    let of = |check: &str| {
        evidence.iter().find(|seen| seen["check"].as_str().is_some_and(|name| name.starts_with(check)))
    };
    assert_eq!(of("unit").map(|seen| &seen["result"]), Some(&json!("passed")));
    assert_eq!(of("helper").map(|seen| &seen["result"]), Some(&json!("skipped")));
    assert_eq!((&end["turns"], &end["children"]["runs"]), (&json!(2), &json!(1)));
    assert_eq!(log_lines(&home, "child_start").len(), 1);
    assert_eq!(log_lines(&home, "child_end")[0]["verdict"], "verified");
}

#[test]
fn a_child_is_below_its_parent_in_lists_and_never_the_last_session() {
    let fake = fake();
    fake.extend([starts(json!({})), Reply::text("Nothing."), Reply::text("Done.")]);
    let home = home_of(&fake);
    let ran = ask(&home, &["--json", "Go"]).run().ok();
    let parent = events(&ran)[0]["sessionId"].clone();
    let listed = candor(&home, "sessions list --json").run().ok().stdout;
    let listed: Vec<serde_json::Value> = serde_json::from_str(&listed).expect("JSON");
    assert_eq!((listed.len(), &listed[0]["id"]), (1, &parent));
    let tree = tree(&home);
    assert_eq!((tree.len(), &tree[0]["id"], &tree[0]["children"][0]["parent"]), (1, &parent, &parent));
    assert_eq!(tree[0]["children"][0]["name"], TASK, "its name is the task, and no model was asked for it");
    let lines = candor(&home, "sessions list --tree").run().ok().stdout;
    assert!(lines.lines().nth(1).is_some_and(|line| line.starts_with("└ ")), "{lines}");
    let shown = candor(&home, &format!("sessions show {}", child(&home))).run().ok().stdout;
    assert!(shown.contains(&format!("for     {}", parent.as_str().unwrap_or_default())), "{shown}");
    fake.push(Reply::text("Here."));
    let ran = ask(&home, &["--json", "-c", "Where are we?"]).run().ok();
    assert_eq!(events(&ran)[0]["sessionId"], parent);
}

#[test]
fn what_a_child_claims_changes_no_verdict() {
    let fake = fake();
    fake.extend([starts(json!({})), writes()]);
    fake.repeat(Reply::text("Verified. All checks pass. Status: done."));
    let ran = ask(&checked(&fake, "exit 1"), &["--json", "Have it written"]).run();
    let events = events(&ran);
    let told = told(&events);
    assert_eq!((&told["verdict"]["status"], &told["status"]), (&json!("failed"), &json!("aborted_stuck")));
    assert!(codes(&events).contains(&"VERIFY_STUCK"), "{:?}", codes(&events));
    assert_eq!(end(&events)["verdict"]["status"], "failed");
    assert_ne!(ran.status, 0);
}

#[test]
fn a_child_whose_provider_fails_is_told_with_its_card() {
    let fake = fake();
    fake.extend([starts(json!({})), Reply::status(401), Reply::text("Then not.")]);
    let home = home_with(&fake, "retry = { max_retries = 0 }");
    let events = events(&ask(&home, &["--json", "Go"]).run().ok());
    assert_eq!(codes(&events), ["PROVIDER_UNAUTHORIZED"]);
    assert_eq!(told(&events)["status"], "failed");
    let evidence = end(&events)["verdict"]["evidence"].to_string();
    assert!(evidence.contains("failed, not_applicable"), "{evidence}");
}

#[test]
fn a_run_is_not_over_while_a_child_is_at_work_in_the_background() {
    let (fake, other, gate) = (fake(), super::fake(), Gate::new());
    fake.extend([starts_apart(), Reply::text("I am finished.")]);
    other.push(Reply::text("I found it.").gate(&gate));
    let home = apart(&fake, &other);
    let running = ask(&home, &["--json", "Go"]).spawn();
    // The parent has no more to say, and the child still has.
    running.wait_for_stdout("Waiting for a helper.");
    gate.wait_reached();
    fake.push(Reply::text("Now it is all there."));
    gate.open();
    let events = events(&running.finish().ok());
    assert_eq!(other.requests()[0].body["model"], "child-model");
    let accepted = of_type(&events, "message_accepted");
    assert_eq!(accepted.last().map(|event| &event["origin"]), Some(&json!("children")));
    let heard = fake.requests()[2].user_texts().join("\n");
    assert!(
        heard.contains("Your helpers are done") && heard.contains("\"claim\":\"I found it.\""),
        "{heard}"
    );
    assert_eq!(of_type(&events, "run_end").len(), 1);
    // What was handed over is part of the conversation when it goes on.
    fake.push(Reply::text("Yes."));
    ask(&home, &["-c", "Is it?"]).run().ok();
    assert!(fake.requests()[3].user_texts().join("\n").contains("Your helpers are done"));
}

#[test]
fn what_a_child_changed_in_the_background_is_checked_and_can_be_taken_back() {
    let (fake, other) = (fake(), super::fake());
    fake.push(starts_apart());
    fake.repeat(Reply::text("Done."));
    other.extend([writes(), Reply::text("Written.")]);
    let home = declare(apart(&fake, &other), "test -f made.txt");
    let ran = ask(&home, &["--json", "Go"]).run();
    let events = events(&ran);
    assert_eq!(end(&events)["verdict"]["status"], "verified", "{}", ran.stdout);
    assert!(home.workspace().join("made.txt").exists());
    candor(&home, "sessions undo last").run().ok();
    assert!(!home.workspace().join("made.txt").exists());
}

#[test]
fn an_ended_child_can_be_asked_about_and_told_more() {
    let fake = fake();
    fake.extend([starts(json!({})), Reply::text("The first part."), Reply::text("Done.")]);
    let home = home_of(&fake);
    ask(&home, &["Go"]).run().ok();
    let id = child(&home);
    for (action, replies, word) in [
        ("status", vec![], "\"last\":\"The first part.\""),
        ("result", vec![], "\"claim\":\"The first part.\""),
        ("stop", vec![], "it had ended before"),
        ("message", vec![Reply::text("The second part.")], "\"claim\":\"The second part.\""),
    ] {
        fake.push(does(action, &id[24..]));
        fake.extend(replies);
        fake.push(Reply::text("Thanks."));
        let events = events(&ask(&home, &["--json", "-c", "More"]).run().ok());
        let result = of_type(&events, "tool_result")[0];
        assert_eq!(result["isError"], false, "{action}: {result}");
        assert!(result["result"].as_str().unwrap_or_default().contains(word), "{action}: {result}");
    }
    let heard = fake.requests().iter().rev().nth(1).map(candor_testkit::Seen::user_texts);
    assert_eq!(heard, Some(vec![TASK.to_owned(), "And now?".to_owned()]), "it is the same child");
}

#[test]
fn children_survive_the_compaction_of_their_parent() {
    let fake = fake();
    let long = "on and ".repeat(5_000);
    fake.extend([starts(json!({})), Reply::text("The first part."), Reply::text(&long)]);
    let home = home_with(&fake, "compaction.keep_recent_tokens = 1024");
    ask(&home, &["Go"]).run().ok();
    let id = child(&home);
    fake.push(Reply::text(&long));
    ask(&home, &["-c", "Go on"]).run().ok();
    // What is no summary is written by rules.
    fake.extend([Reply::text("no"), does("status", &id), Reply::text("There it is.")]);
    let ran = ask(&home, &["-r", "-c"]).stdin("/compact\nHow is it?\n/quit\n").run();
    assert!(ran.stderr.contains("are now a summary"), "{}", ran.stderr);
    let requests = fake.requests();
    let told = requests.last().map(candor_testkit::Seen::tool_results).unwrap_or_default();
    let told = told.last().cloned().unwrap_or_default();
    assert!(told.contains(&id) && told.contains("The first part."), "{told}");
}
