//! Which sockets listen, and which of them a group of processes holds.

use std::collections::HashMap;
use std::net::SocketAddr;

use rustix::process::{Pid, getpgid};

use crate::Listening;

/// The sockets that listen on this machine, as far as we may look at who holds them.
pub(crate) fn look(group: Pid) -> Vec<Listening> {
    let is_own = |pid: u32| {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        pid.is_some_and(|pid| getpgid(Some(pid)) == Ok(group))
    };
    let mut found: HashMap<SocketAddr, bool> = HashMap::new();
    // A socket may have several holders.
    for (address, pid) in all() {
        *found.entry(address).or_default() |= is_own(pid);
    }
    found.into_iter().map(|(address, is_own)| Listening { address, is_own }).collect()
}

/// Every socket with one who holds it.
fn all() -> impl Iterator<Item = (SocketAddr, u32)> {
    use listeners::{Protocol, SocketState};
    let all = listeners::get_all().into_iter().flatten();
    all.filter(|found| found.protocol == Protocol::TCP && found.state == SocketState::Listen)
        .map(|found| (found.socket, found.process.pid))
}
