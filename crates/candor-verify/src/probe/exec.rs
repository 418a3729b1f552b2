//! Runs a command beside the service, behind the same walls.

use std::time::Duration;

use candor_sandbox::{Ended, How, Spec, Stdin, run};
use tokio_util::sync::CancellationToken;

use super::outcome::{Found, SAMPLE_CHARS_MAX, end, quoted, span};
use super::{Try, mistake};

/// How long the command may take to end when it is asked to, after its time is over. The sandbox is quicker.
pub(super) const ENDING_MAX: Duration = Duration::from_secs(6);

/// How much of each stream is kept.
const OUTPUT_BYTES_MAX: usize = 1 << 20;

pub(super) async fn ask(command: &str, exit: i32, parts: [Option<&str>; 2], asked: &Try<'_>) -> Found {
    let spec = Spec {
        program: asked.target.shell.to_owned(),
        args: vec!["-c".into(), command.into()],
        cwd: asked.target.cwd.to_owned(),
        env: asked.target.env.to_vec(),
        timeout: asked.probe.timeout,
        output_bytes_max: OUTPUT_BYTES_MAX,
        spill: None,
        stdin: Stdin::Closed,
        pty: None,
    };
    asked.waiting.for_want_of("no end of the command");
    match run(&spec, asked.target.sandbox, &CancellationToken::new()).await {
        Ok(ended) => judge(&ended, exit, parts, asked.probe.timeout),
        Err(error) => mistake(error),
    }
}

fn judge(ended: &Ended, exit: i32, [stdout, stderr]: [Option<&str>; 2], limit: Duration) -> Found {
    let (out, err) = (ended.stdout.text(), ended.stderr.text());
    let sample = sample(&out, &err);
    let code = match ended.how {
        How::Exited(code) => code,
        How::Signalled(signal) => return Found::failed(format!("ended by signal {signal}"), &sample),
        How::TimedOut | How::Cancelled => {
            return Found::failed(format!("no end of the command within {}", span(limit)), &sample);
        }
    };
    let mut problems = Vec::new();
    if code != exit {
        problems.push(format!("{exit} is expected"));
    }
    for (name, text, part) in [("stdout", &out, stdout), ("stderr", &err, stderr)] {
        if let Some(part) = part.filter(|part| !text.contains(part)) {
            problems.push(format!("{name} does not contain {}", quoted(part)));
        }
    }
    if problems.is_empty() {
        return Found::passed(format!("exit {code}"), &sample);
    }
    Found::failed(format!("exit {code}, but {}", problems.join(", and ")), &sample)
}

/// Both streams; the ends of them, which tell most.
fn sample(out: &str, err: &str) -> String {
    match (out.trim_end(), err.trim_end()) {
        (out, "") => end(out, SAMPLE_CHARS_MAX),
        ("", err) => end(err, SAMPLE_CHARS_MAX),
        (out, err) => {
            // Half each, less the line between them.
            let half = SAMPLE_CHARS_MAX / 2 - 10;
            format!("{}\n[stderr]\n{}", end(out, half), end(err, half))
        }
    }
}
