//! `Procfile`: what a project says that it runs.

use std::path::{Path, PathBuf};

use super::draft::{Draft, from, service, words};
use super::probes;
use super::tree::is_aside_folder;
use crate::classify;
use crate::plan::Service;

pub(super) fn detect(draft: &mut Draft<'_>) {
    let files: Vec<PathBuf> = draft
        .tree
        .folders()
        .filter(|folder| !is_aside_folder(folder))
        .filter_map(|folder| draft.tree.first(folder, &["Procfile"]))
        .collect();
    for file in files {
        let text = draft.tree.text(&file).unwrap_or_else(|| "".into());
        let mut are_known = true;
        for (number, line) in text.lines().enumerate() {
            let Some((kind, command)) = line.split_once(':') else { continue };
            // `release` runs once, before anything is started, on machines that are not this one.
            if !line.starts_with(|first: char| first.is_alphanumeric())
                || kind.trim() == "release"
                || command.trim().is_empty()
            {
                continue;
            }
            are_known &= add(draft, &file, kind.trim(), command.trim(), u32::try_from(number + 1).ok());
        }
        if !are_known {
            draft.cover(file.parent().unwrap_or(Path::new("")));
        }
    }
}

/// Whether the file that it starts is known.
fn add(draft: &mut Draft<'_>, file: &Path, kind: &str, line: &str, number: Option<u32>) -> bool {
    let folder = file.parent().unwrap_or(Path::new(""));
    let known = classify::service(line);
    let (command, mut env) =
        known.map_or_else(|| (line.to_owned(), Vec::new()), |found| (found.command, found.env));
    let program = command
        .split_whitespace()
        .find(|word| [".py", ".js", ".rb", ".ts"].iter().any(|end| word.ends_with(end)));
    let program = program
        .map(|program| folder.join(program.trim_start_matches("./")))
        .or_else(|| application(draft, folder, &command));
    // Python keeps what it prints to itself otherwise, until its buffer is full.
    env.push(("PYTHONUNBUFFERED".to_owned(), "1".to_owned()));
    // The platform sets it, and nobody else.
    if line.contains("$PORT") || line.contains("${PORT") {
        env.push(("PORT".to_owned(), "8000".to_owned()));
    }
    let source = from(file, number, format!("Procfile says that {kind} is started so"));
    let first = command.split_whitespace().next().unwrap_or_default().to_owned();
    let needs = if first.contains(['/', '=', '$']) { Vec::new() } else { words(&[&first]) };
    let mut found = Service { env, needs, ..service(kind, command, folder, source) };
    if kind == "web" {
        found.probes = probes::http(draft, folder, &[]);
    }
    draft.service(found, program.as_deref());
    program.is_some()
}

/// The file behind `gunicorn app:app`.
fn application(draft: &Draft<'_>, folder: &Path, command: &str) -> Option<PathBuf> {
    let (module, _) = command
        .split_whitespace()
        .find_map(|word| word.split_once(':').filter(|(module, _)| !module.contains(['/', '-', '='])))?;
    let file = folder.join(format!("{}.py", module.replace('.', "/")));
    draft.tree.has(&file).then_some(file)
}
