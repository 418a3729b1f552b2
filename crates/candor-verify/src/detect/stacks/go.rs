//! Go: modules, and files without one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::detect::draft::{Draft, check, from, service, vars, words};
use crate::detect::project::{Project, listed, projects};
use crate::detect::source;
use crate::detect::tree::{name, shown};
use crate::plan::{Check, CheckKind, Service};

/// Nothing is fetched: no modules, no other toolchain, no telemetry.
fn env() -> Vec<(String, String)> {
    vars(&[("GOPROXY", "off"), ("GOTOOLCHAIN", "local"), ("GOTELEMETRY", "off")])
}

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    for project in
        projects(draft.tree, &["go.mod"], &["go"]).iter().filter(|project| !project.files.is_empty())
    {
        let manifest = project.folder.join("go.mod");
        let has_module = draft.tree.has(&manifest);
        draft.stack(if has_module { "go (modules)" } else { "go" });
        if has_module {
            module(draft, project, &manifest);
        } else {
            files(draft, project);
        }
        services(draft, project, has_module);
    }
}

fn add(
    draft: &mut Draft<'_>,
    kind: CheckKind,
    title: &str,
    run: String,
    folder: &Path,
    source: crate::plan::Source,
) {
    draft.check(Check { env: env(), needs: words(&["go"]), ..check(kind, title, run, folder, source) });
}

fn module(draft: &mut Draft<'_>, project: &Project, manifest: &Path) {
    let folder = &project.folder;
    let why = || from(manifest, None, "go.mod makes this a Go module");
    // Into nowhere: a single program would otherwise be left in the folder.
    add(draft, CheckKind::Build, "go build", "go build -o /dev/null ./...".to_owned(), folder, why());
    add(draft, CheckKind::Lint, "go vet", "go vet ./...".to_owned(), folder, why());
    if let Some(file) = project.files.iter().find(|file| name(file).ends_with("_test.go")) {
        let source = from(file, None, format!("{} has tests", name(file)));
        add(draft, CheckKind::Test, "go test", "go test ./...".to_owned(), folder, source);
    }
    let text = draft.tree.text(manifest).unwrap_or_else(|| "".into());
    if text.contains("require") && !draft.tree.exists(&folder.join("vendor")) {
        let source = from(manifest, None, "go.mod names dependencies");
        draft.check(Check {
            needs: words(&["go"]),
            ..check(CheckKind::Install, "go mod download", "go mod download", folder, source)
        });
    }
    if let Some(file) = draft.tree.first(folder, &[".golangci.yml", ".golangci.yaml", ".golangci.toml"]) {
        let source = from(&file, None, format!("{} configures golangci-lint", name(&file)));
        draft.check(Check {
            env: env(),
            needs: words(&["go", "golangci-lint"]),
            ..check(CheckKind::Lint, "golangci-lint", "golangci-lint run", folder, source)
        });
    }
}

/// The files of one folder are one program.
fn files(draft: &mut Draft<'_>, project: &Project) {
    let folders: BTreeSet<PathBuf> =
        project.sources.iter().filter_map(|code| code.path.parent()).map(Path::to_owned).collect();
    for folder in folders {
        let own: Vec<&Path> = project
            .sources
            .iter()
            .map(|code| code.path.as_path())
            .filter(|path| path.parent() == Some(&folder))
            .collect();
        let (list, _) = listed(&folder, &own, 200);
        let source =
            from(own.first().copied().unwrap_or(&folder), None, "there are Go files without a module");
        add(draft, CheckKind::Build, "go build", format!("go build -o /dev/null {list}"), &folder, source);
    }
}

fn services(draft: &mut Draft<'_>, project: &Project, has_module: bool) {
    let mains: BTreeSet<PathBuf> = project
        .sources
        .iter()
        .filter(|code| code.text.contains("package main") && code.text.contains("func main("))
        .filter_map(|code| code.path.parent())
        .map(Path::to_owned)
        .collect();
    for main in &mains {
        let own = |path: &Path| path.parent() == Some(main);
        // What serves stands in the program's folder, or in a package if there is only one program that can use it.
        let found = project
            .sources
            .iter()
            .filter(|code| own(&code.path) || (mains.len() == 1 && has_module))
            .find_map(|code| Some((code, source::evidence(code.language, &code.path, &code.text)?)));
        let Some((code, evidence)) = found else { continue };
        let relative = main.strip_prefix(&project.folder).unwrap_or(main);
        let place =
            if relative.as_os_str().is_empty() { ".".to_owned() } else { format!("./{}", shown(relative)) };
        let command = if has_module {
            format!("go run {}", candor_cards::quote(&place))
        } else {
            let files: Vec<&Path> =
                project.sources.iter().map(|code| code.path.as_path()).filter(|path| own(path)).collect();
            format!("go run {}", listed(&project.folder, &files, 200).0)
        };
        let source =
            from(&code.path, Some(evidence.line), format!("{} calls {}", name(&code.path), evidence.what));
        let title = if relative.as_os_str().is_empty() { "go" } else { name(relative) };
        let mut found =
            Service { env: env(), needs: words(&["go"]), ..service(title, command, &project.folder, source) };
        project.complete(draft, &mut found, None, evidence.is_http);
        draft.service(found, Some(&main.join("main.go")));
    }
}
