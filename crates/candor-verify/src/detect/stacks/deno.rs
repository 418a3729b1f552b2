//! Deno.

use std::path::{Path, PathBuf};

use crate::detect::danger::danger;
use crate::detect::draft::{Draft, check, from, line_of, service, words};
use crate::detect::manifest::{self, Format, text_at};
use crate::detect::project::{Project, inside, listed, projects};
use crate::detect::tree::{is_aside_folder, is_test_name, name, stem};
use crate::plan::{Check, CheckKind, Service};

const MANIFESTS: &[&str] = &["deno.json", "deno.jsonc"];

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    let folders: Vec<PathBuf> = draft
        .tree
        .folders()
        .filter(|folder| !is_aside_folder(folder) && draft.tree.first(folder, MANIFESTS).is_some())
        .map(Path::to_owned)
        .collect();
    let all = projects(draft.tree, MANIFESTS, &["ts", "js", "tsx", "jsx", "mjs", "mts"]);
    for folder in folders {
        let Some(file) = draft.tree.first(&folder, MANIFESTS) else { continue };
        let Some(read) = manifest::read(draft, &file, Format::Jsonc) else { continue };
        draft.stack("deno");
        let Some(project) = all.iter().find(|project| project.folder == folder) else { continue };
        checks(draft, project, &file);
        let task = ["start", "dev", "serve"]
            .into_iter()
            .find_map(|name| Some((name, text_at(&read.value, &format!("/tasks/{name}"))?)));
        if let Some((task, _)) = task.filter(|(_, body)| danger(body).is_none()) {
            let line = line_of(&read.text, &format!("\"{task}\""));
            let source = from(&file, line, format!("{} has a task called {task}", name(&file)));
            push(draft, project, service(task, format!("deno task {task}"), &folder, source), None, true);
        } else {
            for entry in project.entries() {
                let source = from(
                    &entry.seen_in,
                    Some(entry.evidence.line),
                    format!("{} calls {}", name(&entry.seen_in), entry.evidence.what),
                );
                let command = format!("deno run -A --cached-only {}", inside(&folder, &entry.file));
                push(
                    draft,
                    project,
                    service(stem(&entry.file), command, &folder, source),
                    Some(&entry.file),
                    entry.evidence.is_http,
                );
            }
        }
    }
}

fn push(draft: &mut Draft<'_>, project: &Project, base: Service, program: Option<&Path>, is_http: bool) {
    let mut found = Service { needs: words(&["deno"]), ..base };
    project.complete(draft, &mut found, program, is_http);
    draft.service(found, program);
}

fn checks(draft: &mut Draft<'_>, project: &Project, file: &Path) {
    let folder = &project.folder;
    let add = |draft: &mut Draft<'_>, kind, title: &str, run: String, file: &Path, why: &str| {
        let source = from(file, None, why);
        draft.check(Check { needs: words(&["deno"]), ..check(kind, title, run, folder, source) });
    };
    let sources: Vec<&Path> = project.sources.iter().map(|code| code.path.as_path()).collect();
    if !sources.is_empty() {
        let (list, _) = listed(folder, &sources, 200);
        add(
            draft,
            CheckKind::Types,
            "deno check",
            format!("deno check --cached-only -q {list}"),
            file,
            "a Deno project has sources",
        );
    }
    if let Some(test) = project.files.iter().find(|file| is_test_name(name(file))) {
        add(
            draft,
            CheckKind::Test,
            "deno test",
            "deno test -A --cached-only -q".to_owned(),
            test,
            "there are tests for Deno",
        );
    }
    add(draft, CheckKind::Lint, "deno lint", "deno lint -q".to_owned(), file, "Deno brings its linter");
}
