//! A conversation with a person.

use candor_testkit::{Candor, Dialect, FakeLlm, Gate, Home, Reply};
use serde_json::json;

use crate::rig::{BINARY, ask, home_of};
use crate::terminal::{CTRL_C, CTRL_D, ENTER, TAB, Terminal};

fn fake() -> FakeLlm {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes indeed."));
    fake
}

/// Has a conversation of one message and leaves with Ctrl-D.
#[track_caller]
fn one_message(home: &Home, fake: &FakeLlm, keys: &str, expected: &str) {
    let mut terminal = Terminal::start(home, "");
    terminal.wait_for_prompt().press(keys).press(ENTER).wait_for("Yes indeed.").wait_for("done, 1 turn,");
    terminal.wait_for_prompt().press(CTRL_D);
    terminal.finish().ok();
    assert_eq!(fake.requests()[0].user_texts(), [expected], "{keys:?}");
}

impl Terminal<'_> {
    /// Leaves, and demands that this is no failure.
    #[track_caller]
    fn leave(mut self) -> String {
        self.wait_for_prompt().enter("/quit");
        self.finish().ok().stdout
    }
}

#[test]
fn nothing_but_the_name_begins_a_conversation() {
    let fake = fake();
    let gate = Gate::new();
    fake.push(Reply::text("First piece. Second piece.").deltas(13).gate(&gate));
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "");
    terminal
        .wait_for("fake-model of fake, in ")
        .wait_for("a new session; /help for commands")
        .wait_for_prompt();
    terminal.enter("Tell me").wait_for("First piece.");
    gate.open();
    terminal.wait_for("Second piece.\r\n").wait_for("done, 1 turn,").wait_for("session ");
    terminal.wait_for_prompt().press(CTRL_D);
    terminal.finish().ok();
}

#[test]
fn a_stop_ends_the_run_and_the_prompt_comes_back() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let gate = Gate::new();
    fake.push(Reply::text("Half of it, and then the rest.").deltas(8).gate(&gate));
    fake.repeat(Reply::text("Still here."));
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "-r");
    terminal.wait_for_prompt().enter("Tell me");
    gate.wait_reached();
    terminal.press(CTRL_C).wait_for("stopping; Ctrl-C again leaves at once").wait_for("stopped, 0 turns");
    gate.open();
    terminal.wait_for_prompt().enter("Are you there?").wait_for("Still here.").wait_for("done, 1 turn,");
    terminal.leave();
}

#[test]
fn a_second_stop_leaves_at_once() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let deaf = "trap '' INT TERM; mkfifo fifo; touch started; read line < fifo";
    fake.push(Reply::calls([("shell_exec", json!({ "command": deaf }))]));
    fake.repeat(Reply::text("Never heard."));
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "-r");
    terminal.wait_for_prompt().enter("Wait for ever").wait_for("> shell_exec");
    terminal.press(CTRL_C).wait_for("stopping;").press(CTRL_C);
    let ran = terminal.finish().code(130);
    assert!(ran.stdout.contains("stopped at once; session "), "{}", ran.stdout);
}

#[test]
fn ctrl_c_at_the_prompt_clears_the_line_and_twice_leaves() {
    let fake = fake();
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "-r");
    terminal.wait_for_prompt().press("not this").wait_for("not this").press(CTRL_C);
    terminal.wait_for_prompt().enter("but this").wait_for("Yes indeed.").wait_for("done, 1 turn,");
    assert_eq!(fake.requests()[0].user_texts(), ["but this"]);
    terminal.wait_for_prompt().press("x").wait_for("x").press(CTRL_C);
    terminal.wait_for_prompt().press(CTRL_C).wait_for("Ctrl-C again, Ctrl-D or /quit leaves");
    terminal.wait_for_prompt().press(CTRL_C);
    terminal.finish().ok();
}

#[test]
fn ctrl_c_begins_a_line_of_its_own_where_none_is_edited() {
    let fake = fake();
    let home = home_of(&fake);
    let mut terminal = Terminal::shell(&home, &format!("exec env TERM=dumb {BINARY} -r"));
    terminal.wait_for("candor> ").press(CTRL_C).wait_for("^C\r\nCtrl-C again").press(CTRL_C);
    terminal.finish().ok();
}

#[test]
fn another_name_is_shown_as_it_is_kept() {
    let fake = fake();
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "-r");
    terminal.wait_for_prompt().enter("Hello").wait_for("done, 1 turn,");
    terminal.wait_for_prompt().enter("/rename A  new   name").wait_for("this session is called: A new name");
    terminal.leave();
}

#[test]
fn a_session_that_was_deleted_elsewhere_is_not_the_end() {
    let fake = fake();
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "-r");
    terminal.wait_for_prompt().enter("one").wait_for("done, 1 turn,");
    ask(&home, &["sessions", "delete", "last", "-y"]).run().ok();
    terminal.wait_for_prompt().enter("two").wait_for("SESSION_UNKNOWN").wait_for("/new begins another");
    terminal.wait_for_prompt().enter("/new");
    terminal.wait_for_prompt().enter("three").wait_for("Yes indeed.").wait_for("done, 1 turn,");
    terminal.leave();
}

