//! Starting a log, holding it, and ending it.

use std::fmt;
use std::panic::PanicHookInfo;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use candor_protocol::Level;
use tracing::Subscriber;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry};

use crate::file::LogFile;
use crate::layer::{LogLayer, Threshold, with_scratch};
use crate::line::{Head, Line};
use crate::queue::Queue;
use crate::writer::Sink;
use crate::{Clock, Error, Options, writer};

/// Opens the file and starts the thread that writes to it.
///
/// Nothing is logged until the log receives events: [`Log::install`] for the whole process, [`Log::layer`] for a
/// subscriber of one's own. The guard must outlive everything that logs.
pub fn start(options: Options) -> Result<(Log, Guard), Error> {
    let (path, clock) = (options.file.clone(), options.clock.clone());
    let threshold = Arc::new(Threshold::new(options.level));
    let file = LogFile::open(path.clone(), options.rotation, clock.clone())?;
    let sink = Sink::new(file, options);
    let queue = Arc::new(Queue::default());
    let thread = thread::Builder::new()
        .name("candor-log".to_owned())
        .spawn({
            let queue = Arc::clone(&queue);
            move || writer::run(&queue, sink)
        })
        .map_err(|source| Error::Thread { path: path.clone(), source })?;
    let guard = Guard { queue: Arc::clone(&queue), thread: Some(thread) };
    Ok((Log { queue, threshold, clock, path }, guard))
}

/// A running log.
#[derive(Clone)]
pub struct Log {
    queue: Arc<Queue>,
    threshold: Arc<Threshold>,
    clock: Clock,
    path: PathBuf,
}

impl Log {
    /// The layer that writes every event it is given to this log. It filters for its whole subscriber.
    pub fn layer<S: Subscriber>(&self) -> impl Layer<S> + use<S> {
        LogLayer {
            queue: Arc::clone(&self.queue),
            threshold: Arc::clone(&self.threshold),
            clock: self.clock.clone(),
        }
    }

    /// Makes this the log of the process. Only the binary calls it, and only once.
    pub fn install(&self) -> Result<(), Error> {
        tracing::subscriber::set_global_default(Registry::default().with(self.layer()))
            .map_err(|_| Error::AlreadyInstalled { path: self.path.clone() })
    }

    /// Changes the least severe level that is written, from the next event on.
    pub fn set_level(&self, level: Level) {
        self.threshold.set(level);
    }

    /// Waits until every line logged so far is with the file, for two seconds at most.
    pub fn flush(&self) {
        self.queue.flush();
    }

    /// What the binary's panic hook calls: it logs `panic` and flushes.
    ///
    /// The line does not travel through `tracing`, which ignores events of a thread that is in the middle of one.
    pub fn panic_hook(&self) -> impl Fn(&PanicHookInfo<'_>) + Send + Sync + 'static {
        let log = self.clone();
        move |panic| {
            log.write_panic(panic);
            log.flush();
        }
    }

    fn write_panic(&self, panic: &PanicHookInfo<'_>) {
        with_scratch(self.clock.now(), |bytes, stamp| {
            let mut line =
                Line::begin(bytes, Head { stamp, level: Level::Error, module: "process", event: "panic" });
            line.text("message", panic.payload_as_str().unwrap_or("a panic without a message"));
            if let Some(location) = panic.location() {
                line.debug("location", &format_args!("{location}"));
            }
            line.end();
            self.queue.push_panicking(bytes);
        });
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Keeps the log running; when it is dropped, every line is written and the thread has ended.
///
/// Lines that are logged afterwards are lost.
#[must_use = "dropping the guard ends the log"]
pub struct Guard {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        // A thread that hangs in a system call is left behind: joining it would keep the program from ending.
        if self.queue.stop()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guard")
    }
}
