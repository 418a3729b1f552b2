//! What the methods of the API do, and what they refuse.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::Shared;
use super::params::Params;
use super::state::{State, Webhook, chat};

/// How long a text may be, and a caption, in the units in which the API counts: those of UTF-16.
const TEXT_UNITS_MAX: usize = 4_096;
const CAPTION_UNITS_MAX: usize = 1_024;
/// How long a request for updates is kept waiting at most, as in the real API.
const FETCH_WAIT_MAX: i64 = 50;
/// How many updates are given at once.
const FETCH_MAX: i64 = 100;

/// The methods that send a file, and the parameter that it is in.
const FILES: [(&str, &str); 8] = [
    ("sendphoto", "photo"),
    ("senddocument", "document"),
    ("sendaudio", "audio"),
    ("sendvideo", "video"),
    ("sendanimation", "animation"),
    ("sendvoice", "voice"),
    ("sendvideonote", "video_note"),
    ("sendsticker", "sticker"),
];

/// Why a call is refused: a status and the words of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: u16,
    pub(super) description: String,
}

type Done = Result<Value, Refusal>;

/// A call of a bot.
pub(super) struct Call<'c> {
    /// In lower case: the API does not tell cases apart.
    pub(super) method: &'c str,
    pub(super) token: &'c str,
    pub(super) params: &'c Params,
}

