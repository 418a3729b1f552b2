//! A service that runs, servers that answer as they are told, and a probe between them.

use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use candor_protocol::CheckResult;
use candor_sandbox::{Level, Network, Policy, Running, Sandbox, Spec, Stdin, start_tapped};
use candor_verify::BoxFuture;
use candor_verify::bot::Bot;
use candor_verify::heard::Heard;
use candor_verify::plan::{HttpProbe, Probe, ProbeHow};
use candor_verify::probe::{Answer, Sql, Target, ask};
use regex::Regex;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// More than anything here takes.
pub(crate) const LONG: Duration = Duration::from_secs(60);
/// For what never comes.
pub(crate) const SHORT: Duration = Duration::from_millis(500);

/// A service and all that a probe may use.
pub(crate) struct Rig {
    pub(crate) directory: TempDir,
    pub(crate) sandbox: Sandbox,
    pub(crate) running: Running,
    pub(crate) heard: Arc<Heard>,
    pub(crate) base: Option<SocketAddr>,
    pub(crate) bot: Option<Bot>,
    pub(crate) sql: Option<Box<dyn Sql>>,
    pub(crate) may_leave: bool,
    pub(crate) log_line: Option<String>,
    pub(crate) env: Vec<(String, String)>,
}

impl Rig {
    /// A service that does nothing and does not end.
    pub(crate) fn new() -> Self {
        Self::running("exec cat > /dev/null")
    }

    /// A service that is this shell script.
    pub(crate) fn running(script: &str) -> Self {
        Self::with(|_| Sandbox::bare(), script, &[])
    }

    /// The same behind walls, in a network of its own.
    pub(crate) fn walled(script: &str) -> Self {
        Self::with(walled, script, &[])
    }

    /// The same with a bot API, whose address is in `API`.
    pub(crate) async fn bot(sandbox: impl FnOnce(&Path) -> Sandbox, script: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let sandbox = sandbox(directory.path());
        let bot = Bot::start(&sandbox).await.unwrap();
        let env = [("API".to_owned(), bot.base_url())];
        Self { bot: Some(bot), ..Self::inside(directory, sandbox, script, &env) }
    }

    fn with(sandbox: impl FnOnce(&Path) -> Sandbox, script: &str, env: &[(String, String)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let sandbox = sandbox(directory.path());
        Self::inside(directory, sandbox, script, env)
    }

    fn inside(directory: TempDir, sandbox: Sandbox, script: &str, env: &[(String, String)]) -> Self {
        let heard = Arc::new(Heard::default());
        let mut all = vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())];
        all.extend_from_slice(env);
        let spec = Spec {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            cwd: directory.path().to_owned(),
            env: all.clone(),
            timeout: LONG,
            output_bytes_max: 1 << 20,
            spill: None,
            stdin: Stdin::Piped,
            pty: None,
        };
        let ear = Arc::clone(&heard);
        let running = start_tapped(&spec, &sandbox, Arc::new(move |_, bytes| ear.push(bytes))).unwrap();
        Self {
            directory,
            sandbox,
            running,
            heard,
            base: None,
            bot: None,
            sql: None,
            may_leave: false,
            log_line: None,
            env: all,
        }
    }

    /// Asks, and gives what came of it.
    pub(crate) async fn ask(&self, probe: &Probe) -> Answer {
        let log_line = self.log_line.clone();
        let look = move |pattern: &Regex| -> BoxFuture<'static, Option<String>> {
            Box::pin(std::future::ready(log_line.clone().filter(|line| pattern.is_match(line))))
        };
        let target = Target {
            sandbox: &self.sandbox,
            running: &self.running,
            heard: &self.heard,
            root: self.directory.path(),
            cwd: self.directory.path(),
            env: &self.env,
            base: self.base,
            bot: self.bot.as_ref(),
            sql: self.sql.as_deref(),
            may_leave: self.may_leave,
            log_files: &look,
            shell: Path::new("/bin/sh"),
        };
        // An engine may do this on any of its threads.
        let asking: Pin<Box<dyn Future<Output = Answer> + Send + '_>> = Box::pin(ask(probe, &target));
        asking.await
    }

    /// Asks, and demands a result and a sentence.
    #[track_caller]
    pub(crate) fn check(
        &self,
        probe: &Probe,
        result: CheckResult,
        summary: &str,
    ) -> impl Future<Output = Answer> {
        let place = std::panic::Location::caller();
        async move {
            let answer = self.ask(probe).await;
            assert_eq!((answer.result, answer.summary.as_str()), (result, summary), "{place}: {answer:?}");
            assert!(answer.sample.as_ref().is_none_or(|sample| sample.chars().count() <= 2_000));
            answer
        }
    }

    /// The first line that the service says.
    pub(crate) async fn first_line(&self) -> String {
        self.heard.line(&Regex::new(".").unwrap(), 0).await
    }
}

/// Walls with a network of their own.
pub(crate) fn walled(directory: &Path) -> Sandbox {
    let network = Network::Loopback { forward: Vec::new() };
    let policy = Policy { writable: vec![directory.to_owned()], network, ..Policy::default() };
    Sandbox::open_at(policy, Level::Namespaces).unwrap()
}

/// A probe with all the time it wants.
pub(crate) fn probe(how: ProbeHow) -> Probe {
    Probe { name: "probe".to_owned(), how, timeout: LONG, retries: 0, derived: false }
}

/// The same with little time.
pub(crate) fn hasty(how: ProbeHow) -> Probe {
    Probe { timeout: SHORT, ..probe(how) }
}

/// A question to this server.
pub(crate) fn http_probe(server: SocketAddr, path: &str) -> HttpProbe {
    HttpProbe { url: format!("http://{server}{path}"), ..HttpProbe::default() }
}

/// What a server does with a connection after it has read the head of a request.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// Closes it.
    Close,
    /// Breaks it, so that the other side is told of a reset.
    Reset,
    /// Leaves it open.
    Hold,
}

/// A server that answers every request with these bytes. It lives as long as what is given back.
pub(crate) async fn server(answer: impl Into<Vec<u8>>, then: Then) -> (SocketAddr, JoinSet<()>) {
    let answer = answer.into();
    serving(move |mut stream| {
        let answer = answer.clone();
        async move {
            head(&mut stream).await;
            let _ = stream.write_all(&answer).await;
            finish(stream, then).await;
        }
    })
    .await
}

/// A server that does this with every connection.
pub(crate) async fn serving<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> (SocketAddr, JoinSet<()>)
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            connections.spawn(serve(stream));
        }
    });
    (address, tasks)
}

/// Reads the head of a request, and nothing after it.
pub(crate) async fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

pub(crate) async fn finish(stream: TcpStream, then: Then) {
    match then {
        Then::Close => {}
        Then::Reset => stream.set_zero_linger().unwrap(),
        Then::Hold => std::future::pending().await,
    }
}

/// An answer with this body.
pub(crate) fn answer(status: &str, kind: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}
