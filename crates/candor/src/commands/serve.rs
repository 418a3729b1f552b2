//! `candor serve`: the same agent for clients on this machine.

use std::fs::File;
use std::future::pending;
use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use candor_config::Loaded;
use candor_log::event::ServerStart;
use candor_log::{Clock, Mirror, Relay};
use candor_protocol::{Code, Failure};
use candor_server::{Access, Made, Offer, Options};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::cli::Serve;
use crate::commands::logs;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::screen::block_on;
use crate::{assemble, offered};

/// The file of the home that the token is in.
const TOKEN: &str = "token";
/// How many file descriptors all sockets, model connections and files together may need.
const FILES_WANTED: u64 = 8192;

pub(crate) fn run(serve: &Serve, context: &Context<'_>) -> Result<Exit, Fail> {
    let loaded = context.load()?;
    let address = serve.listen.unwrap_or(loaded.config.server.listen.0);
    if !address.ip().is_loopback() {
        return Err(Failure::new(Code::ServeNotLoopback).with("address", address).into());
    }
    let access = access(&loaded, context)?;
    let (_log, _guard) = logs::start_mirrored(mirror(&loaded)?, &loaded, context)?;
    allow_files();
    logs::noted(block_on(listen(address, access, &loaded, context)))
}

/// The token. Nobody may see it who cannot read its file: not in the log, not on the screen, not in an answer of the model.
fn access(loaded: &Loaded, context: &Context<'_>) -> Result<Access, Fail> {
    loaded.home.make()?;
    let file = loaded.home.join(TOKEN);
    let (access, made) = Access::open(file.clone()).map_err(|error| error.failure())?;
    if made == Made::Anew {
        let file = file.display();
        context
            .screen
            .warn(&format!("{file} could be read by others or guessed; there is a new token in it"));
    }
    context.screen.keep_secret(access.token());
    Ok(access)
}

/// Standard output, where `logging.stdout` wants the log there as well: a server says nothing else on it. It goes around
/// the buffer and the lock that the rest of the program would share.
fn mirror(loaded: &Loaded) -> Result<Mirror, Fail> {
    if !loaded.config.logging.stdout {
        return Ok(Mirror::Off);
    }
    let relay = io::stdout().as_fd().try_clone_to_owned().map(File::from);
    let relay = relay.and_then(|stdout| Relay::start(stdout, Clock::system()));
    let relay = relay.map_err(|error| Failure::file(Path::new("/dev/stdout"), &error))?;
    Ok(Mirror::To(Box::new(relay)))
}

/// Many systems give a process few file descriptors until it asks for more.
fn allow_files() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(FILES_WANTED, |most| most.min(FILES_WANTED));
    if limit.current.is_some_and(|current| current < wanted) {
        // Where that is refused, fewer clients find room.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum });
    }
}

/// Serves until a signal comes. The second one leaves at once, whatever is under way.
async fn listen(
    address: SocketAddr,
    access: Access,
    loaded: &Loaded,
    context: &Context<'_>,
) -> Result<Exit, Fail> {
    let mut signals = Signals::listen()?;
    let stop = CancellationToken::new();
    let mut served = pin!(serve(address, access, loaded, context, &stop));
    loop {
        tokio::select! {
            exit = &mut served => return exit,
            () = signals.next() => {
                if stop.is_cancelled() {
                    context.screen.note(format_args!("stopped at once"));
                    return Err(Fail::Stopped);
                }
                // The terminal has shown ^C where the line was.
                let before = if io::stderr().is_terminal() { "\n" } else { "" };
                context.screen.note(format_args!("{before}stopping"));
                stop.cancel();
            }
        }
    }
}

async fn serve(
    address: SocketAddr,
    access: Access,
    loaded: &Loaded,
    context: &Context<'_>,
    stop: &CancellationToken,
) -> Result<Exit, Fail> {
    let unusable =
        |error: io::Error| Failure::new(Code::ServeAddress).with("address", address).with("reason", error);
    let listener = TcpListener::bind(address).await.map_err(unusable)?;
    let address = listener.local_addr().map_err(unusable)?;
    let setup = assemble::setup(None, loaded, context).await?;
    let (runtime, _) = offered::open(setup, loaded, context).await?;
    let runtime = Arc::new(runtime);
    let offer = if loaded.config.server.interactive.ws_enabled { Offer::Socket } else { Offer::Health };
    let options = Options { access, offer, runtime: Arc::clone(&runtime) };
    let serving = tokio::spawn(candor_server::serve(listener, options, stop.clone()));
    ServerStart { host: &address.ip().to_string(), port: address.port(), version: env!("CARGO_PKG_VERSION") }
        .log();
    let token = loaded.home.join(TOKEN);
    context.screen.note(format_args!("listening on http://{address} (token in {})", token.display()));
    candor_sandbox::forget_startup();
    let served = serving.await;
    runtime.close().await;
    ended(served)
}

fn ended(served: Result<Result<(), candor_server::Error>, tokio::task::JoinError>) -> Result<Exit, Fail> {
    match served {
        Ok(Ok(())) => Ok(Exit::Good),
        Ok(Err(error)) => Err(error.failure().into()),
        Err(panic) => {
            let failure = Failure::new(Code::InternalPanic).with("message", panic);
            Err(failure.with("location", "the server").into())
        }
    }
}

/// The signals that end the server. A terminal that is closed ends it like the others, unless whoever started it said
/// otherwise, as `nohup` does.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Option<Signal>,
}

impl Signals {
    fn listen() -> Result<Self, Failure> {
        let listen = |kind| signal(kind).map_err(|error| Failure::file(Path::new("/proc/self"), &error));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: if candor_sandbox::hangup_is_ignored() {
                None
            } else {
                Some(listen(SignalKind::hangup())?)
            },
        })
    }

    async fn next(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hangup => {}
        }
    }
}
