//! A plan for people and for programs: what would run, and why.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::json::problem_json;
use super::text::{Paint, one_line, shown_problem, yellow};
use crate::plan::{Check, HttpProbe, Plan, Probe, ProbeHow, ReadyWhen, Service, Source, StopSignal};

/// What a profile takes of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    /// The profile.
    pub profile: &'a str,
    /// What it leaves out.
    pub left_out: &'a [LeftOut],
}

/// A check or a service that would not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The name of the check or service.
    pub name: String,
    /// Why.
    pub why: String,
}

impl Selection<'_> {
    fn why_not(&self, name: &str) -> Option<&str> {
        self.left_out.iter().find(|left| left.name == name).map(|left| left.why.as_str())
    }
}

/// A plan for people, without a final newline.
pub fn plan_text(plan: &Plan, selection: &Selection<'_>, paint: Paint) -> String {
    let mut lines = Vec::new();
    let is_empty = plan.checks.is_empty() && plan.services.is_empty();
    let mut head: Vec<String> = plan.stacks.iter().map(|stack| one_line(stack)).collect();
    if head.is_empty() && is_empty {
        head.push("no kind of project that is known".to_owned());
    }
    head.push(format!("profile {}", one_line(selection.profile)));
    lines.push(format!("{} {}", paint.bold("plan:"), head.join("; ")));
    for check in &plan.checks {
        let head = format!("{:<8} {}", check.kind, one_line(&check.name));
        lines.push(String::new());
        lines.push(headline(&head, selection.why_not(&check.name), paint));
        check_lines(&mut lines, check, paint);
    }
    for service in &plan.services {
        let head = format!("{:<8} {}", "service", one_line(&service.name));
        lines.push(String::new());
        lines.push(headline(&head, selection.why_not(&service.name), paint));
        service_lines(&mut lines, service, paint);
    }
    if is_empty {
        lines.push("nothing that can be run was found; .candor/verify.yaml can declare it".to_owned());
    }
    if plan.remote_probes {
        lines.push("probes may leave this machine: remote_probes is declared".to_owned());
    }
    if !plan.problems.is_empty() || !plan.notes.is_empty() {
        lines.push(String::new());
    }
    for problem in &plan.problems {
        lines.push(format!("{} {}", paint.in_style(yellow(), "mistake:"), shown_problem(problem)));
    }
    for note in &plan.notes {
        lines.push(paint.dim(&format!("note: {}", one_line(note))));
    }
    lines.join("\n")
}

fn headline(head: &str, why_not: Option<&str>, paint: Paint) -> String {
    match why_not {
        Some(why) => paint.dim(&format!("{head}  (left out: {})", one_line(why))),
        None => paint.bold(head),
    }
}

fn check_lines(lines: &mut Vec<String>, check: &Check, paint: Paint) {
    lines.push(format!("    $ {}", one_line(&check.run)));
    surroundings(lines, &check.cwd, &check.env, &check.needs, &check.needs_files);
    if let Some(timeout) = check.timeout {
        lines.push(format!("    within {}", time(timeout)));
    }
    lines.push(paint.dim(&format!("    {}", origin(&check.source))));
}

fn service_lines(lines: &mut Vec<String>, service: &Service, paint: Paint) {
    lines.push(format!("    $ {}", one_line(&service.command)));
    surroundings(lines, &service.cwd, &service.env, &service.needs, &service.needs_files);
    lines.push(match &service.ready {
        None => "    ready: a port of its own, a line that says so, or staying alive".to_owned(),
        Some(ready) => {
            format!("    ready: {} within {}", one_line(&ready_words(&ready.when)), time(ready.timeout))
        }
    });
    for probe in &service.probes {
        lines.push(format!("    probe {}: {}", one_line(&probe.name), one_line(&probe_words(probe))));
    }
    if service.probes.is_empty() {
        lines.push("    no probes".to_owned());
    }
    let logs = ["stdout", "stderr"].into_iter().chain(service.logs.iter().map(String::as_str));
    lines.push(format!("    logs: {}", one_line(&logs.collect::<Vec<_>>().join(", "))));
    if service.keep_running {
        lines.push("    is left running".to_owned());
    }
    lines.push(paint.dim(&format!("    {}", origin(&service.source))));
}

fn surroundings(
    lines: &mut Vec<String>,
    cwd: &Path,
    env: &[(String, String)],
    needs: &[String],
    needs_files: &[PathBuf],
) {
    if !cwd.as_os_str().is_empty() {
        lines.push(format!("    in {}", one_line(&shown_folder(cwd))));
    }
    if !env.is_empty() {
        // Values may be secret.
        let names: Vec<_> = env.iter().map(|(name, _)| one_line(name)).collect();
        lines.push(format!("    with the variables {}", names.join(", ")));
    }
    let files = needs_files.iter().map(|file| file.to_string_lossy().into_owned());
    let needs: Vec<_> = needs.iter().cloned().chain(files).map(|need| one_line(&need)).collect();
    if !needs.is_empty() {
        lines.push(format!("    needs {}", needs.join(", ")));
    }
}

