//! One answer of the model, from whichever model gives one.

use candor_llm::retry::{self, Notice};
use candor_llm::{Answer, Delta, Error, Request};
use candor_protocol::{Code, DeltaKind, EventBody, Failure, Message, StopReason};

use crate::partial::Partial;
use crate::{Model, RunDeps, Sink, build_messages, pictures};

/// An answer, and who gave it.
pub(crate) struct Given<'a> {
    pub(crate) answer: Answer,
    pub(crate) model: &'a Model,
}

/// Why there is none.
pub(crate) enum NoAnswer {
    /// The conversation is too long for the model.
    TooLong(Failure),
    /// The provider does not take the pictures in it.
    Pictures(Failure),
    /// Everything else, after all that could be tried.
    Failed(Failure),
}

/// Asks the models in turn until one answers.
pub(crate) async fn ask<'a>(
    messages: &[Message],
    deps: &RunDeps<'a>,
    partial: &Partial<'_>,
) -> Result<Given<'a>, NoAnswer> {
    let mut models = deps.models.iter().peekable();
    loop {
        let Some(model) = models.next() else { return Err(NoAnswer::Failed(no_model())) };
        let request = request(messages, model, deps);
        let error = match ask_one(&request, model, deps, partial).await {
            Ok(answer) => return Ok(Given { answer, model }),
            Err(error) => error,
        };
        let failure = error.failure(model.provider.name(), &model.key_source);
        if matches!(error, Error::ContextTooLong { .. }) {
            return Err(NoAnswer::TooLong(failure));
        }
        if matches!(error, Error::PictureRefused { .. }) && pictures::count(messages) > 0 {
            return Err(NoAnswer::Pictures(failure));
        }
        match models.peek() {
            Some(next) => {
                partial.begin_anew(format!("{} failed ({error}). Trying {}.", model.name, next.name));
            }
            None => return Err(NoAnswer::Failed(failure)),
        }
    }
}

async fn ask_one(
    request: &Request,
    model: &Model,
    deps: &RunDeps<'_>,
    partial: &Partial<'_>,
) -> Result<Answer, Error> {
    let mut notice = |notice: Notice<'_>| partial.emit(event(&notice, deps.policy.max_retries));
    let first = retry::ask(model.provider.as_ref(), request, deps.policy, &mut notice).await?;
    if !first.is_empty() || first.stop == StopReason::Refusal {
        return Ok(first);
    }
    // A success without a word is a known way for providers to fail; the second one is believed. Both are paid for.
    partial.begin_anew("The answer was empty. Asking once more.".to_owned());
    let mut second = retry::ask(model.provider.as_ref(), request, deps.policy, &mut notice).await?;
    second.usage += first.usage;
    Ok(second)
}

fn request(messages: &[Message], model: &Model, deps: &RunDeps<'_>) -> Request {
    let prompt = (deps.prompt)(&model.name);
    let mut messages = build_messages(prompt.as_deref(), messages);
    pictures::leave_out_excess(&mut messages);
    Request {
        model: model.name.clone(),
        messages,
        tools: deps.tools.offered(&deps.context.sought, model.context_window),
        max_tokens: deps.max_tokens,
        context_tokens: model.context_window,
        cache_key: Some(deps.context.session.to_string()),
    }
}

/// What a waiting person sees of it.
pub(crate) fn event(notice: &Notice<'_>, max_retries: u32) -> EventBody {
    match notice {
        Notice::Delta(Delta::Text(text)) => {
            EventBody::StreamDelta { text: (*text).to_owned(), kind: DeltaKind::Text }
        }
        Notice::Delta(Delta::Reasoning(text)) => {
            EventBody::StreamDelta { text: (*text).to_owned(), kind: DeltaKind::Reasoning }
        }
        Notice::Waiting { attempt, delay, error, discard } => EventBody::Status {
            message: format!(
                "{} Retrying in {:.1}s (attempt {attempt} of {max_retries})...",
                sentence(error),
                delay.as_secs_f32()
            ),
            attempt: Some(*attempt),
            delay_ms: Some(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)),
            discard: *discard,
        },
    }
}

fn sentence(error: &Error) -> &'static str {
    match error {
        Error::RateLimited { .. } => "Rate limited.",
        Error::Unavailable { .. } => "The provider is overloaded or out of order.",
        Error::Unreachable { .. } => "The provider cannot be reached.",
        Error::Silent { .. } => "The provider said nothing for too long.",
        Error::Cut { .. } => "The answer was cut off.",
        _ => "The provider failed.",
    }
}

fn no_model() -> Failure {
    Failure::new(Code::ProviderNotConfigured).with("variables", "").with("addresses", "")
}
