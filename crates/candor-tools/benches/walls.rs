//! What the walls cost, how the search compares with ripgrep's own program, and what a flood costs.
//!
//! Prints one line a figure, `measure | goal | measured | met`, for `cargo xtask bench`.
#![expect(clippy::expect_used, reason = "a benchmark that cannot run says so and stops")]
#![expect(clippy::disallowed_methods, reason = "it starts the program that it compares with")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use candor_protocol::{SessionId, ToolCall};
use candor_sandbox::{Network, Policy, Sandbox, Spec, Stdin, run};
use candor_testkit::row;
use candor_tools::{Registry, Rules, ToolContext, dispatch};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

const SPAWNS: usize = 300;
const SEARCHES: usize = 15;
const FLOOD: Duration = Duration::from_secs(10);

const FILES: usize = 20_000;
const FILES_PER_FOLDER: usize = 50;
const LINES_PER_FILE: usize = 80;

fn main() {
    // Under `cargo test --benches` there is nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    spawns(&runtime);
    flood(&runtime);
    search(&runtime);
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A policy as a session has it.
fn policy(home: &Path) -> Policy {
    let workspace = home.join("workspace");
    for directory in ["workspace/.git/hooks", "secrets", "temp"] {
        fs::create_dir_all(home.join(directory)).expect("a folder");
    }
    Policy {
        protected: vec![workspace.join(".git/hooks"), workspace.join(".candor")],
        hidden: vec![home.join("secrets")],
        temp: Some(home.join("temp")),
        writable: vec![workspace],
        network: Network::Loopback { forward: Vec::new() },
        ..Policy::default()
    }
}

fn spec(home: &Path, program: &str, args: &[&str]) -> Spec {
    Spec {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        cwd: home.join("workspace"),
        env: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        timeout: FLOOD,
        output_bytes_max: 100_000,
        spill: None,
        stdin: Stdin::Closed,
        pty: None,
    }
}

/// In turn, so that whatever else the machine does falls on both alike.
fn spawns(runtime: &Runtime) {
    let home = tempfile::tempdir().expect("a folder");
    let policy = policy(home.path());
    let minimum = candor_sandbox::Level::Landlock;
    let opening = Instant::now();
    let walled = runtime.block_on(async { Sandbox::open(&policy, minimum) }).expect("walls");
    let opening = opening.elapsed();
    let (bare, cancel) = (Sandbox::bare(), CancellationToken::new());
    let spec = spec(home.path(), "/bin/true", &[]);
    let time = |sandbox: &Sandbox| {
        let begun = Instant::now();
        runtime.block_on(run(&spec, sandbox, &cancel)).expect("it runs");
        begun.elapsed()
    };
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..SPAWNS {
        without.push(time(&bare));
        with.push(time(&walled));
    }
    let (without, with) = (median(without), median(with));
    let more = with.saturating_sub(without);
    let level = walled.level();
    row(
        &format!("a command behind walls ({level}), above the same without ({:.2} ms)", ms(without)),
        "≤ 2 ms",
        &format!("{:.2} ms more", ms(more)),
        Some(more <= Duration::from_millis(2)),
    );
    row("the walls of a session, put up once", "–", &format!("{:.2} ms", ms(opening)), None);
}

/// What a program that floods its output costs us.
fn flood(runtime: &Runtime) {
    let home = tempfile::tempdir().expect("a folder");
    let policy = policy(home.path());
    let walled =
        runtime.block_on(async { Sandbox::open(&policy, candor_sandbox::Level::Landlock) }).expect("walls");
    let spec = spec(home.path(), "/usr/bin/yes", &[]);
    let before = memory_kb("VmRSS:");
    reset_peak();
    let begun = Instant::now();
    let ended = runtime.block_on(run(&spec, &walled, &CancellationToken::new())).expect("it runs");
    let late = begun.elapsed().saturating_sub(FLOOD);
    let more = memory_kb("VmHWM:").saturating_sub(before);
    let said = ended.stdout.total_bytes() / 1_000_000;
    row(
        &format!("memory that `yes` costs in 10 s ({said} MB of output)"),
        "≤ 16 MB",
        &format!("{:.1} MB", more as f64 / 1e3),
        Some(more <= 16_000),
    );
    row("how late it was ended", "–", &format!("{:.0} ms", ms(late)), None);
}

fn memory_kb(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a size");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number")
}

