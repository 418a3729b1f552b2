//! The level and the time of a log entry in JSON, read without building it, and even where its end is missing.

use super::level::Level;
use super::stamp::{self, Stamp};

/// What an entry in JSON says of itself.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) level: Option<Level>,
    pub(super) stamp: Option<Stamp>,
}

/// How much of a value is looked at: a level or a time is short.
const VALUE_BYTES_MAX: usize = 64;

/// Reads an object's own keys, and those of `log` in it.
pub(super) fn read(text: &[u8]) -> Said {
    let mut found = Found::default();
    object(&mut Reader { text, at: 0 }, &mut found, "");
    found.said()
}

/// The last level in the end of an object whose middle is missing, by the usual names.
pub(super) fn level_in_end(text: &[u8]) -> Option<Level> {
    let mut found = None;
    for name in [&b"\"level\":"[..], b"\"severity\":", b"\"lvl\":", b"\"log.level\":"] {
        for at in memchr::memmem::find_iter(text, name) {
            let mut reader = Reader { text, at: at + name.len() };
            let mut said = Found::default();
            said.take(text.get(at + 1..at + name.len() - 2).unwrap_or_default(), reader.value());
            found = said.said().level.or(found);
        }
    }
    found
}

/// What one line of an object over several lines says: `  "level": "error",`.
pub(super) fn member(line: &str) -> Option<Level> {
    let mut reader = Reader { text: line.trim_start().as_bytes(), at: 0 };
    let key = reader.string()?;
    reader.skip_space();
    (reader.next()? == b':').then_some(())?;
    let mut found = Found::default();
    found.take(key, reader.value());
    found.said().level
}

#[derive(Default)]
struct Found {
    level: Option<Level>,
    /// A number whose meaning another key decides.
    number: Option<f64>,
    mongo: Option<Level>,
    /// What `log` in it says. A configuration looks the same, but has no message.
    nested: Option<Level>,
    has_message: bool,
    is_gelf: bool,
    is_mongo: bool,
    stamp: Option<Stamp>,
}

enum Value<'a> {
    Text(&'a [u8]),
    Number(f64),
    Object,
    Other,
}

impl Found {
    fn take(&mut self, key: &[u8], value: Value<'_>) {
        match (key, value) {
            (
                b"level" | b"severity" | b"lvl" | b"log.level" | b"levelname" | b"level_name" | b"loglevel"
                | b"logLevel" | b"log_level" | b"@level" | b"@l" | b"Level" | b"LogLevel" | b"Severity"
                | b"SeverityText" | b"severityText" | b"severity_text" | b"levelName" | b"LEVEL"
                | b"SEVERITY",
                Value::Text(word),
            ) => self.level = self.level.or_else(|| named(word)),
            (b"level" | b"lvl", Value::Number(number)) => self.number = Some(number),
            (b"severity", Value::Number(number)) => self.level = Some(Level::by_size(number, 500.0, 400.0)),
            (b"severityNumber" | b"SeverityNumber" | b"severity_number", Value::Number(number)) => {
                self.level = self.level.or(Some(Level::by_size(number, 17.0, 13.0)));
            }
            (b"PRIORITY", Value::Text([digit @ b'0'..=b'7'])) => {
                self.level = self.level.or(Some(Level::of_syslog(u32::from(digit - b'0'))));
            }
            (b"s", Value::Text(word)) => {
                self.mongo = match word {
                    b"E" | b"F" => Some(Level::Failure),
                    b"W" => Some(Level::Warning),
                    _ => None,
                }
            }
            (b"short_message", _) => self.is_gelf = true,
            (b"msg" | b"message" | b"event" | b"error" | b"err", _) => self.has_message = true,
            (
                b"time" | b"ts" | b"timestamp" | b"@timestamp" | b"@t" | b"t" | b"datetime" | b"asctime"
                | b"Timestamp" | b"$date",
                value,
            ) => {
                self.stamp = self.stamp.or_else(|| match value {
                    Value::Text(text) => stamp::whole(text),
                    Value::Number(number) => stamp::epoch(number),
                    Value::Object | Value::Other => None,
                });
            }
            _ => {}
        }
    }

