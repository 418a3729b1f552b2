//! Starts a process behind walls.

#![allow(unsafe_code, reason = "the process is started by `clone`, with memory that it shares")]

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process};

use super::child::{self, Job, List, Stage, TROUBLE_BYTES};
use super::landlock;
use super::placeholder::Placeholder;
use super::plan::{self, Mounts, c_string};
use super::space;
use super::sys::{self, Stack};
use crate::resolved::Resolved;
use crate::sandbox::Sandbox;
use crate::strays::MARK_NAME;
use crate::{Error, Limits, Spec};

/// How long the walls may take. A mount of a disk that does not answer would otherwise hold us for ever.
const SETUP_TIME_MAX: Timespec = Timespec { tv_sec: 20, tv_nsec: 0 };

/// A process that was started.
pub(crate) struct Launched {
    /// Init, or the command where there is none.
    pub(crate) pid: Pid,
    pub(crate) init: Option<Init>,
    /// They stand as long as the process does.
    pub(crate) placeholders: Vec<Placeholder>,
}

/// The ends of init's pipes that are ours.
#[derive(Debug)]
pub(crate) struct Init {
    /// Says how the command ended.
    pub(crate) status: OwnedFd,
    /// Tells init what to do. When it closes, init ends.
    pub(crate) control: OwnedFd,
}

/// What the streams of a new process are.
pub(crate) struct ChildStreams {
    pub(crate) fds: [OwnedFd; 3],
    pub(crate) is_terminal: bool,
}

/// Starts it. `mark` is the value of the variable that marks its call.
pub(crate) fn launch(
    spec: &Spec,
    sandbox: &Sandbox,
    streams: &ChildStreams,
    mark: &str,
) -> Result<Launched, Error> {
    let mut walls = Walls::of(sandbox)?;
    let program = Program::of(spec, sandbox, &mut walls, mark)?;
    start(program, walls, sandbox, streams, false)?.map_err(|trouble| trouble.explain(spec))
}

/// Does all of it but the last step: the process ends where it would become the program.
pub(super) fn rehearse(sandbox: &Sandbox, streams: &ChildStreams) -> Result<Launched, Error> {
    let none = || List::new(Vec::new());
    let cwd = c_string(Path::new("/"))?;
    let program = Program { programs: Vec::new(), args: none(), env: none(), cwd, kept: None };
    start(program, Walls::of(sandbox)?, sandbox, streams, true)?.map_err(Trouble::wall)
}

/// What is to be run.
struct Program {
    programs: Vec<CString>,
    args: List,
    env: List,
    cwd: CString,
    kept: Option<OwnedFd>,
}

/// What stands around it, made for this one process.
struct Walls {
    mounts: Mounts,
    ruleset: Option<OwnedFd>,
    limits: Vec<(Resource, Rlimit)>,
}

impl Program {
    fn of(spec: &Spec, sandbox: &Sandbox, walls: &mut Walls, mark: &str) -> Result<Self, Error> {
        let invalid = |_| Error::from_start(&spec.program, io::ErrorKind::InvalidInput.into());
        let text = |text: &OsStr| CString::new(text.as_bytes()).map_err(invalid);
        let extra = sandbox.env();
        let own = spec.env.iter().filter(|(name, _)| !extra.iter().any(|(other, _)| other == name));
        let mark = (MARK_NAME.to_owned(), mark.to_owned());
        let pairs = own.chain(&extra).chain([&mark]);
        let env: Result<Vec<_>, _> =
            pairs.map(|(name, value)| CString::new(format!("{name}={value}")).map_err(invalid)).collect();
        let wrapped = sandbox.wrapped(spec)?;
        let (program, args, cwd, kept) = match wrapped {
            Some(wrapped) => {
                walls.mounts.placeholders = wrapped.placeholders;
                (wrapped.program, wrapped.args, PathBuf::from("/"), Some(wrapped.filter))
            }
            None => (spec.program.clone(), spec.args.clone(), spec.cwd.clone(), None),
        };
        let args: Result<Vec<_>, _> =
            [program.as_os_str()].into_iter().chain(args.iter().map(OsString::as_os_str)).map(text).collect();
        let programs: Result<Vec<_>, _> =
            candidates(&program, &spec.env).iter().map(|path| text(path.as_os_str())).collect();
        Ok(Self {
            programs: programs?,
            args: List::new(args?),
            env: List::new(env?),
            cwd: text(cwd.as_os_str())?,
            kept,
        })
    }
}

