//! Probes, as they are declared.

use std::path::PathBuf;

use serde_json::Value as Json;

use super::address::{wrong_with_path, wrong_with_url};
use super::names::{Named, once, settled, shortened};
use super::reader::{Fields, HEADERS, Read, Reader};
use super::services::{host_and_port, url};
use super::words::{is_variable, shown, within};
use super::yaml::{Node, Value};
use crate::plan::{HttpProbe, PROBE_TIMEOUT, Probe, ProbeHow};

/// Most times that a probe is asked again.
const RETRIES_MAX: i64 = 100;

/// The ways to ask; a probe has one of them.
const WAYS: &[&str] = &["http", "tcp", "grpc", "websocket", "exec", "stdin", "file", "log", "sql", "message"];
const KEYS: &[&str] = &[
    "name",
    "http",
    "tcp",
    "grpc",
    "websocket",
    "exec",
    "expect",
    "stdin",
    "file",
    "log",
    "sql",
    "message",
    "timeout",
    "retries",
];
const HTTP_KEYS: &[&str] = &[
    "url",
    "path",
    "method",
    "headers",
    "body",
    "status",
    "expect_headers",
    "contains",
    "matches",
    "regex",
    "json",
    "schema",
];
const GRPC_KEYS: &[&str] = &["address", "service"];
const WEBSOCKET_KEYS: &[&str] = &["url", "send", "expect"];
const EXPECT_KEYS: &[&str] = &["exit", "stdout", "stderr"];
const STDIN_KEYS: &[&str] = &["send", "expect"];
const FILE_KEYS: &[&str] = &["path", "contains", "matches", "regex"];
const SQL_KEYS: &[&str] = &["url", "query", "expect"];
const MESSAGE_KEYS: &[&str] = &["text", "expect", "api_base_env"];
/// Databases that can be asked.
const SQL_SCHEMES: &[&str] = &["postgres", "postgresql"];

/// Reads the probes of a service. One that is wrong is left out, and so is one with a name that another has.
pub(super) fn probes(reader: &mut Reader<'_>, node: &Node) -> Read<Vec<Probe>> {
    let items = reader.items(node, "probes")?;
    let read = items.iter().filter_map(|item| probe(reader, item).ok()).collect();
    let read = once(reader, "probe", read, |probe| &mut probe.name);
    Ok(settled(read, |probe| &mut probe.name))
}

fn probe(reader: &mut Reader<'_>, node: &Node) -> Read<Named<Probe>> {
    let fields = reader.fields(node, "a probe", KEYS)?;
    let name = reader.optional(&fields, "name", Reader::name).unwrap_or_default();
    let timeout = reader.optional(&fields, "timeout", Reader::timeout).unwrap_or_default();
    let number = |reader: &mut Reader<'_>, node: &Node| reader.number(node, 0, RETRIES_MAX);
    let retries = reader.optional(&fields, "retries", number).unwrap_or_default();
    let how = how(reader, &fields)?;
    let given_at = name.as_ref().and_then(|_| fields.entry("name")).map(|entry| entry.node.place);
    let item = Probe {
        name: name.unwrap_or_else(|| made_up(&how)),
        how,
        timeout: timeout.unwrap_or(PROBE_TIMEOUT),
        retries: retries.and_then(|retries| u32::try_from(retries).ok()).unwrap_or(0),
        derived: false,
    };
    Ok(Named { item, given_at })
}

