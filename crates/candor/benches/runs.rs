//! Whole runs of the binary that we hand out against a fake model on loopback: how long, how much memory, how much CPU.
//!
//! Prints one line a figure, `measure | goal | measured | met`, for `cargo xtask bench`. Each goal is also given as a ratio
//! to a baseline that is measured in the same run, because machines differ and loads change.
#![expect(clippy::expect_used, reason = "a benchmark that cannot run says so and stops")]
#![expect(clippy::disallowed_methods, reason = "it starts the binary")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use candor_testkit::{Dialect, FakeLlm, Gate, Home, Reply, row};
use serde_json::json;

const BINARY: &str = env!("CARGO_BIN_EXE_candor");
const KEY: &str = "fk-bench-0123456789abcdef";
const SAMPLES: usize = 40;
const WARM_UP: usize = 5;
const TURNS: usize = 20;
const DELTAS: usize = 20_000;
/// As long as a token is in many a stream.
const PIECE: &str = "word ";

fn main() {
    // Under `cargo test --benches` there is nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let baseline = median(&(0..SAMPLES).map(|_| spawn_true()).collect::<Vec<_>>());
    let hello = hello(baseline);
    tool_turns(baseline, "workspace");
    tool_turns(baseline, "full");
    stream(hello);
}

fn home(fake: &FakeLlm) -> Home {
    home_with(fake, "workspace")
}

fn home_with(fake: &FakeLlm, permission: &str) -> Home {
    let home = Home::new();
    home.write(
        "config.toml",
        format!(
            "provider = \"fake\"\npermission = \"{permission}\"\n[providers.fake]\ndialect = \"{}\"\nbase_url = \"{}\"\napi_key_env = \"FAKE_KEY\"\n\
             model = \"fake-model\"\n[tools]\nmax_iterations = 100\n",
            fake.dialect().name(),
            fake.base_url()
        ),
    );
    home
}

fn candor(home: &Home) -> Command {
    let mut command = Command::new(candor_testkit::measured(BINARY));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.user()).env("CANDOR_HOME", home.path());
    command.env("FAKE_KEY", KEY).current_dir(home.workspace());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn timed(command: &mut Command) -> Duration {
    let started = Instant::now();
    let status = command.status().expect("the program starts");
    assert!(status.success(), "{command:?} ended with {status}");
    started.elapsed()
}

fn spawn_true() -> Duration {
    timed(Command::new("/bin/true").stdin(Stdio::null()))
}

fn hello(baseline: Duration) -> Duration {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Hello! How can I help you today?"));
    let home = home(&fake);
    let first = timed(candor(&home).arg("Say hello"));
    let mut walls = Vec::new();
    for sample in 0..WARM_UP + SAMPLES {
        let wall = timed(candor(&home).args(["Say hello", "--no-color"]));
        if sample >= WARM_UP {
            walls.push(wall);
        }
    }
    let (typical, late) = (median(&walls), percentile(&walls, 95));
    row("the first hello in an empty home", "–", &ms(first), None);
    row(
        "hello, stored durably, from start to exit",
        "≤ 12 ms",
        &format!("{} (95 of 100 within {})", ms(typical), ms(late)),
        Some(typical <= Duration::from_millis(12)),
    );
    row(
        &format!("the same, against starting and ending /bin/true ({})", ms(baseline)),
        "–",
        &ratio(typical, baseline),
        None,
    );
    let seen = fake.requests();
    let bytes = seen.first().map_or(0, |seen| seen.body_bytes);
    row(
        "the first request with the default tools",
        "≤ 8 KB",
        &format!("{:.1} KB", bytes as f64 / 1e3),
        Some(bytes <= 8000),
    );
    let requests = seen.len() / (1 + WARM_UP + SAMPLES);
    row("requests for a hello", "1", &requests.to_string(), Some(requests == 1));
    let memory = memory(&home, &fake);
    row(
        "memory of a hello, the most it held",
        "≤ 16 MB",
        &format!("{:.1} MB", memory as f64 / 1e3),
        Some(memory <= 16_000),
    );
    typical
}

/// The most memory that a hello held until its answer was nearly complete, in thousands of bytes.
fn memory(home: &Home, fake: &FakeLlm) -> u64 {
    let gate = Gate::new();
    fake.push(Reply::text("Hello! How can I help you today?").gate(&gate));
    let mut child = candor(home).arg("Say hello").spawn().expect("the binary starts");
    gate.wait_reached();
    let status = std::fs::read_to_string(Path::new("/proc").join(child.id().to_string()).join("status"));
    gate.open();
    child.wait().expect("the binary ends");
    let status = status.expect("the kernel tells");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kib: u64 = peak.trim().trim_end_matches("kB").trim().parse().expect("a number");
    kib * 1024 / 1000
}

