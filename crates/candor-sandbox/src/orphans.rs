//! Ends what calls of a dead program left running.
//!
//! A program that is killed cannot end its calls. Their mark says whose they are, so that the next one can: the number of
//! the program that started them, when that program was started, and the namespace that the number is from, which together name
//! it for good. In another namespace, a container's for one, the number is somebody else's or nobody's: what was started there
//! is left to those who are there.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::LazyLock;

use rustix::process::{Pid, Signal, getpid, pidfd_send_signal};
use uuid::Uuid;

use crate::strays::{self, Entry, MARK_NAME, ROUND_TIME_MAX};

/// What stands between the parts of a mark.
const SEPARATOR: char = '.';

/// Who started a call.
struct Owner {
    pid: Pid,
    /// In clock ticks since the machine started.
    started: u64,
    /// The namespace that the number is from.
    space: u64,
}

/// A value for the mark that no other call has, and that tells who its owner is.
pub(crate) fn mark_value() -> String {
    static OWNER: LazyLock<String> = LazyLock::new(|| {
        let own = getpid();
        let started = strays::entry(own).map_or(0, |entry| entry.started);
        format!("{own}{SEPARATOR}{started}{SEPARATOR}{}", own_space())
    });
    format!("{}{SEPARATOR}{}", *OWNER, Uuid::now_v7())
}

/// Kills every process of a call whose owner is dead, and says how many there were. Those of other users are not ours to
/// look at.
pub fn end_orphans() -> usize {
    let mut environ = Vec::new();
    let mut is_marked = |entry: &&Entry| {
        !entry.is_hollow
            && strays::environ(entry.pid, &mut environ)
            && owner(&environ).as_ref().is_some_and(is_dead)
    };
    let table: Vec<Entry> = strays::pids().filter_map(strays::entry).collect();
    let mut found: HashSet<i32> =
        table.iter().filter(&mut is_marked).map(|entry| entry.pid.as_raw_pid()).collect();
    // What was started with another environment has no mark, but a parent that has one.
    strays::extend_with_children(&mut found, &table);
    for own in ancestors(&table) {
        found.remove(&own);
    }
    let is_orphan = |entry: &&Entry| !entry.is_hollow && found.contains(&entry.pid.as_raw_pid());
    let pinned: Vec<_> = table.iter().filter(is_orphan).filter_map(strays::pin).collect();
    for fd in &pinned {
        // One that has ended by itself meanwhile is as good as killed.
        let _ = pidfd_send_signal(fd, Signal::KILL);
    }
    strays::wait_for_ends(&pinned, ROUND_TIME_MAX);
    pinned.len()
}

/// We and those we come from: a person may have gone on in a terminal that a call has left.
fn ancestors(table: &[Entry]) -> Vec<i32> {
    let mut all = vec![getpid().as_raw_pid()];
    while let Some(entry) = table.iter().find(|entry| Some(&entry.pid.as_raw_pid()) == all.last()) {
        // Numbers may have been given anew while the table was read.
        if all.contains(&entry.parent) {
            break;
        }
        all.push(entry.parent);
    }
    all
}

/// Whoever started the call that an environment belongs to.
fn owner(environ: &[u8]) -> Option<Owner> {
    let variables = environ.split(|byte| *byte == 0);
    let marked = variables.filter_map(|variable| variable.strip_prefix(MARK_NAME.as_bytes()));
    let value = marked.into_iter().find_map(|rest| str::from_utf8(rest.strip_prefix(b"=")?).ok())?;
    let mut parts = value.split(SEPARATOR);
    let pid = Pid::from_raw(parts.next()?.parse().ok()?)?;
    Some(Owner { pid, started: parts.next()?.parse().ok()?, space: parts.next()?.parse().ok()? })
}

/// Whether there is no such process any more, as far as can be told from here.
fn is_dead(owner: &Owner) -> bool {
    let is_there = |now: Entry| now.started == owner.started && !now.is_hollow;
    owner.space == own_space() && !strays::entry(owner.pid).is_some_and(is_there)
}

/// What the kernel calls the namespace that our own number is from.
fn own_space() -> u64 {
    static SPACE: LazyLock<u64> =
        LazyLock::new(|| fs::metadata("/proc/self/ns/pid").map_or(0, |found| found.ino()));
    *SPACE
}
