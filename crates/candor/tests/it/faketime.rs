//! The real binary while its clock jumps by years, between runs and during one.
//!
//! The clock of the wall is moved by libfaketime; the one that measures lengths of time goes on, as it does when somebody
//! sets a real clock.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use candor_testkit::{Candor, Dialect, FakeLlm, Gate, Home, Reply};
use serde_json::Value;

use crate::rig::{ask, candor, events, home_of, of_type};

/// Where the library is: Debian has one folder for each machine's kind.
fn library() -> PathBuf {
    let folders = fs::read_dir("/usr/lib").expect("libraries").flatten();
    let mut found = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    found.find(|library| library.exists()).expect("the package faketime is installed")
}

/// Lets the binary see another time.
fn at<'h>(candor: Candor<'h>, clock: &Path) -> Candor<'h> {
    candor
        .env("LD_PRELOAD", library())
        .env("FAKETIME_TIMESTAMP_FILE", clock)
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .env("TZ", "UTC")
}

/// A home and the clock in it.
struct Place {
    home: Home,
    fake: FakeLlm,
    clock: PathBuf,
}

impl Place {
    fn new() -> Self {
        let fake = FakeLlm::start(Dialect::Anthropic);
        let home = home_of(&fake);
        let clock = home.tmp().join("clock");
        Self { home, fake, clock }
    }

    /// Sets the clock to noon of a day, from which on each process counts anew.
    fn set(&self, day: &str) -> &Self {
        let draft = self.clock.with_extension("new");
        fs::write(&draft, format!("@{day} 12:00:00\n")).expect("a clock");
        fs::rename(draft, &self.clock).expect("a clock");
        self
    }

    fn ask(&self, words: &[&str]) -> Candor<'_> {
        at(ask(&self.home, words).args(["--json"]), &self.clock)
    }

    /// Says something, and gives the events.
    fn say(&self, words: &[&str]) -> Vec<Value> {
        self.fake.push(Reply::text("yes"));
        events(&self.ask(words).run().ok())
    }

    fn stored(&self, session: &str) -> Vec<Value> {
        events(&candor(&self.home, &format!("sessions show {session} --json")).run().ok())
    }
}

fn session(events: &[Value]) -> String {
    events[0]["sessionId"].as_str().expect("a session").to_owned()
}

#[track_caller]
fn check_numbers(events: &[Value]) {
    let numbers: Vec<_> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert!(numbers.iter().copied().eq(1..=events.len() as u64), "{numbers:?}");
}

#[test]
fn sessions_survive_a_clock_that_jumps_between_runs() {
    let place = Place::new();
    let first = place.set("2026-01-10").say(&["one"]);
    assert!(first[0]["at"].as_str().is_some_and(|at| at.starts_with("2026-01-10T12:")), "{first:#?}");
    let ahead = session(&place.set("2031-05-05").say(&["two"]));
    // Back to what is right: what claims to be of 2031 cannot be the latest.
    place.set("2026-01-11");
    assert_eq!(session(&place.say(&["-c", "three"])), session(&first));
    let third = session(&place.set("2026-01-12").say(&["four"]));
    assert_eq!(session(&place.set("2026-01-13").say(&["-c", "five"])), third);
    // A clock that starts in the past, as one without a battery does.
    let behind = session(&place.set("2019-02-02").say(&["six"]));
    assert_eq!(session(&place.set("2019-02-03").say(&["-c", "seven"])), behind);
    // Time runs backwards in this one, and its numbers do not.
    place.say(&["-s", &ahead, "eight"]);
    let asked = place.fake.requests().pop().expect("a request").body.to_string();
    assert!(asked.find("two") < asked.find("eight"), "{asked}");
    let sessions = [session(&first), ahead, third, behind];
    assert_eq!(sessions.iter().collect::<BTreeSet<_>>().len(), 4);
    let mut runs = BTreeSet::new();
    for session in &sessions {
        let events = place.stored(session);
        check_numbers(&events);
        runs.extend(of_type(&events, "run_end").iter().map(|end| end["runId"].to_string()));
    }
    assert_eq!(runs.len(), 8);
    let usage = candor(&place.home, "usage --by day --json").run().ok();
    for day in ["2019-02-02", "2019-02-03", "2026-01-10", "2026-01-13", "2031-05-05"] {
        assert_eq!(usage.stdout.matches(&format!("\"{day}\"")).count(), 1, "{day}: {}", usage.stdout);
    }
}

#[test]
fn a_run_survives_a_clock_that_jumps_under_it() {
    for day in ["2036-06-06", "1999-09-09"] {
        let place = Place::new();
        let gate = Gate::new();
        place.fake.push(Reply::text("It is late.").gate(&gate));
        let running = place.set("2026-01-10").ask(&["--timeout", "50s", "what time is it?"]).spawn();
        gate.wait_reached();
        place.set(day);
        // While one process holds the session under one clock, another cannot write it under the other.
        let listed = candor(&place.home, "sessions list --json").run().ok().stdout;
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        let id = listed[0]["id"].as_str().expect("an id").to_owned();
        let refused = at(ask(&place.home, &["-s", &id, "--timeout", "1s", "me too"]), &place.clock).run();
        assert!(refused.stderr.contains("SESSION_BUSY"), "{}", refused.stderr);
        gate.open();
        let ran = running.finish().ok();
        let end = of_type(&events(&ran), "run_end")[0].clone();
        assert!(end["durationMs"].as_u64().is_some_and(|ms| ms < 60_000), "{end}");
        let stored = place.stored(&id);
        check_numbers(&stored);
        let text = stored.iter().find(|event| event["type"] == "message_complete").expect("an answer");
        assert!(text["at"].as_str().is_some_and(|at| at.starts_with(day)), "{text}");
    }
}
