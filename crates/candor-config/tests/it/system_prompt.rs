//! The system prompt in the configuration.

use candor_config::Config;

use crate::case::Case;

#[test]
fn test_config_with_system_prompt() {
    let loaded = Case::toml("system_prompt = \"You are helpful.\"\n").load();
    assert_eq!(loaded.config.system_prompt.identity.as_deref(), Some("You are helpful."));
}

#[test]
fn test_config_without_system_prompt() {
    assert_eq!(Case::toml("model = \"x\"\n").load().config.system_prompt.identity, None);
}

#[test]
fn test_config_default_system_prompt() {
    assert_eq!(Config::default().system_prompt.identity, None);
}
