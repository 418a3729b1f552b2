//! What a client sees when the model's provider fails.

use candor_testkit::{Dialect, FakeLlm, Gate, Reply};

use super::{answer, converse, converse_in, message, serve_on};
use crate::rig::{home_with, of_type, on_both};

const QUICK: &str = "retry = { max_retries = 2, base_delay_ms = 100, max_delay_ms = 1000 }";

fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::Anthropic)
}

on_both! {
    fn s15_3_a_refused_key_is_told_at_once(keep) {
        let fake = fake();
        fake.push(Reply::status(401));
        let home = home_with(&fake, QUICK);
        let served = serve_on(&home, keep);
        let frames = converse(&mut served.connect(), "Hello there");
        let errors = of_type(&frames, "error");
        assert_eq!(errors.len(), 1, "{frames:#?}");
        assert_eq!(errors[0]["card"]["code"], "PROVIDER_UNAUTHORIZED");
        assert!(errors[0]["message"].as_str().is_some_and(|message| !message.is_empty()));
        assert!(errors[0]["sessionId"].is_string() && errors[0]["runId"].is_string());
        assert!(of_type(&frames, "status").is_empty(), "nothing was tried again");
        let asked = fake.requests().iter().filter(|seen| seen.user_texts() == ["Hello there"]).count();
        assert_eq!(asked, 1);
    }

    fn s15_4_the_end_of_all_attempts_is_told(keep) {
        let fake = fake();
        fake.extend([Reply::status(503), Reply::status(503), Reply::status(503)]);
        let home = home_with(&fake, QUICK);
        let served = serve_on(&home, keep);
        let frames = converse(&mut served.connect(), "Hello there");
        let errors = of_type(&frames, "error");
        assert_eq!(errors.len(), 1, "{frames:#?}");
        assert_eq!(errors[0]["card"]["code"], "PROVIDER_UNAVAILABLE");
        assert!(errors[0]["card"]["steps"].as_array().is_some_and(|steps| steps.len() >= 2));
        assert_eq!(frames.last().expect("an end")["status"], "failed");
        assert_eq!(fake.left(), 0, "it was tried three times");
    }

    fn s15_6_a_wait_is_told_while_it_lasts(keep) {
        let fake = fake();
        let gate = Gate::new();
        fake.extend([
            Reply::status(429).header("retry-after", "1"),
            Reply::text("At last, an answer.").gate(&gate),
        ]);
        let home = home_with(&fake, QUICK);
        let served = serve_on(&home, keep);
        let mut socket = served.connect();
        let frames = socket.send(message("Hello there")).until_type("status");
        let status = frames.last().expect("a status");
        assert_eq!((&status["attempt"], &status["delayMs"]), (&1.into(), &1000.into()), "{status}");
        assert!(status["message"].as_str().is_some_and(|message| !message.is_empty()));
        assert!(status["sessionId"].is_string() && status["runId"].is_string());
        assert_eq!(fake.requests().len(), 1, "it is told before the second attempt, not after it");
        gate.open();
        assert_eq!(answer(&socket.until_type("run_end")), "At last, an answer.");
    }

    fn s15_7_the_session_is_usable_after_a_failure(keep) {
        let fake = fake();
        fake.push(Reply::status(401));
        let home = home_with(&fake, QUICK);
        let served = serve_on(&home, keep);
        let mut socket = served.connect();
        let failed = converse(&mut socket, "Hello there");
        assert_eq!(failed.last().expect("an end")["status"], "failed");
        fake.repeat(Reply::text("Back again."));
        let frames = converse_in(&mut socket, &failed[0]["sessionId"], "And now?");
        assert_eq!(answer(&frames), "Back again.");
        assert_eq!(frames.last().expect("an end")["status"], "done");
        let asked = fake.requests();
        let last = asked.iter().rfind(|seen| seen.user_texts().contains(&"And now?".to_owned()));
        assert_eq!(last.expect("a request").user_texts(), ["Hello there", "And now?"]);
    }
}
