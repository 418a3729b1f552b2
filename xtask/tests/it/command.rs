use xtask::command::{Command, USAGE};
use xtask::generate::Mode;
use xtask::sweep::Budget;

fn parse(line: &str) -> anyhow::Result<Command> {
    Command::parse(line.split_whitespace().map(str::to_owned))
}

#[track_caller]
fn check(line: &str, expected: &Command) {
    assert_eq!(&parse(line).expect("a command"), expected, "{line}");
}

#[track_caller]
fn check_refused(line: &str, expected: &str) {
    let error = parse(line).expect_err("no command").to_string();
    assert!(error.contains(expected), "{line}: {error}");
}

#[test]
fn every_command_is_understood() {
    check("test", &Command::Test(Vec::new()));
    check("test --only tidy,fmt", &Command::Test(vec!["tidy".to_owned(), "fmt".to_owned()]));
    check("tidy", &Command::Tidy);
    check("generate", &Command::Generate(Mode::Write));
    check("generate --check", &Command::Generate(Mode::Check));
    check("man", &Command::Man(None));
    check("man out", &Command::Man(Some("out".into())));
    check("bench", &Command::Bench);
    check("conformance", &Command::Conformance);
    check("sweep --seconds 5 --seed 9", &Command::Sweep(Budget { seconds: 5, seed: 9 }));
}

#[test]
fn what_is_not_understood_is_named() {
    check_refused("", "which command?");
    check_refused("tets", "`tets`");
    check_refused("test --only tidy,fmr", "there is no step `fmr`; there are needs, tidy,");
    check_refused("test --only", "needs the names of steps");
    check_refused("tidy now", "`now`");
    check_refused("sweep --seconds", "needs a number");
    check_refused("sweep --seconds ten", "not `ten`");
    check_refused("generate --chekc", "`--chekc`");
}

#[test]
fn the_usage_names_every_command() {
    for command in ["test", "tidy", "generate", "man", "bench", "conformance", "sweep"] {
        assert!(USAGE.contains(&format!("cargo xtask {command}")), "{command}");
    }
}
