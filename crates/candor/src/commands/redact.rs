//! `candor redact`

use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use candor_protocol::Failure;

use crate::cli::Redact;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::screen::{say_bytes, written};

/// How much is read at once.
const CHUNK_BYTES: usize = 64 * 1024;

pub(crate) fn run(options: &Redact, context: &Context<'_>) -> Result<Exit, Fail> {
    if options.rules {
        for rule in candor_redact::rules() {
            context.screen.say(format_args!("{:<28} {}", rule.name, rule.about))?;
        }
        return Ok(Exit::Good);
    }
    // A broken configuration must not stop a filter: the rules and the environment's secrets still hold.
    if let Err(error) = context.load_quietly() {
        context
            .screen
            .warn(&format!("{error}; some secrets it names may not be known (candor config check)"));
    }
    filter(context)
}

fn filter(context: &Context<'_>) -> Result<Exit, Fail> {
    let mut stream = context.screen.redactor().stream();
    let (mut input, mut chunk, mut masked) = (io::stdin().lock(), vec![0; CHUNK_BYTES], Vec::new());
    loop {
        match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => stream.push(chunk.get(..length).unwrap_or_default(), &mut masked),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::file(Path::new("/dev/stdin"), &error).into()),
        }
        flush(&masked)?;
        masked.clear();
    }
    stream.finish(&mut masked);
    flush(&masked)?;
    Ok(Exit::Good)
}

/// A filter passes on at once what it has: someone may be watching.
fn flush(bytes: &[u8]) -> Result<(), Fail> {
    say_bytes(bytes)?;
    written(io::stdout().flush())
}
