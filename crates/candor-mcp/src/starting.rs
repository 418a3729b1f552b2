//! Starts a process, or reaches an address, and agrees with it on how to speak.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_sandbox::{Sandbox, Spec, Stdin, start_talking};
use rmcp::model::{ErrorCode, ProtocolVersion};
use rmcp::service::ClientInitializeError;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientLifecycleMode, serve_client_with_lifecycle};

use crate::config::{Entry, Reach, Rights};
use crate::connection::{Connection, Ear, shortened, wanted_login};
use crate::error::{Challenge, Error};
use crate::oauth::{self, Tokens};
use crate::posting::Bounded;
use crate::stdio::{Child, SAID_BYTES_MAX, Stdio};
use crate::{Options, http};

/// How both sides agree on how to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Ask whether it speaks the protocol without sessions, and fall back.
    Ask,
    /// It is known to open with `initialize`.
    Initialize,
}

/// A start that failed.
struct Failed {
    error: Error,
    /// Whether it may be the first question that it does not know. Some old servers end over it, or answer anything.
    may_be_old: bool,
}

/// Starts it.
pub(crate) async fn start(
    entry: &Entry,
    options: &Options,
    opening: Opening,
    ear: &Ear,
) -> Result<Connection, Error> {
    let attempt = |opening| attempt(entry, options, opening, ear.clone());
    let started = match attempt(opening).await {
        Err(Failed { may_be_old: true, .. }) if opening == Opening::Ask => attempt(Opening::Initialize).await,
        started => started,
    };
    started.map_err(|failed| failed.error)
}

async fn attempt(entry: &Entry, options: &Options, opening: Opening, ear: Ear) -> Result<Connection, Failed> {
    let limit = options.start_time_max;
    match &entry.reach {
        Reach::Stdio { .. } => {
            let (child, stdio) = spawn(entry, options).map_err(Failed::plainly)?;
            let serving = serve_client_with_lifecycle(ear, stdio, opening.lifecycle());
            match within(limit, serving).await {
                Ok(service) => Ok(Connection::new(service, Some(child))),
                Err(problem) => {
                    let failed = explain(entry, &problem, limit, Some(&child)).await;
                    child.stop().await;
                    Err(failed)
                }
            }
        }
        Reach::Http { url, headers, .. } => {
            let plainly = |reason| Failed::plainly(start_failed(entry, reason, String::new()));
            let headers = http::headers(headers);
            let has_key = headers.contains_key(reqwest::header::AUTHORIZATION);
            let client = Bounded(http::client(url, &headers).map_err(plainly)?);
            let tokens =
                options.tokens.as_ref().filter(|_| !has_key).map(|file| Tokens::new(file, &entry.hash));
            let authorized = oauth::authorized(url, client.clone(), tokens);
            let authorized = within(limit, authorized).await;
            let served = match authorized {
                Ok(Some(client)) => {
                    let transport = StreamableHttpClientTransport::with_client(client, http::transport(url));
                    within(limit, serve_client_with_lifecycle(ear, transport, opening.lifecycle())).await
                }
                Ok(None) => {
                    let transport = StreamableHttpClientTransport::with_client(client, http::transport(url));
                    within(limit, serve_client_with_lifecycle(ear, transport, opening.lifecycle())).await
                }
                Err(Problem::Late) => Err(Problem::Late),
                Err(Problem::Of(reason)) => return Err(plainly(reason)),
            };
            match served {
                Ok(service) => Ok(Connection::new(service, None)),
                Err(problem) => Err(explain(entry, &problem, limit, None).await),
            }
        }
    }
}

/// Why a step of a start failed.
enum Problem<E> {
    Late,
    Of(E),
}

async fn within<T, E>(limit: Duration, step: impl Future<Output = Result<T, E>>) -> Result<T, Problem<E>> {
    match tokio::time::timeout(limit, step).await {
        Ok(done) => done.map_err(Problem::Of),
        Err(_) => Err(Problem::Late),
    }
}

impl Opening {
    fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Ask => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Self::Initialize => ClientLifecycleMode::Initialize,
        }
    }
}

impl Failed {
    fn plainly(error: Error) -> Self {
        Self { error, may_be_old: false }
    }
}

