//! The parameters of a call, in any of the forms in which the API takes them.

use std::convert::Infallible;

use hyper::body::Bytes;
use multer::Multipart;
use serde_json::{Map, Value};
use url::form_urlencoded;

/// The parameters of a call.
#[derive(Debug, Default, Clone)]
pub(super) struct Params(Map<String, Value>);

impl Params {
    /// Reads them from the address and the body of a request; a body that cannot be read is told in the words of the API.
    pub(super) async fn read(query: &str, content_type: &str, body: Bytes) -> Result<Self, String> {
        let mut params = Self::default();
        params.add_pairs(query.as_bytes());
        let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match kind.as_str() {
            "application/json" if !body.is_empty() => {
                let Ok(Value::Object(members)) = serde_json::from_slice(&body) else {
                    return Err("Bad Request: can't parse JSON object".to_owned());
                };
                params.0.extend(members);
            }
            "application/x-www-form-urlencoded" => params.add_pairs(&body),
            "multipart/form-data" => params.add_parts(content_type, body).await?,
            // The real API does not look at other bodies either.
            _ => {}
        }
        Ok(params)
    }

    /// The members of an object.
    pub(super) fn of(members: Map<String, Value>) -> Self {
        Self(members)
    }

    /// A parameter as text, whatever it was written as.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }

    /// A parameter that is a number.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.text(name)?.trim().parse().ok()
    }

    /// A parameter that is true or false.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.text(name).is_some_and(|text| matches!(text.to_ascii_lowercase().as_str(), "true" | "1" | "yes"))
    }

    /// A parameter that is JSON, in a form too.
    pub(super) fn json(&self, name: &str) -> Option<Result<Value, serde_json::Error>> {
        match self.0.get(name)? {
            Value::Null => None,
            Value::String(text) if text.trim().is_empty() => None,
            Value::String(text) => Some(serde_json::from_str(text)),
            other => Some(Ok(other.clone())),
        }
    }

    fn add_pairs(&mut self, pairs: &[u8]) {
        for (name, value) in form_urlencoded::parse(pairs) {
            self.0.insert(name.into_owned(), Value::String(value.into_owned()));
        }
    }

    async fn add_parts(&mut self, content_type: &str, body: Bytes) -> Result<(), String> {
        let wrong = |error: multer::Error| format!("Bad Request: {error}");
        let boundary = multer::parse_boundary(content_type).map_err(wrong)?;
        let stream = futures_util::stream::iter([Ok::<_, Infallible>(body)]);
        let mut parts = Multipart::new(stream, boundary);
        while let Some(part) = parts.next_field().await.map_err(wrong)? {
            let name = part.name().unwrap_or_default().to_owned();
            let file = part.file_name().map(str::to_owned);
            let text = String::from_utf8_lossy(&part.bytes().await.map_err(wrong)?).into_owned();
            // Of a file the name will do.
            self.0.insert(name, Value::String(file.unwrap_or(text)));
        }
        Ok(())
    }
}
