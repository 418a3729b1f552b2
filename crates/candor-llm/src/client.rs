//! A server that speaks one of the dialects.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use reqwest::{Client, Method, NoProxy, RequestBuilder, Url};

use crate::dialect::Dialect;
use crate::wire::{Framing, Wire};
use crate::{Answer, BoxFuture, Delta, Error, Provider, Request, http, tls};

/// How servers see us.
const USER_AGENT: &str = concat!("candor/", env!("CARGO_PKG_VERSION"));

/// A key shorter than this is a placeholder for servers that want any; to mask it would only garble messages.
const SECRET_BYTES_MIN: usize = 8;

/// How much is shown of what is no address.
const SHOWN_CHARS_MAX: usize = 80;

/// Where a server is, and how to talk to it.
#[derive(Clone)]
pub struct Endpoint {
    /// What people call it.
    pub name: String,
    /// What it speaks.
    pub dialect: Dialect,
    /// Its address, up to the dialect's own paths.
    pub base_url: String,
    /// The key it wants.
    pub key: Option<String>,
    /// How long it may take.
    pub timeouts: Timeouts,
    /// The way out of the network, where there is only one.
    pub proxy: Option<Proxy>,
}

/// How long a server may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until it begins to answer.
    pub first: Duration,
    /// Without a single byte.
    pub idle: Duration,
    /// Without a frame that says anything: signs of life alone are no answer.
    pub data: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first: Duration::from_secs(300),
            idle: Duration::from_secs(300),
            data: Duration::from_secs(600),
        }
    }
}

/// Proxies, as values: this crate does not read the environment. A server on the same machine is always reached directly.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Proxy {
    /// For `https` addresses.
    pub https: Option<String>,
    /// For `http` addresses.
    pub http: Option<String>,
    /// Hosts that are reached directly, separated by commas.
    pub no_proxy: Option<String>,
}

/// Keys and proxy passwords stay out of every debug output.
impl fmt::Debug for Endpoint {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Endpoint")
            .field("name", &self.name)
            .field("dialect", &self.dialect)
            .field("base_url", &shown(&self.base_url))
            .field("key", &self.key.as_ref().map(|_| "[REDACTED]"))
            .field("timeouts", &self.timeouts)
            .field("proxy", &self.proxy)
            .finish()
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Proxy")
            .field("https", &self.https.as_deref().map(shown))
            .field("http", &self.http.as_deref().map(shown))
            .field("no_proxy", &self.no_proxy)
            .finish()
    }
}

/// A server that speaks one of the dialects.
pub struct HttpProvider {
    endpoint: Endpoint,
    base: Url,
    /// Made when it is first needed: for `https` that loads the machine's certificates, and a program that never asks
    /// should not wait for them.
    client: OnceLock<Client>,
}

impl fmt::Debug for HttpProvider {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("HttpProvider").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Provider for HttpProvider {
    fn name(&self) -> &str {
        &self.endpoint.name
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        deltas: &'a mut (dyn FnMut(Delta<'_>) + Send),
    ) -> BoxFuture<'a, Result<Answer, Error>> {
        Box::pin(http::ask(self, request, deltas))
    }
}

