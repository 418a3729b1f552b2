//! Why a server did not do what it was asked.

use std::path::PathBuf;
use std::time::Duration;

use candor_protocol::{Code, Failure};

/// What a server says about the login that it wants. It is for the login, and no card shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Challenge(pub(crate) Option<String>);

/// Why a server did not do what it was asked. It can be told to everybody who waits for the same start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are the things the message names")]
pub enum Error {
    /// There is no such server.
    #[error("there is no MCP server called {server}")]
    Unknown { server: String, servers: String },
    /// Nobody has agreed to it.
    #[error("the MCP server {server} is not trusted")]
    Untrusted { server: String, path: PathBuf },
    /// It could not be started, or reached.
    #[error("the MCP server {server} did not start: {reason}")]
    Start { server: String, reason: String, said: String },
    /// It failed too often to be tried again by itself.
    #[error("the MCP server {server} failed {count} times in a row: {reason}")]
    GivenUp { server: String, count: u32, reason: String },
    /// It ended during a call.
    #[error("the MCP server {server} {how} while {tool} was under way")]
    Died { server: String, tool: String, how: String, said: String },
    /// It did not answer in time.
    #[error("the MCP server {server} had not answered {tool} after {} seconds", limit.as_secs_f64())]
    TimedOut { server: String, tool: String, limit: Duration },
    /// What it said is not MCP.
    #[error("the MCP server {server} breaks the protocol: {reason}")]
    Protocol { server: String, reason: String },
    /// It says that it failed.
    #[error("{tool} of the MCP server {server} failed: {reason}")]
    Call { server: String, tool: String, reason: String },
    /// It wants a login.
    #[error("the MCP server {server} wants a login: {reason}")]
    Login { server: String, reason: String, challenge: Challenge },
    /// It is a process, which has none.
    #[error("the MCP server {server} is a process on this machine, and has no login")]
    NoLogin { server: String },
    /// A file of ours could not be read or written.
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    /// Nobody waits for it any more.
    #[error("{tool} was interrupted")]
    Interrupted { tool: String },
}

impl Error {
    /// The failure, for the catalogue.
    pub fn failure(&self) -> Failure {
        match self {
            Self::Unknown { server, servers } => {
                Failure::new(Code::McpUnknown).with("server", server).with("servers", servers)
            }
            Self::Untrusted { server, path } => {
                Failure::new(Code::McpUntrusted).with("server", server).with("path", path.display())
            }
            Self::Start { server, reason, said } => {
                Failure::new(Code::McpStart).with("server", server).with("reason", with_said(reason, said))
            }
            Self::GivenUp { server, count, reason } => Failure::new(Code::McpGivenUp)
                .with("server", server)
                .with("count", count)
                .with("reason", reason),
            Self::Died { server, tool, how, said } => {
                let failure = Failure::new(Code::McpDied).with("server", server).with("tool", tool);
                failure.with("how", with_said(how, said))
            }
            Self::TimedOut { server, tool, limit } => Failure::new(Code::McpTimeout)
                .with("server", server)
                .with("tool", tool)
                .with("limit", format!("{} seconds", limit.as_secs_f64())),
            Self::Protocol { server, reason } => {
                Failure::new(Code::McpProtocol).with("server", server).with("reason", reason)
            }
            Self::Call { server, tool, reason } => {
                Failure::new(Code::McpCall).with("server", server).with("tool", tool).with("reason", reason)
            }
            Self::Login { server, reason, .. } => {
                Failure::new(Code::McpLogin).with("server", server).with("reason", reason)
            }
            Self::NoLogin { server } => Failure::new(Code::UsageInvalidValue)
                .with("argument", "NAME")
                .with("value", server)
                .with(
                    "detail",
                    "It is a process on this machine, and those have no login. A key that it needs stands in the `env` of its entry.",
                )
                .with("help", "candor mcp list"),
            Self::File { path, reason } => {
                Failure::new(Code::FileIo).with("path", path.display()).with("reason", reason)
            }
            Self::Interrupted { tool } => Failure::new(Code::ToolInterrupted).with("tool", tool),
        }
    }
}

/// A sentence, and the end of what the server said, if it said anything.
fn with_said(sentence: &str, said: &str) -> String {
    if said.trim().is_empty() {
        return format!("{sentence}.");
    }
    format!("{sentence}.\nThe end of what it said about trouble:\n{said}")
}
