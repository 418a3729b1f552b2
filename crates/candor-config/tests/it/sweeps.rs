//! Mutated files: whatever they hold, loading answers.

use candor_config::{Error, Format, example};
use candor_testkit::{Sweep, mutate};

use crate::case::Case;

fn sweep(name: &'static str, file: &str, seed: &str) {
    let case = Case::new();
    let mut sweep = Sweep::start(name);
    while sweep.goes_on() {
        let text = mutate(sweep.rng(), seed.as_bytes());
        case.home.write(file, &text);
        match case.try_load() {
            // Every place that is named is a place in the file.
            Err(Error::Invalid { problems, .. }) => {
                let lines = String::from_utf8_lossy(&text).replace("\r\n", "\n").split(['\n', '\r']).count();
                assert!(
                    problems.iter().all(|problem| (1..=lines).contains(&problem.place.line)),
                    "{problems:?}"
                );
            }
            Ok(_) | Err(Error::Syntax(_) | Error::NotUtf8 { .. } | Error::TooComplex { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn sweep_config_toml_mutated() {
    sweep("config_toml_mutated", "config.toml", &example(Format::Toml, &[]).replace("# ", ""));
}

#[test]
fn sweep_config_yaml_mutated() {
    let seed = "model: &m x\ntools:\n  timeout: 2m\nretry: {max_retries: 3, retryable_statuses: [429, 500]}\nproviders:\n  \
                a: &a {base_url: \"http://a\", model: *m}\n  b:\n    <<: *a\nsystem_prompt: |\n  many\n  lines\n";
    sweep("config_yaml_mutated", "config.yaml", seed);
}
