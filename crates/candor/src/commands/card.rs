//! `candor card`: runs a command, and explains its failure.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::time::Duration;

use candor_cards::{Command, Failed, Given, How, NotStarted, Record, World};
use candor_protocol::{Code, ErrorCard, Failure, SessionId};
use candor_sandbox::{Ended, Through, pass_through};
use candor_tools::{Rules, Surroundings, ToolContext, how};

use crate::cli::Card;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::recipes;
use crate::results;
use crate::screen::block_on;
use crate::stops::Stops;

/// How much of each stream is kept for the card, half from its head and half from its tail.
const OUTPUT_BYTES_MAX: usize = 1 << 20;
/// The most that is read of an output that was captured.
const CAPTURED_BYTES_MAX: u64 = 4 << 20;

/// What became of a command.
struct Ran {
    command: Command,
    how: How,
    stdout: String,
    stderr: String,
    duration: Option<Duration>,
}

pub(crate) fn run(options: &Card, context: &Context<'_>) -> Result<Exit, Fail> {
    let ran = match (&options.from_file, options.line.as_slice()) {
        (None, [_, ..]) if options.command.is_none() && options.exit_code.is_none() => {
            through(options, context)?
        }
        (file, []) => captured(options, file.as_deref(), context)?,
        _ => return Err(conflict()),
    };
    let rules = recipes::rules(context);
    let is_here = options.from_file.is_none() && !options.line.is_empty();
    let surroundings = surroundings(context, &context.folder());
    let elsewhere = Given::default();
    let world: &dyn World = if is_here { &surroundings } else { &elsewhere };
    let failed =
        Failed { command: &ran.command, how: ran.how.clone(), stdout: &ran.stdout, stderr: &ran.stderr };
    let (record, card) = Record::new(results::now(), &failed, ran.duration, &rules, world);
    let out = options.out.as_ref().map(|file| context.request.cwd.join(file));
    results::append(&record, out.as_deref(), &context.folder(), context.screen);
    if options.json {
        context.screen.say(format_args!("{}", results::line(&record)))?;
    } else if let (Some(card), false) = (&card, options.quiet)
        && !(is_here && has_shown(&ran, card))
    {
        show(card, &ran.command, context);
    }
    Ok(exit(&ran.how, is_here))
}

/// The command's own exit code, whatever was found about it. An explanation is not a failure.
fn exit(how: &How, is_here: bool) -> Exit {
    match how.exit() {
        0 => Exit::Good,
        _ if !is_here => Exit::Good,
        code => Exit::Shown(u8::try_from(code.clamp(1, 255)).unwrap_or(1)),
    }
}

fn conflict() -> Fail {
    Failure::new(Code::UsageConflict)
        .with("argument", "COMMAND")
        .with("detail", "--from-file, --command and --exit-code explain an output that was captured earlier.")
        .with("help", "candor card --help")
        .into()
}

fn show(card: &ErrorCard, command: &Command, context: &Context<'_>) {
    context.screen.note(format_args!("{}", candor_cards::text(card, command.as_line())));
}

/// Whether the command has printed this very card by itself, as Candor does: nobody wants to read it twice.
fn has_shown(ran: &Ran, card: &ErrorCard) -> bool {
    let text = candor_cards::text(card, ran.command.as_line());
    // The first line names the command, which was another one inside.
    let Some((_, body)) = text.split_once('\n') else { return false };
    [&ran.stderr, &ran.stdout].iter().any(|said| said.contains(body.trim()))
}

/// What rules may look at from a folder: this is the person's own machine and command.
pub(crate) fn surroundings(context: &Context<'_>, folder: &Path) -> Surroundings {
    let path = context.env().get("PATH").unwrap_or_default().to_owned();
    let rules = Rules { env: vec![("PATH".to_owned(), path)], ..Rules::default() };
    Surroundings::new(&ToolContext::alone(SessionId::now(), folder.to_owned(), rules), folder)
}

