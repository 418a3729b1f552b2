//! PHP: composer; phpunit, pest, phpstan; artisan, the built-in server, plain files.

use std::path::{Path, PathBuf};

use crate::detect::deps::Read;
use crate::detect::draft::{Draft, check, from, line_of, service, words};
use crate::detect::manifest::{self, Format};
use crate::detect::project::{Project, each, inside, listed, projects};
use crate::detect::tree::{name, stem};
use crate::plan::{Check, CheckKind, Service};

/// How many files are looked at one by one.
const SYNTAX_FILES_MAX: usize = 200;

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    for project in
        projects(draft.tree, &["composer.json"], &["php"]).iter().filter(|project| !project.files.is_empty())
    {
        let folder = &project.folder;
        let file = folder.join("composer.json");
        let composer = manifest::read(draft, &file, Format::Json);
        draft.stack(if composer.is_some() { "php (composer)" } else { "php" });
        let packages: Vec<String> = composer
            .iter()
            .flat_map(|read| required(&read.value))
            .filter(|name| name.contains('/'))
            .collect();
        syntax(draft, project);
        if !packages.is_empty() {
            let source = from(&file, None, "composer.json requires packages");
            let run = "composer install --no-interaction --quiet";
            draft.check(Check {
                needs: words(&["php", "composer"]),
                ..check(CheckKind::Install, "composer install", run, folder, source)
            });
        }
        tools(draft, folder);
        services(draft, project, !packages.is_empty());
    }
}

fn required(value: &serde_json::Value) -> Vec<String> {
    ["/require", "/require-dev"]
        .into_iter()
        .flat_map(|path| manifest::keys(value, path))
        .map(str::to_owned)
        .collect()
}

/// What `composer.json` requires, for whoever has only its text.
pub(in crate::detect) fn packages(read: Read<'_>) -> Vec<String> {
    read("composer.json")
        .and_then(|text| manifest::parse(&text, Format::Json).ok())
        .map(|value| required(&value))
        .unwrap_or_default()
}

fn syntax(draft: &mut Draft<'_>, project: &Project) {
    let files: Vec<&Path> = project.files.iter().map(PathBuf::as_path).collect();
    let Some(first) = files.first() else { return };
    let (list, _) = listed(&project.folder, &files, SYNTAX_FILES_MAX);
    let run = each("php -l", &list).replace("\"$f\"", "\"$f\" > /dev/null");
    let source = from(first, None, "there are PHP files");
    draft.check(Check {
        needs: words(&["php"]),
        ..check(CheckKind::Syntax, "php syntax", run, &project.folder, source)
    });
}

/// What a project configures and keeps in its vendor folder.
fn tools(draft: &mut Draft<'_>, folder: &Path) {
    const TOOLS: &[(CheckKind, &str, &str, &str, &[&str])] = &[
        (CheckKind::Test, "pest", "vendor/bin/pest", "vendor/bin/pest", &["tests/Pest.php"]),
        (
            CheckKind::Test,
            "phpunit",
            "vendor/bin/phpunit",
            "vendor/bin/phpunit --do-not-cache-result",
            &["phpunit.xml", "phpunit.xml.dist"],
        ),
        (
            CheckKind::Types,
            "phpstan",
            "vendor/bin/phpstan",
            "vendor/bin/phpstan analyse --no-progress",
            &["phpstan.neon", "phpstan.neon.dist"],
        ),
        (
            CheckKind::Lint,
            "phpcs",
            "vendor/bin/phpcs",
            "vendor/bin/phpcs -q",
            &["phpcs.xml", "phpcs.xml.dist", ".phpcs.xml"],
        ),
    ];
    for (kind, title, program, run, files) in TOOLS {
        let Some(file) = draft.tree.first(folder, files) else { continue };
        if *title == "phpunit" && draft.has_check(CheckKind::Test, folder) {
            continue;
        }
        let source = from(&file, None, format!("{} configures {title}", name(&file)));
        draft.check(Check {
            needs: words(&["php"]),
            needs_files: vec![PathBuf::from(program)],
            ..check(*kind, title, *run, folder, source)
        });
    }
}

fn services(draft: &mut Draft<'_>, project: &Project, has_packages: bool) {
    let folder = &project.folder;
    let needs_files = if has_packages { vec![PathBuf::from("vendor")] } else { Vec::new() };
    let push = |draft: &mut Draft<'_>, base: Service, program: &Path, is_http: bool| {
        let mut found = Service { needs: words(&["php"]), needs_files: needs_files.clone(), ..base };
        project.complete(draft, &mut found, Some(program), is_http);
        draft.service(found, Some(program));
    };
    let artisan = folder.join("artisan");
    if draft.tree.has(&artisan) {
        let source = from(&artisan, None, "artisan belongs to a Laravel project");
        push(
            draft,
            service("laravel", "php artisan serve --host=127.0.0.1 --port=8000", folder, source),
            &artisan,
            true,
        );
        return;
    }
    let entries = project.entries();
    for entry in &entries {
        let source = from(
            &entry.seen_in,
            Some(entry.evidence.line),
            format!("{} calls {}", name(&entry.seen_in), entry.evidence.what),
        );
        push(
            draft,
            service(stem(&entry.file), format!("php {}", inside(folder, &entry.file)), folder, source),
            &entry.file,
            entry.evidence.is_http,
        );
    }
    if let Some(index) = draft
        .tree
        .first(folder, &["public/index.php", "web/index.php", "index.php", "router.php"])
        .filter(|_| entries.is_empty())
    {
        let place = index
            .parent()
            .and_then(|parent| parent.strip_prefix(folder).ok())
            .map(|place| place.display().to_string())
            .unwrap_or_default();
        let root = if place.is_empty() { String::new() } else { format!(" -t {place}") };
        let router = if name(&index) == "router.php" { " router.php" } else { "" };
        let line = draft.tree.text(&index).and_then(|text| line_of(&text, "<?php"));
        let source = from(&index, line, format!("{} is a page", name(&index)));
        push(
            draft,
            service("php", format!("php -S 127.0.0.1:8000{root}{router}"), folder, source),
            &index,
            true,
        );
    }
}
