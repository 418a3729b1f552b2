//! Which provider a model or a key was meant for.

use candor_config::presets::{PRESETS, find};
use candor_config::settings::Dialect;

use crate::case::Case;

#[track_caller]
fn check(case: &Case, model: bool, key: bool) {
    let loaded = case.load();
    assert_eq!((loaded.is_for_provider("model"), loaded.is_for_provider("api_key")), (model, key));
}

const HOME: &str = "provider = \"anthropic\"\nmodel = \"claude-sonnet-4-5\"\napi_key_env = \"MY_KEY\"\n";

#[test]
fn a_model_and_a_key_beside_the_provider_are_its_own() {
    check(&Case::toml(HOME), true, true);
}

#[test]
fn another_provider_on_the_command_line_leaves_both_behind() {
    check(&Case::toml(HOME).flag("--provider", "provider", "openai"), false, false);
    check(&Case::toml(HOME).env("CANDOR_PROVIDER", "openai"), false, false);
}

#[test]
fn a_model_that_is_named_with_it_goes_along() {
    let both = Case::toml(HOME).flag("--provider", "provider", "openai").flag("--model", "model", "gpt-5");
    check(&both, true, false);
    check(&Case::toml(HOME).workspace("model = \"claude-opus-4-1\"\n"), true, true);
}

#[test]
fn a_model_without_any_provider_is_for_whichever_is_found() {
    check(&Case::toml("model = \"gpt-5\"\n"), true, true);
}

#[test]
fn every_preset_has_an_address_and_those_without_a_key_are_on_this_machine() {
    for preset in PRESETS {
        let local = preset.base_url.starts_with("http://127.0.0.1:");
        assert_eq!(preset.is_local(), local, "{}", preset.name);
        assert!(local || preset.base_url.starts_with("https://"), "{}", preset.name);
    }
    assert_eq!(find("anthropic").map(|preset| preset.dialect), Some(Dialect::Anthropic));
    assert_eq!(find("openai-responses").map(|preset| preset.dialect), Some(Dialect::OpenaiResponses));
    assert_eq!(find("ollama").map(|preset| preset.dialect), Some(Dialect::Ollama));
    assert_eq!(find("gemini").map(|preset| preset.dialect), Some(Dialect::Gemini));
}

#[test]
fn a_scripted_provider_needs_a_script() {
    let refused = Case::toml("[providers.x]\ndialect = \"scripted\"\n").refused();
    assert!(refused.contains("needs a script"), "{refused}");
}