impl HttpProvider {
    /// A provider at this address. Nothing is connected yet.
    pub fn new(endpoint: Endpoint) -> Result<Self, Error> {
        let refuse = |reason: &str| {
            Err(Error::NotAProvider { url: shown(&endpoint.base_url), reason: reason.to_owned() })
        };
        let Ok(base) = Url::parse(endpoint.base_url.trim()) else {
            return refuse("this is no address");
        };
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return refuse("the address does not begin with http:// or https:// and a host");
        }
        Ok(Self { endpoint, base, client: OnceLock::new() })
    }

    pub(crate) fn wire(&self) -> &'static dyn Wire {
        self.endpoint.dialect.wire()
    }

    pub(crate) fn timeouts(&self) -> &Timeouts {
        &self.endpoint.timeouts
    }

    pub(crate) fn key(&self) -> Option<&str> {
        self.endpoint.key.as_deref().filter(|key| !key.is_empty())
    }

    /// The key, where it is one that must not be seen.
    pub(crate) fn secret(&self) -> Option<&str> {
        self.key().filter(|key| key.len() >= SECRET_BYTES_MIN)
    }

    /// A request to a path after the base address, with everything but its body.
    pub(crate) fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, Error> {
        let wire = self.wire();
        let accept = match wire.framing() {
            _ if method == Method::GET => "application/json",
            Framing::Events => "text/event-stream",
            Framing::Lines => "application/x-ndjson",
        };
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        for (name, value) in wire.headers(self.key()) {
            let Ok(mut value) = HeaderValue::from_str(&value) else {
                let message = "the key holds characters that cannot be sent, such as a line break".to_owned();
                return Err(Error::BadRequest { status: None, message });
            };
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        // Together, because this replaces: the user and the password of an address are an authorization already, and a
        // request with two has none.
        Ok(self.client()?.request(method, self.url(path)).headers(headers))
    }

    /// The whole address. A query of the base address (Azure's `api-version`) stays behind the path.
    fn url(&self, path: &str) -> Url {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.wire().base(self.base.path())));
        let queries = [self.base.query().unwrap_or_default(), query];
        let queries: Vec<&str> = queries.into_iter().filter(|query| !query.is_empty()).collect();
        url.set_query((!queries.is_empty()).then(|| queries.join("&")).as_deref());
        url
    }

    /// The address for people: no query, no password.
    pub(crate) fn shown_url(&self, path: &str) -> String {
        without_secrets(self.url(path))
    }

    fn client(&self) -> Result<&Client, Error> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = self.build()?;
        Ok(self.client.get_or_init(|| client))
    }

    fn build(&self) -> Result<Client, Error> {
        let unreachable = |reason: String| Error::Unreachable { url: shown(self.base.as_str()), reason };
        let mut builder = Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(self.endpoint.timeouts.connect)
            // A redirect would carry the key to wherever it points.
            .redirect(reqwest::redirect::Policy::none())
            .http1_only()
            .tcp_nodelay(true)
            .no_proxy();
        let mut needs_tls = self.base.scheme() == "https";
        if let Some(proxy) = self.endpoint.proxy.as_ref().filter(|_| !is_loopback(&self.base)) {
            let hosts = proxy.no_proxy.as_deref().and_then(NoProxy::from_string);
            let made = [
                proxy.https.as_deref().map(|address| (address, reqwest::Proxy::https(address))),
                proxy.http.as_deref().map(|address| (address, reqwest::Proxy::http(address))),
            ];
            for (address, made) in made.into_iter().flatten() {
                needs_tls |= address.starts_with("https:");
                let made = made.map_err(|_| unreachable(format!("{} is no proxy", shown(address))))?;
                builder = builder.proxy(made.no_proxy(hosts.clone()));
            }
        }
        let tls = if needs_tls { tls::trusting_the_machine() } else { tls::trusting_nobody() };
        let tls = tls.map_err(|error| unreachable(error.to_string()))?;
        builder.tls_backend_preconfigured(tls).build().map_err(|error| unreachable(http::innermost(&error)))
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let by_name = host == "localhost" || host.ends_with(".localhost");
    by_name || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// An address for people: no user, no password, no query.
fn shown(address: &str) -> String {
    match Url::parse(address.trim()) {
        Ok(url) if url.has_host() => without_secrets(url),
        // What is no address can be anything; a password in it stands before the last `@`.
        _ => {
            let shown = address.rsplit('@').next().unwrap_or_default();
            shown.chars().take_while(|c| !matches!(c, '?' | '#')).take(SHOWN_CHARS_MAX).collect()
        }
    }
}

/// The same of one that has a host.
fn without_secrets(mut url: Url) -> String {
    // Of an address with a host, none of these can fail.
    _ = url.set_username("");
    _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.as_str().trim_end_matches('/').to_owned()
}
