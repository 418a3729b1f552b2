//! Where a walk ends although the text goes on. What is behind the end is read roughly: never to allow it, only to find what
//! must be denied.

use std::mem::take;

use super::Walk;
use crate::call::{Call, Word, short_group};
use crate::flow::Flow;
use crate::lossy;
use crate::rules::{self, Way};
use crate::text::{self, TEXT_BYTES_MAX, slice};
use crate::verdict::{Finding, Verdict};
use crate::wrappers::{self, Inner};

/// How many wrappers and scripts may be in each other. Nobody writes nine by hand.
const DEPTH_MAX: usize = 8;
/// How many simple commands are looked at.
const COMMANDS_MAX: usize = 2_000;
/// How many commands are looked at where a text is read roughly: as many as can be in one that a system starts, which is of 128 kB
/// at most. Each is cheap, and nothing is allowed by it.
const ROUGH_MAX: usize = 70_000;

/// How far a walk has come.
#[derive(Debug)]
pub(super) struct Progress {
    /// The simple commands that were looked at, and the rounds of loops.
    commands: usize,
    /// Where in the script that is walked through the first command stands that was not.
    stopped_at: Option<usize>,
    is_rough: bool,
    /// How much text inside of others is still read roughly, so that the same text in many places does not take forever.
    rough_left: usize,
}

impl Default for Progress {
    fn default() -> Self {
        Self { commands: 0, stopped_at: None, is_rough: false, rough_left: 4 * TEXT_BYTES_MAX }
    }
}

impl Walk<'_> {
    /// Nothing can become stricter, or there is too much to look at.
    pub(super) fn is_over(&self) -> bool {
        self.denied || self.has_too_many()
    }

    fn has_too_many(&self) -> bool {
        self.progress.commands > COMMANDS_MAX
    }

    /// Counts a command; false where it is one too many.
    pub(super) fn counts(&mut self) -> bool {
        self.progress.commands += 1;
        if self.has_too_many() {
            let reason = format!("it has more than {COMMANDS_MAX} commands in it");
            self.note(Finding::ask("too-many", reason).surroundings());
        }
        !self.has_too_many()
    }

    /// Whether a loop may go round once more, which is as much work as a command.
    pub(super) fn goes_round(&mut self) -> bool {
        !self.is_over() && self.counts()
    }

    /// Remembers that the walk through a script did not get behind this place.
    pub(super) fn stops_at(&mut self, place: usize) {
        if self.has_too_many() {
            self.progress.stopped_at.get_or_insert(place);
        }
    }

    /// Reads what the walk through this script has left.
    pub(super) fn finish(&mut self, source: &str, depth: usize) {
        let place = self.progress.stopped_at.take();
        if let Some(place) = place.filter(|_| !self.denied) {
            self.rough_inside(slice(source, place..source.len()), depth);
        }
    }

    pub(super) fn is_too_deep(&mut self, depth: usize) -> bool {
        if depth > DEPTH_MAX {
            let reason = format!("more than {DEPTH_MAX} commands in it are wrapped in each other");
            self.note(Finding::ask("too-deep", reason).surroundings());
        }
        depth > DEPTH_MAX
    }

    /// Looks behind more wrappers than are walked through.
    pub(super) fn innermost(&mut self, words: &[Word], flow: &Flow) {
        if self.progress.is_rough || self.denied {
            return;
        }
        let call = wrappers::innermost(Call::new(words, flow));
        self.must_be_denied(&call);
        for inner in wrappers::inner(&call) {
            match inner {
                Inner::Words(words) => self.must_be_denied(&Call::new(&words, flow)),
                Inner::Script { text, .. } => self.rough_inside(&text, DEPTH_MAX),
            }
        }
    }

    fn must_be_denied(&mut self, call: &Call<'_>) {
        let mut findings = rules::judge(call, &self.state);
        findings.retain(|finding| finding.verdict == Verdict::Deny);
        self.resolve(call, findings);
    }

    /// The same of a text inside of others.
    pub(super) fn rough_inside(&mut self, source: &str, depth: usize) {
        if depth > 0 {
            let Some(left) = self.progress.rough_left.checked_sub(source.len()) else { return };
            self.progress.rough_left = left;
        }
        self.rough(source);
    }

    /// Looks for what must be denied in text that cannot be understood. Questions are not added: there is one already.
    pub(super) fn rough(&mut self, source: &str) {
        if std::mem::replace(&mut self.progress.is_rough, true) {
            return;
        }
        let (findings, commands) = (self.findings.len(), self.progress.commands);
        // A function that is called in each of many lines would be walked through for each of them.
        let functions = take(&mut self.state.functions);
        let home = &self.state.ground.home;
        let source = &source.replace("${HOME}", home).replace("$HOME", home);
        for mut words in lossy::commands(source).take(ROUGH_MAX) {
            for word in words.iter_mut().filter(|word| word.text.starts_with('~')) {
                word.text.replace_range(..1, &self.state.ground.home);
            }
            self.rough_words(&words);
            // The quotes around a script are dropped, and its words stand behind the option.
            let is_script = |word: &Word| short_group(&word.text).is_some_and(|group| group.ends_with('c'));
            if let Some(at) = words.iter().position(is_script) {
                self.rough_words(&words[at + 1..]);
            }
        }
        for target in lossy::redirects(source).take(ROUGH_MAX) {
            self.extend(rules::redirect(Way::Out, &target, &self.state));
        }
        if text::has_bomb(source) {
            self.note(rules::bomb());
        }
        let mut index = 0;
        self.findings.retain(|finding| {
            index += 1;
            index <= findings || finding.verdict == Verdict::Deny
        });
        self.state.functions = functions;
        self.progress.commands = commands;
        self.progress.is_rough = false;
    }

    fn rough_words(&mut self, words: &[Word]) {
        self.progress.commands = 0;
        self.words(words, &Flow::default(), DEPTH_MAX - 2);
    }
}
