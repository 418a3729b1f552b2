//! Cards in runs: what the model and people are told of a call that failed, and what becomes of it.

use candor_testkit::{Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use crate::rig::{ask, candor, events, home_of, home_with, log_lines, of_type, on_both};

pub(crate) fn fake() -> FakeLlm {
    FakeLlm::start(Dialect::OpenaiChat)
}

pub(crate) fn shell(command: &str) -> Reply {
    Reply::calls([("shell_exec", json!({ "command": command }))])
}

/// What the model was told of the newest result in a request.
#[track_caller]
pub(crate) fn told(fake: &FakeLlm, request: usize) -> Value {
    let results = fake.requests()[request].tool_results();
    serde_json::from_str(results.last().expect("a result")).expect("JSON")
}

/// A recipe for the failure of `./gate`, with these steps and check.
pub(crate) fn recipe(steps: &str, verify: &str) -> String {
    format!(
        "ecosystem: gates\nprograms: [gate]\nrules:\n  - code: GATE_SHUT\n    class: Precondition\n    \
         title: The gate is shut\n    match: 'the gate is shut'\n    cause: Somebody has shut the gate.\n    \
         steps:\n{steps}\n      - {{ do: Or wait until somebody opens it. }}\n    verify: '{verify}'\n    \
         examples: [{{ from: docs, command: gate, exit: 9, output: the gate is shut }}]\n"
    )
}

/// A command that fails until there is a file called `open`.
pub(crate) const GATE: &str = "test -e open || { echo 'the gate is shut' >&2; exit 9; }";

pub(crate) fn home_with_recipe(fake: &FakeLlm, settings: &str, recipe: &str) -> Home {
    let home = home_with(fake, settings);
    home.write("recipes/gates.yaml", recipe);
    home
}

#[test]
fn a_failed_command_carries_one_card_to_the_model_and_to_people_with_the_same_bytes_every_time() {
    let fake = fake();
    let home = home_of(&fake);
    let mut seen = Vec::new();
    for run in 0..2 {
        fake.push(shell("git status"));
        fake.push(Reply::text("No repository here."));
        let ran = ask(&home, &["--no-verify", "--json", "Status?"]).run().ok();
        let events = events(&ran);
        let card = of_type(&events, "tool_result")[0]["card"].clone();
        assert_eq!(card["code"], "GIT_NOT_A_REPOSITORY");
        assert_eq!(card["exitCode"], 128);
        let told = told(&fake, run * 2 + 1);
        assert_eq!((&told["card"], &told["exit_code"]), (&card, &json!(128)), "{told}");
        seen.push(card.to_string());
    }
    assert_eq!(seen[0], seen[1]);
}

#[test]
fn recipes_of_the_home_and_of_the_workspace_explain_commands_and_a_broken_file_is_named() {
    let fake = fake();
    let home = home_of(&fake);
    home.write_in_workspace(
        ".candor/recipes/gates.yaml",
        recipe("      - { run: touch open }", "test -e open"),
    );
    home.write("recipes/broken.yaml", "rules: [");
    fake.push(shell(GATE));
    fake.push(Reply::text("It is shut."));
    let ran = ask(&home, &["--no-verify", "--json", "Through the gate"]).run().ok();
    assert_eq!(of_type(&events(&ran), "tool_result")[0]["card"]["code"], "GATE_SHUT", "{}", ran.stdout);
    let lines = log_lines(&home, "recipe_invalid");
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["code"], "RECIPE_INVALID");
    assert!(lines[0]["path"].as_str().expect("a path").ends_with("recipes/broken.yaml"), "{lines:?}");
    let doctor = candor(&home, "doctor").run();
    assert!(doctor.stdout.contains("recipes/broken.yaml is left out"), "{}", doctor.stdout);
}

