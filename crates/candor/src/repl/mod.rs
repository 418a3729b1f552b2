//! The REPL: one message after another, in one session or in several.
//!
//! On a terminal lines are edited and a person is told what goes on; leaving is no failure, so the exit code is 0 whatever
//! the last run came to. From a pipe each line is a message, nothing is said but the answers and what went wrong, and the
//! exit code is that of the last run. Either way a run that fails ends nothing but itself.
//!
//! Start reading at [`run`]; `order.rs` says what a line means, `orders.rs` and `model.rs` do it, `reader.rs` and
//! `editor.rs` bring the lines.

mod editor;
mod model;
mod order;
mod orders;
pub(crate) mod reader;

use std::io::{self, IsTerminal};

use anstyle::Style;
use candor_config::Loaded;
use candor_protocol::{Body, Code, Event, EventBody, Failure, Origin, Part, SessionId};
use candor_runtime::{Naming, NewSession, Runtime, Setup};

use crate::cli::Ask;
use crate::commands::logs;
use crate::commands::sessions::show;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::follow::{Errand, follow};
use crate::offered::AtHand;
use crate::printer::{Printer, tame};
use crate::screen::{Screen, block_on, paint};
use crate::stops::{Stop, Stops};
use crate::{assemble, offered, which};

use order::Input;
use reader::{Line, Reader, Request};

/// The file of the home that holds what was typed.
const HISTORY: &str = "history";
/// How many events of another process are read at a time.
const PAGE: u32 = 500;

/// Whether the command line asks for a conversation: by its flag, or by nothing at all on a terminal.
pub(crate) fn is_meant(ask: &Ask) -> bool {
    ask.repl || (ask.words.is_empty() && is_terminal())
}

fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

pub(crate) fn run(ask: &Ask, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    let (_log, _guard) = logs::start(&loaded, context)?;
    logs::noted(block_on(async {
        let mut repl = Repl::open(ask, loaded, context).await?;
        let exit = repl.talk().await;
        repl.runtime.close().await;
        let exit = exit?;
        Ok(if repl.manner == Manner::Terminal { Exit::Good } else { exit })
    }))
}

/// A conversation.
struct Repl<'a> {
    ask: &'a Ask,
    context: &'a Context<'a>,
    screen: &'a Screen,
    /// What the configuration was loaded from; another model changes it.
    request: candor_config::Request,
    loaded: Loaded,
    runtime: Runtime,
    at_hand: AtHand,
    reader: Reader,
    stops: Stops,
    manner: Manner,
    /// The folder worked in, as sessions name it.
    here: String,
    /// The model that answers, and whose it is.
    model: Named,
    /// The session spoken in; none before its first message.
    session: Option<SessionId>,
    /// The last of its events that is no news.
    after: u64,
    /// The sessions of the last list.
    listed: Vec<SessionId>,
    /// How what was said last ended.
    last: Exit,
}

/// Who is spoken with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// A person, who edits lines and wants to know what goes on.
    Terminal,
    /// A program, which wants the answers.
    Pipe,
}

/// A model, and the provider that has it.
struct Named {
    model: String,
    provider: String,
}

impl Named {
    fn of(setup: &Setup) -> Self {
        let first = setup.models.first();
        Self {
            model: first.map(|model| model.name.clone()).unwrap_or_default(),
            provider: first.map(|model| model.provider.name().to_owned()).unwrap_or_default(),
        }
    }
}

/// Whether the conversation goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Line,
    Leave,
}

impl<'a> Repl<'a> {
    async fn open(ask: &'a Ask, loaded: Loaded, context: &'a Context<'a>) -> Result<Self, Fail> {
        let screen = context.screen;
        let setup = assemble::setup(Some(ask), &loaded, context).await?;
        let (here, model) = (setup.workspace.display().to_string(), Named::of(&setup));
        let (runtime, at_hand) = offered::open(setup, &loaded, context).await?;
        let session = match &ask.session {
            Some(text) => Some(which::find(text, &here, &runtime).await?),
            None if ask.continue_ => Some(which::latest(&here, &runtime).await?),
            None => None,
        };
        let (manner, reader) = if is_terminal() {
            let reader = Reader::terminal(loaded.home.join(HISTORY), screen.colour().stdout)?;
            (Manner::Terminal, reader)
        } else {
            (Manner::Pipe, Reader::plain())
        };
        let (stops, listed, last) = (Stops::listen()?, Vec::new(), Exit::Good);
        let mut repl = Self {
            ask,
            context,
            screen,
            request: context.request.clone(),
            loaded,
            runtime,
            at_hand,
            reader,
            stops,
            manner,
            here,
            model,
            session: None,
            after: 0,
            listed,
            last,
        };
        repl.greet(session.is_some());
        if let Some(session) = session {
            repl.enter(session).await?;
        }
        Ok(repl)
    }

    /// Tells a person where they are.
    fn greet(&self, is_resumed: bool) {
        let Named { model, provider } = &self.model;
        let session = if is_resumed { "an earlier session" } else { "a new session" };
        let line = format!("{model} of {provider}, in {}, {session}; /help for commands", self.here);
        self.remark(&line);
    }

