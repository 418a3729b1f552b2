//! The plan while it is put together: what is there already, what is the same as something else, what is too much.

use std::path::{Path, PathBuf};

use super::tree::{Tree, shown};
use crate::plan::{Check, CheckKind, Plan, Problem, Service, Source};

/// How many checks a plan has at most. No profile runs as many.
const CHECKS_MAX: usize = 40;
/// How many services.
const SERVICES_MAX: usize = 10;
/// How many notes: a hundred of a kind tell nothing that ten do not.
const NOTES_MAX: usize = 30;

/// A plan in the making.
pub(super) struct Draft<'t> {
    pub(super) tree: &'t Tree,
    stacks: Vec<String>,
    checks: Vec<Check>,
    /// Each with the file that it starts with, where that is known.
    services: Vec<(Service, Option<PathBuf>)>,
    /// Folders with a Procfile that starts something through a tool, so that its program is not known.
    covered: Vec<PathBuf>,
    problems: Vec<Problem>,
    notes: Vec<String>,
}

impl<'t> Draft<'t> {
    pub(super) fn new(tree: &'t Tree) -> Self {
        Self {
            tree,
            stacks: Vec::new(),
            checks: Vec::new(),
            services: Vec::new(),
            covered: Vec::new(),
            problems: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Names a kind of project that was found.
    pub(super) fn stack(&mut self, name: impl Into<String>) {
        let name = name.into();
        if !self.stacks.contains(&name) {
            self.stacks.push(name);
        }
    }

    /// Takes a check, unless the same line is there for the same folder.
    pub(super) fn check(&mut self, mut check: Check) {
        if self.checks.iter().any(|known| known.run == check.run && known.cwd == check.cwd) {
            return;
        }
        check.name = unique(&named(&check.name, &check.cwd), |name| {
            self.checks.iter().any(|known| known.name == name)
        });
        self.checks.push(check);
    }

    /// Says that a Procfile starts something in this folder whose program is not known: it is what the sources will show.
    pub(super) fn cover(&mut self, folder: &Path) {
        self.covered.push(folder.to_owned());
    }

    /// Takes a service. One that is there already, the same line or the same program, only gets what it lacks.
    pub(super) fn service(&mut self, mut service: Service, program: Option<&Path>) {
        let covered = &self.covered;
        let known = self.services.iter_mut().find(|(known, file)| {
            (program.is_some() && file.as_deref() == program)
                || (known.command == service.command && known.cwd == service.cwd)
                || (file.is_none()
                    && program.is_some()
                    && known.cwd == service.cwd
                    && covered.contains(&known.cwd))
        });
        if let Some((known, _)) = known {
            if service.probes.len() > known.probes.len() {
                known.probes = service.probes;
            }
            known.logs.extend(service.logs.into_iter().filter(|_| known.logs.is_empty()).collect::<Vec<_>>());
            let lacking =
                service.env.into_iter().filter(|(name, _)| !known.env.iter().any(|(other, _)| other == name));
            known.env.extend(lacking.collect::<Vec<_>>());
            return;
        }
        service.name = unique(&named(&service.name, &service.cwd), |name| {
            self.services.iter().any(|(known, _)| known.name == name)
        });
        self.services.push((service, program.map(Path::to_owned)));
    }

    /// Whether there is a check of this kind for this folder.
    pub(super) fn has_check(&self, kind: CheckKind, folder: &Path) -> bool {
        self.checks.iter().any(|check| check.kind == kind && check.cwd == folder)
    }

    /// The checks so far.
    pub(super) fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// Whether there is a service that runs in this folder.
    pub(super) fn has_service_in(&self, folder: &Path) -> bool {
        self.services.iter().any(|(service, _)| service.cwd == folder)
    }

    /// Whether there is any service.
    pub(super) fn has_services(&self) -> bool {
        !self.services.is_empty()
    }

    pub(super) fn problem(&mut self, problem: Problem) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The plan, within its bounds.
    pub(super) fn finish(mut self) -> Plan {
        self.notes.extend(self.tree.left_out.iter().cloned());
        // What tells most comes first, so that it is not what is cut off.
        self.checks.sort_by_key(|check| (check.cwd.iter().count(), order(check.kind)));
        if self.checks.len() > CHECKS_MAX {
            self.notes.push(format!(
                "{} checks were left out: {CHECKS_MAX} are kept",
                self.checks.len() - CHECKS_MAX
            ));
            self.checks.truncate(CHECKS_MAX);
        }
        if self.services.len() > SERVICES_MAX {
            let left = self.services.len() - SERVICES_MAX;
            self.notes.push(format!("{left} services were left out: {SERVICES_MAX} are kept"));
            self.services.truncate(SERVICES_MAX);
        }
        if self.notes.len() > NOTES_MAX {
            let left = self.notes.len() - NOTES_MAX;
            self.notes.truncate(NOTES_MAX);
            self.notes.push(format!("and {left} notes more"));
        }
        Plan {
            stacks: self.stacks,
            checks: self.checks,
            services: self.services.into_iter().map(|(service, _)| service).collect(),
            problems: self.problems,
            notes: self.notes,
            ..Plan::default()
        }
    }
}

const fn order(kind: CheckKind) -> u8 {
    match kind {
        CheckKind::Install => 0,
        CheckKind::Syntax => 1,
        CheckKind::Build => 2,
        CheckKind::Types => 3,
        CheckKind::Test => 4,
        CheckKind::Lint => 5,
        CheckKind::Custom => 6,
    }
}

fn named(name: &str, folder: &Path) -> String {
    if folder.as_os_str().is_empty() { name.to_owned() } else { format!("{name} ({})", shown(folder)) }
}

fn unique(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    (2..u32::MAX).map(|number| format!("{name} {number}")).find(|name| !is_taken(name)).unwrap_or_default()
}

/// A check with nothing special about it.
pub(super) fn check(
    kind: CheckKind,
    name: &str,
    run: impl Into<String>,
    folder: &Path,
    source: Source,
) -> Check {
    Check {
        name: name.to_owned(),
        kind,
        run: run.into(),
        cwd: folder.to_owned(),
        env: Vec::new(),
        timeout: None,
        needs: Vec::new(),
        needs_files: Vec::new(),
        source,
    }
}

/// A service with nothing special about it.
pub(super) fn service(name: &str, command: impl Into<String>, folder: &Path, source: Source) -> Service {
    Service::new(name, command, folder.to_owned(), source)
}

/// Where something was found.
pub(super) fn from(file: &Path, line: Option<u32>, why: impl Into<String>) -> Source {
    Source { file: file.to_owned(), line, declared: false, why: why.into() }
}

/// Owned words.
pub(super) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Owned variables.
pub(super) fn vars(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The line, from 1, on which this text first stands.
pub(super) fn line_of(text: &str, needle: &str) -> Option<u32> {
    let at = text.find(needle)?;
    Some(line_at(text, at))
}

/// The line, from 1, that this byte is on.
pub(super) fn line_at(text: &str, at: usize) -> u32 {
    let before = text.get(..at).unwrap_or(text);
    u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX).saturating_add(1)
}

/// A shell line that has a folder of its own as `$d`, which is gone afterwards.
pub(super) fn in_temp(line: &str) -> String {
    format!("d=$(mktemp -d) && {{ {line}; }}; s=$?; rm -rf \"$d\"; exit $s")
}
