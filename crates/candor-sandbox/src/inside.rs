//! Talking to what runs behind the walls: connections into a session's network, and addresses of ours in it.
//!
//! A socket belongs to the network that it was made in. So it is made inside by a process that lives for a moment, and
//! connected here: nothing of ours runs inside, and nothing inside can talk it into anything.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::policy::Network;
use crate::sandbox::Sandbox;
use crate::walls::space::Space;

/// Which network the processes of a session are in.
enum Reach<'s> {
    /// The host's.
    Host,
    /// Their own.
    Own(&'s Space),
    /// One that cannot be reached from here, or none.
    Nowhere,
}

impl Sandbox {
    /// Whether what listens inside can be reached with [`dial`](Self::dial).
    pub fn can_dial(&self) -> bool {
        !matches!(self.reach(), Reach::Nowhere)
    }

    /// Connects to what listens at this address inside.
    pub async fn dial(&self, address: SocketAddr) -> io::Result<TcpStream> {
        match self.reach() {
            Reach::Host => TcpStream::connect(address).await,
            Reach::Own(space) => {
                let socket = std::net::TcpStream::from(space.unconnected(address.is_ipv6())?);
                TcpSocket::from_std_stream(socket).connect(address).await
            }
            Reach::Nowhere => Err(unreachable()),
        }
    }

    /// Listens inside, on 127.0.0.1 and on any port, for what runs there.
    pub async fn listen(&self) -> io::Result<TcpListener> {
        match self.reach() {
            Reach::Host => TcpListener::bind(("127.0.0.1", 0)).await,
            Reach::Own(space) => {
                let listener = space.listen(0).map_err(io::Error::other)?;
                TcpListener::from_std(listener)
            }
            Reach::Nowhere => Err(unreachable()),
        }
    }

    /// Whether processes inside reach other machines as they like.
    pub fn may_leave(&self) -> bool {
        matches!(self.network(), None | Some(Network::All))
    }

    fn reach(&self) -> Reach<'_> {
        match (self.network(), self.space()) {
            (None | Some(Network::All), _) => Reach::Host,
            (Some(Network::Loopback { .. } | Network::List(_)), Some(space)) => Reach::Own(space),
            _ => Reach::Nowhere,
        }
    }
}

fn unreachable() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "the walls here leave commands no network that can be reached")
}