impl Call<'_> {
    /// Does it.
    pub(super) async fn answer(&self, shared: &Shared) -> Done {
        if self.method == "getupdates" {
            return self.fetch(shared).await;
        }
        shared.change(|state| self.act(state))
    }

    fn act(&self, state: &mut State) -> Done {
        match self.method {
            "getme" => Ok(self.me()),
            "sendmessage" => self.send_text(state),
            "editmessagetext" => self.edit_text(state),
            "sendchataction" => self.chat_action(),
            "setwebhook" => self.set_webhook(state),
            "deletewebhook" => Ok(self.delete_webhook(state)),
            "getwebhookinfo" => Ok(webhook(state)),
            "getmycommands" => Ok(json!([])),
            "getchat" => Ok(chat(self.chat()?)),
            "copymessage" => Ok(
                json!({ "message_id": state.sent(&self.bot(), self.chat()?, "[copyMessage]")["message_id"] }),
            ),
            "forwardmessage" => Ok(state.sent(&self.bot(), self.chat()?, "[forwardMessage]")),
            method => match FILES.iter().find(|(name, _)| *name == method) {
                Some((_, kind)) => self.send_file(state, kind),
                // A poll, a place, a contact: it is sent, and what is in it does not matter.
                None if method.starts_with("send") => {
                    Ok(state.sent(&self.bot(), self.chat()?, &format!("[{method}]")))
                }
                None => Ok(Value::Bool(true)),
            },
        }
    }

    fn send_text(&self, state: &mut State) -> Done {
        let to = self.chat()?;
        let text = self.text()?;
        self.check_looks()?;
        let mut message = state.sent(&self.bot(), to, &text);
        message["text"] = text.into();
        Ok(message)
    }

    fn edit_text(&self, state: &mut State) -> Done {
        let text = self.text()?;
        self.check_looks()?;
        // A message in somebody else's chat, which is known by another name and not ours to keep.
        if self.params.text("inline_message_id").is_some() {
            return Ok(Value::Bool(true));
        }
        let to = self.chat()?;
        let id = self.params.number("message_id").unwrap_or_default();
        let Some(before) = state.message(to, id) else { return bad("message to edit not found") };
        if before == text && self.params.text("reply_markup").is_none() {
            return bad(
                "message is not modified: specified new message content and reply markup are exactly the same as a \
                 current content and reply markup of the message",
            );
        }
        let mut message = state.edited(&self.bot(), to, id, &text);
        message["text"] = text.into();
        Ok(message)
    }

    fn send_file(&self, state: &mut State, kind: &str) -> Done {
        let to = self.chat()?;
        if self.params.text(kind).is_none_or(|file| file.is_empty()) {
            return bad(&format!("there is no {} in the request", kind.replace('_', " ")));
        }
        let caption = self.params.text("caption").unwrap_or_default();
        if units(&caption) > CAPTION_UNITS_MAX {
            return bad("message caption is too long");
        }
        self.check_looks()?;
        let said = if caption.is_empty() { format!("[{kind}]") } else { caption.clone() };
        let mut message = state.sent(&self.bot(), to, &said);
        // All that any kind of file has: libraries insist on some of it.
        let file = json!({
            "file_id": "candor", "file_unique_id": "candor", "width": 1, "height": 1, "length": 1, "duration": 0,
            "type": "regular", "is_animated": false, "is_video": false,
        });
        message[kind] = if kind == "photo" { json!([file]) } else { file };
        if !caption.is_empty() {
            message["caption"] = caption.into();
        }
        Ok(message)
    }

    fn chat_action(&self) -> Done {
        self.chat()?;
        match self.params.text("action") {
            Some(action) if !action.is_empty() => Ok(Value::Bool(true)),
            _ => bad("wrong parameter action in request"),
        }
    }

    fn set_webhook(&self, state: &mut State) -> Done {
        self.drop_pending(state);
        let url = self.params.text("url").unwrap_or_default();
        if url.is_empty() {
            state.set_webhook(None);
            return Ok(Value::Bool(true));
        }
        if url::Url::parse(&url).is_err() {
            return bad("bad webhook: invalid webhook URL specified");
        }
        state.want(self.kinds());
        // A request for updates that waits is ended by it.
        state.begin_fetch();
        state.set_webhook(Some(Webhook { url, secret: self.params.text("secret_token") }));
        Ok(Value::Bool(true))
    }

    fn delete_webhook(&self, state: &mut State) -> Value {
        self.drop_pending(state);
        state.set_webhook(None);
        Value::Bool(true)
    }

    fn drop_pending(&self, state: &mut State) {
        if self.params.flag("drop_pending_updates") {
            state.forget_updates();
        }
    }

    async fn fetch(&self, shared: &Shared) -> Done {
        // An offset that is no number is none, as in the real API.
        let offset = self.params.number("offset").unwrap_or(0);
        let limit =
            self.params.number("limit").filter(|limit| (1..=FETCH_MAX).contains(limit)).unwrap_or(FETCH_MAX);
        let limit = usize::try_from(limit).unwrap_or(1);
        let wait = self.params.number("timeout").unwrap_or(0).clamp(0, FETCH_WAIT_MAX).unsigned_abs();
        let kinds = self.kinds();
        let fetch = shared.change(|state| {
            state.want(kinds);
            if state.webhook().is_some() {
                return Err(conflict(
                    "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
                ));
            }
            Ok(state.begin_fetch())
        })?;
        let look = |state: &mut State| {
            if !state.is_latest_fetch(fetch) {
                return Some(Err(conflict(if state.webhook().is_some() {
                    "terminated by setWebhook request"
                } else {
                    "terminated by other getUpdates request; make sure that only one bot instance is running"
                })));
            }
            let updates = state.fetch(offset, limit);
            (!updates.is_empty()).then_some(Ok(Value::Array(updates)))
        };
        let coming = timeout(Duration::from_secs(wait), shared.until(look));
        coming.await.unwrap_or_else(|_| Ok(json!([])))
    }

    fn kinds(&self) -> Option<Vec<String>> {
        let kinds = self.params.json("allowed_updates")?.ok()?;
        Some(kinds.as_array()?.iter().filter_map(|kind| kind.as_str().map(str::to_owned)).collect())
    }

    /// The chat that is meant. Any number will do: whom a bot may write to is not known here.
    fn chat(&self) -> Result<i64, Refusal> {
        let id = self.params.text("chat_id").unwrap_or_default();
        match id.trim() {
            "" => bad("chat_id is empty"),
            // A public name, of something that is not a person.
            name if name.len() > 1 && name.starts_with('@') => Ok(-1),
            number => match number.parse() {
                Ok(0) | Err(_) => bad("chat not found"),
                Ok(id) => Ok(id),
            },
        }
    }

    fn text(&self) -> Result<String, Refusal> {
        let text = self.params.text("text").unwrap_or_default();
        match units(text.trim()) {
            0 => bad("message text is empty"),
            length if length > TEXT_UNITS_MAX => bad("message is too long"),
            _ => Ok(text),
        }
    }

    /// Refuses what says how a message looks, and cannot be read.
    fn check_looks(&self) -> Result<(), Refusal> {
        let mode = self.params.text("parse_mode").unwrap_or_default().to_ascii_lowercase();
        if !matches!(mode.as_str(), "" | "markdown" | "markdownv2" | "html") {
            return bad("unsupported parse_mode");
        }
        match self.params.json("reply_markup") {
            Some(Ok(Value::Object(_))) | None => Ok(()),
            Some(Ok(_)) => bad("object expected as reply markup"),
            Some(Err(_)) => bad("can't parse reply keyboard markup JSON object"),
        }
    }

    /// The bot itself. Its number is the first part of its token.
    fn bot(&self) -> Value {
        let digits: String = self.token.chars().take_while(char::is_ascii_digit).collect();
        let id = digits.parse::<i64>().ok().filter(|id| *id > 0).unwrap_or(1);
        json!({ "id": id, "is_bot": true, "first_name": "Candor", "username": "candor_probed_bot" })
    }

    fn me(&self) -> Value {
        let mut me = self.bot();
        me["can_join_groups"] = true.into();
        me["can_read_all_group_messages"] = false.into();
        me["supports_inline_queries"] = false.into();
        me
    }
}

fn webhook(state: &State) -> Value {
    let url = state.webhook().map_or("", |webhook| webhook.url.as_str());
    json!({ "url": url, "has_custom_certificate": false, "pending_update_count": state.pending() })
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn bad<T>(why: &str) -> Result<T, Refusal> {
    Err(Refusal { code: 400, description: format!("Bad Request: {why}") })
}

fn conflict(why: &str) -> Refusal {
    Refusal { code: 409, description: format!("Conflict: {why}") }
}
