//! Nothing is unbounded: what is too long, too deep or too much is asked about, and what is denied in it stays denied.

use candor_gate::Lists;
use candor_gate::Verdict::{Allow, Ask, Deny};

use crate::scene::{check, judge, judge_with};

#[test]
fn text_beyond_the_limit_is_asked_about() {
    let line = "echo abcdefghijklmnopqrstuvwxyz\n";
    let long = line.repeat(64 * 1024 / line.len() + 1);
    check(&long, Ask, "too-long");
    check(&format!("{long}rm -rf /\n"), Deny, "delete-root");
    // As many commands as fit into the longest text that can be started.
    check(&format!("{}rm -rf /", ":;".repeat(64_000)), Deny, "delete-root");
}

#[test]
fn commands_beyond_the_limit_are_asked_about() {
    check(&"true\n".repeat(2_000), Allow, "ordinary");
    check(&"true\n".repeat(2_001), Ask, "too-many");
    check(&format!("{}rm -rf /", "true\n".repeat(1_999)), Deny, "delete-root");
}

/// Also behind the limit, and in what is inside of another text.
#[test]
fn what_is_denied_behind_the_limit_is_denied() {
    for count in [2_000, 2_001, 5_000] {
        let many = "true;".repeat(count);
        for (command, rule) in [
            ("rm -rf /", "delete-root"),
            ("sudo rm -rf /etc", "delete-system"),
            ("bash -c 'rm -rf /'", "delete-root"),
            ("echo x > /etc/passwd", "write-system"),
            ("f() { rm -rf ~; }; f", "delete-home"),
        ] {
            check(&format!("{many}{command}"), Deny, rule);
            check(&format!("{many}{command}; {many}"), Deny, rule);
        }
        check(&format!("sh <<'EOF'\n{many}rm -rf /\nEOF"), Deny, "delete-root");
        check(&format!("{many}ls; echo x > y; rm -rf build"), Ask, "too-many");
        let lists = Lists { deny: vec!["cargo publish *".to_owned()], ..Lists::default() };
        let judged = judge_with(&lists, &format!("{many}cargo publish"));
        assert_eq!((judged.verdict, judged.rule.as_str()), (Deny, "user-deny"), "{count}");
    }
}

/// What the first commands only talk about is not taken for what the others do.
#[test]
fn what_was_walked_through_is_not_read_again() {
    let many = "true\n".repeat(2_001);
    check(&format!("echo 'x; rm -rf /'\n{many}"), Ask, "too-many");
}

#[test]
fn loops_over_many_values_are_tried_with_each_or_asked_about() {
    let values = |count: usize| (1..=count).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    for count in [15, 16, 17, 64, 300] {
        let list = values(count);
        check(&format!("for d in {list} /etc/passwd; do : > \"$d\"; done"), Deny, "write-system");
        check(&format!("for d in {list} /; do rm -rf \"$d\"; done"), Deny, "delete-root");
        check(&format!("for d in {list}; do : > \"$d\"; done"), Allow, "ordinary");
        let lines = list.replace(' ', "\\n");
        check(
            &format!("printf '{lines}\\n/' | while read -r d; do rm -rf \"$d\"; done"),
            Deny,
            "delete-root",
        );
    }
    let list = values(3_000);
    check(&format!("for d in {list} /etc/passwd; do : > \"$d\"; done"), Ask, "too-many");
    check(&format!("for d in {list} /; do rm -rf \"$d\"; done"), Deny, "delete-root");
    let nested = "for a in {}; do for b in {}; do for c in {}; do : > $a$b$c; done; done; done";
    check(&nested.replace("{}", &values(500)), Ask, "too-many");
}

#[test]
fn arguments_beyond_those_that_are_tried_one_by_one_are_looked_at() {
    let values = |count: usize| (1..=count).map(|n| n.to_string()).collect::<Vec<_>>();
    for count in [63, 64, 65, 1_000] {
        let (row, lines) = (values(count).join(" "), values(count).join("\\n"));
        check(&format!("echo {row} / | xargs rm -rf"), Deny, "delete-root");
        check(&format!("echo {row} | xargs rm -rf"), Allow, "ordinary");
        check(&format!("printf '{lines}\\n/\\n' | xargs -I{{}} rm -rf {{}}"), Deny, "delete-root");
        check(&format!("parallel rm -rf ::: {row} /"), Deny, "delete-root");
    }
    let lines = values(100).join("\\n");
    assert_ne!(judge(&format!("printf '{lines}\\nx; reboot' | xargs -I{{}} sh -c '{{}}'")).verdict, Allow);
}

