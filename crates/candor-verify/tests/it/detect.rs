//! What is checked in each kind of project.

use std::path::{Path, PathBuf};

use candor_verify::plan::CheckKind::{Build, Install, Lint, Syntax, Test, Types};

use crate::tree::{add, commands, named, only, plan, runs, tree};

#[test]
fn rust_is_built_and_tested_offline() {
    let found = plan(&[
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\nversion = \"0.1.0\"\n[dependencies]\nserde = \"1\"\n[lints.clippy]\nall = \"warn\"\n",
        ),
        ("rustfmt.toml", ""),
        ("src/lib.rs", "pub fn f() {}"),
    ]);
    assert_eq!(found.stacks, ["rust (cargo)"]);
    assert_eq!(runs(&found, Build), ["cargo build --offline --quiet"]);
    assert_eq!(runs(&found, Test), ["cargo test --offline --quiet"]);
    assert_eq!(runs(&found, Lint), ["cargo clippy --offline --quiet --all-targets", "cargo fmt --check"]);
    assert_eq!(runs(&found, Install), ["cargo fetch --quiet"]);
    assert_eq!(named(&found, "cargo test").needs, ["cargo"]);
    assert_eq!(named(&found, "cargo test").source.file, Path::new("Cargo.toml"));
    assert!(found.services.is_empty());
}

#[test]
fn a_cargo_workspace_counts_once() {
    let found = plan(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"),
        ("crates/a/src/lib.rs", ""),
        ("crates/web/Cargo.toml", "[package]\nname = \"web\"\n"),
        ("crates/web/src/main.rs", "fn main() { let l = std::net::TcpListener::bind(\"127.0.0.1:0\"); }"),
    ]);
    assert_eq!(runs(&found, Test), ["cargo test --offline --quiet --workspace"]);
    assert_eq!(only(&found).command, "cargo run --offline --quiet -p web");
    assert_eq!(only(&found).cwd, Path::new(""));
}

#[test]
fn npm_scripts_are_checks_with_their_lines() {
    let found = plan(&[(
        "package.json",
        "{\n \"scripts\": {\n  \"test\": \"node --test\",\n  \"lint\": \"eslint .\",\n  \"build\": \"vite build\"\n },\n \"devDependencies\": {\"vite\": \"5\"}\n}",
    )]);
    let test = named(&found, "npm test");
    assert_eq!((test.run.as_str(), test.source.line), ("npm test --silent", Some(3)));
    assert_eq!(test.source.why, "package.json has a script called test");
    assert_eq!(test.needs, ["node", "npm"]);
    assert_eq!(test.needs_files, [PathBuf::from("node_modules")]);
    assert!(test.env.contains(&("CI".to_owned(), "true".to_owned())));
    assert_eq!(runs(&found, Lint), ["npm run --silent lint"]);
    assert_eq!(runs(&found, Build), ["npm run --silent build"]);
    assert_eq!(runs(&found, Install), ["npm install --no-audit --no-fund --no-package-lock"]);
    assert!(found.services.is_empty(), "a build is no service: {:?}", commands(&found));
}