fn how(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Read<ProbeHow> {
    let mut ways = fields.given(WAYS);
    let Some(way) = ways.next() else {
        let message = format!("a probe needs a way to ask, one of {}", WAYS.join(", "));
        return reader.wrong(fields.place, message);
    };
    if let Some(second) = ways.next() {
        let message = format!("this probe asks by {:?} already; make a probe of its own of this", way.key);
        return reader.wrong(second.place, message);
    }
    let node = &way.node;
    if way.key != "exec"
        && let Some(expect) = fields.entry("expect")
    {
        let message = format!("\"expect\" belongs to exec; what {:?} expects stands inside it", way.key);
        return reader.wrong(expect.place, message);
    }
    match way.key.as_str() {
        "http" => reader.inside("http", |reader| http(reader, node)).map(ProbeHow::Http),
        "tcp" => reader.inside("tcp", |reader| host_and_port(reader, node)).map(ProbeHow::Tcp),
        "grpc" => reader.inside("grpc", |reader| grpc(reader, node)),
        "websocket" => reader.inside("websocket", |reader| websocket(reader, node)),
        "exec" => exec(reader, fields, node),
        "stdin" => reader.inside("stdin", |reader| stdin(reader, node)),
        "file" => reader.inside("file", |reader| file(reader, node)),
        "log" => reader.inside("log", |reader| reader.pattern(node)).map(ProbeHow::Log),
        "sql" => reader.inside("sql", |reader| sql(reader, node)),
        _ => reader.inside("message", |reader| message(reader, node)),
    }
}

fn http(reader: &mut Reader<'_>, node: &Node) -> Read<HttpProbe> {
    if node.text().is_some() {
        let url = url_or_path(reader, node, &["http", "https"])?;
        return Ok(HttpProbe { url, ..HttpProbe::default() });
    }
    let fields = reader.fields(node, "an HTTP request or its address", HTTP_KEYS)?;
    let url = match (fields.entry("url"), fields.entry("path")) {
        (Some(url), Some(path)) => {
            let second = if url.place.line < path.place.line { path } else { url };
            return reader.wrong(second.place, "\"url\" and \"path\" say the same; give one of them");
        }
        (Some(url), None) => {
            reader.inside("url", |reader| url_or_path(reader, &url.node, &["http", "https"]))
        }
        (None, Some(path)) => reader.inside("path", |reader| url_path(reader, &path.node)),
        (None, None) => reader.wrong(fields.place, "expected \"url\": what to ask for, as in url: \"/ping\""),
    };
    let method = reader.optional(&fields, "method", method);
    let headers = reader.optional(&fields, "headers", headers);
    let (body, is_json) = fields.entry("body").map(|entry| body(&entry.node)).unzip();
    let status = reader.optional(&fields, "status", |reader, node| reader.number(node, 100, 599));
    let expect_headers = reader.optional(&fields, "expect_headers", self::headers);
    let contains = reader.optional(&fields, "contains", Reader::text);
    let matches = matches(reader, &fields);
    let json = reader.optional(&fields, "json", json_paths);
    let schema = reader.optional(&fields, "schema", schema);
    let mut headers = headers?.unwrap_or_default();
    if is_json == Some(true) && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
    }
    Ok(HttpProbe {
        url: url?,
        method: method?,
        headers,
        body,
        status: status?.and_then(|status| u16::try_from(status).ok()),
        expect_headers: expect_headers?.unwrap_or_default(),
        contains: contains?,
        matches: matches?,
        json: json?.unwrap_or_default(),
        schema: schema?,
    })
}

/// An address, or a path on the port that the service opened.
fn url_or_path(reader: &mut Reader<'_>, node: &Node, schemes: &[&str]) -> Read<String> {
    let text = reader.text(node)?;
    if text.starts_with('/') {
        return url_path(reader, node);
    }
    match wrong_with_url(&text, schemes) {
        None => Ok(text),
        Some(wrong) if text.contains("://") => reader.wrong(node.place, wrong),
        Some(wrong) => reader.wrong(node.place, format!("{wrong}, or a path such as \"/ping\"")),
    }
}

fn url_path(reader: &mut Reader<'_>, node: &Node) -> Read<String> {
    let text = reader.text(node)?;
    match wrong_with_path(&text) {
        None => Ok(text),
        Some(wrong) => reader.wrong(node.place, wrong),
    }
}

fn method(reader: &mut Reader<'_>, node: &Node) -> Read<String> {
    let is_good =
        |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    match node.text().filter(is_good) {
        Some(text) => Ok(text.to_ascii_uppercase()),
        None => reader.expected("a method such as GET or POST", node),
    }
}

fn headers(reader: &mut Reader<'_>, node: &Node) -> Read<Vec<(String, String)>> {
    let is_token = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    reader.pairs(node, HEADERS, is_token)
}

/// The body, and whether it is JSON: a table or a list is sent as that.
fn body(node: &Node) -> (String, bool) {
    node.text().map_or_else(|| (node.json().to_string(), true), |text| (text.to_owned(), false))
}

