//! How files are cut.

use candor_context::{SECTION_BYTES_MAX, sections};
use proptest::prelude::*;

/// The titles of the sections and where each begins.
#[track_caller]
fn check(path: &str, text: &str, expected: &[(&str, &str)]) {
    let found: Vec<(String, String)> = sections(path, text)
        .into_iter()
        .map(|section| {
            let start: String = text[section.range].chars().take_while(|c| *c != '\n').collect();
            (section.title_path.join(" > "), start)
        })
        .collect();
    let found: Vec<(&str, &str)> =
        found.iter().map(|(title, start)| (title.as_str(), start.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn markdown_is_cut_at_its_headings() {
    let text = "intro\n\n# One\n\na\n\n## Two ##\n\nb\n\nThree\n-----\nc\n\nFour\n====\n\nd\n";
    check(
        "a.md",
        text,
        &[
            ("a.md", "intro"),
            ("One", "# One"),
            ("One > Two", "## Two ##"),
            ("One > Three", "Three"),
            ("Four", "Four"),
        ],
    );
}

#[test]
fn what_only_looks_like_a_heading_is_none() {
    let text = "---\ntitle: x\n---\n# One\n\n```sh\n# no\n```\n\n~~~\n# no\n```\n# no\n~~~~\n\n    # no\n#no\n\n- item\n---\n\n> quote\n===\n\n|a|\n---\n\n####### no\n";
    check("a.md", text, &[("a.md", "---"), ("One", "# One")]);
}

#[test]
fn a_heading_without_a_text_stays_with_the_next() {
    check("a.md", "# One\n\n## Two\n\nb\n", &[("One > Two", "# One")]);
}

#[test]
fn programs_are_cut_at_what_they_define() {
    let filler = "    let x = 1;\n".repeat(80);
    let rust = format!(
        "//! Doc.\nuse a;\n\n/// Says.\n#[inline]\npub(crate) async fn one() {{\n{filler}}}\n\nimpl<T> Show for Two<T> {{\n{filler}}}\nconst fn three() {{\n{filler}}}\n"
    );
    check(
        "src/a.rs",
        &rust,
        &[
            ("a.rs", "//! Doc."),
            ("a.rs > fn one", "/// Says."),
            ("a.rs > impl<T> Show for Two<T>", "impl<T> Show for Two<T> {"),
            ("a.rs > fn three", "const fn three() {"),
        ],
    );
    let body = "    x = 1\n".repeat(130);
    let python = format!(
        "import a\n\n@cached\ndef one():\n{body}\nclass Two(Base):\n{body}\nasync def three():\n{body}"
    );
    check(
        "a.py",
        &python,
        &[
            ("a.py", "import a"),
            ("a.py > def one", "@cached"),
            ("a.py > class Two", "class Two(Base):"),
            ("a.py > def three", "async def three():"),
        ],
    );
    let go = format!("package a\n\nfunc (s *Server) Run() {{\n{body}}}\n\ntype T struct {{\n{body}}}\n");
    check(
        "a.go",
        &go,
        &[
            ("a.go", "package a"),
            ("a.go > func Run", "func (s *Server) Run() {"),
            ("a.go > type T", "type T struct {"),
        ],
    );
    let c =
        format!("#include <a.h>\n\nstatic int *run(int x)\n{{\n{body}}}\n\nint main(void) {{\n{body}}}\n");
    check(
        "a.c",
        &c,
        &[
            ("a.c", "#include <a.h>"),
            ("a.c > run", "static int *run(int x)"),
            ("a.c > main", "int main(void) {"),
        ],
    );
}

#[test]
fn small_definitions_are_together_and_large_ones_are_cut_inside() {
    check(
        "a.ts",
        "export const a = 1;\nexport function b() {}\nclass C {}\n",
        &[("a.ts > const a, function b, class C", "export const a = 1;")],
    );
    let method = |name: &str| format!("    def {name}(self):\n{}\n", "        x = 1\n".repeat(150));
    let class = format!("class Big:\n    y = 2\n\n{}{}{}", method("one"), method("two"), method("three"));
    check(
        "a.py",
        &class,
        &[
            ("a.py > class Big", "class Big:"),
            ("a.py > class Big > def one", "    def one(self):"),
            ("a.py > class Big > def two", "    def two(self):"),
            ("a.py > class Big > def three", "    def three(self):"),
        ],
    );
}

#[test]
fn what_has_no_form_is_cut_by_size_and_nothing_of_blanks_is_a_section() {
    let paragraphs = "A line of text.\nAnother.\n\n".repeat(400);
    let found = sections("a.txt", &paragraphs);
    assert!(found.len() > 2);
    for section in &found {
        assert!(paragraphs[section.range.clone()].starts_with("A line"), "cut between paragraphs");
    }
    assert_eq!(found[1].title_path, ["a.txt", "(2)"]);
    assert!(sections("a.txt", " \n\t\n").is_empty() && sections("a.md", "").is_empty());
}

/// Lines that mean something to one of the ways of cutting, and some that do not.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        "#{1,7} [a-zä漢]{0,12}",
        prop_oneof![Just("```"), Just("~~~~"), Just("---"), Just("===="), Just(""), Just("\t"), Just("\r")]
            .prop_map(str::to_owned),
        "(pub )?(fn|def|class|func|impl<T>|struct|const) [a-z_(){]{0,20}",
        " {0,6}(def|fn|function) [a-z(]{0,9}",
        "(@|//|#|/\\*) ?[a-z]{0,9}",
        (700..2_500_usize).prop_map(|length| "a漢".repeat(length)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn sections_cover_the_text_without_a_gap_and_none_is_too_long(
        lines in proptest::collection::vec(line(), 0..40),
        end in prop_oneof![Just("\n"), Just("\r\n"), Just("\n\n")],
        path in prop_oneof![Just("a.md"), Just("a.rs"), Just("a.py"), Just("a.c"), Just("a.ts"), Just("a.sql"), Just("a"), Just("b/.x")],
    ) {
        let text = lines.join(end);
        let found = sections(path, &text);
        let mut next = 0;
        for section in &found {
            prop_assert_eq!(section.range.start, next);
            prop_assert!(section.range.end > next && section.range.len() <= SECTION_BYTES_MAX);
            prop_assert!(text.get(section.range.clone()).is_some(), "on the boundaries of characters");
            prop_assert!(!section.title_path.is_empty());
            next = section.range.end;
        }
        prop_assert_eq!(next, if text.trim().is_empty() { 0 } else { text.len() });
    }
}
