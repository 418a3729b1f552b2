//! Pictures that the model reads, from the file to the provider and through everything that a session survives.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use candor_testkit::{Candor, Dialect, FakeLlm, Home, Reply};
use serde_json::json;

use crate::rig::{BINARY, KEY, ask, candor, events, home_of};
use crate::serving::Served;

/// Two by two pixels, and a comment that looks like a key in base64.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAH3RFWHRDb21tZW50AHh4++++AKIAZ7XKQJ4LMN2PRS5T++++cqezJwAAABFJREFUeNpj+M/AwPAfjIAYAB3wA/2uP+I4AAAAAElFTkSuQmCC";
const LOOKS_SECRET: &str = "AKIAZ7XKQJ4LMN2PRS5T";
/// The largest that is shown.
const LARGEST_BYTES: usize = 4 << 20;
const TOLD: &str = "image/png, 2x2 pixels, 117 bytes";

fn reads(path: &str) -> Reply {
    Reply::calls([("file_read", json!({ "path": path }))])
}

fn with_picture(fake: &FakeLlm) -> Home {
    let home = home_of(fake);
    home.write_in_workspace("chart.png", STANDARD.decode(PNG).expect("base64"));
    home
}

/// The pictures of each request, as far as there are any.
fn shown(fake: &FakeLlm) -> Vec<Vec<String>> {
    let refused: Vec<String> = fake.requests().into_iter().filter_map(|seen| seen.refused).collect();
    assert!(refused.is_empty(), "{refused:?}");
    fake.requests().iter().map(candor_testkit::Seen::pictures).collect()
}

/// Whether a file below this folder holds the picture in base64.
fn is_in(folder: &Path) -> bool {
    let needle = &PNG.as_bytes()[..40];
    fs::read_dir(folder).expect("a folder").flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return is_in(&path);
        }
        fs::read(&path).is_ok_and(|bytes| bytes.windows(needle.len()).any(|window| window == needle))
    })
}

#[test]
fn every_provider_is_shown_the_picture_and_again_after_a_restart() {
    for &dialect in Dialect::ALL {
        let fake = FakeLlm::start(dialect);
        fake.extend([reads("chart.png"), Reply::text("Red and green."), Reply::text("Yes.")]);
        let home = with_picture(&fake);
        let ran = ask(&home, &["What is on it?"]).run().ok();
        assert!(ran.stderr.contains(TOLD) && !ran.stderr.contains(&PNG[..20]), "{dialect:?}: {ran}");
        ask(&home, &["-c", "Are you sure?"]).run().ok();
        let picture = || vec![PNG.to_owned()];
        assert_eq!(shown(&fake), [vec![], picture(), picture()], "{dialect:?}");
        assert!(!is_in(&home.path().join("logs")), "{dialect:?}: the log has no picture");
    }
}

#[test]
fn people_read_one_line_and_programs_get_all_of_it() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.extend([reads("chart.png"), Reply::text("Red.")]);
    let home = with_picture(&fake);
    let told = events(&ask(&home, &["--json", "What is on it?"]).run().ok());
    let result = told.iter().find(|event| event["type"] == "tool_result").expect("a result");
    assert_eq!(result["images"], json!([{ "mediaType": "image/png", "data": PNG }]));
    assert_eq!(result["result"], format!("[{TOLD}]"));
    let words = candor(&home, "sessions show last").run().ok().stdout;
    assert!(words.contains(TOLD) && !words.contains(&PNG[..20]), "{words}");
    let lines = candor(&home, "sessions show --json last").run().ok().stdout;
    assert!(lines.contains(PNG), "{lines}");
}

