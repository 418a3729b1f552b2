//! `candor logs`

use std::io::Write;

use candor_testkit::Home;
use serde_json::Value as Json;

use crate::rig::{candor, run};

const LINES: &str = "\
{\"ts\":\"2025-02-11T10:00:00.000Z\",\"level\":\"info\",\"module\":\"agent-loop\",\"event\":\"turn_start\",\"sessionId\":\"0195-a\",\"model\":\"m\"}
{\"ts\":\"2025-02-11T10:00:01.500Z\",\"level\":\"warn\",\"module\":\"tools\",\"event\":\"tool_timeout\",\"sessionId\":\"0195-b\",\"timeoutMs\":5}
{\"ts\":\"2025-02-11T10:00:03.000Z\",\"level\":\"error\",\"module\":\"cron\",\"event\":\"cron_error\",\"jobId\":\"j\",\"error\":\"\\u001b[31mred\"}
";

fn home() -> Home {
    let home = Home::new();
    home.write("logs/candor.2025-02-10.log", LINES.replace("02-11", "02-10"));
    home.write("logs/candor.log", LINES);
    home
}

#[track_caller]
fn count(line: &str) -> usize {
    candor(&home(), line).run().ok().stdout.lines().count()
}

#[test]
fn filters_narrow_what_is_shown() {
    assert_eq!(count("logs"), 6);
    assert_eq!(count("logs --level warn"), 4);
    assert_eq!(count("logs --event cron_error"), 2);
    assert_eq!(count("logs --session 0195-b"), 2);
    assert_eq!(count("logs --since 2025-02-11"), 3);
    assert_eq!(count("logs --since 2025-02-11T10:00:02Z --level error"), 1);
    assert_eq!(count("logs --since 1m"), 0);
}

#[test]
fn lines_are_for_people_and_terminal_codes_are_not_passed_on() {
    let text = candor(&home(), "logs --level error").run().ok().stdout;
    assert!(text.contains("cron_error") && text.contains("jobId=j"), "{text}");
    assert!(!text.contains('\u{1b}'), "neither ours, as this is no terminal, nor theirs: {text:?}");
}

#[test]
fn json_gives_the_lines_as_they_are() {
    let text = candor(&home(), "logs --json --event turn_start --since 2025-02-11").run().ok().stdout;
    assert_eq!(text, format!("{}\n", LINES.lines().next().unwrap_or_default()));
}

#[test]
fn damaged_lines_are_skipped_and_told() {
    let home = home();
    home.write("logs/candor.log", format!("{{\"ts\":\"torn\n\0\0\0\n{LINES}"));
    let ran = candor(&home, "logs --since 2025-02-11").run().ok();
    assert_eq!(ran.stdout.lines().count(), 3);
    assert!(ran.stderr.contains("warning: "), "{}", ran.stderr);
}

#[test]
fn a_pipe_or_a_device_in_place_of_the_log_does_not_hang() {
    let home = Home::new();
    for (file, args) in [("/dev/zero", "logs"), ("/dev/zero", "logs -f"), ("/dev/zero/x", "logs")] {
        home.write("config.toml", format!("[logging]\nfile = \"{file}\"\n"));
        let ran = candor(&home, args).run();
        assert!(ran.status == 1 || ran.status == 4, "{file}: {} {}", ran.status, ran.stderr);
        assert!(ran.stderr.contains("Error Code: "), "{}", ran.stderr);
    }
}

#[test]
fn no_log_is_a_card() {
    run("logs").code(4).stderr_has("Error Code: LOG_NOT_FOUND");
}

#[test]
fn a_broken_config_does_not_hide_the_log() {
    let home = home();
    home.write("config.toml", "model = 3\n");
    let ran = candor(&home, "logs").run().ok();
    assert_eq!(ran.stdout.lines().count(), 6);
    assert!(ran.stderr.contains("candor config check"), "{}", ran.stderr);
}

#[test]
fn damage_is_told_while_following() {
    let home = home();
    home.write("logs/candor.log", format!("{{\"ts\":\"torn\n{LINES}"));
    let following = candor(&home, "logs -f --since 2025-02-11").spawn();
    following.wait_for_stderr("warning: ");
    following.signal("TERM");
    assert_eq!(following.finish().stdout.lines().count(), 3);
}

#[test]
fn following_goes_on_over_rotation() {
    let home = home();
    let live = home.path().join("logs/candor.log");
    let following = candor(&home, "logs -f --json --since 2025-02-11").spawn();
    following.wait_for_stdout("cron_error");
    let append = |event: &str| {
        let text = LINES.lines().next().unwrap_or_default().replace("turn_start", event);
        let mut file = std::fs::File::options().create(true).append(true).open(&live).expect("opens");
        writeln!(file, "{text}").expect("written");
    };
    append("first_more");
    following.wait_for_stdout("first_more");
    std::fs::rename(&live, live.with_file_name("candor.2025-02-11.log")).expect("rotated");
    append("after_rotation");
    following.wait_for_stdout("after_rotation");
    following.signal("TERM");
    let ran = following.finish();
    let events: Vec<Json> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(events.len(), 5, "none twice: {}", ran.stdout);
}
