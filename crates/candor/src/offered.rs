//! What a session can use besides the tools that come with Candor.

use std::path::Path;
use std::sync::Arc;

use candor_agent::{Verifier, VerifyTool};
use candor_config::{Env, Loaded};
use candor_redact::Redactor;
use candor_runtime::{Runtime, Setup};
use candor_tools::Registry;
use candor_tools::command_tools::CommandTools;

use crate::context::Context;
use crate::fail::Fail;
use crate::{assemble, context_tools, recipes};

/// The tools that a person describes, in the home.
const TOOLS: &str = "tools.yaml";

/// Opens the sessions of a home, with everything that they can use.
pub(crate) async fn open(mut setup: Setup, loaded: &Loaded, context: &Context<'_>) -> Result<Runtime, Fail> {
    recipes::warn(&setup.tools.recipes, context);
    let command_tools = Arc::new(command_tools(loaded, context.env()));
    for failure in command_tools.broken() {
        let fact = |name| failure.fact(name).unwrap_or_default();
        let (path, line, tool, reason) = (fact("path"), fact("line"), fact("tool"), fact("reason"));
        context.screen.warn(&format!("{path}, line {line}: {tool} is left out: {reason} ({})", failure.code));
    }
    let env = context.env();
    context.screen.keep_secret(secrets(&command_tools.asked_for(), env));
    setup.secrets = context.screen.secrets().into();
    let (workspace, verifier) = (setup.workspace.clone(), Arc::clone(&setup.verifier));
    let runtime = Runtime::open(&assemble::database(loaded), setup).await?;
    offer(runtime.tools(), &workspace, &verifier, command_tools);
    Ok(runtime)
}

/// All tools that a session in a folder has.
pub(crate) fn offer(
    registry: &Registry,
    workspace: &Path,
    verifier: &Arc<Verifier>,
    command_tools: Arc<CommandTools>,
) {
    registry.add(Arc::new(VerifyTool::new(Arc::clone(verifier))));
    context_tools::offer(registry, workspace);
    registry.add_source(command_tools);
}

/// The tools of the home's file.
pub(crate) fn command_tools(loaded: &Loaded, env: &Env) -> CommandTools {
    let env = env.all().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    CommandTools::new(loaded.home.join(TOOLS), env)
}

/// Of the variables that are given to programs, the values that are secrets by their names: what a program says must not
/// show them.
fn secrets(names: &[String], env: &Env) -> Vec<String> {
    let redactor = Redactor::new();
    let is_secret = |(name, value): &(&str, &str)| {
        let told = format!("{name}={value}");
        names.iter().any(|asked| asked == name) && redactor.redact_str(&told) != told
    };
    env.all().filter(is_secret).map(|(_, value)| value.to_owned()).collect()
}
