//! What sites say to robots (RFC 9309).

#[cfg(test)]
#[path = "robots_tests.rs"]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use candor_tools::BoxFuture;
use tokio::time::Instant;
use url::Url;

use crate::Error;
use crate::fetch::Fetcher;
use crate::hop::origin;

/// The name by which sites can speak to us.
const NAME: &str = "candor";
/// How much of a file counts: what the standard asks for at least.
const FILE_BYTES_MAX: usize = 500 << 10;
/// How many rules count, and how long one may be: matching takes the product of rule and path.
const RULES_MAX: usize = 2_000;
const RULE_BYTES_MAX: usize = 1 << 10;
/// How many sites are remembered.
const SITES_MAX: usize = 256;
/// For how long. The standard says a day at most.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// What sites have said so far.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// A plain lock: it is held for a look and never across a wait.
    sites: Mutex<HashMap<String, (Instant, Arc<Rules>)>>,
}

impl Known {
    /// Refuses an address that its site does not want robots to fetch.
    ///
    /// Boxed because the file is fetched by the same function that asks here first.
    pub(crate) fn check<'a>(
        &'a self,
        fetcher: &'a Fetcher,
        url: &'a Url,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(self.judge(fetcher, url))
    }

    async fn judge(&self, fetcher: &Fetcher, url: &Url) -> Result<(), Error> {
        let site = origin(url);
        let rules = if let Some(rules) = self.recall(&site) {
            rules
        } else {
            let rules = Arc::new(ask(fetcher, url).await);
            self.remember(site, &rules);
            rules
        };
        let path = &url[url::Position::BeforePath..];
        if rules.allow(path) {
            return Ok(());
        }
        Err(Error::Robots { url: url.to_string(), robots: format!("{}/robots.txt", origin(url)) })
    }

    fn recall(&self, site: &str) -> Option<Arc<Rules>> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, rules) = sites.get(site)?;
        (since.elapsed() < REMEMBERED).then(|| Arc::clone(rules))
    }

    fn remember(&self, site: String, rules: &Arc<Rules>) {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= SITES_MAX {
            sites.clear();
        }
        sites.insert(site, (Instant::now(), Arc::clone(rules)));
    }
}

/// Asks a site. One that has no such file allows everything, and one that is in trouble nothing, as the standard has it. Where nothing
/// answers at all the page itself will not, either, and says it better.
async fn ask(fetcher: &Fetcher, url: &Url) -> Rules {
    let Ok(file) = url.join("/robots.txt") else { return Rules::default() };
    match fetcher.plain(file, FILE_BYTES_MAX).await {
        Ok(file) if file.status.is_success() => Rules::read(&String::from_utf8_lossy(&file.bytes)),
        Ok(file) if file.status.is_server_error() => Rules::nothing(),
        _ => Rules::default(),
    }
}

/// What one site says to us.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    rules: Vec<(bool, String)>,
}

impl Rules {
    fn nothing() -> Self {
        Self { rules: vec![(false, "/".to_owned())] }
    }

    /// Reads the groups that are about us, or else those about everybody.
    pub(crate) fn read(text: &str) -> Self {
        let (mut ours, mut everybodys) = (Vec::new(), Vec::new());
        let (mut is_ours, mut is_everybodys, mut names_us) = (false, false, false);
        let mut in_rules = false;
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            match key.as_str() {
                "user-agent" => {
                    if in_rules {
                        (is_ours, is_everybodys, in_rules) = (false, false, false);
                    }
                    is_everybodys |= value == "*";
                    is_ours |= value.eq_ignore_ascii_case(NAME);
                    names_us |= is_ours;
                }
                "allow" | "disallow" => {
                    in_rules = true;
                    // A rule without a path says nothing.
                    if value.is_empty() || value.len() > RULE_BYTES_MAX {
                        continue;
                    }
                    let rule = (key == "allow", value.to_owned());
                    if is_ours && ours.len() < RULES_MAX {
                        ours.push(rule);
                    } else if is_everybodys && everybodys.len() < RULES_MAX {
                        everybodys.push(rule);
                    }
                }
                _ => {}
            }
        }
        Self { rules: if names_us { ours } else { everybodys } }
    }

    /// Whether a path with its query may be fetched: the longest rule that fits decides, and of two the kinder one.
    pub(crate) fn allow(&self, path: &str) -> bool {
        let fitting = self.rules.iter().filter(|(_, rule)| fits(rule.as_bytes(), path.as_bytes()));
        fitting.max_by_key(|(allow, rule)| (rule.len(), *allow)).is_none_or(|(allow, _)| *allow)
    }
}

/// Whether a path begins as a rule says, in which `*` is anything and a `$` at the end is the end.
fn fits(rule: &[u8], path: &[u8]) -> bool {
    let (rule, to_end) = match rule.strip_suffix(b"$") {
        Some(rule) => (rule, true),
        None => (rule, false),
    };
    let (mut r, mut p) = (0, 0);
    // Where the last star was, and what it has swallowed so far.
    let mut star = None;
    loop {
        if r == rule.len() && (!to_end || p == path.len()) {
            return true;
        }
        if r < rule.len() && rule[r] == b'*' {
            star = Some((r + 1, p));
            r += 1;
        } else if r < rule.len() && p < path.len() && rule[r] == path[p] {
            (r, p) = (r + 1, p + 1);
        } else if let Some((after, swallowed)) = star
            && swallowed < path.len()
        {
            star = Some((after, swallowed + 1));
            (r, p) = (after, swallowed + 1);
        } else {
            return false;
        }
    }
}
