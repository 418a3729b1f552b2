//! `kill -9` before every call that writes, syncs, sends or starts something, and at random moments.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use candor_testkit::{Reply, Rng, Sweep};
use serde_json::{Value, json};

use crate::durable::{self, FIRST, Scene, append, complaints};
use crate::rig::Keep;
use crate::strace::{Place, places, record};

/// The exit code of a process that was ended by `kill -9`, as a shell shows it; strace ends like what it watches.
const KILLED: i32 = 128 + 9;

/// From so many cases on, most of them must have been what they are meant to be.
const TELLING: usize = 20;

/// How many random kills a home must stand, and how often it is looked at in between.
const CYCLES: usize = 200;
const LOOK_EVERY: usize = 20;

/// A run comes to its second tool well before this, on a machine with other things to do.
const MOMENT_MICROS_MAX: usize = 90_000;

/// One moment: the so-manieth call at a place.
#[derive(Clone, Debug)]
struct Moment {
    place: Place,
    number: usize,
}

/// All moments of a run, in an order that the seed decides, so that a sample has some of every kind. They are recorded
/// anew each time, and threads take turns as they like; so a complaint names its moment, not only its case.
fn moments(keep: &Keep, seed: u64) -> (Vec<Moment>, PathBuf) {
    let scene = Scene::new(keep);
    let places = places(&record(&scene, &[]), &scene.root());
    let mut moments: Vec<Moment> = places
        .into_iter()
        .flat_map(|(place, count)| (1..=count).map(move |number| Moment { place: place.clone(), number }))
        .collect();
    Rng::new(seed).shuffle(&mut moments);
    (moments, scene.root())
}

impl Moment {
    /// Kills a prompt at this moment; false when the run did not come this far: no two have the same number of calls.
    fn kill(&self, scene: &Scene, words: &[&str], recorded_in: &Path) -> bool {
        let place = self.place.moved(recorded_in, &scene.root());
        let mut flags = vec!["-o".to_owned(), "/dev/null".to_owned()];
        flags.extend(place.inject(&format!("signal=KILL:when={}", self.number)));
        scene.under_strace(&flags, words).run().status == KILLED
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "before {} number {}", self.place, self.number)
    }
}

/// Kills one run at each moment.
fn kill_before_each_call(mut sweep: Sweep, keep: &Keep) {
    let (moments, recorded_in) = moments(keep, sweep.seed());
    let (mut found, mut tried, mut killed) = (Vec::new(), 0, 0);
    for _ in 0..moments.len() {
        if !sweep.goes_on() {
            break;
        }
        let case = sweep.case();
        let moment = &moments[usize::try_from(case).expect("a case") % moments.len()];
        let mut scene = Scene::new(keep);
        killed += usize::from(moment.kill(&scene, &[FIRST], &recorded_in));
        tried += 1;
        let promised = scene.promised();
        let complaints = complaints(&mut scene, &promised);
        found.extend(complaints.into_iter().map(|complaint| format!("case {case}, {moment}: {complaint}")));
    }
    println!("{killed} runs killed, at {tried} of {} moments", moments.len());
    assert!(tried < TELLING || killed * 2 > tried, "only {killed} of {tried} runs were killed");
    assert!(found.is_empty(), "{} complaints\n{}", found.len(), found.join("\n"));
}

/// Kills a run, and then the one that goes on after it, maybe while that one still tidies up.
fn kill_twice(mut sweep: Sweep, keep: &Keep) {
    let (moments, recorded_in) = moments(keep, sweep.seed());
    while sweep.goes_on() {
        let mut scene = Scene::new(keep);
        let (first, second) = (sweep.rng().pick(&moments).clone(), sweep.rng().pick(&moments).clone());
        first.kill(&scene, &[FIRST], &recorded_in);
        let mut promised = scene.promised();
        if let Some(session) = session_of(&promised) {
            scene.says([Reply::calls([append("four")]), Reply::text("Done at last.")]);
            second.kill(&scene, &["-s", &session, "Do a fourth thing"], &recorded_in);
            promised.extend(scene.promised());
        }
        let found = complaints(&mut scene, &promised);
        assert!(found.is_empty(), "{first}, then {second}:\n{}", found.join("\n"));
    }
}

/// Kills run after run of one session in one home: what a kill leaves behind must not add up.
fn kill_at_random_moments(mut sweep: Sweep, keep: &Keep) {
    while sweep.goes_on() {
        let mut scene = Scene::new(keep);
        let mut promised =
            durable::promised(&scene.candor(&["--json", "--no-verify", FIRST]).run().ok().stdout);
        let session = session_of(&promised).expect("a session");
        for cycle in 1..=CYCLES {
            let name = format!("cycle{cycle}");
            // It never ends by itself, so that the kill always meets a run, and sometimes a tool.
            let endless = json!({ "command": format!("echo {name} >> {name}.txt; exec sleep 600") });
            scene
                .says([Reply::calls([append(&format!("{name}a"))]), Reply::calls([("shell_exec", endless)])]);
            let running = scene.candor(&["--json", "--no-verify", "-s", &session, &name]).spawn();
            thread::sleep(Duration::from_micros(sweep.rng().below(MOMENT_MICROS_MAX) as u64));
            running.signal("KILL");
            promised.extend(durable::promised(&running.finish().stdout));
            if cycle % LOOK_EVERY == 0 {
                let found = complaints(&mut scene, &promised);
                assert!(found.is_empty(), "after {cycle} kills:\n{}", found.join("\n"));
            }
        }
    }
}

fn session_of(promised: &[String]) -> Option<String> {
    let first: Value = serde_json::from_str(promised.first()?).expect("JSON");
    first["sessionId"].as_str().map(str::to_owned)
}

#[test]
fn sweep_kill_before_each_call_under_strace() {
    kill_before_each_call(Sweep::start("kill_before_each_call"), &Keep::in_home());
}

#[test]
fn sweep_kill_twice_under_strace() {
    kill_twice(Sweep::start("kill_twice"), &Keep::in_home());
}

#[test]
fn sweep_kill_at_random_moments() {
    kill_at_random_moments(Sweep::start("kill_at_random_moments"), &Keep::in_home());
}

#[test]
fn sweep_kill_before_each_call_under_strace_on_postgres() {
    kill_before_each_call(Sweep::start("kill_before_each_call_on_postgres"), &Keep::postgres());
}
