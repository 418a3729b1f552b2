//! Which provider, which model, which key.

use std::net::IpAddr;
use std::path::PathBuf;

use candor_config::presets::{self, PRESETS, Preset, WHATEVER_IS_SERVED};
use candor_config::settings::{Dialect, Provider as Table};
use candor_config::{Env, Loaded, Secret};
use candor_llm::{Endpoint, HttpProvider, Proxy, Timeouts};
use candor_protocol::{Code, Failure};

use crate::credentials;

/// What the model of a script is called, where nobody named it.
const SCRIPTED: &str = "scripted";

/// A provider that was decided on.
pub(crate) struct Choice {
    pub(crate) name: String,
    pub(crate) dialect: Dialect,
    pub(crate) base_url: String,
    /// What a scripted provider plays.
    pub(crate) script: Option<PathBuf>,
    pub(crate) key: Option<Secret>,
    /// Where the key came from, for people; never the key.
    pub(crate) key_source: String,
    /// The model; none where the server is to be asked.
    pub(crate) model: Option<String>,
    /// Whether the server runs on the user's own machine, at no cost.
    pub(crate) is_local: bool,
}

/// The provider that the configuration means; without one, the first whose key is at hand, then the first local server
/// that answers.
pub(crate) async fn choose(loaded: &Loaded, env: &Env) -> Result<Choice, Failure> {
    if let Some(name) = &loaded.config.provider {
        return named(name, loaded, env);
    }
    if let Some(preset) = first_with_key(env) {
        return named(preset.name, loaded, env);
    }
    for preset in PRESETS.iter().filter(|preset| preset.is_local()) {
        let choice = named(preset.name, loaded, env)?;
        if answers(&choice, env).await {
            return Ok(choice);
        }
    }
    Err(not_configured(env))
}

/// The first preset whose key is in the environment.
fn first_with_key(env: &Env) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| credentials::in_environment(preset, env).is_some())
}

/// The model that would be asked, where that is known without asking a server and without fetching a key.
pub(crate) fn known_model(loaded: &Loaded, env: &Env) -> Option<String> {
    let by_key = || first_with_key(env).map(|preset| preset.name);
    let name = loaded.config.provider.as_deref().or_else(by_key)?;
    model(presets::find(name), loaded.config.providers.get(name), loaded)
}

/// The provider of this name, a preset or a table.
pub(crate) fn named(name: &str, loaded: &Loaded, env: &Env) -> Result<Choice, Failure> {
    let preset = presets::find(name);
    let table = loaded.config.providers.get(name);
    let (key, key_source) = credentials::find(name, preset, table, loaded, env)?;
    let base_url = base_url(preset, table, env);
    // A keyed server on this machine may well be a gateway to one that costs money.
    let dialect = table
        .and_then(|table| table.dialect)
        .or_else(|| preset.map(|preset| preset.dialect))
        .unwrap_or(Dialect::OpenaiChat);
    let scripted = (dialect == Dialect::Scripted).then(|| SCRIPTED.to_owned());
    let is_local = preset.is_some_and(Preset::is_local) || (key.is_none() && is_loopback(&base_url));
    Ok(Choice {
        name: name.to_owned(),
        dialect,
        base_url,
        script: table.and_then(|table| table.script.clone()),
        key,
        key_source,
        model: model(preset, table, loaded).or(scripted),
        is_local,
    })
}

fn base_url(preset: Option<&Preset>, table: Option<&Table>, env: &Env) -> String {
    let written = table.and_then(|table| table.base_url.clone());
    let moved = || preset.and_then(|preset| env.get(preset.base_url_variable)).map(str::to_owned);
    let usual = || preset.map(|preset| preset.base_url.to_owned());
    written.or_else(moved).or_else(usual).unwrap_or_default()
}

/// The model named beside the provider; a model that was meant for another provider is not asked for here.
fn model(preset: Option<&Preset>, table: Option<&Table>, loaded: &Loaded) -> Option<String> {
    let written = loaded.config.model.clone().filter(|_| loaded.is_for_provider("model"));
    written
        .or_else(|| table.and_then(|table| table.model.clone()))
        .or_else(|| preset.map(|preset| preset.model.to_owned()))
        .filter(|model| model != WHATEVER_IS_SERVED)
}

fn is_loopback(url: &str) -> bool {
    let rest = url.split("://").nth(1).unwrap_or_default();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => host.split(':').next(),
    };
    let host = host.unwrap_or_default();
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The connection to a provider that is a server.
pub(crate) fn connect(choice: &Choice, env: &Env) -> Result<HttpProvider, Failure> {
    connect_within(choice, env, Timeouts::default())
}

fn connect_within(choice: &Choice, env: &Env, timeouts: Timeouts) -> Result<HttpProvider, Failure> {
    let endpoint = Endpoint {
        name: choice.name.clone(),
        dialect: wire(choice.dialect),
        base_url: choice.base_url.clone(),
        key: choice.key.as_ref().map(|key| key.reveal().to_owned()),
        timeouts,
        proxy: (!is_loopback(&choice.base_url)).then(|| proxy(env)).flatten(),
    };
    HttpProvider::new(endpoint).map_err(|error| error.failure(&choice.name, &choice.key_source))
}

const fn wire(dialect: Dialect) -> candor_llm::Dialect {
    match dialect {
        Dialect::OpenaiChat | Dialect::Scripted => candor_llm::Dialect::OpenaiChat,
        Dialect::OpenaiResponses => candor_llm::Dialect::OpenaiResponses,
        Dialect::Anthropic => candor_llm::Dialect::Anthropic,
        Dialect::Gemini => candor_llm::Dialect::Gemini,
        Dialect::Ollama => candor_llm::Dialect::Ollama,
    }
}

/// The proxy that the environment names, in either spelling.
fn proxy(env: &Env) -> Option<Proxy> {
    let either = |upper: &str| env.get(upper).or_else(|| env.get(&upper.to_lowercase())).map(str::to_owned);
    let all = either("ALL_PROXY");
    let proxy = Proxy {
        https: either("HTTPS_PROXY").or_else(|| all.clone()),
        http: either("HTTP_PROXY").or(all),
        no_proxy: either("NO_PROXY"),
    };
    (proxy.https.is_some() || proxy.http.is_some()).then_some(proxy)
}

/// Whether a model server is there: something that lists models, not just something that listens on its port.
async fn answers(choice: &Choice, env: &Env) -> bool {
    let Ok(provider) = connect_within(choice, env, credentials::PROBE) else { return false };
    candor_llm::models(&provider).await.is_ok_and(|models| !models.is_empty())
}

/// The first model that the server has, for servers that serve what they were started with.
pub(crate) async fn served(provider: &HttpProvider, choice: &Choice) -> Result<String, Failure> {
    let models = candor_llm::models(provider).await;
    let models = models.map_err(|error| error.failure(&choice.name, &choice.key_source))?;
    models.into_iter().next().ok_or_else(|| {
        Failure::new(Code::ProviderModelUnknown).with("provider", &choice.name).with("model", "at all")
    })
}

pub(crate) fn not_configured(env: &Env) -> Failure {
    let mut variables: Vec<&str> = PRESETS.iter().filter_map(|preset| preset.key_variable).collect();
    variables.dedup();
    let local = PRESETS.iter().filter(|preset| preset.is_local());
    let addresses: Vec<String> = local.map(|preset| base_url(Some(preset), None, env)).collect();
    Failure::new(Code::ProviderNotConfigured)
        .with("variables", variables.join(", "))
        .with("addresses", addresses.join(", "))
}
