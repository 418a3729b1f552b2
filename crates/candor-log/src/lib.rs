//! Typed log events, the rotating redacted writer, and the reader.
//!
//! A caller fills in one of the structs of [`event`] and calls `log()`; no caller spells an event or a field. The
//! events travel through `tracing`, so that the libraries we use end up in the same file, and a thread of our own masks
//! the finished bytes and appends them to one file that rotates by day and by size.
//!
//! Deliberately not here: printing (the mirror and the trouble callback are handed in by the binary), reading the
//! environment or the configuration, spans, and compression of archives. Nothing here ever makes a caller fail: a log
//! that cannot be written is counted and told, never returned to the code that logged.
//!
//! Start reading at [`start`], then [`event`]. For the way of a line: `layer` formats it, `queue` carries it, `writer`
//! masks it, `file` and `live` append and rotate, and a [`Relay`] takes it to a mirror that may block. [`read`] is the other direction.

mod archive;
mod clock;
mod error;
pub mod event;
mod file;
mod layer;
mod line;
mod live;
mod log;
mod mask;
mod options;
mod queue;
pub mod read;
mod relay;
mod stamp;
mod tail;
mod writer;

pub use clock::Clock;
pub use error::Error;
pub use log::{Guard, Log, start};
pub use options::{Mirror, Options, Rotation, Trouble};
pub use relay::Relay;
