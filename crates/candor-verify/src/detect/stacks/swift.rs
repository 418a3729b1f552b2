//! Swift packages.

use std::path::{Path, PathBuf};

use crate::detect::draft::{Draft, check, from, line_of, service, words};
use crate::detect::probes;
use crate::detect::tree::{ending, is_aside_folder};
use crate::plan::{Check, CheckKind, Service};

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    let folders: Vec<PathBuf> = draft
        .tree
        .folders()
        .filter(|folder| !is_aside_folder(folder) && draft.tree.has(&folder.join("Package.swift")))
        .map(Path::to_owned)
        .collect();
    for folder in folders {
        package(draft, &folder);
    }
}

fn package(draft: &mut Draft<'_>, folder: &Path) {
    let file = folder.join("Package.swift");
    let text = draft.tree.text(&file).unwrap_or_else(|| "".into());
    draft.stack("swift");
    let why = || from(&file, None, "Package.swift makes this a Swift package");
    // What is resolved is used as it is: nothing is looked for elsewhere.
    let fixed = "--disable-automatic-resolution --skip-update";
    let needs = || words(&["swift"]);
    draft.check(Check {
        needs: needs(),
        ..check(CheckKind::Build, "swift build", format!("swift build {fixed}"), folder, why())
    });
    if draft.tree.files().any(|test| test.starts_with(folder.join("Tests")) && ending(test) == "swift") {
        let source = from(&file, line_of(&text, "testTarget"), "there is a folder of tests");
        draft.check(Check {
            needs: needs(),
            ..check(CheckKind::Test, "swift test", format!("swift test {fixed}"), folder, source)
        });
    }
    if text.contains(".package(") {
        let source = from(&file, line_of(&text, ".package("), "Package.swift names dependencies");
        draft.check(Check {
            needs: needs(),
            ..check(CheckKind::Install, "swift resolve", "swift package resolve", folder, source)
        });
    }
    if let Some(library) =
        ["vapor", "hummingbird"].into_iter().find(|name| text.to_ascii_lowercase().contains(name))
    {
        let source =
            from(&file, line_of(&text.to_ascii_lowercase(), library), format!("Package.swift has {library}"));
        let mut found =
            Service { needs: needs(), ..service("swift", format!("swift run {fixed}"), folder, source) };
        found.probes = probes::http(draft, folder, &[]);
        draft.service(found, Some(&file));
    }
}
