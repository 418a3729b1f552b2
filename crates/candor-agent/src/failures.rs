//! What a run remembers of its failures: notices when it goes in circles, and when it has got past one.

use candor_protocol::{Code, ErrorCard, Failure, Recovered, RecoveredBy};
use tokio::time::Instant;

use crate::target::Target;

/// The time at which the same failure of the same call means that the run is stuck, when nothing that was done in between can
/// have changed it.
const IN_VAIN_MAX: u32 = 3;
/// The time at which the very same card of the same call means so, whatever was done in between.
const SAME_CARD_MAX: u32 = 5;
/// The time at which the same failure of a target means so, whatever it was called with, when nothing at all has worked since the
/// first.
const IN_A_ROW_MAX: u32 = 5;
/// How many calls a card lists besides the one that failed.
const TRIED_MAX: usize = 4;
/// How many failures are remembered at a time; the oldest goes first.
const CIRCLES_MAX: usize = 256;
/// How much of a cause the last card shows.
const CAUSE_CHARS_MAX: usize = 600;

/// Programs that only look. A command of these alone, working, changes nothing that the next one could meet.
const LOOKING: &[&str] = &[
    "cat", "cd", "cut", "date", "df", "diff", "dirname", "du", "echo", "env", "false", "file", "find",
    "free", "grep", "head", "hostname", "id", "less", "ls", "printenv", "printf", "ps", "pwd", "readlink",
    "realpath", "rg", "sleep", "sort", "stat", "tail", "test", "tr", "tree", "true", "type", "uname", "uniq",
    "wc", "which", "whoami",
];

/// What a run remembers of its failures.
///
/// A failure is the code of a card on a target. It is counted at most once for each answer of the model: several calls of
/// one answer were made before any of them had failed. It is forgotten when the same target works.
///
/// A run is stuck when the same call meets a failure the third time and nothing in between can have changed it: reading files
/// and looking around does not count as trying, so a model that alternates between `ls` and a failing call is stuck as well,
/// and neither does another text of the same failure. After a call that worked and may have changed something, the count begins
/// anew, as repairing in steps is progress: the next error of a compiler is another one although it has the same code. Where the
/// card is the very same all the time, nothing moves whatever is done: the fifth time the run is stuck then.
///
/// Other arguments for the same target are another call: who looks for other words in a file tries something else, and whoever read
/// the file in between has learned something. Only five such failures in a row, with nothing at all that worked among them, are
/// stuck. Whoever gets around these rules is ended by its turns.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    turn: u64,
    circles: Vec<Circle>,
    pending: Vec<Pending>,
    stuck: Option<Failure>,
}

/// One failure that comes again.
#[derive(Debug)]
struct Circle {
    code: String,
    target: Target,
    /// The turn in which it was last counted.
    turn: u64,
    count: u32,
    /// How often since anything last worked.
    in_a_row: u32,
    /// The calls that met it.
    calls: Vec<Repeated>,
    /// What else was called since, the oldest first.
    tried: Vec<String>,
}

/// One call that fails again.
#[derive(Debug)]
struct Repeated {
    call: u64,
    /// The turn in which it was last counted.
    turn: u64,
    count: u32,
    /// How often since something last changed.
    in_vain: u32,
    cards: Vec<(ErrorCard, u32)>,
}

/// A failure that nobody has got past yet.
#[derive(Debug)]
struct Pending {
    code: String,
    target: Target,
    since: Instant,
    failures: u64,
}

/// What a failure means.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// Which time it is.
    pub(crate) repeat: u32,
    /// Whether it was never met before, or has worked since.
    pub(crate) is_first: bool,
    /// What was tried since the first time.
    pub(crate) tried: Vec<String>,
}

impl Failures {
    /// The model has answered anew.
    pub(crate) fn begin_turn(&mut self) {
        self.turn += 1;
    }

    /// Counts a call that failed with this card.
    pub(crate) fn failed(&mut self, target: &Target, card: &ErrorCard) -> Met {
        self.note(target, "failed");
        self.await_recovery(target, &card.code);
        let turn = self.turn;
        let at = self.circle(target, &card.code);
        let Some(circle) = self.circles.get_mut(at) else { return Met::default() };
        let before = circle.count;
        if circle.turn != turn || circle.count == 0 {
            circle.turn = turn;
            circle.count += 1;
            circle.in_a_row += 1;
        }
        let tried = if before == 0 { Vec::new() } else { circle.told(before) };
        let same_call = circle.count_call(target.call, turn, card);
        let in_a_row = (circle.in_a_row >= IN_A_ROW_MAX).then_some(circle.in_a_row);
        if let Some(count) = same_call.or(in_a_row) {
            self.stuck.get_or_insert(circle.failure(card, count, same_call.is_some()));
        }
        Met { repeat: circle.count, is_first: before == 0, tried }
    }

    /// Takes in that a call worked, and whether it may have changed something. What it has got past is given back.
    pub(crate) fn worked(&mut self, target: &Target, effective: bool) -> Vec<Recovered> {
        self.circles.retain(|circle| !circle.target.is_same(target));
        self.note(target, "worked");
        for circle in &mut self.circles {
            circle.in_a_row = 0;
            if effective {
                circle.calls.iter_mut().for_each(|repeated| repeated.in_vain = 0);
            }
        }
        self.recovered(target, RecoveredBy::Model)
    }

