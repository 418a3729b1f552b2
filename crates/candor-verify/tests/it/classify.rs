//! Which shell lines start something that goes on.

use std::path::PathBuf;

use candor_verify::classify::service;
use proptest::prelude::*;

/// The lines of the table: a line, and the command it starts, or `-`.
fn table() -> Vec<(&'static str, Option<&'static str>)> {
    include_str!("services.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (line, command) = line.rsplit_once('\t').unwrap();
            (line, Some(command).filter(|command| *command != "-"))
        })
        .collect()
}

#[test]
fn each_line_of_the_table_is_told_apart() {
    let table = table();
    assert!(table.len() >= 250, "the table has {} lines", table.len());
    let wrong: Vec<String> = table
        .into_iter()
        .filter_map(|(line, expected)| {
            let found = service(line).map(|found| found.command);
            (found.as_deref() != expected).then(|| format!("{line:?}: {found:?} instead of {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn s56_the_line_of_the_incident_is_a_service_in_its_folder() {
    let found = service("cd /home/me/tgbot && timeout 3s python3 bot.py 2>&1 || true").unwrap();
    assert_eq!(found.command, "python3 bot.py");
    assert_eq!(found.cwd, PathBuf::from("/home/me/tgbot"));
    assert!(found.why.contains("bot.py"), "{}", found.why);
}

#[test]
fn folders_and_variables_are_kept_through_wrappers() {
    let found =
        service("cd a && export X=1 && cd b && env Y='2 3' timeout 5 sh -c 'Z=4 node server.js'").unwrap();
    assert_eq!(found.command, "node server.js");
    assert_eq!(found.cwd, PathBuf::from("a/b"));
    let names: Vec<_> = found.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(names, ["X=1", "Y=2 3", "Z=4"]);
}

#[test]
fn a_text_that_is_written_into_a_file_is_not_taken_for_commands() {
    let written = "cat > run.sh <<'END'\npython3 server.py\nEND\nchmod +x run.sh";
    assert_eq!(service(written), None);
    let started = "cat > bot.py <<'END'\nprint('it''s')\nEND\npython3 bot.py";
    assert_eq!(service(started).unwrap().command, "python3 bot.py");
}

#[test]
fn quotes_of_the_command_stay_as_they_were() {
    let found = service(r#"timeout 3 python3 "my bot.py" --name 'a b' $(date)"#).unwrap();
    assert_eq!(found.command, r#"python3 "my bot.py" --name 'a b' $(date)"#);
}

#[test]
fn shells_inside_each_other_have_an_end() {
    let mut line = "python3 bot.py".to_owned();
    for _ in 0..6 {
        line = format!("sh -c {}", candor_cards::quote(&line));
    }
    assert!(service(&line).is_some());
    for _ in 0..6 {
        line = format!("sh -c {}", candor_cards::quote(&line));
    }
    assert!(service(&line).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = service(&text);
    }

    #[test]
    fn no_heap_of_shell_signs_makes_it_panic(text in r#"([-'"\\$`;&|<>(){}*#=! \t\n]|sh -c|python3 bot.py|timeout|<<X|npx|cd|é){0,30}"#) {
        let _ = service(&text);
    }

    #[test]
    fn what_is_given_back_is_a_service_by_itself(at in any::<prop::sample::Index>()) {
        let table = table();
        let (_, command) = table[at.index(table.len())];
        if let Some(command) = command {
            prop_assert_eq!(service(command).map(|found| found.command), Some(command.to_owned()));
        }
    }
}
