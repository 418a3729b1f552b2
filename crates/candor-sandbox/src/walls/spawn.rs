//! Starts a process behind walls.

#![allow(unsafe_code, reason = "the process is started by `clone`, with memory that it shares")]

use std::cell::Cell;
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process};

use super::child;
use super::init::Init;
use super::job::{Job, Lent, List};
use super::landlock;
use super::mounts::Step;
use super::news::{News, Stage};
use super::placeholder::Placeholder;
use super::plan::{self, Mounts, c_string};
use super::space;
use super::sys::{self, Stack};
use crate::paths::candidates;
use crate::resolved::Resolved;
use crate::sandbox::Sandbox;
use crate::strays::{self, MARK_NAME};
use crate::streams::{ChildStreams, high};
use crate::{Error, Limits, Spec};

/// How long the walls may take. A mount of a disk that does not answer would otherwise hold us for ever.
const SETUP_TIME_MAX: Timespec = Timespec { tv_sec: 20, tv_nsec: 0 };

/// A process that was started.
pub(crate) struct Launched {
    pub(crate) init: Init,
    /// They stand as long as the process does.
    pub(crate) placeholders: Vec<Placeholder>,
}

/// A process that can be started.
pub(crate) struct Prepared {
    program: Program,
    walls: Walls,
}

impl Prepared {
    /// Finds out what it takes. `mark` is the value of the variable that marks its call.
    pub(crate) fn new(spec: &Spec, sandbox: &Sandbox, mark: &str) -> Result<Self, Error> {
        let mut walls = Walls::of(sandbox)?;
        let program = Program::of(spec, sandbox, &mut walls, mark)?;
        Ok(Self { program, walls })
    }