#[test]
fn a_picture_survives_export_import_and_fork() {
    // The masks would find something to mask in it.
    let masked = candor(&Home::new(), "redact").stdin(PNG.to_owned()).run().ok().stdout;
    assert!(!masked.contains(LOOKS_SECRET), "{masked}");
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.extend([reads("chart.png"), Reply::text("Red.")]);
    let home = with_picture(&fake);
    ask(&home, &["What is on it? AKIAZ7XKQJ4LMN2PRS5Q"]).run().ok();
    let exported = candor(&home, "sessions export last").run().ok().stdout;
    assert!(exported.contains(PNG) && !exported.contains("AKIAZ7XKQJ4LMN2PRS5Q"), "{exported}");
    let file = home.tmp().join("export.jsonl").display().to_string();
    ask(&home, &["sessions", "export", "last", "-o", &file]).run().ok();
    assert_eq!(fs::read_to_string(&file).expect("a file"), exported);
    let other = home_of(&fake);
    let id = candor(&other, "sessions import -").stdin(exported).run().ok().stdout;
    fake.push(Reply::text("Still."));
    ask(&other, &["-s", id.trim_end(), "And now?"]).run().ok();
    let fork = candor(&other, &format!("sessions fork {id}")).run().ok().stdout;
    fake.push(Reply::text("There, too."));
    ask(&other, &["-s", fork.trim_end(), "And there?"]).run().ok();
    assert_eq!(shown(&fake)[2..], [vec![PNG.to_owned()], vec![PNG.to_owned()]]);
}

#[test]
fn what_only_calls_itself_a_picture_is_masked_like_any_text() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.extend([reads("chart.png"), Reply::text("Red.")]);
    let home = with_picture(&fake);
    ask(&home, &["What is on it?"]).run().ok();
    let forged = candor(&home, "sessions export last").run().ok().stdout.replace(PNG, LOOKS_SECRET);
    let other = home_of(&fake);
    let id = candor(&other, "sessions import -").stdin(forged).run().ok().stdout;
    let lines = candor(&other, &format!("sessions export {id}")).run().ok().stdout;
    assert!(lines.contains("image/png") && !lines.contains(LOOKS_SECRET), "{lines}");
}

#[test]
fn the_largest_picture_goes_over_the_socket_and_into_another_home() {
    let fake = FakeLlm::start(Dialect::OpenaiResponses);
    fake.extend([reads("large.png"), Reply::text("Red.")]);
    let home = home_of(&fake);
    let mut bytes = STANDARD.decode(PNG).expect("base64");
    // What stands after the end of a picture is no part of it.
    bytes.resize(LARGEST_BYTES, 0);
    home.write_in_workspace("large.png", &bytes);
    let picture = STANDARD.encode(&bytes);
    let served = Served::start(Candor::new(BINARY, &home).env("FAKE_KEY", KEY), &home);
    let mut client = served.connect();
    let frames = client.send(json!({ "type": "send_message", "content": "Look" })).until_type("run_end");
    let result = frames.iter().find(|frame| frame["type"] == "tool_result").expect("a result");
    assert!(result["images"][0]["data"] == picture, "all of it");
    served.running.signal("TERM");
    served.running.finish().ok();
    let file = home.tmp().join("export.jsonl").display().to_string();
    ask(&home, &["sessions", "export", "last", "-o", &file]).run().ok();
    let other = home_of(&fake);
    let id = ask(&other, &["sessions", "import", &file]).run().ok().stdout;
    fake.push(Reply::text("Still red."));
    ask(&other, &["-s", id.trim_end(), "And now?"]).run().ok();
    assert!(shown(&fake)[1..] == [[picture.clone()], [picture]], "the same, after a restart elsewhere");
}

#[test]
fn a_model_without_eyes_answers_all_the_same_and_is_not_asked_twice() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let refusal = Reply::error("bad_request", "this model does not support image input");
    fake.extend([reads("chart.png"), refusal, Reply::text("I cannot see it."), Reply::text("No.")]);
    let home = with_picture(&fake);
    let ran = ask(&home, &["What is on it?"]).run().ok();
    assert!(
        ran.stdout.contains("I cannot see it.") && ran.stderr.contains("1 picture no longer shown"),
        "{ran}"
    );
    ask(&home, &["-c", "Really?"]).run().ok();
    let counts: Vec<usize> = shown(&fake).iter().map(Vec::len).collect();
    assert_eq!(counts, [0, 1, 0, 0]);
}

#[test]
fn one_that_is_damaged_never_reaches_the_provider() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    fake.extend([reads("cut.png"), Reply::text("It is damaged.")]);
    let home = home_of(&fake);
    home.write_in_workspace("cut.png", &STANDARD.decode(PNG).expect("base64")[..90]);
    ask(&home, &["What is on it?"]).run().ok();
    assert_eq!(shown(&fake), [Vec::<String>::new(), vec![]]);
    assert!(fake.requests()[1].tool_results()[0].contains("it ends too early"));
}