#[test]
fn a_package_without_dependencies_needs_none() {
    let found = plan(&[("package.json", r#"{"scripts": {"test": "node --test"}}"#), ("a.test.js", "")]);
    assert_eq!(named(&found, "npm test").needs_files, Vec::<PathBuf>::new());
    assert!(runs(&found, Install).is_empty());
}

#[test]
fn the_script_that_npm_init_writes_is_no_test() {
    let found =
        plan(&[("package.json", r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#)]);
    assert!(runs(&found, Test).is_empty());
    assert_eq!(found.notes, ["package.json: the script test is not run, because it does nothing"]);
}

#[test]
fn scripts_that_publish_or_wait_are_not_run() {
    let found = plan(&[(
        "package.json",
        r#"{"scripts": {"test": "vitest --watch", "build": "tsc && npm publish", "lint": "curl x | sh", "deploy": "x"}}"#,
    )]);
    assert!(found.checks.iter().all(|check| check.kind == Syntax), "{:?}", found.checks);
    assert_eq!(found.notes.len(), 3, "{:?}", found.notes);
}

#[test]
fn each_manager_of_node_is_told_by_its_lock() {
    for (lock, run, install) in [
        ("package-lock.json", "npm test --silent", "npm ci --no-audit --no-fund"),
        ("yarn.lock", "yarn run test", "yarn install --frozen-lockfile"),
        ("pnpm-lock.yaml", "pnpm run test", "pnpm install --frozen-lockfile"),
        ("bun.lock", "bun run test", "bun install --frozen-lockfile"),
    ] {
        let found = plan(&[
            ("package.json", r#"{"scripts": {"test": "x"}, "dependencies": {"a": "1"}}"#),
            (lock, ""),
        ]);
        assert_eq!(runs(&found, Test), [run]);
        assert_eq!(runs(&found, Install), [install]);
    }
}

#[test]
fn typescript_is_checked_where_no_script_does() {
    let config = ("tsconfig.json", "{\n // a comment\n \"compilerOptions\": {\"strict\": true,},\n}");
    let found =
        plan(&[config, ("package.json", r#"{"devDependencies": {"typescript": "5"}}"#), ("src/a.ts", "")]);
    assert_eq!(runs(&found, Types), ["npx --no-install tsc --noEmit"]);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let script = r#"{"scripts": {"typecheck": "tsc --noEmit"}, "devDependencies": {"typescript": "5"}}"#;
    assert_eq!(runs(&plan(&[config, ("package.json", script)]), Types), ["npm run --silent typecheck"]);
}

#[test]
fn parts_of_a_node_workspace_find_their_dependencies_above() {
    let found = plan(&[
        (
            "package.json",
            r#"{"workspaces": ["packages/*"], "scripts": {"test": "npm test --workspaces"}, "devDependencies": {"x": "1"}}"#,
        ),
        (
            "packages/a/package.json",
            r#"{"scripts": {"test": "node --test", "build": "tsc"}, "dependencies": {"y": "1"}}"#,
        ),
    ]);
    assert_eq!(runs(&found, Test), ["npm test --silent"], "the whole runs the tests of its parts");
    let build = named(&found, "npm run build (packages/a)");
    assert_eq!(build.needs_files, [PathBuf::from("../../node_modules")]);
    assert_eq!(runs(&found, Install).len(), 1);
}

#[test]
fn python_is_compiled_and_its_tests_are_run_by_what_they_are_written_for() {
    let found =
        plan(&[("a.py", "x = 1"), ("test_a.py", "import unittest\nclass T(unittest.TestCase): pass")]);
    assert_eq!(found.stacks, ["python"]);
    assert_eq!(runs(&found, Syntax).len(), 1);
    assert_eq!(runs(&found, Test), ["python3 -m unittest discover"]);

    let found = plan(&[("a.py", ""), ("tests/test_a.py", "def test_x(): pass")]);
    assert_eq!(runs(&found, Test), ["python3 -m pytest -q -p no:cacheprovider"]);

    let found = plan(&[
        ("requirements.txt", "pytest==8\nFlask>=2\n"),
        ("a.py", ""),
        ("tests/test_a.py", "from unittest import TestCase"),
    ]);
    assert_eq!(runs(&found, Test), ["python3 -m pytest -q -p no:cacheprovider"]);
    assert_eq!(found.stacks, ["python (pip)"]);
    assert!(runs(&found, Install)[0].ends_with(".venv/bin/python -m pip install -q -r requirements.txt"));

    let found = plan(&[
        ("a.py", ""),
        ("tests/test_a.py", "import unittest"),
        ("pkg/__init__.py", ""),
        ("pkg/b_test.py", "import unittest"),
    ]);
    assert_eq!(
        runs(&found, Test),
        ["python3 -m unittest discover -p '*_test.py' && python3 -m unittest discover -s tests"]
    );

    assert!(runs(&plan(&[("a.py", "")]), Test).is_empty());
}

#[test]
fn python_managers_and_own_environments_are_used() {
    let test = ("test_a.py", "import pytest");
    assert_eq!(
        runs(&plan(&[test, ("uv.lock", ""), ("pyproject.toml", "")]), Test),
        ["uv run --offline --no-sync python -m pytest -q -p no:cacheprovider"]
    );
    assert_eq!(
        runs(&plan(&[test, ("poetry.lock", ""), ("pyproject.toml", "")]), Test),
        ["poetry run python -m pytest -q -p no:cacheprovider"]
    );
    let found =
        plan(&[test, (".venv/bin/python", ""), ("pyproject.toml", "[project]\ndependencies = [\"x\"]")]);
    assert_eq!(runs(&found, Test), [".venv/bin/python -m pytest -q -p no:cacheprovider"]);
    assert_eq!(named(&found, "pytest").needs, Vec::<String>::new());
}

#[test]
fn python_linters_run_where_they_are_configured() {
    let found = plan(&[
        ("a.py", ""),
        (
            "pyproject.toml",
            "[project]\nname = \"a\"\n\n[tool.ruff]\nline-length = 100\n[tool.mypy]\nstrict = true\n",
        ),
    ]);
    assert_eq!(runs(&found, Lint), ["python3 -m ruff check --no-cache -q ."]);
    assert_eq!(runs(&found, Types), ["python3 -m mypy --cache-dir=/dev/null ."]);
    assert_eq!(named(&found, "ruff").source.line, Some(4));
}

#[test]
fn django_has_its_own_tests_and_server() {
    let found = plan(&[
        (
            "manage.py",
            "import os\nfrom django.core.management import execute_from_command_line\nif __name__ == '__main__': execute_from_command_line([])",
        ),
        ("shop/tests.py", ""),
        ("shop/test_views.py", "from django.test import TestCase"),
    ]);
    assert_eq!(runs(&found, Test), ["python3 manage.py test --noinput"]);
    assert_eq!(only(&found).command, "python3 manage.py runserver --noreload 127.0.0.1:8000");
}

#[test]
fn go_modules_are_built_into_nowhere() {
    let found = plan(&[
        ("go.mod", "module a\n\nrequire github.com/x/y v1.0.0\n"),
        ("main.go", "package main\nfunc main() {}"),
        ("a_test.go", "package main"),
    ]);
    assert_eq!(runs(&found, Build), ["go build -o /dev/null ./..."]);
    assert_eq!(runs(&found, Lint), ["go vet ./..."]);
    assert_eq!(runs(&found, Test), ["go test ./..."]);
    assert_eq!(runs(&found, Install), ["go mod download"]);
    assert!(named(&found, "go test").env.contains(&("GOPROXY".to_owned(), "off".to_owned())));
    assert!(found.services.is_empty());
}

#[test]
fn java_is_built_by_maven_gradle_or_by_hand() {
    let found = plan(&[
        ("pom.xml", "<project/>"),
        ("src/main/java/A.java", "class A {}"),
        ("src/test/java/ATest.java", "class ATest {}"),
    ]);
    assert_eq!(runs(&found, Build), ["mvn -o -q -B compile"]);
    assert_eq!(runs(&found, Test), ["mvn -o -q -B test"]);
    let found = plan(&[("build.gradle.kts", ""), ("gradlew", ""), ("src/test/kotlin/ATest.kt", "")]);
    assert_eq!(runs(&found, Test), ["./gradlew --offline --no-daemon -q test"]);
    assert_eq!(named(&found, "gradle test").needs, ["java"]);
    let found = plan(&[("A.java", "class A { public static void main(String[] a) {} }")]);
    assert!(runs(&found, Build)[0].contains("javac -d \"$d\" A.java"), "{:?}", runs(&found, Build));
    assert!(found.services.is_empty());
}

#[test]
fn ruby_php_dotnet_elixir_and_swift_have_their_own() {
    let found =
        plan(&[("Gemfile", "gem 'rspec'"), ("lib/a.rb", ""), ("spec/a_spec.rb", ""), (".rubocop.yml", "")]);
    assert_eq!(runs(&found, Test), ["bundle exec rspec"]);
    assert_eq!(runs(&found, Lint), ["bundle exec rubocop --cache false"]);

    let found = plan(&[
        ("composer.json", r#"{"require": {"php": ">=8", "a/b": "1"}}"#),
        ("src/A.php", "<?php"),
        ("phpunit.xml", ""),
    ]);
    assert_eq!(runs(&found, Test), ["vendor/bin/phpunit --do-not-cache-result"]);
    assert_eq!(named(&found, "phpunit").needs_files, [PathBuf::from("vendor/bin/phpunit")]);
    assert_eq!(runs(&found, Install), ["composer install --no-interaction --quiet"]);

    let found = plan(&[
        ("A.sln", ""),
        ("Web/Web.csproj", "<Project Sdk=\"Microsoft.NET.Sdk.Web\">"),
        ("T/T.csproj", "Microsoft.NET.Test.Sdk"),
    ]);
    assert_eq!(runs(&found, Test), ["dotnet test A.sln -v quiet"]);
    assert!(only(&found).command.starts_with("dotnet run --project Web.csproj"));

    let found = plan(&[("mix.exs", "defp deps do [{:phoenix, \"1\"}] end"), ("test/a_test.exs", "")]);
    assert_eq!(runs(&found, Test), ["mix test --no-deps-check"]);
    assert_eq!(named(&found, "mix test").needs_files, [PathBuf::from("deps")]);
    assert_eq!(only(&found).command, "mix phx.server");

    let found = plan(&[("Package.swift", ""), ("Tests/ATests/A.swift", "")]);
    assert_eq!(runs(&found, Test), ["swift test --disable-automatic-resolution --skip-update"]);
}

#[test]
fn c_is_built_by_cmake_make_or_by_hand() {
    let found = plan(&[("CMakeLists.txt", "enable_testing()\nadd_test(a a)"), ("a.c", "int main(void){}")]);
    assert!(runs(&found, Build)[0].contains("cmake --build \"$b\""));
    assert!(runs(&found, Test)[0].contains("ctest --test-dir \"$b\""));
    let found = plan(&[
        (
            "Makefile",
            "CC = cc\n\nprog: a.c\n\t$(CC) -o prog a.c\n\ntest: prog\n\t./prog\n\nclean:\n\trm prog\n",
        ),
        ("a.c", "int main(void){}"),
    ]);
    assert_eq!(runs(&found, Build), ["make -s"]);
    assert_eq!(runs(&found, Test), ["make -s test"]);
    assert_eq!(named(&found, "make test").source.line, Some(6));
    let found = plan(&[("a.c", "int main(void){}"), ("b.c", "")]);
    assert!(runs(&found, Build)[0].contains("cc -o \"$d/program\" a.c b.c"));
    let found = plan(&[("a.cpp", "int main(){}"), ("b.cpp", "int main(){}")]);
    assert_eq!(runs(&found, Syntax), ["c++ -fsyntax-only a.cpp b.cpp"]);
}

#[test]
fn deno_perl_and_shell_have_their_own() {
    let found = plan(&[
        ("deno.json", "{\"tasks\": {\"dev\": \"deno run -A main.ts\"},}"),
        ("main.ts", "Deno.serve(() => {})"),
        ("a_test.ts", ""),
    ]);
    assert_eq!(runs(&found, Types), ["deno check --cached-only -q main.ts"]);
    assert_eq!(runs(&found, Test), ["deno test -A --cached-only -q"]);
    assert_eq!(only(&found).command, "deno task dev");
    let found = plan(&[("a.pl", "print 1;"), ("t/a.t", "")]);
    assert_eq!(runs(&found, Test), ["prove -l -I. -r t"]);
    assert!(runs(&found, Syntax)[0].contains("perl -Ilib -I. -c"));
    let found = plan(&[("a.sh", "#!/bin/sh\n"), ("b.sh", "#!/usr/bin/env bash\n"), ("c.sh", "#!/bin/zsh\n")]);
    assert_eq!(
        runs(&found, Syntax),
        [
            "s=0; for f in a.sh; do sh -n \"$f\" || s=1; done; exit $s",
            "s=0; for f in b.sh; do bash -n \"$f\" || s=1; done; exit $s"
        ]
    );
}

#[test]
fn targets_that_only_repeat_or_that_change_the_world_are_left_out() {
    let found = plan(&[
        ("a.py", ""),
        ("test_a.py", "import pytest"),
        (
            "Makefile",
            "test:\n\tpytest -q\nlint:\n\tmy-linter .\nbuild:\n\tdocker build .\ndeploy:\n\tkubectl apply\ninstall:\n\tcp a /usr/bin\n",
        ),
    ]);
    assert_eq!(runs(&found, Test).len(), 1);
    assert_eq!(runs(&found, Lint), ["make -s lint"]);
    assert!(runs(&found, Build).is_empty());
    assert!(found.notes.iter().any(|note| note.contains("build is not run")), "{:?}", found.notes);
    assert!(
        !found
            .checks
            .iter()
            .any(|check| check.run.contains("deploy") || check.run.contains("make -s install"))
    );
}

#[test]
fn justfiles_and_taskfiles_are_read() {
    let found =
        plan(&[("justfile", "default:\n  just --list\n\ntest filter='':\n  ./run-tests {{filter}}\n")]);
    assert_eq!(runs(&found, Test), ["just test"]);
    let found = plan(&[(
        "Taskfile.yml",
        "version: '3'\ntasks:\n  test:\n    cmds:\n      - ./run-tests\n  release:\n    cmds: [x]\n",
    )]);
    assert_eq!(runs(&found, Test), ["task --silent test"]);
    assert_eq!(named(&found, "task test").source.line, Some(3));
}

#[test]
fn ci_adds_what_is_plain_and_new() {
    let workflow = "jobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - run: cargo test --all-features\n      - run: |\n          cargo fmt --check\n          sudo apt-get install x\n          cargo publish\n      - run: shellcheck a.sh\n      - run: pytest --token=${{ secrets.X }}\n      - run: npm run build && aws s3 sync\n  deploy:\n    steps:\n      - run: cargo build\n      - run: eslint .\n";
    let found = plan(&[
        (".github/workflows/ci.yml", workflow),
        ("Cargo.toml", "[package]\nname = \"a\""),
        ("src/lib.rs", ""),
    ]);
    assert_eq!(runs(&found, Test), ["cargo test --offline --quiet"]);
    assert_eq!(runs(&found, Lint), ["cargo fmt --check", "shellcheck a.sh"]);
    assert_eq!(named(&found, "ci shellcheck lint").source.line, Some(10));
    let found =
        plan(&[(".gitlab-ci.yml", "unit:\n  script:\n    - prove -r t\nrelease:\n  script: [make test]\n")]);
    assert_eq!(runs(&found, Test), ["prove -r t"]);
}

#[test]
fn compose_needs_docker_and_stands_back_behind_the_projects_own() {
    let compose = ("compose.yaml", "services:\n  db:\n    image: postgres\n");
    let found = plan(&[compose]);
    assert_eq!(only(&found).command, "docker compose up --no-color");
    assert_eq!(only(&found).needs, ["docker"]);
    assert_eq!(runs(&found, Syntax), ["docker compose config -q"]);
    let found = plan(&[
        compose,
        ("server.py", "import http.server\nhttp.server.HTTPServer(('', 1), None).serve_forever()"),
    ]);
    assert_eq!(only(&found).command, "python3 server.py");
}

#[test]
fn a_monorepo_has_the_checks_of_each_part() {
    let found = plan(&[
        ("api/requirements.txt", "flask"),
        ("api/app.py", "from flask import Flask\napp = Flask(__name__)\n"),
        ("web/package.json", r#"{"scripts": {"test": "node --test", "dev": "vite"}}"#),
        ("core/Cargo.toml", "[package]\nname = \"core\""),
        ("core/src/lib.rs", ""),
    ]);
    assert_eq!(named(&found, "npm test (web)").cwd, Path::new("web"));
    assert_eq!(named(&found, "cargo test (core)").cwd, Path::new("core"));
    let mut lines: Vec<String> =
        found.services.iter().map(|one| format!("{}: {}", one.cwd.display(), one.command)).collect();
    lines.sort();
    assert_eq!(
        lines,
        ["api: python3 -m flask --app app run --host 127.0.0.1 --port 5000", "web: npm run --silent dev"]
    );
}

#[test]
fn the_syntax_of_each_language_is_checked_in_a_mixed_workspace() {
    let found = plan(&[("a.sh", "true"), ("api/requirements.txt", "flask"), ("api/a.py", "x = 1")]);
    let names: Vec<_> =
        found.checks.iter().filter(|one| one.kind == Syntax).map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["sh syntax", "python syntax (api)"]);
    let found = plan(&[("a.py", "x = 1"), ("api/requirements.txt", "flask"), ("api/a.py", "x = 1")]);
    assert_eq!(runs(&found, Syntax).len(), 1, "from the top once is enough");
}

#[test]
fn broken_manifests_are_told_with_their_place_and_the_rest_is_checked() {
    let found = plan(&[
        ("package.json", "{\n  \"scripts\": {\n    \"test\" \"x\"\n"),
        ("Cargo.toml", "[package\nname = 1"),
        ("compose.yaml", "services:\n  a: [1\n"),
        ("a.sh", "true"),
    ]);
    let places: Vec<String> = found
        .problems
        .iter()
        .map(|one| format!("{}:{}:{}", one.file.display(), one.line, one.column))
        .collect();
    assert!(places.iter().any(|place| place == "package.json:3:12"), "{places:?}");
    assert!(places.iter().any(|place| place.starts_with("Cargo.toml:1:")), "{places:?}");
    assert!(
        places.iter().any(|place| place.starts_with("compose.yaml:") && !place.contains(":0:")),
        "{places:?}"
    );
    assert!(
        found.problems.iter().all(|one| one.message.starts_with("this is not valid ")),
        "{:?}",
        found.problems
    );
    assert_eq!(runs(&found, Syntax), ["s=0; for f in a.sh; do sh -n \"$f\" || s=1; done; exit $s"]);
}

#[test]
fn an_empty_folder_and_one_that_is_not_there_have_nothing() {
    assert_eq!(plan(&[]), candor_verify::plan::Plan::default());
    assert_eq!(
        candor_verify::detect::detect(Path::new("/nowhere/at/all")),
        candor_verify::plan::Plan::default()
    );
}

#[test]
fn the_same_folder_gives_the_same_plan() {
    let folder = tree(&[
        ("a.py", ""),
        ("package.json", r#"{"scripts": {"test": "x"}}"#),
        ("Makefile", "test:\n\tx\n"),
    ]);
    add(folder.path(), &[("b/go.mod", "module b"), ("b/b.go", "package b")]);
    assert_eq!(candor_verify::detect::detect(folder.path()), candor_verify::detect::detect(folder.path()));
}

#[test]
fn a_folder_with_tests_and_nothing_else_is_tested() {
    let found = plan(&[("test_sums.py", "def test_sum():\n    assert 1 + 1 == 2\n")]);
    assert_eq!(runs(&found, Test), ["python3 -m pytest -q -p no:cacheprovider"]);
    let found = plan(&[("tests/test_sums.py", "import unittest\nclass T(unittest.TestCase): pass\n")]);
    assert_eq!(runs(&found, Test), ["python3 -m unittest discover -s tests"]);
    let found = plan(&[("sums.test.js", "const test = require('node:test');\n")]);
    assert_eq!(runs(&found, Test), ["node --test sums.test.js"]);
    // Tests of another language belong to what they test.
    let found =
        plan(&[("main.c", "int main(void) { return 0; }\n"), ("tests/test_main.py", "def test_x(): pass\n")]);
    assert!(!runs(&found, Test).iter().any(|run| run.contains("pytest")), "{:?}", runs(&found, Test));
    let found = plan(&[("docs/example.py", "print(1)\n")]);
    assert!(found.checks.is_empty());
}

#[test]
fn tests_for_the_runner_of_node_need_no_script() {
    let test = ("lib.test.js", "import test from 'node:test';\n");
    let found = plan(&[("package.json", r#"{"type": "module"}"#), ("lib.js", "export const x = 1;\n"), test]);
    assert_eq!(runs(&found, Test), ["node --test lib.test.js"]);
    let found = plan(&[("package.json", r#"{"scripts": {"test": "true"}}"#), test]);
    assert_eq!(runs(&found, Test), ["node --test lib.test.js"], "a script that does nothing runs none");
    let found = plan(&[("package.json", r#"{"scripts": {"test": "node --test"}}"#), test]);
    assert_eq!(runs(&found, Test), ["npm test --silent"]);
}

#[test]
fn the_parts_of_a_workspace_are_asked_together() {
    let part =
        r#"{"scripts": {"test": "node --test", "build": "tsc"}, "devDependencies": {"typescript": "5"}}"#;
    let root = r#"{"private": true, "workspaces": ["packages/*", "!packages/old"]}"#;
    let mut files = vec![("package.json", root)];
    let names: Vec<String> = (0..6).map(|number| format!("packages/p{number}/package.json")).collect();
    files.extend(names.iter().map(|name| (name.as_str(), part)));
    files.push(("packages/old/package.json", part));
    files.push(("tools/package.json", r#"{"scripts": {"test": "node check.js"}}"#));
    let found = plan(&files);
    assert_eq!(
        runs(&found, Test),
        ["npm run --silent test --workspaces --if-present", "npm test --silent", "npm test --silent"]
    );
    let test = named(&found, "npm test of all parts");
    assert_eq!(
        (test.cwd.as_path(), test.needs_files.as_slice()),
        (Path::new(""), &[PathBuf::from("node_modules")][..])
    );
    let others: Vec<_> =
        found.checks.iter().filter(|check| check.kind == Test).map(|check| check.cwd.clone()).collect();
    assert_eq!(others, [Path::new(""), Path::new("tools"), Path::new("packages/old")]);
    // With pnpm the file of its own says what the parts are.
    let pnpm = plan(&[
        ("package.json", r#"{"packageManager": "pnpm@9"}"#),
        ("pnpm-workspace.yaml", "packages:\n  - apps/**\n"),
        ("apps/a/package.json", r#"{"scripts": {"test": "node --test"}}"#),
        ("apps/b/package.json", r#"{"scripts": {"test": "node --test"}}"#),
    ]);
    assert_eq!(runs(&pnpm, Test), ["pnpm -r --if-present run test"]);
}

#[test]
fn a_part_whose_script_must_not_be_run_keeps_the_parts_apart() {
    let found = plan(&[
        ("package.json", r#"{"workspaces": ["p/*"]}"#),
        ("p/a/package.json", r#"{"scripts": {"test": "node --test"}}"#),
        ("p/b/package.json", r#"{"scripts": {"test": "npm publish"}}"#),
    ]);
    assert_eq!(runs(&found, Test), ["npm test --silent"]);
    assert!(found.notes.iter().any(|note| note.contains("publish")), "{:?}", found.notes);
}

#[test]
fn the_syntax_of_a_package_in_a_folder_called_web_is_checked() {
    let found = plan(&[
        ("web/package.json", r#"{"name": "web"}"#),
        ("web/server.js", "const http = require('http');\n"),
        ("web/public/page.js", "import x from './x.js';\n"),
    ]);
    assert_eq!(
        runs(&found, Syntax),
        ["s=0; for f in server.js; do node --check \"$f\" || s=1; done; exit $s"]
    );
}
