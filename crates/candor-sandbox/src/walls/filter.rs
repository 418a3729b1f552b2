//! The filter on system calls, as a program for the kernel.
//!
//! It is written by hand rather than by a library: a search among the numbers of calls, of which those of the x32 kind have the same
//! architecture as the usual ones and would go around a list, and few steps, as every command pays for each of them.

use libc::sock_filter;

/// Which sockets a process may make. Families that are not named here are always refused: vsock reaches the host out of
/// a network namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sockets {
    /// IPv4, IPv6 and netlink.
    pub(crate) internet: bool,
    /// Unix sockets that can be connected. Pairs that reach nobody else are allowed without.
    pub(crate) unix: bool,
}

/// Calls that are refused whatever their arguments are.
const REFUSED: &[libc::c_long] = &[
    // Other processes' memory.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // It does what it is asked to without passing this filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Keyrings are not in a namespace.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Large parts of the kernel that a command does not need.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    // What would take the mounts apart.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    // New namespaces bring new capabilities.
    libc::SYS_unshare,
    libc::SYS_setns,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// Every flag that asks for a namespace. Time has no flag of its own in `clone`.
const NAMESPACE_FLAGS: i32 = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Types a character into a terminal as if its owner had.
const TIOCSTI: u32 = 0x5412;
/// Does the same on a console, by way of its clipboard.
const TIOCLINUX: u32 = 0x541c;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// Set in the number of a call of the x32 kind.
#[cfg(target_arch = "x86_64")]
const X32_BIT: u32 = 0x4000_0000;

const LOAD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_SET: u16 = 0x45;
const JUMP_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const ERRNO: u32 = 0x0005_0000;

/// Where things stand in what the kernel shows the filter.
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCHITECTURE: u32 = 4;
/// The low half of the first and the second argument.
const OFFSET_FIRST: u32 = 16;
const OFFSET_SECOND: u32 = 24;

/// Some calls that are looked at, by their numbers, and what is said to each. What is said ends with an answer.
type Cases = Vec<(u32, Vec<sock_filter>)>;

/// The kernel tries every number that it may know when a process enters the filter. There are a few hundred of them.
const NUMBERS_MAX: u32 = 512;

/// The program.
///
/// To enter it the kernel translates each step and runs it for each number there is, for each command anew. So it has few steps:
/// neighbours that get the same answer are looked at together, and all who are given an answer share it.
pub(crate) fn program(sockets: Sockets) -> Vec<sock_filter> {
    let head =
        [load(OFFSET_ARCHITECTURE), jump(JUMP_EQUAL, ARCHITECTURE, 1, 0), give(KILL), load(OFFSET_NUMBER)];
    let spans = spans(&cases(sockets));
    let mut search = Search::default();
    search.among(&spans, NUMBERS_MAX);
    [head.to_vec(), search.code()].concat()
}

/// All calls that are not simply allowed, in the order of their numbers.
fn cases(sockets: Sockets) -> Cases {
    let refuse = errno(libc::EPERM);
    let mut cases: Cases = REFUSED.iter().map(|number| (call(*number), vec![refuse])).collect();
    // Its flags are in memory, where a filter cannot look. Without it the C library uses `clone`.
    cases.push((call(libc::SYS_clone3), vec![errno(libc::ENOSYS)]));
    let flags = jump(JUMP_SET, NAMESPACE_FLAGS.cast_unsigned(), 0, 1);
    cases.push((call(libc::SYS_clone), vec![load(OFFSET_FIRST), flags, refuse, give(ALLOW)]));
    let typing = [jump(JUMP_EQUAL, TIOCSTI, 1, 0), jump(JUMP_EQUAL, TIOCLINUX, 0, 1)];
    cases.push((call(libc::SYS_ioctl), vec![load(OFFSET_SECOND), typing[0], typing[1], refuse, give(ALLOW)]));
    cases.push((call(libc::SYS_socket), socket_rules(sockets)));
    cases.push((call(libc::SYS_socketpair), pair_rules(sockets)));
    cases.sort_by_key(|(number, _)| *number);
    cases
}

/// Numbers that get the same answer, from the first of them to the next span.
struct Span {
    first: u32,
    said: Vec<sock_filter>,
}

/// All numbers, in order.
fn spans(cases: &Cases) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut next = 0;
    let mut add = |first: u32, said: &[sock_filter]| {
        if spans.last().is_none_or(|last| !is_same(&last.said, said)) {
            spans.push(Span { first, said: said.to_vec() });
        }
    };
    for (number, said) in cases {
        if *number > next {
            add(next, &[give(ALLOW)]);
        }
        add(*number, said);
        next = number + 1;
    }
    add(next, &[give(ALLOW)]);
    #[cfg(target_arch = "x86_64")]
    add(X32_BIT, &[give(KILL)]);
    spans
}

