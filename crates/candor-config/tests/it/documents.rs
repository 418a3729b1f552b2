//! Schema, reference and example: printed from the same declaration that is read.

use candor_config::{Config, Format, example, reference, schema};
use serde_json::Value as Json;

use crate::case::Case;

/// Takes the comment marks off the sample lines, so that every sample is really read.
fn uncommented(example: &str) -> String {
    let lines = example.lines().map(|line| {
        let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
        let sample = rest.strip_prefix("# ").filter(|rest| {
            let word = rest.split([' ', ':', '=']).next().unwrap_or_default();
            let is_name = |word: &str| {
                word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
            };
            rest.starts_with('[')
                || (is_name(word.trim_matches('"'))
                    && (rest.contains(" = ") || rest.contains(": ") || rest.ends_with(':'))
                    && !rest.ends_with('.'))
                || *rest == "\"*\":"
        });
        sample.map_or_else(|| line.to_owned(), |sample| format!("{indent}{sample}"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_example_loads_as_it_is_and_means_the_defaults() {
    for (format, case) in [(Format::Toml, Case::toml as fn(&str) -> Case), (Format::Yaml, Case::yaml)] {
        let case = case(&example(format, &[]));
        assert_eq!(case.warnings(), "");
        assert_eq!(case.load().config, Config::default());
    }
}

#[test]
fn the_example_in_the_repository_loads() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config.example.toml");
    let text = std::fs::read_to_string(path).expect("config.example.toml is at the root");
    let case = Case::toml(&text);
    assert_eq!(case.warnings(), "");
    assert_eq!(case.load().config, Config::default());
}

#[test]
fn every_sample_in_the_example_is_a_valid_value() {
    for (format, case) in [(Format::Toml, Case::toml as fn(&str) -> Case), (Format::Yaml, Case::yaml)] {
        let text = uncommented(&example(format, &[]));
        let case = case(&text);
        assert_eq!(case.warnings(), "", "{text}");
        let loaded = case.load();
        let missing: Vec<_> = loaded
            .shown()
            .into_iter()
            .filter(|shown| shown.label == "default")
            .map(|shown| shown.key)
            .collect();
        // The table form of the prompt is the other spelling of the text that the example shows.
        assert_eq!(
            missing,
            ["system_prompt.identity_file", "system_prompt.custom_instructions_file"],
            "{text}"
        );
        let config = loaded.config;
        assert_eq!(
            (&config.tools, &config.retry, &config.compaction),
            (&Config::default().tools, &Config::default().retry, &Config::default().compaction)
        );
    }
}

#[test]
fn the_system_prompt_stands_after_the_model_and_before_the_session() {
    let text = example(Format::Toml, &[]);
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}"));
    assert!(at("# model = ") < at("# system_prompt = ") && at("# system_prompt = ") < at("[session]"));
}

#[test]
fn taking_the_mark_off_one_key_sets_it() {
    let toml = example(Format::Toml, &[]).replace("# level = \"info\"", "level = \"debug\"");
    let yaml = example(Format::Yaml, &[]).replace("# level: \"info\"", "level: \"debug\"");
    for case in [Case::toml(&toml), Case::yaml(&yaml)] {
        assert_eq!(case.warnings(), "");
        assert_eq!(case.load().config.logging.level, candor_protocol::Level::Debug);
    }
}

#[test]
fn what_a_workspace_may_not_set_is_no_in_the_whole_section() {
    let reference = reference();
    for key in ["telegram.mode", "server.listen", "logging.rotation.max_days", "providers.NAME.base_url"] {
        let row = reference.lines().find(|line| line.starts_with(&format!("| `{key}`"))).unwrap_or_default();
        assert!(row.contains(" | no | "), "{key}: {row}");
    }
}

#[test]
fn chosen_values_are_set() {
    let chosen = [("provider", "openai".to_owned()), ("model", "a \"quoted\" name".to_owned())];
    for (format, case) in [(Format::Toml, Case::toml as fn(&str) -> Case), (Format::Yaml, Case::yaml)] {
        let config = case(&example(format, &chosen)).load().config;
        assert_eq!(config.provider.as_deref(), Some("openai"));
        assert_eq!(config.model.as_deref(), Some("a \"quoted\" name"));
    }
}

/// Every dotted key that the loader shows.
fn keys() -> Vec<String> {
    Case::new().load().shown().into_iter().map(|shown| shown.key).collect()
}

#[test]
fn the_reference_and_the_schema_have_every_key() {
    let (reference, schema) = (reference(), schema());
    assert!(keys().len() > 60, "{}", keys().len());
    for key in keys() {
        assert!(reference.contains(&format!("| `{key}")), "{key} is not in the reference");
        let mut at = &schema;
        for part in key.split('.') {
            let object = at.get("anyOf").and_then(|either| either.get(0)).unwrap_or(at);
            at = object.get("properties").and_then(|keys| keys.get(part)).unwrap_or(&Json::Null);
        }
        assert!(
            at.get("description").is_some_and(|text| text.as_str().is_some_and(|text| text.len() > 10)),
            "{key}: {at}"
        );
    }
}

#[test]
fn the_schema_carries_defaults_and_bounds() {
    let schema = schema();
    let tools = &schema["properties"]["tools"]["properties"];
    assert_eq!(tools["max_iterations"]["default"], 50);
    assert_eq!(tools["max_iterations"]["minimum"], 1);
    assert_eq!(schema["properties"]["permission"]["enum"][0], "read-only");
    assert_eq!(schema["properties"]["system_prompt"]["anyOf"][1]["type"], "string");
}
