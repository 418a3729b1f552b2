//! Java and Kotlin: Maven, Gradle, and files with a main of their own.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::detect::draft::{Draft, check, from, in_temp, line_of, service, words};
use crate::detect::project::{Entry, Project, inside, listed, projects};
use crate::detect::signs::pattern;
use crate::detect::tree::{ending, is_aside, name, shown, stem};
use crate::plan::{Check, CheckKind, Service, Source};

const GRADLE: &[&str] = &["build.gradle", "build.gradle.kts"];
const MANIFESTS: &[&str] =
    &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    let all = projects(draft.tree, MANIFESTS, &["java", "kt"]);
    // The outermost build knows its parts.
    let mut outer: Vec<PathBuf> = Vec::new();
    for project in &all {
        let folder = &project.folder;
        let pom = folder.join("pom.xml");
        let gradle = draft.tree.first(folder, GRADLE).or_else(|| draft.tree.first(folder, MANIFESTS));
        let is_part = outer.iter().any(|above| folder != above && folder.starts_with(above));
        if draft.tree.has(&pom) {
            maven(draft, project, &pom, is_part);
            outer.push(folder.clone());
        } else if let Some(gradle) = gradle {
            gradle_build(draft, project, &gradle, is_part);
            outer.push(folder.clone());
        } else {
            bare(draft, project);
        }
    }
}

fn has_tests(draft: &Draft<'_>, folder: &Path) -> Option<PathBuf> {
    draft
        .tree
        .files()
        .find(|file| file.starts_with(folder) && matches!(ending(file), "java" | "kt") && is_aside(file))
        .map(Path::to_owned)
}

fn maven(draft: &mut Draft<'_>, project: &Project, pom: &Path, is_part: bool) {
    let folder = &project.folder;
    let text = draft.tree.text(pom).unwrap_or_else(|| "".into());
    let program = if draft.tree.has(&folder.join("mvnw")) { "./mvnw" } else { "mvn" };
    let needs = if program == "mvn" { words(&["java", "mvn"]) } else { words(&["java"]) };
    let from_pom = |why: &str| from(pom, None, why);
    if !is_part {
        draft.stack("java (maven)");
        let mut add = |kind, title: &str, run: String, source| {
            draft.check(Check { needs: needs.clone(), ..check(kind, title, run, folder, source) });
        };
        add(
            CheckKind::Build,
            "mvn compile",
            format!("{program} -o -q -B compile"),
            from_pom("pom.xml makes this a Maven project"),
        );
        add(
            CheckKind::Install,
            "mvn dependencies",
            format!("{program} -q -B dependency:go-offline"),
            from_pom("pom.xml names plugins and dependencies"),
        );
        if let Some(file) = has_tests(draft, folder) {
            let source = from(&file, None, format!("{} has tests", name(&file)));
            draft.check(Check {
                needs: needs.clone(),
                ..check(CheckKind::Test, "mvn test", format!("{program} -o -q -B test"), folder, source)
            });
        }
    }
    if text.contains("spring-boot-maven-plugin") {
        let source =
            from(pom, line_of(&text, "spring-boot-maven-plugin"), "pom.xml has the plugin of Spring Boot");
        push(
            draft,
            project,
            service("spring-boot", format!("{program} -o -q -B spring-boot:run"), folder, source),
            None,
            needs,
        );
        return;
    }
    let Some(entry) = project.entries().into_iter().next() else { return };
    if text.contains("<dependency>") && !text.contains("<scope>test</scope>") {
        draft.note(format!("{} serves, but how it is started with its dependencies is not known: declare it in .candor/verify.yaml", shown(&entry.file)));
        return;
    }
    let Some(class) = class_name(project, &entry.file) else { return };
    let command = format!("{program} -o -q -B compile && exec java -cp target/classes {class}");
    push(draft, project, service(stem(&entry.file), command, folder, because(&entry)), Some(&entry), needs);
}

