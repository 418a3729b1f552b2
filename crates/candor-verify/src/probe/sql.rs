//! Asks a database.

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;

use tokio::net::TcpListener;
use url::Url;

use super::Try;
use super::outcome::{Found, one_line, quoted};
use super::reach::{Place, leaves};

/// Where PostgreSQL listens, unless the address says otherwise.
const POSTGRES_PORT: u16 = 5432;

/// Asks a database; implemented above, where the drivers are.
pub trait Sql: Send + Sync {
    /// Sends a query and gives its rows as text, a line each, with tabs between the values; or one sentence why not. A path
    /// in the URL is relative to the workspace.
    fn query<'q>(
        &'q self,
        url: &'q str,
        query: &'q str,
        root: &'q Path,
    ) -> Pin<Box<dyn Future<Output = Result<String, String>> + Send + 'q>>;
}

pub(super) async fn ask(url: &str, query: &str, expect: Option<&str>, asked: &Try<'_>) -> Found {
    let Some(sql) = asked.target.sql else {
        return Found::unverifiable("there is nobody here who can ask a database");
    };
    if let Some(host) = outside(url).filter(|_| !asked.target.may_leave) {
        return leaves(&host);
    }
    asked.waiting.for_want_of("no answer of the database");
    let rows = match inside(url, query, sql, asked).await {
        Ok(rows) => rows,
        Err(why) => return Found::no_answer(one_line(&why), &why),
    };
    match expect {
        Some(part) if !rows.contains(part) => {
            Found::failed(format!("{}, but none has {}", count(&rows), quoted(part)), &rows)
        }
        _ => Found::passed(count(&rows), &rows),
    }
}

/// Asks. A server of this machine is one of the session's network, which the drivers do not reach by themselves: what they
/// say is passed on.
async fn inside(url: &str, query: &str, sql: &dyn Sql, asked: &Try<'_>) -> Result<String, String> {
    let root = asked.target.root;
    let Some((mut there, places)) = server(url) else { return sql.query(url, query, root).await };
    let failed = |error: std::io::Error| error.to_string();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
    let here = listener.local_addr().map_err(failed)?;
    let moved = there.set_host(Some("127.0.0.1")).is_ok() && there.set_port(Some(here.port())).is_ok();
    if !moved {
        return Err("the address cannot be read".to_owned());
    }
    let relay = async {
        loop {
            let Ok((mut ours, _)) = listener.accept().await else { continue };
            for place in &places {
                if let Ok(mut theirs) = asked.target.sandbox.dial(*place).await {
                    let _ = tokio::io::copy_bidirectional(&mut ours, &mut theirs).await;
                    break;
                }
            }
        }
    };
    tokio::select! {
        rows = sql.query(there.as_str(), query, root) => rows,
        () = relay => Err("the connection ended".to_owned()),
    }
}

/// The address of a server of this machine; nothing of a file, and of a server elsewhere.
fn server(url: &str) -> Option<(Url, Vec<SocketAddr>)> {
    let url = Url::parse(url.trim()).ok().filter(|url| url.scheme().starts_with("postgres"))?;
    let host = url.host_str().filter(|host| !host.is_empty())?;
    match Place::of(host, url.port().unwrap_or(POSTGRES_PORT)) {
        Place::Inside(places) => Some((url, places)),
        Place::Outside { .. } => None,
    }
}

/// The host, if the database is not on this machine.
fn outside(url: &str) -> Option<String> {
    let url = Url::parse(url.trim()).ok()?;
    // The driver believes these rather than the address.
    let other = url.query_pairs().find(|(name, _)| matches!(name.as_ref(), "host" | "hostaddr" | "port"));
    if let Some((_, host)) = other {
        return Some(host.into_owned());
    }
    let host = url.host_str().filter(|host| !host.is_empty())?;
    match Place::of(host, url.port().unwrap_or(1)) {
        Place::Outside { host, .. } => Some(host),
        Place::Inside(_) => None,
    }
}

fn count(rows: &str) -> String {
    match rows.lines().count() {
        1 => "1 row".to_owned(),
        count => format!("{count} rows"),
    }
}
