//! The namespaces of a session: its users, and its network. No process holds them; descriptors do.

#![allow(unsafe_code, reason = "namespaces are made and entered in processes of their own")]

use std::ffi::{c_int, c_void};
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, waitpid};
use rustix::thread::LinkNameSpaceType;

use super::sys::{self, Answer, Stack};
use crate::Error;

/// The namespaces of a session.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) users: OwnedFd,
    /// Nothing, where it is the host's.
    pub(crate) network: Option<OwnedFd>,
}

/// Which network a session has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NetworkKind {
    /// The host's.
    Host,
    /// None at all, not even loopback.
    Nothing,
    /// Its own loopback device.
    Loopback,
}

/// What the process that makes the namespaces says: a step and an error, or two descriptors.
const SAID_BYTES: usize = 12;

/// The step that some machines allow nobody, or only root.
pub(crate) const USER_NAMESPACE: &str = "make a user namespace";

/// How far it can come.
const STEPS: [&str; 5] =
    [USER_NAMESPACE, "map the user", "map the group", "open the namespaces", "start the loopback device"];

impl Space {
    /// Makes the namespaces.
    pub(crate) fn new(network: NetworkKind) -> Result<Self, Error> {
        let wall = |source: std::io::Error| Error::wall("make namespaces", source);
        let maps = Maps::new();
        let (reader, writer) =
            rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(|error| wall(error.into()))?;
        let before = sys::block_signals();
        // The table of descriptors is shared, so that what the child opens is open here.
        let pid = sys::fork(libc::CLONE_FILES | libc::SIGCHLD);
        if pid == Ok(None) {
            let said = maps.make(network);
            let mut bytes = [0; SAID_BYTES];
            for (to, from) in bytes.chunks_exact_mut(4).zip(said) {
                to.copy_from_slice(&from.to_ne_bytes());
            }
            let _ = rustix::io::write(&writer, &bytes);
            sys::exit(0);
        }
        sys::restore_signals(&before);
        // Not before it has ended: to close the pipe here is to close it there.
        if let Some(pid) = pid.map_err(|error| wall(error.into()))? {
            wait(pid);
        }
        drop(writer);
        let mut bytes = [0; SAID_BYTES];
        std::fs::File::from(reader).read_exact(&mut bytes).map_err(wall)?;
        let number = |index: usize| {
            let mut four = [0; 4];
            four.copy_from_slice(&bytes[index * 4..index * 4 + 4]);
            i32::from_ne_bytes(four)
        };
        if let (step, errno @ 1..) = (number(0), number(1)) {
            let stage = usize::try_from(step).ok().and_then(|step| STEPS.get(step)).copied();
            let source = std::io::Error::from_raw_os_error(errno);
            return Err(Error::wall(stage.unwrap_or("make namespaces"), source));
        }
        // SAFETY: the child opened these in the table it shared with us, and nobody else knows of them.
        let own = |fd: i32| unsafe { OwnedFd::from_raw_fd(fd) };
        let network = (network != NetworkKind::Host).then(|| own(number(2)));
        Ok(Self { users: own(number(0)), network })
    }

    /// Enters the namespaces. Only for a process that is about to become another, or to end.
    pub(crate) fn enter(&self) -> Answer<()> {
        // Both descriptors live as long as we do.
        enter(self.users.as_raw_fd(), LinkNameSpaceType::User)?;
        self.network.as_ref().map_or(Ok(()), |fd| enter(fd.as_raw_fd(), LinkNameSpaceType::Network))
    }

    /// Listens on the loopback device of the session.
    pub(crate) fn listen(&self, port: u16) -> Result<TcpListener, Error> {
        let made = self.socket(Socket::Listening(port));
        made.map(TcpListener::from).map_err(|error| Error::wall("listen inside", error))
    }

    /// A socket that can be connected to what listens in the session's network, whoever connects it.
    pub(crate) fn unconnected(&self, is_v6: bool) -> Answer<OwnedFd> {
        self.socket(Socket::Unconnected { is_v6 })
    }

    /// A socket belongs to the network that it was made in, and can be used from any.
    fn socket(&self, kind: Socket) -> Answer<OwnedFd> {
        let mut asked = Asked { space: self, kind, answer: Err(Errno::IO) };
        let stack = Stack::new();
        let before = sys::block_signals();
        // SAFETY: `maker` makes system calls on what it is given, and ends.
        let pid = unsafe { sys::share_memory(maker, &stack, libc::CLONE_FILES, &raw mut asked) };
        sys::restore_signals(&before);
        wait(pid?);
        // SAFETY: the child made it in the table it shared with us, and nobody else knows of it.
        asked.answer.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
    }
}

