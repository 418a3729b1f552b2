//! Static sites: pages that are served as they are, and the generators that make them.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::draft::{Draft, check, from, in_temp, service, words};
use super::probes;
use super::routes;
use super::signs::pattern;
use super::tree::{is_aside_folder, shown};
use crate::plan::{Check, CheckKind, Service};

/// How many links of a page are followed.
const LINKS_MAX: usize = 12;

pub(super) fn detect(draft: &mut Draft<'_>) {
    generators(draft);
    if draft.has_services() || draft.tree.files().any(|file| file.ends_with("package.json")) {
        return;
    }
    let index = ["", "public", "site", "www", "static", "docs"]
        .into_iter()
        .map(|folder| Path::new(folder).join("index.html"))
        .find(|file| draft.tree.has(file));
    let Some(index) = index else { return };
    let folder = index.parent().unwrap_or(Path::new("")).to_owned();
    draft.stack("static site");
    let source = from(&index, None, "index.html is a page that can be served as it is");
    let mut found = Service {
        needs: words(&["python3"]),
        ..service("site", "python3 -m http.server 8000 --bind 127.0.0.1", &folder, source)
    };
    found.probes.push(probes::get("/", None));
    let text = draft.tree.text(&index).unwrap_or_else(|| "".into());
    for path in links(&text) {
        found.probes.push(probes::get(&path, Some("index.html")));
    }
    draft.service(found, Some(&index));
}

/// What a page itself loads and leads to, below its own folder.
fn links(text: &str) -> Vec<String> {
    static LINK: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"<(?:script|link|img|a)\b[^>]*?\s(?:src|href)\s*=\s*["']([^"'#?]+)["']"#));
    let mut found: Vec<String> = Vec::new();
    for captured in LINK.captures_iter(text) {
        let Some(target) = captured.get(1).map(|target| target.as_str().trim()) else { continue };
        let is_local = !target.contains(':')
            && !target.starts_with("//")
            && !target.contains("..")
            && !target.contains(['{', '<', ' ']);
        let path = format!("/{}", target.trim_start_matches("./").trim_start_matches('/'));
        let whole = captured.get(0).map_or("", |whole| whole.as_str());
        let is_hint = whole.contains("canonical") || whole.contains("preconnect") || whole.contains("icon");
        if is_local && !is_hint && path != "/" && routes::is_safe(&path) && !found.contains(&path) {
            found.push(path);
        }
    }
    found.truncate(LINKS_MAX);
    found
}

fn generators(draft: &mut Draft<'_>) {
    const TOOLS: &[(&str, &[&str], &str)] = &[
        ("mkdocs", &["mkdocs.yml"], "mkdocs build -q -d \"$d\""),
        ("hugo", &["hugo.toml", "hugo.yaml"], "hugo --quiet -d \"$d\""),
        ("jekyll", &["_config.yml"], "jekyll build -q -d \"$d\" --disable-disk-cache"),
        ("zola", &["zola.toml"], "zola build -o \"$d/site\""),
        ("mdbook", &["book.toml"], "mdbook build -d \"$d\""),
    ];
    let folders: Vec<PathBuf> = draft
        .tree
        .folders()
        .filter(|folder| {
            folder.as_os_str().is_empty() || (!is_aside_folder(folder) && folder.iter().count() == 1)
        })
        .map(Path::to_owned)
        .collect();
    for folder in folders {
        for (program, files, run) in TOOLS {
            let Some(file) = draft.tree.first(&folder, files) else { continue };
            draft.stack(format!("static site ({program})"));
            let source = from(&file, None, format!("{} configures {program}", shown(&file)));
            draft.check(Check {
                needs: words(&[program]),
                ..check(CheckKind::Build, program, in_temp(run), &folder, source)
            });
        }
    }
}