    fn said(self) -> Said {
        let by_number = self.number.map(|number| match number {
            // GELF and syslog count downwards.
            number if self.is_gelf && (0.0..=3.0).contains(&number) => Level::Failure,
            _ if self.is_gelf => Level::Other,
            // pino and bunyan: 50 is error, 60 is fatal.
            number => Level::by_size(number, 50.0, 40.0),
        });
        let by_log = self.nested.filter(|_| self.has_message || self.stamp.is_some());
        let by_letter = self.mongo.filter(|_| self.is_mongo);
        Said { level: self.level.or(by_number).or(by_letter).or(by_log), stamp: self.stamp }
    }
}

/// A level's name, also in the colours that some loggers write into it.
fn named(word: &[u8]) -> Option<Level> {
    let word = std::str::from_utf8(word).ok()?;
    match word.strip_prefix("\\u001b[") {
        Some(coloured) => {
            let word = coloured.split_once('m').map_or("", |(_, rest)| rest);
            Level::named(word.split('\\').next().unwrap_or_default())
        }
        None => Level::named(word.trim()),
    }
}

fn object(reader: &mut Reader<'_>, found: &mut Found, parent: &str) {
    reader.skip_space();
    if reader.next() != Some(b'{') {
        return;
    }
    loop {
        reader.skip_space();
        match reader.peek() {
            Some(b',') => reader.at += 1,
            Some(b'"') => {
                let Some(key) = reader.string() else { return };
                reader.skip_space();
                if reader.next() != Some(b':') {
                    return;
                }
                reader.skip_space();
                // `{"log": {"level": …}}` is what Elastic's agents write, `{"t": {"$date": …}}` what MongoDB does.
                let inner = match key {
                    b"log" => "log",
                    b"t" => "t",
                    _ => "",
                };
                if parent.is_empty() && !inner.is_empty() && reader.peek() == Some(b'{') {
                    let mut within = Found::default();
                    object(reader, &mut within, inner);
                    found.nested = within.level.filter(|_| inner == "log").or(found.nested);
                    found.stamp = found.stamp.or(within.stamp);
                    found.is_mongo |= inner == "t";
                } else {
                    found.take(key, reader.value());
                }
            }
            _ => {
                reader.at += 1;
                return;
            }
        }
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// What stands between the quotes, escapes as they are; nothing where it does not end.
    fn string(&mut self) -> Option<&'a [u8]> {
        if self.next() != Some(b'"') {
            return None;
        }
        let start = self.at;
        loop {
            let rest = self.text.get(self.at..)?;
            let Some(step) = memchr::memchr2(b'"', b'\\', rest) else {
                self.at = self.text.len();
                return None;
            };
            self.at += step + 1;
            if rest.get(step) == Some(&b'"') {
                return self.text.get(start..self.at - 1);
            }
            self.at += 1;
        }
    }

    fn value(&mut self) -> Value<'a> {
        self.skip_space();
        match self.peek() {
            Some(b'"') => self.string().map_or(Value::Other, |text| {
                Value::Text(text.get(..text.len().min(VALUE_BYTES_MAX)).unwrap_or_default())
            }),
            Some(b'{' | b'[') => {
                self.skip_nested();
                Value::Object
            }
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Value<'a> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|byte| !matches!(byte, b',' | b'}' | b']') && !byte.is_ascii_whitespace())
        {
            self.at += 1;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let number = std::str::from_utf8(text).ok().filter(|text| text.len() <= VALUE_BYTES_MAX);
        number.and_then(|text| text.parse().ok()).map_or(Value::Other, Value::Number)
    }

    /// Over a list or an object, however deep: brackets are counted, and strings passed over.
    fn skip_nested(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    if self.string().is_none() {
                        return;
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}
