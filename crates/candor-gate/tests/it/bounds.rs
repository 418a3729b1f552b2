//! Nothing is unbounded: what is too long, too deep or too much is asked about, and what is denied in it stays denied.

use candor_gate::Verdict::{Allow, Ask, Deny};

use crate::scene::{check, judge};

#[test]
fn text_beyond_the_limit_is_asked_about() {
    let line = "echo abcdefghijklmnopqrstuvwxyz\n";
    let long = line.repeat(64 * 1024 / line.len() + 1);
    check(&long, Ask, "too-long");
    check(&format!("{long}rm -rf /\n"), Deny, "delete-root");
}

#[test]
fn commands_beyond_the_limit_are_asked_about() {
    check(&"true\n".repeat(2_000), Allow, "ordinary");
    check(&"true\n".repeat(2_001), Ask, "too-many");
    check(&format!("{}rm -rf /", "true\n".repeat(1_999)), Deny, "delete-root");
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
