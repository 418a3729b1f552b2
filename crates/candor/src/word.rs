//! The word of the person at the terminal on a call that waits for it.

use candor_protocol::{Answer, Body};

use crate::printer::Printer;
use crate::repl::reader::{Line, Reader};

/// What is asked.
pub(crate) struct Asked<'a> {
    pub(crate) call_id: &'a str,
    /// What can be answered; nothing, where any words can.
    pub(crate) choices: &'a [String],
}

impl Asked<'_> {
    /// Reads until there is an answer. Who presses Ctrl-C, or goes away, wants the run to stop.
    pub(crate) async fn answer(&self, person: &mut Reader, printer: &mut Printer<'_>) -> Body {
        loop {
            let line = person.ask_for(self.prompt()).await;
            let said = match line {
                Line::Entered(text) => self.read(text.trim()),
                Line::Cleared | Line::Remembered => None,
                Line::Interrupted | Line::End | Line::Failed(_) => return Body::Stop(None),
            };
            match said {
                Some((choice, reason)) => {
                    let call_id = self.call_id.to_owned();
                    return Body::Answer(Answer { call_id, choice, reason });
                }
                None => printer.hint(&format!("please answer: {}", self.prompt().trim())),
            }
        }
    }

    /// What a line means. Words that are no choice are a no, and the reason for it.
    fn read(&self, text: &str) -> Option<(String, Option<String>)> {
        if text.is_empty() {
            return None;
        }
        if !self.is_approval() {
            let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let chosen = number.and_then(|index| self.choices.get(index)).map_or(text, String::as_str);
            let chosen = self.choices.iter().find(|choice| choice.eq_ignore_ascii_case(chosen));
            return match chosen {
                Some(chosen) => Some((chosen.clone(), None)),
                None if self.choices.is_empty() => Some((text.to_owned(), None)),
                None => None,
            };
        }
        let can_always = self.choices.iter().any(|choice| choice == Answer::ALWAYS);
        match text.to_ascii_lowercase().as_str() {
            "y" | "yes" | "once" | "o" => Some((Answer::ONCE.to_owned(), None)),
            "a" | "always" if can_always => Some((Answer::ALWAYS.to_owned(), None)),
            "a" | "always" => None,
            "n" | "no" => Some((Answer::NO.to_owned(), None)),
            _ => Some((Answer::NO.to_owned(), Some(text.to_owned()))),
        }
    }

    fn is_approval(&self) -> bool {
        self.choices.iter().any(|choice| choice == Answer::ONCE)
    }

    fn prompt(&self) -> String {
        let choices = self.choices;
        if !self.is_approval() {
            return if choices.is_empty() { "answer> ".to_owned() } else { format!("1-{}> ", choices.len()) };
        }
        let always = if choices.iter().any(|choice| choice == Answer::ALWAYS) { ", a(lways)" } else { "" };
        format!("y(es){always}, n(o), or say what to do instead> ")
    }
}

#[cfg(test)]
#[path = "word_tests.rs"]
mod tests;
