//! The configuration of a segment: written once, then a person's to edit.

use std::io::{ErrorKind, Read};

use candor_protocol::Moment;
use ignore::overrides::{Override, OverrideBuilder};
use serde::{Deserialize, Serialize};

use crate::segment::is_id;
use crate::{Error, Segment, atomic, source};

/// The version of the file that this program writes and reads.
const VERSION: u32 = 1;
/// No list of exclusions is as long.
const BYTES_MAX: u64 = 256 << 10;

/// The configuration of a segment. Keys that are not known here are left alone: the file is never written again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Config {
    pub(crate) schema_version: u32,
    /// The id. It stays when the folder is moved or copied, so that the prime file stays the same file.
    pub(crate) segment: String,
    pub(crate) created_at: Moment,
    /// What is not packed besides, as patterns of `.gitignore`.
    #[serde(default)]
    pub(crate) exclude: Vec<String>,
}

impl Config {
    pub(crate) fn new(segment: String) -> Self {
        Self { schema_version: VERSION, segment, created_at: Moment::now(), exclude: Vec::new() }
    }

    /// Reads it; nothing if there is none.
    pub(crate) fn read(segment: &Segment) -> Result<Option<Self>, Error> {
        let path = segment.config_path();
        let invalid = |reason: String| Error::ConfigInvalid { path: segment.root().to_owned(), reason };
        let file = match source::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(Error::io(&path))?,
        };
        let mut text = String::new();
        match file.take(BYTES_MAX + 1).read_to_string(&mut text) {
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                return Err(invalid("it is not UTF-8".to_owned()));
            }
            read => read.map_err(Error::io(&path))?,
        };
        if text.len() as u64 > BYTES_MAX {
            return Err(invalid(format!("it is larger than {BYTES_MAX} bytes")));
        }
        let config: Self = serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        if config.schema_version != VERSION {
            return Err(invalid(format!("its schema_version is {}, not {VERSION}", config.schema_version)));
        }
        if !is_id(&config.segment) {
            return Err(invalid(format!("its segment {:?} is not an id", config.segment)));
        }
        config.excluded(segment).map_err(|error| invalid(format!("exclude: {error}")))?;
        Ok(Some(config))
    }

    /// What is not packed besides.
    pub(crate) fn excluded(&self, segment: &Segment) -> Result<Override, ignore::Error> {
        let mut patterns = OverrideBuilder::new(segment.root());
        for pattern in &self.exclude {
            // To the builder, a pattern is what is wanted, and one with an exclamation mark what is not.
            patterns.add(&format!("!{pattern}"))?;
        }
        patterns.build()
    }

    /// Writes it where none is.
    pub(crate) fn write(&self, segment: &Segment) -> Result<(), Error> {
        // Texts and numbers are always JSON.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        atomic::create(&segment.config_path(), text.as_bytes())
    }
}
