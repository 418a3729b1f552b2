//! `cargo xtask conformance`: what suites that are not ours say about Candor, and the page that tells it.
//!
//! The test command runs the same suite and holds what it gave against the page: see `npm_conformance_suite`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::generate;
use crate::invocation::Invocation;
use crate::needs::{self, NODE};
use crate::test::nextest;
use crate::workspace::Workspace;

/// The page.
pub const PAGE: &str = "docs/conformance.md";

/// The suite of the protocol's makers, and the server that they show clients with.
const SUITE: &str = "@modelcontextprotocol/conformance";
const EVERYTHING: &str = "@modelcontextprotocol/server-everything";
/// What exercises that server.
const EVERYTHING_TESTS: &[(&str, &str)] =
    &[("stdio", "npm_server_everything_over_stdio"), ("HTTP", "npm_server_everything_over_http")];

/// The generations of the protocol.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// How long one scenario may take: all of them run side by side, on a machine that may have more to do.
const SCENARIO_MILLIS: &str = "120000";

/// Why a scenario fails that is known to.
const REASONS: &[(&str, &str)] = &[
    (
        "auth/client-credentials-",
        "an extension for machines that log in without a person; our logins are a person's",
    ),
    ("auth/enterprise-managed-authorization", "an extension for companies that log in elsewhere; not built"),
    ("auth/wif-jwt-bearer", "an extension for companies that log in elsewhere; not built"),
    ("auth/dpop", "an extension that binds a token to a key; not built"),
];

/// What came of one scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Whether whoever conforms has to pass it.
    pub is_required: bool,
    /// Whether it passed.
    pub has_passed: bool,
}

/// What the suite gave for each generation, in their order.
pub type Results = Vec<Vec<Scenario>>;

/// Runs the suite and the tests with the reference server, and writes the page.
pub fn run(workspace: &Workspace) -> Result<bool> {
    for name in [SUITE, NODE, EVERYTHING] {
        needs::install_one(name, workspace)?;
    }
    let build = ["build", "--locked", "-p", "candor-mcp", "--example", "conformance"];
    let finished = Invocation::cargo(&workspace.root).args(build).finish()?;
    if !finished.success {
        bail!("the driver cannot be built\n{}", finished.output);
    }
    let client = workspace.target_dir.join("debug/examples/conformance");
    let results = results(&needs::suites_dir(workspace), &client)?;
    let peers: Vec<bool> = EVERYTHING_TESTS
        .iter()
        .map(|(_, test)| Ok(nextest(workspace).args(["-E", &format!("test({test})")]).finish()?.success))
        .collect::<Result<_>>()?;
    generate::write(&workspace.root.join(PAGE), &page(&results, &peers))?;
    println!("wrote {PAGE}");
    let bad = unexplained(&results);
    for line in &bad {
        println!("{line}");
    }
    Ok(bad.is_empty() && peers.iter().all(|passed| *passed))
}

/// Runs the suite with the client that was built, for each generation.
pub fn results(suites: &Path, client: &Path) -> Result<Results> {
    REVISIONS.iter().map(|revision| suite(revision, suites, client)).collect()
}

fn suite(revision: &str, suites: &Path, client: &Path) -> Result<Vec<Scenario>> {
    let inside = |package: &str| -> PathBuf { suites.join(package).join("node_modules").join(package) };
    let (node, program) = (inside(NODE).join("bin/node"), inside(SUITE).join("dist/index.js"));
    let finished = Invocation::new(node, suites)
        .args([program])
        .args(["client", "--requirements", revision, "--timeout", SCENARIO_MILLIS, "--command"])
        .args([client])
        .finish()?;
    let scenarios = parse(&finished.output);
    if scenarios.is_empty() {
        bail!("the suite told nothing about {revision}\n{}", finished.output);
    }
    Ok(scenarios)
}

/// Reads the summary that the suite prints.
pub fn parse(output: &str) -> Vec<Scenario> {
    let summary = output.split_once("=== SUITE SUMMARY ===").map_or("", |(_, summary)| summary);
    let (all, beside) = summary.split_once("\nNot scored for ").unwrap_or((summary, ""));
    // `  ✗ auth/dpop (extension)`
    let beside: Vec<&str> =
        beside.lines().filter_map(|line| marked(line)?.1.split_once(" (")).map(|(name, _)| name).collect();
    // `✓ initialize: 3 passed, 0 failed`
    let scenario = |line: &str| {
        let (has_passed, rest) = marked(line)?;
        let (name, counts) = rest.split_once(": ")?;
        let is_required = !beside.contains(&name);
        counts.contains(" passed, ").then(|| Scenario { name: name.to_owned(), is_required, has_passed })
    };
    all.lines().filter_map(scenario).collect()
}