fn is_same(one: &[sock_filter], other: &[sock_filter]) -> bool {
    let step = |step: &sock_filter| (step.code, step.jt, step.jf, step.k);
    one.iter().map(step).eq(other.iter().map(step))
}

/// Steps that halve the numbers until one span is left, and behind them what is said.
#[derive(Default)]
struct Search {
    halves: Vec<Halving>,
    /// Each different thing that is said, once.
    said: Vec<Vec<sock_filter>>,
}

/// Whether a number is at least this, and where to go then, and otherwise.
#[derive(Clone, Copy)]
struct Halving {
    number: u32,
    upper: Goal,
    lower: Goal,
}

/// Where a step leads: to another one, or to what is said.
#[derive(Clone, Copy)]
enum Goal {
    Halving(usize),
    Said(usize),
}

impl Search {
    /// Looks for the number that is loaded among these spans, the last of which ends here.
    fn among(&mut self, spans: &[Span], end: u32) -> Goal {
        if let [only] = spans {
            let known = self.said.iter().position(|said| is_same(said, &only.said));
            return Goal::Said(known.unwrap_or_else(|| {
                self.said.push(only.said.clone());
                self.said.len() - 1
            }));
        }
        let at = self.halves.len();
        let (below, above) = spans.split_at(middle(spans, end));
        let (number, unknown) = (above.first().map_or(0, |span| span.first), Goal::Said(0));
        self.halves.push(Halving { number, upper: unknown, lower: unknown });
        let lower = self.among(below, number);
        let upper = self.among(above, end);
        self.halves[at] = Halving { number, upper, lower };
        Goal::Halving(at)
    }

    /// The steps. All go forward: a half is written after the one that leads to it, and what is said after all of them.
    fn code(&self) -> Vec<sock_filter> {
        let said_at =
            |index: usize| self.halves.len() + self.said[..index].iter().map(Vec::len).sum::<usize>();
        let place = |goal: Goal| match goal {
            Goal::Halving(index) => index,
            Goal::Said(index) => said_at(index),
        };
        let halves = self.halves.iter().enumerate().map(|(at, half)| {
            // With as few calls as are looked at, nothing is further than a jump goes: a test goes every way.
            let distance = |goal: Goal| u8::try_from(place(goal) - at - 1).unwrap_or(u8::MAX);
            jump(JUMP_AT_LEAST, half.number, distance(half.upper), distance(half.lower))
        });
        halves.chain(self.said.concat()).collect()
    }
}

/// Where to part these so that about as many numbers are on either side; each has at least one span.
fn middle(spans: &[Span], end: u32) -> usize {
    let first = |at: usize| spans.get(at).map_or(end, |span| span.first).min(NUMBERS_MAX);
    let half = u32::midpoint(first(0), first(spans.len()));
    (1..spans.len()).min_by_key(|at| first(*at).abs_diff(half)).unwrap_or(1)
}

/// `socket`: only of these families.
fn socket_rules(sockets: Sockets) -> Vec<sock_filter> {
    let internet: &[i32] = &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    let families = [(sockets.unix, &[libc::AF_UNIX][..]), (sockets.internet, internet)];
    let mut code = vec![load(OFFSET_FIRST)];
    for family in families.iter().filter(|(is_allowed, _)| *is_allowed).flat_map(|(_, families)| *families) {
        code.extend([jump(JUMP_EQUAL, family.cast_unsigned(), 0, 1), give(ALLOW)]);
    }
    code.push(errno(libc::EPERM));
    code
}

/// `socketpair`: there are only Unix pairs. One of datagrams can be connected to somebody else, so it counts as a socket.
fn pair_rules(sockets: Sockets) -> Vec<sock_filter> {
    let loose = if sockets.unix { 0 } else { libc::SOCK_DGRAM.cast_unsigned() };
    let refuse = errno(libc::EPERM);
    let is_unix = jump(JUMP_EQUAL, libc::AF_UNIX.cast_unsigned(), 1, 0);
    vec![
        load(OFFSET_FIRST),
        is_unix,
        refuse,
        load(OFFSET_SECOND),
        jump(JUMP_SET, loose, 0, 1),
        refuse,
        give(ALLOW),
    ]
}

fn call(number: libc::c_long) -> u32 {
    // Numbers are small; one that were not would match nothing.
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn load(offset: u32) -> sock_filter {
    sock_filter { code: LOAD, jt: 0, jf: 0, k: offset }
}

fn jump(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

fn give(k: u32) -> sock_filter {
    sock_filter { code: RETURN, jt: 0, jf: 0, k }
}

fn errno(number: i32) -> sock_filter {
    give(ERRNO | number.cast_unsigned())
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
