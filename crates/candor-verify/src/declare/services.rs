//! Services, as they are declared.

use super::address::{is_host_and_port, wrong_with_url};
use super::checks::{programs, variables};
use super::names::Named;
use super::reader::{Fields, Read, Reader};
use super::yaml::Node;
use super::{declared_in, probes};
use crate::plan::{READY_TIMEOUT, Ready, ReadyWhen, Service, StopSignal};

const KEYS: &[&str] = &[
    "name",
    "command",
    "cwd",
    "env",
    "ready",
    "settle",
    "stop_signal",
    "keep_running",
    "probes",
    "logs",
    "log_deny",
    "log_allow",
    "needs",
];
const READY_KEYS: &[&str] = &["http", "tcp", "log", "timeout"];
/// The ways to tell that a service is ready.
const READY_WAYS: &[&str] = &["http", "tcp", "log"];
const SIGNALS: &[(&str, StopSignal)] = &[
    ("SIGTERM", StopSignal::Term),
    ("SIGINT", StopSignal::Int),
    ("SIGQUIT", StopSignal::Quit),
    ("SIGHUP", StopSignal::Hup),
    ("SIGKILL", StopSignal::Kill),
    ("TERM", StopSignal::Term),
    ("INT", StopSignal::Int),
    ("QUIT", StopSignal::Quit),
    ("HUP", StopSignal::Hup),
    ("KILL", StopSignal::Kill),
];

/// Reads one service. A probe that is wrong is left out, and the service is not.
pub(super) fn service(reader: &mut Reader<'_>, node: &Node) -> Read<Named<Service>> {
    let fields = reader.fields(node, "a service", KEYS)?;
    let name = reader.optional(&fields, "name", Reader::name).unwrap_or_default();
    let ready = reader.optional(&fields, "ready", ready).unwrap_or_default();
    let settle = reader.optional(&fields, "settle", Reader::time).unwrap_or_default();
    let signal = |reader: &mut Reader<'_>, node: &Node| reader.word(node, SIGNALS);
    let stop_signal = reader.optional(&fields, "stop_signal", signal).unwrap_or_default();
    let keep_running = reader.optional(&fields, "keep_running", Reader::flag).unwrap_or_default();
    let probes = reader.optional(&fields, "probes", probes::probes).unwrap_or_default();
    let logs = reader.optional(&fields, "logs", globs).unwrap_or_default();
    let log_deny = patterns(reader, &fields, "log_deny");
    let log_allow = patterns(reader, &fields, "log_allow");
    let needs = reader.optional(&fields, "needs", programs).unwrap_or_default();
    let cwd = reader.optional(&fields, "cwd", Reader::folder);
    let env = reader.optional(&fields, "env", variables);
    let why = "a service needs \"command\": what starts it, as in command: \"python3 app.py\"";
    let command = reader.required(&fields, "command", why, Reader::command)?;
    let given_at = name.as_ref().and_then(|_| fields.entry("name")).map(|entry| entry.node.place);
    let item = Service {
        name: name.unwrap_or_else(|| "service".to_owned()),
        command,
        cwd: cwd?.unwrap_or_default(),
        env: env?.unwrap_or_default(),
        ready,
        settle,
        stop_signal,
        keep_running: keep_running.unwrap_or(false),
        probes: probes.unwrap_or_default(),
        logs: logs.unwrap_or_default(),
        log_deny,
        log_allow,
        needs: needs.unwrap_or_default(),
        needs_files: Vec::new(),
        source: declared_in(reader.file, node.place),
    };
    Ok(Named { item, given_at })
}

fn ready(reader: &mut Reader<'_>, node: &Node) -> Read<Ready> {
    let fields = reader.fields(node, "what tells that it is ready", READY_KEYS)?;
    let timeout = reader.optional(&fields, "timeout", Reader::timeout).unwrap_or_default();
    let mut ways = fields.given(READY_WAYS);
    let Some(way) = ways.next() else {
        return reader.wrong(fields.place, "expected one of http, tcp or log: what tells that it is ready");
    };
    if let Some(second) = ways.next() {
        let message = format!("{:?} tells already when it is ready; give one of them", way.key);
        return reader.wrong(second.place, message);
    }
    let when = match way.key.as_str() {
        "http" => {
            reader.inside("http", |reader| url(reader, &way.node, &["http", "https"])).map(ReadyWhen::Http)
        }
        "tcp" => reader.inside("tcp", |reader| host_and_port(reader, &way.node)).map(ReadyWhen::Tcp),
        _ => reader.inside("log", |reader| reader.pattern(&way.node)).map(ReadyWhen::Log),
    };
    Ok(Ready { when: when?, timeout: timeout.unwrap_or(READY_TIMEOUT) })
}

/// An address with a scheme and a host.
pub(super) fn url(reader: &mut Reader<'_>, node: &Node, schemes: &[&str]) -> Read<String> {
    let text = reader.text(node)?;
    match wrong_with_url(&text, schemes) {
        None => Ok(text),
        Some(wrong) => reader.wrong(node.place, wrong),
    }
}

/// `host:port`.
pub(super) fn host_and_port(reader: &mut Reader<'_>, node: &Node) -> Read<String> {
    match node.text().filter(|text| is_host_and_port(text)) {
        Some(text) => Ok(text.to_owned()),
        None => reader.expected("host:port, such as \"127.0.0.1:8000\"", node),
    }
}

/// Globs of log files within the workspace.
fn globs(reader: &mut Reader<'_>, node: &Node) -> Read<Vec<String>> {
    reader.each(node, "log files", |reader, node| {
        let path = reader.path(node)?;
        match path.to_str().filter(|glob| !glob.is_empty()) {
            Some(glob) => Ok(glob.to_owned()),
            None => reader.expected("the path of a log file, such as \"logs/*.log\"", node),
        }
    })
}

fn patterns(reader: &mut Reader<'_>, fields: &Fields<'_>, key: &'static str) -> Vec<String> {
    let read = |reader: &mut Reader<'_>, node: &Node| reader.each(node, "patterns", Reader::pattern);
    reader.optional(fields, key, read).unwrap_or_default().unwrap_or_default()
}
