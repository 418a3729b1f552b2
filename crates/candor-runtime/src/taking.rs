//! What reaches a session, and how it is taken: what is to be kept is told first, and whatever comes of it comes later.

use std::collections::VecDeque;
use std::sync::Arc;

use candor_agent::{Mask, Sink, Task, first_words};
use candor_protocol::{Body, Code, EventBody, Failure, NamedBy, Origin, Part, RunId, Step, plain_text};
use candor_tools::skills::Skills;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::actor::{Actor, Waiting};
use crate::children::Charge;
use crate::journal::queue_full;
use crate::{Retention, Setup, Titles, naming, retention};

/// How many messages may wait for their run; whoever sends more is told to wait.
const WAITING_MAX: usize = 64;

/// A submission that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// The run that answers it, or that it stopped; none where there is none.
    pub run: Option<RunId>,
}

/// What reaches an actor.
pub(crate) enum Command {
    /// A submission.
    Submit(Submit),
    /// A name was thought of, if it is still wanted.
    Named(Box<EventBody>),
    /// The program ends: the run is stopped, and those that wait do not begin. Their messages are stored, and heard with
    /// the next run.
    Close(oneshot::Sender<()>),
}

/// One submission on its way to the actor, and where the answer goes.
pub(crate) struct Submit {
    pub(crate) origin: Origin,
    pub(crate) body: Body,
    /// What a run works with; none where no run can be started.
    pub(crate) setup: Option<Arc<Setup>>,
    /// Whom a run works for; nothing where that is a person.
    pub(crate) charge: Option<Arc<Charge>>,
    pub(crate) taken: oneshot::Sender<Result<Taken, Failure>>,
}

/// A submission that was told to the journal, and is acknowledged once so many events are stored.
pub(crate) struct Taken {
    pub(crate) receipt: Receipt,
    pub(crate) told: u64,
}

/// The run that goes on.
pub(crate) struct Running<'a> {
    pub(crate) run: RunId,
    pub(crate) task: Task,
    pub(crate) cancel: &'a CancellationToken,
}

impl Command {
    /// Whether it can be followed whoever writes the session.
    pub(crate) fn writes_nothing(&self) -> bool {
        matches!(self, Self::Submit(Submit { body: Body::Stop(_) | Body::Answer(_), .. }) | Self::Close(_))
    }
}

impl Actor {
    /// Takes one submission: what is to be kept is told before anything comes of it. It never waits, so that a stop is
    /// heard however much else there is.
    pub(crate) fn take(
        &self,
        command: Command,
        running: Option<&Running<'_>>,
        waiting: &mut VecDeque<Waiting>,
    ) {
        let Submit { origin, body, setup, charge, taken } = match command {
            Command::Submit(submit) => submit,
            Command::Named(named) => return self.take_name(*named),
            Command::Close(heard) => {
                waiting.clear();
                if let Some(running) = running {
                    running.cancel.cancel();
                }
                // Whoever asked may have gone.
                let _ = heard.send(());
                return;
            }
        };
        let run = match (body, running) {
            (Body::Stop(wanted), Some(running)) if wanted.is_none_or(|wanted| wanted == running.run) => {
                running.cancel.cancel();
                Ok(Some(running.run))
            }
            (Body::Stop(_), _) => Ok(None),
            (Body::Answer(answer), _) => {
                let unwanted = |why: String| Failure::new(Code::FrameInvalid).with("reason", why);
                self.asking.answer(answer).map(|()| running.map(|running| running.run)).map_err(unwanted)
            }
            (Body::Rename(name), _) => self.rename(&name).map(|()| None),
            // A run that only shortens the conversation has nothing to be told.
            (Body::Steer(parts), Some(Running { task: Task::Answer, .. })) => {
                self.journal.steer(origin, self.hidden(parts)).map(|()| None)
            }
            (Body::Say(parts) | Body::Steer(parts), _) => {
                self.start(Task::Answer, (setup, charge), waiting).map(|(run, setup)| {
                    self.sweep_once(origin, &setup);
                    self.name_by_words(&self.hidden(parts.clone()), &setup);
                    let missed = setup.skills.missed(&plain_text(&parts));
                    let parts = self.hidden(with_skills(parts, &setup.skills));
                    self.journal.accept(run, origin, parts);
                    for failure in &missed {
                        self.journal.tell(Some(run), not_taken_up(failure));
                    }
                    Some(run)
                })
            }
            (Body::Compact, _) => {
                self.start(Task::Compact, (setup, charge), waiting).map(|(run, _)| Some(run))
            }
        };
        let told = self.journal.told();
        // Whoever asked may have gone; what was taken is taken all the same.
        let _ = taken.send(run.map(|run| Taken { receipt: Receipt { run }, told }));
    }

