//! How each engine is asked, and what it answers.

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use url::Url;

use crate::{Engine, Search};

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) snippet: String,
}

impl Engine {
    /// What people call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Searxng => "SearXNG",
            Self::Brave => "Brave Search",
            Self::Tavily => "Tavily",
            Self::Kagi => "Kagi",
        }
    }

    fn own_url(self) -> Option<&'static str> {
        match self {
            Self::Searxng => None,
            Self::Brave => Some("https://api.search.brave.com/res/v1"),
            Self::Tavily => Some("https://api.tavily.com"),
            Self::Kagi => Some("https://kagi.com/api/v0"),
        }
    }

    /// Where the results are in an answer, and what their snippets are called.
    fn places(self) -> (&'static [&'static str], &'static str) {
        match self {
            Self::Searxng | Self::Tavily => (&["results"], "content"),
            Self::Brave => (&["web", "results"], "description"),
            Self::Kagi => (&["data"], "snippet"),
        }
    }
}

/// Where an engine is asked; what is wrong with its settings, otherwise.
pub(crate) fn address(search: &Search) -> Result<Url, String> {
    let base = search.base_url.as_deref().or(search.engine.own_url());
    let base = base.ok_or("its address is not configured")?;
    let path = match search.engine {
        Engine::Brave => "web/search",
        Engine::Searxng | Engine::Tavily | Engine::Kagi => "search",
    };
    let url = Url::parse(&format!("{}/{path}", base.trim().trim_end_matches('/')));
    let url = url.map_err(|error| format!("its address is none: {error}"))?;
    if matches!(url.scheme(), "http" | "https") {
        Ok(url)
    } else {
        Err("its address is not of the web".to_owned())
    }
}

/// The request for these words. Keys travel in headers, which no error and no log shows.
pub(crate) fn request(
    search: &Search,
    client: &Client,
    mut url: Url,
    query: &str,
    count: usize,
) -> Result<RequestBuilder, String> {
    let key = search.key.as_deref().filter(|key| !key.is_empty());
    let keyed = |name: HeaderName, scheme: &str| {
        let key = key.ok_or("its key is not configured")?;
        let mut value = HeaderValue::from_str(&format!("{scheme}{key}"))
            .map_err(|_| "its key holds characters that cannot be sent, such as a line break")?;
        value.set_sensitive(true);
        Ok::<_, String>((name, value))
    };
    let count_word = count.to_string();
    let (parameters, header): (&[(&str, &str)], _) = match search.engine {
        Engine::Searxng => (&[("q", query), ("format", "json")], None),
        Engine::Brave => {
            let header = keyed(HeaderName::from_static("x-subscription-token"), "")?;
            (&[("q", query), ("count", &count_word)], Some(header))
        }
        Engine::Tavily => (&[], Some(keyed(AUTHORIZATION, "Bearer ")?)),
        Engine::Kagi => (&[("q", query), ("limit", &count_word)], Some(keyed(AUTHORIZATION, "Bot ")?)),
    };
    if !parameters.is_empty() {
        url.query_pairs_mut().extend_pairs(parameters);
    }
    let request = match search.engine {
        Engine::Tavily => {
            let body = json!({ "query": query, "max_results": count }).to_string();
            client.post(url).header("content-type", "application/json").body(body)
        }
        Engine::Searxng | Engine::Brave | Engine::Kagi => client.get(url),
    };
    let request = request.header(ACCEPT, "application/json");
    Ok(match header {
        Some((name, value)) => request.header(name, value),
        None => request,
    })
}

/// What an answer holds. Entries without an address are left out: engines mix other things into their lists.
pub(crate) fn hits(engine: Engine, body: &[u8]) -> Result<Vec<Hit>, String> {
    let answer: Value = serde_json::from_slice(body).map_err(|_| "its answer is no JSON".to_owned())?;
    let (place, snippet) = engine.places();
    let results = place.iter().try_fold(&answer, |value, name| value.get(name));
    let Some(results) = results.and_then(Value::as_array) else {
        // Brave leaves the list out where nothing was found.
        return if engine == Engine::Brave && answer.get("query").is_some() {
            Ok(Vec::new())
        } else {
            Err("its answer holds no results".to_owned())
        };
    };
    let hit = |result: &Value| {
        let word = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let url = Url::parse(&word("url")).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        Some(Hit { title: word("title"), url: url.to_string(), snippet: word(snippet) })
    };
    Ok(results.iter().filter_map(hit).collect())
}
