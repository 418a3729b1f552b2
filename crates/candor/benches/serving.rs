//! The server, in the binary that we hand out: how soon it is there, what it costs when nothing happens, and how late a piece of an
//! answer is when a hundred runs stream at once.
//!
//! Prints one line a figure, `measure | goal | measured | met`, for `cargo xtask bench`.
#![expect(clippy::expect_used, reason = "a benchmark that cannot run says so and stops")]
#![expect(clippy::disallowed_methods, reason = "it starts the binary")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use candor_testkit::{Home, Ws, row};
use serde_json::json;

const BINARY: &str = env!("CARGO_BIN_EXE_candor");
const STARTS: usize = 30;
const IDLE: Duration = Duration::from_secs(5);
const SOCKETS: usize = 1000;
const RUNS: usize = 100;
const PIECES: usize = 100;
/// How fast a model talks: twenty pieces a second.
const PACE: Duration = Duration::from_millis(50);

fn main() {
    // Under `cargo test --benches` there is nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let begun = Instant::now();
    let model = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let home = home(model.local_addr().expect("an address").port());
    thread::spawn(move || talk(&model, begun));
    ready(&home);
    let server = Server::start(&home);
    idle(&server);
    sockets(&server, &home);
    streams(&server, &home, begun);
}

fn home(port: u16) -> Home {
    let home = Home::new();
    home.write(
        "config.toml",
        format!(
            "provider = \"fake\"\n[providers.fake]\ndialect = \"openai-chat\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\
             api_key_env = \"FAKE_KEY\"\nmodel = \"fake-model\"\n"
        ),
    );
    home
}

/// A server that runs; dropping it ends it.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(home: &Home) -> Self {
        // The kernel gives a free port; nobody else takes it in the moment until the server does.
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let mut command = Command::new(candor_testkit::measured(BINARY));
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.user());
        command.env("CANDOR_HOME", home.path()).env("FAKE_KEY", "fk-bench-0123456789abcdef");
        command.args(["serve", "--listen", &format!("127.0.0.1:{port}")]).current_dir(home.workspace());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("the binary starts");
        while !is_healthy(port) {
            thread::sleep(Duration::from_micros(200));
        }
        Self { child, port }
    }

    fn memory_kb(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
        let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().expect("a number");
        kib * 1024 / 1000
    }

    /// The CPU time it has used, in the kernel's ticks of a hundredth of a second.
    fn ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("it runs");
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        [11, 12].iter().map(|at| fields[*at].parse::<u64>().expect("a number")).sum()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_healthy(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return false };
    let request = format!("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    let mut answer = String::new();
    let told = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_string(&mut answer));
    told.is_ok() && answer.starts_with("HTTP/1.1 200")
}

fn ready(home: &Home) {
    let time = || {
        let started = Instant::now();
        drop(Server::start(home));
        started.elapsed()
    };
    time();
    let times: Vec<Duration> = (0..STARTS).map(|_| time()).collect();
    let typical = percentile(&times, 50);
    row(
        "the server, from start to the first answer of /healthz",
        "≤ 15 ms",
        &format!("{} (95 of 100 within {})", ms(typical), ms(percentile(&times, 95))),
        Some(typical <= Duration::from_millis(15)),
    );
}

fn idle(server: &Server) {
    let before = server.ticks();
    thread::sleep(IDLE);
    let ticks = server.ticks() - before;
    let memory = server.memory_kb();
    row("its memory when idle", "≤ 15 MB", &format!("{:.1} MB", memory as f64 / 1e3), Some(memory <= 15_000));
    row(
        &format!("its CPU time in {} idle seconds", IDLE.as_secs()),
        "none",
        &format!("{} ms", ticks * 10),
        Some(ticks == 0),
    );
}

fn sockets(server: &Server, home: &Home) {
    let token = home.read("token");
    let before = server.memory_kb();
    let sockets: Vec<Ws> = (0..SOCKETS).map(|_| Ws::connect(server.port, token.trim())).collect();
    let each = server.memory_kb().saturating_sub(before) as f64 / SOCKETS as f64;
    row(
        &format!("memory of each of {} idle sockets", sockets.len()),
        "≤ 40 KB",
        &format!("{each:.1} KB"),
        Some(each <= 40.0),
    );
}

fn streams(server: &Server, home: &Home, begun: Instant) {
    let token = home.read("token");
    let before = server.ticks();
    let late: Vec<Duration> = thread::scope(|scope| {
        let clients: Vec<_> = (0..RUNS)
            .map(|_| {
                let mut socket = Ws::connect(server.port, token.trim());
                scope.spawn(move || listen(&mut socket, begun))
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    });
    let (cpu, pieces) = (server.ticks() - before, late.len());
    let worst = percentile(&late, 99);
    row(
        &format!(
            "a piece of an answer, from the model's write to the client, {RUNS} runs at once, 99 of 100"
        ),
        "≤ 50 ms",
        &format!("{} (half within {})", ms(worst), ms(percentile(&late, 50))),
        Some(worst <= Duration::from_millis(50)),
    );
    row(
        "pieces that arrived",
        &(RUNS * PIECES).to_string(),
        &pieces.to_string(),
        Some(pieces == RUNS * PIECES),
    );
    row("CPU time for all of them", "–", &format!("{} ms", cpu * 10), None);
    row("memory after them", "–", &format!("{:.1} MB", server.memory_kb() as f64 / 1e3), None);
}

/// How late each piece of one answer is: its text is the time at which it was sent.
fn listen(socket: &mut Ws, begun: Instant) -> Vec<Duration> {
    socket.send(json!({ "type": "send_message", "content": "Talk" }));
    let (mut late, mut rest) = (Vec::new(), String::new());
    loop {
        let frame = socket.receive();
        let now = begun.elapsed();
        match frame["type"].as_str() {
            Some("stream_delta") => rest.push_str(frame["text"].as_str().unwrap_or_default()),
            Some("run_end") => return late,
            _ => continue,
        }
        while let Some((stamp, more)) = rest.split_once(' ') {
            let stamp = stamp.trim_start_matches('t').parse().expect("a time");
            late.push(now.saturating_sub(Duration::from_micros(stamp)));
            rest = more.to_owned();
        }
    }
}

/// A model that says what time it is, again and again.
fn talk(listener: &TcpListener, begun: Instant) {
    for stream in listener.incoming().flatten() {
        thread::spawn(move || {
            let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
            while read_request(&mut reader) {
                answer(&stream, begun);
            }
        });
    }
}

fn read_request(reader: &mut BufReader<TcpStream>) -> bool {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return false;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if line == "\r\n" {
            return reader.read_exact(&mut vec![0; length]).is_ok();
        }
    }
}

fn answer(mut stream: &TcpStream, begun: Instant) {
    let _ = stream.set_nodelay(true);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let _ = stream.write_all(head.as_bytes());
    let mut chunk = |data: &str| {
        let event = format!("data: {data}\n\n");
        let _ = stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes());
    };
    for _ in 0..PIECES {
        let content = format!("t{} ", begun.elapsed().as_micros());
        chunk(
            &json!({ "id": "c", "choices": [{ "index": 0, "delta": { "content": content } }] }).to_string(),
        );
        thread::sleep(PACE);
    }
    chunk(r#"{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#);
    chunk("[DONE]");
    let _ = stream.write_all(b"0\r\n\r\n");
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
