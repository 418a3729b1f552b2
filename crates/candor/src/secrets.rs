//! Fetches secrets, also those that a command gives.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use candor_config::{Env, Loaded, Request, Resolved, Secret, SecretSource};
use candor_protocol::{Code, Failure};

/// How long a command may take to print a secret: a password manager that asks for a fingerprint needs a while.
const COMMAND_TIME_MAX: Duration = Duration::from_secs(30);
/// The most a command may print.
const COMMAND_BYTES_MAX: u64 = 64 * 1024;
/// How often a running command is looked at.
const COMMAND_POLL: Duration = Duration::from_millis(5);

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
        Resolved::Run(line) => run(key, &line),
    }
}

/// Runs a shell line of the owner's own config file. Its output is never shown, not even in a failure.
fn run(key: &str, line: &str) -> Result<Secret, Failure> {
    let failed = |reason: String| {
        Failure::new(Code::SecretCommandFailed).with("key", key).with("command", line).with("reason", reason)
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "the owner's own command; it moves behind the sandbox when that exists"
    )]
    let mut child = Command::new("sh")
        .args(["-c", line])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let output = child.stdout.take();
    // Read beside the wait, so that a command that prints more than a pipe holds does not stand still.
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let read = output.map(|output| output.take(COMMAND_BYTES_MAX).read_to_string(&mut text));
        read.and_then(Result::ok).map(|_| text)
    });
    let Some(status) = wait(&mut child) else {
        return Err(Failure::new(Code::SecretCommandTimeout)
            .with("key", key)
            .with("command", line)
            .with("limit", format!("{} seconds", COMMAND_TIME_MAX.as_secs())));
    };
    if !status.success() {
        return Err(failed(format!("it ended with {status}")));
    }
    match reader.join().ok().flatten().map(Secret::new) {
        Some(secret) if !secret.reveal().is_empty() => Ok(secret),
        Some(_) => Err(failed("it printed nothing".to_owned())),
        None => Err(failed("it did not print text".to_owned())),
    }
}

fn wait(child: &mut Child) -> Option<std::process::ExitStatus> {
    let latest = Instant::now() + COMMAND_TIME_MAX;
    while Instant::now() < latest {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) => std::thread::sleep(COMMAND_POLL),
            Err(_) => break,
        }
    }
    // It may have ended in this very moment; either way it must not stay behind.
    let _ = child.kill();
    let _ = child.wait();
    None
}
