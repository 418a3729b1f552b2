//! `ask_user`: asks the person something that only they can know.

use std::time::Duration;

use candor_protocol::{Answer, ToolSpec};
use serde_json::{Value, json};

use crate::approval::{self, Question};
use crate::{BoxFuture, Effect, Error, Missing, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "ask_user";

/// More than this many choices are no question but a form.
const CHOICES_MAX: usize = 10;

/// Why a person is asked.
const LEFT_TO_THEM: &str = "the model leaves this to you";

/// Whoever is asked in the evening may answer in the morning. Whether anybody is there at all is settled at once.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

arguments! {
    struct Args<'a> {
        question: &'a str;
        choices: Option<Vec<&'a str>>;
    }
}

/// Asks the person.
pub(crate) struct AskUser {
    spec: ToolSpec,
}

impl AskUser {
    pub(crate) fn new() -> Self {
        let description = "Ask what only the user can decide. They may be away.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description) }
    }

    async fn ask(call_id: &str, args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        let args: Args<'_> = arguments::of(NAME, args)?;
        let question = args.question.trim();
        if question.is_empty() {
            return Err(Error::arguments(NAME, "`question` is empty"));
        }
        let choices = choices(args.choices.unwrap_or_default())?;
        let asked = Question {
            call_id: call_id.to_owned(),
            text: question.to_owned(),
            reason: Some(LEFT_TO_THEM.to_owned()),
            diff: None,
            choices,
            pattern: None,
        };
        match approval::ask(asked, NAME, context).await? {
            Some(reply) => {
                let answer = json!({ "answer": reply.choice, "remark": reply.reason });
                Ok(ToolOutput::success(answer.to_string(), reply.choice))
            }
            None => Err(Error::Unapproved {
                tool: NAME.to_owned(),
                command: question.to_owned(),
                reason: "only the user can decide this, says the model".to_owned(),
                missing: Missing::Answer,
            }),
        }
    }
}

/// The choices, where there are any. Our own words for an approval are not among them: an answer to a question must never
/// be taken for one.
fn choices(choices: Vec<&str>) -> Result<Vec<String>, Error> {
    if choices.len() > CHOICES_MAX {
        return Err(Error::arguments(NAME, format!("`choices` has more than {CHOICES_MAX} entries")));
    }
    if choices.iter().any(|choice| choice.trim().is_empty() || *choice == Answer::ONCE) {
        return Err(Error::arguments(
            NAME,
            "a choice is empty or stands for something else; use other words",
        ));
    }
    Ok(choices.into_iter().map(str::to_owned).collect())
}

impl Tool for AskUser {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    /// It changes nothing, but two questions at once are one too many.
    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Alone
    }

    fn time_max(&self, _args: &Value, _context: &ToolContext) -> Duration {
        PATIENCE
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(Self::ask(&context.call_id, args, context).await, context) })
    }
}
