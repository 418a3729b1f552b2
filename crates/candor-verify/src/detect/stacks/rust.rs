//! Rust: cargo, offline. A workspace counts once.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::detect::draft::{Draft, check, from, service, words};
use crate::detect::manifest::{self, Format, Manifest, text_at};
use crate::detect::project::{Project, projects};
use crate::detect::source::{self, Evidence, without_rust_tests};
use crate::detect::tree::{is_aside_folder, name, shown, stem};
use crate::plan::{Check, CheckKind, Service};

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    let folders: Vec<PathBuf> = draft
        .tree
        .folders()
        .filter(|folder| !is_aside_folder(folder) && draft.tree.has(&folder.join("Cargo.toml")))
        .map(Path::to_owned)
        .collect();
    let mut workspaces: Vec<PathBuf> = Vec::new();
    let all = projects(draft.tree, &["Cargo.toml"], &["rs"]);
    for folder in folders {
        let file = folder.join("Cargo.toml");
        let Some(manifest) = manifest::read(draft, &file, Format::Toml) else { continue };
        let is_workspace = manifest.value.get("workspace").is_some();
        let above = workspaces.iter().find(|above| folder.starts_with(above)).cloned();
        if above.is_none() {
            if is_workspace {
                workspaces.push(folder.clone());
            }
            draft.stack(if is_workspace { "rust (cargo workspace)" } else { "rust (cargo)" });
            checks(draft, &folder, &manifest, is_workspace);
        }
        if let Some(project) = all.iter().find(|project| project.folder == folder) {
            services(draft, project, &manifest, above.as_deref());
        }
    }
}

fn checks(draft: &mut Draft<'_>, folder: &Path, manifest: &Manifest, is_workspace: bool) {
    let file = folder.join("Cargo.toml");
    let all = if is_workspace { " --workspace" } else { "" };
    let mut add = |kind, title: &str, run: String, needs: &[&str], file: &Path, why: &str| {
        let source = from(file, None, why);
        draft.check(Check { needs: words(needs), ..check(kind, title, run, folder, source) });
    };
    let why = "Cargo.toml makes this a Rust package";
    add(
        CheckKind::Build,
        "cargo build",
        format!("cargo build --offline --quiet{all}"),
        &["cargo"],
        &file,
        why,
    );
    add(CheckKind::Test, "cargo test", format!("cargo test --offline --quiet{all}"), &["cargo"], &file, why);
    if has_dependencies(&manifest.value) {
        add(
            CheckKind::Install,
            "cargo fetch",
            "cargo fetch --quiet".to_owned(),
            &["cargo"],
            &file,
            "Cargo.toml names dependencies",
        );
    }
    let tree = draft.tree;
    let mut add = |kind, title: &str, run: String, needs: &[&str], file: &Path, why: &str| {
        let source = from(file, None, why);
        draft.check(Check { needs: words(needs), ..check(kind, title, run, folder, source) });
    };
    let clippy = tree.first(folder, &["clippy.toml", ".clippy.toml"]);
    let has_lints = ["/lints/clippy", "/workspace/lints/clippy"]
        .iter()
        .any(|path| manifest.value.pointer(path).is_some());
    if clippy.is_some() || has_lints {
        let place = clippy.unwrap_or_else(|| file.clone());
        let run = format!("cargo clippy --offline --quiet --all-targets{all}");
        add(
            CheckKind::Lint,
            "cargo clippy",
            run,
            &["cargo", "cargo-clippy"],
            &place,
            "the project configures clippy",
        );
    }
    if let Some(place) = tree.first(folder, &["rustfmt.toml", ".rustfmt.toml"]) {
        let why = format!("{} says how the sources are formatted", name(&place));
        add(
            CheckKind::Lint,
            "cargo fmt",
            "cargo fmt --check".to_owned(),
            &["cargo", "cargo-fmt"],
            &place,
            &why,
        );
    }
}

fn has_dependencies(value: &Value) -> bool {
    ["/dependencies", "/dev-dependencies", "/workspace/dependencies"]
        .iter()
        .any(|path| !manifest::keys(value, path).is_empty())
}

/// The programs of a package that serve. A library is none, and neither is what only tests do.
fn services(draft: &mut Draft<'_>, project: &Project, manifest: &Manifest, workspace: Option<&Path>) {
    let Some(package) = text_at(&manifest.value, "/package/name") else { return };
    let src = project.folder.join("src");
    let mains: Vec<PathBuf> = project
        .sources
        .iter()
        .filter(|code| code.path == src.join("main.rs") || code.path.parent() == Some(&src.join("bin")))
        .map(|code| code.path.clone())
        .collect();
    for main in &mains {
        let Some((file, evidence)) = serving(project, main, &mains) else { continue };
        if let Some(code) = project.source(main)
            && (code.text.contains("Subcommand") || code.text.contains("subcommand("))
        {
            draft.note(format!(
                "{} serves ({}), but it has several commands: it is not started by itself",
                shown(main),
                evidence.what
            ));
            continue;
        }
        let bin = if stem(main) == "main" {
            String::new()
        } else {
            format!(" --bin {}", candor_cards::quote(stem(main)))
        };
        // A manifest with several programs must say which.
        let bin = if bin.is_empty() && mains.len() > 1 {
            format!(" --bin {}", candor_cards::quote(package))
        } else {
            bin
        };
        let (folder, part) = match workspace {
            Some(above) => (above, format!(" -p {}", candor_cards::quote(package))),
            None => (project.folder.as_path(), String::new()),
        };
        let source = from(&file, Some(evidence.line), format!("{} calls {}", name(&file), evidence.what));
        let title = if stem(main) == "main" { package } else { stem(main) };
        let mut found = Service {
            needs: words(&["cargo"]),
            ..service(title, format!("cargo run --offline --quiet{part}{bin}"), folder, source)
        };
        project.complete(draft, &mut found, Some(main), evidence.is_http);
        draft.service(found, Some(main));
    }
}

/// Where a program serves: in its main file, or in a module of it.
fn serving(project: &Project, main: &Path, mains: &[PathBuf]) -> Option<(PathBuf, Evidence)> {
    let of = |path: &Path| {
        let code = project.source(path)?;
        source::evidence(code.language, path, without_rust_tests(&code.text))
            .map(|found| (path.to_owned(), found))
    };
    if let Some(found) = of(main) {
        return Some(found);
    }
    let main_code = project.source(main)?;
    project.sources.iter().filter(|code| !mains.contains(&code.path)).find_map(|code| {
        let module = stem(&code.path);
        let module =
            if module == "mod" { code.path.parent().map_or("", |folder| name(folder)) } else { module };
        // From a library only what the main file plainly calls: a name that serves.
        let is_called = if module == "lib" {
            ["serve", "run(", "listen", "start("].iter().any(|word| main_code.text.contains(word))
        } else {
            main_code.text.contains(&format!("mod {module}"))
                || main_code.text.contains(&format!("{module}::"))
        };
        is_called.then(|| of(&code.path)).flatten()
    })
}
