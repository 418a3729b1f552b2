//! Context packs: what is in a folder, in pieces small enough to be looked up instead of read through.
//!
//! A folder that is packed is a *segment*. What belongs to it is in its `_ctx`: a configuration, a *prime* file (a reading
//! list that people edit), and the *pack*, which names every *chunk* of every text file: where it is, what it is called,
//! what it hashes to. [`sync()`] makes the pack, [`search()`] finds chunks by words, [`get()`] reads some within a budget.
//!
//! The pack holds no text. A chunk is read from its file when it is asked for, and handed out only if it still hashes to
//! what was packed: a pack is small, quick to write, and never hands out what is no longer there. Nothing here follows a
//! link, so that no path in a pack, whoever wrote it, leads out of the segment.
//!
//! Deliberately absent: masking secrets, which happens where a text is shown; a model; embeddings. The search goes by
//! words, in a database that only `candor-store` opens.
//!
//! Start reading at [`Segment`], whose `open` is the one place that tells in what state a segment is, then `sync.rs`, then
//! `section` for how a file is cut, then `get.rs`.

mod atomic;
mod config;
mod create;
mod drift;
mod error;
mod evidence;
mod get;
mod hash;
mod index;
mod kind;
mod left_out;
mod lock;
mod options;
mod pack;
mod prime;
mod reading_list;
mod report;
mod search;
mod section;
mod segment;
mod skeleton;
mod source;
mod stats;
mod sync;
mod tokens;
mod validate;
mod walk;

pub use create::{Created, Made, create};
pub use drift::Drift;
pub use error::{Error, Remedy};
pub use get::{Got, Mode, Returned, Wanted, get};
pub use kind::Kind;
pub use left_out::LeftOut;
pub use options::Options;
pub use pack::{Chunk, Pack, SCHEMA_VERSION, SourceFile};
pub use prime::refresh as refresh_prime;
pub use report::{Report, StopReason};
pub use search::{Found, Hit, search};
pub use section::{SECTION_BYTES_MAX, Section, sections};
pub use segment::{CONFIG_PATH, Segment};
pub use stats::{Stats, stats};
pub use sync::{Synced, sync};
pub use validate::{Validated, validate};
