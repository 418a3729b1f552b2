//! Shell scripts: whether a shell can read them, tests of bats, loops that are services.

use std::path::{Path, PathBuf};

use crate::detect::draft::{Draft, check, from, service, words};
use crate::detect::project::{each, inside, listed, projects};
use crate::detect::tree::{ending, name, stem};
use crate::plan::{Check, CheckKind, Service};

/// How many files are looked at one by one.
const SYNTAX_FILES_MAX: usize = 200;

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    for project in
        projects(draft.tree, &[], &["sh", "bash"]).iter().filter(|project| !project.files.is_empty())
    {
        let folder = &project.folder;
        draft.stack("shell");
        for shell in ["sh", "bash"] {
            let files: Vec<&Path> = project
                .files
                .iter()
                .map(PathBuf::as_path)
                .filter(|file| shell_of(draft, file) == shell)
                .collect();
            let Some(first) = files.first() else { continue };
            let (list, _) = listed(folder, &files, SYNTAX_FILES_MAX);
            let source = from(first, None, format!("there are scripts for {shell}"));
            let run = each(&format!("{shell} -n"), &list);
            draft.check(Check {
                needs: words(&[shell]),
                ..check(CheckKind::Syntax, &format!("{shell} syntax"), run, folder, source)
            });
        }
        for entry in project.entries() {
            let shell = shell_of(draft, &entry.file);
            let source = from(
                &entry.seen_in,
                Some(entry.evidence.line),
                format!("{} is a loop without an end ({})", name(&entry.seen_in), entry.evidence.what),
            );
            let command = format!("{shell} {}", inside(folder, &entry.file));
            let mut found =
                Service { needs: words(&[shell]), ..service(stem(&entry.file), command, folder, source) };
            project.complete(draft, &mut found, Some(&entry.file), entry.evidence.is_http);
            draft.service(found, Some(&entry.file));
        }
    }
    bats(draft);
}

/// The shell that a script is for: what its first line says, else its ending.
fn shell_of(draft: &Draft<'_>, file: &Path) -> &'static str {
    let text = draft.tree.text(file);
    let first = text
        .as_deref()
        .and_then(|text| text.lines().next())
        .filter(|line| line.starts_with("#!"))
        .unwrap_or_default();
    match first {
        line if line.contains("bash") => "bash",
        // Neither sh nor bash can judge these.
        line if ["zsh", "fish", "ksh", "python", "perl", "node", "ruby"]
            .iter()
            .any(|other| line.contains(other)) =>
        {
            ""
        }
        "" if ending(file) == "bash" => "bash",
        _ => "sh",
    }
}

fn bats(draft: &mut Draft<'_>) {
    let Some(file) = draft.tree.files().find(|file| ending(file) == "bats").map(Path::to_owned) else {
        return;
    };
    let folder = file.parent().unwrap_or(Path::new("")).display().to_string();
    let place = if folder.is_empty() { ".".to_owned() } else { candor_cards::quote(&folder) };
    let source = from(&file, None, format!("{} has tests for bats", name(&file)));
    draft.check(Check {
        needs: words(&["bats"]),
        ..check(CheckKind::Test, "bats", format!("bats {place}"), Path::new(""), source)
    });
}