/// Behind the walls that are usual, and without any.
fn tool_turns(baseline: Duration, permission: &str) {
    let (walls, goal_ms) = if permission == "full" { ("without walls", 3) } else { ("behind walls", 5) };
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    let home = home_with(&fake, permission);
    let mut gaps = Vec::new();
    for _ in 0..5 {
        let before = fake.requests().len();
        for turn in 0..TURNS {
            fake.push(Reply::calls([("shell_exec", json!({ "command": format!("true {turn}") }))]));
        }
        fake.push(Reply::text("Done."));
        timed(candor(&home).arg("Twenty turns"));
        let (seen, answered) = (fake.requests(), fake.answered());
        gaps.extend(seen[before + 1..].iter().zip(&answered[before..]).map(|(next, end)| next.at - *end));
    }
    let (typical, late) = (median(&gaps), percentile(&gaps, 95));
    row(
        &format!(
            "a tool turn {walls}: from the end of an answer to the next request, a trivial command in between"
        ),
        &format!("≤ {goal_ms} ms"),
        &format!("{} (95 of 100 within {})", ms(typical), ms(late)),
        Some(typical <= Duration::from_millis(goal_ms)),
    );
    if permission == "full" {
        row("the same, 95 of 100", "≤ 5 ms", &ms(late), Some(late <= Duration::from_millis(5)));
    }
    row(
        &format!("the same, against starting and ending /bin/true ({})", ms(baseline)),
        "–",
        &ratio(typical, baseline),
        None,
    );
    let connections = fake.connections() / 5;
    row("connections for 21 requests", "1", &connections.to_string(), Some(connections == 1));
}

fn stream(hello: Duration) {
    for dialect in Dialect::ALL {
        let fake = FakeLlm::start(*dialect);
        fake.repeat(Reply::many_deltas(DELTAS, PIECE));
        let home = home(&fake);
        timed(candor(&home).arg("Talk"));
        let samples: Vec<_> = (0..7).map(|_| stream_once(&home)).collect();
        let walls: Vec<Duration> = samples.iter().map(|(wall, _)| wall.saturating_sub(hello)).collect();
        let cpus: Vec<Duration> = samples.iter().map(|(_, cpu)| *cpu).collect();
        let rate = DELTAS as f64 / median(&walls).as_secs_f64();
        let cpu = median(&cpus).as_secs_f64() * 1e6 / DELTAS as f64;
        let name = dialect.name();
        let bare = median(&(0..7).map(|_| read_bare(&fake)).collect::<Vec<_>>());
        let met = |kept: bool| Some(kept);
        row(
            &format!("the same answer, against reading its bytes and nothing else ({}), {name}", ms(bare)),
            "–",
            &ratio(median(&walls), bare),
            None,
        );
        row(
            &format!("deltas of an answer, {name}"),
            "≥ 150000/s",
            &format!("{rate:.0}/s"),
            met(rate >= 150_000.0),
        );
        row(
            &format!("CPU for each of them, start and exit included, {name}"),
            "≤ 7 µs",
            &format!("{cpu:.2} µs"),
            met(cpu <= 7.0),
        );
    }
}

/// The wall and CPU time of one long answer. The shell's own clock tells the CPU time of its child to the millisecond.
fn stream_once(home: &Home) -> (Duration, Duration) {
    let mut command = Command::new("bash");
    command.args(["-c", "TIMEFORMAT='%U %S'; time \"$0\" --json Talk >/dev/null 2>&1"]);
    command.arg(candor_testkit::measured(BINARY));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.user()).env("CANDOR_HOME", home.path());
    command.env("FAKE_KEY", KEY).current_dir(home.workspace()).stdin(Stdio::null());
    let started = Instant::now();
    let output = command.output().expect("bash starts");
    let wall = started.elapsed();
    let told = String::from_utf8_lossy(&output.stderr);
    let seconds: f64 = told.split_whitespace().filter_map(|part| part.parse::<f64>().ok()).sum();
    assert!(output.status.success() && seconds > 0.0, "{told}");
    (wall, Duration::from_secs_f64(seconds))
}

/// How long it takes to get the same answer and do nothing with it.
fn read_bare(fake: &FakeLlm) -> Duration {
    let seen = fake.requests().into_iter().next().expect("a request to repeat");
    let body = seen.body.to_string();
    let headers = seen.headers.iter().filter(|(name, _)| name != "content-length");
    let headers: Vec<String> = headers.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let head = format!("POST {} HTTP/1.1\r\n{}content-length: {length}\r\n\r\n", seen.path, headers.concat());
    let address = fake.base_url();
    let address = address.trim_start_matches("http://").split('/').next().unwrap_or_default().to_owned();
    let started = Instant::now();
    let mut stream = TcpStream::connect(address).expect("the fake listens");
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).expect("it reads");
    let (mut buffer, mut end) = (vec![0; 64 * 1024], Vec::new());
    while !end.ends_with(b"0\r\n\r\n") {
        let count = stream.read(&mut buffer).expect("it answers");
        assert!(count > 0, "the answer was cut");
        end.extend_from_slice(&buffer[count.saturating_sub(8)..count]);
        end.drain(..end.len().saturating_sub(8));
    }
    started.elapsed()
}

fn median(times: &[Duration]) -> Duration {
    percentile(times, 50)
}

fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(at).copied().unwrap_or_default()
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

fn ratio(time: Duration, baseline: Duration) -> String {
    format!("{:.1} ×", time.as_secs_f64() / baseline.as_secs_f64())
}