#[test]
fn the_second_time_the_card_says_what_was_tried_and_the_third_time_ends_the_run() {
    let fake = fake();
    let home = home_of(&fake);
    for step in ["false  # make", "ls", "false # make", "pwd", "false # make"] {
        fake.push(shell(step));
    }
    let ran = ask(&home, &["--no-verify", "--json", "Try"]).run().code(5);
    assert_eq!(fake.requests().len(), 5, "reading in between is no progress");
    assert_eq!(told(&fake, 1)["card"]["tried"], Value::Null);
    let tried = json!(["false # make: failed once like this", "ls: worked"]);
    assert_eq!(told(&fake, 3)["card"]["tried"], tried);
    let events = events(&ran);
    assert_eq!(of_type(&events, "tool_result")[2]["card"]["tried"], tried, "people read the same");
    let end = of_type(&events, "run_end")[0];
    assert_eq!(end["status"], "aborted_stuck");
    let cause = end["card"]["cause"].as_str().expect("a cause");
    assert!(cause.starts_with("COMMAND_FAILED × 3: false # make\n"), "{cause}");
    assert!(cause.contains("Tried: ls: worked; pwd: worked"), "{cause}");
    let repeats: Vec<Value> =
        log_lines(&home, "card_shown").iter().map(|line| line["repeat"].clone()).collect();
    assert_eq!(repeats, [1, 2, 3]);
}

#[test]
fn repairing_in_steps_is_not_going_in_circles() {
    let fake = fake();
    let home = home_of(&fake);
    for step in 1..=4 {
        fake.push(shell("cat stage 2>&1; test -e stage && grep -q 4 stage"));
        fake.push(shell(&format!("echo {step} > stage")));
    }
    fake.push(shell("cat stage 2>&1; test -e stage && grep -q 4 stage"));
    fake.push(Reply::text("Through."));
    ask(&home, &["--no-verify", "Go on"]).run().ok();
}

#[test]
fn other_edits_of_one_file_are_not_the_same_call() {
    let fake = fake();
    let home = home_of(&fake);
    home.write_in_workspace("f", "a\nb\n");
    let edit = |old: &str| {
        Reply::calls([("file_edit", json!({ "path": "f", "edits": [{ "old": old, "new": "z" }] }))])
    };
    let read = |limit: u32| Reply::calls([("file_read", json!({ "path": "f", "limit": limit }))]);
    fake.extend([edit("one"), edit("two"), edit("three"), edit("four"), edit("a")]);
    fake.push(Reply::text("Edited."));
    ask(&home, &["--no-verify", "Edit it"]).run().ok();
    fake.extend([edit("one"), read(1), edit("two"), read(2), edit("three"), read(3), edit("b")]);
    fake.push(Reply::text("Edited."));
    ask(&home, &["--no-verify", "Edit it"]).run().ok();
    assert_eq!(std::fs::read_to_string(home.workspace().join("f")).expect("a file"), "z\nz\n");
    fake.extend([edit("one"), read(1), edit("one"), read(2), edit("one")]);
    let ran = ask(&home, &["--no-verify", "Edit it"]).run().code(5);
    assert!(ran.stderr.contains("3 times with the same call of file_edit"), "{}", ran.stderr);
}

#[test]
fn recovery_is_off_unless_somebody_turned_it_on() {
    for (settings, made) in [("", false), ("recovery = \"auto\"", true)] {
        let fake = fake();
        let home = home_with_recipe(
            &fake,
            settings,
            &recipe("      - { run: touch open, safe: true }", "test -e open"),
        );
        fake.push(shell(GATE));
        fake.push(Reply::text("I see."));
        let ran = ask(&home, &["--no-verify", "--json", "Through the gate"]).run().ok();
        assert_eq!(home.workspace().join("open").exists(), made);
        let told = told(&fake, 1);
        assert_eq!(told["card"]["code"], "GATE_SHUT");
        assert_eq!(told.get("recovery").is_some(), made, "{told}");
        let events = events(&ran);
        let ids: Vec<&str> =
            of_type(&events, "tool_start").iter().filter_map(|start| start["callId"].as_str()).collect();
        assert_eq!(ids.len(), if made { 3 } else { 1 }, "each step is told: {ids:?}");
        if made {
            assert_eq!(told["recovery"]["recovered"], true, "{told}");
            assert_eq!(
                told["recovery"]["steps"][0],
                json!({"command": "touch open", "exit_code": 0, "ok": true})
            );
            assert_eq!(ids[1..], [format!("{}.r1", ids[0]), format!("{}.r2", ids[0])]);
            let past = &log_lines(&home, "card_recovered")[0];
            assert_eq!((&past["code"], &past["by"]), (&json!("GATE_SHUT"), &json!("auto")));
        }
    }
}

