//! Long sessions and many sessions, through the binary that we hand out.
//!
//! Prints one line a figure, `measure | goal | measured | met`, for `cargo xtask bench`.
#![expect(clippy::expect_used, reason = "a benchmark that cannot run says so and stops")]
#![expect(clippy::disallowed_methods, reason = "it starts the binary")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use candor_protocol::{
    Event, EventBody, Moment, Origin, Outcome, Part, RunId, SessionId, Status, StopReason, SummarisedBy,
    Usage, Verdict, VerdictStatus,
};
use candor_store::{Location, Store};
use candor_testkit::{Dialect, FakeLlm, Home, Reply, row};

const BINARY: &str = env!("CARGO_BIN_EXE_candor");
/// How many messages the long session has; each run has two.
const MESSAGES: u64 = 10_000;
/// How many of them came after the last summary.
const RECENT: u64 = 40;
const SESSIONS: usize = 10_000;
const TIMES: usize = 20;

fn main() {
    // Under `cargo test --benches` there is nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.repeat(Reply::text("Yes."));
    long_session(&fake);
    many_sessions(&fake);
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

fn typical(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn home(fake: &FakeLlm) -> Home {
    let home = Home::new();
    home.write(
        "config.toml",
        format!(
            "provider = \"fake\"\nsession.model_titles = false\n[providers.fake]\ndialect = \"openai-chat\"\n\
             base_url = \"{}\"\napi_key_env = \"FAKE_KEY\"\nmodel = \"fake-model\"\n",
            fake.base_url()
        ),
    );
    home
}

fn candor(home: &Home, args: &[&str]) -> Command {
    let mut command = Command::new(candor_testkit::measured(BINARY));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.user());
    command.env("CANDOR_HOME", home.path()).env("FAKE_KEY", "fk-bench-0123456789abcdef");
    command.args(args).current_dir(home.workspace());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// How long the binary takes, from start to exit.
fn time(home: &Home, args: &[&str]) -> Duration {
    let started = Instant::now();
    let status = candor(home, args).status().expect("the binary starts");
    assert!(status.success(), "{args:?}");
    started.elapsed()
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

/// A session as the years have left it: long, and summarised not long ago.
fn long_session(fake: &FakeLlm) {
    let home = home(fake);
    let session = SessionId::now();
    block_on(async {
        let store = Store::open(&Location::File(home.path().join("candor.db"))).await.expect("a store");
        let mut told = Story { session, events: Vec::new() };
        told.tell(None, created(&home));
        for message in 0..MESSAGES / 2 {
            told.run(message, message == (MESSAGES - RECENT) / 2);
        }
        for some in told.events.chunks(5000) {
            store.append(some).await.expect("room");
        }
        store.close().await;
    });
    let id = session.to_string();
    time(&home, &["-s", &id, "The first that continues reads it all, and saves where it was."]);
    let news = typical((0..TIMES).map(|_| time(&home, &["A new session."])).collect());
    let long = typical((0..TIMES).map(|_| time(&home, &["-s", &id, "Go on."])).collect());
    row(
        "to go on with a session of 10,000 messages, from start to exit of the program",
        "≤ 50 ms",
        &format!("{} (a new session: {})", ms(long), ms(news)),
        Some(long <= Duration::from_millis(50)),
    );
}

struct Story {
    session: SessionId,
    events: Vec<Event>,
}

impl Story {
    fn tell(&mut self, run_id: Option<RunId>, body: EventBody) {
        let seq = self.events.len() as u64 + 1;
        self.events.push(Event { seq, session_id: self.session, run_id, at: Moment::now(), body });
    }

    fn run(&mut self, message: u64, summarised: bool) {
        let run = Some(RunId::now());
        let text =
            format!("Message {message}: {}", "words that somebody once said about something. ".repeat(4));
        let model = || "fake-model".to_owned();
        let content = vec![Part::text(&text)];
        self.tell(run, EventBody::MessageAccepted { origin: Origin::Cli, content: content.clone() });
        self.tell(run, EventBody::RunStart { model: model(), message_count: 1 });
        if summarised {
            let [read_files, modified_files] = [Vec::new(), Vec::new()];
            let (removed_messages, by) = (2 * message, SummarisedBy::Model);
            let summary = "<summary>What was said before.</summary>".to_owned();
            self.tell(
                run,
                EventBody::Compacted {
                    removed_messages,
                    removed_images: 0,
                    summary_tokens: 10,
                    summary,
                    tokens_before: 1000,
                    read_files,
                    modified_files,
                    by,
                },
            );
        }
        let (usage, stop_reason) = (Usage::default(), StopReason::EndTurn);
        self.tell(run, EventBody::MessageComplete { content, model: model(), usage, stop_reason });
        self.tell(run, EventBody::RunEnd(outcome()));
    }
}

fn outcome() -> Outcome {
    let (status, evidence) = (VerdictStatus::NotApplicable, Vec::new());
    Outcome {
        status: Status::Done,
        verdict: Verdict { status, profile: "fast".to_owned(), evidence },
        usage: Usage::default(),
        cost_usd: Some(0.0),
        turns: 1,
        tool_calls: 0,
        duration_ms: 1,
        card: None,
        children: None,
    }
}

fn created(home: &Home) -> EventBody {
    EventBody::SessionCreated {
        source: "cli".to_owned(),
        name: "long ago".to_owned(),
        workspace: home.workspace().display().to_string(),
        instructions: None,
        job: None,
        forked_from: None,
        parent: None,
    }
}

fn many_sessions(fake: &FakeLlm) {
    let home = home(fake);
    block_on(async {
        let store = Store::open(&Location::File(home.path().join("candor.db"))).await.expect("a store");
        let begin = |_| {
            let mut told = Story { session: SessionId::now(), events: Vec::new() };
            told.tell(None, created(&home));
            told.run(1, false);
            told.events
        };
        for group in (0..SESSIONS).map(begin).collect::<Vec<_>>().chunks(200) {
            let stored = group.iter().map(|events| store.append(events));
            for stored in futures_util::future::join_all(stored).await {
                stored.expect("room");
            }
        }
        store.close().await;
    });
    let times = (0..TIMES).map(|_| ready(&home)).collect();
    let typical_ready = typical(times);
    row(
        "the server with 10,000 sessions, from start to the first answer of /healthz",
        "≤ 100 ms",
        &ms(typical_ready),
        Some(typical_ready <= Duration::from_millis(100)),
    );
    let list = typical((0..TIMES).map(|_| time(&home, &["sessions", "list"])).collect());
    row("`candor sessions list` with 10,000 sessions", "–", &ms(list), None);
    let latest = typical((0..TIMES).map(|_| time(&home, &["-c", "Go on."])).collect());
    row("`candor -c` with 10,000 sessions", "–", &ms(latest), None);
}

/// How long a server takes until it answers.
fn ready(home: &Home) -> Duration {
    // The kernel gives a free port; nobody else takes it in the moment until the server does.
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let started = Instant::now();
    let mut child =
        candor(home, &["serve", "--listen", &format!("127.0.0.1:{port}")]).spawn().expect("it starts");
    while !is_healthy(port) {
        thread::sleep(Duration::from_micros(200));
    }
    let ready = started.elapsed();
    let _ = child.kill();
    let _ = child.wait();
    ready
}

fn is_healthy(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return false };
    let request = format!("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    let mut answer = String::new();
    let told = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_string(&mut answer));
    told.is_ok() && answer.starts_with("HTTP/1.1 200")
}
