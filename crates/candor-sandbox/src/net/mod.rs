//! What reaches from a session's own network to the host's: forwarded ports, and a proxy for listed hosts.
//!
//! The listening sockets are made inside the session's network namespace, and their other ends are connected here, on
//! the host. So there is no proxy process, nothing of it to kill, and nothing inside to talk it into anything.

mod address;
mod forward;
mod hosts;
mod proxy;

use std::io;
use std::net::TcpListener as StdListener;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use crate::walls::space::Space;
use crate::{Error, Network};
use hosts::Hosts;

/// How many connections at a time one session has to the host.
pub(crate) const CONNECTIONS_MAX: usize = 128;
/// How long to wait when nobody can be let in: mostly there are no descriptors left, and asking on would only take time.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The ways out of a session's network. Dropping them closes them, with every connection on them.
#[derive(Debug, Default)]
pub(crate) struct Bridges {
    tasks: Vec<AbortHandle>,
    /// Variables that tell programs of the proxy.
    pub(crate) env: Vec<(String, String)>,
}

impl Bridges {
    /// Opens what a policy asks for.
    pub(crate) fn open(network: &Network, space: &Space) -> Result<Self, Error> {
        let mut bridges = Self::default();
        match network {
            Network::Loopback { forward } => {
                for port in forward {
                    let listener = adopt(space.listen(*port)?)?;
                    bridges.tasks.push(tokio::spawn(forward::serve(listener, *port)).abort_handle());
                }
            }
            Network::List(entries) => {
                let hosts = Hosts::parse(entries).map_err(|reason| {
                    Error::wall("read the list of hosts", io::Error::new(io::ErrorKind::InvalidInput, reason))
                })?;
                let listener = space.listen(0)?;
                let port =
                    listener.local_addr().map_err(|source| Error::wall("listen inside", source))?.port();
                let listener = adopt(listener)?;
                bridges.tasks.push(tokio::spawn(proxy::serve(listener, Arc::new(hosts))).abort_handle());
                bridges.env = env(port);
            }
            Network::None | Network::All => {}
        }
        Ok(bridges)
    }
}

impl Drop for Bridges {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

fn adopt(listener: StdListener) -> Result<TcpListener, Error> {
    let outside = |_| Error::wall("listen inside", io::Error::other("there is no async runtime"));
    let _runtime = Handle::try_current().map_err(outside)?;
    TcpListener::from_std(listener).map_err(|source| Error::wall("listen inside", source))
}

/// Programs read either spelling.
fn env(port: u16) -> Vec<(String, String)> {
    let proxy = format!("http://127.0.0.1:{port}");
    let local = "localhost,127.0.0.1,::1".to_owned();
    let pairs =
        [("HTTP_PROXY", &proxy), ("HTTPS_PROXY", &proxy), ("ALL_PROXY", &proxy), ("NO_PROXY", &local)];
    let spellings = pairs.iter().flat_map(|(name, value)| {
        [(*name).to_owned(), name.to_lowercase()].map(|name| (name, (*value).clone()))
    });
    spellings.collect()
}