fn through(options: &Card, context: &Context<'_>) -> Result<Ran, Fail> {
    let command = Command::words(&options.line);
    let (program, args) = options.line.split_first().ok_or_else(conflict)?;
    let spec = Through {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        cwd: context.folder(),
        timeout: options.timeout,
        output_bytes_max: OUTPUT_BYTES_MAX,
    };
    let passes = !options.json;
    let ended = block_on(async {
        // Ctrl-C is for the command; we live on to explain what became of it.
        let mut stops = Stops::listen()?;
        let mut running =
            std::pin::pin!(pass_through(&spec, Passed(passes, io::stdout()), Passed(passes, io::stderr())));
        loop {
            tokio::select! {
                ended = &mut running => return Ok(ended),
                _ = stops.next() => {}
            }
        }
    })?;
    match ended {
        Ok(ended) => Ok(told(command, &ended, options.timeout)),
        Err(error) => {
            let why = not_started(&error, program, &spec.cwd)?;
            Ok(Ran {
                command,
                how: How::NotStarted(why),
                stdout: String::new(),
                stderr: String::new(),
                duration: None,
            })
        }
    }
}

/// A stream of ours that can be shut.
struct Passed<W>(bool, W);

impl<W: Write> Write for Passed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 { self.1.write(bytes) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.1.flush()
    }
}

fn told(command: Command, ended: &Ended, limit: Option<Duration>) -> Ran {
    Ran {
        command,
        // Only a limit that was given can have ended it.
        how: how(ended.how, limit.unwrap_or_default()),
        stdout: ended.stdout.text(),
        stderr: ended.stderr.text(),
        duration: Some(ended.duration),
    }
}

fn not_started(error: &io::Error, program: &str, cwd: &Path) -> Result<NotStarted, Fail> {
    match error.kind() {
        ErrorKind::NotFound => Ok(NotStarted::NotFound),
        ErrorKind::PermissionDenied => Ok(NotStarted::NotPermitted),
        ErrorKind::NotADirectory if !cwd.is_dir() => Err(Failure::file(cwd, error).into()),
        // `ENOEXEC` has no kind of its own.
        _ if error.raw_os_error() == Some(8) => Ok(NotStarted::NotAProgram),
        _ => Err(Failure::file(Path::new(program), error).into()),
    }
}

/// An output that was captured earlier.
fn captured(options: &Card, file: Option<&Path>, context: &Context<'_>) -> Result<Ran, Fail> {
    let file = match file {
        Some(path) if path == Path::new("-") => None,
        None if io::IsTerminal::is_terminal(&io::stdin()) => return Err(nothing_given()),
        file => file,
    };
    let text = match file {
        Some(path) => {
            let path = context.request.cwd.join(path);
            std::fs::File::open(&path).and_then(read).map_err(|error| Failure::file(&path, &error))?
        }
        None => read(io::stdin().lock()).map_err(|error| Failure::file(Path::new("/dev/stdin"), &error))?,
    };
    if text.trim().is_empty() && options.command.is_none() {
        return Err(nothing_given());
    }
    let command = Command::line(options.command.as_deref().unwrap_or("(output from standard input)"));
    let how = How::Exited(options.exit_code.unwrap_or(1));
    Ok(Ran { command, how, stdout: String::new(), stderr: text, duration: None })
}

fn nothing_given() -> Fail {
    Failure::new(Code::UsageMissingArgument)
        .with("argument", "COMMAND")
        .with("detail", "Give a command after `--`, or an output on standard input or with --from-file.")
        .with("help", "candor card --help")
        .into()
}

/// The head and the tail are enough: a failure is told at the beginning or at the end.
fn read(from: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut from = from;
    from.by_ref().take(CAPTURED_BYTES_MAX).read_to_end(&mut bytes)?;
    let mut tail: VecDeque<u8> = VecDeque::new();
    let mut chunk = vec![0; 64 << 10];
    let most = usize::try_from(CAPTURED_BYTES_MAX).unwrap_or(usize::MAX);
    loop {
        let count = from.read(&mut chunk)?;
        if count == 0 {
            break;
        }
        tail.extend(chunk.get(..count).unwrap_or_default());
        let over = tail.len().saturating_sub(most);
        tail.drain(..over);
    }
    bytes.extend(tail);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
