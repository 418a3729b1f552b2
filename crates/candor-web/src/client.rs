//! The clients that requests are sent with.

use std::sync::{Arc, OnceLock};

use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::error::innermost;
use crate::{Target, Web};

/// How servers see us.
const USER_AGENT: &str = concat!("candor/", env!("CARGO_PKG_VERSION"));

/// More headers than any page has. How long they are together is bounded by the library, below half a megabyte.
const HEADERS_MAX: usize = 100;

/// Makes clients. Each serves one hop: a connection that was kept would outlive the check of its address.
#[derive(Debug)]
pub(crate) struct Clients {
    settings: Arc<Web>,
    /// Made when it is first needed: it loads the machine's certificates.
    trusting: OnceLock<ClientConfig>,
}

impl Clients {
    pub(crate) fn new(settings: Arc<Web>) -> Self {
        Self { settings, trusting: OnceLock::new() }
    }

    /// One that reaches this target at the addresses that were checked, and nothing else.
    pub(crate) fn pinned(&self, target: &Target) -> Result<Client, String> {
        let mut builder = self.builder();
        if let Some(proxy) = &self.settings.proxy {
            // The address of a proxy may hold its password.
            let proxy = reqwest::Proxy::all(proxy).map_err(|_| "the proxy of the settings is no address")?;
            builder = builder.proxy(proxy);
        } else if let Some(host) = target.url.domain() {
            builder = builder.resolve_to_addrs(host, &target.addresses);
        }
        self.finish(builder, target.url.scheme() == "https")
    }

    /// One for an address that the owner has given.
    pub(crate) fn open(&self, is_https: bool) -> Result<Client, String> {
        let mut builder = self.builder();
        if let Some(proxy) = &self.settings.proxy {
            let proxy = reqwest::Proxy::all(proxy).map_err(|_| "the proxy of the settings is no address")?;
            builder =
                builder.proxy(proxy.no_proxy(reqwest::NoProxy::from_string("localhost,127.0.0.0/8,::1")));
        }
        self.finish(builder, is_https)
    }

    /// Whether requests go through somebody else.
    pub(crate) fn is_proxied(&self) -> bool {
        self.settings.proxy.is_some()
    }

    fn builder(&self) -> ClientBuilder {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        Client::builder()
            .user_agent(USER_AGENT)
            .default_headers(headers)
            .connect_timeout(self.settings.connect_timeout)
            // They are followed by hand, because each has to be checked.
            .redirect(Policy::none())
            .referer(false)
            .http1_only()
            .http1_max_headers(HEADERS_MAX)
            .pool_max_idle_per_host(0)
            .no_proxy()
    }

    fn finish(&self, builder: ClientBuilder, is_https: bool) -> Result<Client, String> {
        let by_proxy = self.settings.proxy.as_deref().is_some_and(|proxy| proxy.starts_with("https:"));
        let tls = if is_https || by_proxy { self.trusting()? } else { trusting_nobody()? };
        builder.tls_backend_preconfigured(tls).build().map_err(|error| innermost(&error))
    }

    fn trusting(&self) -> Result<ClientConfig, String> {
        if let Some(trusting) = self.trusting.get() {
            return Ok(trusting.clone());
        }
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let made = builder
            .with_safe_default_protocol_versions()
            .and_then(BuilderVerifierExt::with_platform_verifier)
            .map_err(|error| error.to_string())?
            .with_no_client_auth();
        Ok(self.trusting.get_or_init(|| made).clone())
    }
}

/// For addresses without TLS. Reads nothing.
fn trusting_nobody() -> Result<ClientConfig, String> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}
