//! Makes a folder a segment, from whatever state it is in.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::config::Config;
use crate::lock::Lock;
use crate::segment::is_id;
use crate::{Error, Options, Segment, atomic, prime};

/// What need not be shared with others: it is made from the files, or about one machine.
const IGNORED: &str = "context_pack.json\nindex.db*\nlock\ntelemetry/\n.candor-unfinished-*\n";

/// How many configurations that could not be used are kept beside each other.
const ASIDE_MAX: u32 = 1_000;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Made {
    /// It was not there.
    New,
    /// It was there and stays as it is.
    Kept,
    /// Its generated part was made anew.
    Refreshed,
}

/// What a segment is after it was created.
#[derive(Debug, Clone, Serialize)]
pub struct Created {
    /// Its id.
    pub segment: String,
    /// What became of the configuration.
    pub config: Made,
    /// Where the configuration is that was there and could not be used.
    pub put_aside: Option<PathBuf>,
    /// The reading list, from the segment's folder.
    pub prime_path: String,
    /// What became of it.
    pub prime: Made,
    /// Whether the segment was initialized in another folder; it keeps its id.
    pub moved: bool,
}

/// Makes a folder a segment: a configuration and a reading list, where they are missing. What is there stays as it is; a
/// configuration that cannot be used is put aside.
pub async fn create(segment: &Segment, options: &Options) -> Result<Created, Error> {
    segment.check_ctx()?;
    let ctx = segment.ctx();
    match DirBuilder::new().create(&ctx) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        made => made.map_err(Error::io(&ctx))?,
    }
    let _lock = Lock::take(segment, options).await?;
    let (config, put_aside) = match Config::read(segment) {
        Ok(config) => (config, None),
        Err(Error::ConfigInvalid { .. }) => (None, Some(put_aside(&segment.config_path())?)),
        Err(error) => return Err(error),
    };
    let made = if config.is_some() { Made::Kept } else { Made::New };
    let config = config.map_or_else(|| write_new(segment), Ok)?;
    let prime = prime::make_missing(segment, &config, options)?;
    let ignores = ctx.join(".gitignore");
    if !ignores.exists() {
        atomic::create(&ignores, IGNORED.as_bytes())?;
    }
    Ok(Created {
        config: made,
        put_aside,
        prime_path: format!("_ctx/{}", crate::segment::prime_name(&config.segment)),
        prime,
        moved: config.segment != segment.own_id(),
        segment: config.segment,
    })
}

/// Writes the first configuration.
fn write_new(segment: &Segment) -> Result<Config, Error> {
    let config = Config::new(adopted_id(segment).unwrap_or_else(|| segment.own_id().to_owned()));
    config.write(segment)?;
    Ok(config)
}

/// The id of a reading list that lost its configuration: people may have written in it. Of several, none is known to be
/// the right one.
fn adopted_id(segment: &Segment) -> Option<String> {
    let entries = fs::read_dir(segment.ctx()).ok()?.flatten();
    let ids = entries.filter_map(|entry| {
        let name = entry.file_name();
        let id = name.to_str()?.strip_prefix("prime_")?.strip_suffix(".md")?.to_owned();
        is_id(&id).then_some(id)
    });
    let ids: Vec<String> = ids.collect();
    match ids.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// Gives a file a name that none has.
fn put_aside(path: &Path) -> Result<PathBuf, Error> {
    for number in 1..=ASIDE_MAX {
        let aside = path.with_extension(format!("json.old-{number}"));
        if aside.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            fs::rename(path, &aside).map_err(Error::io(path))?;
            return Ok(aside);
        }
    }
    Err(Error::Io { path: path.to_owned(), source: ErrorKind::AlreadyExists.into() })
}
