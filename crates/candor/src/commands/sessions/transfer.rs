//! `candor sessions export` and `import`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use candor_protocol::{Event, Failure, SessionId};
use candor_runtime::Ids;

use super::{Desk, show::PAGE};
use crate::fail::{Exit, Fail};
use crate::screen::counted;

/// A conversation is for its owner alone.
const PRIVATE: u32 = 0o600;

pub(super) async fn export(
    session: &str,
    output: Option<&Path>,
    force: bool,
    desk: &Desk<'_>,
) -> Result<Exit, Fail> {
    let session = desk.find(session).await?;
    let screen = desk.context.screen;
    let Some(path) = output else {
        each_event(session, desk, |event| screen.say_event(event)).await?;
        return Ok(Exit::Good);
    };
    let failed = |error: io::Error| Fail::from(unwritable(path, &error));
    let mut file = BufWriter::new(create(path, force).map_err(failed)?);
    let events =
        each_event(session, desk, |event| writeln!(file, "{}", screen.event_line(event)).map_err(failed));
    let events = events.await?;
    file.flush().map_err(failed)?;
    screen.note(format_args!("wrote {} to {}", counted(events, "event"), path.display()));
    Ok(Exit::Good)
}

/// A file that is about to be made is missing by itself; what can be put right is its folder.
fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let folder = path.parent().filter(|_| error.kind() == io::ErrorKind::NotFound);
    Failure::file(folder.unwrap_or(path), error)
}

/// A new file that only its owner can read. One that is there is replaced only where that was asked for.
fn create(path: &Path, force: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).mode(PRIVATE);
    if force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        fs::set_permissions(path, fs::Permissions::from_mode(PRIVATE))?;
    }
    Ok(file)
}

/// Hands on each event of a session, and tells how many there were.
async fn each_event(
    session: SessionId,
    desk: &Desk<'_>,
    mut write: impl FnMut(&Event) -> Result<(), Fail>,
) -> Result<u64, Fail> {
    let mut after = 0;
    loop {
        let events = desk.runtime.query().events(session, after, PAGE).await;
        let events = events.map_err(|error| error.failure())?;
        for event in &events {
            write(event)?;
            after = event.seq;
        }
        if events.len() < PAGE as usize {
            return Ok(after);
        }
    }
}

pub(super) async fn import(path: &Path, as_new: bool, desk: &Desk<'_>) -> Result<Exit, Fail> {
    let (mut lines, name) = open(path)?;
    let ids = if as_new { Ids::New } else { Ids::Kept };
    let imported = desk.runtime.import(&mut *lines, &name, ids).await?;
    desk.context.screen.say(format_args!("{}", imported.session))?;
    desk.context.screen.note(format_args!("{} from {name}", counted(imported.events, "event")));
    Ok(Exit::Good)
}

/// The lines of a file or of standard input, and what to call them.
fn open(path: &Path) -> Result<(Box<dyn BufRead + Send>, String), Failure> {
    if path == Path::new("-") {
        return Ok((Box::new(BufReader::new(io::stdin())), "standard input".to_owned()));
    }
    let failed = |error: io::Error| Failure::file(path, &error);
    let file = File::open(path).map_err(failed)?;
    // Opening a folder succeeds; reading it would be an error without the name.
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    Ok((Box::new(BufReader::new(file)), path.display().to_string()))
}
