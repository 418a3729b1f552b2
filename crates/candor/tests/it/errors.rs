//! `candor errors`: what there is, and what was met.

use candor_testkit::{Home, Reply};
use serde_json::{Value, json};

use crate::cards_in_runs::{fake, shell};
use crate::rig::{ask, candor, home_of};

fn listed(home: &Home, words: &str) -> Vec<String> {
    let ran = candor(home, &format!("errors list {words}")).run().ok();
    ran.stdout.lines().filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect()
}

#[test]
fn codes_are_found_by_words_of_their_code_class_title_and_program() {
    let home = Home::new();
    let all = listed(&home, "");
    let git = listed(&home, "git");
    assert!(git.len() > 50 && git.len() < all.len(), "{} of {}", git.len(), all.len());
    assert!(git.contains(&"GIT_NOT_A_REPOSITORY".to_owned()));
    let both = listed(&home, "GIT remote");
    assert!(
        !both.is_empty() && both.len() < git.len() && both.iter().all(|code| git.contains(code)),
        "{both:?}"
    );
    let own = listed(&home, "candor segment");
    assert!(own.contains(&"SEGMENT_LOCKED".to_owned()), "{own:?}");
    let none = candor(&home, "errors list git nothinglikethis").run().ok();
    assert!(none.stdout.is_empty() && none.stderr.contains("no code has all of these words"), "{none}");
    let ran = candor(&home, "errors list --json segment locked").run().ok();
    let cards: Vec<Value> = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(cards.iter().map(|card| &card["code"]).collect::<Vec<_>>(), [&json!("SEGMENT_LOCKED")]);
}

#[test]
fn the_columns_of_the_statistics_say_what_they_count() {
    let fake = fake();
    let home = home_of(&fake);
    fake.extend([shell("cat notes.txt"), shell("echo hello > notes.txt"), shell("cat notes.txt")]);
    fake.push(Reply::text("Done."));
    ask(&home, &["--no-verify", "Read the notes"]).run().ok();
    let ran = candor(&home, "errors stats").run().ok();
    let heads = ["code", "failed calls", "ended runs", "recovered", "by runtime", "rate", "median time"];
    let (head, rows) = ran.stdout.split_once('\n').expect("a head");
    let found: Vec<usize> = heads.iter().filter_map(|name| head.find(name)).collect();
    assert!(found.len() == heads.len() && found.is_sorted(), "{head}");
    // Each number ends where its head does.
    let end = head.find("failed calls").expect("a head") + "failed calls".len();
    assert_eq!(
        rows.lines().next().and_then(|row| row.get(..end)?.chars().last()),
        Some('1'),
        "{}",
        ran.stdout
    );
    for name in ["recovered: ", "by runtime: ", "rate: ", "median time: "] {
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
    let later = candor(&home, "errors stats --since 2100-01-01").run().ok();
    assert!(
        later.stdout.is_empty() && later.stderr.contains("no failures in runs of the agent since then"),
        "{later}"
    );
    candor(&home, "errors stats --since whenever").run().code(2).stderr_has("USAGE_INVALID_VALUE");
}
