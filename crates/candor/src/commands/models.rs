//! `candor models`

use candor_config::settings::Dialect;
use serde_json::json;

use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::provider;
use crate::screen::block_on;

pub(crate) fn run(json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    block_on(async {
        let choice = provider::choose(&loaded, context.env()).await?;
        let models = if choice.dialect == Dialect::Scripted {
            choice.model.clone().into_iter().collect()
        } else {
            let server = provider::connect(&choice, context.env())?;
            let models = candor_llm::models(&server).await;
            models.map_err(|error| error.failure(&choice.name, &choice.key_source))?
        };
        if json {
            context.screen.say(format_args!("{}", json!({ "provider": choice.name, "models": models })))?;
            return Ok(Exit::Good);
        }
        let place = choice.script.map_or(choice.base_url, |script| script.display().to_string());
        context.screen.note(format_args!("{} at {place}", choice.name));
        for model in &models {
            context.screen.say(format_args!("{model}"))?;
        }
        Ok(Exit::Good)
    })
}
