//! Cards as text: `X_ERROR_CODE:`, `CLASS:`, `CAUSE:`, `NEXT STEPS:`, `VERIFY:`; and our own layout.

use super::Told;

/// Which part of a card the next lines belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    Cause,
    Steps,
    Verify,
}

/// Every card in an output, in order.
pub(crate) fn cards(text: &str) -> Vec<Told> {
    let mut reader = Reader { cards: Vec::new(), part: Part::Head, class: None };
    if text.contains("ERROR_CODE:") || text.contains("Error Code:") {
        for line in text.lines() {
            reader.take(line);
        }
    }
    reader.cards.into_iter().map(trimmed).collect()
}

struct Reader {
    cards: Vec<Told>,
    part: Part,
    /// Our own layout names the class before the code.
    class: Option<String>,
}

impl Reader {
    fn take(&mut self, line: &str) {
        let bare = line.trim();
        if let Some(code) = code(bare) {
            self.cards.push(Told { code, class: self.class.take(), ..Told::default() });
            self.part = Part::Head;
            return;
        }
        if let Some(class) = bare.strip_prefix("Error Class:") {
            self.class = Some(class.trim().to_owned());
            return;
        }
        if bare.contains("Command Failed:") {
            self.part = Part::Head;
            self.class = None;
            return;
        }
        let Some(card) = self.cards.last_mut() else { return };
        let (part, rest) = header(bare).unwrap_or((self.part, bare));
        let begins = header(bare).is_some();
        if begins {
            self.part = part;
        }
        match part {
            Part::Head => {
                if let Some(class) = bare.strip_prefix("CLASS:") {
                    card.class = class.split_whitespace().next().map(class_name);
                }
            }
            Part::Cause if begins => card.cause = Some(rest.to_owned()),
            Part::Cause => {
                let cause = card.cause.get_or_insert_default();
                if !cause.is_empty() {
                    cause.push('\n');
                }
                cause.push_str(line.trim_end());
            }
            Part::Steps => card.steps.extend(step(rest)),
            Part::Verify => {
                if card.verify.is_none() && !rest.is_empty() {
                    card.verify = Some(rest.to_owned());
                    self.part = Part::Head;
                }
            }
        }
    }
}

/// The code of a line that begins a card.
fn code(line: &str) -> Option<String> {
    let (name, code) = line.split_once(':')?;
    let is_marker = name == "Error Code" || name == "ERROR_CODE" || name.ends_with("_ERROR_CODE");
    let is_plain = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let code = code.split_whitespace().next().unwrap_or_default();
    (is_marker && (name == "Error Code" || is_plain(name)) && is_plain(code)).then(|| code.to_owned())
}

/// The part that a line begins, and what stands on the same line.
fn header(line: &str) -> Option<(Part, &str)> {
    const HEADERS: &[(&str, Part)] = &[
        ("CAUSE:", Part::Cause),
        ("Cause:", Part::Cause),
        ("NEXT STEPS:", Part::Steps),
        ("NEXT_STEPS:", Part::Steps),
        ("Recovery Steps:", Part::Steps),
        ("VERIFY:", Part::Verify),
        ("Verify:", Part::Verify),
    ];
    HEADERS.iter().find_map(|(text, part)| Some((*part, line.strip_prefix(text)?.trim())))
}

/// A step without its number or bullet.
fn step(line: &str) -> Option<String> {
    let line = line.trim();
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = match unnumbered.strip_prefix(['.', ')']) {
        Some(rest) if unnumbered.len() < line.len() => rest,
        _ => line.strip_prefix(['-', '*', '•']).filter(|rest| rest.starts_with(' ')).unwrap_or(line),
    };
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// `PRECONDITION` is `Precondition` here: one closed list, one spelling.
fn class_name(word: &str) -> String {
    let known = candor_protocol::Class::ALL.iter().find(|class| class.as_str().eq_ignore_ascii_case(word));
    known.map_or_else(|| word.to_owned(), |class| class.as_str().to_owned())
}

fn trimmed(mut card: Told) -> Told {
    card.cause = card.cause.map(|cause| cause.trim().to_owned()).filter(|cause| !cause.is_empty());
    card
}
