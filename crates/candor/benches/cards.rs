//! What `candor card` adds to a command: against the command alone, in the same run.
//!
//! Prints one line a figure for `cargo xtask bench`.
#![expect(clippy::expect_used, reason = "a benchmark that cannot run says so and stops")]
#![expect(clippy::disallowed_methods, reason = "it starts programs")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use candor_testkit::{Home, row};

const BINARY: &str = env!("CARGO_BIN_EXE_candor");
const SAMPLES: usize = 60;
const WARM_UP: usize = 5;
const ADDED_MAX: Duration = Duration::from_millis(10);

fn main() {
    // Under `cargo test --benches` there is nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let home = Home::new();
    let added = |words: &[&str]| {
        let alone = median(|| timed(quiet(words[0], &home).args(&words[1..])));
        let carded = median(|| {
            timed(
                quiet(&candor_testkit::measured(BINARY).display().to_string(), &home)
                    .args(["card", "--"])
                    .args(words),
            )
        });
        carded.saturating_sub(alone)
    };
    let silent = added(&["/bin/false"]);
    row("`candor card -- false`, above `false`", "≤ 10 ms", &shown(silent), Some(silent <= ADDED_MAX));
    let talking = added(&["/bin/ls", "no-such-file"]);
    row("`candor card -- ls no-such-file`, above `ls`", "-", &shown(talking), None);
}

fn quiet(program: &str, home: &Home) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.user()).env("CANDOR_HOME", home.path());
    command.current_dir(home.workspace()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn timed(command: &mut Command) -> Duration {
    let started = Instant::now();
    let status = command.status().expect("the program starts");
    assert!(!status.success(), "{command:?} was to fail");
    started.elapsed()
}

fn median(mut sample: impl FnMut() -> Duration) -> Duration {
    let mut samples: Vec<Duration> = (0..WARM_UP + SAMPLES).map(|_| sample()).skip(WARM_UP).collect();
    samples.sort_unstable();
    samples[samples.len() / 2]
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