#[test]
fn git_outside_of_a_repository_is_recovered_by_making_one() {
    for (recovery, made) in [("off", false), ("auto", true)] {
        let fake = fake();
        let home = home_with(&fake, &format!("recovery = \"{recovery}\""));
        fake.push(shell("touch deep/er/file"));
        fake.push(Reply::text("I see."));
        ask(&home, &["--no-verify", "Make it"]).run().ok();
        assert_eq!(home.workspace().join("deep/er").is_dir(), made, "{}", told(&fake, 1));
    }
}

#[test]
fn what_recovery_did_is_told_once_replayed_and_taken_back() {
    let fake = fake();
    let steps = "      - { run: echo open > open, safe: true }";
    let home = home_with_recipe(&fake, "recovery = \"auto\"", &recipe(steps, "test -e open"));
    fake.push(shell(GATE));
    fake.push(Reply::text("I see."));
    ask(&home, &["--no-verify", "Through the gate"]).run().ok();
    let first = told(&fake, 1);
    fake.push(Reply::text("Still there."));
    ask(&home, &["--no-verify", "-c", "And now?"]).run().ok();
    assert_eq!(fake.requests()[2].tool_results().len(), 1, "its steps are no calls of the model");
    assert_eq!(told(&fake, 2), first);
    assert!(fake.requests().iter().all(|seen| seen.refused.is_none()));
    candor(&home, "sessions undo last").run().ok();
    assert!(!home.workspace().join("open").exists());
}

