//! Docker Compose: the file itself, and its services where nothing else can be started.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::draft::{Draft, check, from, line_of, service, words};
use super::manifest::{self, Format};
use super::tree::{is_aside_folder, name};
use crate::plan::{Check, CheckKind, Service};

const FILES: &[&str] = &["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

pub(super) fn detect(draft: &mut Draft<'_>) {
    let files: Vec<PathBuf> = draft
        .tree
        .folders()
        .filter(|folder| !is_aside_folder(folder))
        .filter_map(|folder| draft.tree.first(folder, FILES))
        .collect();
    for file in files {
        let Some(read) = manifest::read(draft, &file, Format::Yaml) else { continue };
        let Some(services) = read.value.get("services").and_then(Value::as_object) else { continue };
        draft.stack("docker compose");
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        let source = from(&file, None, format!("{} describes services", name(&file)));
        draft.check(Check {
            needs: words(&["docker"]),
            ..check(CheckKind::Syntax, "compose config", "docker compose config -q", &folder, source)
        });
        let names: Vec<&str> = services.keys().map(String::as_str).collect();
        if draft.has_services() {
            draft.note(format!(
                "{}: its services ({}) are not started, because the project's own are",
                name(&file),
                names.join(", ")
            ));
            continue;
        }
        let source = from(
            &file,
            line_of(&read.text, "services:"),
            format!("{} describes {}", name(&file), names.join(", ")),
        );
        let found = service("compose", "docker compose up --no-color", &folder, source);
        draft.service(Service { needs: words(&["docker"]), ..found }, Some(&file));
    }
}
