//! Cards that other programs print: as text, or as JSON.

mod facts;
mod json;
mod lines;

use candor_protocol::{Class, Code, ErrorCard, Step};

use crate::template::{Facts, Form, Piece, pieces};
use crate::{Command, Entry, StepTemplate, entry, quote};

/// The most steps that are taken over.
const STEPS_MAX: usize = 12;
/// The longest step or verify command that is taken over.
const STEP_CHARS_MAX: usize = 1_000;
/// The longest cause that is taken over.
const CAUSE_CHARS_MAX: usize = 4_000;

/// A card as a program told it. Only the code is certain: the rest may be cut off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) code: String,
    pub(crate) class: Option<String>,
    pub(crate) cause: Option<String>,
    pub(crate) steps: Vec<String>,
    pub(crate) verify: Option<String>,
}

/// The last card in an output, a whole one before one that is cut off: a program prints what it ends with last.
pub(crate) fn find(stdout: &str, stderr: &str) -> Option<Told> {
    let cards: Vec<Told> = lines::cards(stdout).into_iter().chain(lines::cards(stderr)).collect();
    let whole = cards.iter().rev().find(|card| card.cause.is_some());
    let card = whole.or(cards.last()).cloned();
    card.or_else(|| json::card(stderr)).or_else(|| json::card(stdout)).map(Told::bounded)
}

/// The card of our own catalogue for a code of ours. What it says of the facts is read back from the cause and the steps.
///
/// The steps are ours, whatever the output says: the same code has the same steps every time, and no output can slip others in.
pub(crate) fn own(told: &Told, command: &Command) -> Option<ErrorCard> {
    let code = Code::ALL.iter().copied().find(|code| code.as_str() == told.code)?;
    let entry = entry(code);
    let mut read = facts::of_cause(entry.cause, told.cause.as_deref().unwrap_or_default());
    read.extend(facts::of_steps(entry.steps, &told.steps));
    // What would enter a command as it is must be a command of ours: the output may say anything.
    read.retain(|(name, value)| !enters_unquoted(entry, name) || is_ours(value));
    let segment = command.option(&["-s", "--segment"]).unwrap_or(".").to_owned();
    let lookup = |name: &str| {
        let fact = read.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        fact.or_else(|| matches!(name, "segment" | "path").then(|| segment.clone()))
            .or_else(|| (name == "command").then(|| command.as_line().to_owned()))
    };
    let mut card = crate::card::filled(entry, &Facts::new(&lookup));
    if let Some(cause) = &told.cause {
        card.cause.clone_from(cause);
    }
    Some(card)
}

/// Whether a step takes this fact as a shell line.
fn enters_unquoted(entry: &Entry, name: &str) -> bool {
    let commands = entry.steps.iter().filter_map(|step| match step {
        StepTemplate::Run { command } | StepTemplate::Check { command, .. } => Some(*command),
        StepTemplate::Do { .. } => None,
    });
    let line =
        |piece: &Piece<'_>| matches!(piece, Piece::Fact { name: known, form: Form::Line } if *known == name);
    commands.chain(entry.verify).any(|command| pieces(command).iter().any(line))
}

/// Whether a line is nothing but `candor` and plain words.
fn is_ours(line: &str) -> bool {
    let mut words = line.split(' ');
    words.next() == Some("candor")
        && words.all(|word| quote(word.trim_start_matches('-')) == word.trim_start_matches('-'))
}

/// A card with steps of its own.
pub(crate) fn foreign(told: &Told) -> Option<ErrorCard> {
    if told.steps.is_empty() {
        return None;
    }
    Some(ErrorCard {
        code: told.code.clone(),
        class: Class::from(told.class.clone().unwrap_or_else(|| "Runtime".to_owned())),
        title: told.title(),
        cause: told.cause.clone().unwrap_or_else(|| "The card in the output does not say.".to_owned()),
        tried: Vec::new(),
        steps: told.steps.iter().map(|text| step(text)).collect(),
        verify: told.verify.clone(),
        retryable: false,
        exit_code: 1,
    })
}

impl Told {
    /// What is told, over a card that has steps.
    pub(crate) fn over(self, card: ErrorCard) -> ErrorCard {
        ErrorCard {
            title: self.title(),
            class: self.class.map_or(card.class, Class::from),
            cause: self.cause.unwrap_or(card.cause),
            verify: self.verify.or(card.verify),
            code: self.code,
            ..card
        }
    }

    fn title(&self) -> String {
        let first = self.cause.as_deref().and_then(|cause| cause.lines().next());
        first.unwrap_or(&self.code).chars().take(80).collect()
    }

    fn bounded(mut self) -> Self {
        let cut = |text: String, most: usize| text.chars().take(most).collect::<String>();
        self.steps.truncate(STEPS_MAX);
        self.steps = self.steps.into_iter().map(|step| cut(step, STEP_CHARS_MAX)).collect();
        self.cause = self.cause.map(|cause| cut(cause, CAUSE_CHARS_MAX));
        self.verify = self.verify.map(|verify| cut(verify, STEP_CHARS_MAX));
        self
    }
}

/// A step as it was written: one that begins with `Run:` is a command. Whether it is safe is not the output's to say.
fn step(text: &str) -> Step {
    match text.strip_prefix("Run:").or_else(|| text.strip_prefix("$ ")) {
        Some(command) => {
            Step::Run { command: command.trim().to_owned(), safety: candor_protocol::Safety::Ask }
        }
        None => Step::Do { text: text.to_owned() },
    }
}
