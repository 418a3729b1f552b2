//! What a dialect has to say for itself: how a request is written, and how a stream is read.
//!
//! Everything else (connections, framing, limits, status codes, retry) is the same for all and lives elsewhere, so that a
//! dialect is two pure functions that can be read beside the provider's documentation.

use serde_json::Value;

use crate::draft::Draft;
use crate::{Error, Request};

/// One dialect.
pub(crate) trait Wire: Send + Sync {
    /// Its name in configurations and in opaque data.
    fn name(&self) -> &'static str;

    /// The part of a configured base address that paths follow. People write the same base in several ways; a dialect
    /// whose paths begin with a version takes it off here, so that it is not there twice.
    fn base<'a>(&self, base_url: &'a str) -> &'a str {
        base_url.trim_end_matches('/')
    }

    /// The path after the base address, with its query if it has one.
    fn path(&self, request: &Request) -> String;

    /// The headers that carry the key and the version. Content type and `accept` are set for all.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;

    /// The body.
    fn body(&self, request: &Request) -> Value;

    /// How the stream is cut into frames.
    fn framing(&self) -> Framing {
        Framing::Events
    }

    /// Reads one stream.
    fn decoder(&self) -> Box<dyn Decode>;

    /// The path of the list of models after the base address.
    fn models_path(&self) -> &'static str;

    /// The names in that list.
    fn models(&self, body: &Value) -> Vec<String>;
}

/// How a stream is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Events,
    /// One JSON value a line.
    Lines,
}

/// Reads the frames of one stream.
pub(crate) trait Decode: Send {
    /// Reads one frame into the draft. `event` is the event's name, empty where there is none. A frame that is not
    /// understood is skipped (`Ok(Flow::More)`): providers add kinds of events without notice.
    fn frame(&mut self, event: &str, data: &str, draft: &mut Draft) -> Result<Flow, Error>;

    /// Whether the answer is complete although its terminator has not come. Asked when the body ends as a body should:
    /// some servers leave the terminator out.
    fn ended(&self) -> bool {
        false
    }
}

/// Whether the answer is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// More is to come: a stream that ends here was cut.
    More,
    /// The dialect's own end was seen. What follows is read only to leave the connection usable.
    End,
}
