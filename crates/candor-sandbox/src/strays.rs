//! Finds and ends what belongs to a call: what comes from its first process, what carries its mark, and the children of both.
//!
//! A process that calls `setsid` leaves the group, but the environment it was started with stays readable in `/proc`,
//! and its own children inherit it. Nothing here is ever signalled by its number alone: a process is pinned by a pidfd
//! and looked at again, so that a number that was given to somebody else in between hits nobody.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use memchr::memmem;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, geteuid, getpid, kill_process_group, pidfd_open, pidfd_send_signal,
};

/// The variable that marks a call.
pub(crate) const MARK_NAME: &str = "CANDOR_CALL";

/// How long the killing goes on. What forks faster than it is killed for this long would have won anyway.
pub(crate) const KILL_TIME_MAX: Duration = Duration::from_millis(500);

/// How long one round waits for what it killed to be gone.
pub(crate) const ROUND_TIME_MAX: Duration = Duration::from_millis(50);

/// How long it is looked again where one was gone, or where one has no environment.
const UNCLEAR_TIME_MAX: Duration = Duration::from_millis(20);

/// How long to wait before that.
const UNCLEAR_POLL: Duration = Duration::from_micros(500);

/// What the kernel marks its own threads with in the process table.
const KERNEL_THREAD_FLAG: u32 = 0x0020_0000;

/// What it marks a process with that is on its way out: it has no environment any more either, and runs nothing.
const ENDING_FLAG: u32 = 0x4;

/// The most that is read of an environment: what the kernel takes for arguments and environment together.
const ENVIRON_BYTES_MAX: u64 = 2 << 20;

/// Room for most environments, so that one read is enough.
const ENVIRON_BYTES_USUAL: usize = 16 << 10;

/// The numbers of processes cannot come round in less: there are 32,768 or more, and a machine that forks a million
/// times a second is not known.
const COME_ROUND_MIN: Duration = Duration::from_millis(20);

/// What tells the processes of one call from all others.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    value: String,
    /// The variable as it stands in an environment. The value is like no other, so that finding it anywhere is enough.
    assignment: String,
    first: Pid,
    /// Whether the first process only keeps the others: it ends by itself when they are gone, and before that it is the one who
    /// gets their orphans.
    is_keeper: bool,
    /// Before the first process was started.
    since: Instant,
    /// What the last look found to be of the call. What has neither its mark nor its group is known by its parent alone, and
    /// one that is asked to end may end before its child does.
    known: Arc<Mutex<HashSet<Name>>>,
}

/// What names a process for good: its number and when it was started.
type Name = (Pid, u64);

/// One line of the process table, as far as it matters here.
pub(crate) struct Entry {
    pub(crate) pid: Pid,
    pub(crate) parent: i32,
    group: i32,
    /// In clock ticks since the machine started.
    pub(crate) started: u64,
    /// It has ended and only waits to be reaped, or it is a thread of the kernel: nothing to be killed.
    pub(crate) is_hollow: bool,
    /// The kernel has not laid out its environment yet.
    is_becoming: bool,
}

/// What a look at a process says about whose it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Whose {
    Others,
    /// It was gone and may have left a child that was not there when the table was listed, or it was another program a
    /// moment ago. A second look will tell.
    Unclear,
    /// It is just becoming another program and has no environment at the moment. That takes as long as the machine lets it.
    Becoming,
    Ours,
}

impl Mark {
    /// The call that was started with this value, and whose first process leads its group.
    ///
    /// The first process must not be reaped as long as the mark is used: until then nobody else can get its number.
    pub(crate) fn new(value: String, first: Pid, since: Instant) -> Self {
        let assignment = format!("{MARK_NAME}={value}");
        Self { assignment, value, first, is_keeper: false, since, known: Arc::default() }
    }

    /// The same for a call whose first process keeps it.
    pub(crate) fn kept(value: String, keeper: Pid, since: Instant) -> Self {
        Self { is_keeper: true, ..Self::new(value, keeper, since) }
    }

    /// The value of the variable.
    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    /// Its first process.
    pub(crate) fn first(&self) -> Pid {
        self.first
    }

    /// Signals the group that the first process leads.
    fn signal_group(&self, signal: Signal) {
        if !self.is_keeper {
            let _ = kill_process_group(self.first, signal);
        }
    }