fn reset_peak() {
    // Where it cannot be reset, the peak is that of the whole program, and no smaller.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn search(runtime: &Runtime) {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("search-tree");
    plant(&root);
    // Both find few lines: what is cut at the limit of the output has not been sought to its end.
    for (name, pattern) in
        [("a rare word", "needle"), ("an expression", r"value_(1001|77) = compute_\d+\(argument_7[0-4]\b")]
    {
        let (ours, found): (Vec<Duration>, Vec<usize>) =
            (0..SEARCHES).map(|_| searched(runtime, &root, pattern)).unzip();
        let ours = median(ours);
        let theirs: Option<Vec<(Duration, usize)>> = (0..SEARCHES).map(|_| ripgrep(&root, pattern)).collect();
        let theirs = theirs.map(|theirs| {
            assert!(
                theirs.iter().map(|(_, lines)| lines).eq(&found),
                "both find the same: {theirs:?}, {found:?}"
            );
            theirs.into_iter().map(|(time, _)| time).collect()
        });
        let measure = format!("search for {name} in {FILES} files");
        match theirs.map(median) {
            Some(theirs) => {
                let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
                row(
                    &format!("{measure}, against the program rg ({:.0} ms)", ms(theirs)),
                    "≤ 1.2 ×",
                    &format!("{ratio:.2} × ({:.0} ms)", ms(ours)),
                    Some(ratio <= 1.2),
                );
            }
            None => row(
                &format!("{measure}; rg is not installed"),
                "≤ 1.2 ×",
                &format!("{:.0} ms", ms(ours)),
                None,
            ),
        }
    }
}

/// How long our search takes, and how many lines it finds.
fn searched(runtime: &Runtime, root: &Path, pattern: &str) -> (Duration, usize) {
    let args: Value = json!({ "pattern": pattern, "max": 100_000 });
    let call = ToolCall {
        call_id: "c1".to_owned(),
        tool_name: "search".to_owned(),
        args: args.clone(),
        malformed: None,
        opaque: None,
    };
    let rules = Rules { output_bytes_max: 10_000_000, ..Rules::default() };
    let context = ToolContext::alone(SessionId::now(), root.to_owned(), rules);
    let registry = Registry::built_in();
    let begun = Instant::now();
    let output = runtime.block_on(dispatch(&registry, &call, &args, &context));
    let time = begun.elapsed();
    assert!(!output.is_error && !output.for_model.contains(" truncated] "), "{output:?}");
    (time, output.for_model.lines().count())
}

/// The same by ripgrep's own program; nothing, where it is not installed.
fn ripgrep(root: &Path, pattern: &str) -> Option<(Duration, usize)> {
    let mut command = Command::new("rg");
    command.args(["--line-number", "--no-heading", pattern, "."]).current_dir(root);
    let begun = Instant::now();
    let ended = command.stdout(Stdio::piped()).output().ok()?;
    let time = begun.elapsed();
    let lines = ended.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    ended.status.success().then_some((time, lines))
}

/// Makes the tree, unless it is there from the last time.
fn plant(root: &Path) {
    let done: PathBuf = root.join("done");
    if done.exists() {
        return;
    }
    for number in 0..FILES {
        let folder = number / FILES_PER_FOLDER;
        let folder = root.join(format!("crate{:02}/module{folder:03}", folder % 40));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(format!("file{number}.rs")), text(number)).expect("a file");
    }
    fs::write(done, "").expect("a mark");
}

/// Something like code. One file in a thousand holds the word that is rare.
fn text(number: usize) -> String {
    let mut text = String::new();
    for line in 0..LINES_PER_FILE {
        let value = (number * 31 + line * 17) % 1009;
        let _ = writeln!(text, "    let value_{value} = compute_{}(argument_{line}, &state)?;", value % 37);
    }
    if number % 1000 == 7 {
        text.push_str("// the needle in this haystack\n");
    }
    text
}