fn marked(line: &str) -> Option<(bool, &str)> {
    let line = line.trim();
    let passed = line.strip_prefix("✓ ").map(|rest| (true, rest));
    passed.or_else(|| line.strip_prefix("✗ ").map(|rest| (false, rest)))
}

/// What nobody has given a reason for: a required scenario that fails, and one beside them without one.
pub fn unexplained(results: &Results) -> Vec<String> {
    let mut lines = Vec::new();
    for (revision, scenarios) in REVISIONS.iter().zip(results) {
        for scenario in scenarios.iter().filter(|scenario| !scenario.has_passed) {
            if scenario.is_required {
                lines.push(format!("{revision}: {} is required and fails", scenario.name));
            } else if reason(&scenario.name).is_none() {
                lines.push(format!("{revision}: {} fails and has no reason", scenario.name));
            }
        }
    }
    lines
}

fn reason(scenario: &str) -> Option<&'static str> {
    REASONS.iter().find(|(start, _)| scenario.starts_with(start)).map(|(_, why)| *why)
}

/// The tables of the suite, without what else is on the page.
pub fn tables(results: &Results) -> String {
    let mut text = String::from(
        "| requirements | required scenarios | pass | beside them | pass |\n|---|---|---|---|---|\n",
    );
    for (revision, scenarios) in REVISIONS.iter().zip(results) {
        let count = |is_required: bool| {
            let of = || scenarios.iter().filter(move |scenario| scenario.is_required == is_required);
            (of().count(), of().filter(|scenario| scenario.has_passed).count())
        };
        let ((required, passed), (beside, beside_passed)) = (count(true), count(false));
        // Writing into a string cannot fail, here and below.
        let _ = writeln!(text, "| {revision} | {required} | {passed} | {beside} | {beside_passed} |");
    }
    let _ = writeln!(text, "\n| scenario | {} | why it fails |\n|---|---|---|---|", REVISIONS.join(" | "));
    // By name: the suite runs them side by side, and each generation has some of its own.
    let mut rows: BTreeMap<&str, [&str; REVISIONS.len()]> = BTreeMap::new();
    for (at, scenarios) in results.iter().enumerate().take(REVISIONS.len()) {
        for scenario in scenarios {
            let word = match (scenario.has_passed, scenario.is_required) {
                (true, true) => "pass",
                (true, false) => "pass (beside)",
                (false, true) => "**fail**",
                (false, false) => "fail (beside)",
            };
            rows.entry(&scenario.name).or_insert(["–"; REVISIONS.len()])[at] = word;
        }
    }
    for (name, words) in &rows {
        let fails = words.iter().any(|word| word.contains("fail"));
        let why = if fails { reason(name).unwrap_or("not known") } else { "" };
        let _ = writeln!(text, "| `{name}` | {} | {why} |", words.join(" | "));
    }
    text
}

/// The whole page.
pub fn page(results: &Results, peers: &[bool]) -> String {
    let (suite, everything) = (needs::version(SUITE), needs::version(EVERYTHING));
    let mut page = format!(
        "# Conformance

What suites that are not ours say about Candor. This page is written by `cargo xtask conformance`; `cargo xtask test` runs the suite
again and fails when it says something else.

## MCP client

The official suite (npm `{SUITE}` {suite}, run by Node {node}) starts a server for each scenario and runs a
client against it. The client is `crates/candor-mcp/examples/conformance.rs`: it does through our crate what a run does, and in place of
a person it opens the address of a login and agrees to what a server proposes (`elicitation-sep1034-client-defaults` needs that; where
nobody is there to be asked, Candor says so). The generation is not chosen by the driver: every server is asked `server/discover`
first, as in a run, and the older way is taken where it does not know that.

\"Beside\" the required scenarios the suite runs others, which do not count.

{tables}
## MCP peers

The reference server (npm `{EVERYTHING}` {everything}) is exercised by
`crates/candor-mcp/tests/it/everything.rs`: its tools, a picture, its resources and its prompts.

| over | test | result |
|---|---|---|
",
        node = needs::version(NODE),
        tables = tables(results),
    );
    for ((over, test), passed) in EVERYTHING_TESTS.iter().zip(peers) {
        let result = if *passed { "pass" } else { "**fail**" };
        let _ = writeln!(page, "| {over} | `{test}` | {result} |");
    }
    page
}

/// Holds what the suite gave against the page as it is written; what differs, if anything does.
pub fn difference(written: &str, results: &Results) -> Option<String> {
    let fresh = tables(results);
    if written.contains(&fresh) {
        return None;
    }
    let news: Vec<&str> = fresh.lines().filter(|line| !written.lines().any(|known| known == *line)).collect();
    Some(format!("{PAGE} is stale: `cargo xtask conformance` writes it anew\n{}", news.join("\n")))
}
