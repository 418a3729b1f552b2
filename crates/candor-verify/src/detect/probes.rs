//! What a service that speaks HTTP can be asked without anybody having said so.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::draft::Draft;
use super::manifest::{self, Format};
use super::project::Code;
use super::routes;
use super::tree::{name, shown};
use crate::plan::{HttpProbe, PROBE_TIMEOUT, Probe, ProbeHow};

/// How many probes are derived for one service.
const PROBES_MAX: usize = 20;
/// Asked of everything that speaks HTTP.
const ALWAYS: &[&str] = &["/", "/health", "/healthz"];
/// Where a description of the API lies, below the project's folder.
const OPENAPI_FOLDERS: &[&str] =
    &["", "api", "docs", "doc", "spec", "openapi", "static", "public", "src", "app"];
const OPENAPI_NAMES: &[&str] = &[
    "openapi.json",
    "openapi.yaml",
    "openapi.yml",
    "swagger.json",
    "swagger.yaml",
    "swagger.yml",
    "api.yaml",
    "api.yml",
];

/// The probes of a service of this folder, whose sources these are.
pub(super) fn http(draft: &mut Draft<'_>, folder: &Path, sources: &[&Code]) -> Vec<Probe> {
    let mut found = Vec::new();
    for path in ALWAYS {
        push(&mut found, path, None);
    }
    for (file, path) in described(draft, folder) {
        push(&mut found, &path, Some(name(&file)));
    }
    let mounts = sources.iter().any(|source| routes::is_mounting(&source.text));
    for source in sources {
        for path in routes::routes(source.language, &source.text, mounts) {
            push(&mut found, &path, Some(name(&source.path)));
        }
    }
    if found.len() > PROBES_MAX {
        let place = if folder.as_os_str().is_empty() { ".".to_owned() } else { shown(folder) };
        draft.note(format!("{place} has more routes than the {PROBES_MAX} that are asked for"));
        found.truncate(PROBES_MAX);
    }
    found
}

/// A GET of a path on the port that the service opened.
pub(super) fn get(path: &str, origin: Option<&str>) -> Probe {
    let name = origin.map_or_else(|| format!("GET {path}"), |origin| format!("GET {path} ({origin})"));
    Probe {
        name,
        how: ProbeHow::Http(HttpProbe { url: path.to_owned(), ..HttpProbe::default() }),
        timeout: PROBE_TIMEOUT,
        retries: 0,
        derived: true,
    }
}

fn push(found: &mut Vec<Probe>, path: &str, origin: Option<&str>) {
    let known = found.iter_mut().find(|probe| matches!(&probe.how, ProbeHow::Http(http) if http.url == path));
    match known {
        // What the project itself says is worth more than a guess of ours.
        Some(probe) if origin.is_some() && !probe.name.contains('(') => *probe = get(path, origin),
        Some(_) => {}
        None => found.push(get(path, origin)),
    }
}

/// The GET routes of an `OpenAPI` or Swagger file that need nothing, with the file.
fn described(draft: &mut Draft<'_>, folder: &Path) -> Vec<(PathBuf, String)> {
    let places = OPENAPI_FOLDERS
        .iter()
        .flat_map(|place| OPENAPI_NAMES.iter().map(move |name| folder.join(place).join(name)));
    let files: Vec<PathBuf> = places.filter(|file| draft.tree.has(file)).collect();
    let mut found = Vec::new();
    for file in files {
        let format = if name(&file).ends_with("json") { Format::Json } else { Format::Yaml };
        let Some(read) = manifest::read(draft, &file, format) else { continue };
        if read.value.get("openapi").is_none() && read.value.get("swagger").is_none() {
            continue;
        }
        let base = base_path(&read.value);
        let Some(paths) = read.value.get("paths").and_then(Value::as_object) else { continue };
        for (path, item) in paths {
            let full = format!("{base}{path}");
            if item.get("get").is_some_and(|get| is_free(get, item, &read.value)) && routes::is_safe(&full) {
                found.push((file.clone(), full));
            }
        }
    }
    found
}

/// What stands before every path: `basePath`, or the path of the first server.
fn base_path(document: &Value) -> String {
    let server =
        manifest::text_at(document, "/servers/0/url").or_else(|| manifest::text_at(document, "/basePath"));
    let path = match server.and_then(|url| url.split_once("://")) {
        Some((_, after)) => after.find('/').and_then(|at| after.get(at..)).unwrap_or_default(),
        None => server.unwrap_or_default(),
    };
    path.trim_end_matches('/').to_owned()
}

/// Whether a request needs no parameter and nobody to be known.
fn is_free(get: &Value, item: &Value, document: &Value) -> bool {
    let parameters =
        [get, item].into_iter().filter_map(|holder| holder.get("parameters")?.as_array()).flatten();
    let is_required = |parameter: &Value| {
        let parameter = parameter
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|name| document.pointer(name.trim_start_matches('#')))
            .unwrap_or(parameter);
        parameter.get("required") == Some(&Value::Bool(true))
    };
    let security = get.get("security").or_else(|| document.get("security")).and_then(Value::as_array);
    let is_open = security.is_none_or(|ways| {
        ways.is_empty() || ways.iter().any(|way| way.as_object().is_some_and(serde_json::Map::is_empty))
    });
    is_open && !parameters.into_iter().any(is_required)
}
