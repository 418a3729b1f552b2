//! Perl: syntax, prove, plain files that serve.

use std::path::{Path, PathBuf};

use crate::detect::draft::{Draft, check, from, service, words};
use crate::detect::project::{inside, listed, projects};
use crate::detect::tree::{ending, name, stem};
use crate::plan::{Check, CheckKind, Service};

/// How many files are looked at one by one.
const SYNTAX_FILES_MAX: usize = 200;

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    for project in projects(draft.tree, &["cpanfile", "Makefile.PL", "Build.PL"], &["pl", "psgi", "pm"]) {
        let folder = &project.folder;
        let files: Vec<&Path> = project
            .files
            .iter()
            .map(PathBuf::as_path)
            .filter(|file| matches!(ending(file), "pl" | "psgi" | "pm"))
            .collect();
        let Some(first) = files.first() else { continue };
        draft.stack("perl");
        let (list, _) = listed(folder, &files, SYNTAX_FILES_MAX);
        let source = from(first, None, "there are Perl files");
        // It says that all is well on the stream for errors.
        let run = format!(
            "s=0; for f in {list}; do o=$(perl -Ilib -I. -c \"$f\" 2>&1) || {{ echo \"$o\"; s=1; }}; done; exit $s"
        );
        draft.check(Check {
            needs: words(&["perl"]),
            ..check(CheckKind::Syntax, "perl syntax", run, folder, source)
        });
        let test =
            draft.tree.files().find(|file| ending(file) == "t" && file.parent() == Some(&folder.join("t")));
        if let Some(test) = test.map(Path::to_owned) {
            let source = from(&test, None, format!("{} has tests", name(&test)));
            draft.check(Check {
                needs: words(&["perl", "prove"]),
                ..check(CheckKind::Test, "prove", "prove -l -I. -r t", folder, source)
            });
        }
        for entry in project.entries() {
            let is_mojo =
                project.source(&entry.file).is_some_and(|code| code.text.contains("Mojolicious::Lite"));
            let words_after = if is_mojo { " daemon -l http://127.0.0.1:3000" } else { "" };
            let command = format!("perl {}{words_after}", inside(folder, &entry.file));
            let source = from(
                &entry.seen_in,
                Some(entry.evidence.line),
                format!("{} uses {}", name(&entry.seen_in), entry.evidence.what),
            );
            let mut found =
                Service { needs: words(&["perl"]), ..service(stem(&entry.file), command, folder, source) };
            project.complete(draft, &mut found, Some(&entry.file), entry.evidence.is_http);
            draft.service(found, Some(&entry.file));
        }
    }
}