    /// Puts a run in line, if there is room for it.
    fn start(
        &self,
        task: Task,
        (setup, charge): (Option<Arc<Setup>>, Option<Arc<Charge>>),
        waiting: &mut VecDeque<Waiting>,
    ) -> Result<(RunId, Arc<Setup>), Failure> {
        let setup = setup.ok_or_else(no_setup)?;
        if waiting.len() >= WAITING_MAX {
            return Err(queue_full(self.session, WAITING_MAX));
        }
        self.vault.know(&setup.secrets);
        let run = RunId::now();
        waiting.push_back(Waiting { run, task, setup: Arc::clone(&setup), charge });
        Ok((run, setup))
    }

    /// Where no model is asked for a title, the first words are the name from the beginning.
    fn name_by_words(&self, parts: &[Part], setup: &Setup) {
        if setup.titles == Titles::FirstWords && self.journal.is_unopened() && self.name.settle() {
            self.journal.name_opening(first_words(&self.vault.erase(&plain_text(parts))));
        }
    }

    /// A new session may be one too many; the oldest go once it is stored.
    fn sweep_once(&self, origin: Origin, setup: &Setup) {
        if !self.journal.is_unopened() || setup.retention == Retention::default() {
            return;
        }
        let (store, journal, keep) = (Arc::clone(&self.store), Arc::clone(&self.journal), setup.retention);
        tokio::spawn(async move {
            let _ = journal.settled().await;
            // What cannot be deleted now is tried again with the next session.
            let _ = retention::sweep(store, origin, keep).await;
        });
    }

    fn rename(&self, name: &str) -> Result<(), Failure> {
        let name = first_words(&self.vault.erase(name));
        if name.is_empty() {
            return Err(Failure::new(Code::UsageInvalidValue)
                .with("argument", "the name")
                .with("value", "nothing")
                .with("detail", "A name has at least one letter.")
                .with("help", "candor help sessions"));
        }
        self.name.settle();
        self.tell_name(EventBody::SessionRenamed { name, by: NamedBy::User, model: None, usage: None });
        Ok(())
    }

    /// Takes a name that was thought of, unless somebody gave one meanwhile.
    fn take_name(&self, named: EventBody) {
        if self.name.settle()
            && let EventBody::SessionRenamed { name, by, model, usage } = named
        {
            let name = self.vault.erase(&name);
            self.tell_name(EventBody::SessionRenamed { name, by, model, usage });
        }
    }

    fn tell_name(&self, named: EventBody) {
        // What a model took for it is accounted for under an id of its own.
        let run = matches!(named, EventBody::SessionRenamed { usage: Some(_), .. }).then(RunId::now);
        self.journal.tell(run, named);
    }

    fn hidden(&self, parts: Vec<Part>) -> Vec<Part> {
        let hide = |part: Part| match part {
            Part::Text { text } => Part::Text { text: self.vault.hide(&text) },
            other => other,
        };
        parts.into_iter().map(hide).collect()
    }

    pub(crate) fn refuse(&self, command: Command, failure: Failure) {
        match command {
            // Whoever asked may have gone.
            Command::Submit(submit) => drop(submit.taken.send(Err(failure))),
            Command::Named(_) => self.name.give_up(),
            Command::Close(heard) => drop(heard),
        }
    }

    /// Has somebody think of a name, beside whatever else goes on.
    pub(crate) fn want_name(&self, setup: &Arc<Setup>) {
        if !self.name.want() {
            return;
        }
        let (store, journal) = (Arc::clone(&self.store), Arc::clone(&self.journal));
        let (session, setup, inbox) = (self.session, Arc::clone(setup), self.inbox.clone());
        tokio::spawn(async move {
            // What was said is read from the store.
            let _ = journal.settled().await;
            let named = naming::think(&store, session, &setup).await;
            if let Some(inbox) = inbox.upgrade() {
                let _ = inbox.send(Command::Named(Box::new(named))).await;
            }
        });
    }
}

/// There is no model to ask.
pub(crate) fn no_setup() -> Failure {
    Failure::new(Code::ProviderNotConfigured).with("variables", "").with("addresses", "")
}

/// Why a skill that was asked for is not taken up, and what to do about it, in one line.
fn not_taken_up(failure: &Failure) -> EventBody {
    let card = candor_cards::card(failure);
    let cause = card.cause.split_whitespace().collect::<Vec<_>>().join(" ");
    let command = card.steps.iter().find_map(|step| match step {
        Step::Run { command, .. } | Step::Check { command: Some(command), .. } => Some(command.as_str()),
        Step::Check { command: None, .. } | Step::Do { .. } => None,
    });
    let message = format!("not taken up: {cause} ({}; {})", failure.code, command.unwrap_or_default());
    EventBody::Status { message, attempt: None, delay_ms: None, discard: false }
}

/// A message with the words of the skills that it asks for by name.
fn with_skills(mut parts: Vec<Part>, skills: &Skills) -> Vec<Part> {
    let asked = skills.asked_for(&plain_text(&parts));
    let taken_up = asked.iter().filter_map(|skill| skills.take_up(&skill.name).ok());
    parts.extend(taken_up.map(|skill| Part::text(format!("\n\nSkill {}:\n{}", skill.name, skill.body))));
    parts
}
