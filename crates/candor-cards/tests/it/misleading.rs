//! Cards that must not send anybody the wrong way: what is not certain is not a step, and what is elsewhere is done there.

use candor_cards::{Command, Explained, Failed, Given, How, NotStarted, RuleBase, Source, explain};
use candor_protocol::{ErrorCard, Step};

fn explained(command: &Command, how: How, output: &str, files: &[(&str, &str)]) -> Explained {
    let failed = Failed { command, how, stdout: "", stderr: output };
    explain(&failed, &RuleBase::built_in(), &Given::new(files.iter().copied()))
}

fn card(line: &str, exit: i32, output: &str, files: &[(&str, &str)]) -> ErrorCard {
    explained(&Command::line(line), How::Exited(exit), output, files).card
}

fn not_started(words: &[&str], why: NotStarted, files: &[(&str, &str)]) -> ErrorCard {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    explained(&Command::words(&words), How::NotStarted(why), "", files).card
}

/// The commands of a card: of its steps and of its check.
fn commands(card: &ErrorCard) -> Vec<String> {
    let steps = card.steps.iter().filter_map(|step| match step {
        Step::Run { command, .. } | Step::Check { command: Some(command), .. } => Some(command.clone()),
        Step::Check { command: None, .. } | Step::Do { .. } => None,
    });
    steps.chain(card.verify.clone()).collect()
}

const NO_REPOSITORY: &str = "fatal: not a git repository (or any of the parent directories): .git\n";

#[test]
fn steps_for_a_git_command_keep_its_directory() {
    let card = card("git -C plain status", 128, NO_REPOSITORY, &[("plain/", "")]);
    assert_eq!(
        commands(&card),
        ["(cd plain && ls -la)", "git -C plain init", "git -C plain rev-parse --git-dir"]
    );
}

#[test]
fn the_looks_for_a_git_command_are_at_its_directory() {
    let files = [("repo/.git/HEAD", "ref: refs/heads/main\n"), ("repo/.git/refs/heads/main", "0\n")];
    let card = card("git -C repo switch mian", 128, "fatal: invalid reference: mian\n", &files);
    assert_eq!(commands(&card)[0], "git -C repo switch main");
}

#[test]
fn a_directory_with_a_hostile_name_stays_one_word() {
    let card = card("git -C 'a;touch x {b}' status", 128, NO_REPOSITORY, &[]);
    for command in commands(&card) {
        assert!(command.contains("'a;touch x {b}'"), "{command}");
    }
    assert_eq!(commands(&card)[1], "git -C 'a;touch x {b}' init");
}

/// A step that goes elsewhere and then repeats the line would look for the directory in the wrong place.
#[test]
fn a_step_that_goes_elsewhere_is_left_out_where_the_command_has_its_own_directory() {
    let files = [("app/inner/.git/HEAD", "ref: refs/heads/main\n")];
    for command in commands(&card("git -C app status", 128, NO_REPOSITORY, &files)) {
        assert!(!command.contains("cd inner"), "{command}");
    }
}

#[test]
fn a_script_that_did_not_start_is_told_from_one_that_is_not_there() {
    let there = not_started(&["./x.sh"], NotStarted::NotFound, &[("x.sh", "#!/usr/bin/nopy\necho hi\n")]);
    assert_eq!(there.code, "SHELL_BAD_INTERPRETER");
    assert!(there.cause.contains("/usr/bin/nopy"), "{}", there.cause);
    assert_eq!(commands(&there)[0], "head -n 1 ./x.sh | cat -A");
    let windows = not_started(&["./x.sh"], NotStarted::NotFound, &[("x.sh", "#!/bin/sh\r\necho hi\r\n")]);
    assert_eq!(commands(&windows)[0], "sed -i 's/\\r$//' ./x.sh");
    let missing = not_started(&["./x.sh"], NotStarted::NotFound, &[]);
    assert_eq!(missing.code, "SYS_NO_SUCH_FILE");
}

#[test]
fn what_did_not_start_is_the_first_word_and_not_what_it_would_have_run() {
    let card = not_started(&["doas", "ls"], NotStarted::NotFound, &[]);
    assert!(card.cause.contains("doas"), "{}", card.cause);
    let card = not_started(&["bin/tool"], NotStarted::NotPermitted, &[("bin/tool", "#!/bin/sh\n")]);
    assert_eq!(commands(&card)[0], "chmod u+x bin/tool");
}

#[test]
fn code_that_is_in_no_file_is_never_a_file_of_a_command() {
    let python = |name: &str| {
        format!("  File \"{name}\", line 1\n    print(x\n         ^\nSyntaxError: '(' was never closed\n")
    };
    let node =
        |name: &str| format!("{name}:1\nlet x =\n\nSyntaxError: Unexpected end of input\n    at x (y)\n");
    let cases = [
        ("python3 -c 'print(x'", python("<string>"), "the code given as text"),
        ("echo 'print(x' | python3", python("<stdin>"), "the code on standard input"),
        ("node -e 'let x ='", node("[eval]"), "the code given as text"),
        ("echo 'let x =' | node", node("[stdin]"), "the code on standard input"),
    ];
    for (line, output, name) in cases {
        let card = card(line, 1, &output, &[]);
        assert!(card.cause.contains(name), "{line}: {}", card.cause);
        assert_eq!(commands(&card), Vec::<String>::new(), "{line}");
        assert!(!card.steps.is_empty(), "{line}");
    }
    let of_a_file = card("python3 a.py", 1, &python("a.py"), &[("a.py", "print(x\n")]);
    assert_eq!(commands(&of_a_file)[0], "sed -n 1p a.py");
}

