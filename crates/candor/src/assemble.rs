//! From the configuration to what runs work with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use candor_agent::{Compaction, Limits, Model, Price, Recovery, Verifier, Verify};
use candor_config::settings::{self, Approval, Config, Dialect, Permission, SandboxPolicy};
use candor_config::{Env, Loaded, SecretSource};
use candor_gate::{Gate, Lists};
use candor_llm::retry::Policy;
use candor_llm::{Provider, ScriptedProvider};
use candor_protocol::Failure;
use candor_runtime::{Bounds, PromptFiles, Retention, Setup, Titles};
use candor_store::Location;
use candor_tools::{Recipes, Rules};
use candor_verify::diagnostics::Ledger;

use crate::cli::Ask;
use crate::commands::verify::is_own_source;
use crate::context::Context;
use crate::databases::Databases;
use crate::provider::{self, Choice};
use crate::{recipes, walls};

/// The database of a home, unless the configuration names another file.
const DATABASE: &str = "candor.db";

/// Where in the home is kept what was in files before tools changed them.
const SNAPSHOTS: &str = "snapshots";

/// How many seconds a day has.
const DAY_SECS: u64 = 86_400;

/// The database that sessions are kept in.
pub(crate) fn database(loaded: &Loaded) -> Location {
    let Some(url) = loaded.config.session.database_url.as_deref() else {
        return Location::File(loaded.home.join(DATABASE));
    };
    match url.strip_prefix("sqlite:") {
        Some(path) => Location::File(loaded.home.path().join(path.trim_start_matches("//"))),
        None => Location::Postgres(url.to_owned()),
    }
}

/// What runs work with.
pub(crate) async fn setup(
    ask: Option<&Ask>,
    loaded: &Loaded,
    context: &Context<'_>,
) -> Result<Setup, Failure> {
    let env = context.env();
    let first = provider::choose(loaded, env).await?;
    let made = model(&first, env).await?;
    let others = models(&loaded.config.fallback_models, &first, loaded, env).await?;
    let for_children = models(&loaded.config.delegate.models, &first, loaded, env).await?;
    let keys = others.iter().chain(&for_children).map(|(choice, _)| choice).chain([&first]);
    let keys = keys.filter_map(|choice| choice.key.as_ref());
    context.screen.keep_secret(keys.map(|key| key.reveal().to_owned()));
    let bare = |(_, model)| model;
    let models = std::iter::once(made).chain(others.into_iter().map(bare)).collect();
    let child_models = for_children.into_iter().map(bare).collect();
    let mut setup = Setup { models, child_models, ..offline(ask, loaded, context) };
    setup.tools.gate = Arc::new(gate(loaded)?);
    Ok(setup)
}

/// The same without a model: nothing is connected to.
pub(crate) fn offline(ask: Option<&Ask>, loaded: &Loaded, context: &Context<'_>) -> Setup {
    let config = &loaded.config;
    let workspace = workspace(&loaded.workspace);
    let rules = rules(&workspace, loaded, context.env());
    let walls = walls::plan(config, rules.permission, &workspace, &rules.hidden);
    Setup {
        models: Vec::new(),
        policy: Policy {
            max_retries: u32::try_from(config.retry.max_retries.get()).unwrap_or(u32::MAX),
            base_delay: config.retry.base_delay_ms.get(),
            max_delay: config.retry.max_delay_ms.get(),
            statuses: config
                .retry
                .retryable_statuses
                .iter()
                .filter_map(|status| u16::try_from(status.get()).ok())
                .collect(),
        },
        limits: limits(ask, loaded),
        max_tokens: config.max_tokens.map(candor_config::Whole::get),
        compaction: Compaction {
            enabled: config.compaction.enabled,
            reserve_tokens: config.compaction.reserve_tokens.get(),
            keep_tokens: config.compaction.keep_recent_tokens.get(),
        },
        verifier: Arc::new(verifier(loaded, &workspace, Ledger::default())),
        profile: config.profile.as_str().to_owned(),
        verify: if ask.is_some_and(|ask| ask.no_verify) { Verify::Waived } else { Verify::Yes },
        recovery: match config.recovery {
            settings::Recovery::Off => Recovery::Off,
            settings::Recovery::Auto => Recovery::Auto,
        },
        prompt: PromptFiles {
            identity: config.system_prompt.identity.clone(),
            identity_file: Some(config.system_prompt.identity_file.resolve(loaded.home.path())),
            custom_file: Some(config.system_prompt.custom_instructions_file.resolve(loaded.home.path())),
        },
        skills: Arc::default(),
        hooks: Arc::default(),
        walls,
        tools: rules,
        secrets: context.screen.secrets().into(),
        titles: if config.session.model_titles { Titles::ByModel } else { Titles::FirstWords },
        retention: retention(loaded),
        delegate: bounds(loaded),
        child_models: Vec::new(),
        workspace,
    }
}

