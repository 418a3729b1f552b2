//! A port of the host's loopback device, seen on the session's.

use std::net::Ipv4Addr;
use std::sync::Arc;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{ACCEPT_PAUSE, CONNECTIONS_MAX};

/// Connects whoever comes to the same port of the host, until it is aborted.
pub(super) async fn serve(listener: TcpListener, port: u16) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    // Aborting this task drops the set, and with it every connection.
    let mut connections = JoinSet::new();
    while let Ok(permit) = Arc::clone(&room).acquire_owned().await {
        while connections.try_join_next().is_some() {}
        // Whoever went away again before we came is no reason to stop.
        let Ok((mut inside, _)) = listener.accept().await else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        connections.spawn(async move {
            let _permit = permit;
            if let Ok(mut outside) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await {
                // However it ends, both ends close.
                let _ = copy_bidirectional(&mut inside, &mut outside).await;
            }
        });
    }
}