/// Where the program may be: a name without a slash is looked for in the `PATH` that the process gets.
fn candidates(program: &Path, env: &[(String, String)]) -> Vec<PathBuf> {
    if program.as_os_str().as_bytes().contains(&b'/') {
        return vec![program.to_owned()];
    }
    let path = env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    path.split(':')
        .filter(|directory| directory.starts_with('/'))
        .map(|at| Path::new(at).join(program))
        .collect()
}

impl Walls {
    fn of(sandbox: &Sandbox) -> Result<Self, Error> {
        let mut walls = Self { mounts: Mounts::default(), ruleset: None, limits: Vec::new() };
        let Some(policy) = sandbox.resolved()? else { return Ok(walls) };
        if sandbox.space().is_some() {
            walls.mounts = plan::mounts(&policy)?;
        }
        walls.ruleset = sandbox.ruleset(&policy)?.map(high).transpose()?;
        walls.limits = limits(&policy, sandbox.space().is_some());
        Ok(walls)
    }
}

/// The limits as the kernel wants them, never above what we have ourselves.
fn limits(policy: &Resolved, counts_processes: bool) -> Vec<(Resource, Rlimit)> {
    let Limits { processes, file_bytes, open_files, memory_bytes } = policy.limits;
    let asked = [
        (Resource::Core, Some(0)),
        (Resource::Nproc, processes.filter(|_| counts_processes)),
        (Resource::Fsize, file_bytes),
        (Resource::Nofile, open_files),
        (Resource::Data, memory_bytes),
    ];
    let set = asked.into_iter().filter_map(|(resource, limit)| Some((resource, limit?)));
    set.map(|(resource, limit)| {
        let limit = Some(getrlimit(resource).maximum.map_or(limit, |maximum| maximum.min(limit)));
        (resource, Rlimit { current: limit, maximum: limit })
    })
    .collect()
}

/// What a process said about a step that failed.
struct Trouble {
    stage: Stage,
    /// What the mount step is called.
    step: Option<(&'static str, String)>,
    source: io::Error,
}

impl Trouble {
    fn explain(self, spec: &Spec) -> Error {
        match self.stage {
            Stage::Exec => Error::from_start(&spec.program, self.source),
            Stage::Cwd => Error::Cwd { path: spec.cwd.clone(), source: self.source },
            _ => self.wall(),
        }
    }

