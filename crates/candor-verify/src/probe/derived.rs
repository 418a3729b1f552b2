//! What an answer to a probe means that nobody declared.
//!
//! Such a probe knows an address and nothing else, so it may expect little: a server that fails has failed, and one that
//! refuses a question has said nothing about whether it works. What it must not take for an answer is the page by which
//! a framework tells of a failure while the status says 200. Which pages those are stands here, each with what it is
//! known by; a page that only mentions such words is none of them.

use std::sync::LazyLock;

use candor_protocol::CheckResult;
use regex::Regex;
use serde_json::{Map, Value};

use super::expect::status;
use super::http::{Got, is_good};
use super::outcome::{Found, Waiting, one_line, quoted};
use crate::plan::Probe;

/// Titles of pages by which servers and frameworks tell of a failure of their own, whole and in lower case.
const TITLES: [&str; 17] = [
    "internal server error",               // Werkzeug, nginx and Apache without the number
    "500 internal server error",           // Werkzeug, nginx, Apache
    "500 - internal server error",         // IIS
    "500: internal server error",          // Tornado, Next.js
    "server error",                        // Laravel
    "server error (500)",                  // Django without DEBUG
    "502 bad gateway",                     // nginx
    "bad gateway",                         // proxies
    "503 service unavailable",             // nginx
    "503 service temporarily unavailable", // nginx
    "service unavailable",                 // proxies
    "504 gateway time-out",                // nginx
    "application error",                   // Heroku, Remix
    "action controller: exception caught", // Rails
    "we're sorry, but something went wrong (500)", // Rails in production
    "whoops, looks like something went wrong.", // Symfony, old Laravel
    "error", // Express and Vite; their page holds the error in <pre> or a script
];

/// Members that tell more about an error, and nothing else.
const ABOUT_ERRORS: [&str; 18] = [
    "error",
    "message",
    "msg",
    "status",
    "statusCode",
    "status_code",
    "code",
    "detail",
    "details",
    "description",
    "stack",
    "trace",
    "traceback",
    "path",
    "timestamp",
    "success",
    "ok",
    "type",
];

/// Members that say whether it went well.
const DENIALS: [&str; 2] = ["ok", "success"];

/// What a service says of itself that is not well, in lower case.
const ILL: [&str; 9] =
    ["error", "fail", "failed", "failure", "failing", "down", "unhealthy", "critical", "out_of_service"];

/// Members of something that has a state of its own: an order, a job.
const THINGS: [&str; 4] = ["id", "_id", "uuid", "key"];

/// Words of an error that lies with whoever asked: a bare GET may well be refused.
static REFUSAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)\b(not found|no route|missing|required?|unauthori[sz]ed|unauthenticated|forbidden|denied|log ?in|token|api.?key|invalid|bad request|not allowed|unsupported|must|provide|please|too many|rate limit)\b|\b4\d\d\b",
    )
});

/// The title of a page.
static TITLE: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r"(?is)<title[^>]*>\s*(.*?)\s*</title>"));

/// What a framework's own account of a failure looks like, wherever it stands on the page; and whose it is.
static ACCOUNTS: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let all = [
        ("Django's debug page", r"(?i)seeing this error because you have <code>DEBUG = True</code>"),
        ("the Werkzeug debugger", r"(?i)<title>[^<]*// Werkzeug Debugger</title>"),
        ("Spring's error page", r"<h1>Whitelabel Error Page</h1>"),
        ("a Symfony error page", r"(?i)<title>[^<]*\((?:500|502|503) [A-Z][^<)]*\)\s*</title>"),
        ("a Next.js error page", r#"(?s)<script id="__NEXT_DATA__"[^>]*>.{0,4096}?"page":"/_error""#),
        (
            "a Next.js error page",
            r"(?s)<h\d[^>]*>\s*(?:<!-- -->)?Application error: a (?:client|server)-side exception has occurred",
        ),
        ("the page by which Express knows no route", r"<pre>Cannot (?:GET|HEAD) /[^<]*</pre>"),
        ("the error overlay of Vite", r"<vite-error-overlay\b"),
        (
            "a fatal error of PHP",
            r"(?ms)(?:<b>(?:Fatal|Parse) error</b>:|^(?:PHP )?(?:Fatal|Parse) error: ).{0,4096}? on line (?:<b>)?\d",
        ),
        (
            "a Python traceback",
            r#"(?m)^\s*(?:<pre[^>]*>\s*)?Traceback \(most recent call last\):\s*\n\s+File ["&]"#,
        ),
    ];
    all.into_iter().filter_map(|(whose, pattern)| Some((whose, regex(pattern)?))).collect()
});

/// What an answer means.
pub(super) fn judge(probe: &Probe, got: &Got) -> Found {
    let text = got.text();
    let status = status(got);
    match got.status {
        500.. => Found::failed(format!("{status}: the server fails"), &text),
        404 | 405 if is_promised(probe) => {
            Found::failed(format!("{status}, but the API description names this route"), &text)
        }
        401 | 403 | 407 => {
            Found::refused(got.status, format!("{status}: it asks who we are, which tells nothing"), &text)
        }
        404 | 405 => Found::refused(got.status, format!("{status}: there is nothing to ask here"), &text),
        400..500 => {
            let said = format!("{status}: it wants to be asked otherwise, which tells nothing");
            Found::refused(got.status, said, &text)
        }
        code if !is_good(code) => Found::failed(format!("{status} is no answer to a question"), &text),
        300.. => Found::passed(status, &text),
        _ => judge_body(got, &text),
    }
}

