//! Asking people about calls, and their answers.
//!
//! A question is an event like any other: whoever follows the session sees it, and whoever can answer says so by
//! attending. Where nobody attends, or the last one leaves and does not come back, the answer is that nobody is there:
//! a run never waits for an empty room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use candor_agent::{Mask, Sink};
use candor_protocol::{Answer, EventBody};
use candor_tools::{Approver, BoxFuture, Question, Reply};
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};

use crate::journal::Journal;
use crate::vault::Vault;

/// How long a person may think. Whoever is asked in the evening may answer in the morning; a run that waits for longer
/// was forgotten.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the last one who attended may be away: a page that is loaded again, a line that broke.
const AWAY_TIME_MAX: Duration = Duration::from_secs(20);

/// The questions of one session.
pub(crate) struct Asking {
    journal: Arc<Journal>,
    vault: Arc<Vault>,
    /// A plain lock: it is held for a look and never across a wait.
    waiting: Mutex<HashMap<String, Waiting>>,
}

struct Waiting {
    /// What can be answered; nothing, where any words can.
    choices: Vec<String>,
    answer: oneshot::Sender<Reply>,
}

impl Asking {
    pub(crate) fn new(journal: Arc<Journal>, vault: Arc<Vault>) -> Self {
        Self { journal, vault, waiting: Mutex::default() }
    }

    /// Takes an answer; the text is why it cannot be taken.
    pub(crate) fn answer(&self, answer: Answer) -> Result<(), String> {
        let Answer { call_id, choice, reason } = answer;
        let mut waiting = self.waiting();
        let Some(asked) = waiting.get(&call_id) else {
            return Err(format!("no call {call_id} waits for an answer"));
        };
        if !asked.choices.is_empty() && !asked.choices.contains(&choice) {
            return Err(format!("the choices are {}", asked.choices.join(", ")));
        }
        if let Some(asked) = waiting.remove(&call_id) {
            // People may say secrets, too; the model gets what it would get of a message.
            let reason = reason.filter(|reason| !reason.trim().is_empty());
            let reply = Reply {
                choice: self.vault.hide(&choice),
                reason: reason.map(|reason| self.vault.hide(&reason)),
            };
            // The run may have been stopped just now.
            let _ = asked.answer.send(reply);
        }
        Ok(())
    }

    async fn answered(&self, question: Question) -> Option<Reply> {
        let (answer, reply) = oneshot::channel();
        let choices = question.choices.clone();
        let call = Forgotten { asking: self, call_id: question.call_id.clone() };
        self.waiting().insert(call.call_id.clone(), Waiting { choices, answer });
        self.journal.emit(EventBody::ApprovalRequest {
            call_id: question.call_id,
            question: question.text,
            reason: question.reason,
            diff: question.diff,
            choices: question.choices,
            pattern: question.pattern,
        });
        let reply = tokio::select! {
            biased;
            reply = timeout(ANSWER_TIME_MAX, reply) => reply.ok().and_then(Result::ok),
            () = deserted(self.journal.attendants()) => None,
        };
        let told = reply.clone();
        self.journal.emit(EventBody::ApprovalAnswer {
            call_id: call.call_id.clone(),
            choice: told.as_ref().map_or_else(|| Answer::NOBODY.to_owned(), |reply| reply.choice.clone()),
            reason: told.and_then(|reply| reply.reason),
        });
        reply
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Approver for Asking {
    fn ask(&self, question: Question) -> BoxFuture<'_, Option<Reply>> {
        Box::pin(self.answered(question))
    }
}

/// Forgets a question that nobody waits for any more.
struct Forgotten<'a> {
    asking: &'a Asking,
    call_id: String,
}

impl Drop for Forgotten<'_> {
    fn drop(&mut self) {
        self.asking.waiting().remove(&self.call_id);
    }
}

/// Waits until nobody attends: at once where nobody did in the first place, and after a while where the last one left.
async fn deserted(mut attendants: watch::Receiver<usize>) {
    if *attendants.borrow() == 0 {
        return;
    }
    loop {
        // The sender is the journal's, which outlives this.
        let _ = attendants.wait_for(|count| *count == 0).await;
        tokio::select! {
            () = sleep(AWAY_TIME_MAX) => return,
            _ = attendants.wait_for(|count| *count > 0) => {}
        }
    }
}
