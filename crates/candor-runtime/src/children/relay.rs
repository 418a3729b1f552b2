//! Asks people on behalf of a child, in the session that they look at.

use std::sync::Arc;

use candor_protocol::SessionId;
use candor_tools::{Approver, BoxFuture, Question, Reply};

/// Asks through the session above, and says who wants to know.
pub(crate) struct Relay {
    pub(crate) above: Arc<dyn Approver>,
    pub(crate) child: SessionId,
    pub(crate) name: String,
}

impl Approver for Relay {
    fn ask(&self, question: Question) -> BoxFuture<'_, Option<Reply>> {
        // Two children may give their calls the same id, and so may the run above.
        let call_id = format!("{}:{}", self.child, question.call_id);
        let text = format!("helper \"{}\" asks: {}", self.name, question.text);
        self.above.ask(Question { call_id, text, ..question })
    }
}