fn gradle_build(draft: &mut Draft<'_>, project: &Project, file: &Path, is_part: bool) {
    let folder = &project.folder;
    let text = draft.tree.text(file).unwrap_or_else(|| "".into());
    let program = if draft.tree.has(&folder.join("gradlew")) { "./gradlew" } else { "gradle" };
    let needs = if program == "gradle" { words(&["java", "gradle"]) } else { words(&["java"]) };
    // Its daemon would outlive the check.
    let gradle = format!("{program} --offline --no-daemon -q");
    if !is_part {
        draft.stack("java (gradle)");
        let why = format!("{} makes this a Gradle project", name(file));
        draft.check(Check {
            needs: needs.clone(),
            ..check(
                CheckKind::Build,
                "gradle classes",
                format!("{gradle} classes"),
                folder,
                from(file, None, why),
            )
        });
        if let Some(test) = has_tests(draft, folder) {
            let source = from(&test, None, format!("{} has tests", name(&test)));
            draft.check(Check {
                needs: needs.clone(),
                ..check(CheckKind::Test, "gradle test", format!("{gradle} test"), folder, source)
            });
        }
    }
    if text.contains("org.springframework.boot") {
        let source = from(
            file,
            line_of(&text, "org.springframework.boot"),
            format!("{} has the plugin of Spring Boot", name(file)),
        );
        push(
            draft,
            project,
            service("spring-boot", format!("{gradle} bootRun"), folder, source),
            None,
            needs,
        );
    } else if text.contains("application")
        && let Some(entry) = project.entries().into_iter().next()
    {
        push(
            draft,
            project,
            service(stem(&entry.file), format!("{gradle} run"), folder, because(&entry)),
            Some(&entry),
            needs,
        );
    }
}

fn because(entry: &Entry) -> Source {
    from(
        &entry.seen_in,
        Some(entry.evidence.line),
        format!("{} calls {}", name(&entry.seen_in), entry.evidence.what),
    )
}

fn push(draft: &mut Draft<'_>, project: &Project, base: Service, entry: Option<&Entry>, needs: Vec<String>) {
    let mut found = Service { needs, ..base };
    project.complete(
        draft,
        &mut found,
        entry.map(|entry| entry.file.as_path()),
        entry.is_none_or(|entry| entry.evidence.is_http),
    );
    draft.service(found, entry.map(|entry| entry.file.as_path()));
}

/// Sources without a build: compiled into a folder that is thrown away.
fn bare(draft: &mut Draft<'_>, project: &Project) {
    let sources: Vec<&Path> = project
        .files
        .iter()
        .map(PathBuf::as_path)
        .filter(|file| ending(file) == "java" && !is_aside(file))
        .collect();
    let Some(first) = sources.first() else { return };
    draft.stack("java");
    let folder = &project.folder;
    let (list, _) = listed(folder, &sources, 500);
    let source = from(first, None, "there are Java files without a build");
    draft.check(Check {
        needs: words(&["javac"]),
        ..check(CheckKind::Build, "javac", in_temp(&format!("javac -d \"$d\" {list}")), folder, source)
    });
    for entry in project.entries() {
        let Some(class) = class_name(project, &entry.file) else { continue };
        let command = if sources.len() == 1 {
            format!("java {}", inside(folder, &entry.file))
        } else {
            format!("d=$(mktemp -d) && javac -d \"$d\" {list} && exec java -cp \"$d\" {class}")
        };
        let base = service(stem(&entry.file), command, folder, because(&entry));
        push(draft, project, base, Some(&entry), words(&["java", "javac"]));
    }
}

fn class_name(project: &Project, file: &Path) -> Option<String> {
    static PACKAGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^\s*package\s+([\w.]+)"));
    let code = project.source(file)?;
    let package = PACKAGE
        .captures(&code.text)
        .and_then(|found| found.get(1))
        .map(|package| format!("{}.", package.as_str()))
        .unwrap_or_default();
    let suffix = if ending(file) == "kt" { "Kt" } else { "" };
    Some(format!("{package}{}{suffix}", stem(file)))
}
