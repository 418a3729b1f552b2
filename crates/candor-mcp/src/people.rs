//! Who can be asked when a server wants to know something from a person: whoever follows the session whose call goes on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use candor_protocol::SessionId;
use candor_tools::{Approver, ToolContext};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::form::{Form, Refusal};

/// How many forms a server may show during one call.
const FORMS_MAX: usize = 10;

/// The calls of one server that go on.
pub(crate) struct Callers {
    /// A plain lock: it is held for a look and never across a wait.
    now: Mutex<Vec<Arc<Caller>>>,
    /// How many people think about an answer. Meanwhile the time of the calls stands still.
    thinking: watch::Sender<usize>,
}

/// Somebody whose call goes on.
pub(crate) struct Caller {
    pub(crate) session: SessionId,
    pub(crate) call_id: String,
    pub(crate) approver: Arc<dyn Approver>,
    cancel: CancellationToken,
    /// How many forms there have been. It is held while one is shown: a person answers one thing at a time.
    forms: tokio::sync::Mutex<usize>,
}

impl Default for Callers {
    fn default() -> Self {
        Self { now: Mutex::default(), thinking: watch::Sender::new(0) }
    }
}

impl Callers {
    /// A call begins; it ends with what is given back.
    pub(crate) fn enter(self: &Arc<Self>, context: &ToolContext) -> Entered {
        let caller = Arc::new(Caller {
            session: context.session,
            call_id: context.call_id.clone(),
            approver: Arc::clone(&context.approver),
            cancel: context.cancel.clone(),
            forms: tokio::sync::Mutex::default(),
        });
        self.now().push(Arc::clone(&caller));
        Entered { callers: Arc::clone(self), caller }
    }

    /// Waits until a call has had its time.
    pub(crate) async fn overdue(&self, limit: Duration) {
        let (mut thinking, mut left) = (self.thinking.subscribe(), limit);
        loop {
            // The sender is ours and outlives this.
            let _ = thinking.wait_for(|count| *count == 0).await;
            let since = Instant::now();
            tokio::select! {
                () = tokio::time::sleep(left) => return,
                _ = thinking.wait_for(|count| *count > 0) => left = left.saturating_sub(since.elapsed()),
            }
        }
    }

    /// Answers a question of a server. `gone`: it does not want to know any more.
    pub(crate) async fn answer(
        &self,
        server: &str,
        asked: ElicitRequestParams,
        gone: &CancellationToken,
    ) -> ElicitResult {
        // An address that a server wants opened is not opened: we never said that we would.
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = asked else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let Some(caller) = self.whose() else { return ElicitResult::new(ElicitationAction::Cancel) };
        let _thinking = Thinking::begin(&self.thinking);
        let asking = async {
            let mut forms = caller.forms.lock().await;
            *forms += 1;
            if *forms > FORMS_MAX {
                return Err(Refusal::Declined);
            }
            Form::new(server, &message, &requested_schema)?.fill_in(&caller).await
        };
        let said = tokio::select! {
            biased;
            () = caller.cancel.cancelled() => Err(Refusal::Nobody),
            () = gone.cancelled() => Err(Refusal::Nobody),
            said = asking => said,
        };
        match said {
            Ok(said) => ElicitResult::new(ElicitationAction::Accept).with_content(said.into()),
            Err(Refusal::Declined) => ElicitResult::new(ElicitationAction::Decline),
            Err(Refusal::Nobody) => ElicitResult::new(ElicitationAction::Cancel),
        }
    }

    /// Whose call the question is about. A server does not say it: where several sessions call it, nobody is asked, lest one
    /// person answers for another.
    fn whose(&self) -> Option<Arc<Caller>> {
        let now = self.now();
        let last = now.last()?;
        now.iter().all(|caller| caller.session == last.session).then(|| Arc::clone(last))
    }

    fn now(&self) -> MutexGuard<'_, Vec<Arc<Caller>>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that goes on.
pub(crate) struct Entered {
    callers: Arc<Callers>,
    caller: Arc<Caller>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.callers.now().retain(|caller| !Arc::ptr_eq(caller, &self.caller));
    }
}

/// A person thinks.
struct Thinking<'a>(&'a watch::Sender<usize>);

impl<'a> Thinking<'a> {
    fn begin(count: &'a watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count)
    }
}

impl Drop for Thinking<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
#[path = "people_tests.rs"]
mod tests;
