//! C and C++: `CMake`, and files without a build. Makefiles are read with the other targets.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::detect::draft::{Draft, check, from, in_temp, service, words};
use crate::detect::project::{Project, listed, projects};
use crate::detect::signs::pattern;
use crate::detect::tree::{ending, is_aside_folder, name, stem};
use crate::plan::{Check, CheckKind, Service};

const ENDINGS: &[&str] = &["c", "cc", "cpp", "cxx"];
const MAKEFILES: &[&str] = &["Makefile", "makefile", "GNUmakefile"];
/// Builds of other tools, which are not ours to run but explain the files.
const OTHER_BUILDS: &[&str] = &[
    "meson.build",
    "configure.ac",
    "configure",
    "BUILD.bazel",
    "SConstruct",
    "Cargo.toml",
    "setup.py",
    "binding.gyp",
    "go.mod",
];
/// Where `CMake` builds: kept for the next time in the same session, and never among the sources.
const BUILD: &str = "\"${TMPDIR:-/tmp}/candor-cmake-$(pwd | cksum | cut -d' ' -f1)\"";

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    let cmake: Vec<PathBuf> = draft
        .tree
        .folders()
        .filter(|folder| !is_aside_folder(folder) && draft.tree.has(&folder.join("CMakeLists.txt")))
        .map(Path::to_owned)
        .collect();
    for folder in
        cmake.iter().filter(|folder| !cmake.iter().any(|above| *folder != above && folder.starts_with(above)))
    {
        cmake_build(draft, folder);
    }
    for project in projects(draft.tree, &["CMakeLists.txt", "Makefile", "makefile", "GNUmakefile"], ENDINGS) {
        let has_cmake = cmake.iter().any(|folder| project.folder.starts_with(folder));
        let has_other = draft.tree.first(&project.folder, OTHER_BUILDS).is_some();
        if project.files.is_empty() || has_cmake || has_other {
            continue;
        }
        match draft.tree.first(&project.folder, MAKEFILES) {
            Some(file) => made(draft, &project, &file),
            None => bare(draft, &project),
        }
    }
}

fn cmake_build(draft: &mut Draft<'_>, folder: &Path) {
    draft.stack("c/c++ (cmake)");
    let file = folder.join("CMakeLists.txt");
    let text = draft.tree.text(&file).unwrap_or_else(|| "".into());
    let build = format!(
        "b={BUILD}; mkdir -p \"$b\" && cmake -S . -B \"$b\" -Wno-dev > \"$b/configure.txt\" 2>&1 \
         || {{ cat \"$b/configure.txt\"; exit 1; }}; cmake --build \"$b\" -j 2"
    );
    let source = || from(&file, None, "CMakeLists.txt says how it is built");
    draft.check(Check {
        needs: words(&["cmake"]),
        ..check(CheckKind::Build, "cmake build", &build, folder, source())
    });
    if text.contains("enable_testing") || text.contains("include(CTest)") || text.contains("add_test(") {
        let run = format!(
            "{{ {build}; }} > /dev/null && ctest --test-dir \"$b\" --output-on-failure --no-tests=error"
        );
        let source = from(&file, crate::detect::draft::line_of(&text, "test"), "CMakeLists.txt adds tests");
        draft.check(Check {
            needs: words(&["cmake", "ctest"]),
            ..check(CheckKind::Test, "ctest", run, folder, source)
        });
    }
}

/// A server that a Makefile builds is started by the name that the Makefile gives it.
fn made(draft: &mut Draft<'_>, project: &Project, makefile: &Path) {
    static OUTPUT: LazyLock<Regex> = LazyLock::new(|| pattern(r"-o\s+(?:\./)?([A-Za-z][\w-]*)\b"));
    static TARGET: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^([A-Za-z][\w-]*)\s*:"));
    let text = draft.tree.text(makefile).unwrap_or_else(|| "".into());
    for entry in project.entries() {
        let names: Vec<&str> = OUTPUT
            .captures_iter(&text)
            .chain(TARGET.captures_iter(&text))
            .filter_map(|found| found.get(1))
            .map(|name| name.as_str())
            .collect();
        let Some(program) = names
            .iter()
            .find(|name| **name == stem(&entry.file))
            .or(OUTPUT.captures_iter(&text).next().and(names.first()))
        else {
            continue;
        };
        let source = from(
            &entry.seen_in,
            Some(entry.evidence.line),
            format!("{} calls {}", name(&entry.seen_in), entry.evidence.what),
        );
        let base =
            service(program, format!("make -s {program} && exec ./{program}"), &project.folder, source);
        let mut found = Service { needs: words(&["make", "cc"]), ..base };
        project.complete(draft, &mut found, Some(&entry.file), entry.evidence.is_http);
        draft.service(found, Some(&entry.file));
    }
}

fn compiler(file: &Path) -> &'static str {
    if ending(file) == "c" { "cc" } else { "c++" }
}

fn bare(draft: &mut Draft<'_>, project: &Project) {
    draft.stack("c/c++");
    let folder = &project.folder;
    let paths: Vec<&Path> = project.sources.iter().map(|code| code.path.as_path()).collect();
    let Some(first) = paths.first() else { return };
    let program = if paths.iter().any(|file| compiler(file) == "c++") { "c++" } else { "cc" };
    let (list, _) = listed(folder, &paths, 200);
    let mains: Vec<&Path> =
        project.sources.iter().filter(|code| has_main(&code.text)).map(|code| code.path.as_path()).collect();
    let source = from(first, None, "there are C or C++ files without a build");
    // One program can be linked as a whole; of several it is not known what belongs together.
    let (kind, title, run) = if mains.len() == 1 {
        (
            CheckKind::Build,
            "compile and link",
            in_temp(&format!("{program} -o \"$d/program\" {list} -lm -lpthread")),
        )
    } else {
        (CheckKind::Syntax, "compile", format!("{program} -fsyntax-only {list}"))
    };
    draft.check(Check { needs: words(&[program]), ..check(kind, title, run, folder, source) });
    for entry in project.entries() {
        let files =
            if mains.len() == 1 { list.clone() } else { listed(folder, &[entry.file.as_path()], 1).0 };
        let command = format!(
            "d=$(mktemp -d) && {program} -o \"$d/program\" {files} -lm -lpthread && exec \"$d/program\""
        );
        let source = from(
            &entry.seen_in,
            Some(entry.evidence.line),
            format!("{} calls {}", name(&entry.seen_in), entry.evidence.what),
        );
        let mut found =
            Service { needs: words(&[program]), ..service(stem(&entry.file), command, folder, source) };
        project.complete(draft, &mut found, Some(&entry.file), entry.evidence.is_http);
        draft.service(found, Some(&entry.file));
    }
}

fn has_main(text: &str) -> bool {
    static MAIN: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^\s*(?:int|auto|void)\s+main\s*\("));
    MAIN.is_match(text)
}
