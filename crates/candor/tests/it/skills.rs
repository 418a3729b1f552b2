//! Skills and trust, from the outside.

use candor_testkit::{Candor, Dialect, FakeLlm, Home, Reply};
use serde_json::{Value, json};

use crate::rig::{BINARY, ask, candor, home_of};

const SKILL: &str =
    "---\nname: release-notes\ndescription: How we write release notes.\n---\nBegin with the date.\n";

fn home(fake: &FakeLlm) -> Home {
    let home = home_of(fake);
    home.write_in_workspace(".agents/skills/release-notes/SKILL.md", SKILL);
    home.write(
        "skills/greeting/SKILL.md",
        "---\nname: greeting\ndescription: How to greet.\n---\nRun scripts/hi.sh.\n",
    );
    home.write("skills/greeting/scripts/hi.sh", "echo a friendly hello\n");
    home
}

#[test]
fn a_skill_of_the_workspace_is_left_out_until_it_is_trusted() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes."));
    let home = home(&fake);
    let ran = ask(&home, &["Hello"]).run().ok();
    assert!(ran.stderr.contains("1 skill of this folder left out"), "{}", ran.stderr);
    let system = fake.requests()[0].system().unwrap();
    assert!(system.contains("**greeting**: How to greet.") && !system.contains("release-notes"), "{system}");
    let shown = candor(&home, "trust").run().ok();
    assert!(
        shown.stdout.contains("not trusted  skill .agents/skills/release-notes: How we write release notes."),
        "{}",
        shown.stdout
    );
    candor(&home, "trust --yes").run().ok();
    assert!(
        candor(&home, "trust").run().ok().stdout.starts_with("trusted  skill .agents/skills/release-notes")
    );
    let ran = ask(&home, &["Hello"]).run().ok();
    assert!(!ran.stderr.contains("left out"), "{}", ran.stderr);
    assert!(fake.requests()[1].system().unwrap().contains("**release-notes**: How we write release notes."));
    candor(&home, "trust --remove").run().ok();
    let listed: Value = serde_json::from_str(&candor(&home, "skills list --json").run().ok().stdout).unwrap();
    let state = |name: &str| {
        let all = listed["skills"].as_array().unwrap();
        all.iter().find(|skill| skill["name"] == name).unwrap()["state"].clone()
    };
    assert_eq!((state("greeting"), state("release-notes")), (json!("ok"), json!("not trusted")));
}

#[test]
fn a_model_takes_one_up_and_runs_its_script_behind_the_walls() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::calls([("skill", json!({ "name": "greeting" }))]));
    fake.push(Reply::text("Taken up."));
    let home = home(&fake);
    ask(&home, &["Greet"]).run().ok();
    let result = fake.requests()[1].tool_results();
    let taken: Value = serde_json::from_str(&result[0]).unwrap();
    assert_eq!(taken["instructions"], "Run scripts/hi.sh.");
    // The home is hidden inside; what the model is told of can be run there.
    let folder = taken["folder"].as_str().unwrap();
    assert!(!folder.starts_with(home.path().to_str().unwrap()), "{folder}");
}

#[test]
fn a_script_of_ones_own_skill_can_be_run() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::calls([("skill", json!({ "name": "greeting" }))]));
    fake.push(Reply::calls([(
        "shell_exec",
        json!({ "command": "sh /tmp/*/tmp/*/skills/greeting/scripts/hi.sh" }),
    )]));
    fake.push(Reply::text("Greeted."));
    let home = home(&fake);
    ask(&home, &["Greet"]).run().ok();
    let results = fake.requests()[2].tool_results();
    assert!(results[1].contains("a friendly hello"), "{results:?}");
}

#[test]
fn a_person_who_names_one_gets_its_words_into_the_message() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::text("Hello."));
    let home = home(&fake);
    ask(&home, &["Say it with $greeting"]).run().ok();
    let said = fake.requests()[0].user_texts().join("\n");
    assert!(
        said.contains("Say it with $greeting") && said.contains("Skill greeting:\nRun scripts/hi.sh."),
        "{said}"
    );
    let listed = candor(&home, "sessions list").run().ok().stdout;
    assert!(listed.contains("Say it with $greeting") && !listed.contains("Run scripts"), "{listed}");
}

#[test]
fn a_mistake_has_a_card_and_the_doctor_tells_every_skill() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home(&fake);
    home.write("skills/broken/SKILL.md", "no head\n");
    let checked = candor(&home, "skills check").run();
    assert_eq!(checked.status, 1);
    assert!(
        checked.stderr.contains("SKILL_INVALID") && checked.stdout.contains("2 good, 1 left out"),
        "{checked:?}"
    );
    assert_eq!(candor(&home, "skills check .agents/skills/release-notes").run().status, 0);
    let told = candor(&home, "doctor").run().stdout;
    for says in ["greeting (your own)", "release-notes is not trusted", "broken is left out"] {
        assert!(told.contains(says), "{says} is not in\n{told}");
    }
    assert_eq!(candor(&home, "skills show greeting").run().ok().stdout, "Run scripts/hi.sh.\n");
    assert_eq!(candor(&home, "skills show release-notes").run().status, 4);
}

#[test]
fn a_person_is_told_why_a_skill_that_was_named_is_not_taken_up() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Hello."));
    let home = home(&fake);
    home.write("skills/broken/SKILL.md", "no head\n");
    let told = |words: &str| {
        let ran = ask(&home, &[words]).run().ok();
        ran.stderr.lines().filter(|line| line.contains("not taken up")).map(str::to_owned).collect::<Vec<_>>()
    };
    let untrusted = told("Write them as $release-notes, please");
    assert_eq!(untrusted.len(), 1, "{untrusted:?}");
    assert!(untrusted[0].contains("release-notes") && untrusted[0].contains("candor trust"), "{untrusted:?}");
    let broken = told("Use $broken");
    assert!(broken[0].contains("SKILL_INVALID") && broken[0].contains("candor skills check"), "{broken:?}");
    let unknown = told("/skill:gone and hello");
    assert!(unknown[0].contains("SKILL_UNKNOWN") && unknown[0].contains("candor skills list"), "{unknown:?}");
    // What a shell or a shop means is not meant; nor is what is taken up.
    assert_eq!(told("echo $HOME $PATH $5 $release $gone $ and $greeting"), Vec::<String>::new());
}

#[test]
fn skills_are_listed_in_columns_and_a_mistake_is_looked_for_where_it_was_found() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home(&fake);
    let listed = candor(&home, "skills list").run().ok().stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with("greeting       ok           ("), "{listed}");
    assert!(lines[1].starts_with("release-notes  not trusted  ("), "{listed}");
    assert!(lines[1].ends_with("How we write release notes."), "{listed}");
    home.write_in_workspace("drafts/my skill/SKILL.md", "no head\n");
    let checked = Candor::new(BINARY, &home).args(["skills", "check", "drafts/my skill"]).run().code(1);
    assert!(checked.stderr.contains("candor skills check 'drafts/my skill'"), "{}", checked.stderr);
}