    /// What is repaired, now that calls of this kind work again.
    pub(crate) fn recovered(&mut self, target: &Target, by: RecoveredBy) -> Vec<Recovered> {
        let past: Vec<Pending> =
            self.pending.extract_if(.., |pending| pending.target.is_kin(target)).collect();
        let recovered = |pending: Pending| Recovered {
            code: pending.code,
            failures: pending.failures,
            duration_ms: u64::try_from(pending.since.elapsed().as_millis()).unwrap_or(u64::MAX),
            by,
        };
        past.into_iter().map(recovered).collect()
    }

    /// Why the run is to be given up.
    pub(crate) fn take_stuck(&mut self) -> Option<Failure> {
        self.stuck.take()
    }

    /// Remembers a call for the failures that it may have been meant to repair.
    fn note(&mut self, target: &Target, how: &str) {
        let line = format!("{}: {how}", target.label());
        for circle in self.circles.iter_mut().filter(|circle| !circle.target.is_same(target)) {
            circle.tried.retain(|known| *known != line);
            circle.tried.push(line.clone());
            let over = circle.tried.len().saturating_sub(TRIED_MAX);
            circle.tried.drain(..over);
        }
    }

    fn await_recovery(&mut self, target: &Target, code: &str) {
        let known =
            self.pending.iter_mut().find(|pending| pending.code == code && pending.target.is_kin(target));
        if let Some(pending) = known {
            pending.failures += 1;
            return;
        }
        drop_oldest(&mut self.pending);
        let (code, target) = (code.to_owned(), target.clone());
        self.pending.push(Pending { code, target, since: Instant::now(), failures: 1 });
    }

    /// Where the failure is remembered.
    fn circle(&mut self, target: &Target, code: &str) -> usize {
        let known = |circle: &Circle| circle.code == code && circle.target.is_same(target);
        if let Some(at) = self.circles.iter().position(known) {
            return at;
        }
        drop_oldest(&mut self.circles);
        let (code, target) = (code.to_owned(), target.clone());
        let (calls, tried) = (Vec::new(), Vec::new());
        self.circles.push(Circle { code, target, turn: 0, count: 0, in_a_row: 0, calls, tried });
        self.circles.len() - 1
    }
}

impl Circle {
    /// Counts a call that met it. How often it did is given back once the call alone means that the run is stuck.
    fn count_call(&mut self, call: u64, turn: u64, card: &ErrorCard) -> Option<u32> {
        let at = self.calls.iter().position(|repeated| repeated.call == call).unwrap_or_else(|| {
            drop_oldest(&mut self.calls);
            self.calls.push(Repeated { call, turn: 0, count: 0, in_vain: 0, cards: Vec::new() });
            self.calls.len() - 1
        });
        let repeated = self.calls.get_mut(at)?;
        if repeated.turn != turn || repeated.count == 0 {
            repeated.turn = turn;
            repeated.count += 1;
            repeated.in_vain += 1;
            repeated.count_card(card);
        }
        let same = repeated.cards.iter().map(|(_, count)| *count).max().unwrap_or(0);
        (repeated.in_vain >= IN_VAIN_MAX || same >= SAME_CARD_MAX).then_some(repeated.count)
    }

    /// What was tried: the call itself, so many times, and what came after it.
    fn told(&self, times: u32) -> Vec<String> {
        let times = if times == 1 { "once".to_owned() } else { format!("{times} times") };
        let own = format!("{}: failed {times} like this", self.target.label());
        std::iter::once(own).chain(self.tried.iter().cloned()).collect()
    }

    /// The end of the run, with all that was tried for evidence.
    fn failure(&self, card: &ErrorCard, count: u32, is_same_call: bool) -> Failure {
        let tool = &self.target.tool;
        let calls = if is_same_call {
            format!("the same call of {tool}")
        } else {
            format!("calls of {tool} on the same target in a row")
        };
        let tried = if self.tried.is_empty() { "nothing else".to_owned() } else { self.tried.join("; ") };
        let cause: String = card.cause.chars().take(CAUSE_CHARS_MAX).collect();
        Failure::new(Code::RunStuck)
            .with("code", &self.code)
            .with("count", count)
            .with("target", self.target.label())
            .with("calls", calls)
            .with("tried", tried)
            .with("cause", cause)
    }
}

impl Repeated {
    fn count_card(&mut self, card: &ErrorCard) {
        if let Some((_, count)) = self.cards.iter_mut().find(|(known, _)| known == card) {
            *count += 1;
            return;
        }
        drop_oldest(&mut self.cards);
        self.cards.push((card.clone(), 1));
    }
}

/// Whether a call that worked may have changed what the next one meets. A command that was seen to change files did; of
/// the others only those that merely look are known not to.
pub(crate) fn may_have_changed(target: &Target, acts: bool, changed_files: bool) -> bool {
    let looks = !target.programs().is_empty()
        && target.programs().iter().all(|program| LOOKING.contains(&program.as_str()));
    changed_files || (acts && !looks)
}

fn drop_oldest<T>(list: &mut Vec<T>) {
    let over = (list.len() + 1).saturating_sub(CIRCLES_MAX);
    list.drain(..over);
}

#[cfg(test)]
#[path = "failures_tests.rs"]
mod tests;
