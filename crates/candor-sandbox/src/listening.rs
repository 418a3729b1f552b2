//! Which sockets listen in a process's network, and whose they are.

use std::collections::HashSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::Listening;

/// How the kernel writes that a socket listens.
const LISTENS: &str = "0A";

/// The sockets that listen in the network of the first process or of its members.
///
/// Who holds them is asked last: whatever is in the table by then is held by somebody who can be found. The other way round, a
/// socket that was opened in between would be nobody's.
pub(crate) fn look(first: u32, members: impl Fn() -> Vec<u32>) -> Vec<Listening> {
    let known = members();
    let mut found = Vec::new();
    for (file, read) in [("tcp", v4 as fn(&str) -> Option<IpAddr>), ("tcp6", v6)] {
        // The first process of a namespace may not be looked at; the others are in the same network.
        let mut places = std::iter::once(&first).chain(&known);
        let table = places.find_map(|pid| fs::read_to_string(format!("/proc/{pid}/net/{file}")).ok());
        for line in table.unwrap_or_default().lines().skip(1) {
            found.extend(listener(line, read));
        }
    }
    let own: HashSet<u64> = members().into_iter().chain(known).flat_map(sockets).collect();
    let listening = |(address, inode)| Listening { address, is_own: own.contains(&inode) };
    found.into_iter().map(listening).collect()
}

/// The inodes of the sockets that a process holds.
fn sockets(pid: u32) -> Vec<u64> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let inode = |link: std::path::PathBuf| {
        link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse::<u64>().ok()
    };
    entries.filter_map(|entry| inode(fs::read_link(entry.path()).ok()?)).collect()
}

/// One line of the kernel's table, if it is about a socket that listens.
fn listener(line: &str, read: fn(&str) -> Option<IpAddr>) -> Option<(SocketAddr, u64)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    if *fields.get(3)? != LISTENS {
        return None;
    }
    let (address, port) = fields.get(1)?.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    Some((SocketAddr::new(read(address)?, port), fields.get(9)?.parse().ok()?))
}

/// An address as the kernel writes it: a number in the byte order of the machine.
fn v4(text: &str) -> Option<IpAddr> {
    let number = u32::from_str_radix(text, 16).ok()?;
    Some(Ipv4Addr::from(number.to_ne_bytes()).into())
}

/// Four of them.
fn v6(text: &str) -> Option<IpAddr> {
    let mut bytes = [0; 16];
    for (at, to) in bytes.chunks_exact_mut(4).enumerate() {
        let number = u32::from_str_radix(text.get(at * 8..at * 8 + 8)?, 16).ok()?;
        to.copy_from_slice(&number.to_ne_bytes());
    }
    Some(Ipv6Addr::from(bytes).into())
}
