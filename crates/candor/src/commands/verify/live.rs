//! A checklist that fills while somebody looks at it.

use std::convert::Infallible;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use candor_protocol::EvidenceKind;
use candor_redact::Redactor;
use candor_verify::ground::Progress;
use candor_verify::report::{self, Paint};
use tokio::time::sleep;

use crate::screen::{Screen, written};

/// How often the last line is drawn anew.
const TURN: Duration = Duration::from_millis(120);
const WHEEL: [char; 4] = ['-', '\\', '|', '/'];
/// How wide a line may be where the terminal does not say: a longer one would wrap, and could not be drawn over.
const COLUMNS: usize = 76;

/// A checklist that fills while somebody looks at it.
pub(super) struct Live {
    redactor: Redactor,
    paint: Paint,
    is_on: bool,
    /// What is under way: a check, or a service and the probe that it is asked. A plain lock: it is held while a line is written.
    current: Mutex<Vec<Current>>,
}

struct Current {
    check: String,
    what: String,
    since: Instant,
    turns: usize,
}

impl Live {
    pub(super) fn new(screen: &Screen, is_on: bool) -> Self {
        let paint = if screen.colour().stdout { Paint::Colours } else { Paint::Plain };
        Self { redactor: screen.redactor(), paint, is_on, current: Mutex::default() }
    }

    /// Shows how far it is.
    pub(super) fn tell(&self, progress: Progress<'_>) {
        if !self.is_on {
            return;
        }
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        match progress {
            Progress::Began { check, command } => {
                let what = if command.is_empty() { check.to_owned() } else { format!("{check}: {command}") };
                let what = self.redactor.redact_str(&what).into_owned();
                let is_part =
                    |of: &Current| check.strip_prefix(&of.check).is_some_and(|rest| rest.starts_with(": "));
                current.retain(is_part);
                current.push(Current { check: check.to_owned(), what, since: Instant::now(), turns: 0 });
            }
            Progress::Ended(evidence) => {
                clear();
                // The life of a service is over with this; of anything else, nothing but itself.
                current.retain(|under_way| {
                    evidence.kind != EvidenceKind::Stop && under_way.check != evidence.check
                });
                let text = report::item_text(evidence, self.paint);
                let text = self.redactor.redact_str(&text).into_owned();
                let mut stdout = io::stdout().lock();
                // A terminal that is gone is noticed when the verdict is shown.
                let _ = written(writeln!(stdout, "{text}").and_then(|()| stdout.flush()));
            }
        }
        draw(current.last_mut());
    }

    /// Turns the wheel, for ever.
    pub(super) async fn turn(&self) -> Infallible {
        loop {
            sleep(TURN).await;
            if self.is_on {
                draw(self.current.lock().unwrap_or_else(PoisonError::into_inner).last_mut());
            }
        }
    }

    /// Takes the last line away.
    pub(super) fn end(&self) {
        if self.is_on {
            self.current.lock().unwrap_or_else(PoisonError::into_inner).clear();
            clear();
        }
    }
}

/// Takes away the line that was drawn last.
pub(super) fn clear() {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(b"\r\x1b[K").and_then(|()| stderr.flush());
}

fn draw(current: Option<&mut Current>) {
    let Some(current) = current else { return };
    current.turns += 1;
    let wheel = WHEEL[current.turns % WHEEL.len()];
    let seconds = current.since.elapsed().as_secs();
    let (before, after) = (format!("{wheel} "), format!(" ({seconds} s)"));
    // One column stays free: some terminals wrap as soon as the last one is filled.
    let room = columns().saturating_sub(before.len() + after.len() + 1);
    let line: String = current.what.lines().next().unwrap_or_default().chars().take(room).collect();
    let mut stderr = io::stderr().lock();
    let _ = write!(stderr, "\r\x1b[K{before}{}{after}", crate::printer::tame(&line));
    let _ = stderr.flush();
}

/// How wide the terminal is.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr()).ok();
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(COLUMNS)
}
