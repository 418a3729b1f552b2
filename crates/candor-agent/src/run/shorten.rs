//! A run that makes its conversation shorter: because it was asked to, before the window is full, or because the model
//! says that it is.

use candor_llm::retry::{self, Notice};
use candor_llm::{Answer, Request};
use candor_log::event::SessionCompacted;
use candor_protocol::{EventBody, Role, SummarisedBy};
use candor_tools::hooks::Trigger;
use tokio::time::timeout;

use super::{End, Run};
use crate::compact::{self, Ladder, Room, Shortened, Unusable};
use crate::{Model, pictures, turn};

const SHORTENING: &str = "Shortening the conversation…";
const NOTHING_TO_SHORTEN: &str = "There is nothing in the conversation that could be shortened.";

/// Whether the conversation became shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    Shorter,
    Nothing,
}

impl Run<'_, '_> {
    /// The whole of a run that is there to shorten the conversation.
    pub(super) async fn compact(&mut self) -> End {
        match self.summarise(Trigger::Manual).await {
            Ok(Came::Shorter) => End::Compacted,
            Ok(Came::Nothing) => {
                self.status(NOTHING_TO_SHORTEN.to_owned());
                End::Compacted
            }
            Err(end) => end,
        }
    }

    /// Shortens the conversation before it fills the window.
    pub(super) async fn make_room(&mut self) -> Result<(), End> {
        let room = self.room();
        if !self.deps.compaction.enabled || self.tokens() <= room.limit {
            return Ok(());
        }
        if self.drop_seen_pictures() && self.tokens() <= room.limit {
            return Ok(());
        }
        let old = compact::first(&self.messages, self.summary.as_ref(), room);
        let tokens = old.map_or(0, |old| old.unsummarised_tokens());
        // What came to nothing once is not paid for again until there is more.
        let is_worth = old.is_some() && room.is_worth(tokens.saturating_sub(self.futile_tokens));
        if is_worth && self.summarise(Trigger::Auto).await? == Came::Nothing {
            self.futile_tokens = tokens;
        }
        Ok(())
    }

    /// Shortens the conversation after the model has said that it is too long; whether that was possible.
    pub(super) async fn shorten(&mut self) -> Result<bool, End> {
        if self.drop_seen_pictures() {
            return Ok(true);
        }
        if self.ladder.is_none() && self.summarise(Trigger::Auto).await? == Came::Shorter {
            return Ok(true);
        }
        self.ask_to_compact(Trigger::Auto).await?;
        let (room, tokens_before) = (self.room(), self.tokens());
        let (messages, summary) = (&self.messages, &self.summary);
        let ladder = self.ladder.get_or_insert_with(|| Ladder::new(messages.clone(), summary.clone()));
        let Some(shortened) = ladder.down(room) else { return Ok(false) };
        self.replace(shortened, tokens_before, SummarisedBy::Rules);
        self.tell_compacted(Trigger::Auto).await?;
        Ok(true)
    }

    /// Puts a summary in the place of what is older than the kept part: the model's, or that of the rules.
    async fn summarise(&mut self, trigger: Trigger) -> Result<Came, End> {
        if compact::first(&self.messages, self.summary.as_ref(), self.room()).is_none() {
            return Ok(Came::Nothing);
        }
        self.ask_to_compact(trigger).await?;
        let came = self.write_summary().await?;
        if came == Came::Shorter {
            self.tell_compacted(trigger).await?;
        }
        Ok(came)
    }

    async fn write_summary(&mut self) -> Result<Came, End> {
        let (room, tokens_before) = (self.room(), self.tokens());
        let summary = self.summary.clone();
        let Some(old) = compact::first(&self.messages, summary.as_ref(), room) else {
            return Ok(Came::Nothing);
        };
        let removed = old.messages.len();
        self.status(SHORTENING.to_owned());
        let key = self.deps.context.session.to_string();
        let asked = self.deps.models.first().map(|model| (model, compact::request(old, model, room, key)));
        let written = match asked {
            Some((model, Some(request))) => self.written(&request, model).await?,
            Some((_, None)) => Err("it could not read all that the user said".to_owned()),
            None => Err("there is no model".to_owned()),
        };
        let old = compact::Old { messages: &self.messages[..removed], summary: summary.as_ref() };
        let shortened = written.and_then(|answer| {
            let body = compact::usable(&answer).map_err(why)?;
            let body = self.deps.mask.conceal(&body);
            compact::by_model(&self.messages, old, &body, room).map_err(why)
        });
        match shortened {
            Ok(shortened) => {
                self.ladder =
                    Some(Ladder::below_first(shortened.messages.clone(), Some(shortened.summary.clone())));
                self.replace(shortened, tokens_before, SummarisedBy::Model);
                Ok(Came::Shorter)
            }
            Err(reason) => {
                let reason = reason.trim_end_matches('.');
                self.status(format!("The model wrote no summary: {reason}. Fixed rules write it instead."));
                Ok(self.summarise_by_rules(room, tokens_before))
            }
        }
    }

