//! What a session can use besides the tools that come with Candor.

pub(crate) mod mcp;
pub(crate) mod prompts;
mod web;

use std::path::Path;
use std::sync::Arc;

use candor_agent::{Verifier, VerifyTool};
use candor_cards::one_line;
use candor_config::{Env, Loaded};
use candor_mcp::{Read, Servers, Standing, Status};
use candor_protocol::Failure;
use candor_redact::Redactor;
use candor_runtime::{Runtime, Setup};
use candor_tools::command_tools::CommandTools;
use candor_tools::hooks::HookFiles;
use candor_tools::notes::{Notes, NotesTool};
use candor_tools::skills::{SkillTool, Skills};
use candor_tools::trust::Trust;
use candor_tools::{Registry, Tool, ToolSearch, ToolSource};

use crate::context::Context;
use crate::fail::Fail;
use crate::{assemble, context_tools, note_packs, recipes, screen};

/// The tools that a person describes, in the home.
const TOOLS: &str = "tools.yaml";
/// A person's own skills: in Candor's home, and where all agents look for them, in the person's.
const SKILLS: &str = "skills";
const SHARED_SKILLS: &str = ".agents/skills";
/// What a person trusts of what folders bring along.
const TRUST: &str = "trust.json";

/// What a person can use, or has to be told, between one message and the next.
pub(crate) struct AtHand {
    pub(crate) servers: Arc<Servers>,
    command_tools: Arc<CommandTools>,
    /// The mistakes in the file of tools that were told.
    told: Vec<Failure>,
}

impl AtHand {
    /// A line for every mistake that has come into the file of tools since the last time.
    pub(crate) fn warn_of_news(&mut self, context: &Context<'_>) {
        let broken = self.command_tools.broken();
        for failure in broken.iter().filter(|failure| !self.told.contains(failure)) {
            warn_of_tool(failure, context);
        }
        self.told = broken;
    }
}

/// Opens the sessions of a home, with everything that they can use.
pub(crate) async fn open(
    mut setup: Setup,
    loaded: &Loaded,
    context: &Context<'_>,
) -> Result<(Runtime, AtHand), Fail> {
    let (workspace, verifier) = (setup.workspace.clone(), Arc::clone(&setup.verifier));
    let offered = Offered::new(loaded, &workspace, context)?;
    recipes::warn(&setup.tools.recipes, context);
    offered.warn(context);
    setup.secrets = context.screen.secrets().into();
    setup.skills = offered.skills();
    setup.hooks = Arc::clone(&offered.hooks);
    let runtime = Runtime::open(&assemble::database(loaded), setup).await?;
    // What nobody knows yet is found out beside everything else.
    offered.servers.learn();
    let (servers, command_tools) = (Arc::clone(&offered.servers), Arc::clone(&offered.command_tools));
    let at_hand = AtHand { servers, told: command_tools.broken(), command_tools };
    offered.offer(runtime.tools(), &workspace, &verifier);
    Ok((runtime, at_hand))
}

/// Shows `delegate` among tools that nobody will call; the runtime has its own.
pub(crate) fn delegate(registry: &Registry, loaded: &Loaded) {
    let delegate = &loaded.config.delegate;
    if delegate.enabled && delegate.max_children.get() > 0 {
        registry.add(candor_runtime::delegate_tool());
    }
}

/// What there is besides the tools that come with Candor.
pub(crate) struct Offered {
    command_tools: Arc<CommandTools>,
    skills: Arc<Skills>,
    hooks: Arc<HookFiles>,
    servers: Arc<Servers>,
    /// What is wrong with the files that name servers.
    server_problems: Vec<Failure>,
    web: Vec<Arc<dyn Tool>>,
    notes: NotesTool,
}

impl Offered {
    /// Reads what a person and a workspace bring along. Nothing is started.
    pub(crate) fn new(loaded: &Loaded, workspace: &Path, context: &Context<'_>) -> Result<Self, Fail> {
        let env = context.env();
        let trust = trust(loaded);
        let command_tools = Arc::new(command_tools(loaded, env));
        context.screen.keep_secret(secrets(&command_tools.asked_for(), env));
        let web = web::tools(loaded, context)?;
        let Read { entries, problems } = mcp::entries(loaded, workspace, env, &trust);
        context.screen.keep_secret(mcp::secrets(&entries));
        // What is a secret is known by now.
        let redactor = context.screen.redactor();
        let mask = Arc::new(move |text: &str| redactor.redact_str(text).into_owned());
        Ok(Self {
            notes: NotesTool::new(mask, note_packs::finder()),
            command_tools,
            skills: Arc::new(skills(loaded, workspace, env)),
            hooks: Arc::new(hooks(loaded, workspace)),
            servers: mcp::servers(entries, loaded, workspace, context),
            server_problems: problems,
            web,
        })
    }