/// `matches`, which may be called `regex` as well.
fn matches(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Read<Option<String>> {
    if let (Some(_), Some(second)) = (fields.entry("matches"), fields.entry("regex")) {
        return reader.wrong(second.place, "\"matches\" and \"regex\" are the same; give one of them");
    }
    let key = if fields.entry("regex").is_some() { "regex" } else { "matches" };
    reader.optional(fields, key, Reader::pattern)
}

fn json_paths(reader: &mut Reader<'_>, node: &Node) -> Read<Vec<(String, Json)>> {
    let Value::Table(entries) = &node.value else {
        return reader.expected("JSON paths and the value of each, as in json: { $.status: ok }", node);
    };
    if let Some(entry) = entries.iter().find(|entry| !is_json_path(&entry.key)) {
        let message = format!("{} is no JSON path; expected one such as $.items[0].name", shown(&entry.key));
        return reader.wrong(entry.place, message);
    }
    Ok(entries.iter().map(|entry| (entry.key.clone(), entry.node.json())).collect())
}

/// `$`, then `.name`, `[0]`, `[*]`, `['name']` or `["name"]`, any number of times.
fn is_json_path(text: &str) -> bool {
    let Some(mut rest) = text.strip_prefix('$') else { return false };
    while !rest.is_empty() {
        let after = if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            name.split_at_checked(end).filter(|(name, _)| !name.is_empty()).map(|(_, after)| after)
        } else {
            rest.strip_prefix('[').and_then(after_bracket)
        };
        let Some(after) = after else { return false };
        rest = after;
    }
    true
}

fn after_bracket(text: &str) -> Option<&str> {
    for quote in ['\'', '"'] {
        if let Some(name) = text.strip_prefix(quote) {
            return name.split_once(quote)?.1.strip_prefix(']');
        }
    }
    let (index, after) = text.split_once(']')?;
    (index == "*" || index.parse::<u32>().is_ok()).then_some(after)
}

fn schema(reader: &mut Reader<'_>, node: &Node) -> Read<Json> {
    match node.json() {
        schema @ (Json::Object(_) | Json::Bool(_)) => Ok(schema),
        _ => reader.expected("a JSON Schema, a table", node),
    }
}

fn grpc(reader: &mut Reader<'_>, node: &Node) -> Read<ProbeHow> {
    if node.text().is_some() {
        return Ok(ProbeHow::Grpc { address: host_and_port(reader, node)?, service: String::new() });
    }
    let fields = reader.fields(node, "host:port or an address and a service", GRPC_KEYS)?;
    let service = reader.optional(&fields, "service", Reader::text);
    let why = "expected \"address\": host:port, such as \"127.0.0.1:50051\"";
    let address = reader.required(&fields, "address", why, host_and_port)?;
    Ok(ProbeHow::Grpc { address, service: service?.unwrap_or_default() })
}

fn websocket(reader: &mut Reader<'_>, node: &Node) -> Read<ProbeHow> {
    let address = |reader: &mut Reader<'_>, node: &Node| url_or_path(reader, node, &["ws", "wss"]);
    if node.text().is_some() {
        return Ok(ProbeHow::Websocket { url: address(reader, node)?, send: None, expect: None });
    }
    let fields = reader.fields(node, "an address and what to send", WEBSOCKET_KEYS)?;
    let send = reader.optional(&fields, "send", Reader::text);
    let expect = reader.optional(&fields, "expect", Reader::text);
    let why = "expected \"url\": where to connect, as in url: \"ws://127.0.0.1:8000/ws\"";
    Ok(ProbeHow::Websocket {
        url: reader.required(&fields, "url", why, address)?,
        send: send?,
        expect: expect?,
    })
}

fn exec(reader: &mut Reader<'_>, fields: &Fields<'_>, node: &Node) -> Read<ProbeHow> {
    let command = reader.inside("exec", |reader| reader.command(node));
    let Some(expect) = fields.entry("expect") else {
        return Ok(ProbeHow::Exec { command: command?, exit: 0, stdout: None, stderr: None });
    };
    reader.inside("expect", |reader| {
        let expect = reader.fields(&expect.node, "what is expected", EXPECT_KEYS)?;
        let exit = reader.optional(&expect, "exit", |reader, node| reader.number(node, 0, 255));
        let stdout = reader.optional(&expect, "stdout", Reader::text);
        let stderr = reader.optional(&expect, "stderr", Reader::text);
        let exit = exit?.and_then(|exit| i32::try_from(exit).ok()).unwrap_or(0);
        Ok(ProbeHow::Exec { command: command?, exit, stdout: stdout?, stderr: stderr? })
    })
}

fn stdin(reader: &mut Reader<'_>, node: &Node) -> Read<ProbeHow> {
    if let Some(text) = node.text() {
        return Ok(ProbeHow::Stdin { send: text.to_owned(), expect: None });
    }
    let fields = reader.fields(node, "a line to send", STDIN_KEYS)?;
    let expect = reader.optional(&fields, "expect", Reader::text);
    let why = "expected \"send\": the line to send";
    Ok(ProbeHow::Stdin { send: reader.required(&fields, "send", why, Reader::text)?, expect: expect? })
}