    fn summarise_by_rules(&mut self, room: Room, tokens_before: u64) -> Came {
        let mut ladder = Ladder::new(std::mem::take(&mut self.messages), self.summary.clone());
        let Some(shortened) = ladder.step(room) else {
            self.messages = ladder.into_base();
            return Came::Nothing;
        };
        self.replace(shortened, tokens_before, SummarisedBy::Rules);
        self.ladder = Some(ladder);
        Came::Shorter
    }

    /// Asks the model for a summary. What it says is not told: nobody asked for it. The text is why there is none.
    async fn written(&mut self, request: &Request, model: &Model) -> Result<Result<Answer, String>, End> {
        let (sink, policy) = (self.sink, self.deps.policy);
        let mut notice = |notice: Notice<'_>| {
            if let Notice::Waiting { attempt, delay, error, .. } = notice {
                // Nothing of it was shown that could be void now.
                let notice = Notice::Waiting { attempt, delay, error, discard: false };
                sink.emit(turn::event(&notice, policy.max_retries));
            }
        };
        let asked = retry::ask(model.provider.as_ref(), request, policy, &mut notice);
        let answer = tokio::select! {
            biased;
            () = self.deps.context.cancel.cancelled() => {
                // A user who stops wants no summary either; the rules have one ready when it was only the clock.
                return match self.budget.out_of_time() {
                    Some(_) => Ok(Err("the time of the run is over".to_owned())),
                    None => Err(End::Cancelled),
                };
            }
            asked = timeout(compact::TIME_MAX, asked) => asked,
        };
        Ok(match answer {
            Ok(Ok(answer)) => {
                self.pay(model, answer.usage);
                Ok(answer)
            }
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("it took too long".to_owned()),
        })
    }

    /// Leaves out the pictures that an answer has been given to: they take much room, and what they showed has been
    /// said. Whether there were any.
    fn drop_seen_pictures(&mut self) -> bool {
        let answered = self.messages.iter().rposition(|message| message.role == Role::Assistant);
        self.drop_pictures(answered.unwrap_or_default(), pictures::GAVE_WAY)
    }

    /// Leaves out the pictures of the first so many messages, for good; whether there were any.
    pub(super) fn drop_pictures(&mut self, messages: usize, words: &str) -> bool {
        let count = pictures::count(&self.messages[..messages]);
        if count == 0 {
            return false;
        }
        let tokens_before = self.tokens();
        pictures::leave_out(&mut self.messages, count, words);
        self.uncounted = self.messages.len();
        // A ladder would bring them back.
        self.ladder = None;
        self.sink.emit(EventBody::Compacted {
            removed_messages: 0,
            removed_images: count as u64,
            summary_tokens: 0,
            summary: words.to_owned(),
            tokens_before,
            read_files: Vec::new(),
            modified_files: Vec::new(),
            by: SummarisedBy::Rules,
        });
        true
    }

    /// Goes on with the shorter conversation, and tells everyone.
    fn replace(&mut self, shortened: Shortened, tokens_before: u64, by: SummarisedBy) {
        let Shortened { messages, summary, removed, summary_tokens } = shortened;
        let removed_messages = removed as u64;
        SessionCompacted { session_id: self.deps.context.session, removed_messages, summary_tokens }.log();
        self.sink.emit(EventBody::Compacted {
            removed_messages,
            removed_images: 0,
            summary_tokens,
            summary: summary.text.clone(),
            tokens_before,
            read_files: summary.read_files.clone(),
            modified_files: summary.modified_files.clone(),
            by,
        });
        self.uncounted = messages.len();
        self.futile_tokens = 0;
        self.messages = messages;
        self.summary = Some(summary);
    }

    fn room(&self) -> Room {
        Room::new(self.deps.compaction, self.window())
    }

    fn window(&self) -> Option<u64> {
        self.deps.models.first().and_then(|model| model.context_window)
    }

    /// How much of the window the next request takes.
    fn tokens(&self) -> u64 {
        compact::estimate(&self.messages, self.uncounted, || {
            let prompt = (self.deps.prompt)(self.model_name());
            let offered = self.deps.tools.offered(&self.deps.context.sought, self.window());
            compact::of_prompt(prompt.as_deref(), &offered)
        })
    }
}

fn why(unusable: Unusable) -> String {
    match unusable {
        Unusable::Cut => "it was cut off",
        Unusable::Refused => "it refused",
        Unusable::Calls => "it asked for tools instead",
        Unusable::Incomplete => "sections are missing",
        Unusable::TooLong => "it is no shorter than what it would replace",
    }
    .to_owned()
}