    /// A line for everything that is left out.
    pub(crate) fn warn(&self, context: &Context<'_>) {
        for failure in self.command_tools.broken() {
            warn_of_tool(&failure, context);
        }
        for failure in &self.server_problems {
            let card = candor_cards::card(failure);
            let cause = one_line(&card.cause.lines().collect::<Vec<_>>().join(" "));
            context.screen.warn(&format!("{cause} ({})", failure.code));
        }
        let hooks = self.hooks.found();
        for failure in hooks.iter().flat_map(|found| &found.problems) {
            let fact = |name| one_line(failure.fact(name).unwrap_or_default());
            let (path, entry, reason) = (fact("path"), fact("entry"), fact("reason"));
            context.screen.warn(&format!("{path}: {entry} is left out: {reason} ({})", failure.code));
        }
        let hooks = hooks.iter().filter(|found| !found.trusted).map(|found| found.hooks.len()).sum();
        let skills = self.skills.found().iter().filter(|found| !found.trusted).count();
        let untrusted = |status: &Status| matches!(status.standing, Standing::Untrusted);
        let servers = self.servers.statuses().iter().filter(|status| untrusted(status)).count();
        let counted = |count: usize, what: &str| (count > 0).then(|| screen::counted(count as u64, what));
        let what: Vec<String> =
            [counted(skills, "skill"), counted(servers, "MCP server"), counted(hooks, "hook")]
                .into_iter()
                .flatten()
                .collect();
        if !what.is_empty() {
            let what = what.join(" and ");
            context.screen.warn(&format!("{what} of this folder left out: not trusted yet (`candor trust`)"));
        }
    }

    /// Offers all of it.
    pub(crate) fn offer(self, registry: &Registry, workspace: &Path, verifier: &Arc<Verifier>) {
        registry.add(Arc::new(VerifyTool::new(Arc::clone(verifier))));
        registry.add(Arc::new(self.notes));
        context_tools::offer(registry, workspace);
        for tool in self.web {
            registry.add(tool);
        }
        // Without a skill nobody has to be told how to take one up.
        if !self.skills.found().is_empty() {
            registry.add(Arc::new(SkillTool::new(self.skills)));
        }
        registry.add_source(self.command_tools);
        let server_tools = Arc::new(mcp::ServerTools::new(self.servers));
        registry.add(Arc::new(ToolSearch::new(Arc::clone(&server_tools) as Arc<dyn ToolSource>)));
        registry.add_source(server_tools);
    }

    /// The skills among it.
    pub(crate) fn skills(&self) -> Arc<Skills> {
        Arc::clone(&self.skills)
    }
}

fn warn_of_tool(failure: &Failure, context: &Context<'_>) {
    let fact = |name| one_line(failure.fact(name).unwrap_or_default());
    let (path, line, tool, reason) = (fact("path"), fact("line"), fact("tool"), fact("reason"));
    let code = failure.code;
    context.screen.warn(&format!("{path}, line {line}: {tool} is left out: {reason} ({code})"));
}

/// The skills of a workspace, and the person's own.
pub(crate) fn skills(loaded: &Loaded, workspace: &Path, env: &Env) -> Skills {
    let shared = env.user_home().map(|home| home.join(SHARED_SKILLS));
    let own = shared.into_iter().chain([loaded.home.join(SKILLS)]).collect();
    Skills::new(Skills::places(own, workspace), Arc::new(trust(loaded)))
}

/// The hooks of a workspace, and the person's own.
pub(crate) fn hooks(loaded: &Loaded, workspace: &Path) -> HookFiles {
    // What is trusted is trusted in a folder: it has one name.
    let workspace = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
    HookFiles::new(HookFiles::places(loaded.home.path(), &workspace), Arc::new(trust(loaded)))
}

/// The notes of a workspace, and the person's own.
pub(crate) fn notes(loaded: &Loaded) -> Notes {
    Notes::new(loaded.workspace.clone(), Some(loaded.home.path().to_owned()))
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
