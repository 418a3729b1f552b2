//! Asks again when asking may help, and waits as long as it should in between.

use std::time::Duration;

use candor_log::event::{ProviderError, ProviderRateLimit, ProviderRetry};

use crate::{Answer, Delta, Error, Provider, Request};

/// The longest wait that a provider can impose. Beyond it a person should decide, so the error is returned at once.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(10 * 60);

/// The longest text of an error in a log line; whole error pages belong nowhere.
const LOGGED_CHARS_MAX: usize = 500;

/// How often, and after how long, a request is tried again.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// How often after the first attempt.
    pub max_retries: u32,
    /// The wait before the first retry, which doubles with each further one.
    pub base_delay: Duration,
    /// Where the doubling ends.
    pub max_delay: Duration,
    /// The HTTP statuses that are worth a retry.
    pub statuses: Vec<u16>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            max_retries: 3,
            base_delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(30),
            statuses: vec![429, 500, 502, 503, 529],
        }
    }
}

/// What happens while an answer is under way.
#[derive(Debug)]
pub enum Notice<'a> {
    /// A little more of the answer.
    Delta(Delta<'a>),
    /// An attempt has failed, and the next one comes after a wait.
    Waiting {
        /// The attempt that comes next; the first retry is 1.
        attempt: u32,
        /// How long is waited.
        delay: Duration,
        /// Why.
        error: &'a Error,
        /// Deltas of the failed attempt were told already: the answer begins anew.
        discard: bool,
    },
}

/// The wait after the attempt `attempt`, counted from 0: doubling from the base, capped, and of that a random half to
/// whole, so that many who failed together do not come back together. `random` is between 0 and 1.
pub fn delay(attempt: u32, policy: &Policy, random: f64) -> Duration {
    let exponential = policy.base_delay.saturating_mul(2_u32.saturating_pow(attempt));
    let capped = exponential.min(policy.max_delay);
    let jittered = capped.as_secs_f64() * (0.5 + random.clamp(0.0, 1.0) * 0.5);
    Duration::try_from_secs_f64(jittered).unwrap_or(capped)
}

/// Asks until there is an answer, or an error that no retry helps against, or the retries are used up. Dropping the future
/// ends it at once, also while it waits.
pub async fn ask(
    provider: &dyn Provider,
    request: &Request,
    policy: &Policy,
    notice: &mut (dyn FnMut(Notice<'_>) + Send),
) -> Result<Answer, Error> {
    let mut attempt = 0;
    loop {
        let mut told = false;
        let mut deltas = |delta: Delta<'_>| {
            told = true;
            notice(Notice::Delta(delta));
        };
        let error = match provider.ask(request, &mut deltas).await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let Some(delay) = wait_after(&error, attempt, policy) else {
            log_error(provider, &error, attempt);
            return Err(error);
        };
        log_wait(provider, &error, attempt, delay);
        attempt += 1;
        notice(Notice::Waiting { attempt, delay, error: &error, discard: told });
        tokio::time::sleep(delay).await;
    }
}

/// How long to wait after this error before the next attempt; none if there is to be no other.
fn wait_after(error: &Error, attempt: u32, policy: &Policy) -> Option<Duration> {
    if attempt >= policy.max_retries || !error.is_retryable(&policy.statuses) {
        return None;
    }
    match error.retry_after() {
        Some(asked) => (asked <= RETRY_AFTER_MAX).then_some(asked),
        None => Some(delay(attempt, policy, fastrand::f64())),
    }
}

fn log_wait(provider: &dyn Provider, error: &Error, attempt: u32, delay: Duration) {
    if matches!(error, Error::RateLimited { .. }) {
        ProviderRateLimit { provider: provider.name(), retry_after: error.retry_after() }.log();
    } else {
        log_error(provider, error, attempt);
    }
    let text = logged(error);
    ProviderRetry { provider: provider.name(), retry_attempt: attempt + 1, delay, error: &text }.log();
}

fn log_error(provider: &dyn Provider, error: &Error, attempt: u32) {
    let text = logged(error);
    let code = error.failure(provider.name(), "").code;
    ProviderError {
        provider: provider.name(),
        code: Some(code.as_str()),
        status_code: error.status(),
        error: &text,
        retry_attempt: attempt,
    }
    .log();
}

fn logged(error: &Error) -> String {
    error.to_string().chars().take(LOGGED_CHARS_MAX).collect()
}
