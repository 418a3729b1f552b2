//! A provider that plays a script: for tests and demonstrations without a key, a network or chance.
//!
//! The place in the script comes from the request, not from a counter: a session that is resumed, also in another
//! process, goes on where it was. Only failures are counted, as they leave no trace in a conversation.

mod scene;
mod script;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use candor_protocol::{Role, Usage};
use serde_json::Value;

use self::scene::Scene;
use self::script::{Fault, Kind, Reply, Script};
use crate::draft::Draft;
use crate::{Answer, BoxFuture, Delta, Error, Provider, Request};

/// A provider that plays a script.
#[derive(Debug)]
pub struct ScriptedProvider {
    name: String,
    path: String,
    script: Script,
    /// The failures that were played, by their place; never more than the script has.
    played: Mutex<BTreeSet<usize>>,
}

impl ScriptedProvider {
    /// Reads the script at `path`.
    pub fn open(name: String, path: &Path) -> Result<Self, Error> {
        let shown = path.display().to_string();
        match script::read(path) {
            Ok(text) => Self::from_json(name, &text, shown),
            Err(reason) => Err(Error::Script { path: shown, reason }),
        }
    }

    /// Reads a script from its text; `path` is what errors call it.
    pub fn from_json(name: String, text: &str, path: impl Into<String>) -> Result<Self, Error> {
        let path = path.into();
        match script::parse(text) {
            Ok(script) => Ok(Self { name, path, script, played: Mutex::default() }),
            Err(reason) => Err(Error::Script { path, reason }),
        }
    }

    async fn play(
        &self,
        request: &Request,
        deltas: &mut (dyn FnMut(Delta<'_>) + Send),
    ) -> Result<Answer, Error> {
        let said = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
        let Some((at, reply)) = self.choose(said) else {
            let replies = self.script.replies.len();
            return Err(self.error(format!(
                "the script has ended: answer {} was asked for, and there are {replies} replies",
                said + 1
            )));
        };
        let scene = Scene::of(&request.messages);
        if let Some(surprise) = reply.expect.as_ref().and_then(|expect| scene.surprise(expect)) {
            return Err(self.error(format!("reply {}: {surprise}", at + 1)));
        }
        if reply.error.is_some() {
            self.lock().insert(at);
        }
        let mut draft = Draft::default();
        draft.model(&request.model);
        speak(reply, &scene, &mut draft, deltas).await?;
        match &reply.error {
            Some(fault) => Err(failure(fault)),
            None => finish(reply, &scene, draft),
        }
    }

    /// The next reply and its place, when the assistant has spoken so many times. Failures come before the answer that
    /// follows them, each once.
    fn choose(&self, said: usize) -> Option<(usize, &Reply)> {
        let replies = &self.script.replies;
        let answers: Vec<usize> = (0..replies.len()).filter(|&at| replies[at].error.is_none()).collect();
        let behind = |count: usize| match count {
            0 => Some(0),
            _ => answers.get(count - 1).map(|at| at + 1),
        };
        let starts_again = self.script.repeats && said > 0 && said.is_multiple_of(answers.len().max(1));
        let position = if self.script.repeats { said % answers.len().max(1) } else { said };
        let first = behind(position)?;
        // Failures at the very end of a script that starts again come before its beginning.
        let last_words = if starts_again { behind(answers.len())?..replies.len() } else { 0..0 };
        let played = self.lock();
        let at = last_words.chain(first..replies.len()).find(|at| !played.contains(at))?;
        Some((at, &replies[at]))
    }

    fn error(&self, reason: String) -> Error {
        Error::Script { path: self.path.clone(), reason }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<usize>> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Provider for ScriptedProvider {
    fn name(&self) -> &str {
        &self.name
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        deltas: &'a mut (dyn FnMut(Delta<'_>) + Send),
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(self.play(request, deltas))
    }
}

/// Tells thoughts and words, piece by piece.
async fn speak(
    reply: &Reply,
    scene: &Scene,
    draft: &mut Draft,
    deltas: &mut (dyn FnMut(Delta<'_>) + Send),
) -> Result<(), Error> {
    let (reasoning, text) = (scene.fill(&reply.reasoning), scene.fill(&reply.text));
    let delay = reply.delta_delay();
    let thoughts = pieces(&reasoning, reply.delta_chars).map(Delta::Reasoning);
    let words = pieces(&text, reply.delta_chars).map(Delta::Text);
    for (at, piece) in thoughts.chain(words).enumerate() {
        if at > 0 && !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        match piece {
            Delta::Reasoning(piece) => draft.reasoning(piece)?,
            Delta::Text(piece) => draft.text(piece)?,
        }
        draft.tell(deltas);
    }
    Ok(())
}

/// The text in pieces of so many letters.
fn pieces(text: &str, chars: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(chars).map_or(rest.len(), |(at, _)| at);
        let (piece, more) = rest.split_at(end);
        rest = more;
        (!piece.is_empty()).then_some(piece)
    })
}

fn finish(reply: &Reply, scene: &Scene, mut draft: Draft) -> Result<Answer, Error> {
    for (key, call) in (0..).zip(&reply.calls) {
        let args = match scene.fill_value(&call.args) {
            Value::String(text) => text,
            args => args.to_string(),
        };
        draft.call(key, call.id.as_deref(), Some(&call.name), &args)?;
    }
    let tokens = reply.usage.unwrap_or_default();
    *draft.usage() = Usage {
        cache_read_tokens: tokens.cache_read_tokens,
        cache_write_tokens: tokens.cache_write_tokens,
        ..Usage::new(tokens.input_tokens, tokens.output_tokens)
    };
    if let Some(stop) = reply.stop {
        draft.stop(stop);
    }
    Ok(draft.finish())
}

/// The failure that a provider's answer would have become.
fn failure(fault: &Fault) -> Error {
    let said = |otherwise: &str| fault.message.clone().unwrap_or_else(|| otherwise.to_owned());
    let retry_after = fault.retry_after();
    match fault.kind {
        Kind::Overloaded => {
            Error::Unavailable { status: Some(529), retry_after, message: said("overloaded") }
        }
        Kind::RateLimited => {
            Error::RateLimited { status: Some(429), retry_after, message: said("too many requests") }
        }
        Kind::Cut => Error::Cut { reason: said("the script cut it") },
        Kind::Unauthorized => Error::Unauthorized { status: 401, message: said("the key is not valid") },
        Kind::Overflow => Error::ContextTooLong { message: said("the prompt is too long") },
        Kind::BadRequest => {
            Error::BadRequest { status: Some(400), message: said("the request is not valid") }
        }
    }
}
