//! From an address to the bytes behind it, hop by hop.

use std::sync::Arc;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, StatusCode};
use url::Url;

use crate::body::{self, Unread};
use crate::client::Clients;
use crate::robots::Known;
use crate::{Error, Guard, Web, hop};

/// How often we are sent on. Browsers go on for twenty; no page needs five.
const REDIRECTS_MAX: usize = 5;

/// What fetches need.
#[derive(Debug)]
pub(crate) struct Fetcher {
    pub(crate) guard: Guard,
    clients: Clients,
    /// What sites have said to robots. Nothing: nobody asks them.
    robots: Option<Known>,
    bytes_max: usize,
}

/// What came.
#[derive(Debug)]
pub(crate) struct Fetched {
    /// Where it came from, in the end.
    pub(crate) url: Url,
    pub(crate) status: StatusCode,
    /// What it says it is.
    pub(crate) content_type: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether there was more.
    pub(crate) is_cut: bool,
}

impl Fetcher {
    pub(crate) fn new(settings: &Arc<Web>) -> Self {
        let robots = match settings.robots {
            crate::Robots::Respect => Some(Known::default()),
            crate::Robots::Ignore => None,
        };
        Self {
            guard: Guard::new(Arc::clone(settings)),
            clients: Clients::new(Arc::clone(settings)),
            robots,
            bytes_max: settings.body_bytes_max,
        }
    }

    /// Fetches a page. An answer that is no success is an error.
    pub(crate) async fn page(&self, url: Url) -> Result<Fetched, Error> {
        let fetched = self.follow(url, self.robots.as_ref(), self.bytes_max).await?;
        if !fetched.status.is_success() {
            let url = fetched.url.to_string();
            return Err(Error::Status { url, status: fetched.status.to_string() });
        }
        Ok(fetched)
    }

    /// Fetches whatever is there, without asking robots.txt, for which this is.
    pub(crate) async fn plain(&self, url: Url, bytes_max: usize) -> Result<Fetched, Error> {
        self.follow(url, None, bytes_max).await
    }

    async fn follow(&self, url: Url, robots: Option<&Known>, bytes_max: usize) -> Result<Fetched, Error> {
        let mut url = url;
        for _ in 0..=REDIRECTS_MAX {
            let target = self.guard.resolve(url).await?;
            if let Some(robots) = robots {
                robots.check(self, &target.url).await?;
            }
            let response = hop::ask(&self.clients, &target).await?;
            match hop::location(&response) {
                Some(location) => url = self.guard.join(&target.url, &location)?,
                None => return read(response, target.url, bytes_max).await,
            }
        }
        let reason = format!("it was sent on more than {REDIRECTS_MAX} times, at last to {url}");
        Err(Error::Unreachable { url: url.to_string(), reason })
    }
}

async fn read(mut response: Response, url: Url, bytes_max: usize) -> Result<Fetched, Error> {
    let status = response.status();
    let content_type = response.headers().get(CONTENT_TYPE);
    let content_type =
        content_type.map(|kind| String::from_utf8_lossy(kind.as_bytes()).into_owned()).unwrap_or_default();
    if !status.is_success() {
        return Ok(Fetched { url, status, content_type, bytes: Vec::new(), is_cut: false });
    }
    let body = body::read(&mut response, bytes_max).await.map_err(|unread| match unread {
        Unread::Broken(reason) => Error::Unreachable { url: url.to_string(), reason },
        Unread::Packed(how) => {
            let kind = if content_type.is_empty() { "something" } else { &content_type };
            Error::Content { url: url.to_string(), kind: kind.to_owned(), reason: how }
        }
    })?;
    Ok(Fetched { url, status, content_type, bytes: body.bytes, is_cut: body.is_cut })
}