#[test]
fn ctrl_c_gives_up_a_command_that_waits() {
    let deaf = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = deaf.local_addr().expect("an address");
    let home = Home::new();
    let provider = format!("[providers.deaf]\nbase_url = \"http://{address}/v1\"\nmodel = \"some-model\"\n");
    home.write("config.toml", format!("provider = \"deaf\"\n{provider}"));
    let mut terminal = Terminal::start(&home, "-r");
    terminal.wait_for_prompt().enter("/model").wait_for("some-model of deaf\r\n");
    terminal.press(CTRL_C).wait_for("given up");
    // It was meant for the command alone.
    terminal.wait_for_prompt().press(CTRL_C).wait_for("Ctrl-C again");
    terminal.leave();
}

#[test]
fn several_lines_make_one_message() {
    for (keys, expected) in [
        ("one\\\rtwo\\\rthree", "one\ntwo\nthree"),
        ("\u{1b}[200~pasted one\npasted \\\ntwo\u{1b}[201~", "pasted one\npasted \\\ntwo"),
        ("\u{1b}[200~/new\nis no command here\u{1b}[201~", "/new\nis no command here"),
    ] {
        let fake = fake();
        one_message(&home_of(&fake), &fake, keys, expected);
    }
}

#[test]
fn tab_completes_commands_and_sessions() {
    let fake = fake();
    let home = home_of(&fake);
    let ran = ask(&home, &["--json", "The beginning"]).run().ok();
    let id = crate::rig::events(&ran)[0]["sessionId"].as_str().expect("an id").to_owned();
    let mut terminal = Terminal::start(&home, "-r");
    terminal.wait_for_prompt().press("/he").press(TAB).press(ENTER).wait_for("/compact");
    terminal.wait_for_prompt().press("/res").press(TAB).press(&id[..4]).press(TAB).press(ENTER);
    terminal
        .wait_for(&format!("session {id}: The beginning"))
        .wait_for("you> The beginning")
        .wait_for("> Yes indeed.");
    terminal.leave();
}

#[test]
fn the_history_is_kept_for_its_owner_and_masked() {
    let fake = fake();
    let home = home_of(&fake);
    let key = format!("sk-ant-api03-{}", "q7".repeat(20));
    let mut terminal = Terminal::start(&home, "-r");
    terminal.wait_for_prompt().enter(&format!("my key is {key}")).wait_for("done, 1 turn,");
    terminal.wait_for_prompt().enter("/usage").wait_for("1 run,");
    terminal.leave();
    let history = home.read("history");
    assert!(history.contains("my key is ") && history.contains("/usage"), "{history}");
    assert!(!history.contains(&key), "{history}");
    assert_eq!(home.mode("history"), 0o600);
    // The next conversation knows it: two up from the empty line is /usage, as /quit came last.
    let mut terminal = Terminal::start(&home, "-r");
    terminal.wait_for_prompt().press("\u{1b}[A\u{1b}[A").wait_for("/usage").press(ENTER);
    terminal.wait_for("nothing was used in this session yet");
    terminal.leave();
}

#[test]
fn a_history_has_a_limit() {
    let fake = fake();
    let home = home_of(&fake);
    let old: Vec<String> = (0..1500).map(|number| format!("line {number}")).collect();
    home.write("history", format!("#V2\n{}\n", old.join("\n")));
    let mut terminal = Terminal::start(&home, "-r");
    terminal.wait_for_prompt().enter("/usage").wait_for("nothing was used");
    terminal.leave();
    let history = home.read("history");
    assert!(history.lines().count() <= 1001 && history.contains("/usage"), "{}", history.lines().count());
}

#[test]
fn a_failed_run_is_a_card_and_the_next_one_is_good() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::status(401));
    fake.repeat(Reply::text("Now it works."));
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "-r");
    terminal
        .wait_for_prompt()
        .enter("one")
        .wait_for("Error Code: PROVIDER_UNAUTHORIZED")
        .wait_for("failed, 0 turns");
    terminal.wait_for_prompt().enter("two").wait_for("Now it works.");
    terminal.leave();
}

#[test]
fn leaving_is_no_failure_even_after_one() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::status(401));
    let home = home_of(&fake);
    let mut terminal = Terminal::start(&home, "-r");
    terminal.wait_for_prompt().enter("one").wait_for("failed, 0 turns");
    terminal.leave();
}

#[test]
fn going_on_shows_where_one_is() {
    let fake = fake();
    let home = home_of(&fake);
    ask(&home, &["The beginning"]).run().ok();
    let mut terminal = Terminal::start(&home, "-c");
    terminal
        .wait_for("an earlier session")
        .wait_for("you> The beginning")
        .wait_for("fake-model> Yes indeed.");
    terminal.leave();
}

#[test]
fn a_terminal_is_left_as_it_was_found() {
    let fake = fake();
    let home = home_of(&fake);
    let candor = format!("sh -c 'echo $$ > pid; exec {BINARY} -r'");
    let line = format!("stty -g > before; {candor}; echo rc=$?; stty -g > after");
    let mut terminal = Terminal::shell(&home, &line);
    terminal.wait_for_prompt();
    Candor::new("sh", &home).args(["-c", "kill -TERM $(cat pid)"]).run().ok();
    terminal.wait_for("rc=130");
    terminal.finish().ok();
    let read = |name: &str| std::fs::read_to_string(home.workspace().join(name)).expect("modes");
    assert_eq!(read("before"), read("after"));
}