fn origin(source: &Source) -> String {
    let file = one_line(&source.file.to_string_lossy());
    let place = source.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
    format!("because: {} ({place})", one_line(&source.why))
}

fn ready_words(when: &ReadyWhen) -> String {
    match when {
        ReadyWhen::Http(url) => format!("{url} answers"),
        ReadyWhen::Tcp(address) => format!("{address} accepts connections"),
        ReadyWhen::Log(pattern) => format!("a line matches {pattern:?}"),
    }
}

fn probe_words(probe: &Probe) -> String {
    if probe.derived {
        return format!("{}; derived, for a service that opens a port", asked_words(probe));
    }
    let mut words = vec![asked_words(probe), format!("within {}", time(probe.timeout))];
    if probe.retries > 0 {
        words.push(format!("{} more tries", probe.retries));
    }
    words.join(", ")
}

/// What is asked. Of what nobody declared, little is expected: that the server does not fail.
fn asked_words(probe: &Probe) -> String {
    match &probe.how {
        ProbeHow::Http(http) if probe.derived => {
            let method = http.method.as_deref().unwrap_or("GET");
            format!("{method} {}, fails at a 5xx or an error page", http.url)
        }
        how => how_words(how),
    }
}

fn how_words(how: &ProbeHow) -> String {
    let containing = |expect: &Option<String>| {
        expect.as_ref().map_or_else(String::new, |text| format!(", expects {text:?}"))
    };
    match how {
        ProbeHow::Http(http) => http_words(http),
        ProbeHow::Tcp(address) => format!("{address} accepts a connection"),
        ProbeHow::Grpc { address, service } if service.is_empty() => format!("{address} says SERVING"),
        ProbeHow::Grpc { address, service } => format!("{address} says SERVING for {service}"),
        ProbeHow::Websocket { url, send, expect } => {
            let send = send.as_ref().map_or_else(String::new, |text| format!(", send {text:?}"));
            format!("connect to {url}{send}{}", containing(expect))
        }
        ProbeHow::Exec { command, exit, stdout, stderr } => {
            let stdout = stdout.as_ref().map_or_else(String::new, |text| format!(", stdout with {text:?}"));
            let stderr = stderr.as_ref().map_or_else(String::new, |text| format!(", stderr with {text:?}"));
            format!("$ {command}, exit {exit}{stdout}{stderr}")
        }
        ProbeHow::Stdin { send, expect } => format!("send {send:?} to stdin{}", containing(expect)),
        ProbeHow::File { path, contains, matches } => {
            let matches = matches.as_ref().map_or_else(String::new, |text| format!(", matches {text:?}"));
            format!("the file {} is there{}{matches}", path.display(), containing(contains))
        }
        ProbeHow::Log(pattern) => format!("a line of its logs matches {pattern:?}"),
        // Not its address, which may hold a password.
        ProbeHow::Sql { query, expect, .. } => format!("query {query:?}{}", containing(expect)),
        ProbeHow::Message { text, expect, api_base_env } => {
            format!("message {text:?} through {api_base_env}{}", containing(expect))
        }
    }
}

fn http_words(http: &HttpProbe) -> String {
    let mut words = vec![format!("{} {}", http.method.as_deref().unwrap_or("GET"), http.url)];
    words.push(http.status.map_or_else(|| "2xx or 3xx".to_owned(), |status| status.to_string()));
    words.extend(http.expect_headers.iter().map(|(name, value)| format!("{name} with {value:?}")));
    words.extend(http.contains.iter().map(|text| format!("contains {text:?}")));
    words.extend(http.matches.iter().map(|pattern| format!("matches {pattern:?}")));
    words.extend(http.json.iter().map(|(path, value)| format!("{path} is {value}")));
    words.extend(http.schema.iter().map(|_| "fits its schema".to_owned()));
    words.join(", ")
}

/// A length of time as it is declared.
fn time(time: Duration) -> String {
    let ms = time.as_millis();
    if ms.is_multiple_of(1000) { format!("{}s", ms / 1000) } else { format!("{ms}ms") }
}

