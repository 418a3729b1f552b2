//! A run as it happens, for a person or for a program.
//!
//! The answer goes to standard output, everything else to standard error. On a terminal the answer is shown as it is
//! written. Into a pipe only the last answer goes, whole: what was cut off and begun again, or said between two tool calls,
//! would be part of the result otherwise. The demonstration is all answer, and goes to standard output as a whole.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use candor_protocol::{
    Answer, CheckResult, DeltaKind, Event, EventBody, Evidence, Origin, Outcome, Part, SessionId, Status,
    ToolCall, Verdict, VerdictStatus, plain_text,
};
use serde_json::Value;

use crate::fail::Fail;
use crate::screen::{Screen, counted, paint, say_bytes, written};

/// How much of a call's arguments is shown.
const ARGS_CHARS_MAX: usize = 100;

/// Shows the events of one run.
pub(crate) struct Printer<'a> {
    screen: &'a Screen,
    mode: Mode,
    /// Whether the line on the terminal has been begun and not ended.
    in_line: bool,
    /// The last answer, for a pipe.
    answer: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Json,
    Terminal,
    Pipe,
    /// Into a pipe whose reader wants all of it, in the order in which it happens.
    Story,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(screen: &'a Screen, json: bool) -> Self {
        let mode = match (json, io::stdout().is_terminal()) {
            (true, _) => Mode::Json,
            (false, true) => Mode::Terminal,
            (false, false) => Mode::Pipe,
        };
        Self { screen, mode, in_line: false, answer: String::new() }
    }

    /// The same for whoever wants to read the whole run, also from a pipe.
    pub(crate) fn story(screen: &'a Screen) -> Self {
        let printer = Self::new(screen, false);
        let mode = if printer.mode == Mode::Pipe { Mode::Story } else { printer.mode };
        Self { mode, ..printer }
    }

    /// Shows one event.
    pub(crate) fn show(&mut self, event: &Event) -> Result<(), Fail> {
        if self.mode == Mode::Json {
            return self.json(event);
        }
        match &event.body {
            EventBody::StreamDelta { text, kind: DeltaKind::Text } if self.mode == Mode::Terminal => {
                say_bytes(tame(text).as_bytes())?;
                written(io::stdout().flush())?;
                self.in_line = !text.ends_with('\n');
            }
            EventBody::MessageComplete { content, .. } => self.message(content)?,
            EventBody::ToolStart { tool_name, args, call_id } => {
                let head = self.dim(&format!("> {}", called(tool_name, call_id)));
                self.note(&format!("{head} {}", brief(args)))?;
            }
            EventBody::ToolResult { tool_name, for_people, is_error, duration_ms, card, .. } => {
                // A list has its lines to itself.
                let (said, list) = if for_people.contains('\n') {
                    ("", for_people.as_str())
                } else {
                    (for_people.as_str(), "")
                };
                let said = told(tool_name, said, *is_error);
                self.note(&self.dim(&format!("  {tool_name}: {said} ({duration_ms} ms)")))?;
                for line in list.lines() {
                    self.note(&self.dim(&format!("    {}", short(line))))?;
                }
                if let Some(card) = card {
                    let step = card.steps.first().map(ToString::to_string).unwrap_or_default();
                    self.note(&self.dim(&tame(&format!("    {}: {}", card.code, short(&step)))))?;
                }
            }
            EventBody::ApprovalRequest { question, reason, diff, choices, pattern, .. } => {
                self.question(question, reason.as_deref(), diff.as_deref(), choices)?;
                if let Some(pattern) = pattern {
                    self.note(&self.dim(&format!("  always would allow: {}", short(pattern))))?;
                }
            }
            EventBody::ApprovalAnswer { choice, reason, .. } => {
                let said = reason.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
                self.note(&self.dim(&tame(&format!("  answer: {choice}{said}"))))?;
            }
            EventBody::Compacted { removed_images, .. } if *removed_images > 0 => {
                self.note(&self.dim(&format!("{} no longer shown", counted(*removed_images, "picture"))))?;
            }
            EventBody::Compacted { removed_messages, summary_tokens, .. } => {
                let said = format!(
                    "{removed_messages} earlier messages are now a summary of {summary_tokens} tokens"
                );
                self.note(&self.dim(&said))?;
            }
            EventBody::Verification { evidence, .. } => self.evidence(evidence)?,
            EventBody::MessageAccepted { origin: origin @ (Origin::Verifier | Origin::Hook), .. } => {
                // It was held back as the last answer, which it is not.
                let claim = std::mem::take(&mut self.answer);
                if !claim.trim().is_empty() {
                    self.note(&tame(claim.trim_end()))?;
                }
                let said = match origin {
                    Origin::Hook => "Not the end: a hook has more for the model to do.",
                    _ => "Not done: the model is told what failed.",
                };
                self.note(&self.yellow(said))?;
            }
            EventBody::MessageAccepted { origin: Origin::Children, .. } => {
                let before = std::mem::take(&mut self.answer);
                if !before.trim().is_empty() {
                    self.note(&tame(before.trim_end()))?;
                }
                self.note(&self.dim("The helpers are done: the model is told what came of them."))?;
            }
            EventBody::Status { message, discard, .. } => {
                self.note(&self.yellow(&tame(message)))?;
                if *discard && self.mode == Mode::Terminal {
                    self.note(&self.yellow("What was shown of this answer is void; it begins again:"))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Shows what a check came to, and of one that failed what to do.
    fn evidence(&mut self, evidence: &Evidence) -> Result<(), Fail> {
        let colour = match evidence.result {
            CheckResult::Passed => AnsiColor::Green,
            CheckResult::Failed => AnsiColor::Red,
            CheckResult::Flaky | CheckResult::Unverifiable => AnsiColor::Yellow,
            CheckResult::Skipped => AnsiColor::BrightBlack,
        };
        let word = paint(
            self.has_colour(),
            Style::new().fg_color(Some(colour.into())),
            &format!("{:<12}", evidence.result.as_str()),
        );
        self.note(&format!("  {word} {}: {}", tame(&evidence.check), tame(&evidence.summary)))?;
        let is_bad = matches!(evidence.result, CheckResult::Failed | CheckResult::Unverifiable);
        if let Some(card) = evidence.card.as_ref().filter(|_| is_bad) {
            let step = card.steps.first().map(ToString::to_string).unwrap_or_default();
            self.note(&self.dim(&tame(&format!("    {}: {}", card.code, short(&step)))))?;
        }
        Ok(())
    }

    /// Shows what a person is asked.
    fn question(
        &mut self,
        question: &str,
        reason: Option<&str>,
        diff: Option<&str>,
        choices: &[String],
    ) -> Result<(), Fail> {
        // Every line is marked, so that none of the model's can pass for one of ours.
        for (index, line) in tame(question).lines().enumerate() {
            let mark = if index == 0 { "? " } else { "  | " };
            self.note(&self.yellow(&format!("{mark}{line}")))?;
        }
        if let Some(reason) = reason {
            self.note(&format!("  because {}", tame(reason)))?;
        }
        for line in diff.into_iter().flat_map(str::lines) {
            self.note(&self.diff_line(&tame(line)))?;
        }
        if !choices.iter().any(|choice| choice == Answer::ONCE) {
            for (index, choice) in choices.iter().enumerate() {
                self.note(&format!("  {}. {}", index + 1, tame(choice)))?;
            }
        }
        Ok(())
    }

    fn diff_line(&self, line: &str) -> String {
        let colour = match line.as_bytes().first() {
            Some(b'+') => AnsiColor::Green,
            Some(b'-') => AnsiColor::Red,
            Some(b'@') => AnsiColor::Cyan,
            _ => return format!("  {line}"),
        };
        let style = Style::new().fg_color(Some(colour.into()));
        format!("  {}", paint(self.has_colour(), style, line))
    }

    /// Tells a person at the terminal something that is no event.
    pub(crate) fn hint(&mut self, text: &str) {
        self.screen.note(format_args!("{}", self.dim(text)));
    }

    /// Tells a person at the terminal that the first stop was heard.
    pub(crate) fn stopping(&mut self) {
        if self.mode != Mode::Json && io::stderr().is_terminal() {
            // The terminal has shown ^C where the line was.
            self.in_line = false;
            self.screen.note(format_args!("\n{}", self.yellow("stopping; Ctrl-C again leaves at once")));
        }
    }

    /// Tells where to go on, when the end of the run is not waited for.
    pub(crate) fn left(&self, session: SessionId) {
        self.screen.note(format_args!("\nstopped at once; session {session}"));
    }

    /// Ends the output of a run: the answer into a pipe, the card, and where to go on.
    pub(crate) fn finish(&mut self, outcome: &Outcome, session: SessionId) -> Result<(), Fail> {
        if self.mode == Mode::Pipe && !self.answer.is_empty() {
            let answer = std::mem::take(&mut self.answer);
            self.screen.say(format_args!("{}", tame(answer.trim_end())))?;
        }
        self.end_line()?;
        if self.mode == Mode::Json {
            return Ok(());
        }
        if let Some(card) = &outcome.card {
            self.screen.show_card(card);
        }
        let not_done = outcome.status != Status::Done;
        if not_done || verdict(&outcome.verdict).is_some() || io::stderr().is_terminal() {
            self.note(&self.dim(&summary(outcome, session)))?;
        }
        Ok(())
    }

    /// One whole answer: on a terminal it has been shown already.
    fn message(&mut self, content: &[Part]) -> Result<(), Fail> {
        self.end_line()?;
        let text = plain_text(content);
        let has_calls = content.iter().any(|part| matches!(part, Part::ToolCall(_)));
        match self.mode {
            Mode::Pipe if !has_calls || text.trim().is_empty() => self.answer = text,
            _ if text.trim().is_empty() => {}
            Mode::Pipe => self.note(&tame(text.trim_end()))?,
            Mode::Story => self.note(&format!("model> {}", tame(text.trim_end())))?,
            _ => {}
        }
        Ok(())
    }

    fn json(&self, event: &Event) -> Result<(), Fail> {
        let line = serde_json::to_string(event).unwrap_or_default();
        // Masked in the runtime already; a second pass would look at every piece of an answer by itself.
        say_bytes(line.as_bytes())?;
        say_bytes(b"\n")?;
        written(io::stdout().flush())?;
        let _ = self.screen;
        Ok(())
    }

    fn note(&mut self, line: &str) -> Result<(), Fail> {
        self.end_line()?;
        if self.mode == Mode::Story {
            return self.screen.say(format_args!("{line}"));
        }
        self.screen.note(format_args!("{line}"));
        Ok(())
    }

    fn has_colour(&self) -> bool {
        let colour = self.screen.colour();
        if self.mode == Mode::Story { colour.stdout } else { colour.stderr }
    }

    fn end_line(&mut self) -> Result<(), Fail> {
        if std::mem::take(&mut self.in_line) {
            say_bytes(b"\n")?;
            written(io::stdout().flush())?;
        }
        Ok(())
    }

    fn dim(&self, text: &str) -> String {
        paint(self.has_colour(), Style::new().dimmed(), text)
    }

    fn yellow(&self, text: &str) -> String {
        paint(self.has_colour(), Style::new().fg_color(Some(AnsiColor::Yellow.into())), text)
    }
}

/// What a run came to, in one line.
fn summary(outcome: &Outcome, session: SessionId) -> String {
    let mut parts = vec![outcome.status.to_string()];
    parts.extend(verdict(&outcome.verdict));
    let turns = if outcome.turns == 1 { "turn" } else { "turns" };
    parts.push(format!("{} {turns}", outcome.turns));
    if outcome.usage.total_tokens > 0 {
        parts.push(format!("{} tokens", outcome.usage.total_tokens));
    }
    if let Some(cost) = outcome.cost_usd.filter(|cost| *cost > 0.0) {
        parts.push(format!("${cost:.4}"));
    }
    parts.push(format!("session {session}"));
    parts.join(", ")
}

/// What the verifier found, in a few words; nothing where there was nothing to look at.
pub(crate) fn verdict(verdict: &Verdict) -> Option<String> {
    let of = |result: CheckResult| verdict.evidence.iter().filter(move |seen| seen.result == result);
    let first =
        |result: CheckResult| of(result).map(|seen| format!("{}: {}", seen.check, seen.summary)).next();
    match verdict.status {
        VerdictStatus::Verified => {
            let count = of(CheckResult::Passed).count() + of(CheckResult::Flaky).count();
            Some(format!("verified ({count} checks passed)"))
        }
        VerdictStatus::Failed => Some(format!("not verified ({})", first(CheckResult::Failed)?)),
        VerdictStatus::Unverifiable => {
            let why = first(CheckResult::Unverifiable).or_else(|| first(CheckResult::Skipped))?;
            Some(format!("not verified ({why})"))
        }
        VerdictStatus::NotApplicable => {
            let why = verdict.evidence.first().map(|seen| seen.summary.as_str())?;
            why.starts_with("not verified").then(|| why.to_owned())
        }
    }
}

/// What came of a call, in a few words.
fn told(tool_name: &str, said: &str, is_error: bool) -> String {
    // Some sentences begin with the tool, which the line does already.
    if let Some(said) =
        said.strip_prefix(tool_name).and_then(|said| said.strip_prefix(' ')).filter(|_| is_error)
    {
        return short(said);
    }
    let word = if is_error { "failed" } else { "ok" };
    if said.is_empty() { word.to_owned() } else { format!("{word}, {}", short(said)) }
}

/// The beginning of a line, tamed.
fn short(line: &str) -> String {
    let cut: String = line.chars().take(ARGS_CHARS_MAX).collect();
    let mark = if cut.len() < line.len() { "…" } else { "" };
    format!("{}{mark}", tame(&cut))
}

/// The tool of a call, and on whose account it is called when that is not the model's.
pub(crate) fn called(tool_name: &str, call_id: &str) -> String {
    let mark = if ToolCall::is_recovery_id(call_id) { "recovery: " } else { "" };
    format!("{mark}{tool_name}")
}

/// The arguments of a call in one short line: texts as they are, and what says nothing by itself with its name.
pub(crate) fn brief(args: &Value) -> String {
    let text = match args.as_object() {
        Some(fields) if !fields.is_empty() => {
            let shown = |(name, value): (&String, &Value)| match value {
                Value::String(text) => text.clone(),
                Value::Number(_) | Value::Bool(_) => format!("{name}={value}"),
                // What is in them is told by what came of the call.
                Value::Array(items) if items.iter().any(Value::is_object) => {
                    format!("{name}={}", items.len())
                }
                other => other.to_string(),
            };
            fields.iter().map(shown).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    };
    let line: String = text.lines().next().unwrap_or_default().chars().take(ARGS_CHARS_MAX).collect();
    let shown = tame(&line);
    if line.len() < text.trim_end().len() { format!("{shown} ...") } else { shown.into_owned() }
}

/// A model's words without what would command the terminal: it could clear the screen, rename the window, or hide what it
/// did. Line breaks and tabs stay.
pub(crate) fn tame(text: &str) -> Cow<'_, str> {
    // Some turn the direction of writing, so that what is read is not what is run.
    let turns = |c: char| matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let wild = |c: char| (c.is_control() && c != '\n' && c != '\t') || turns(c);
    if !text.contains(wild) {
        return Cow::Borrowed(text);
    }
    // The line ends of a file from elsewhere are none of that.
    Cow::Owned(text.replace("\r\n", "\n").replace(wild, "\u{fffd}"))
}
