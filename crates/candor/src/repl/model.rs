//! `/model`: which model answers.

use candor_config::Flag;
use candor_config::settings::Dialect;
use candor_protocol::{Code, Failure};

use super::{Named, Repl};
use crate::context::Context;
use crate::fail::Fail;
use crate::provider::Choice;
use crate::{assemble, provider};

/// A date in the name of a model begins with at least so many digits; a version number has fewer.
const DATE_DIGITS_MIN: usize = 4;

impl Repl<'_> {
    /// Says which model answers, and which others there are.
    pub(super) async fn models(&mut self) -> Result<(), Fail> {
        let Named { model, provider } = &self.model;
        self.tell(&format!("{model} of {provider}"))?;
        let choice = provider::choose(&self.loaded, self.context.env()).await?;
        for name in offered(&choice, self.context).await.unwrap_or_default() {
            let mark = if name == self.model.model { '*' } else { ' ' };
            self.tell(&format!("{mark} {name}"))?;
        }
        Ok(())
    }

    /// Lets another model answer from the next run on. Whatever is wrong with it, the one before stays.
    pub(super) async fn use_model(&mut self, name: &str) -> Result<(), Fail> {
        let mut request = self.request.clone();
        let (provider, model) = match name.split_once('/') {
            Some((provider, model)) if assemble::is_provider(provider, &self.loaded) => {
                (Some(provider), model)
            }
            _ => (None, name),
        };
        request.flags.retain(|flag| flag.key != "model" && (provider.is_none() || flag.key != "provider"));
        request.flags.extend(provider.map(|value| Flag {
            name: "/model",
            key: "provider",
            value: value.to_owned(),
        }));
        request.flags.push(Flag { name: "/model", key: "model", value: model.to_owned() });
        let context = Context { screen: self.screen, request, global: self.context.global };
        let loaded = context.load_quietly()?;
        let choice = provider::choose(&loaded, context.env()).await?;
        check(model, &choice, &context).await?;
        let setup = assemble::setup(Some(self.ask), &loaded, &context).await?;
        let named = Named::of(&setup);
        self.runtime.reconfigure(setup);
        self.remark(&format!("{} of {} answers from now on", named.model, named.provider));
        (self.model, self.loaded, self.request) = (named, loaded, context.request);
        Ok(())
    }
}

/// The models that a provider lists; none for one that lists none.
async fn offered(choice: &Choice, context: &Context<'_>) -> Result<Vec<String>, Failure> {
    if choice.dialect == Dialect::Scripted {
        return Ok(Vec::new());
    }
    let server = provider::connect(choice, context.env())?;
    let models = candor_llm::models(&server).await;
    models.map_err(|error| error.failure(&choice.name, &choice.key_source))
}

/// Whether a provider has a model. One that lists none, or does not answer, is believed: the next run will tell.
async fn check(name: &str, choice: &Choice, context: &Context<'_>) -> Result<(), Failure> {
    let Ok(models) = offered(choice, context).await else { return Ok(()) };
    if models.is_empty() || models.iter().any(|model| is_name_of(name, model)) {
        return Ok(());
    }
    Err(Failure::new(Code::ProviderModelUnknown).with("provider", &choice.name).with("model", name))
}

/// Whether a name stands for a model of a list. A list names exact versions; `…-latest`, and a name without its date or
/// its tag, are good all the same.
fn is_name_of(name: &str, model: &str) -> bool {
    let latest = name.strip_suffix("-latest").filter(|stem| !stem.is_empty());
    let Some(rest) = model.strip_prefix(latest.unwrap_or(name)) else { return false };
    let is_date = |rest: &str| {
        rest.chars().take(DATE_DIGITS_MIN).filter(char::is_ascii_digit).count() == DATE_DIGITS_MIN
    };
    let is_version = |rest: &str| latest.is_some() || is_date(rest);
    rest.is_empty() || rest.starts_with(':') || rest.strip_prefix('-').is_some_and(is_version)
}
