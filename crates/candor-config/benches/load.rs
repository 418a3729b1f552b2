//! How long loading takes: it stands at the head of every command.
#![expect(clippy::expect_used, reason = "a benchmark that cannot load has nothing to measure")]

use candor_config::{Env, Format, Request, example, load};
use divan::Bencher;

fn main() {
    divan::main();
}

fn request(home: &candor_testkit::Home) -> Request {
    let path = home.path().display().to_string();
    Request { env: Env::of([("CANDOR_HOME", path)]), cwd: home.workspace(), ..Request::default() }
}

/// No file at all.
#[divan::bench]
fn defaults(bencher: Bencher<'_, '_>) {
    let home = candor_testkit::Home::new();
    let request = request(&home);
    bencher.bench_local(|| load(&request).expect("loads"));
}

/// What `candor init` writes, in TOML.
#[divan::bench]
fn example_toml(bencher: Bencher<'_, '_>) {
    measure(bencher, Format::Toml);
}

/// The same in YAML.
#[divan::bench]
fn example_yaml(bencher: Bencher<'_, '_>) {
    measure(bencher, Format::Yaml);
}

fn measure(bencher: Bencher<'_, '_>, format: Format) {
    let home = candor_testkit::Home::new();
    let chosen = [("provider", "anthropic".to_owned()), ("model", "claude-sonnet-4-5".to_owned())];
    home.write(format.file_name(), example(format, &chosen));
    let request = request(&home);
    bencher.bench_local(|| load(&request).expect("loads"));
}
