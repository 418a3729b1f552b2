//! Turns an event into a line, on the thread that logged it.

use std::cell::RefCell;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use candor_protocol::Level;
use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use crate::line::{Head, Line};
use crate::queue::Queue;
use crate::stamp::Stamp;
use crate::{Clock, event};

/// A thread keeps this much of its buffer between lines; more is given back after an unusually long one.
const SCRATCH_BYTES_KEPT: usize = 64 * 1024;

/// The least severe level that is written, changeable while others log.
pub(crate) struct Threshold(AtomicU8);

impl Threshold {
    pub(crate) fn new(level: Level) -> Self {
        Self(AtomicU8::new(level as u8))
    }

    pub(crate) fn set(&self, level: Level) {
        self.0.store(level as u8, Ordering::Relaxed);
        // Callsites remember whether anyone wants them, so they have to be asked again.
        tracing::callsite::rebuild_interest_cache();
    }

    fn get(&self) -> Level {
        let number = self.0.load(Ordering::Relaxed);
        Level::ALL.iter().copied().find(|&level| level as u8 == number).unwrap_or_default()
    }

    /// Whether an event is written. Other libraries are heard from warnings on, unless someone is debugging: what
    /// an HTTP client calls information is noise here.
    fn admits(&self, metadata: &Metadata<'_>) -> bool {
        let threshold = self.get();
        let level = *metadata.level();
        if metadata.is_span() {
            return false;
        }
        if is_own(metadata) || threshold == Level::Debug {
            return level <= filter(threshold);
        }
        level <= filter(threshold.min(Level::Warn))
    }
}

/// The layer that writes to a log. It has an opinion on every callsite, and it wants no spans.
pub(crate) struct LogLayer {
    pub(crate) queue: Arc<Queue>,
    pub(crate) threshold: Arc<Threshold>,
    pub(crate) clock: Clock,
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.threshold.admits(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        self.threshold.admits(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(filter(self.threshold.get()))
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        let level = level_of(*metadata.level());
        let now = self.clock.now();
        with_scratch(now, |bytes, stamp| {
            let own = is_own(metadata);
            let name = if own { metadata.name() } else { "log" };
            let head = Head { stamp, level, module: metadata.target(), event: name };
            let mut line = Line::begin(bytes, head);
            if own {
                event.record(&mut OwnFields(&mut line));
            } else {
                event.record(&mut ForeignFields(&mut line));
            }
            line.end();
            self.queue.push(bytes, level);
        });
    }
}

/// Our own events are those whose callsite stands in our own module; a target can be chosen by anyone.
fn is_own(metadata: &Metadata<'_>) -> bool {
    metadata.module_path() == Some(event::MODULE_PATH)
}

fn filter(level: Level) -> LevelFilter {
    match level {
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
    }
}

fn level_of(level: tracing::Level) -> Level {
    match level {
        tracing::Level::ERROR => Level::Error,
        tracing::Level::WARN => Level::Warn,
        tracing::Level::INFO => Level::Info,
        _ => Level::Debug,
    }
}

struct Scratch {
    bytes: Vec<u8>,
    stamp: Stamp,
}

impl Scratch {
    const fn new() -> Self {
        Self { bytes: Vec::new(), stamp: Stamp::new() }
    }

    fn lend(&mut self, now: Timestamp, write: impl FnOnce(&mut Vec<u8>, &[u8; 24])) {
        self.bytes.clear();
        write(&mut self.bytes, self.stamp.at(now));
        if self.bytes.capacity() > SCRATCH_BYTES_KEPT {
            self.bytes = Vec::new();
        }
    }
}

/// Lends the thread's buffer. It is taken when a value logs while it is being formatted, and gone when the thread is
/// ending; both are rare, and then a new buffer does.
pub(crate) fn with_scratch(now: Timestamp, write: impl FnOnce(&mut Vec<u8>, &[u8; 24])) {
    thread_local! {
        static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
    }
    let mut write = Some(write);
    let _ = SCRATCH.try_with(|scratch| {
        if let Ok(mut scratch) = scratch.try_borrow_mut()
            && let Some(write) = write.take()
        {
            scratch.lend(now, write);
        }
    });
    if let Some(write) = write {
        Scratch::new().lend(now, write);
    }
}

/// Takes over the fields of one of our events. Their `Debug` forms are JSON.
struct OwnFields<'l, 'b>(&'l mut Line<'b>);

/// Takes over the fields of any other event. Their `Debug` forms are text.
struct ForeignFields<'l, 'b>(&'l mut Line<'b>);

/// Foreign fields must not stand in for the four that open every line: in most readers the last of two wins.
fn foreign_name(field: &Field) -> &'static str {
    match field.name() {
        "ts" => "field.ts",
        "level" => "field.level",
        "module" => "field.module",
        "event" => "field.event",
        name => name,
    }
}

macro_rules! plain_values {
    ($name:path) => {
        fn record_str(&mut self, field: &Field, value: &str) {
            self.0.text($name(field), value);
        }

        fn record_bool(&mut self, field: &Field, value: bool) {
            self.0.value($name(field), value);
        }

        fn record_u64(&mut self, field: &Field, value: u64) {
            self.0.value($name(field), value);
        }

        fn record_i64(&mut self, field: &Field, value: i64) {
            self.0.value($name(field), value);
        }

        fn record_u128(&mut self, field: &Field, value: u128) {
            self.0.value($name(field), value);
        }

        fn record_i128(&mut self, field: &Field, value: i128) {
            self.0.value($name(field), value);
        }

        fn record_f64(&mut self, field: &Field, value: f64) {
            self.0.value($name(field), value);
        }
    };
}

impl Visit for OwnFields<'_, '_> {
    plain_values!(Field::name);

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.json(field.name(), value);
    }
}

impl Visit for ForeignFields<'_, '_> {
    plain_values!(foreign_name);

    fn record_error(&mut self, field: &Field, value: &(dyn StdError + 'static)) {
        self.0.debug(foreign_name(field), &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.debug(foreign_name(field), value);
    }
}