/// The parser alone would take all memory of the machine for this.
#[test]
fn a_pipeline_without_an_end_is_asked_about() {
    for end in ["", "rm -rf /"] {
        assert_ne!(judge(&format!("{}{end}", "a|".repeat(30_000))).verdict, Allow);
    }
    check(&format!("cat > t.md <<'EOF'\n{}EOF\n", "| a | b |\n".repeat(600)), Allow, "ordinary");
}

#[test]
fn wrappers_beyond_the_limit_are_asked_about() {
    check(&format!("{}ls", "nice ".repeat(8)), Allow, "ordinary");
    check(&format!("{}ls", "nice ".repeat(9)), Ask, "too-deep");
    check(&format!("{}rm -rf /", "nice ".repeat(8)), Deny, "delete-root");
}

#[test]
fn what_is_denied_behind_more_wrappers_is_denied() {
    for count in [9, 10, 12_000] {
        check(&format!("{}rm -rf /", "nice ".repeat(count)), Deny, "delete-root");
        check(&format!("{}sh -c 'rm -rf /'", "nice ".repeat(count.min(20))), Deny, "delete-root");
        check(&format!("{}rm -rf build", "nice ".repeat(count)), Ask, "too-deep");
        let lists = Lists { deny: vec!["cargo publish *".to_owned()], ..Lists::default() };
        let judged = judge_with(&lists, &format!("{}cargo publish", "nice ".repeat(count)));
        assert_eq!((judged.verdict, judged.rule.as_str()), (Deny, "user-deny"), "{count}");
    }
    check(&format!("{}rm -rf /", "eval ".repeat(9)), Deny, "delete-root");
}

#[test]
fn braces_that_unfold_to_too_much_are_asked_about() {
    check(&format!("echo {}", "{a,b}".repeat(12)), Ask, "too-many");
    check("echo {a,b}{c,d}", Allow, "ordinary");
}

#[test]
fn text_made_to_nest_neither_crashes_nor_passes() {
    for opened in ["(", "$(", "{ ", "`", "\"$(", "[[ ", "if ", "<(", "${x:-", "((", "!(", "case x in x) "] {
        let command = opened.repeat(20_000 / opened.len());
        assert_ne!(judge(&command).verdict, Allow, "{opened}");
    }
    let balanced = format!("{}ls{}", "(".repeat(5_000), ")".repeat(5_000));
    check(&balanced, Ask, "unparsable");
}

#[test]
fn functions_that_call_each_other_come_to_an_end() {
    check("f() { g; }; g() { f; }; f", Allow, "ordinary");
    let many: Vec<String> = (0..30).map(|n| format!("f{n}() {{ f{m}; f{m}; }}", m = n + 1)).collect();
    let many = many.join("\n");
    assert_ne!(judge(&format!("{many}\nf30() {{ rm -rf /; }}\nf0")).verdict, Allow);
    // In text that is read roughly, they are not walked through for each line.
    let long = format!("{many}\nf30() {{ {}; }}\n{}", "true;".repeat(500), "f0\n".repeat(10_000));
    assert_ne!(judge(&long).verdict, Allow);
    assert_ne!(judge(&format!("{long}\"")).verdict, Allow);
}

#[test]
fn text_made_to_be_slow_for_one_program_comes_to_an_end() {
    for (program, piece) in [
        ("make -f -", "$(shell "),
        ("make -f -", "\t$A\n"),
        ("make -f -", "A=$(A)$(A)\n"),
        ("expect", "["),
        ("expect", "{ "),
        ("expect", "spawn [x "),
        ("psql", "\\o x "),
        ("psql", "\\!"),
        ("mysql", "\\! system "),
        ("sqlite3 x", ".shell x\n"),
        ("guile", "(system "),
        ("m4", "syscmd("),
        ("sed -f -", "s/"),
        ("sed -f -", "/"),
        ("emacsclient -e", "("),
        ("guile", "("),
        ("vim", ":!x system("),
    ] {
        judge(&format!("{program} <<'EOF'\nx\n{}\nEOF\n", piece.repeat(60_000 / piece.len())));
    }
}

#[test]
fn a_character_that_the_grammar_cannot_take_does_not_end_the_process() {
    check("echo {\u{10ffff}}", Allow, "ordinary");
    check("echo {1..\u{10ffff}}", Allow, "ordinary");
    check("rm -rf \u{1f600} /", Deny, "delete-root");
    check("rm -rf /\u{1f600}/../etc", Deny, "delete-system");
}

#[test]
fn a_here_document_whose_end_may_be_mistaken_is_asked_about() {
    // To the parser both accents look alike, and what follows the first would be read as quoted text.
    check("cat <<'É'\nÈ\n'\nÉ\nls\n#'", Ask, "unparsable");
    check("cat <<EOF\né\nEOF", Allow, "ordinary");
}