    /// Asks all of the call's processes to end.
    pub(crate) fn ask_to_end(&self, signal: Signal) {
        let (members, _) = self.members();
        self.signal_group(signal);
        // A stopped process hears the request only once it goes on.
        self.signal_group(Signal::CONT);
        let is_told = |entry: &&Entry| !self.is_keeper && entry.group == self.first.as_raw_pid();
        for fd in members.iter().filter(|entry| !is_told(entry)).filter_map(pin) {
            let _ = pidfd_send_signal(&fd, signal);
            let _ = pidfd_send_signal(&fd, Signal::CONT);
        }
    }

    /// The numbers of all processes below the first one. That is every one of the call: what loses its parent gets the first one
    /// instead.
    pub(crate) fn descendants(&self) -> Vec<u32> {
        let table: Vec<Entry> = pids().filter_map(entry).filter(|entry| !entry.is_hollow).collect();
        let mut found = HashSet::from([self.first.as_raw_nonzero().get()]);
        extend_with_children(&mut found, &table);
        found.into_iter().map(i32::unsigned_abs).collect()
    }

    /// Kills all of the call's processes, also those that appear meanwhile.
    pub(crate) fn kill(&self) {
        self.kill_rounds();
    }

    /// Kills what a call has left that has ended by itself. Mostly that is nothing, and then this is quick.
    pub(crate) fn kill_rest(&self) {
        self.signal_group(Signal::KILL);
        let oldest = self.oldest_number();
        let started = Instant::now();
        loop {
            match self.any_left(oldest) {
                Whose::Ours => return self.kill_rounds(),
                whose if started.elapsed() < whose.patience() => thread::sleep(UNCLEAR_POLL),
                _ => return,
            }
        }
    }

    /// Whether there is a process of the call with a number above this one.
    fn any_left(&self, oldest: i32) -> Whose {
        if self.known().iter().any(lives) {
            return Whose::Ours;
        }
        let mut environ = Vec::with_capacity(ENVIRON_BYTES_USUAL);
        let mut all = Whose::Others;
        for pid in pids().filter(|pid| pid.as_raw_nonzero().get() > oldest) {
            all = all.max(self.look(pid, &mut environ));
            if all == Whose::Ours {
                break;
            }
        }
        all
    }

    /// No process of the call has a number up to this one.
    ///
    /// Numbers are given out in order, and begin anew at the highest. For a call that was over in a moment this spares
    /// the look at every older process; after a longer one they may have come round, and nothing is known.
    fn oldest_number(&self) -> i32 {
        let group = self.first.as_raw_nonzero().get();
        if self.since.elapsed() > COME_ROUND_MIN {
            return 0;
        }
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let newest = load.split_whitespace().last().and_then(|number| number.parse::<i32>().ok());
        newest.filter(|newest| *newest >= group).map_or(0, |_| group)
    }

    fn kill_rounds(&self) {
        let started = Instant::now();
        while started.elapsed() < KILL_TIME_MAX {
            // Before the group is killed: an orphan no longer tells whose child it was.
            let (members, rest) = self.members();
            self.signal_group(Signal::KILL);
            let pinned: Vec<OwnedFd> = members.iter().filter_map(pin).collect();
            for fd in &pinned {
                let _ = pidfd_send_signal(fd, Signal::KILL);
            }
            if !pinned.is_empty() {
                wait_for_ends(&pinned, ROUND_TIME_MAX);
            } else if started.elapsed() < rest.patience() {
                thread::sleep(UNCLEAR_POLL);
            } else {
                return;
            }
        }
    }

    /// The living processes of the call, and whose those may be that are not known to be of it.
    fn members(&self) -> (Vec<Entry>, Whose) {
        let table: Vec<Entry> = pids().filter_map(entry).collect();
        let group = self.first.as_raw_nonzero().get();
        // What is older than the call cannot be of it.
        let since = table.iter().find(|entry| entry.pid == self.first).map_or(0, |leader| leader.started);
        let own = getpid();
        let young: Vec<Entry> =
            table.into_iter().filter(|entry| entry.started >= since && entry.pid != own).collect();
        let mut known = self.known();
        let mut environ = Vec::with_capacity(ENVIRON_BYTES_USUAL);
        let mut rest = Whose::Others;
        let is_ours = |entry: &&Entry| {
            let whose = self.look(entry.pid, &mut environ);
            let is_ours = entry.group == group || whose == Whose::Ours || known.contains(&entry.name());
            if !is_ours {
                rest = rest.max(whose);
            }
            is_ours
        };
        let mut found: HashSet<i32> =
            young.iter().filter(is_ours).map(|entry| entry.pid.as_raw_nonzero().get()).collect();
        extend_with_children(&mut found, &young);
        if self.is_keeper {
            found.remove(&group);
        }
        let is_member = |entry: &Entry| !entry.is_hollow && found.contains(&entry.pid.as_raw_nonzero().get());
        let members: Vec<Entry> = young.into_iter().filter(is_member).collect();
        *known = members.iter().map(Entry::name).collect();
        (members, rest)
    }

