//! The user's lists: what an entry matches, and which of them wins.

use candor_cards::card;
use candor_gate::Verdict::{Allow, Ask, Deny};
use candor_gate::{Error, Gate, Lists, Verdict};

use crate::scene::judge_with;

fn list(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|entry| (*entry).to_owned()).collect()
}

fn allow(entries: &[&str]) -> Lists {
    Lists { allow: list(entries), ..Lists::default() }
}

#[track_caller]
fn check(lists: &Lists, command: &str, verdict: Verdict, rule: &str) {
    let judgement = judge_with(lists, command);
    assert_eq!((judgement.verdict, judgement.rule.as_str()), (verdict, rule), "{command}: {judgement:?}");
}

#[test]
fn an_allow_entry_answers_a_question() {
    let lists = allow(&["git push *"]);
    check(&lists, "git push origin x", Allow, "user-allow");
    check(&lists, "git push", Allow, "user-allow");
    check(&lists, "cd x && git push", Allow, "user-allow");
    check(&lists, "bash -c 'git push'", Allow, "user-allow");
}

#[test]
fn an_allow_entry_answers_only_for_its_own_command() {
    let lists = allow(&["git push *"]);
    check(&lists, "git push && npm publish", Ask, "publish");
    check(&lists, "git push $(npm publish)", Ask, "publish");
    check(&lists, "git push > ~/.bashrc", Ask, "write-autostart");
    check(&lists, "git reset --hard", Ask, "git-lose");
    check(&lists, "sudo git push", Ask, "privileges");
}

#[test]
fn an_allow_entry_never_undoes_a_denial() {
    let lists = allow(&["*", "/.*/", "rm *", "git push *"]);
    check(&lists, "rm -rf /", Deny, "delete-root");
    check(&lists, "git push -f origin main", Deny, "git-force-main");
    check(&lists, "echo x > /etc/hosts", Deny, "write-system");
}

#[test]
fn an_entry_respects_the_borders_of_words() {
    let lists = Lists { deny: list(&["git log", "npm run *"]), ..Lists::default() };
    check(&lists, "git log", Deny, "user-deny");
    check(&lists, "git logout", Allow, "ordinary");
    check(&lists, "git log -p", Allow, "ordinary");
    check(&lists, "npm run build", Deny, "user-deny");
    check(&lists, "npm run", Deny, "user-deny");
    check(&lists, "npm runner", Allow, "ordinary");
    check(&lists, "pnpm run x", Allow, "ordinary");
}

#[test]
fn a_star_stands_for_any_text_in_any_place() {
    let lists = Lists { deny: list(&["* --no-verify", "docker * --privileged *"]), ..Lists::default() };
    check(&lists, "git commit --no-verify", Deny, "user-deny");
    check(&lists, "docker run --privileged x", Deny, "user-deny");
    check(&lists, "docker run x", Allow, "ordinary");
}

#[test]
fn an_entry_is_held_against_words_and_not_against_text() {
    let lists = Lists { deny: list(&["rg *"]), ..Lists::default() };
    check(&lists, "r''g x", Deny, "user-deny");
    check(&lists, "ls; env rg x", Deny, "user-deny");
    check(&lists, "echo rg x", Allow, "ordinary");
    check(&lists, "echo 'rg x' | sh", Deny, "user-deny");
}

#[test]
fn a_regular_expression_is_held_against_the_whole_text() {
    let lists = Lists { deny: list(&["/wget .*\\| *tee/"]), ..Lists::default() };
    check(&lists, "wget http://x | tee y", Deny, "user-deny");
    check(&lists, "bash -c 'wget http://x | tee y'", Deny, "user-deny");
    check(&lists, "wget http://x", Allow, "ordinary");
}

#[test]
fn an_allowing_regular_expression_must_cover_the_whole_text() {
    let lists = allow(&["/git push( origin)?/"]);
    check(&lists, "git push", Allow, "user-allow");
    check(&lists, "git push origin", Allow, "user-allow");
    check(&lists, "git push; npm publish", Ask, "git-push");
}

#[test]
fn deny_is_heard_before_ask_and_ask_before_allow() {
    let lists =
        Lists { allow: list(&["ls *"]), ask: list(&["ls *"]), deny: list(&["ls -x"]), ..Lists::default() };
    check(&lists, "ls -x", Deny, "user-deny");
    check(&lists, "ls -a", Ask, "user-ask");
    let lists = Lists { allow: list(&["/.*/"]), ask: list(&["ls *"]), ..Lists::default() };
    check(&lists, "ls", Ask, "user-ask");
}

#[test]
fn an_allow_entry_never_speaks_for_text_that_was_not_read() {
    let lists = allow(&["*", "/(?s).*/"]);
    check(&lists, "echo \"unterminated", Ask, "unparsable");
    check(&lists, "bash -c 'echo \"unterminated'", Ask, "unparsable");
    check(&lists, &"echo abcdefghijklmnopqrstuvwxyz\n".repeat(3_000), Ask, "too-long");
    check(&lists, &"true\n".repeat(2_001), Ask, "too-many");
    check(&lists, &format!("{}ls", "nice ".repeat(9)), Ask, "too-deep");
    check(&lists, "git push", Allow, "user-allow");
}

#[test]
fn a_blocked_entry_denies_in_any_case_and_is_told_as_it_was_written() {
    let lists = Lists { blocked: list(&["zzz|y y"]), ..allow(&["/.*/"]) };
    for command in ["echo zzz", "echo xZZZx", "bash -c 'Y Y'"] {
        let judgement = judge_with(&lists, command);
        assert_eq!((judgement.verdict, judgement.rule.as_str()), (Deny, "user-deny"), "{command}");
        assert_eq!(judgement.reason, "the rules deny `zzz|y y`");
    }
    check(&lists, "echo zz", Allow, "ordinary");
    let long = format!("{}echo zzz\n", "echo abcdefghijklmnopqrstuvwxyz\n".repeat(3_000));
    check(&lists, &long, Deny, "user-deny");
    let bad = Lists { blocked: list(&["("]), ..Lists::default() };
    assert_eq!(Gate::new(&bad).unwrap_err().to_string(), "the deny entry `(` is no regular expression");
}

#[test]
fn a_bad_entry_names_itself() {
    let bad = Lists { ask: list(&["ls", "/(/"]), ..Lists::default() };
    let error = Gate::new(&bad).unwrap_err();
    assert_eq!(error.to_string(), "the ask entry `/(/` is no regular expression");
    let Error::Pattern { reason, .. } = &error else { panic!("{error:?}") };
    assert_eq!(reason, "unclosed group");
    let empty = Gate::new(&allow(&["  "])).unwrap_err();
    assert_eq!(empty.to_string(), "the allow list has an empty entry");
}

#[test]
fn every_error_has_a_card() {
    let pattern =
        Error::Pattern { list: "allow", entry: "/(/".to_owned(), reason: "unclosed group".to_owned() };
    for error in [pattern, Error::Empty { list: "deny" }] {
        let card = card(&error.failure());
        assert!(
            !card.cause.contains('{') && card.cause.contains("list") | card.cause.contains("entry"),
            "{}",
            card.cause
        );
    }
}
