//! Where a provider's key comes from: its own variable, then the configuration, then a token that was left in the home.

use std::fs;
use std::path::Path;
use std::time::Duration;

use candor_config::presets::Preset;
use candor_config::settings::Provider as Table;
use candor_config::{Env, Loaded, Secret};
use candor_llm::Timeouts;
use candor_protocol::{Code, Failure, Moment};
use serde_json::Value;

use crate::secrets;

/// A token that a login gave, which counts for more than a key.
const ANTHROPIC_TOKEN: &str = "ANTHROPIC_OAUTH_TOKEN";

/// How long a local server may take to be found: it is on this machine, and several are asked.
pub(crate) const PROBE: Timeouts = Timeouts {
    connect: Duration::from_millis(200),
    first: Duration::from_millis(500),
    idle: Duration::from_millis(500),
    data: Duration::from_millis(500),
};

/// The variable of the environment that holds a preset's key, and the key.
pub(crate) fn in_environment<'e>(preset: &Preset, env: &'e Env) -> Option<(&'static str, &'e str)> {
    let token = (preset.name == "anthropic").then_some(ANTHROPIC_TOKEN);
    let variables = token.into_iter().chain(preset.key_variable);
    variables.into_iter().find_map(|variable| Some((variable, env.get(variable)?)))
}

/// The key of a provider, and where it came from. A provider without a key is no mistake where the server is local.
pub(crate) fn find(
    name: &str,
    preset: Option<&Preset>,
    table: Option<&Table>,
    loaded: &Loaded,
    env: &Env,
) -> Result<(Option<Secret>, String), Failure> {
    if let Some(source) = table.and_then(|table| table.api_key.as_ref()) {
        let key = format!("providers.{name}.api_key");
        return secrets::fetch(&key, source, env).map(|secret| (Some(secret), key));
    }
    if let Some((variable, value)) = preset.and_then(|preset| in_environment(preset, env)) {
        return Ok((Some(Secret::new(value)), variable.to_owned()));
    }
    if let Some(source) = loaded.config.api_key.as_ref().filter(|_| loaded.is_for_provider("api_key")) {
        return secrets::fetch("api_key", source, env).map(|secret| (Some(secret), "api_key".to_owned()));
    }
    if let Some(secret) = stored(name, &loaded.home.join("auth.json")) {
        return Ok((Some(secret), "auth.json".to_owned()));
    }
    match preset.and_then(|preset| preset.key_variable) {
        Some(variable) if table.is_none_or(|table| table.base_url.is_none()) => {
            Err(Failure::new(Code::SecretMissing)
                .with("key", format!("{name}'s key"))
                .with("variable", variable))
        }
        _ => Ok((None, "nowhere, none was sent".to_owned())),
    }
}

/// A token in the home's `auth.json`: `{"anthropic": {"type": "oauth", "access": "…", "expires": 1760000000000}}`. One that
/// has run out, or a file that cannot be read, counts as none.
fn stored(name: &str, path: &Path) -> Option<Secret> {
    let store: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let entry = store.get(name)?;
    let expires = entry.get("expires").and_then(Value::as_i64).unwrap_or(i64::MAX);
    let access = entry.get("access")?.as_str().filter(|access| !access.is_empty())?;
    (expires > Moment::now().as_millis()).then(|| Secret::new(access))
}