    /// Starts it.
    pub(crate) fn launch(
        self,
        spec: &Spec,
        sandbox: &Sandbox,
        streams: &ChildStreams,
    ) -> Result<Launched, Error> {
        let started = start(self.program, self.walls, sandbox, streams, false)?;
        started.map_err(|trouble| trouble.explain(spec))
    }
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
fn limits(policy: &Resolved, is_in_namespace: bool) -> Vec<(Resource, Rlimit)> {
    let Limits { processes, file_bytes, open_files, memory_bytes } = policy.limits;
    // In a namespace of its own a call is counted alone, elsewhere with all else that the user runs.
    let besides = if is_in_namespace { 0 } else { strays::count_of_user() };
    let asked = [
        (Resource::Core, Some(0)),
        (Resource::Nproc, processes.map(|limit| limit.saturating_add(besides))),
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
    /// What it was, by what was heard.
    fn of(heard: Result<News, io::ErrorKind>, job: &Job) -> Self {
        let (stage, index, source) = match heard {
            Ok(News::Failed { stage, index, errno }) => (stage, index, io::Error::from_raw_os_error(errno)),
            // It was started and is nobody.
            Ok(News::Started) => (Stage::Fork, 0, io::ErrorKind::NotFound.into()),
            Err(kind @ io::ErrorKind::TimedOut) => (Stage::Separate, 0, kind.into()),
            Err(kind) => (Stage::Fork, 0, kind.into()),
        };
        let step = job.steps.get(index).filter(|_| stage == Stage::Mount);
        let path = |step: &Step| step.path().map(|path| path.to_string_lossy().into_owned());
        Self { stage, step: step.map(|step| (step.name(), path(step).unwrap_or_default())), source }
    }

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
    let (ours, theirs) = ends()?;
    let Walls { mounts, ruleset, limits } = walls;
    let lent = Lent::new(Job {
        programs: program.programs,
        args: program.args,
        env: program.env,
        cwd: program.cwd,
        streams: [0, 1, 2].map(|index: usize| streams.fds[index].as_raw_fd()),
        is_terminal: streams.is_terminal,
        kept: program.kept.as_ref().map(AsRawFd::as_raw_fd),
        limits,
        sandbox: sandbox.clone(),
        slots: vec![Cell::new(-1); mounts.slot_count],
        steps: mounts.steps,
        drops_privileges: sandbox.drops_privileges(),
        ruleset: ruleset.as_ref().map(AsRawFd::as_raw_fd),
        late_rules: landlock::late_rules(),
        news: theirs.news.as_raw_fd(),
        status: theirs.status.as_raw_fd(),
        control: theirs.control.as_raw_fd(),
        is_trial,
        outer_stack: Stack::new(),
        init_stack: Stack::new(),
        command_stack: Stack::new(),
        init: AtomicI32::new(0),
    });
    let (pid, heard) = hear(&lent, &ours.news, theirs)?;
    // Who was killed without a word may have started the command. Nobody can tell, so it is told as one that was killed.
    let was_killed = heard == Err(io::ErrorKind::BrokenPipe) && !is_trial;
    match (pid, heard) {
        (Some(pid), heard) if heard == Ok(News::Started) || was_killed => {
            // SAFETY: init has said that it is through with all but its stack, or is dead; and what it started is dead with it, or
            // another program.
            let job = unsafe { lent.take_back() };
            let init = Init::new(pid, ours.status, ours.control, Lent::new(job.init_stack));
            Ok(Ok(Launched { init, placeholders: mounts.placeholders }))
        }
        (pid, heard) => {
            let trouble = Trouble::of(heard, lent.look());
            abandon(pid, lent, ours);
            Ok(Err(trouble))
        }
    }
}

/// One side of the pipes to what is started: where it is told whether it was, where init says how the command ended, and where
/// init hears from us.
struct Ends {
    news: OwnedFd,
    status: OwnedFd,
    control: OwnedFd,
}

/// Our side and theirs.
fn ends() -> Result<(Ends, Ends), Error> {
    let pipe = || -> Result<(OwnedFd, OwnedFd), Error> {
        let made = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC);
        let (reader, writer) = made.map_err(|error| Error::wall("make a pipe", error))?;
        Ok((high(reader)?, high(writer)?))
    };
    let (news, news_writer) = pipe()?;
    let (status, status_writer) = pipe()?;
    // Another process that is just being started may hold a copy of the other end for a moment.
    rustix::io::ioctl_fionbio(&status, true).map_err(|error| Error::wall("make a pipe", error))?;
    let (control_reader, control) = pipe()?;
    let theirs = Ends { news: news_writer, status: status_writer, control: control_reader };
    Ok((Ends { news, status, control }, theirs))
}

/// Starts it, and waits until it runs or says why it does not: the process that is ours, if there is one, and what was heard.
///
/// Init may change this thread's `errno` meanwhile, and read it. So nothing is called here that does either, and no handler of a
/// signal runs.
fn hear(
    lent: &Lent<Job>,
    news: &OwnedFd,
    theirs: Ends,
) -> Result<(Option<Pid>, Result<News, io::ErrorKind>), Error> {
    let job = lent.look();
    let before = sys::block_signals();
    // SAFETY: `outer` makes system calls on the job, which nobody else changes until it is gone or another program.
    let outer = unsafe { sys::share_memory(child::outer, &job.outer_stack, 0, job) };
    let heard = outer.map(|outer| {
        space::wait(outer);
        // Our copies would keep the pipes from closing.
        drop(theirs);
        (Pid::from_raw(job.init.load(Ordering::Relaxed)), listen(news))
    });
    sys::restore_signals(&before);
    heard.map_err(|error| Error::wall("start a process", error))
}

fn listen(news: &OwnedFd) -> Result<News, io::ErrorKind> {
    let is_ready = loop {
        match poll(&mut [PollFd::new(news, PollFlags::IN)], Some(&SETUP_TIME_MAX)) {
            Err(Errno::INTR) => {}
            ready => break matches!(ready, Ok(1..)),
        }
    };
    let mut bytes = [0; News::BYTES];
    // It is written in one piece, and so it is read.
    match is_ready {
        true if rustix::io::read(news, &mut bytes) == Ok(News::BYTES) => Ok(News::decode(bytes)),
        true => Err(io::ErrorKind::BrokenPipe),
        false => Err(io::ErrorKind::TimedOut),
    }
}

/// Ends what could not be started, if there is something.
fn abandon(pid: Option<Pid>, lent: Lent<Job>, ours: Ends) {
    let Ends { news, control, .. } = ours;
    // A keeper ends by itself, as it hears that nobody is there any more. Killed, it would leave to itself what it is about to start.
    drop(control);
    if let Some(pid) = pid.filter(|_| lent.look().sandbox.space().is_some()) {
        let _ = kill_process(pid, Signal::KILL);
    }
    let gone = move || {
        if let Some(pid) = pid {
            space::wait(pid);
        }
        // The command may be on its way out: it holds this pipe for as long as it works with the job.
        while matches!(rustix::io::read(&news, &mut [0; News::BYTES]), Ok(1..) | Err(Errno::INTR)) {}
        // SAFETY: there was none, or it has been reaped; and what it started is gone, or another program.
        drop(unsafe { lent.take_back() });
    };
    // It may hang in the kernel, where nobody should have to wait for it.
    let _ = thread::Builder::new().name("candor-reap".to_owned()).spawn(gone);
}
