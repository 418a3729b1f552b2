//! A session as another process left it: events put into the store by hand.

use candor_protocol::{
    Event, EventBody, Moment, Origin, Part, RunId, SessionId, StopReason, ToolCall, Usage,
};
use candor_store::{Lease, Store};
use serde_json::json;

/// Writes the events of one session, one after the other.
pub(crate) struct Story {
    pub(crate) session: SessionId,
    pub(crate) run: RunId,
    events: Vec<Event>,
}

impl Story {
    pub(crate) fn new() -> Self {
        let mut story = Self { session: SessionId::now(), run: RunId::now(), events: Vec::new() };
        story.tell(
            None,
            EventBody::SessionCreated {
                source: "cli".to_owned(),
                name: "left behind".to_owned(),
                workspace: "/w".to_owned(),
                instructions: None,
                job: None,
                forked_from: None,
                parent: None,
            },
        );
        story
    }

    fn tell(&mut self, run_id: Option<RunId>, body: EventBody) {
        let seq = self.events.len() as u64 + 1;
        self.events.push(Event { seq, session_id: self.session, run_id, at: Moment::now(), body });
    }

    pub(crate) fn accepted(mut self, text: &str) -> Self {
        let body = EventBody::MessageAccepted { origin: Origin::Cli, content: vec![Part::text(text)] };
        self.tell(Some(self.run), body);
        self
    }

    /// As if all of it had happened then.
    pub(crate) fn at(mut self, at: Moment) -> Self {
        for event in &mut self.events {
            event.at = at;
        }
        self
    }

    pub(crate) fn started(mut self) -> Self {
        self.tell(Some(self.run), EventBody::RunStart { model: "fake-model".to_owned(), message_count: 1 });
        self
    }

    /// An answer that asks for these calls.
    pub(crate) fn calling(mut self, calls: &[&str]) -> Self {
        let call = |id: &&str| {
            Part::ToolCall(ToolCall {
                call_id: (*id).to_owned(),
                tool_name: "shell_exec".to_owned(),
                args: json!({"command": "true"}),
                malformed: None,
                opaque: None,
            })
        };
        let usage = Usage { input_tokens: 10, output_tokens: 2, total_tokens: 12, ..Usage::default() };
        let body = EventBody::MessageComplete {
            content: calls.iter().map(call).collect(),
            model: "fake-model".to_owned(),
            usage,
            stop_reason: StopReason::ToolUse,
        };
        self.tell(Some(self.run), body);
        self
    }

    pub(crate) fn tool_started(mut self, id: &str) -> Self {
        let body = EventBody::ToolStart {
            call_id: id.to_owned(),
            tool_name: "shell_exec".to_owned(),
            args: json!({"command": "true"}),
        };
        self.tell(Some(self.run), body);
        self
    }

    pub(crate) fn result(mut self, id: &str) -> Self {
        let body = EventBody::ToolResult {
            call_id: id.to_owned(),
            tool_name: "shell_exec".to_owned(),
            result: "{\"exit_code\":0}".to_owned(),
            for_people: String::new(),
            is_error: false,
            card: None,
            duration_ms: 1,
            changes: Vec::new(),
            recovered: Vec::new(),
            images: Vec::new(),
        };
        self.tell(Some(self.run), body);
        self
    }

    /// Stores it and dies.
    pub(crate) async fn left_in(&self, store: &Store) {
        store.append(&self.events).await.unwrap();
    }

    /// Stores it and goes on holding it.
    pub(crate) async fn held_in(&self, store: &Store) -> Lease {
        let lease = store.lease(self.session).await.unwrap().expect("nobody else has it");
        self.left_in(store).await;
        lease
    }
}
