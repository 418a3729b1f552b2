//! What an answer must be, and what is wrong with one.

use boon::{Compiler, Schemas, UrlLoader, ValidationError};
use regex::Regex;
use serde_json::Value;

use super::http::{BODY_BYTES_MAX, Got, is_good};
use super::json_path::JsonPath;
use super::outcome::{Found, one_line, quoted};
use super::{mistake, pattern};
use crate::plan::HttpProbe;

/// What the schema is called while it is read. It is an address, and nothing is there.
const SCHEMA: &str = "schema:///probe.json";

/// What an answer must be, read once.
pub(super) struct Expected<'p> {
    probe: &'p HttpProbe,
    matches: Option<Regex>,
    json: Vec<(JsonPath, &'p str, &'p Value)>,
    schema: Option<Schema>,
}

struct Schema {
    schemas: Schemas,
    index: boon::SchemaIndex,
}

impl<'p> Expected<'p> {
    /// Reads it; what cannot be read is told.
    pub(super) fn of(probe: &'p HttpProbe) -> Result<Self, Found> {
        let matches = probe.matches.as_deref().map(pattern).transpose()?;
        let path = |(path, value): &'p (String, Value)| {
            Ok((JsonPath::parse(path).map_err(mistake)?, path.as_str(), value))
        };
        let json = probe.json.iter().map(path).collect::<Result<_, Found>>()?;
        let schema = probe.schema.as_ref().map(compile).transpose().map_err(mistake)?;
        Ok(Self { probe, matches, json, schema })
    }

    pub(super) fn judge(&self, got: &Got) -> Found {
        let text = got.text();
        let problems = self.problems(got);
        let status = status(got);
        if problems.is_empty() {
            let more = if self.is_status_only() { "" } else { ", with all that is expected" };
            return Found::passed(format!("{status}{more}"), &text);
        }
        Found::failed(format!("{status}, but {}", problems.join(", and ")), &text)
    }

    /// What is wrong with an answer.
    pub(super) fn problems(&self, got: &Got) -> Vec<String> {
        let mut problems = Vec::new();
        match self.probe.status {
            Some(status) if status != got.status => problems.push(format!("{status} is expected")),
            None if !is_good(got.status) => problems.push("a 2xx or 3xx is expected".to_owned()),
            _ => {}
        }
        problems.extend(self.probe.expect_headers.iter().filter_map(|(name, part)| header(got, name, part)));
        self.check_text(got, &mut problems);
        self.check_json(got, &mut problems);
        problems
    }

    fn is_status_only(&self) -> bool {
        let probe = self.probe;
        probe.expect_headers.is_empty()
            && probe.contains.is_none()
            && probe.matches.is_none()
            && probe.json.is_empty()
            && probe.schema.is_none()
    }

    fn check_text(&self, got: &Got, problems: &mut Vec<String>) {
        if self.probe.contains.is_none() && self.matches.is_none() {
            return;
        }
        let text = got.text();
        let body = if got.is_cut() { "the first MiB of the body" } else { "the body" };
        if let Some(part) = &self.probe.contains
            && !text.contains(part.as_str())
        {
            problems.push(format!("{body} does not contain {}", quoted(part)));
        }
        if let Some(pattern) = &self.matches
            && !pattern.is_match(&text)
        {
            problems.push(format!("{body} does not match /{}/", one_line(pattern.as_str())));
        }
    }

    fn check_json(&self, got: &Got, problems: &mut Vec<String>) {
        if self.json.is_empty() && self.schema.is_none() {
            return;
        }
        if got.is_cut() {
            problems.push(format!(
                "the body is too long to be read as JSON ({} MiB at most)",
                BODY_BYTES_MAX >> 20
            ));
            return;
        }
        let value: Value = match serde_json::from_slice(&got.body) {
            Ok(value) => value,
            Err(error) => {
                problems.push(format!("the body is no JSON ({error})"));
                return;
            }
        };
        problems.extend(self.json.iter().filter_map(|(path, name, expected)| {
            let found = path.find(&value);
            at_path(name, &found, expected)
        }));
        let misfit = self.schema.as_ref().and_then(|schema| schema.misfit(&value));
        problems.extend(misfit.map(|why| format!("the body does not fit the schema: {why}")));
    }
}

/// The status, and where it sends.
pub(super) fn status(got: &Got) -> String {
    match got.header("location") {
        Some(place) if (300..400).contains(&got.status) => format!("{} to {}", got.status, one_line(&place)),
        _ => got.status.to_string(),
    }
}

fn header(got: &Got, name: &str, part: &str) -> Option<String> {
    match got.header(name.trim()) {
        None => Some(format!("there is no header {}", one_line(name))),
        Some(value) if value.contains(part) => None,
        Some(value) => Some(format!(
            "the header {} is {} and does not contain {}",
            one_line(name),
            quoted(&value),
            quoted(part)
        )),
    }
}

/// What is wrong with what a path leads to. Where it leads to several, one of them must be right.
fn at_path(name: &str, found: &[&Value], expected: &Value) -> Option<String> {
    let wanted = one_line(&expected.to_string());
    match found {
        [] => Some(format!("there is no {}", one_line(name))),
        several if several.iter().any(|value| is_same(value, expected)) => None,
        [value] => Some(format!("{} is {}, not {wanted}", one_line(name), one_line(&value.to_string()))),
        several => Some(format!("none of the {} values at {} is {wanted}", several.len(), one_line(name))),
    }
}

/// Whether two values are the same, where `1` and `1.0` are.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| is_same(left, right)))
        }
        _ => left == right,
    }
}

fn compile(schema: &Value) -> Result<Schema, String> {
    let mut compiler = Compiler::new();
    compiler.use_loader(Box::new(Offline));
    let mut schemas = Schemas::new();
    let wrong = |error: boon::CompileError| format!("the schema is none: {}", one_line(&error.to_string()));
    compiler.add_resource(SCHEMA, schema.clone()).map_err(wrong)?;
    let index = compiler.compile(SCHEMA, &mut schemas).map_err(wrong)?;
    Ok(Schema { schemas, index })
}

impl Schema {
    fn misfit(&self, value: &Value) -> Option<String> {
        let error = self.schemas.validate(value, self.index).err()?;
        let cause = first_cause(&error);
        let place = cause.instance_location.to_string();
        let place = if place.is_empty() { String::new() } else { format!("{}: ", one_line(&place)) };
        Some(format!("{place}{}", one_line(&cause.kind.to_string())))
    }
}

/// What is really wrong is at the end of the first branch.
fn first_cause<'e, 's, 'v>(error: &'e ValidationError<'s, 'v>) -> &'e ValidationError<'s, 'v> {
    let mut cause = error;
    while let Some(next) = cause.causes.first() {
        cause = next;
    }
    cause
}

/// Loads nothing: a schema is complete, and a probe does not leave the machine by way of it.
struct Offline;

impl UrlLoader for Offline {
    fn load(&self, url: &str) -> Result<Value, Box<dyn std::error::Error>> {
        Err(format!("{url} is not loaded: a schema must hold all that it needs").into())
    }
}
