//! Which requests are looked at at all: those that were meant for this server, and come from a program on this machine or
//! from a page of our own.
//!
//! A web page that the user happens to visit can make the browser connect to this machine. It cannot choose what the
//! browser says in `Host` and `Origin`: a name that was made to lead here (DNS rebinding) shows in the first, a foreign
//! page in the second. A request without `Origin` is no browser's, and has to show the token like any other.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The names by which this server may be called.
#[derive(Debug, Clone)]
pub(crate) struct Names(Vec<String>);

impl Names {
    /// Those of the address that is listened on.
    pub(crate) fn of(address: SocketAddr) -> Self {
        let own = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        let mut hosts = vec!["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned()];
        if !hosts.contains(&own) {
            hosts.push(own);
        }
        let port = address.port();
        let mut names: Vec<String> = hosts.iter().map(|host| format!("{host}:{port}")).collect();
        // The one port that clients leave out.
        if port == 80 {
            names.extend(hosts);
        }
        Self(names)
    }

    fn has(&self, name: &[u8]) -> bool {
        self.0.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name))
    }
}

/// Refuses a request by its head alone; a body is never read.
pub(crate) fn check(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    names: &Names,
) -> Result<(), StatusCode> {
    let host = only(headers, &HOST)?.ok_or(StatusCode::FORBIDDEN)?;
    let target = uri.authority().is_none_or(|authority| names.has(authority.as_str().as_bytes()));
    if !names.has(host.as_bytes()) || !target {
        return Err(StatusCode::FORBIDDEN);
    }
    if let Some(origin) = only(headers, &ORIGIN)? {
        let page = origin.as_bytes().strip_prefix(b"http://");
        if !page.is_some_and(|name| names.has(name)) {
            return Err(StatusCode::FORBIDDEN);
        }
    }
    // Another port of this machine is another page's, and a browser calls it the same site.
    if only(headers, &FETCH_SITE)?.is_some_and(|site| site != "same-origin" && site != "none") {
        return Err(StatusCode::FORBIDDEN);
    }
    if method != Method::GET {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    Ok(())
}

/// The value of a header that may be there once. Twice, each reader would believe another one.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h HeaderValue>, StatusCode> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() { Err(StatusCode::FORBIDDEN) } else { Ok(first) }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
