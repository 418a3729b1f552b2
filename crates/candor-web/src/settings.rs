//! What the owner of the machine has decided about the web.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use candor_protocol::SessionId;

use crate::Allowed;

/// What the tools of the web may do. The default reaches public addresses only, and searches nothing.
#[derive(Clone)]
pub struct Web {
    /// What may be reached although it is not public.
    pub allow_private: Vec<Allowed>,
    /// Whether 198.18.0.0/15 counts as public. It is meant for measurements, and some proxies answer every name with an
    /// address of it: their users reach nothing without this.
    pub allow_benchmarking: bool,
    /// What the word of a site to robots means.
    pub robots: Robots,
    /// The way out of the network, where there is only one. The environment is not asked.
    ///
    /// A proxy resolves names by itself: what it may reach is decided there, too. Names and addresses are still checked here as far as
    /// they are known here.
    pub proxy: Option<String>,
    /// Until there is a connection.
    pub connect_timeout: Duration,
    /// For everything: names, redirects, `robots.txt`, the body.
    pub total_timeout: Duration,
    /// How much of a body is read, once it is unpacked.
    pub body_bytes_max: usize,
    /// How much of a page the model gets at once, unless it asks for another amount.
    pub page_bytes: usize,
    /// Who is asked for searches. Nobody: there is no such tool.
    pub search: Option<Search>,
    /// Whether a text that is about to leave the machine holds a secret of this session. Without it only placeholders are found.
    pub secrets: Option<Secrets>,
}

/// Says whether a text holds a secret of a session.
pub type Secrets = Arc<dyn Fn(SessionId, &str) -> bool + Send + Sync>;

/// What the word of a site to robots means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Robots {
    /// What `robots.txt` forbids is not fetched. The default: nobody can tell here whether a person wanted a page or a model
    /// went from link to link, which is what a robot does, and whoever disagrees finds this setting on the card.
    #[default]
    Respect,
    /// `robots.txt` is not asked for.
    Ignore,
}

/// Who is asked for searches.
#[derive(Clone, PartialEq, Eq)]
pub struct Search {
    /// Whose interface it has.
    pub engine: Engine,
    /// Where it is, up to the paths of the interface. Nothing: the engine's own address, where it has one.
    pub base_url: Option<String>,
    /// The key it wants.
    pub key: Option<String>,
}

/// Engines whose interface is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// A `SearXNG` of one's own: wants its address, no key.
    Searxng,
    /// Brave Search.
    Brave,
    /// Tavily.
    Tavily,
    /// Kagi.
    Kagi,
}

impl Default for Web {
    fn default() -> Self {
        Self {
            allow_private: Vec::new(),
            allow_benchmarking: false,
            robots: Robots::Respect,
            proxy: None,
            connect_timeout: Duration::from_secs(10),
            total_timeout: Duration::from_secs(30),
            body_bytes_max: 5 << 20,
            page_bytes: 40_000,
            search: None,
            secrets: None,
        }
    }
}

/// A proxy's password stays out of every debug output.
impl fmt::Debug for Web {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Web")
            .field("allow_private", &self.allow_private)
            .field("allow_benchmarking", &self.allow_benchmarking)
            .field("robots", &self.robots)
            .field("proxy", &self.proxy.as_ref().map(|_| "[REDACTED]"))
            .field("search", &self.search)
            .finish_non_exhaustive()
    }
}

/// So does the key.
impl fmt::Debug for Search {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Search")
            .field("engine", &self.engine)
            .field("base_url", &self.base_url)
            .field("key", &self.key.as_ref().map(|_| "[REDACTED]"))
            .finish()
    }
}