    /// Goes from line to line until there is none, or somebody leaves.
    async fn talk(&mut self) -> Result<Exit, Fail> {
        self.offer().await;
        let mut next = match self.ask.words.join(" ").trim() {
            "" => Next::Line,
            first => self.say(first.to_owned()).await?,
        };
        let mut interrupted = false;
        while next == Next::Line {
            let line = tokio::select! {
                line = self.reader.next() => line,
                stop = self.stops.next() => match (stop, self.manner) {
                    // It was meant for a run that has just ended, or the terminal has no line editor.
                    (Stop::Interrupt, Manner::Terminal) => {
                        // The terminal has shown ^C where the line was.
                        self.screen.note(format_args!(""));
                        Line::Interrupted
                    }
                    _ => return Err(Fail::Stopped),
                },
            };
            let again = std::mem::take(&mut interrupted);
            next = match line {
                Line::Entered(text) => self.entered(&text).await?,
                Line::Cleared | Line::Remembered => Next::Line,
                Line::Interrupted if again => Next::Leave,
                Line::Interrupted => {
                    interrupted = true;
                    self.remark("Ctrl-C again, Ctrl-D or /quit leaves");
                    Next::Line
                }
                Line::End => Next::Leave,
                Line::Failed(failure) => return Err(failure.into()),
            };
        }
        Ok(self.last)
    }

    /// Does what a line asks for. What cannot be done is told, and the conversation goes on.
    async fn entered(&mut self, text: &str) -> Result<Next, Fail> {
        if self.manner == Manner::Terminal && !text.trim().is_empty() {
            let masked = self.screen.redactor().redact_str(text.trim_end()).into_owned();
            self.reader.remember(masked).await;
        }
        match order::read(text) {
            Input::Nothing => Ok(Next::Line),
            Input::Message(message) => self.say(message).await,
            Input::Order(order) => {
                let done = self.obey(order).await;
                self.went_on(done, text.trim())
            }
            Input::Mistake(why) => {
                self.screen.note(format_args!("{}", tame(&why)));
                Ok(Next::Line)
            }
        }
    }

    /// A failure ends the command it happened to, and not the conversation.
    fn went_on(&mut self, done: Result<Next, Fail>, command: &str) -> Result<Next, Fail> {
        match done {
            Err(Fail::Card(failure)) => {
                self.last = Exit::Shown(self.screen.card_of(&failure, command));
                Ok(Next::Line)
            }
            other => other,
        }
    }

    /// Says something in the session, or in a new one.
    async fn say(&mut self, text: String) -> Result<Next, Fail> {
        let said = self.said(text).await;
        let is_gone = matches!(&said, Err(Fail::Card(failure)) if failure.code == Code::SessionUnknown);
        let next = self.went_on(said, self.screen.command());
        if is_gone {
            self.remark("this session was deleted elsewhere; /new begins another");
        }
        next
    }

    async fn said(&mut self, text: String) -> Result<Next, Fail> {
        self.at_hand.warn_of_news(self.context);
        let text = offered::prompts::filled(text, &self.at_hand.servers).await?;
        let (session, is_new) = match self.session {
            Some(session) => (session, false),
            None => (self.create()?, true),
        };
        self.session = Some(session);
        if !is_new {
            self.catch_up(session).await?;
        }
        let done = self.carry_out(session, Body::Say(vec![Part::text(text)])).await;
        // A session whose first message could not be stored is not there.
        if done.is_err() && is_new && which::last_seq(session, &self.runtime).await.is_ok_and(|seq| seq == 0)
        {
            self.session = None;
        }
        done
    }

    fn create(&mut self) -> Result<SessionId, Failure> {
        self.after = 0;
        let new = NewSession { origin: Origin::Repl, naming: Naming::Later, instructions: None };
        self.runtime.create(new)
    }

    /// Hands something in and shows what comes of it.
    async fn carry_out(&mut self, session: SessionId, body: Body) -> Result<Next, Fail> {
        let mut printer = Printer::new(self.screen, self.ask.json);
        let person = (self.manner == Manner::Terminal).then_some(&mut self.reader);
        let errand =
            Errand { runtime: &self.runtime, origin: Origin::Repl, session, after: self.after, body, person };
        let Some(ended) = follow(errand, &mut self.stops, &mut printer).await? else { return Ok(Next::Line) };
        (self.after, self.last) = (ended.seq, Exit::Ran(ended.outcome.status));
        match ended.shown.and_then(|()| printer.finish(&ended.outcome, session)) {
            Ok(()) => match (ended.stop, self.manner) {
                (None, _) | (Some(Stop::Interrupt), Manner::Terminal) => Ok(Next::Line),
                // Whoever stops a program does not mean the one line that it is at.
                _ => Err(Fail::Stopped),
            },
            // Nobody hears any more; how the run ended counts all the same.
            Err(Fail::Hangup) => Ok(Next::Leave),
            Err(Fail::Card(failure)) => {
                self.last = Exit::Shown(self.screen.card(&failure));
                Ok(Next::Leave)
            }
            Err(fail) => Err(fail),
        }
    }

    /// Shows what another process did in the session since it was last looked at.
    async fn catch_up(&mut self, session: SessionId) -> Result<(), Fail> {
        loop {
            let events = self.runtime.query().events(session, self.after, PAGE).await;
            let events = events.map_err(|error| error.failure())?;
            for event in &events {
                self.after = event.seq;
                self.tell_of(event)?;
            }
            if events.len() < PAGE as usize {
                return Ok(());
            }
        }
    }

    /// Shows one thing that happened between two messages of this conversation.
    fn tell_of(&self, event: &Event) -> Result<(), Fail> {
        match &event.body {
            _ if self.ask.json => Printer::new(self.screen, true).show(event)?,
            // Our own doing, most of the time: the model has thought of a title.
            EventBody::SessionRenamed { name, .. } => self.remark(&format!("this session is called: {name}")),
            _ => {
                if let Some(words) = show::words(event) {
                    self.screen.note(format_args!("[elsewhere] {}", tame(words.trim_start())));
                }
            }
        }
        Ok(())
    }

    /// A remark for a person.
    fn remark(&self, text: &str) {
        if self.manner == Manner::Terminal {
            let line = paint(self.screen.colour().stderr, Style::new().dimmed(), &tame(text));
            self.screen.note(format_args!("{line}"));
        }
    }
}