    fn wall(self) -> Error {
        match self.step {
            Some((stage, path)) if path.is_empty() => Error::wall(stage, self.source),
            Some((stage, path)) => {
                let message = format!("{path}: {}", self.source);
                Error::wall(stage, io::Error::new(self.source.kind(), message))
            }
            None => Error::wall(self.stage.name(), self.source),
        }
    }
}

fn start(
    program: Program,
    walls: Walls,
    sandbox: &Sandbox,
    streams: &ChildStreams,
    is_trial: bool,
) -> Result<Result<Launched, Trouble>, Error> {
    let pipe = || -> Result<(OwnedFd, OwnedFd), Error> {
        let made = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC);
        let (reader, writer) = made.map_err(|error| Error::wall("make a pipe", error))?;
        Ok((high(reader)?, high(writer)?))
    };
    let (trouble, trouble_writer) = pipe()?;
    let (status, status_writer) = pipe()?;
    // Another process that is just being started may hold a copy of the other end for a moment.
    rustix::io::ioctl_fionbio(&status, true).map_err(|error| Error::wall("make a pipe", error))?;
    let (control_reader, control) = pipe()?;
    let Walls { mounts, ruleset, limits } = walls;
    let mut job = Job {
        programs: program.programs,
        args: program.args,
        env: program.env,
        cwd: program.cwd,
        streams: [0, 1, 2].map(|index: usize| streams.fds[index].as_raw_fd()),
        is_terminal: streams.is_terminal,
        kept: program.kept.as_ref().map(AsRawFd::as_raw_fd),
        limits,
        space: sandbox.space(),
        slots: vec![-1; mounts.slot_count],
        steps: mounts.steps,
        drops_privileges: sandbox.drops_privileges(),
        ruleset: ruleset.as_ref().map(AsRawFd::as_raw_fd),
        late_rules: landlock::late_rules(),
        filter: sandbox.filter(),
        trouble: trouble_writer.as_raw_fd(),
        status: status_writer.as_raw_fd(),
        control: control_reader.as_raw_fd(),
        is_trial,
        inner_stack: Stack::new(),
        pid: 0,
    };
    let pid = clone(&mut job)?;
    // Our copies would keep the pipes from closing.
    drop((trouble_writer, status_writer, control_reader, ruleset));
    let said = listen(trouble);
    let init = sandbox.space().is_some().then_some(Init { status, control });
    let found = said.map(|(stage, index, source)| {
        let step = job.steps.get(index).filter(|_| stage == Stage::Mount);
        let step = step.map(|step| {
            (step.name(), step.path().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default())
        });
        Trouble { stage, step, source }
    });
    match (pid, found) {
        (Some(pid), None) => Ok(Ok(Launched { pid, init, placeholders: mounts.placeholders })),
        (pid, found) => {
            if let Some(pid) = pid {
                let _ = kill_process(pid, Signal::KILL);
                // It may hang in the kernel, where nobody should have to wait for it.
                let reap = move || space::wait(pid.as_raw_nonzero().get());
                let _ = thread::Builder::new().name("candor-reap".to_owned()).spawn(reap);
            }
            let lost =
                || Trouble { stage: Stage::Fork, step: None, source: io::ErrorKind::BrokenPipe.into() };
            Ok(Err(found.unwrap_or_else(lost)))
        }
    }
}

/// Starts it. Nothing, where it failed before there was an init: then it has said why.
fn clone(job: &mut Job<'_>) -> Result<Option<Pid>, Error> {
    let mut stack = Stack::new();
    let has_init = job.space.is_some();
    let before = sys::block_signals();
    // SAFETY: `outer` makes system calls on the job, which nobody else uses until it is gone or another program.
    let outer = unsafe { sys::share_memory(child::outer, &mut stack, 0, &raw mut *job) };
    sys::restore_signals(&before);
    let outer = outer.map_err(|error| Error::wall("start a process", error))?;
    let pid = if has_init {
        space::wait(outer);
        job.pid
    } else {
        outer
    };
    Ok(Pid::from_raw(pid))
}

/// Waits until the process is the program, or says why it is not.
fn listen(trouble: OwnedFd) -> Option<(Stage, usize, io::Error)> {
    let ready = loop {
        match poll(&mut [PollFd::new(&trouble, PollFlags::IN)], Some(&SETUP_TIME_MAX)) {
            Err(Errno::INTR) => {}
            ready => break ready,
        }
    };
    if !matches!(ready, Ok(1..)) {
        return Some((Stage::Separate, 0, io::ErrorKind::TimedOut.into()));
    }
    let mut bytes = [0; TROUBLE_BYTES];
    File::from(trouble).read_exact(&mut bytes).ok()?;
    Some(decode(bytes))
}

fn decode(bytes: [u8; TROUBLE_BYTES]) -> (Stage, usize, io::Error) {
    let number = |index: usize| {
        let mut four = [0; 4];
        four.copy_from_slice(&bytes[index * 4..index * 4 + 4]);
        i32::from_ne_bytes(four)
    };
    let stage = Stage::ALL.into_iter().find(|stage| *stage as i32 == number(0)).unwrap_or(Stage::Separate);
    (stage, usize::try_from(number(1)).unwrap_or_default(), io::Error::from_raw_os_error(number(2)))
}

/// A descriptor above the standard streams, where it cannot be in the way of them.
pub(crate) fn high(fd: OwnedFd) -> Result<OwnedFd, Error> {
    const FIRST: RawFd = 3;
    if fd.as_raw_fd() >= FIRST {
        return Ok(fd);
    }
    rustix::io::fcntl_dupfd_cloexec(&fd, FIRST).map_err(|error| Error::wall("move a descriptor", error))
}