/// The first step for a file that is not there, beside these.
fn instead_of(name: &str, there: &[&str]) -> String {
    let files: Vec<(&str, &str)> = there.iter().map(|path| (*path, "")).collect();
    let output = format!("cat: {name}: No such file or directory\n");
    card(&format!("cat {name}"), 1, &output, &files).steps[0].to_string()
}

#[test]
fn a_file_that_is_named_alike_on_purpose_is_not_offered() {
    for (name, there) in [
        ("report-2.txt", "report-3.txt"),
        ("notes.c", "notes.h"),
        ("app.js", "app.ts"),
        ("test_a.py", "test_b.py"),
    ] {
        let step = instead_of(name, &[there]);
        assert!(!step.contains(there), "{name}: {step}");
    }
    for (name, there) in [
        ("reamde.txt", "readme.txt"),
        ("dta.csv", "data.csv"),
        ("a-1.tx", "a-1.txt"),
        ("conifg.toml", "config.toml"),
    ] {
        assert_eq!(instead_of(name, &[there]), format!("Run: cat {there}"));
    }
}

#[test]
fn a_file_elsewhere_is_offered_only_when_it_is_the_only_one() {
    assert_eq!(instead_of("a.toml", &["app/a.toml"]), "Run: cat app/a.toml");
    let step = instead_of("a.toml", &["app/a.toml", "web/a.toml"]);
    assert!(!step.contains("app/a.toml"), "{step}");
}

#[test]
fn a_slip_leads_to_no_program_that_does_harm_or_is_another_word() {
    let first = |name: &str, programs: &[&str]| {
        let files: Vec<(&str, &str)> = programs.iter().map(|program| (*program, "")).collect();
        card(&format!("{name} x"), 127, &format!("sh: 1: {name}: not found\n"), &files).steps[0].to_string()
    };
    assert!(!first("mr", &["PATH/rm"]).contains("rm x"));
    assert!(!first("nope", &["PATH/node"]).contains("node"));
    assert_eq!(first("gti", &["PATH/git"]), "Run: git x");
}

#[test]
fn an_answer_by_exit_code_is_told_only_of_the_command_that_gave_it() {
    let of =
        |line: &str, output: &str| explained(&Command::line(line), How::Exited(1), output, &[]).card.code;
    assert_eq!(of("test -f nope", ""), "TEST_NOT_TRUE");
    assert_eq!(of("ls && test -f nope", ""), "TEST_NOT_TRUE");
    // The exit code is that of what comes after it, or of something that said why.
    assert_eq!(of("test -f nope && tool", ""), "COMMAND_FAILED");
    assert_eq!(of("test -f nope", "error: no\n"), "COMMAND_FAILED");
    assert_eq!(of("pgrep zzz", ""), "PROCESS_NO_MATCH");
    assert_eq!(of("ps -e | grep zzz", ""), "GREP_NO_MATCH");
}

#[test]
fn asking_for_a_program_is_not_running_it() {
    let explained = explained(&Command::line("command -v nope"), How::Exited(127), "", &[]);
    assert_eq!(explained.source, Source::Rule);
    assert_eq!(explained.card.code, "PROGRAM_LOOKUP_EMPTY");
}

/// What loses data, installs what may be the wrong thing, or is for a person to decide comes after a look.
#[test]
fn a_look_comes_before_what_is_not_certain() {
    const LOOK_FIRST: &[&str] = &[
        "BREW_LINK_FAILED",
        "GIT_HISTORY_TOO_SHORT",
        "GIT_LOCK_LEFT",
        "GIT_SIGNING_FAILED",
        "GIT_SIGNING_KEY_MISSING",
        "GIT_SIGNING_PROGRAM_MISSING",
        "GIT_TAG_EXISTS_REMOTE",
        "NPM_PEER_CONFLICT",
        "PIP_NO_SUCH_PACKAGE",
        "NPM_PACKAGE_UNKNOWN",
        "RM_IS_A_DIRECTORY",
        "RMDIR_NOT_EMPTY",
        "SSH_HOST_KEY_CHANGED",
    ];
    let base = RuleBase::built_in();
    for code in LOOK_FIRST {
        let mut rules = base.rules().map(|(_, rule)| rule).filter(|rule| rule.code == *code).peekable();
        assert!(rules.peek().is_some(), "{code}");
        for rule in rules {
            assert!(rule.steps[0].check.is_some(), "{code}: {:?}", rule.steps[0]);
        }
    }
}
