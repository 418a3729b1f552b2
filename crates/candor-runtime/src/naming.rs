//! What a session is called, and who said so.

use candor_agent::{Title, first_words};
use candor_protocol::{EventBody, Moment, NamedBy, Part, SessionId, plain_text};
use candor_store::Store;
use tokio::sync::watch;

use crate::Setup;

/// What a session is called before anyone has named it.
pub const NEW_SESSION: &str = "New Session";
/// The digits of a time that tell the minute.
const MINUTE_CHARS: usize = 16;
/// How many of a session's first events are looked at for its first message and answer.
const BEGINNING: u32 = 50;

/// How a session gets its name; whatever it is, it is masked, and cut to one line of a list.
#[derive(Debug, Clone)]
pub enum Naming {
    /// The beginning of this, its first message, has to do.
    Words(String),
    /// A scheduled job has it, and the time for which it was due.
    Job {
        /// The job.
        job: String,
        /// The time.
        at: Moment,
    },
    /// [`NEW_SESSION`] at first; after the first run the model is asked for a title.
    Later,
}

impl Naming {
    /// The scheduled job, where there is one.
    pub(crate) fn job(&self) -> Option<String> {
        match self {
            Self::Job { job, .. } => Some(job.clone()),
            _ => None,
        }
    }
}

/// The name of a job's session. The time is in UTC, to the minute.
pub(crate) fn of_job(job: &str, at: Moment) -> String {
    let at: String = at.to_string().replace('T', " ").chars().take(MINUTE_CHARS).collect();
    format!("[cron] {} — {at}", first_words(job))
}

/// Who thinks of a name when nobody gives one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Titles {
    /// The model, in a request of its own after the first run.
    ByModel,
    /// Nobody: the first words have to do.
    FirstWords,
}

/// Whether a session still waits for its name.
pub(crate) struct Name(watch::Sender<State>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nobody has named it.
    New,
    /// Somebody thinks about it.
    Wanted,
    /// It has one.
    Named,
}

impl Name {
    pub(crate) fn new(name: &str) -> Self {
        Self(watch::channel(if name == NEW_SESSION { State::New } else { State::Named }).0)
    }

    /// Whether somebody should think of a name now; only the first who asks is told so.
    pub(crate) fn want(&self) -> bool {
        self.0.send_if_modified(|state| {
            let new = *state == State::New;
            if new {
                *state = State::Wanted;
            }
            new
        })
    }

    /// It has a name now. Whether it had none before.
    pub(crate) fn settle(&self) -> bool {
        self.0.send_if_modified(|state| std::mem::replace(state, State::Named) != State::Named)
    }

    /// The name that was thought of cannot be told now: somebody thinks of one again after the next run.
    pub(crate) fn give_up(&self) {
        self.0.send_if_modified(|state| {
            let wanted = *state == State::Wanted;
            if wanted {
                *state = State::New;
            }
            wanted
        });
    }

    /// Waits until nobody thinks about it any more.
    pub(crate) async fn settled(&self) {
        // The sender is ours: the wait does not fail.
        let _ = self.0.subscribe().wait_for(|state| *state != State::Wanted).await;
    }
}

/// A name that was thought of, as the event that tells it.
pub(crate) async fn think(store: &Store, session: SessionId, setup: &Setup) -> EventBody {
    let (message, answer) = beginning(store, session).await;
    // A model that had no answer has no title either.
    let asked = match (setup.titles, setup.models.first()) {
        (Titles::ByModel, Some(model)) if !answer.is_empty() => {
            candor_agent::title(&message, &answer, model, &setup.policy).await.map(|title| (title, model))
        }
        _ => None,
    };
    match asked {
        Some((Title { text, usage }, model)) => EventBody::SessionRenamed {
            name: text,
            by: NamedBy::Model,
            model: Some(model.name.clone()),
            usage: Some(usage),
        },
        None => by_words(&message),
    }
}

/// The name that needs no model.
pub(crate) async fn words(store: &Store, session: SessionId) -> EventBody {
    by_words(&beginning(store, session).await.0)
}

fn by_words(message: &str) -> EventBody {
    EventBody::SessionRenamed { name: first_words(message), by: NamedBy::Words, model: None, usage: None }
}

/// The first message and the first answer. A store that fails now has more important things to be told about: the name
/// is left to the next run.
async fn beginning(store: &Store, session: SessionId) -> (String, String) {
    let events = store.events(session, 0, BEGINNING).await.unwrap_or_default();
    let text = |pick: fn(&EventBody) -> Option<&[Part]>| {
        let texts = events.iter().filter_map(|event| pick(&event.body)).map(plain_text);
        texts.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default()
    };
    let message = text(|body| match body {
        EventBody::MessageAccepted { content, .. } => Some(content),
        _ => None,
    });
    let answer = text(|body| match body {
        EventBody::MessageComplete { content, .. } => Some(content),
        _ => None,
    });
    (message, answer)
}
