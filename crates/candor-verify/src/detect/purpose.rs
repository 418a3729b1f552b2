//! What a command line of the project's own is for, and whether it says the same as another one.

use crate::plan::CheckKind;

/// Lines that are plainly a check. The words must stand in the line in this order, each as a whole word.
const PURPOSES: &[(CheckKind, &[&str])] = &[
    (CheckKind::Test, &["cargo", "test"]),
    (CheckKind::Test, &["cargo", "nextest"]),
    (CheckKind::Lint, &["cargo", "clippy"]),
    (CheckKind::Lint, &["cargo", "fmt", "--check"]),
    (CheckKind::Build, &["cargo", "build"]),
    (CheckKind::Types, &["cargo", "check"]),
    (CheckKind::Test, &["pytest"]),
    (CheckKind::Test, &["unittest"]),
    (CheckKind::Test, &["manage.py", "test"]),
    (CheckKind::Types, &["mypy"]),
    (CheckKind::Types, &["pyright"]),
    (CheckKind::Lint, &["ruff", "check"]),
    (CheckKind::Lint, &["ruff", "format", "--check"]),
    (CheckKind::Lint, &["flake8"]),
    (CheckKind::Lint, &["pylint"]),
    (CheckKind::Lint, &["black", "--check"]),
    (CheckKind::Test, &["go", "test"]),
    (CheckKind::Lint, &["go", "vet"]),
    (CheckKind::Build, &["go", "build"]),
    (CheckKind::Lint, &["golangci-lint", "run"]),
    (CheckKind::Lint, &["staticcheck"]),
    (CheckKind::Test, &["vitest", "run"]),
    (CheckKind::Test, &["jest"]),
    (CheckKind::Test, &["mocha"]),
    (CheckKind::Test, &["node", "--test"]),
    (CheckKind::Lint, &["eslint"]),
    (CheckKind::Lint, &["prettier", "--check"]),
    (CheckKind::Lint, &["biome", "check"]),
    (CheckKind::Types, &["tsc"]),
    (CheckKind::Build, &["vite", "build"]),
    (CheckKind::Build, &["next", "build"]),
    (CheckKind::Test, &["mvn", "test"]),
    (CheckKind::Test, &["mvn", "verify"]),
    (CheckKind::Test, &["mvnw", "test"]),
    (CheckKind::Test, &["gradle", "test"]),
    (CheckKind::Test, &["gradlew", "test"]),
    (CheckKind::Build, &["gradlew", "assemble"]),
    (CheckKind::Test, &["rspec"]),
    (CheckKind::Test, &["rake", "test"]),
    (CheckKind::Lint, &["rubocop"]),
    (CheckKind::Test, &["phpunit"]),
    (CheckKind::Types, &["phpstan"]),
    (CheckKind::Test, &["dotnet", "test"]),
    (CheckKind::Build, &["dotnet", "build"]),
    (CheckKind::Test, &["mix", "test"]),
    (CheckKind::Lint, &["mix", "credo"]),
    (CheckKind::Test, &["swift", "test"]),
    (CheckKind::Build, &["swift", "build"]),
    (CheckKind::Test, &["deno", "test"]),
    (CheckKind::Lint, &["deno", "lint"]),
    (CheckKind::Test, &["ctest"]),
    (CheckKind::Test, &["prove"]),
    (CheckKind::Test, &["bats"]),
    (CheckKind::Lint, &["shellcheck"]),
];

/// Names of scripts and targets, and what they are for.
const NAMES: &[(CheckKind, &[&str])] = &[
    (CheckKind::Test, &["test", "tests", "unit-test", "unit-tests", "check"]),
    (CheckKind::Lint, &["lint", "format-check", "fmt-check"]),
    (CheckKind::Types, &["typecheck", "type-check", "types", "mypy", "tsc"]),
    (CheckKind::Build, &["build", "compile"]),
];

/// What a script or target with this name is for.
pub(super) fn of_name(name: &str) -> Option<CheckKind> {
    NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| *kind)
}

/// What a line is for, if that is plain; and the program that does it.
pub(super) fn of_line(line: &str) -> Option<(CheckKind, String)> {
    let words: Vec<&str> = line.split_whitespace().map(base).collect();
    if let Some(found) = of_runner(&words) {
        return Some(found);
    }
    let is_in_order = |wanted: &[&str]| {
        let mut rest = words.iter();
        wanted.iter().all(|word| rest.any(|other| other == word))
    };
    PURPOSES
        .iter()
        .find(|(_, wanted)| is_in_order(wanted))
        .map(|(kind, wanted)| (*kind, wanted.first().copied().unwrap_or_default().to_owned()))
}

/// `npm run lint`, `make test`, `just check`: the name says it.
fn of_runner(words: &[&str]) -> Option<(CheckKind, String)> {
    let (program, rest) = words.split_first()?;
    if !matches!(*program, "npm" | "yarn" | "pnpm" | "bun" | "make" | "just" | "task") {
        return None;
    }
    let mut names = rest.iter().filter(|word| !word.starts_with('-') && **word != "run");
    let (name, more) = (names.next()?, names.next());
    let name = name.split(':').next().unwrap_or(name);
    (more.is_none()).then(|| of_name(name)).flatten().map(|kind| (kind, (*program).to_owned()))
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether two lines use the same program for the same end.
pub(super) fn is_same(kind: CheckKind, program: &str, other_kind: CheckKind, other: &str) -> bool {
    let also = |name: &str| match name {
        "mvnw" => "mvn".to_owned(),
        "gradlew" => "gradle".to_owned(),
        "jest" | "vitest" | "mocha" | "eslint" | "tsc" | "vite" | "next" | "yarn" | "pnpm" | "bun" => {
            "npm".to_owned()
        }
        name => name.to_owned(),
    };
    let has = |name: &str| {
        other
            .split(|letter: char| !(letter.is_alphanumeric() || "-_.".contains(letter)))
            .any(|word| also(word) == also(name))
    };
    kind == other_kind && has(program)
}
