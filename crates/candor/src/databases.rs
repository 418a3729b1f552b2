//! Asks the databases of a project, for its probes.

use std::path::{Path, PathBuf};
use std::pin::Pin;

use candor_store::{Foreign, ask};
use candor_verify::probe::Sql;

/// Asks SQLite files of the workspace, and PostgreSQL.
pub(crate) struct Databases;

impl Sql for Databases {
    fn query<'q>(
        &'q self,
        url: &'q str,
        query: &'q str,
        root: &'q Path,
    ) -> Pin<Box<dyn Future<Output = Result<String, String>> + Send + 'q>> {
        Box::pin(async move { ask(&place(url, root)?, query).await })
    }
}

fn place(url: &str, root: &Path) -> Result<Foreign, String> {
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(Foreign::Postgres(url.to_owned()));
    }
    let Some(path) = url.strip_prefix("sqlite:") else {
        return Err("only sqlite: and postgres: can be asked".to_owned());
    };
    let path = path.split('?').next().unwrap_or_default().trim_start_matches("//");
    inside(&root.join(path), root).map(Foreign::File)
}

/// A file of the workspace; what leads out of it is not asked.
fn inside(path: &Path, root: &Path) -> Result<PathBuf, String> {
    let real = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
    let root = root.canonicalize().map_err(|error| error.to_string())?;
    if real.starts_with(&root) { Ok(real) } else { Err("the file is not in the workspace".to_owned()) }
}
