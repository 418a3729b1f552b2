//! What a session still owes: work of earlier runs that nobody has seen work.

use candor_protocol::{Change, Outcome, Status, VerdictStatus};
use serde::{Deserialize, Serialize};

/// The evidence of a user who waived the checks.
pub(crate) const WAIVED: &str = "no-verify";

/// The evidence that no check could be run, which is about this moment and not about the work.
pub(crate) const NOTHING_RAN: &str = "no-walls";

/// The tool that keeps notes, which are nobody's work.
const MEMORY: &str = "notes";

/// The tools that change nothing that has to be shown to work. One that is not named here, and that was broken off, may have changed anything.
const READERS: &[&str] = &[
    "file_read",
    "search",
    "find",
    "list",
    "todo",
    "ask_user",
    "sleep",
    "verify",
    "skill",
    "tool_search",
    "web_fetch",
    "web_search",
    "context_search",
    "context_get",
    MEMORY,
];

/// Whether work of earlier runs still has to be shown to work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Owed {
    /// No: it was verified, or the user was told that it could not be.
    #[default]
    Nothing,
    /// Files were changed, and the run ended before anybody looked.
    Unchecked,
    /// It was looked at, and it failed.
    Failed,
}

impl Owed {
    pub(crate) fn after_call(&mut self, tool: &str, changes: &[Change]) {
        if !changes.is_empty() && tool != MEMORY {
            self.unchecked();
        }
    }

    /// A call was broken off: nobody knows what it has changed.
    pub(crate) fn after_break(&mut self, tool: &str) {
        if !READERS.contains(&tool) {
            self.unchecked();
        }
    }

    /// A run that was stopped, cut short or killed settles nothing, and neither does one that only shortened the conversation.
    /// One that came to its end does, and so does a user who waived the checks; but what was seen to fail has to be seen to work.
    pub(crate) fn after_run(&mut self, outcome: &Outcome) {
        let has = |check: &str| outcome.verdict.evidence.iter().any(|evidence| evidence.check == check);
        match (outcome.verdict.status, outcome.status) {
            (VerdictStatus::Failed, _) => *self = Self::Failed,
            (VerdictStatus::Verified, _) => *self = Self::Nothing,
            _ if *self == Self::Failed => {}
            (VerdictStatus::Unverifiable, Status::DonePartial) if has(NOTHING_RAN) => {}
            (VerdictStatus::Unverifiable, Status::DonePartial) => *self = Self::Nothing,
            (VerdictStatus::NotApplicable, Status::Done) if has(WAIVED) => *self = Self::Nothing,
            _ => {}
        }
    }

    fn unchecked(&mut self) {
        if *self == Self::Nothing {
            *self = Self::Unchecked;
        }
    }
}

#[cfg(test)]
mod tests {
    use candor_protocol::{Evidence, Usage, Verdict};

    use super::*;

    fn ended(status: Status, verdict: VerdictStatus, check: &str) -> Outcome {
        let evidence = vec![Evidence { check: check.to_owned(), ..Evidence::note("") }];
        Outcome {
            status,
            verdict: Verdict { status: verdict, profile: "fast".to_owned(), evidence },
            usage: Usage::default(),
            cost_usd: None,
            turns: 1,
            tool_calls: 0,
            duration_ms: 0,
            card: None,
            children: None,
        }
    }

    fn after(mut owed: Owed, status: Status, verdict: VerdictStatus, check: &str) -> Owed {
        owed.after_run(&ended(status, verdict, check));
        owed
    }

    #[test]
    fn what_failed_is_owed_until_it_is_seen_to_work() {
        use VerdictStatus::{Failed, NotApplicable, Unverifiable, Verified};
        assert_eq!(after(Owed::Unchecked, Status::DonePartial, Failed, "unit"), Owed::Failed);
        assert_eq!(after(Owed::Failed, Status::DonePartial, Unverifiable, "unit"), Owed::Failed);
        assert_eq!(after(Owed::Failed, Status::Done, NotApplicable, WAIVED), Owed::Failed);
        assert_eq!(after(Owed::Failed, Status::Done, Verified, "unit"), Owed::Nothing);
        assert_eq!(after(Owed::Unchecked, Status::DonePartial, Unverifiable, NOTHING_RAN), Owed::Unchecked);
    }

    #[test]
    fn what_nobody_looked_at_is_owed_until_somebody_looks_or_waives() {
        use VerdictStatus::{NotApplicable, Unverifiable};
        assert_eq!(after(Owed::Unchecked, Status::Stopped, Unverifiable, "verification"), Owed::Unchecked);
        assert_eq!(after(Owed::Unchecked, Status::Done, NotApplicable, "verification"), Owed::Unchecked);
        assert_eq!(after(Owed::Unchecked, Status::Done, NotApplicable, WAIVED), Owed::Nothing);
        assert_eq!(after(Owed::Unchecked, Status::DonePartial, Unverifiable, "unit"), Owed::Nothing);
    }

    #[test]
    fn a_call_that_was_broken_off_may_have_changed_something() {
        for (tool, expected) in
            [("file_read", Owed::Nothing), ("shell_exec", Owed::Unchecked), ("mcp__a__b", Owed::Unchecked)]
        {
            let mut owed = Owed::Nothing;
            owed.after_break(tool);
            assert_eq!(owed, expected, "{tool}");
        }
        let mut owed = Owed::Failed;
        owed.after_break("shell_exec");
        assert_eq!(owed, Owed::Failed);
    }
}
