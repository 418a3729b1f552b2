//! Elixir: mix, Phoenix.

use std::path::{Path, PathBuf};

use crate::detect::draft::{Draft, check, from, line_of, service, words};
use crate::detect::probes;
use crate::detect::tree::is_aside_folder;
use crate::plan::{Check, CheckKind, Service};

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    let folders: Vec<PathBuf> = draft
        .tree
        .folders()
        .filter(|folder| !is_aside_folder(folder) && draft.tree.has(&folder.join("mix.exs")))
        // An umbrella builds its applications.
        .filter(|folder| !folder.iter().any(|part| part == "apps" || part == "deps"))
        .map(Path::to_owned)
        .collect();
    for folder in folders {
        mix(draft, &folder);
    }
}

fn mix(draft: &mut Draft<'_>, folder: &Path) {
    let file = folder.join("mix.exs");
    let text = draft.tree.text(&file).unwrap_or_else(|| "".into());
    let has_deps = text.contains("{:");
    draft.stack(if text.contains(":phoenix") { "elixir (mix, phoenix)" } else { "elixir (mix)" });
    let needs_files = if has_deps { vec![PathBuf::from("deps")] } else { Vec::new() };
    let mut add = |kind, title: &str, run: &str, why: &str, needs_files: &[PathBuf]| {
        let source = from(&file, None, why);
        draft.check(Check {
            needs: words(&["mix"]),
            needs_files: needs_files.to_vec(),
            ..check(kind, title, run, folder, source)
        });
    };
    if has_deps {
        add(CheckKind::Install, "mix deps.get", "mix deps.get", "mix.exs names dependencies", &[]);
    }
    add(
        CheckKind::Build,
        "mix compile",
        "mix compile --no-deps-check",
        "mix.exs makes this an Elixir project",
        &needs_files,
    );
    let tree = draft.tree;
    if tree.files().any(|test| test.starts_with(folder) && test.to_string_lossy().ends_with("_test.exs")) {
        let source = from(&file, None, "there are files of tests");
        draft.check(Check {
            needs: words(&["mix"]),
            needs_files: needs_files.clone(),
            ..check(CheckKind::Test, "mix test", "mix test --no-deps-check", folder, source)
        });
    }
    if tree.has(&folder.join(".formatter.exs")) {
        let source =
            from(&folder.join(".formatter.exs"), None, ".formatter.exs says how the sources are formatted");
        draft.check(Check {
            needs: words(&["mix"]),
            needs_files: needs_files.clone(),
            ..check(CheckKind::Lint, "mix format", "mix format --check-formatted", folder, source)
        });
    }
    let (command, needle, is_http) = if text.contains(":phoenix") {
        ("mix phx.server", ":phoenix", true)
    } else if text.contains("mod: {") {
        ("mix run --no-halt", "mod: {", text.contains("plug_cowboy") || text.contains("bandit"))
    } else {
        return;
    };
    let why = if is_http {
        "mix.exs has an application that serves HTTP"
    } else {
        "mix.exs starts an application of its own"
    };
    let source = from(&file, line_of(&text, needle), why);
    let mut found =
        Service { needs: words(&["mix"]), needs_files, ..service("mix", command, folder, source) };
    if is_http {
        found.probes = probes::http(draft, folder, &[]);
    }
    draft.service(found, Some(&file));
}