/// A plan for programs. Variables are named, and their values are not shown: they may be secret.
pub fn plan_json(plan: &Plan, selection: &Selection<'_>) -> Value {
    json!({
        "profile": selection.profile,
        "stacks": plan.stacks,
        "checks": plan.checks.iter().map(|check| check_json(check, selection)).collect::<Vec<_>>(),
        "services": plan.services.iter().map(|service| service_json(service, selection)).collect::<Vec<_>>(),
        "problems": plan.problems.iter().map(problem_json).collect::<Vec<_>>(),
        "notes": plan.notes,
        "onlyDeclared": plan.only_declared,
        "remoteProbes": plan.remote_probes,
    })
}

fn check_json(check: &Check, selection: &Selection<'_>) -> Value {
    let mut fields = Map::new();
    fields.insert("name".to_owned(), json!(check.name));
    fields.insert("kind".to_owned(), json!(check.kind));
    fields.insert("run".to_owned(), json!(check.run));
    fields.insert("cwd".to_owned(), json!(shown_folder(&check.cwd)));
    fields.insert("env".to_owned(), names(&check.env));
    if let Some(timeout) = check.timeout {
        fields.insert("timeoutMs".to_owned(), json!(millis(timeout)));
    }
    fields.insert("needs".to_owned(), json!(check.needs));
    fields.insert("needsFiles".to_owned(), files(&check.needs_files));
    fields.insert("source".to_owned(), source(&check.source));
    fields.extend(left_out(selection, &check.name));
    Value::Object(fields)
}

fn service_json(service: &Service, selection: &Selection<'_>) -> Value {
    let mut fields = Map::new();
    fields.insert("name".to_owned(), json!(service.name));
    fields.insert("command".to_owned(), json!(service.command));
    fields.insert("cwd".to_owned(), json!(shown_folder(&service.cwd)));
    fields.insert("env".to_owned(), names(&service.env));
    if let Some(ready) = &service.ready {
        let (way, value) = match &ready.when {
            ReadyWhen::Http(url) => ("http", url),
            ReadyWhen::Tcp(address) => ("tcp", address),
            ReadyWhen::Log(pattern) => ("log", pattern),
        };
        fields.insert("ready".to_owned(), json!({ way: value, "timeoutMs": millis(ready.timeout) }));
    }
    if let Some(settle) = service.settle {
        fields.insert("settleMs".to_owned(), json!(millis(settle)));
    }
    fields.insert("stopSignal".to_owned(), json!(signal(service.stop_signal)));
    fields.insert("keepRunning".to_owned(), json!(service.keep_running));
    let probe = |probe: &Probe| {
        json!({
            "name": probe.name,
            "asks": asked_words(probe),
            "timeoutMs": millis(probe.timeout),
            "retries": probe.retries,
            "derived": probe.derived,
        })
    };
    fields.insert("probes".to_owned(), Value::Array(service.probes.iter().map(probe).collect()));
    fields.insert("logs".to_owned(), json!(service.logs));
    fields.insert("logDeny".to_owned(), json!(service.log_deny));
    fields.insert("logAllow".to_owned(), json!(service.log_allow));
    fields.insert("needs".to_owned(), json!(service.needs));
    fields.insert("needsFiles".to_owned(), files(&service.needs_files));
    fields.insert("source".to_owned(), source(&service.source));
    fields.extend(left_out(selection, &service.name));
    Value::Object(fields)
}

fn left_out(selection: &Selection<'_>, name: &str) -> Option<(String, Value)> {
    selection.why_not(name).map(|why| ("leftOut".to_owned(), json!(why)))
}

fn names(env: &[(String, String)]) -> Value {
    Value::Array(env.iter().map(|(name, _)| json!(name)).collect())
}

/// Names of files, whatever their bytes.
fn files(files: &[PathBuf]) -> Value {
    Value::Array(files.iter().map(|file| json!(file.to_string_lossy())).collect())
}

fn source(source: &Source) -> Value {
    let mut fields = Map::new();
    fields.insert("file".to_owned(), json!(source.file.to_string_lossy()));
    if let Some(line) = source.line {
        fields.insert("line".to_owned(), json!(line));
    }
    fields.insert("declared".to_owned(), json!(source.declared));
    fields.insert("why".to_owned(), json!(source.why));
    Value::Object(fields)
}

fn shown_folder(path: &Path) -> String {
    // Put together again, so that none ends with a slash.
    let path: PathBuf = path.components().collect();
    if path.as_os_str().is_empty() { ".".to_owned() } else { path.to_string_lossy().into_owned() }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

const fn signal(signal: Option<StopSignal>) -> &'static str {
    match signal {
        None | Some(StopSignal::Term) => "SIGTERM",
        Some(StopSignal::Int) => "SIGINT",
        Some(StopSignal::Quit) => "SIGQUIT",
        Some(StopSignal::Hup) => "SIGHUP",
        Some(StopSignal::Kill) => "SIGKILL",
    }
}