    fn known(&self) -> MutexGuard<'_, HashSet<Name>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the mark is in the environment that this process was started with. The buffer is used again for each.
    fn look(&self, pid: Pid, environ: &mut Vec<u8>) -> Whose {
        if !self::environ(pid, environ) {
            return Whose::Others;
        }
        if !environ.is_empty() {
            let is_ours = memmem::find(environ, self.assignment.as_bytes()).is_some();
            return if is_ours { Whose::Ours } else { Whose::Others };
        }
        let since = entry(self.first).map_or(0, |leader| leader.started);
        match entry(pid) {
            Some(entry) if entry.is_hollow || entry.started < since => Whose::Others,
            Some(entry) if entry.is_becoming => Whose::Becoming,
            Some(_) | None => Whose::Unclear,
        }
    }
}

impl Whose {
    /// How long it is worth looking again.
    fn patience(self) -> Duration {
        match self {
            Self::Others => Duration::ZERO,
            Self::Unclear => UNCLEAR_TIME_MAX,
            Self::Becoming | Self::Ours => KILL_TIME_MAX,
        }
    }
}

impl Entry {
    fn name(&self) -> Name {
        (self.pid, self.started)
    }
}

fn lives(name: &Name) -> bool {
    entry(name.0).is_some_and(|entry| entry.name() == *name && !entry.is_hollow)
}

/// Adds the children of what was found, and theirs.
pub(crate) fn extend_with_children(found: &mut HashSet<i32>, table: &[Entry]) {
    loop {
        let before = found.len();
        let children = table.iter().filter(|entry| found.contains(&entry.parent));
        let children: Vec<i32> = children.map(|entry| entry.pid.as_raw_nonzero().get()).collect();
        found.extend(children);
        if found.len() == before {
            return;
        }
    }
}

/// Reads the environment that a process was started with; false where that is not ours to read.
pub(crate) fn environ(pid: Pid, environ: &mut Vec<u8>) -> bool {
    environ.clear();
    match File::open(format!("/proc/{pid}/environ")) {
        Ok(file) => _ = file.take(ENVIRON_BYTES_MAX).read_to_end(environ),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return false,
        Err(_) => {}
    }
    true
}

pub(crate) fn pids() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

/// How many processes and threads of our user there are, as the kernel counts them for a limit.
pub(crate) fn count_of_user() -> u64 {
    let (own, user) = (getpid(), geteuid().as_raw());
    // We are hardened, and what is hardened belongs to root in this table.
    let is_users = |pid: &Pid| {
        *pid == own || fs::metadata(format!("/proc/{pid}")).is_ok_and(|found| found.uid() == user)
    };
    // A directory has two names besides those that its own directories give it, and each thread has one.
    let threads = |pid: Pid| {
        fs::metadata(format!("/proc/{pid}/task")).map_or(0, |found| found.nlink().saturating_sub(2))
    };
    pids().filter(is_users).map(threads).sum()
}

pub(crate) fn entry(pid: Pid) -> Option<Entry> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name comes second, in parentheses, and may itself hold parentheses and blanks.
    let after_name = text.iter().rposition(|byte| *byte == b')')? + 1;
    let fields: Vec<&str> = std::str::from_utf8(&text[after_name..]).ok()?.split_whitespace().collect();
    let flags: u32 = fields.get(6)?.parse().ok()?;
    Some(Entry {
        pid,
        is_hollow: matches!(*fields.first()?, "Z" | "X") || flags & KERNEL_THREAD_FLAG != 0,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        // Where the environment ends. It has an end even where it is empty.
        is_becoming: fields.get(48) == Some(&"0") && flags & ENDING_FLAG == 0,
    })
}

/// A handle on this very process, unless it is gone.
pub(crate) fn pin(process: &Entry) -> Option<OwnedFd> {
    let fd = pidfd_open(process.pid, PidfdFlags::empty()).ok()?;
    entry(process.pid).filter(|now| now.started == process.started).map(|_| fd)
}

pub(crate) fn wait_for_ends(pinned: &[OwnedFd], limit: Duration) {
    let deadline = Instant::now() + limit;
    for fd in pinned {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(left.subsec_nanos()) };
        let _ = poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&timeout));
    }
}