/// What it means that there was no answer. What does not speak HTTP at all need not.
pub(super) fn forgive(found: Found, waiting: &Waiting) -> Found {
    let raw = waiting.raw();
    let is_other = !raw.is_empty() && !raw.starts_with("HTTP/") && !"HTTP/".starts_with(raw.as_str());
    if found.result == CheckResult::Failed && is_other {
        return Found::skipped("what listens there does not speak HTTP", &raw);
    }
    found
}

/// Whether what went wrong may be that it speaks TLS: it hung up without a word, or sent a TLS alert.
pub(super) fn may_be_tls(found: &Found, waiting: &Waiting) -> bool {
    let raw = waiting.raw();
    let is_alert = raw.starts_with("\u{15}\u{3}");
    found.result == CheckResult::Failed && waiting.is_connected() && (raw.is_empty() || is_alert)
}

/// Whether somebody has said that there is such a route.
fn is_promised(probe: &Probe) -> bool {
    probe.name.to_ascii_lowercase().contains("openapi")
}

fn judge_body(got: &Got, text: &str) -> Found {
    let status = status(got);
    match error_in(got, text) {
        None => Found::passed(status, text),
        Some(Told::Failure(what)) => Found::failed(format!("{status}, but the body is {what}"), text),
        Some(Told::Refusal(what)) => Found::skipped(
            format!("{status}, but the body refuses the question ({}), which tells nothing", quoted(&what)),
            text,
        ),
    }
}

/// What a body tells of.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Failure(String),
    Refusal(String),
}

fn error_in(got: &Got, text: &str) -> Option<Told> {
    let start = text.trim_start();
    let kind = got.header("content-type").unwrap_or_default().to_ascii_lowercase();
    if kind.contains("json") || (!kind.contains("html") && start.starts_with('{')) {
        return serde_json::from_str::<Value>(start).ok()?.as_object().and_then(error_object);
    }
    // A script, a style or a picture is none, whatever it holds.
    let is_page = kind.is_empty() || kind.contains("html") || kind.starts_with("text/plain");
    if !is_page {
        return None;
    }
    let account = ACCOUNTS.iter().find(|(_, pattern)| pattern.is_match(text));
    let account = account.map(|(whose, _)| Told::Failure((*whose).to_owned()));
    account.or_else(|| error_title(text))
}

fn error_title(text: &str) -> Option<Told> {
    let title = TITLE.as_ref()?.captures(text)?.get(1)?.as_str();
    let lower = title.to_lowercase().replace("&#39;", "'").replace('’', "'");
    let lower = lower.as_str();
    // Many a page is about errors and has this title; one that shows an error holds it as it was written.
    let is_shown = lower != "error" || text.contains("<pre>") || text.contains("ErrorOverlay");
    let is_error = TITLES.contains(&lower) && is_shown;
    is_error.then(|| Told::Failure(format!("an error page with the title {}", quoted(title))))
}

/// An object that tells of a failure.
fn error_object(members: &Map<String, Value>) -> Option<Told> {
    let all = Value::Object(members.clone()).to_string();
    let shown = one_line(&all);
    if let Some(what) = ill_health(members) {
        return Some(Told::Failure(format!("{what}: {shown}")));
    }
    let what = if is_error_alone(members) {
        "an error and nothing else"
    } else if let Some(member) = DENIALS.iter().find(|name| members.get(**name) == Some(&Value::Bool(false)))
    {
        &format!("a failure ({member} is false)")
    } else {
        return None;
    };
    let is_refusal = REFUSAL.as_ref().is_some_and(|pattern| pattern.is_match(&all));
    Some(if is_refusal { Told::Refusal(shown) } else { Told::Failure(format!("{what}: {shown}")) })
}

/// What an object says about how the service is, if that is not well. A thing of its own with a state is not the service.
fn ill_health(members: &Map<String, Value>) -> Option<String> {
    if members.get("healthy") == Some(&Value::Bool(false)) {
        return Some("a failure (healthy is false)".to_owned());
    }
    if THINGS.iter().any(|name| members.contains_key(*name)) {
        return None;
    }
    let status = members.get("status").and_then(Value::as_str)?;
    ILL.contains(&status.trim().to_ascii_lowercase().as_str())
        .then(|| format!("a failure (status is {})", quoted(status)))
}

/// Whether an object has an error that is set, and nothing besides that is not about it.
fn is_error_alone(members: &Map<String, Value>) -> bool {
    let is_more = |(name, value): (&String, &Value)| !ABOUT_ERRORS.contains(&name.as_str()) && is_set(value);
    members.get("error").is_some_and(is_set) && !members.iter().any(is_more)
}

/// Whether a value is more than a place for one.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(true) => true,
    }
}

/// A pattern of ours. One that could not be read would be left out; a test tries each of them.
fn regex(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}
