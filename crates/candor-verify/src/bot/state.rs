//! What was said on both sides, and what of it was fetched.

use std::collections::{HashMap, VecDeque};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// The person, and the private chat with them, which have one number as in the real API.
pub(super) const PERSON: i64 = 700_100_200;

/// How many updates wait for a bot that does not fetch them.
const QUEUE_MAX: usize = 1_000;
/// How many answers are kept: a bot that sends more than this to one person is not answering.
const ANSWERS_MAX: usize = 1_000;
/// How many messages can be edited.
const MESSAGES_MAX: usize = 10_000;
/// How many calls are remembered, to show them.
const CALLS_MAX: usize = 50;

/// What was said on both sides, and what of it was fetched.
#[derive(Debug)]
pub(super) struct State {
    last_update: i64,
    last_message: i64,
    queue: VecDeque<Update>,
    /// The last update that was given to the bot.
    last_taken: i64,
    /// How many answers there were before each update was given to the bot. What it sends before that is about something else.
    answers_before: HashMap<i64, usize>,
    answers: Vec<String>,
    /// What the bot has sent: the chat and the text of each message.
    messages: HashMap<i64, (i64, String)>,
    calls: VecDeque<String>,
    webhook: Option<Webhook>,
    is_asked: bool,
    /// The number of the request for updates that is the latest.
    last_fetch: u64,
    /// The kinds of updates that the bot wants; nothing: those that are usual.
    wanted: Option<Vec<String>>,
}

#[derive(Debug)]
struct Update {
    id: i64,
    body: Value,
}

