//! The catalogue is complete, closed and of one form.

use std::collections::BTreeSet;

use candor_cards::{Entry, StepTemplate, card, catalogue, entry, facts};
use candor_protocol::{Class, Code, ErrorCard};

use crate::samples::{complete, facts_of};

#[test]
fn every_code_has_exactly_one_entry_in_the_order_of_the_codes() {
    let codes: Vec<Code> = catalogue().iter().map(|entry| entry.code).collect();
    assert_eq!(codes, Code::ALL);
    for code in Code::ALL {
        assert_eq!(entry(*code).code, *code);
    }
}

#[test]
fn there_are_at_least_forty_entries() {
    assert!(catalogue().len() >= 40, "{}", catalogue().len());
}

#[test]
fn every_entry_has_at_least_two_steps() {
    for entry in catalogue() {
        assert!(entry.steps.len() >= 2, "{}", entry.code);
    }
}

#[test]
fn no_step_of_an_entry_says_the_same_as_another() {
    for entry in catalogue() {
        let steps: BTreeSet<_> = entry.steps.iter().map(|step| format!("{step:?}")).collect();
        assert_eq!(steps.len(), entry.steps.len(), "{}", entry.code);
    }
}

#[test]
fn the_facts_an_entry_uses_are_those_its_failure_comes_with() {
    for entry in catalogue() {
        let used: BTreeSet<&str> = facts(entry).collect();
        let given: BTreeSet<&str> = facts_of(entry.code).iter().copied().collect();
        assert_eq!(used, given, "{}", entry.code);
    }
}

/// A brace that opens no proper hole would be shown as it is, so the tables may not have one.
#[test]
fn every_brace_of_a_template_belongs_to_a_hole_or_is_doubled() {
    for entry in catalogue() {
        let steps = entry.steps.iter().flat_map(|step| match step {
            StepTemplate::Run { command } => vec![*command],
            StepTemplate::Check { text, command } => vec![*text, *command],
            StepTemplate::Do { text } => vec![*text],
        });
        for template in steps.chain([entry.cause]).chain(entry.verify) {
            let mut bare = template.replace("{{", "").replace("}}", "");
            for name in facts_of(entry.code) {
                bare = bare.replace(&format!("{{{name}}}"), "").replace(&format!("{{!{name}}}"), "");
            }
            assert!(!bare.contains(['{', '}']), "{}: {template}", entry.code);
        }
    }
}

#[test]
fn facts_names_each_fact_once_in_the_order_of_appearance() {
    let names: Vec<_> = facts(entry(Code::ConfigSyntax)).collect();
    assert_eq!(names, ["path", "line", "column", "problem"]);
}

#[test]
fn every_class_is_in_use() {
    let used: BTreeSet<_> = catalogue().iter().map(|entry| entry.class.as_str()).collect();
    let expected: BTreeSet<_> = Class::ALL.iter().map(Class::as_str).collect();
    assert_eq!(used, expected);
}

#[test]
fn the_exit_code_follows_from_the_class() {
    for entry in catalogue() {
        let expected = match entry.class {
            Class::Usage => 2,
            Class::Precondition | Class::Resource => 4,
            _ => 1,
        };
        // Those that are a run's status of its own.
        let expected = match entry.code {
            Code::RunStuck | Code::VerifyStuck => 5,
            Code::ToolUnapproved => 6,
            // Programs know these from elsewhere, with this exit code.
            Code::SegmentNotInitialized | Code::PackMissing | Code::PackEmpty | Code::InvalidSegmentPath => 1,
            _ => expected,
        };
        assert_eq!(entry.exit_code, expected, "{}", entry.code);
    }
}

#[test]
fn only_what_passes_by_itself_is_retryable() {
    let retryable: Vec<_> =
        catalogue().iter().filter(|entry| entry.retryable).map(|entry| entry.code).collect();
    assert_eq!(
        retryable,
        [
            Code::ProviderRateLimited,
            Code::ProviderUnavailable,
            Code::ProviderTimeout,
            Code::ProviderUnreachable,
            Code::ProviderStreamCut,
            Code::ProviderAnswerEmpty,
            Code::SessionBusy,
            Code::SessionQueueFull,
            Code::WebFetchFailed,
            Code::WebSearchFailed,
            Code::SegmentLocked,
            Code::StoreUnavailable,
            Code::StoreServer
        ]
    );
}

#[test]
fn every_title_is_a_few_words_of_its_own() {
    let titles: BTreeSet<_> = catalogue().iter().map(|entry| entry.title).collect();
    assert_eq!(titles.len(), catalogue().len());
    for Entry { code, title, .. } in catalogue() {
        assert!(
            title.split(' ').count() <= 8 && !title.ends_with('.') && !title.contains('{'),
            "{code}: {title}"
        );
        assert!(title.starts_with(char::is_uppercase), "{code}: {title}");
    }
}

#[test]
fn a_step_ends_without_a_full_stop_and_a_colon_is_left_to_the_layout() {
    for entry in catalogue() {
        for step in entry.steps {
            if let StepTemplate::Do { text } | StepTemplate::Check { text, .. } = step {
                assert!(!text.ends_with(['.', ':', ' ', '!']), "{}: {text}", entry.code);
                assert!(text.starts_with(char::is_uppercase), "{}: {text}", entry.code);
            }
        }
    }
}

#[test]
fn every_card_is_the_same_after_a_journey_through_json() {
    for code in Code::ALL {
        let card = card(&complete(*code));
        let json = serde_json::to_string(&card).unwrap();
        assert_eq!(serde_json::from_str::<ErrorCard>(&json).unwrap(), card, "{json}");
    }
}

#[test]
fn the_json_of_a_card_has_typed_steps_and_numbers_that_are_numbers() {
    let card = card(&complete(Code::ConfigUnreadable));
    let json = serde_json::to_value(card).unwrap();
    assert_eq!(json["code"], "CONFIG_UNREADABLE");
    assert_eq!(json["class"], "Config");
    assert_eq!(json["exitCode"], 1);
    assert_eq!(json["retryable"], false);
    assert_eq!(json["steps"][0]["kind"], "run");
    assert_eq!(json["steps"][0]["command"], "chmod u+r the-path-fact");
    assert_eq!(json["steps"][1]["kind"], "check");
    assert_eq!(json["steps"][3]["kind"], "do");
    assert_eq!(json["verify"], "test -r the-path-fact");
}
