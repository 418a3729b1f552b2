//! `candor prompt show`

use candor_runtime::Setup;
use candor_tools::Registry;
use serde_json::json;

use crate::assemble;
use crate::cli::Prompt;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::offered::{self, Offered};
use crate::provider;

pub(crate) fn run(command: &Prompt, context: &Context<'_>) -> Result<Exit, Fail> {
    let Prompt::Show { json } = command;
    let loaded = context.load()?;
    let found = Offered::new(&loaded, &loaded.workspace, context)?;
    let setup = Setup { skills: found.skills(), ..assemble::offline(None, &loaded, context) };
    let registry = Registry::built_in();
    offered::delegate(&registry, &loaded);
    found.offer(&registry, &loaded.workspace, &setup.verifier);
    let model = provider::known_model(&loaded, context.env());
    let layers = candor_runtime::layers(&setup, &registry, model.as_deref().unwrap_or("whatever is served"));
    let bytes = layers.assemble().map_or(0, |prompt| prompt.len());
    let layers = layers.list();
    if *json {
        let list: Vec<_> = layers
            .iter()
            .map(|layer| {
                json!({ "layer": layer.name.as_str(), "source": layer.source, "bytes": layer.text.len(), "text": layer.text })
            })
            .collect();
        context.screen.say(format_args!("{}", json!({ "bytes": bytes, "layers": list })))?;
        return Ok(Exit::Good);
    }
    for layer in &layers {
        context.screen.say(format_args!(
            "== {} ({} bytes, {})\n{}\n",
            layer.name.as_str(),
            layer.text.len(),
            layer.source,
            layer.text
        ))?;
    }
    if layers.is_empty() {
        context.screen.note(format_args!("system_prompt is empty: no system message is sent"));
    } else {
        context.screen.note(format_args!("{} layers, {bytes} bytes", layers.len()));
    }
    Ok(Exit::Good)
}