/// Looks whether work is done. Our own log counts as one of the project's where the project is us, or keeps it.
pub(crate) fn verifier(loaded: &Loaded, workspace: &Path, ledger: Ledger) -> Verifier {
    let log = loaded.config.logging.file.resolve(loaded.home.path());
    let inside = log.strip_prefix(workspace).ok().map(|path| path.display().to_string());
    let name = inside.or_else(|| is_own_source(workspace).then(|| "candor.log".to_owned()));
    let project_logs = name.map(|name| (log, name)).into_iter().collect();
    Verifier::new(Arc::new(Databases), project_logs, ledger)
}

/// The folder worked in, without links: what a tool resolves must compare with it.
fn workspace(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// How long sessions are kept: for ever, unless the owner says otherwise.
fn retention(loaded: &Loaded) -> Retention {
    let session = &loaded.config.session;
    if !session.auto_cleanup {
        return Retention::default();
    }
    let some = |number: u64| (number > 0).then_some(number);
    Retention {
        sessions: some(session.max_sessions.get()).map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
        age: some(session.retention_days.get()).map(|days| Duration::from_secs(days * DAY_SECS)),
    }
}

fn limits(ask: Option<&Ask>, loaded: &Loaded) -> Limits {
    let config = &loaded.config;
    Limits {
        turns: ask.and_then(|ask| ask.max_turns).unwrap_or_else(|| config.tools.max_iterations.get()),
        cost_usd: ask.and_then(|ask| ask.max_cost).or_else(|| config.max_cost.map(|amount| amount.0)),
        time: ask.and_then(|ask| ask.timeout),
    }
}

fn rules(workspace: &Path, loaded: &Loaded, env: &Env) -> Rules {
    let (tools, security) = (&loaded.config.tools, &loaded.config.security);
    let mut hidden: Vec<PathBuf> =
        security.denied_paths.iter().filter_map(|path| path.resolve(env.user_home())).collect();
    // Our own home holds keys, tokens and every conversation; some of them may be elsewhere.
    hidden.push(loaded.home.path().to_owned());
    hidden.extend(loaded.secrets().into_iter().filter_map(|(_, source)| match source {
        SecretSource::File(path) => Some(path.clone()),
        _ => None,
    }));
    hidden.extend(loaded.files.iter().filter(|file| !file.starts_with(&loaded.workspace)).cloned());
    hidden.push(loaded.config.logging.file.resolve(loaded.home.path()));
    if let Location::File(path) = database(loaded) {
        hidden.push(path);
    }
    let (permission, approval) = permission(&loaded.config);
    Rules {
        permission,
        approval,
        gate: Arc::new(Gate::default()),
        env: candor_gate::env::filtered(env.all(), &security.allowed_env),
        timeout: tools.timeout.get(),
        output_bytes_max: usize::try_from(tools.output_limit.get()).unwrap_or(usize::MAX),
        hidden,
        allowed: security.allowed_paths.clone(),
        home: Some(loaded.home.path().to_owned()),
        writable: walls::writable(&loaded.config.sandbox.writable).collect(),
        protected: walls::protected(&loaded.config.sandbox.protected, workspace),
        snapshots: Some(loaded.home.join(SNAPSHOTS)),
        recipes: Arc::new(Recipes::new(recipes::places(Some(loaded.home.path()), workspace))),
    }
}

/// The rules of the command gate.
pub(crate) fn gate(loaded: &Loaded) -> Result<Gate, Failure> {
    let security = &loaded.config.security;
    let lists = Lists {
        allow: security.allow_commands.clone(),
        ask: security.ask_commands.clone(),
        deny: security.deny_commands.clone(),
        blocked: security.blocked_commands.clone(),
    };
    Gate::new(&lists).map_err(|error| error.failure())
}

/// What may be changed, and when a person is asked: the mode says both, and each can be set by itself.
fn permission(config: &Config) -> (candor_tools::Permission, candor_tools::Approval) {
    let (policy, approval) = match config.permission {
        Permission::ReadOnly => (SandboxPolicy::ReadOnly, Approval::Never),
        Permission::Ask => (SandboxPolicy::Workspace, Approval::Always),
        Permission::Workspace => (SandboxPolicy::Workspace, Approval::Doubtful),
        Permission::Full => (SandboxPolicy::Full, Approval::Doubtful),
    };
    // What a workspace has tightened stays tight, whatever is set singly.
    let single = config.sandbox.policy.filter(|_| config.permission != Permission::ReadOnly);
    let policy = match single.unwrap_or(policy) {
        SandboxPolicy::ReadOnly => candor_tools::Permission::ReadOnly,
        SandboxPolicy::Workspace => candor_tools::Permission::Workspace,
        SandboxPolicy::Full => candor_tools::Permission::Full,
    };
    let single = config.approval.filter(|_| config.permission != Permission::Ask);
    let approval = match single.unwrap_or(approval) {
        Approval::Always => candor_tools::Approval::Always,
        Approval::Never => candor_tools::Approval::Never,
        Approval::Doubtful => candor_tools::Approval::Doubtful,
    };
    (policy, approval)
}

/// Models by their names, of the provider in force or of another one.
async fn models(
    names: &[String],
    first: &Choice,
    loaded: &Loaded,
    env: &Env,
) -> Result<Vec<(Choice, Model)>, Failure> {
    let mut made = Vec::new();
    for wanted in names {
        let (name, of_it) = match wanted.split_once('/') {
            Some((name, of_it)) if is_provider(name, loaded) => (name, of_it),
            _ => (first.name.as_str(), wanted.as_str()),
        };
        let mut choice = provider::named(name, loaded, env)?;
        choice.model = Some(of_it.to_owned());
        let model = model(&choice, env).await?;
        made.push((choice, model));
    }
    Ok(made)
}

/// How many may work for a run.
fn bounds(loaded: &Loaded) -> Bounds {
    let delegate = &loaded.config.delegate;
    if !delegate.enabled {
        return Bounds::default();
    }
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    Bounds {
        depth: number(delegate.max_depth.get()),
        children: number(delegate.max_children.get()),
        running: number(delegate.max_running.get()),
    }
}

pub(crate) fn is_provider(name: &str, loaded: &Loaded) -> bool {
    candor_config::presets::find(name).is_some() || loaded.config.providers.contains_key(name)
}

async fn model(choice: &Choice, env: &Env) -> Result<Model, Failure> {
    let (provider, name): (Arc<dyn Provider>, String) = if choice.dialect == Dialect::Scripted {
        let script = choice.script.clone().unwrap_or_default();
        let script = ScriptedProvider::open(choice.name.clone(), &script);
        let script = script.map_err(|error| error.failure(&choice.name, &choice.key_source))?;
        (Arc::new(script), choice.model.clone().unwrap_or_default())
    } else {
        let server = provider::connect(choice, env)?;
        let name = match &choice.model {
            Some(name) => name.clone(),
            None => provider::served(&server, choice).await?,
        };
        (Arc::new(server), name)
    };
    let price =
        if choice.is_local || choice.dialect == Dialect::Scripted { Price::Free } else { Price::Listed };
    let context_window = match choice.dialect {
        Dialect::Ollama => Some(candor_llm::ollama_context_window(&name)),
        _ => candor_llm::context_window(&name),
    };
    Ok(Model { provider, name, key_source: choice.key_source.clone(), price, context_window })
}