fn enter(fd: RawFd, kind: LinkNameSpaceType) -> Answer<()> {
    // SAFETY: the descriptor belongs to the `Space` that is borrowed by the caller.
    rustix::thread::move_into_link_name_space(unsafe { BorrowedFd::borrow_raw(fd) }, Some(kind))
}

/// What is written where, made before the fork.
struct Maps {
    user: String,
    group: String,
}

impl Maps {
    fn new() -> Self {
        let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        Self { user: format!("{user} {user} 1\n"), group: format!("{group} {group} 1\n") }
    }

    /// Makes the namespaces and opens them: the descriptors, or how far it came and why not further.
    fn make(&self, network: NetworkKind) -> [i32; 3] {
        let failed = |step: i32| move |error: Errno| [step, error.raw_os_error(), 0];
        let run = || -> Result<[i32; 3], [i32; 3]> {
            // Files in `/proc` about a process that cannot be dumped belong to root, who alone could map then.
            sys::control(libc::PR_SET_DUMPABLE, 1).map_err(failed(0))?;
            let kinds = if network == NetworkKind::Host { 0 } else { libc::CLONE_NEWNET };
            unshare(libc::CLONE_NEWUSER | kinds).map_err(failed(0))?;
            // Groups that it is in could otherwise be left, and some files are closed to a group.
            let denied = write(c"/proc/self/setgroups", b"deny");
            denied
                .or_else(|error| if error == Errno::NOENT { Ok(()) } else { Err(error) })
                .map_err(failed(2))?;
            write(c"/proc/self/uid_map", self.user.as_bytes()).map_err(failed(1))?;
            write(c"/proc/self/gid_map", self.group.as_bytes()).map_err(failed(2))?;
            if network == NetworkKind::Loopback {
                start_loopback().map_err(failed(4))?;
            }
            let users = open(c"/proc/self/ns/user").map_err(failed(3))?;
            let network = match network {
                NetworkKind::Host => -1,
                _ => open(c"/proc/self/ns/net").map_err(failed(3))?,
            };
            Ok([users, 0, network])
        };
        run().unwrap_or_else(|failed| failed)
    }
}

fn unshare(flags: c_int) -> Answer<()> {
    // SAFETY: no memory is passed, and the table of descriptors stays shared.
    if unsafe { libc::unshare(flags) } == 0 { Ok(()) } else { Err(sys::last_error()) }
}

fn write(path: &std::ffi::CStr, bytes: &[u8]) -> Answer<()> {
    let fd = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&fd, bytes).map(drop)
}

fn open(path: &std::ffi::CStr) -> Answer<RawFd> {
    use std::os::fd::IntoRawFd;
    Ok(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?.into_raw_fd())
}

/// A new network namespace has its loopback device switched off.
fn start_loopback() -> Answer<()> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    // SAFETY: a request of zeros is a valid one, and the kernel reads and writes just this structure.
    let result = unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
            *to = libc::c_char::try_from(*from).unwrap_or_default();
        }
        request.ifr_ifru.ifru_flags = libc::c_short::try_from(libc::IFF_UP).unwrap_or(1);
        libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw mut request)
    };
    if result == 0 { Ok(()) } else { Err(sys::last_error()) }
}

struct Asked<'s> {
    space: &'s Space,
    kind: Socket,
    answer: Answer<RawFd>,
}

/// What a socket is for.
#[derive(Clone, Copy)]
enum Socket {
    Listening(u16),
    Unconnected { is_v6: bool },
}

extern "C" fn maker(asked: *mut c_void) -> c_int {
    // SAFETY: `socket` passes this very structure and does not look at it before we are gone.
    let asked = unsafe { &mut *asked.cast::<Asked<'_>>() };
    asked.answer = asked.space.enter().and_then(|()| match asked.kind {
        Socket::Listening(port) => listen(port),
        Socket::Unconnected { is_v6 } => unconnected(is_v6),
    });
    sys::exit(0)
}

fn unconnected(is_v6: bool) -> Answer<RawFd> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
    use std::os::fd::IntoRawFd;
    let family = if is_v6 { AddressFamily::INET6 } else { AddressFamily::INET };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(socket_with(family, SocketType::STREAM, flags, None)?.into_raw_fd())
}

fn listen(port: u16) -> Answer<RawFd> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with, sockopt};
    use std::os::fd::IntoRawFd;
    const BACKLOG: i32 = 128;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    bind(&socket, &std::net::SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))?;
    listen(&socket, BACKLOG)?;
    Ok(socket.into_raw_fd())
}

/// Waits for a child that ends in a moment.
pub(crate) fn wait(pid: Pid) {
    while matches!(waitpid(Some(pid), WaitOptions::empty()), Err(Errno::INTR)) {}
}