#[test]
fn a_safe_step_that_fails_ends_the_recovery_and_is_told() {
    let fake = fake();
    let steps = "      - { run: touch no/such/place, safe: true }\n      - { run: touch second, safe: true }";
    let home = home_with_recipe(&fake, "recovery = \"auto\"", &recipe(steps, "touch checked"));
    fake.push(shell(GATE));
    fake.push(Reply::text("I see."));
    ask(&home, &["--no-verify", "Through the gate"]).run().ok();
    let told = told(&fake, 1);
    assert_eq!(
        (&told["recovery"]["recovered"], &told["recovery"]["steps"][0]["ok"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(told["recovery"]["steps"].as_array().map(Vec::len), Some(1));
    assert!(told["recovery"]["note"].as_str().is_some_and(|note| note.contains("failed")), "{told}");
    for name in ["second", "checked"] {
        assert!(!home.workspace().join(name).exists(), "{name}");
    }
    assert!(log_lines(&home, "card_recovered").is_empty());
}

#[test]
fn a_check_that_fails_after_the_steps_is_told_and_nothing_is_done_a_second_time() {
    let fake = fake();
    let steps = "      - { run: echo x >> steps, safe: true }";
    let home = home_with_recipe(&fake, "recovery = \"auto\"", &recipe(steps, "test -e open"));
    fake.push(shell(GATE));
    fake.push(shell(GATE));
    fake.push(Reply::text("I see."));
    ask(&home, &["--no-verify", "Through the gate"]).run().ok();
    let first = told(&fake, 1);
    assert_eq!(first["recovery"]["recovered"], false);
    assert!(
        first["recovery"]["note"].as_str().is_some_and(|note| note.contains("check still fails")),
        "{first}"
    );
    assert_eq!(told(&fake, 2).get("recovery"), None);
    assert_eq!(std::fs::read_to_string(home.workspace().join("steps")).expect("a file"), "x\n");
}

#[test]
fn the_command_is_run_again_only_when_it_is_the_check_itself() {
    let fake = fake();
    let command = "echo ran >> runs; sh gate.sh";
    let recipe = recipe("      - { run: touch open, safe: true }", command);
    let home = home_with_recipe(&fake, "recovery = \"auto\"", &recipe);
    home.write_in_workspace("gate.sh", format!("{GATE}\necho welcome"));
    fake.push(shell(command));
    fake.push(Reply::text("I see."));
    ask(&home, &["--no-verify", "Through the gate"]).run().ok();
    assert_eq!(std::fs::read_to_string(home.workspace().join("runs")).expect("a file"), "ran\nran\n");
    assert_eq!(told(&fake, 1)["recovery"]["verify"]["result"]["stdout"], "welcome\n");
}

#[test]
fn nothing_is_done_without_asking_that_somebody_else_wrote_or_that_needs_a_yes() {
    let safe = recipe("      - { run: touch open, safe: true }", "test -e open");
    let doubtful = recipe("      - { run: touch open && git push --force origin main, safe: true }", "true");
    let auto = "recovery = \"auto\"";
    // (settings, the home's recipe, the workspace's recipe)
    let cases = [
        (auto.to_owned(), None, Some(&safe)),
        (auto.to_owned(), Some(&doubtful), None),
        (format!("{auto}\npermission = \"read-only\""), Some(&safe), None),
        (format!("{auto}\napproval = \"always\""), Some(&safe), None),
    ];
    for (settings, own, foreign) in cases {
        let fake = fake();
        let home = home_with(&fake, &settings);
        if let Some(recipe) = own {
            home.write("recipes/gates.yaml", recipe);
        }
        if let Some(recipe) = foreign {
            home.write_in_workspace(".candor/recipes/gates.yaml", recipe);
        }
        fake.push(shell(GATE));
        fake.push(Reply::text("I see."));
        ask(&home, &["--no-verify", "Through the gate"]).run();
        let told = told(&fake, 1);
        assert!(!home.workspace().join("open").exists(), "{settings}: {told}");
        let refused = told["recovery"]["steps"][0]["code"].as_str();
        assert_eq!(
            refused,
            own.filter(|own| **own == doubtful).map(|_| "TOOL_BLOCKED"),
            "{settings}: {told}"
        );
    }
}

#[test]
fn a_workspace_can_turn_recovery_off_and_not_on() {
    let safe = recipe("      - { run: touch open, safe: true }", "test -e open");
    for (owner, workspace) in [("off", "auto"), ("auto", "off")] {
        let fake = fake();
        let home = home_with_recipe(&fake, &format!("recovery = \"{owner}\""), &safe);
        home.write_in_workspace(".candor/config.toml", format!("recovery = \"{workspace}\""));
        fake.push(shell(GATE));
        fake.push(Reply::text("I see."));
        ask(&home, &["--no-verify", "Through the gate"]).run().ok();
        assert!(!home.workspace().join("open").exists(), "{owner}, {workspace}");
    }
}

on_both! {
    fn which_card_led_to_success_is_counted(keep) {
        let fake = fake();
        let home = home_of(&fake);
        let none = keep.on(candor(&home, "errors stats")).run().ok();
        assert!(none.stdout.is_empty() && none.stderr.contains("no failures in runs of the agent yet"), "{none}");
        fake.push(shell("cat notes.txt"));
        fake.push(shell("cat  notes.txt"));
        fake.push(shell("echo hello > notes.txt"));
        fake.push(shell("cat notes.txt | head -1"));
        fake.push(Reply::calls([("file_read", json!({ "path": "nowhere.txt" }))]));
        fake.push(Reply::text("Done."));
        let ran = keep.on(ask(&home, &["--no-verify", "--json", "Read the notes"])).run().ok();
        let events = events(&ran);
        let code = of_type(&events, "tool_result")[0]["card"]["code"].clone();
        let past = &of_type(&events, "tool_result")[3]["recovered"][0];
        assert_eq!((&past["code"], &past["failures"], &past["by"]), (&code, &json!(2), &json!("model")));
        let line = &log_lines(&home, "card_recovered")[0];
        assert_eq!((&line["code"], &line["attempts"]), (&code, &json!(2)));
        let stats = keep.on(candor(&home, "errors stats --json")).run().ok();
        let rows: Vec<Value> = serde_json::from_str(&stats.stdout).expect("JSON");
        let facts = |row: &Value| {
            [&row["code"], &row["calls"], &row["recovered"], &row["recoveryRate"]].map(Clone::clone)
        };
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert_eq!(facts(&rows[0]), [code.clone(), json!(2), json!(2), json!(1.0)]);
        assert!(rows[0]["medianMs"].is_number());
        assert_eq!(facts(&rows[1]), [json!("FILE_NOT_FOUND"), json!(1), json!(0), json!(0.0)]);
        let text = keep.on(candor(&home, "errors stats")).run().ok();
        assert!(text.stdout.contains("100%") && text.stdout.contains("FILE_NOT_FOUND"), "{text}");
        let since = keep.on(candor(&home, "errors stats --json --since 2100-01-01")).run().ok();
        assert_eq!(since.stdout.trim(), "[]");
    }
}
