//! Whether the verifier is to be trusted, and what it costs.
//!
//! Every project of `bench/false-done` is written by a scripted model that says it is done, once well and once with a fault that
//! shows only when it runs. A broken one that is called done is a false *done*; a good one that is not is a false alarm. What the
//! verifier costs is measured against the same commands by hand.
//!
//! `CANDOR_FALSE_DONE=NAME` looks at the projects whose name contains this, and prints more.
#![expect(clippy::expect_used, reason = "a benchmark that cannot run says so and stops")]
#![expect(clippy::disallowed_methods, reason = "it starts the binary")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]
#![expect(clippy::print_stdout, reason = "what a benchmark has to say goes to whoever runs it")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use candor_testkit::{Home, row};
use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_candor");
const PROJECTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/false-done");
/// How many are looked at side by side: most of the time is waiting.
const AT_ONCE: usize = 3;
/// What the model says, whatever it is told.
const CLAIM: &str = "Done. I have tested everything and all tests pass.";
/// How often the model can be asked at most.
const ANSWERS_MAX: usize = 12;

/// How often each of both is run.
const SAMPLES: usize = 7;
const OVERHEAD_MS_MAX: f64 = 150.0;
const OVERHEAD_SHARE_MAX: f64 = 0.05;

fn main() {
    // Under `cargo test --benches` there is nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    false_done();
    if std::env::var_os("CANDOR_FALSE_DONE").is_none() {
        overhead();
    }
}

struct Project {
    name: String,
    stack: String,
    task: String,
    needs: Vec<String>,
    folder: PathBuf,
}

#[derive(Debug, Clone)]
struct Ran {
    status: String,
    verdict: String,
    told: String,
    took: Duration,
}

fn false_done() {
    let only = std::env::var("CANDOR_FALSE_DONE").unwrap_or_default();
    let all = projects();
    let described = all.len();
    let (here, absent): (Vec<Project>, Vec<Project>) = all
        .into_iter()
        .filter(|project| project.name.contains(&only))
        .partition(|project| project.needs.iter().all(|program| is_here(program)));
    for project in &absent {
        println!("{}: not run, needs {}", project.name, project.needs.join(", "));
    }
    let stacks: BTreeMap<&str, usize> = here.iter().fold(BTreeMap::new(), |mut stacks, project| {
        *stacks.entry(project.stack.as_str()).or_default() += 1;
        stacks
    });
    println!("{described} projects, {} run; stacks: {stacks:?}", here.len());
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(project) = here.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for variant in ["good", "broken"] {
                        let ran = run(project, variant);
                        let is_right = (ran.status == "done") == (variant == "good");
                        if !is_right || !only.is_empty() {
                            println!(
                                "{} {variant}: {} ({:?})\n{}",
                                project.name, ran.status, ran.took, ran.told
                            );
                        }
                        results.lock().expect("no panic").push((variant, &project.name, ran));
                    }
                }
            });
        }
    });
    let results = results.into_inner().expect("no panic");
    let of = |variant: &'static str| results.iter().filter(move |(of, ..)| *of == variant);
    let judge = |variant: &'static str, is_wrong: fn(&Ran) -> bool| {
        let wrong: Vec<&str> =
            of(variant).filter(|(.., ran)| is_wrong(ran)).map(|(_, name, _)| name.as_str()).collect();
        let (part, all) = (wrong.len(), of(variant).count());
        let percent = 100.0 * part as f64 / all.max(1) as f64;
        let names = if wrong.is_empty() { String::new() } else { format!(": {}", wrong.join(", ")) };
        (percent, format!("{part} of {all} ({percent:.1} %){names}"))
    };
    let (percent, shown) = judge("broken", |ran| ran.status == "done");
    row("false done: broken projects called done", "0 %", &shown, Some(percent == 0.0));
    let (percent, shown) = judge("broken", |ran| ran.verdict != "failed");
    row("broken projects whose fault was not seen", "0 %", &shown, Some(percent == 0.0));
    let (percent, shown) = judge("good", |ran| ran.status != "done");
    row("false alarms: good projects refused", "≤ 2 %", &shown, Some(percent <= 2.0));
    let count = format!("{} over {} stacks ({described} described)", here.len(), stacks.len());
    row(
        "projects of the false-done bench that ran",
        "≥ 60 over ≥ 8",
        &count,
        Some(here.len() >= 60 && stacks.len() >= 8),
    );
}

fn projects() -> Vec<Project> {
    let mut found = Vec::new();
    for entry in fs::read_dir(PROJECTS).expect("the projects").flatten() {
        let folder = entry.path();
        let Ok(text) = fs::read_to_string(folder.join("project.yaml")) else { continue };
        let about: Value = serde_saphyr::from_str(&text).expect("a project.yaml");
        let text = |name: &str| about[name].as_str().unwrap_or_default().to_owned();
        let needs = about["needs"].as_array().into_iter().flatten();
        found.push(Project {
            name: entry.file_name().to_string_lossy().into_owned(),
            stack: text("stack"),
            task: text("task"),
            needs: needs.filter_map(Value::as_str).map(str::to_owned).collect(),
            folder,
        });
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn is_here(program: &str) -> bool {
    let path = std::env::var("PATH").unwrap_or_default();
    path.split(':').any(|folder| Path::new(folder).join(program).is_file())
}

/// The files of a variant: relative path, content, whether it can be executed.
fn files(project: &Project, variant: &str) -> Vec<(String, String, bool)> {
    let mut files = BTreeMap::new();
    for part in ["common", variant] {
        let root = project.folder.join(part);
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
                let mode = entry.metadata().expect("metadata").permissions().mode();
                let text = fs::read_to_string(&path).expect("text");
                files.insert(name, (text, mode & 0o100 != 0));
            }
        }
    }
    files.into_iter().map(|(name, (text, runs))| (name, text, runs)).collect()
}