fn file(reader: &mut Reader<'_>, node: &Node) -> Read<ProbeHow> {
    if node.text().is_some() {
        return Ok(ProbeHow::File { path: file_path(reader, node)?, contains: None, matches: None });
    }
    let fields = reader.fields(node, "the path of a file", FILE_KEYS)?;
    let contains = reader.optional(&fields, "contains", Reader::text);
    let matches = matches(reader, &fields);
    let why = "expected \"path\": the file, relative to the workspace";
    let path = reader.required(&fields, "path", why, file_path)?;
    Ok(ProbeHow::File { path, contains: contains?, matches: matches? })
}

fn file_path(reader: &mut Reader<'_>, node: &Node) -> Read<PathBuf> {
    let path = reader.path(node)?;
    if path.as_os_str().is_empty() { reader.expected("the path of a file", node) } else { Ok(path) }
}

fn sql(reader: &mut Reader<'_>, node: &Node) -> Read<ProbeHow> {
    let fields = reader.fields(node, "a database and a query", SQL_KEYS)?;
    let expect = reader.optional(&fields, "expect", Reader::text);
    let why =
        "expected \"url\": the database, such as \"sqlite:data/app.db\" or \"postgres://127.0.0.1/app\"";
    let url = reader.required(&fields, "url", why, database);
    let why = "expected \"query\": what to ask, such as \"select count(*) from users\"";
    let query = reader.required(&fields, "query", why, Reader::command);
    Ok(ProbeHow::Sql { url: url?, query: query?, expect: expect? })
}

/// The address of a database. It is not shown when it is wrong: it may hold a password.
fn database(reader: &mut Reader<'_>, node: &Node) -> Read<String> {
    let text = reader.text(node)?;
    if let Some(file) = text.strip_prefix("sqlite:") {
        let file = file.strip_prefix("//").unwrap_or(file).split('?').next().unwrap_or_default();
        return match within(file) {
            Some(path) if !path.as_os_str().is_empty() => Ok(text),
            _ => reader.wrong(
                node.place,
                "expected a database file in the workspace, such as \"sqlite:data/app.db\"",
            ),
        };
    }
    if SQL_SCHEMES.iter().any(|scheme| text.starts_with(&format!("{scheme}://"))) {
        return url(reader, node, SQL_SCHEMES);
    }
    reader.wrong(
        node.place,
        "expected a database, such as \"sqlite:data/app.db\" or \"postgres://127.0.0.1/app\"",
    )
}

fn message(reader: &mut Reader<'_>, node: &Node) -> Read<ProbeHow> {
    let fields = reader.fields(node, "a message to the bot", MESSAGE_KEYS)?;
    let expect = reader.optional(&fields, "expect", Reader::text);
    let why = "expected \"text\": what to say to the bot, as in text: \"ping\"";
    let text = reader.required(&fields, "text", why, Reader::text);
    let why = "expected \"api_base_env\": the variable in which the bot looks for the address of the bot API, as in \
               api_base_env: TELEGRAM_API_BASE; without it the bot would talk to the real one";
    let variable = |reader: &mut Reader<'_>, node: &Node| match node.text().filter(|name| is_variable(name)) {
        Some(name) => Ok(name.to_owned()),
        None => reader.expected("the name of a variable", node),
    };
    let api_base_env = reader.required(&fields, "api_base_env", why, variable);
    Ok(ProbeHow::Message { text: text?, expect: expect?, api_base_env: api_base_env? })
}

/// What a probe without a name is called.
fn made_up(how: &ProbeHow) -> String {
    let name = match how {
        ProbeHow::Http(http) => format!("{} {}", http.method.as_deref().unwrap_or("GET"), http.url),
        ProbeHow::Tcp(address) => format!("tcp {address}"),
        ProbeHow::Grpc { address, .. } => format!("grpc {address}"),
        ProbeHow::Websocket { url, .. } => format!("websocket {url}"),
        ProbeHow::Exec { command, .. } => format!("exec {command}"),
        ProbeHow::Stdin { send, .. } => format!("stdin {send}"),
        ProbeHow::File { path, .. } => format!("file {}", path.display()),
        ProbeHow::Log(pattern) => format!("log {pattern}"),
        // Not its address, which may hold a password.
        ProbeHow::Sql { query, .. } => format!("sql {query}"),
        ProbeHow::Message { text, .. } => format!("message {text}"),
    };
    shortened(&name)
}
