//! The Telegram bot.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::secret::SecretSource;
use crate::types::{Amount, Millis, Seconds, Whole};

word! {
    /// How updates arrive.
    pub enum TelegramMode {
        /// We ask for them.
        Polling = "polling",
        /// Telegram sends them.
        Webhook = "webhook",
    }
}

word! {
    /// Who may write to the bot directly.
    pub enum DmPolicy {
        /// Those on the list; others are told their number.
        Pairing = "pairing",
        /// Those on the list.
        Allowlist = "allowlist",
        /// Everyone.
        Open = "open",
        /// Nobody.
        Disabled = "disabled",
    }
}

word! {
    /// Who may write to the bot in a group.
    pub enum GroupPolicy {
        /// Everyone.
        Open = "open",
        /// Those on the list.
        Allowlist = "allowlist",
        /// Nobody.
        Disabled = "disabled",
    }
}

word! {
    /// What is seen of an answer before it is finished.
    pub enum StreamingMode {
        /// Nothing.
        Off = "off",
        /// The text so far.
        Partial = "partial",
        /// Finished paragraphs.
        Block = "block",
        /// What is being done.
        Progress = "progress",
    }
}

word! {
    /// How messages are marked up.
    pub enum ParseMode {
        /// Telegram's HTML.
        Html = "html",
        /// Not at all.
        Plain = "plain",
    }
}

section! {
    /// The Telegram bot.
    pub struct Telegram {
        /// Whether the bot runs.
        enabled: bool = false;
        /// The bot's token; required when it runs. `token` is understood too.
        bot_token: Option<SecretSource> = None;
        /// How updates arrive.
        mode: TelegramMode = TelegramMode::Polling;
        /// How polling is done.
        polling: Polling = Polling::default();
        /// The public address of the webhook; required in that mode.
        webhook_url: Option<String> = None;
        /// The secret Telegram sends along; required in that mode, at least 16 characters.
        webhook_secret: Option<SecretSource> = None;
        /// The path the webhook listens on.
        webhook_path: String = "/candor_telegram_webhook".to_owned();
        /// The address the webhook listens on.
        webhook_host: String = "127.0.0.1".to_owned();
        /// The port the webhook listens on.
        webhook_port: Whole<1, 65_535> = Whole(8787);
        /// Who may write to the bot directly.
        dm_policy: DmPolicy = DmPolicy::Pairing;
        /// Who may write to the bot in groups.
        group_policy: GroupPolicy = GroupPolicy::Allowlist;
        /// The numeric ids of the users that may write directly. `allowed_users` is understood too.
        allow_from: Vec<UserId> = Vec::new();
        /// The numeric ids of the users that may write in groups. Empty: those of `allow_from`.
        group_allow_from: Vec<UserId> = Vec::new();
        /// Exceptions by group: the chat's id, or `*` for all others.
        groups: BTreeMap<String, Group> = BTreeMap::new();
        /// What is seen of an answer before it is finished.
        streaming: Streaming = Streaming::default();
        /// Which updates are looked at.
        inbound: Inbound = Inbound::default();
        /// How many updates may wait.
        queue: Queue = Queue::default();
        /// How messages are sent.
        delivery: Delivery = Delivery::default();
        /// How many sessions one chat keeps.
        max_sessions_per_chat: Whole<1, 10_000> = Whole(10);
    }
}

section! {
    /// How polling is done.
    pub struct Polling {
        /// How long one request waits for updates.
        timeout_seconds: Seconds<1> = Seconds(Duration::from_secs(30));
    }
}

section! {
    /// Exceptions for one group.
    pub struct Group {
        /// Who may write. Left out, as for all groups.
        group_policy: Option<GroupPolicy> = None;
        /// Whether the bot must be mentioned. Left out, it must.
        require_mention: Option<bool> = None;
        /// Exceptions by topic.
        topics: BTreeMap<String, Topic> = BTreeMap::new();
    }
}

section! {
    /// Exceptions for one topic of a group.
    pub struct Topic {
        /// Who may write. Left out, as in the group.
        group_policy: Option<GroupPolicy> = None;
        /// Whether the bot must be mentioned. Left out, as in the group.
        require_mention: Option<bool> = None;
    }
}

section! {
    /// What is seen of an answer before it is finished.
    pub struct Streaming {
        /// How much of an answer is shown while it is written.
        mode: StreamingMode = StreamingMode::Off;
        /// The least time between two changes of a message.
        status_debounce_ms: Millis<0> = Millis(Duration::from_secs(1));
    }
}

section! {
    /// Which updates are looked at.
    pub struct Inbound {
        /// The kinds of update asked for.
        allowed_updates: Vec<String> =
            ["message", "edited_message", "callback_query"].map(String::from).to_vec();
        /// Whether messages of other bots are ignored.
        ignore_bot_messages: bool = true;
        /// How long an update is remembered, so that it is not answered twice.
        dedupe_ttl_seconds: Seconds<60> = Seconds(Duration::from_mins(15));
    }
}

section! {
    /// How many updates may wait.
    pub struct Queue {
        /// How many updates may wait in one conversation.
        max_pending_updates_per_conversation: Whole<1, 1_000_000> = Whole(32);
        /// How many updates may wait in all conversations together.
        max_pending_updates_global: Whole<1, 1_000_000> = Whole(5000);
    }
}

section! {
    /// How messages are sent.
    pub struct Delivery {
        /// The longest message, in characters; longer answers are sent in parts.
        text_chunk_limit: Whole<1, 4096> = Whole(4000);
        /// How messages are marked up.
        parse_mode: ParseMode = ParseMode::Html;
        /// Whether Telegram shows previews of links. Off by default: a preview fetches an address that a model chose.
        link_preview: bool = false;
        /// The largest file that is taken.
        media_max_mb: crate::types::Megabytes<1> = crate::types::Megabytes(5_000_000);
        /// What happens when sending fails.
        retry: DeliveryRetry = DeliveryRetry::default();
    }
}

section! {
    /// What happens when sending fails.
    pub struct DeliveryRetry {
        /// How often sending is tried again.
        attempts: Whole<0, 100> = Whole(3);
        /// The first wait.
        min_delay_ms: Millis<0> = Millis(Duration::from_millis(500));
        /// The longest wait.
        max_delay_ms: Millis<0> = Millis(Duration::from_secs(5));
        /// How much a wait varies, as a fraction.
        jitter: Amount = Amount(0.2);
    }
}

/// A numeric id of a user, as a number or as text.
///
/// Names are not accepted: anyone can take a name that someone gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UserId(pub i64);

impl crate::setting::Setting for UserId {
    fn kind() -> crate::setting::Kind {
        crate::setting::Kind::Whole { min: 1, max: u64::MAX }
    }

    fn decode(node: &crate::node::Node, decoder: &mut crate::decode::Decoder<'_>) -> Option<Self> {
        use crate::node::Value;
        let number = match &node.value {
            Value::Int(number) => Some(*number),
            Value::Text(text) | Value::Raw(text) => text.trim().parse().ok(),
            _ => None,
        };
        match number.filter(|number| *number > 0) {
            Some(number) => Some(Self(number)),
            None => decoder.expected("the numeric id of a user (not a name)", node),
        }
    }

    fn show(&self) -> serde_json::Value {
        self.0.into()
    }
}