type Conversation = Stdio<tokio::net::unix::pipe::Receiver>;

fn spawn(entry: &Entry, options: &Options) -> Result<(Child, Conversation), Error> {
    let Reach::Stdio { command, args, env, cwd } = &entry.reach else {
        return Err(start_failed(entry, "it is no process".to_owned(), String::new()));
    };
    let mut variables = options.env.clone();
    variables.retain(|(name, _)| !env.contains_key(name));
    variables.extend(env.iter().map(|(name, value)| (name.clone(), value.clone())));
    let cwd = cwd.as_ref().map_or_else(|| options.workspace.clone(), |cwd| options.workspace.join(cwd));
    let spec = Spec {
        program: program(command, &cwd, &variables),
        args: args.iter().map(OsString::from).collect(),
        cwd,
        env: variables,
        timeout: Duration::MAX,
        output_bytes_max: SAID_BYTES_MAX,
        spill: None,
        stdin: Stdin::Piped,
        pty: None,
    };
    let failed = |reason: String| start_failed(entry, reason, String::new());
    let sandbox = match entry.rights {
        Rights::Full => Sandbox::bare(),
        Rights::Workspace => options.walls.sandbox().map_err(|error| failed(error.to_string()))?.clone(),
    };
    let (running, output) = start_talking(&spec, &sandbox).map_err(|error| failed(error.to_string()))?;
    let child = Child::new(running);
    Ok((child.clone(), Stdio::new(child, output)))
}

/// Where the program is. It is looked for in the `PATH` that the server gets, not in ours, and one with a slash in the
/// directory it starts in.
fn program(command: &str, cwd: &Path, env: &[(String, String)]) -> PathBuf {
    if command.contains('/') {
        return cwd.join(command);
    }
    let path = env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    let candidates = path.split(':').filter(|at| at.starts_with('/')).map(|at| Path::new(at).join(command));
    candidates.into_iter().find(|candidate| candidate.is_file()).unwrap_or_else(|| command.into())
}

fn start_failed(entry: &Entry, reason: String, said: String) -> Error {
    Error::Start { server: entry.name.clone(), reason, said }
}

async fn explain(
    entry: &Entry,
    problem: &Problem<ClientInitializeError>,
    limit: Duration,
    child: Option<&Child>,
) -> Failed {
    let said = || child.map(Child::said).unwrap_or_default();
    let Problem::Of(error) = problem else {
        let reason = format!("it had not answered after {} seconds", limit.as_secs_f64());
        return Failed::plainly(start_failed(entry, reason, said()));
    };
    if let Some(challenge) = about_login(error) {
        let reason = "no login is known here, or it has run out".to_owned();
        return Failed::plainly(Error::Login { server: entry.name.clone(), reason, challenge });
    }
    let reason = match (ended(error), child) {
        (true, Some(child)) => format!("it {}", child.how().await),
        _ => shortened(&worded(error)),
    };
    // Where the older way was tried already, it is that which failed.
    let may_be_old = !matches!(error, ClientInitializeError::LegacyFallbackFailed { .. });
    Failed { error: start_failed(entry, reason, said()), may_be_old }
}

fn about_login(error: &ClientInitializeError) -> Option<Challenge> {
    match error {
        ClientInitializeError::TransportError { error, .. } => wanted_login(&*error.error),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => about_login(fallback),
        _ => None,
    }
}

/// Whether the other side is gone.
fn ended(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. } => true,
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => ended(fallback),
        _ => false,
    }
}

fn worded(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::JsonRpcError(error) if error.code == ErrorCode::METHOD_NOT_FOUND => {
            "it does not know how to begin a conversation".to_owned()
        }
        ClientInitializeError::JsonRpcError(error) => format!("it answered with the error {}", error.message),
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<String> = server_supported.iter().map(ToString::to_string).collect();
            format!("it speaks only versions of MCP that are not spoken here: {}", versions.join(", "))
        }
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
            "what it answered to the first question is not MCP".to_owned()
        }
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection".to_owned(),
        ClientInitializeError::TransportError { error, .. } => http::innermost(&*error.error),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => worded(fallback),
        other => other.to_string(),
    }
}
