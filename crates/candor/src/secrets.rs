//! Fetches secrets, also those that a command gives.

use std::time::Duration;

use candor_config::{Env, Loaded, Request, Resolved, Secret, SecretSource};
use candor_protocol::{Code, Failure};
use candor_sandbox::{Ended, How, Sandbox, Spec, Stdin};
use tokio_util::sync::CancellationToken;

use crate::screen::block_on;

/// How long a command may take to print a secret: a password manager that asks for a fingerprint needs a while.
const COMMAND_TIME_MAX: Duration = Duration::from_secs(30);
/// The most a command may print.
const COMMAND_BYTES_MAX: usize = 64 * 1024;

/// The values that can be had without starting a process, for masking.
pub(crate) fn at_hand(loaded: &Loaded, env: &Env) -> Vec<String> {
    let named = loaded.secrets();
    let mut values = values(named.iter().map(|(key, source)| (key.as_str(), *source)), env);
    values.extend(loaded.config.session.database_url.as_deref().and_then(password));
    values
}

/// The same when the configuration as a whole cannot be loaded.
pub(crate) fn at_hand_of_owner(request: &Request) -> Vec<String> {
    let named = candor_config::owner_secrets(request);
    values(named.iter().map(|(key, source)| (key.as_str(), source)), &request.env)
}

fn values<'a>(named: impl Iterator<Item = (&'a str, &'a SecretSource)>, env: &Env) -> Vec<String> {
    let value = |(key, source): (&str, &SecretSource)| match source.resolve(key, env) {
        Ok(Resolved::Value(secret)) => Some(secret.reveal().to_owned()),
        Ok(Resolved::Run(_)) | Err(_) => None,
    };
    named.filter_map(value).collect()
}

/// The password in an address such as `postgres://user:password@host/db`.
fn password(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let (user_info, _) = rest.split('/').next()?.rsplit_once('@')?;
    user_info.split_once(':').map(|(_, password)| password.to_owned())
}

/// Fetches one secret, running its command if it has one.
pub(crate) fn fetch(key: &str, source: &SecretSource, env: &Env) -> Result<Secret, Failure> {
    match source.resolve(key, env).map_err(|error| error.failure())? {
        Resolved::Value(secret) => Ok(secret),
        Resolved::Run(line) => run(key, &line, env),
    }
}

/// Runs a shell line of the owner's own config file, with the owner's whole environment: a password manager needs it. Its
/// output is never shown, not even in a failure.
fn run(key: &str, line: &str, env: &Env) -> Result<Secret, Failure> {
    let failed = |reason: String| {
        Failure::new(Code::SecretCommandFailed).with("key", key).with("command", line).with("reason", reason)
    };
    let spec = Spec {
        program: "/bin/sh".into(),
        args: ["-c", line].map(Into::into).to_vec(),
        cwd: "/".into(),
        env: env.all().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        timeout: COMMAND_TIME_MAX,
        output_bytes_max: COMMAND_BYTES_MAX,
        spill: None,
        stdin: Stdin::Closed,
        pty: None,
    };
    let ended = run_aside(&spec).map_err(failed)?;
    match ended.how {
        How::Exited(0) => {}
        How::Exited(status) => return Err(failed(format!("it ended with status {status}"))),
        How::Signalled(signal) => return Err(failed(format!("signal {signal} ended it"))),
        How::TimedOut | How::Cancelled => {
            return Err(Failure::new(Code::SecretCommandTimeout)
                .with("key", key)
                .with("command", line)
                .with("limit", format!("{} seconds", COMMAND_TIME_MAX.as_secs())));
        }
    }
    match Secret::new(ended.stdout.text()) {
        secret if secret.reveal().is_empty() => Err(failed("it printed nothing".to_owned())),
        secret if secret.reveal().contains(char::REPLACEMENT_CHARACTER) => {
            Err(failed("it did not print text".to_owned()))
        }
        secret => Ok(secret),
    }
}

/// Runs a process from wherever we are: on a thread of its own, because the caller may be inside an async task already.
fn run_aside(spec: &Spec) -> Result<Ended, String> {
    let run = || {
        let work = async { Ok(candor_sandbox::run(spec, &Sandbox::bare(), &CancellationToken::new()).await) };
        block_on(work)
    };
    let ended = std::thread::scope(|scope| scope.spawn(run).join());
    match ended {
        Ok(Ok(Ok(ended))) => Ok(ended),
        Ok(Ok(Err(error))) => Err(error.to_string()),
        Ok(Err(_)) | Err(_) => Err("it could not be waited for".to_owned()),
    }
}
