//! What an explanation costs: reading the rules, a small output, 100 KB and 1 MB.
//! `cargo bench -p candor-cards`

use candor_cards::{Command, Explained, Failed, Given, How, RuleBase, explain};
use divan::{Bencher, black_box, counter::BytesCount};

fn main() {
    divan::main();
}

/// What builds say for pages before they fail: paths, warnings, and words that many rules begin with.
const NOISE: &str = "\
   Compiling serde v1.0.229
warning: unused variable: `x`
  --> src/main.rs:10:9
npm warn deprecated inflight@1.0.6: This module is not supported
[ 42%] Building CXX object src/CMakeFiles/app.dir/main.cpp.o
INFO  connection to 127.0.0.1:5432 accepted, no error found in file or directory config
test parser::reads_a_file ... ok
gcc -Wall -O2 -c -o build/lid.o src/lid.c
";
const FAILURE: &str = "fatal: not a git repository (or any of the parent directories): .git\n";

fn output(bytes: usize) -> String {
    let mut text = NOISE.repeat(bytes / NOISE.len() + 1);
    text.truncate(bytes.saturating_sub(FAILURE.len()));
    text.push('\n');
    text + FAILURE
}

fn explained(rules: &RuleBase, output: &str) -> Explained {
    let command = Command::line("git status");
    explain(
        &Failed { command: &command, how: How::Exited(128), stdout: "", stderr: output },
        rules,
        &Given::default(),
    )
}

fn bench(bencher: Bencher<'_, '_>, bytes: usize) {
    let (rules, output) = (RuleBase::built_in(), output(bytes));
    assert_eq!(explained(&rules, &output).card.code, "GIT_NOT_A_REPOSITORY");
    bencher.counter(BytesCount::of_str(&output)).bench(|| explained(&rules, black_box(&output)));
}

#[divan::bench]
fn read_all_rules() -> RuleBase {
    RuleBase::built_in()
}

/// Reading the rules and building what finds their texts is part of it, as in a process that explains one failure.
#[divan::bench]
fn first_explanation() -> Explained {
    explained(&RuleBase::built_in(), black_box(FAILURE))
}

#[divan::bench]
fn output_of_1_kb(bencher: Bencher<'_, '_>) {
    bench(bencher, 1 << 10);
}

#[divan::bench]
fn output_of_100_kb(bencher: Bencher<'_, '_>) {
    bench(bencher, 100 << 10);
}

#[divan::bench]
fn output_of_1_mb(bencher: Bencher<'_, '_>) {
    bench(bencher, 1 << 20);
}
