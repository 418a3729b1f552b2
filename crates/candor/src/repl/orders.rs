//! What the commands of the REPL do.

use std::collections::HashSet;

use candor_protocol::{Body, Code, Event, EventBody, Failure, Origin, SessionId, Submission, plain_text};
use candor_runtime::Which;
use candor_store::{Grouping, HITS_MAX, Search};
use candor_tools::ChangedSince;

use super::order::{COMMANDS, Order};
use super::{Manner, Next, Repl, Request};
use crate::commands::sessions::list::{self, Wanted};
use crate::commands::sessions::{search, undo};
use crate::fail::Fail;
use crate::printer::tame;
use crate::screen::counted;
use crate::stops::{Stop, Stops};
use crate::which;

/// How many sessions a list has: as many as one looks over.
const LISTED_MAX: u32 = 10;
/// How many sessions are offered for completion.
const OFFERED_MAX: u32 = 50;
/// How far back the last words of a session are looked for: calls and their results may lie between.
const RECALL_EVENTS_MAX: u32 = 200;
/// How much of a message is shown again.
const RECALLED_CHARS_MAX: usize = 400;

impl Repl<'_> {
    /// Does what a command asks for. Ctrl-C gives it up: a provider that does not answer must not hold anybody.
    pub(super) async fn obey(&mut self, order: Order) -> Result<Next, Fail> {
        if order == Order::Compact {
            // A run, which is stopped in its own way.
            return self.compact().await;
        }
        let mut stops = Stops::listen()?;
        tokio::select! {
            done = self.fulfil(order) => return done,
            _ = stops.next() => {}
        }
        // The conversation has heard it as well, and must not take it for a stop of what comes next.
        match (self.stops.next().await, self.manner) {
            (Stop::Interrupt, Manner::Terminal) => {
                self.remark("\ngiven up");
                Ok(Next::Line)
            }
            _ => Err(Fail::Stopped),
        }
    }

    async fn fulfil(&mut self, order: Order) -> Result<Next, Fail> {
        match order {
            Order::Compact => return self.compact().await,
            Order::Quit => return Ok(Next::Leave),
            Order::New => {
                self.session = None;
                self.remark("the next message begins a new session");
            }
            Order::Help => self.help()?,
            Order::Sessions(None) => self.sessions().await?,
            Order::Sessions(Some(text)) => self.search(text).await?,
            Order::Resume(which) => self.resume(which.as_deref()).await?,
            Order::Model(None) => self.models().await?,
            Order::Model(Some(name)) => self.use_model(&name).await?,
            Order::Usage => self.usage().await?,
            Order::Diff => self.diff().await?,
            Order::Undo => self.undo().await?,
            Order::Rename(name) => self.rename(name).await?,
        }
        Ok(Next::Line)
    }

    async fn compact(&mut self) -> Result<Next, Fail> {
        let Some(session) = self.session else {
            self.note("there is nothing to shorten yet");
            return Ok(Next::Line);
        };
        self.catch_up(session).await?;
        self.carry_out(session, Body::Compact).await
    }

    async fn diff(&self) -> Result<(), Fail> {
        let Some(session) = self.session else {
            self.note("nothing has been changed yet");
            return Ok(());
        };
        let diff = self.runtime.diff(session, Which::All).await?;
        undo::show_diff(&diff, self.screen)
    }

    async fn undo(&self) -> Result<(), Fail> {
        let Some(session) = self.session else {
            self.note("there is nothing to take back yet");
            return Ok(());
        };
        let undone = self.runtime.undo(session, Which::LastRun, ChangedSince::Skip).await?;
        undo::show_undone(&undone, self.screen)
    }

    fn help(&self) -> Result<(), Fail> {
        for (name, rest, about) in COMMANDS {
            self.tell(&format!("{:<18} {about}", format!("{name} {rest}")))?;
        }
        self.tell("")?;
        self.tell("To send a message that begins with /, put a space before it, or a second /.")?;
        self.tell("A line that ends in \\ goes on in the next one.")?;
        self.tell("Ctrl-C stops a run; pressed twice, it leaves.")
    }

    async fn sessions(&mut self) -> Result<(), Fail> {
        let wanted =
            Wanted { workspace: Some(self.here.clone()), source: None, children: false, limit: LISTED_MAX };
        let sessions = list::sessions(&wanted, &self.runtime).await?;
        self.listed = sessions.iter().map(|session| session.id).collect();
        if sessions.is_empty() {
            self.note("no sessions of this folder yet");
        } else {
            self.remark(&format!("     {:<8}  {}", "ID", list::head()));
        }
        for (number, session) in (1..).zip(&sessions) {
            let mark = if Some(session.id) == self.session { '*' } else { ' ' };
            self.tell(&format!("{mark}{number:>2}  {}  {}", list::short(session.id), list::line(session)))?;
        }
        Ok(())
    }

    async fn search(&mut self, text: String) -> Result<(), Fail> {
        let search = Search { text, workspace: Some(self.here.clone()), limit: HITS_MAX };
        let mut hits = self.runtime.search(&search).await?;
        // Sessions are wanted: one that says it often must not crowd out the others.
        let mut found = HashSet::new();
        hits.retain(|hit| found.len() < LISTED_MAX as usize && found.insert(hit.session));
        if hits.is_empty() {
            // The list before stays: its numbers are still on the screen.
            self.note("nothing found in the sessions of this folder");
            return Ok(());
        }
        self.listed = hits.iter().map(|hit| hit.session).collect();
        for (number, hit) in (1..).zip(&hits) {
            self.tell(&format!(" {number:>2}  {}  {}", list::short(hit.session), tame(&hit.session_name)))?;
            self.tell(&format!("     {}", search::excerpt(hit)))?;
        }
        Ok(())
    }

    async fn resume(&mut self, which: Option<&str>) -> Result<(), Fail> {
        let session = match which {
            None => self.previous().await?,
            Some(text) => match text.parse::<usize>() {
                // More digits than a list has numbers are the beginning or the end of an id.
                Ok(number) if text.len() <= 2 => match self.numbered(number) {
                    Some(session) => session,
                    None => return Ok(()),
                },
                _ => which::find(text, &self.here, &self.runtime).await?,
            },
        };
        self.enter(session).await?;
        Ok(())
    }

    /// The latest session of the folder that is not the one spoken in.
    async fn previous(&self) -> Result<SessionId, Failure> {
        let wanted = Wanted { workspace: Some(self.here.clone()), source: None, children: false, limit: 2 };
        let sessions = list::sessions(&wanted, &self.runtime).await?;
        let other = sessions.iter().find(|session| Some(session.id) != self.session);
        let none = || Failure::new(Code::SessionNone).with("workspace", &self.here);
        other.map(|session| session.id).ok_or_else(none)
    }

    /// The session with this number in the last list; a person who has none is told.
    fn numbered(&self, number: usize) -> Option<SessionId> {
        let listed = number.checked_sub(1).and_then(|index| self.listed.get(index));
        if listed.is_none() {
            self.note(&match self.listed.len() {
                0 => "There is no list yet: /sessions makes one.".to_owned(),
                length => {
                    format!("There is no number {number} in the last list, which goes from 1 to {length}.")
                }
            });
        }
        listed.copied()
    }

    /// Goes on in a session, and shows its last words so that one knows where one is.
    pub(super) async fn enter(&mut self, session: SessionId) -> Result<(), Fail> {
        let last = which::last_seq(session, &self.runtime).await?;
        let summary = self.runtime.query().session(session).await.map_err(|error| error.failure())?;
        if let Some(summary) = summary {
            self.remark(&format!("session {session}: {}", summary.name));
            if summary.workspace != self.here {
                self.remark(&format!("It worked in {}; tools work in {} now.", summary.workspace, self.here));
            }
        }
        let after = last.saturating_sub(u64::from(RECALL_EVENTS_MAX));
        let events = self.runtime.query().events(session, after, RECALL_EVENTS_MAX).await;
        let events = events.map_err(|error| error.failure())?;
        for words in last_words(&events) {
            self.remark(&words);
        }
        (self.session, self.after) = (Some(session), last);
        Ok(())
    }

    async fn usage(&self) -> Result<(), Fail> {
        let rows = self.runtime.query().usage(Grouping::Session, None).await;
        let rows = rows.map_err(|error| error.failure())?;
        let key = self.session.map(|session| session.to_string());
        let Some(row) = rows.iter().find(|row| Some(&row.key) == key.as_ref()) else {
            self.note("nothing was used in this session yet");
            return Ok(());
        };
        let cost = match row.unpriced_runs {
            0 if row.cost_usd > 0.0 => format!("${:.4}", row.cost_usd),
            0 => "no cost".to_owned(),
            unpriced if unpriced == row.runs => "cost unknown".to_owned(),
            _ => format!("more than ${:.4}", row.cost_usd),
        };
        let used = &row.usage;
        self.tell(&format!(
            "{}, {}, {}; {} tokens in ({} from the cache), {} out; {cost}",
            counted(row.runs, "run"),
            counted(row.turns, "turn"),
            counted(row.tool_calls, "tool call"),
            used.input_tokens,
            used.cache_read_tokens,
            used.output_tokens,
        ))
    }

    async fn rename(&mut self, name: String) -> Result<(), Fail> {
        let Some(session) = self.session else {
            self.note("there is no session yet: it begins with your first message");
            return Ok(());
        };
        self.catch_up(session).await?;
        let body = Body::Rename(name);
        self.runtime.submit(Submission { session, origin: Origin::Repl, body }).await?;
        // Our own doing is no news.
        self.after = which::last_seq(session, &self.runtime).await?;
        self.remark(&format!("this session is called: {}", which::name(session, &self.runtime).await?));
        Ok(())
    }

    /// Lets the sessions of this folder be completed.
    pub(super) async fn offer(&self) {
        let wanted =
            Wanted { workspace: Some(self.here.clone()), source: None, children: false, limit: OFFERED_MAX };
        // Without them, an id has to be typed.
        if let Ok(sessions) = list::sessions(&wanted, &self.runtime).await {
            let ids = sessions.iter().map(|session| session.id.to_string()).collect();
            self.reader.ask(Request::Offer(ids));
        }
    }

    /// What was asked for: on standard output, unless that is for events.
    pub(super) fn tell(&self, line: &str) -> Result<(), Fail> {
        if self.ask.json {
            self.note(line);
            return Ok(());
        }
        self.screen.say(format_args!("{}", tame(line)))
    }

    /// Why there is nothing to tell.
    pub(super) fn note(&self, line: &str) {
        self.screen.note(format_args!("{}", tame(line)));
    }
}

/// The last words of either side, in order.
fn last_words(events: &[Event]) -> Vec<String> {
    let last = |side: fn(&EventBody) -> Option<String>| {
        events.iter().rev().find_map(|event| side(&event.body).map(|words| (event.seq, words)))
    };
    let mut words: Vec<(u64, String)> = [last(asked), last(answered)].into_iter().flatten().collect();
    words.sort_unstable();
    words.into_iter().map(|(_, words)| words).collect()
}

fn asked(body: &EventBody) -> Option<String> {
    let EventBody::MessageAccepted { content, .. } = body else { return None };
    beginning("you", &plain_text(content))
}

fn answered(body: &EventBody) -> Option<String> {
    let EventBody::MessageComplete { content, model, .. } = body else { return None };
    beginning(model, &plain_text(content))
}

/// The beginning of what somebody said.
fn beginning(who: &str, text: &str) -> Option<String> {
    let text = text.trim();
    let mut short: String = text.chars().take(RECALLED_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push_str(" ...");
    }
    (!short.is_empty()).then(|| format!("{who}> {short}"))
}
