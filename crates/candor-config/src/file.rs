//! Finds config files and reads them, bounded.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Error;
use crate::node::{Node, Table, Value};
use crate::place::{Origin, Source};
use crate::yaml_source::Refused;
use crate::{toml_source, yaml_source};

/// Largest config file that is read. The example with every key is 20 KB; a megabyte is a mistake or an attack.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Most keys a config file may have. The example with every key has about a hundred and twenty; keys are looked up one
/// after the other, so that tens of thousands would take seconds.
const KEYS_MAX: usize = 5_000;

/// The names a config file may have, in a home or in the `.candor` of a workspace.
pub(crate) const NAMES: [&str; 3] = ["config.toml", "config.yaml", "config.yml"];

/// A file that was read.
pub(crate) struct ConfigFile {
    pub(crate) path: PathBuf,
    pub(crate) table: Table,
    /// Permission bits.
    pub(crate) mode: u32,
}

/// The config file in a directory, if there is one; two are an error.
pub(crate) fn find(directory: &Path) -> Result<Option<PathBuf>, Error> {
    let mut found = Vec::new();
    for path in NAMES.iter().map(|name| directory.join(name)) {
        match path.symlink_metadata() {
            Ok(_) => found.push(path),
            // What cannot be looked at may be there: only what is surely absent means defaults.
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Err(Error::Unreadable { path, source: error });
            }
            Err(_) => {}
        }
    }
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => Err(Error::BothFormats { first, second }),
        (first, _) => Ok(first),
    }
}

/// Refuses a workspace's file that is a link to somewhere else: its lines could be those of any file of the owner's,
/// and a card would show them.
pub(crate) fn refuse_leading_out(path: &Path, workspace: &Path) -> Result<(), Error> {
    match (path.canonicalize(), workspace.canonicalize()) {
        (Ok(real), Ok(workspace)) if !real.starts_with(&workspace) => {
            Err(Error::NotAFile { path: path.to_owned(), kind: "a link that leads out of the workspace" })
        }
        _ => Ok(()),
    }
}

/// Reads and parses a config file.
pub(crate) fn read(path: &Path, origin: Origin) -> Result<ConfigFile, Error> {
    // Read first: what is not there, or no file, has no format to speak of.
    let (mut text, mode) = read_text(path)?;
    let is_yaml = match path.extension().and_then(|ending| ending.to_str()) {
        Some("toml") => false,
        Some("yaml" | "yml") => true,
        _ => return Err(Error::FormatUnknown { path: path.to_owned() }),
    };
    if is_yaml && text.contains('\r') {
        // A return alone ends a line in YAML, too; one kind of line end keeps places and excerpts together.
        text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
    let source = Arc::new(Source { origin, text });
    let table = if is_yaml {
        yaml_source::parse(&source).map_err(|refused| match refused {
            Refused::Syntax(problem) => Error::Syntax(Box::new(problem)),
            Refused::TooComplex(limit) => Error::TooComplex { path: path.to_owned(), limit },
        })?
    } else {
        toml_source::parse(&source).map_err(|problem| Error::Syntax(Box::new(problem)))?
    };
    if count_keys(&table) > KEYS_MAX {
        return Err(Error::TooComplex { path: path.to_owned(), limit: format!("{KEYS_MAX} keys") });
    }
    Ok(ConfigFile { path: path.to_owned(), table, mode })
}

/// How many keys a table has, those of the tables in it included.
fn count_keys(table: &Table) -> usize {
    let inner = table.iter().map(|entry| match &entry.node.value {
        Value::Table(table) => 1 + count_keys(table),
        Value::List(items) => 1 + items.iter().map(keys_in_item).sum::<usize>(),
        _ => 1,
    });
    inner.sum()
}

fn keys_in_item(item: &Node) -> usize {
    match &item.value {
        Value::Table(table) => count_keys(table),
        Value::List(items) => items.iter().map(keys_in_item).sum(),
        _ => 0,
    }
}

fn read_text(path: &Path) -> Result<(String, u32), Error> {
    let unreadable = |source: std::io::Error| match source.kind() {
        ErrorKind::NotFound => Error::NotFound { path: path.to_owned() },
        _ => Error::Unreadable { path: path.to_owned(), source },
    };
    // Looked at before it is opened: opening a pipe would wait for a writer that never comes.
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Error::NotAFile { path: path.to_owned(), kind: kind(&metadata) });
    }
    let too_large =
        |size_bytes| Error::TooLarge { path: path.to_owned(), size_bytes, limit_bytes: FILE_BYTES_MAX };
    if metadata.len() > FILE_BYTES_MAX {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    let size_bytes = bytes.len() as u64;
    if size_bytes > FILE_BYTES_MAX {
        return Err(too_large(size_bytes));
    }
    let text = String::from_utf8(bytes).map_err(|error| not_utf8(path, &error))?;
    Ok((text, metadata.mode() & 0o777))
}

fn kind(metadata: &fs::Metadata) -> &'static str {
    let kind = metadata.file_type();
    match () {
        () if kind.is_dir() => "a directory",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> Error {
    let good = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
    let line_start = good.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = good.split(|byte| *byte == b'\n').count();
    let column = String::from_utf8_lossy(good.get(line_start..).unwrap_or_default()).chars().count() + 1;
    Error::NotUtf8 { path: path.to_owned(), line, column }
}
