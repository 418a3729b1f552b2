//! Text that is shown while it is written.

use candor_redact::{MASK, Redactor};
use candor_testkit::Rng;

const SECRET: &str = "correct horse battery";

fn shown(text: &str, mut cut: impl FnMut() -> usize) -> String {
    let mut live = Redactor::with_secrets([SECRET]).live();
    let (mut rest, mut out) = (text, String::new());
    while !rest.is_empty() {
        let mut at = cut().clamp(1, rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (piece, tail) = rest.split_at(at);
        out.push_str(&live.push(piece));
        rest = tail;
    }
    out.push_str(&live.finish());
    out
}

#[test]
fn words_leave_at_once() {
    let mut live = Redactor::with_secrets([SECRET]).live();
    assert_eq!(live.push("The answer is "), "The answer is ");
    assert_eq!(live.push("42, of "), "42, of ");
}

#[test]
fn only_the_beginning_of_a_value_is_held_back() {
    let mut live = Redactor::with_secrets([SECRET]).live();
    assert_eq!(live.push("it is correct ho"), "it is ");
    assert_eq!(live.push("pe, and so on"), "correct hope, and so on");
    assert_eq!(live.push(" correct horse batt"), " ");
    assert_eq!(live.push("ery!"), format!("{MASK}!"));
}

#[test]
fn however_the_text_is_cut_no_value_is_shown() {
    let text =
        format!("ä {SECRET}, {SECRET}x correct horse é Y29ycmVjdCBob3JzZSBiYXR0ZXJ5 correct horse battersea");
    let whole = Redactor::with_secrets([SECRET]).redact_known(&text).into_owned();
    assert_eq!(whole.matches(MASK).count(), 3, "{whole}");
    let mut rng = Rng::new(7);
    for _ in 0..200 {
        assert_eq!(shown(&text, || rng.below(9)), whole);
    }
}

#[test]
fn what_only_looks_like_a_secret_is_the_writers_own() {
    let made_up = format!("export KEY=sk-ant-api03-{}", "q7".repeat(20));
    assert_eq!(Redactor::with_secrets([SECRET]).redact_known(&made_up), made_up);
}