/// Where the bot wants updates to be posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Webhook {
    pub(super) url: String,
    pub(super) secret: Option<String>,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            // The real API begins anywhere.
            last_update: 100_000,
            last_message: 0,
            queue: VecDeque::new(),
            last_taken: 0,
            answers_before: HashMap::new(),
            answers: Vec::new(),
            messages: HashMap::new(),
            calls: VecDeque::new(),
            webhook: None,
            is_asked: false,
            last_fetch: 0,
            wanted: None,
        }
    }

    /// The person says something. What must be posted somewhere is given back.
    pub(super) fn say(&mut self, text: &str) -> (i64, Option<(Webhook, Value)>) {
        self.last_update += 1;
        let id = self.last_update;
        let message = self.said(text);
        let body = json!({ "update_id": id, "message": message });
        let is_wanted = self
            .wanted
            .as_ref()
            .is_none_or(|kinds| kinds.is_empty() || kinds.iter().any(|kind| kind == "message"));
        if !is_wanted {
            self.called("the message was not delivered: the bot's allowed_updates leave messages out");
            return (id, None);
        }
        if let Some(webhook) = self.webhook.clone() {
            return (id, Some((webhook, body)));
        }
        if self.queue.len() == QUEUE_MAX {
            self.queue.pop_front();
        }
        self.queue.push_back(Update { id, body });
        (id, None)
    }

    fn said(&mut self, text: &str) -> Value {
        self.last_message += 1;
        let person = json!({
            "id": PERSON, "is_bot": false, "first_name": "Candor", "username": "candor_probe", "language_code": "en",
        });
        let mut message = json!({
            "message_id": self.last_message, "from": person, "chat": chat(PERSON), "date": now(), "text": text,
        });
        // Libraries find commands by this.
        if text.starts_with('/') {
            let length = text.split_whitespace().next().unwrap_or_default().encode_utf16().count();
            message["entities"] = json!([{ "type": "bot_command", "offset": 0, "length": length }]);
        }
        message
    }

    /// Begins a request for updates, which ends an older one.
    pub(super) fn begin_fetch(&mut self) -> u64 {
        self.is_asked = true;
        self.last_fetch += 1;
        self.last_fetch
    }

    pub(super) fn is_latest_fetch(&self, fetch: u64) -> bool {
        self.last_fetch == fetch
    }

    /// The updates from there on. Those before are forgotten; a negative offset counts from the end.
    pub(super) fn fetch(&mut self, offset: i64, limit: usize) -> Vec<Value> {
        if offset < 0 {
            let kept = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX).min(self.queue.len());
            self.queue.drain(..self.queue.len() - kept);
        } else {
            self.queue.retain(|update| update.id >= offset);
        }
        let given: Vec<_> =
            self.queue.iter().take(limit).map(|update| (update.id, update.body.clone())).collect();
        for (id, _) in &given {
            self.give(*id);
            self.took(*id);
        }
        given.into_iter().map(|(_, body)| body).collect()
    }

    /// An update is on its way to the bot.
    pub(super) fn give(&mut self, update: i64) {
        self.answers_before.entry(update).or_insert(self.answers.len());
    }

    pub(super) fn forget_updates(&mut self) {
        self.queue.clear();
    }

    pub(super) fn pending(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn want(&mut self, kinds: Option<Vec<String>>) {
        // What was said once holds until something else is said.
        self.wanted = kinds.or_else(|| self.wanted.take());
    }

    /// An update has reached the bot.
    pub(super) fn took(&mut self, update: i64) {
        self.last_taken = self.last_taken.max(update);
    }

    pub(super) fn is_taken(&self, update: i64) -> bool {
        self.last_taken >= update
    }

    pub(super) fn is_asked(&self) -> bool {
        self.is_asked
    }

    pub(super) fn webhook(&self) -> Option<&Webhook> {
        self.webhook.as_ref()
    }

    pub(super) fn set_webhook(&mut self, webhook: Option<Webhook>) {
        self.is_asked |= webhook.is_some();
        self.webhook = webhook;
    }

    /// The bot sends something to a chat. Its message is given back, without what is in it.
    pub(super) fn sent(&mut self, bot: &Value, to: i64, text: &str) -> Value {
        self.last_message += 1;
        let id = self.last_message;
        if self.messages.len() < MESSAGES_MAX {
            self.messages.insert(id, (to, text.to_owned()));
        }
        self.answered(to, text);
        json!({ "message_id": id, "from": bot, "chat": chat(to), "date": now() })
    }

    /// The text of a message that the bot has sent to that chat.
    pub(super) fn message(&self, chat: i64, id: i64) -> Option<&str> {
        self.messages.get(&id).filter(|(to, _)| *to == chat).map(|(_, text)| text.as_str())
    }

    pub(super) fn edited(&mut self, bot: &Value, to: i64, id: i64, text: &str) -> Value {
        self.messages.insert(id, (to, text.to_owned()));
        self.answered(to, text);
        json!({ "message_id": id, "from": bot, "chat": chat(to), "date": now(), "edit_date": now() })
    }

    fn answered(&mut self, to: i64, text: &str) {
        if to == PERSON && self.answers.len() < ANSWERS_MAX {
            self.answers.push(text.to_owned());
        }
    }

    /// What the bot has sent to the person since it was given that update.
    pub(super) fn answers(&self, update: i64) -> &[String] {
        let before = self.answers_before.get(&update).copied().unwrap_or(usize::MAX);
        self.answers.get(before..).unwrap_or_default()
    }

    /// How much the bot has sent to the person at all.
    pub(super) fn answer_count(&self) -> usize {
        self.answers.len()
    }

    pub(super) fn called(&mut self, line: impl Into<String>) {
        let line = line.into();
        if self.calls.back() == Some(&line) {
            return;
        }
        if self.calls.len() == CALLS_MAX {
            self.calls.pop_front();
        }
        self.calls.push_back(line);
    }

    pub(super) fn calls(&self) -> Vec<String> {
        self.calls.iter().cloned().collect()
    }
}

/// A chat: with a person, or, by its sign, with a group.
pub(super) fn chat(id: i64) -> Value {
    if id < 0 {
        return json!({ "id": id, "type": "supergroup", "title": "Candor" });
    }
    json!({ "id": id, "type": "private", "first_name": "Candor", "username": "candor_probe" })
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