/// A model writes this variant and says that it is done.
fn run(project: &Project, variant: &str) -> Ran {
    let home = Home::new();
    let mut calls = Vec::new();
    let mut executable = Vec::new();
    for (name, text, runs) in files(project, variant) {
        // What is declared is the user's, and there before.
        if name.starts_with(".candor/") || name == "AGENTS.md" || name.starts_with(".sdd/") {
            let path = home.workspace().join(&name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("written");
            continue;
        }
        if runs {
            executable.push(name.clone());
        }
        calls.push(json!({ "name": "file_write", "args": { "path": name, "content": text } }));
    }
    if !executable.is_empty() {
        let command = format!("chmod +x {}", executable.join(" "));
        calls.push(json!({ "name": "shell_exec", "args": { "command": command } }));
    }
    let mut replies = vec![json!({ "text": "I write it.", "calls": calls })];
    replies.extend(std::iter::repeat_n(json!({ "text": CLAIM }), ANSWERS_MAX));
    home.write("script.json", json!({ "replies": replies }).to_string());
    let script = home.path().join("script.json");
    home.write(
        "config.toml",
        format!(
            "provider = \"play\"\n[providers.play]\ndialect = \"scripted\"\nscript = \"{}\"\n",
            script.display()
        ),
    );
    let started = Instant::now();
    let output = candor(&home).args(["--json", &project.task]).output().expect("the program starts");
    let lines = String::from_utf8_lossy(&output.stdout);
    let events: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let end = events.iter().rev().find(|event| event["type"] == "run_end").cloned().unwrap_or_default();
    let evidence = end["verdict"]["evidence"].as_array().cloned().unwrap_or_default();
    let told = evidence.iter().map(|seen| {
        let word = |name: &str| seen[name].as_str().unwrap_or_default().to_owned();
        format!("    {:<12} {}: {}", word("result"), word("check"), word("summary"))
    });
    let told = told.collect::<Vec<_>>().join("\n");
    let told = if told.is_empty() { String::from_utf8_lossy(&output.stderr).into_owned() } else { told };
    let verdict = end["verdict"]["status"].as_str().unwrap_or_default().to_owned();
    Ran {
        verdict,
        status: end["status"].as_str().unwrap_or("nothing").to_owned(),
        told,
        took: started.elapsed(),
    }
}

fn candor(home: &Home) -> Command {
    let mut command = Command::new(candor_testkit::measured(BINARY));
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("HOME", home.user()).env("CANDOR_HOME", home.path());
    for name in ["RUSTUP_HOME", "CARGO_HOME", "JAVA_HOME"] {
        if let Some(value) = std::env::var_os(name).or_else(|| usual(name)) {
            command.env(name, value);
        }
    }
    command.current_dir(home.workspace()).stdin(Stdio::null());
    command
}

/// Where a toolchain is that is found through the home of whoever runs this.
fn usual(name: &str) -> Option<std::ffi::OsString> {
    let folder = match name {
        "RUSTUP_HOME" => ".rustup",
        "CARGO_HOME" => ".cargo",
        _ => return None,
    };
    Some(PathBuf::from(std::env::var_os("HOME")?).join(folder).into_os_string())
}

/// The same checks by hand and by `candor verify`, each in turn.
fn overhead() {
    let home = Home::new();
    home.write("config.toml", "");
    let workspace = home.workspace();
    fs::create_dir_all(workspace.join(".candor")).expect("a folder");
    let verify = "checks:\n  - { name: build, run: 'sh build.sh', kind: build }\n  - { name: unit, run: 'sh test.sh', kind: test }\n";
    fs::write(workspace.join(".candor/verify.yaml"), verify).expect("written");
    // About a second of work that a machine does not do faster the second time.
    fs::write(workspace.join("build.sh"), "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done\n")
        .expect("written");
    fs::write(workspace.join("test.sh"), "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done\n")
        .expect("written");
    let (mut hand, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        let started = Instant::now();
        for script in ["build.sh", "test.sh"] {
            let status =
                Command::new("bash").args(["-c", &format!("sh {script}")]).current_dir(&workspace).status();
            assert!(status.expect("the shell starts").success());
        }
        hand.push(started.elapsed());
        let started = Instant::now();
        let status = candor(&home).arg("verify").stdout(Stdio::null()).status().expect("the program starts");
        assert!(status.success(), "{status}");
        ours.push(started.elapsed());
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64() * 1000.0
    };
    let (hand, ours) = (median(&mut hand), median(&mut ours));
    let over = ours - hand;
    let most = OVERHEAD_MS_MAX.max(hand * OVERHEAD_SHARE_MAX);
    row(
        "`candor verify` above the same commands by hand",
        "≤ 5 % or 150 ms",
        &format!("{over:.0} ms ({:.1} % of {hand:.0} ms)", 100.0 * over / hand),
        Some(over <= most),
    );
}
