//! Puts walls up around nothing, to see whether they stand.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::time::Duration;

use super::spawn::{Prepared, rehearse};
use crate::orphans::mark_value;
use crate::sandbox::Sandbox;
use crate::streams::{self, ChildStreams, high};
use crate::{Error, Spec, Stdin};

/// How much is told of what a program said that could not put up walls.
const TOLD_BYTES_MAX: u64 = 500;

/// Puts the walls up around nothing, to see whether they stand.
pub(crate) fn attempt(sandbox: &Sandbox) -> Result<(), Error> {
    let null = || {
        let open = File::options().read(true).write(true).open("/dev/null");
        open.map_err(|source| Error::wall("open /dev/null", source)).map(OwnedFd::from).and_then(high)
    };
    let streams = ChildStreams { fds: [null()?, null()?, null()?], is_terminal: false };
    rehearse(sandbox, &streams)?.init.wait();
    Ok(())
}

/// The same where another program puts them up: they stand if it can start something.
pub(crate) fn attempt_wrapped(sandbox: &Sandbox) -> Result<(), Error> {
    let spec = Spec {
        program: "/bin/true".into(),
        args: Vec::new(),
        cwd: "/".into(),
        env: Vec::new(),
        timeout: Duration::ZERO,
        output_bytes_max: 0,
        spill: None,
        stdin: Stdin::Closed,
        pty: None,
    };
    let (streams, pipes) = streams::open(&spec)?;
    let mut launched = Prepared::new(&spec, sandbox, &mark_value())?.launch(&spec, sandbox, &streams)?;
    drop(streams);
    let mut said = String::new();
    if let Some(stderr) = pipes.stderr {
        let _ = File::from(stderr).take(TOLD_BYTES_MAX).read_to_string(&mut said);
    }
    if launched.init.wait_for_status().is_some_and(|status| status.success()) {
        return Ok(());
    }
    Err(Error::wall("start bwrap", io::Error::other(said.trim().to_owned())))
}
