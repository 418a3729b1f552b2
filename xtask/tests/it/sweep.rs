use xtask::sweep::{SweepLine, page};

fn line(name: &str, failed_case: Option<u64>) -> SweepLine {
    SweepLine { name: name.to_owned(), seed: 7, cases: 1200, seconds: 10.0, failed_case }
}

#[test]
fn a_line_is_read_with_or_without_the_runners_words_before_it() {
    for before in ["", "    ", "test config::sweep_yaml ... ", "a sweep with words: "] {
        let text = format!("{before}sweep yaml mutants: seed 7, 1200 cases, 10.0 s");
        assert_eq!(SweepLine::parse(&text), Some(line("yaml mutants", None)), "{text}");
    }
}

#[test]
fn a_failed_case_is_read_and_shown_again() {
    let text = "sweep yaml: seed 7, 1200 cases, 10.0 s, failed in case 1199";
    assert_eq!(SweepLine::parse(text), Some(line("yaml", Some(1199))));
    assert_eq!(line("yaml", Some(1199)).to_string(), text);
}

#[test]
fn other_lines_are_not_read() {
    for text in [
        "",
        "sweep",
        "sweep yaml: seed x, 1 cases, 1 s",
        "sweep yaml: seed 1, 2 s",
        "a sweep of the yard: seed",
    ] {
        assert_eq!(SweepLine::parse(text), None, "{text:?}");
    }
}

#[test]
fn the_page_has_a_row_for_each() {
    let page = page(&[line("yaml", None), line("toml", Some(3))], "Measured on: a machine.");
    assert!(page.contains("\n| `yaml` | 7 | 1200 | 10 | ok |\n"), "{page}");
    assert!(page.contains("\n| `toml` | 7 | 1200 | 10 | **failed in case 3** |\n"), "{page}");
    assert!(page.contains("Measured on: a machine."), "{page}");
}
