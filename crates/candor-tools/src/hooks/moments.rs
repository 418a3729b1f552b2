//! What hooks are asked and told about sessions, runs and helpers.

use candor_protocol::{SessionId, Verdict};
use serde_json::json;

use super::occasion::Occasion;
use super::{Hooks, Response};
use crate::ToolContext;

/// The kind of every child, as the ecosystem calls one without a trade.
const KIND: &str = "general-purpose";

/// Why a conversation is shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// Somebody wants it.
    Manual,
    /// It would not fit.
    Auto,
}

impl Trigger {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Auto => "auto",
        }
    }
}

impl Hooks {
    /// A session's first run in this process begins; `source` is `startup` or `resume`.
    pub async fn session_start(&self, source: &str, context: &ToolContext) -> Response {
        let facts = || vec![json!({ "source": source })];
        self.ask(Occasion::SessionStart, &[source], facts, context).await
    }

    /// A session ends in this process.
    pub async fn session_end(&self, reason: &str, context: &ToolContext) -> Response {
        let facts = || vec![json!({ "reason": reason })];
        self.ask(Occasion::SessionEnd, &[reason], facts, context).await
    }

    /// Somebody has said this.
    pub async fn prompt(&self, prompt: &str, context: &ToolContext) -> Response {
        let facts = || vec![json!({ "prompt": prompt })];
        self.ask(Occasion::UserPromptSubmit, &[], facts, context).await
    }

    /// The model has no more to say. `again`: a hook has sent it on before, in this run.
    pub async fn stop(&self, again: bool, last_message: &str, context: &ToolContext) -> Response {
        let mut told = json!({ "stop_hook_active": again, "last_assistant_message": last_message });
        let Some(child) = self.child else {
            return self.ask(Occasion::Stop, &[], || vec![told], context).await;
        };
        told["agent_id"] = json!(child);
        told["agent_type"] = json!(KIND);
        self.ask(Occasion::SubagentStop, &[KIND], || vec![told], context).await
    }

    /// There is a verdict.
    pub async fn verified(&self, verdict: &Verdict, context: &ToolContext) -> Response {
        // What it holds may be the end of a log.
        let facts = || {
            let told = self.hide(&json!({ "verdict": verdict }).to_string());
            vec![serde_json::from_str(&told).unwrap_or_default()]
        };
        self.ask(Occasion::Verified, &[], facts, context).await
    }

    /// A conversation is about to be shortened.
    pub async fn before_compaction(&self, trigger: Trigger, context: &ToolContext) -> Response {
        let facts = || vec![json!({ "trigger": trigger.as_str(), "custom_instructions": "" })];
        self.ask(Occasion::PreCompact, &[trigger.as_str()], facts, context).await
    }

    /// It has been; this stands for what was there.
    pub async fn after_compaction(&self, trigger: Trigger, summary: &str, context: &ToolContext) -> Response {
        let facts = || vec![json!({ "trigger": trigger.as_str(), "compact_summary": summary })];
        self.ask(Occasion::PostCompact, &[trigger.as_str()], facts, context).await
    }

    /// A child is about to begin. What stands in the way is for whoever starts it, what is added for the child.
    pub async fn child_start(&self, child: SessionId, context: &ToolContext) -> Response {
        let facts = || vec![json!({ "agent_id": child, "agent_type": KIND })];
        self.ask(Occasion::SubagentStart, &[KIND], facts, context).await
    }
}
