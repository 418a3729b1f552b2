//! What a session can use besides the tools that come with Candor.

use std::path::Path;
use std::sync::Arc;

use candor_agent::{Verifier, VerifyTool};
use candor_config::{Env, Loaded};
use candor_redact::Redactor;
use candor_runtime::{Runtime, Setup};
use candor_tools::Registry;
use candor_tools::command_tools::CommandTools;
use candor_tools::skills::{SkillTool, Skills};
use candor_tools::trust::Trust;

use crate::context::Context;
use crate::fail::Fail;
use crate::{assemble, context_tools, recipes};

/// The tools that a person describes, in the home.
const TOOLS: &str = "tools.yaml";
/// A person's own skills: in Candor's home, and where all agents look for them, in the person's.
const SKILLS: &str = "skills";
const SHARED_SKILLS: &str = ".agents/skills";
/// What a person trusts of what folders bring along.
const TRUST: &str = "trust.json";

/// Opens the sessions of a home, with everything that they can use.
pub(crate) async fn open(mut setup: Setup, loaded: &Loaded, context: &Context<'_>) -> Result<Runtime, Fail> {
    recipes::warn(&setup.tools.recipes, context);
    let command_tools = Arc::new(command_tools(loaded, context.env()));
    for failure in command_tools.broken() {
        let fact = |name| failure.fact(name).unwrap_or_default();
        let (path, line, tool, reason) = (fact("path"), fact("line"), fact("tool"), fact("reason"));
        context.screen.warn(&format!("{path}, line {line}: {tool} is left out: {reason} ({})", failure.code));
    }
    let untrusted = setup.skills.found().iter().filter(|found| !found.trusted).count();
    if untrusted > 0 {
        let what = if untrusted == 1 { "1 skill".to_owned() } else { format!("{untrusted} skills") };
        context.screen.warn(&format!("{what} of this folder left out: not trusted yet (`candor trust`)"));
    }
    let skills = Arc::clone(&setup.skills);
    let env = context.env();
    context.screen.keep_secret(secrets(&command_tools.asked_for(), env));
    setup.secrets = context.screen.secrets().into();
    let (workspace, verifier) = (setup.workspace.clone(), Arc::clone(&setup.verifier));
    let runtime = Runtime::open(&assemble::database(loaded), setup).await?;
    offer(runtime.tools(), &workspace, &verifier, command_tools, skills);
    Ok(runtime)
}

/// All tools that a session in a folder has.
pub(crate) fn offer(
    registry: &Registry,
    workspace: &Path,
    verifier: &Arc<Verifier>,
    command_tools: Arc<CommandTools>,
    skills: Arc<Skills>,
) {
    registry.add(Arc::new(VerifyTool::new(Arc::clone(verifier))));
    context_tools::offer(registry, workspace);
    registry.add_source(command_tools);
    // Without a skill nobody has to be told how to take one up.
    if !skills.found().is_empty() {
        registry.add(Arc::new(SkillTool::new(skills)));
    }
}

/// The skills of a workspace, and the person's own.
pub(crate) fn skills(loaded: &Loaded, workspace: &Path, env: &Env) -> Skills {
    let shared = env.user_home().map(|home| home.join(SHARED_SKILLS));
    let own = shared.into_iter().chain([loaded.home.join(SKILLS)]).collect();
    Skills::new(Skills::places(own, workspace), Arc::new(trust(loaded)))
}

/// What the person trusts.
pub(crate) fn trust(loaded: &Loaded) -> Trust {
    Trust::new(loaded.home.join(TRUST))
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
