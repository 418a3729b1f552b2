//! Words that somebody reads while they are written.

use std::fmt;

use crate::Redactor;

/// Masks known values in text that is shown as it arrives.
///
/// [`Stream`](crate::Stream) holds back whole lines, because a rule may need the rest of one; a person who watches an
/// answer grow must not wait for that. The writer of such text is a model, which is never given a secret, so only the
/// values themselves are looked for.
pub struct Live {
    redactor: Redactor,
    /// What may be the beginning of a known value.
    held: String,
}

impl fmt::Debug for Live {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not what is held: it has not been masked yet.
        formatter.debug_struct("Live").field("held_bytes", &self.held.len()).finish_non_exhaustive()
    }
}

impl Live {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self { redactor, held: String::new() }
    }

    /// Takes the next piece and gives what is safe to show.
    pub fn push(&mut self, text: &str) -> String {
        let Some(known) = self.redactor.known() else { return text.to_owned() };
        self.held.push_str(text);
        let mut end = self.held.len() - known.begun_anywhere_bytes(self.held.as_bytes());
        // The last value may go on past the end of what is there: `abc` is known, and so is `abcdef`.
        while !self.held.is_char_boundary(end) {
            end -= 1;
        }
        if let Some(crossing) =
            known.find(self.held.as_bytes()).into_iter().find(|place| place.start < end && place.end > end)
        {
            end = crossing.start;
        }
        let rest = self.held.split_off(end);
        let safe = std::mem::replace(&mut self.held, rest);
        self.redactor.redact_known(&safe).into_owned()
    }

    /// Gives what was held back.
    pub fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.held);
        self.redactor.redact_known(&rest).into_owned()
    }
}
