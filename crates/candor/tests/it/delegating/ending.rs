//! Children end with their parent, however that ends.

use candor_testkit::{Gate, Home, Reply};
use serde_json::{Value, json};

use super::{apart, child, end, fake, starts, tree};
use crate::rig::{ask, candor, events, home_of, of_type};

#[track_caller]
fn statuses(home: &Home) -> (Value, Value) {
    let tree = tree(home);
    (tree[0]["status"].clone(), tree[0]["children"][0]["status"].clone())
}

#[test]
fn a_stop_ends_the_whole_family() {
    for background in [false, true] {
        let (fake, other, gate) = (fake(), super::fake(), Gate::new());
        fake.push(starts(json!({ "model": "child-model", "background": background })));
        fake.push(Reply::text("Finished."));
        other.push(Reply::text("Still at it.").gate(&gate));
        let home = apart(&fake, &other);
        let running = ask(&home, &["--json", "Go"]).spawn();
        gate.wait_reached();
        if background {
            running.wait_for_stdout("Waiting for a helper.");
        }
        running.signal("INT");
        running.finish().code(130);
        other.wait_for_hangups(1);
        assert_eq!(statuses(&home), (json!("stopped"), json!("stopped")), "background: {background}");
    }
}

#[test]
fn the_time_of_the_parent_is_that_of_its_children() {
    let (fake, gate) = (fake(), Gate::new());
    fake.push(starts(json!({ "timeout": 3600 })));
    fake.repeat(Reply::text("Still at it.").gate(&gate));
    let home = home_of(&fake);
    let ran = ask(&home, &["--json", "--timeout", "1s", "Go"]).run().code(4);
    assert_eq!(end(&events(&ran))["card"]["code"], "RUN_TIME_SPENT");
    fake.wait_for_hangups(1);
    assert_eq!(statuses(&home).0, "aborted_constraint");
    assert_ne!(statuses(&home).1, Value::Null, "no run is left open");
}

#[test]
fn a_child_that_was_cut_off_by_a_crash_is_told_once_and_can_go_on() {
    let (fake, gate) = (fake(), Gate::new());
    fake.push(starts(json!({})));
    // A call is run once its answer is stored: with the second request the run of the child is known to be.
    fake.push(Reply::calls([("list", json!({}))]));
    fake.push(Reply::text("Still at it.").gate(&gate));
    let home = home_of(&fake);
    let running = ask(&home, &["Go"]).spawn();
    gate.wait_reached();
    running.signal("KILL");
    running.finish();
    let id = child(&home);
    fake.push(Reply::text("Where was I?"));
    fake.push(super::does("message", &id));
    fake.push(Reply::text("Here is the rest."));
    fake.push(Reply::text("There it is."));
    let ran = ask(&home, &["--json", "-c", "Go on"]).run();
    let events = events(&ran);
    let handed = of_type(&events, "message_accepted");
    let handed = handed.last().map(|event| event["content"].to_string()).unwrap_or_default();
    assert!(handed.contains("interrupted") && handed.contains(&id), "{handed}");
    assert!(super::told(&events)["claim"] == "Here is the rest.", "{}", ran.stdout);
    // Nobody knows what it had done until then: the run above has to look, and there is nothing to look with.
    assert_eq!(end(&events)["verdict"]["status"], "unverifiable");
    fake.push(Reply::text("Nothing new."));
    let again = ask(&home, &["--json", "-c", "And now?"]).run().stdout;
    assert!(!again.contains("\"origin\":\"children\""), "{again}");
}

#[test]
fn children_are_deleted_with_their_parent() {
    let fake = fake();
    fake.extend([starts(json!({})), Reply::text("Nothing."), Reply::text("Done.")]);
    let home = home_of(&fake);
    ask(&home, &["Go"]).run().ok();
    let id = child(&home);
    candor(&home, "sessions delete last --yes").run().ok();
    candor(&home, &format!("sessions show {id}")).run().code(4).stderr_has("SESSION_UNKNOWN");
    assert_eq!(tree(&home), Vec::<Value>::new());
}

#[test]
fn an_exported_child_knows_whom_it_worked_for() {
    let fake = fake();
    fake.extend([starts(json!({})), Reply::text("Nothing."), Reply::text("Done.")]);
    let home = home_of(&fake);
    ask(&home, &["Go"]).run().ok();
    let (parent, id) = (tree(&home)[0]["id"].clone(), child(&home));
    let lines = candor(&home, &format!("sessions export {id}")).run().ok().stdout;
    candor(&home, &format!("sessions delete {id} --yes")).run().ok();
    assert_eq!(tree(&home)[0]["children"], json!([]));
    candor(&home, "sessions import -").stdin(lines).run().ok();
    assert_eq!((&tree(&home)[0]["children"][0]["parent"], child(&home)), (&parent, id));
}

#[test]
fn a_child_at_work_can_be_looked_at_told_more_and_stopped() {
    let (fake, other) = (fake(), super::fake());
    let [first, second, held, again] = [Gate::new(), Gate::new(), Gate::new(), Gate::new()];
    let looks = || Reply::calls([("list", json!({}))]);
    fake.extend([super::starts_apart(), looks().gate(&first)]);
    other.extend([looks().gate(&held), Reply::text("Still at it.").gate(&again)]);
    let home = apart(&fake, &other);
    let running = ask(&home, &["--json", "Go"]).spawn();
    first.wait_reached();
    held.wait_reached();
    let id = child(&home);
    fake.extend([super::does("status", &id), super::does("message", &id), looks().gate(&second)]);
    first.open();
    second.wait_reached();
    held.open();
    again.wait_reached();
    assert_eq!(other.requests()[1].user_texts(), [super::TASK, "And now?"]);
    fake.extend([super::does("stop", &id), Reply::text("Enough.")]);
    second.open();
    let events = events(&running.finish().ok());
    let told = of_type(&events, "tool_result");
    let told: Vec<&str> = told
        .iter()
        .filter(|event| event["toolName"] == "delegate")
        .filter_map(|event| event["result"].as_str())
        .collect();
    for (result, word) in told.iter().zip(["\"running\"", "\"running\"", "it hears this", "\"stopped\""]) {
        assert!(result.contains(word), "{word} is not in {result}");
    }
    assert_eq!((told.len(), statuses(&home)), (4, (json!("done"), json!("stopped"))));
}
