//! Addresses: what can be reached at all.

/// Whether this is `host:port`.
pub(super) fn is_host_and_port(text: &str) -> bool {
    matches!(split(text), Some((_, Some(_))))
}

/// What is wrong with a URL that must have one of these schemes, if anything is.
pub(super) fn wrong_with_url(text: &str, schemes: &[&str]) -> Option<String> {
    let example =
        schemes.first().map_or_else(String::new, |scheme| format!("{scheme}://127.0.0.1:8000/ping"));
    let Some((scheme, rest)) = text.split_once("://") else {
        return Some(format!("expected an address such as \"{example}\""));
    };
    if !schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
        let schemes: Vec<_> = schemes.iter().map(|scheme| format!("{scheme}://")).collect();
        return Some(format!("expected an address that begins with {}", schemes.join(" or ")));
    }
    if has_gap(text) {
        return Some("an address cannot hold spaces; write %20".to_owned());
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if split(host).is_none() {
        return Some(format!("expected a host, and a port from 1 to 65535, as in \"{example}\""));
    }
    None
}

/// What is wrong with a path on the service's own port, if anything is.
pub(super) fn wrong_with_path(text: &str) -> Option<String> {
    if !text.starts_with('/') || text.starts_with("//") {
        return Some("expected a path that begins with one /, such as \"/ping\"".to_owned());
    }
    has_gap(text).then(|| "a path cannot hold spaces; write %20".to_owned())
}

fn has_gap(text: &str) -> bool {
    text.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// A host and its port, if there is one. An IPv6 address stands in brackets.
fn split(text: &str) -> Option<(&str, Option<u16>)> {
    let (host, rest) = match text.strip_prefix('[') {
        Some(inner) => {
            let (host, rest) = inner.split_once(']')?;
            host.parse::<std::net::Ipv6Addr>().ok()?;
            (host, rest)
        }
        None => text.find(':').map_or((text, ""), |colon| text.split_at(colon)),
    };
    let is_good = !host.is_empty() && !has_gap(host) && !host.contains(['/', '@', '?', '#']);
    let port = match rest.strip_prefix(':') {
        None if rest.is_empty() => None,
        // A sign would be read as part of the number.
        Some(digits) if !digits.starts_with('+') => Some(digits.parse().ok().filter(|port| *port > 0)?),
        _ => return None,
    };
    is_good.then_some((host, port))
}
