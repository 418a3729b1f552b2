//! Programs that are not there: tools that a machine may lack, told apart from words that somebody mistyped.

use std::path::Path;

/// Tools that projects are built, tested and run with.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "R", "Rscript", "ansible-lint", "ant", "ava", "awk", "bash", "bats", "bazel", "biome", "black", "bmake",
    "brew", "buf", "bun", "bundle", "bundler", "bunx", "c++", "cabal", "cargo", "cargo-clippy", "cargo-fmt",
    "cargo-nextest", "cc", "ccache", "clang", "clang++", "clang-format", "clang-tidy", "cmake", "composer",
    "conda", "coverage", "cppcheck", "crystal", "csc", "ctest", "curl", "cypress", "dart", "deno", "diff",
    "docker", "docker-compose", "dotnet", "elixir", "erl", "erlc", "esbuild", "eslint", "find", "flake8",
    "flask", "flutter", "fpc", "g++", "gcc", "gdb", "gem", "gfortran", "ghc", "git", "gleam", "gmake", "go",
    "gofmt", "golangci-lint", "gradle", "grep", "gunicorn", "hadolint", "helm", "hugo", "hypercorn", "isort",
    "jasmine", "java", "javac", "jekyll", "jest", "jq", "julia", "just", "karma", "kotlinc", "ktlint",
    "kubectl", "lake", "lein", "lerna", "ls", "lua", "luac", "luajit", "luarocks", "make", "markdownlint",
    "meson", "mix", "mkdocs", "mocha", "mvn", "mypy", "mysql", "next", "nim", "nimble", "ninja", "node",
    "nodemon", "nox", "npm", "npx", "nuxt", "nx", "nyc", "ocaml", "ocamlfind", "odin", "opam", "openssl",
    "patch", "perl", "php", "phpcs", "phpstan", "phpunit", "pip", "pip3", "pipenv", "playwright", "pnpm",
    "poetry", "prettier", "protoc", "prove", "psql", "pylint", "pyright", "pytest", "python", "python2",
    "python3", "qmake", "racket", "rake", "rebar3", "redis-server", "remake", "rollup", "rspec", "rubocop",
    "ruby", "ruff", "runghc", "rustc", "rustfmt", "rustup", "sass", "sbt", "scala", "scalac", "scons", "sed",
    "semgrep", "sh", "shellcheck", "shfmt", "sphinx-build", "sqlite3", "stack", "staticcheck", "stylelint",
    "svelte-check", "swc", "swift", "swiftc", "swiftlint", "tap", "tape", "tar", "task", "terraform", "tox",
    "tox-uv", "ts-node", "tsc", "tslint", "tsx", "turbo", "ty", "uv", "uvicorn", "uvx", "v", "valgrind", "vite",
    "vitest", "vue-tsc", "webpack", "wget", "xargs", "xcodebuild", "xmake", "yamllint", "yarn", "zig", "zip",
    "zsh",
];

/// Endings of files that somebody wrote.
const SOURCES: &[&str] =
    &["bash", "cjs", "js", "jsx", "mjs", "mts", "php", "pl", "py", "rb", "sh", "ts", "tsx"];

/// Whether a program that is not there is a mistake of the project's own: a file of it that is called without its folder, or the
/// name of a tool with a slip in it. Any other program that nobody knows here may be one that is not installed.
pub(super) fn is_mistake(name: &str, folder: &Path) -> bool {
    if KNOWN.contains(&name) {
        return false;
    }
    let is_source =
        Path::new(name).extension().and_then(|end| end.to_str()).is_some_and(|end| SOURCES.contains(&end));
    is_source || folder.join(name).is_file() || KNOWN.iter().any(|known| is_slip(name, known))
}

/// Whether a word is another one with a letter too many, too few, wrong, or two of them in the wrong order. Short words are
/// near to each other by chance, and must have the same letters.
fn is_slip(word: &str, known: &str) -> bool {
    if strsim::osa_distance(word, known) != 1 {
        return false;
    }
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    match word.chars().count().min(known.chars().count()) {
        0..=2 => false,
        3..=4 => sorted(word) == sorted(known),
        _ => true,
    }
}
