//! Every command in the catalogue exists and stays the same command whatever its arguments are.

use std::collections::BTreeSet;

use candor_cards::{Entry, StepTemplate, card, catalogue, quote};
use candor_protocol::{Code, ErrorCard, Step};

use crate::samples::{complete, failure};
use crate::shell::{Token, programs, tokens};

/// The whole of the command line that cards may name; `*` is any one argument.
const CANDOR: &[&str] = &[
    "candor --help",
    "candor --version",
    "candor -c *",
    "candor -s * *",
    "candor config check",
    "candor config path",
    "candor config schema",
    "candor config show --origin",
    "candor ctx create -s *",
    "candor ctx refresh-prime -s *",
    "candor ctx search -s * -q *",
    "candor ctx stats -s *",
    "candor ctx sync -s *",
    "candor ctx validate -s *",
    "candor demo",
    "candor doctor",
    "candor errors check *",
    "candor errors list",
    "candor errors show *",
    "candor harness --help",
    "candor help *",
    "candor hooks check",
    "candor hooks list",
    "candor init",
    "candor logs",
    "candor logs --event log_dropped",
    "candor logs --event provider_error",
    "candor logs --event provider_rate_limit",
    "candor logs --event tool_call",
    "candor logs --level error",
    "candor mcp list",
    "candor mcp login *",
    "candor mcp probe *",
    "candor models",
    "candor prompt show",
    "candor sessions list",
    "candor sessions list --all",
    "candor sessions show *",
    "candor skills check",
    "candor skills list",
    "candor tools list",
    "candor trust",
    "candor usage",
    "candor verify",
    "candor verify --plan",
    "candor verify --profile strict",
    "candor verify --service *",
];

/// What a card may run besides: in POSIX or in coreutils, and on every Debian machine.
const SYSTEM: &[&str] = &[
    "awk", "cat", "chmod", "command", "cp", "df", "dirname", "du", "echo", "env", "grep", "head", "iconv",
    "id", "ls", "mkdir", "mv", "printenv", "pwd", "sh", "sort", "tail", "test", "ulimit",
];

/// A file name that says something to every part of a shell that quoting has to silence.
const HOSTILE: &str = "-a b'c\"$(touch x)`y`;&|<>*?[#~=!{}\\\nz";

fn command_lines(card: &ErrorCard) -> Vec<String> {
    let steps = card.steps.iter().filter_map(|step| match step {
        Step::Run { command, .. } | Step::Check { command: Some(command), .. } => Some(command.clone()),
        Step::Check { command: None, .. } | Step::Do { .. } => None,
    });
    steps.chain(card.verify.clone()).collect()
}

fn templates(entry: &Entry) -> impl Iterator<Item = &'static str> {
    let steps = entry.steps.iter().filter_map(|step| match step {
        StepTemplate::Run { command } | StepTemplate::Check { command, .. } => Some(*command),
        StepTemplate::Do { .. } => None,
    });
    steps.chain(entry.verify)
}

fn is_known(program: &[String]) -> bool {
    let fits = |known: &&str| {
        let known: Vec<_> = known.split(' ').collect();
        known.len() == program.len()
            && known.iter().zip(program).all(|(known, word)| *known == "*" || known == word)
    };
    match program[0].as_str() {
        "candor" => CANDOR.iter().any(fits),
        name => SYSTEM.contains(&name),
    }
}

#[test]
fn every_command_exists() {
    let mut seen = BTreeSet::new();
    for code in Code::ALL {
        // A fact that is a shell line itself is the command line's to answer for; here it is one that exists.
        let card = card(&failure(*code, |name| match name {
            "help" | "instead" => "candor --help".to_owned(),
            // The command that failed is somebody else's.
            "program" | "command" | "english" => "ls".to_owned(),
            name => format!("the-{name}-fact"),
        }));
        for line in command_lines(&card) {
            for program in programs(&line) {
                assert!(is_known(&program), "{code}: {program:?} in {line}");
                seen.insert(program[0].clone());
            }
        }
    }
    assert!(seen.len() > SYSTEM.len() / 2, "the lines were not taken apart: {seen:?}");
}

#[test]
fn a_command_named_in_a_sentence_exists_too() {
    const NAMED: &[&str] = &["init", "-p", "-m", "-c", "serve", "sessions", "mcp", "the-command-fact"];
    for code in Code::ALL {
        let card = card(&complete(*code));
        let sentences = card.steps.iter().filter_map(|step| match step {
            Step::Check { text, .. } | Step::Do { text } => Some(text.as_str()),
            Step::Run { .. } => None,
        });
        for sentence in sentences.chain([card.cause.as_str()]) {
            for (at, _) in sentence.match_indices("candor ") {
                let name = sentence[at..].split(' ').nth(1).unwrap().trim_end_matches([',', ';', '.']);
                assert!(NAMED.contains(&name), "{code}: {sentence}");
            }
        }
    }
}

#[test]
fn double_quotes_stand_only_around_a_command_substitution() {
    for entry in catalogue() {
        for template in templates(entry) {
            let bare = template.replace("\"$(", "").replace(")\"", "");
            assert!(!bare.contains('"'), "{}: {template}", entry.code);
        }
    }
}

/// What a shell makes of the line for a hostile fact must be what it makes of the line for a plain one, with that one
/// word exchanged.
#[test]
fn a_hostile_fact_stays_one_word_of_the_command_it_stands_in() {
    let mut compared = 0;
    for entry in catalogue() {
        let plain = card(&complete(entry.code));
        let hostile = card(&failure(entry.code, |_| HOSTILE.to_owned()));
        let lines = command_lines(&plain).into_iter().zip(command_lines(&hostile)).zip(templates(entry));
        for ((plain, hostile), _) in
            lines.filter(|(_, template)| template.contains('{') && !template.contains("{!"))
        {
            let expected: Vec<_> = tokens(&plain).into_iter().map(with_hostile_words).collect();
            assert_eq!(tokens(&hostile), expected, "{}: {hostile}", entry.code);
            compared += 1;
        }
    }
    assert!(compared > 60, "only {compared} lines were compared");
}

fn with_hostile_words(token: Token) -> Token {
    match token {
        Token::Word(word) => {
            let start = word.find("the-");
            let end = word.find("-fact").map(|at| at + "-fact".len());
            match (start, end) {
                (Some(start), Some(end)) => {
                    Token::Word(format!("{}./{HOSTILE}{}", &word[..start], &word[end..]))
                }
                _ => Token::Word(word),
            }
        }
        operator @ Token::Operator(_) => operator,
    }
}

#[test]
fn a_path_is_not_taken_for_an_option() {
    let card = card(&failure(Code::ConfigUnreadable, |_| "-rf".to_owned()));
    assert_eq!(card.steps[0], Step::run("chmod u+r ./-rf"));
}

#[test]
fn a_fact_that_is_a_shell_line_is_not_quoted() {
    let card = card(&failure(Code::UsageConflict, |_| "candor config --help".to_owned()));
    let expected = Step::Check {
        text: "See what each argument does".to_owned(),
        command: Some("candor config --help".to_owned()),
    };
    assert_eq!(card.steps[1], expected);
}

#[test]
fn a_command_of_the_user_is_handed_to_a_shell_as_one_word() {
    let line = "pass show 'my key' | head -n 1";
    let card = card(&failure(Code::SecretCommandFailed, |_| line.to_owned()));
    assert_eq!(card.verify, Some(format!("sh -c {} > /dev/null", quote(line))));
}
