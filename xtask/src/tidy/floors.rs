//! The table of floors in ARCHITECTURE.md, held against what cargo really builds.

use crate::tidy::{Finding, Tree};
use crate::workspace::Workspace;

const DOCUMENT: &str = "ARCHITECTURE.md";
const HEADING: &str = "## Floors";
const COLUMNS: usize = 4;
/// What most crate names begin with, and the table leaves out among the uses.
const PREFIX: &str = "candor-";

/// One row: a crate, the floor it stands on, and what it uses.
#[derive(Debug)]
struct Row {
    name: String,
    /// Nothing for what stands beside the house: tests and tools.
    floor: Option<u32>,
    uses: Vec<String>,
    line: usize,
}

/// Finds where the table and the workspace differ, and arrows that point up.
pub fn floors(tree: &Tree, workspace: &Workspace) -> Vec<Finding> {
    let Some(text) = tree.text(DOCUMENT) else {
        return vec![Finding::problem(DOCUMENT, 1, "is not there, so its table of floors cannot be checked")];
    };
    let (rows, mut findings) = parse(text);
    if rows.is_empty() {
        return vec![Finding::problem(DOCUMENT, 1, format!("no table below `{HEADING}`"))];
    }
    findings.extend(membership(&rows, workspace));
    findings.extend(rows.iter().flat_map(|row| differences(row, workspace)));
    findings.extend(rows.iter().flat_map(|row| upward(row, &rows)));
    findings
}

/// Finds rings among the members. Cargo refuses most of them; the ones it permits, through dev-dependencies, are
/// left to it.
pub fn cycles(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in &workspace.members {
        let mut reached: Vec<&str> = workspace.uses(member);
        let mut next = 0;
        while let Some(&name) = reached.get(next) {
            let used = workspace.members.iter().find(|other| other.name == name);
            for further in used.map(|used| workspace.uses(used)).unwrap_or_default() {
                if !reached.contains(&further) {
                    reached.push(further);
                }
            }
            next += 1;
        }
        if reached.contains(&member.name.as_str()) {
            let message = format!("`{}` depends on itself by way of others", member.name);
            findings.push(Finding::problem(format!("{}/Cargo.toml", member.dir.display()), 1, message));
        }
    }
    findings
}

fn parse(text: &str) -> (Vec<Row>, Vec<Finding>) {
    let (mut rows, mut findings) = (Vec::new(), Vec::new());
    let below = text.lines().enumerate().skip_while(|(_, line)| line.trim() != HEADING).skip(1);
    for (index, line) in below.take_while(|(_, line)| !line.starts_with("## ")) {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let is_head =
            cells.iter().all(|cell| cell.trim_matches(['-', ':']).is_empty()) || cells[0] == "floor";
        if !line.trim_start().starts_with('|') || is_head {
            continue;
        }
        let Some(row) = row(&cells, index + 1) else {
            let message =
                "a row has a floor (a number or –), a crate in backticks, its job, and what it uses";
            findings.push(Finding::problem(DOCUMENT, index + 1, message));
            continue;
        };
        rows.push(row);
    }
    (rows, findings)
}

fn row(cells: &[&str], line: usize) -> Option<Row> {
    if cells.len() != COLUMNS {
        return None;
    }
    let floor = if is_none(cells[0]) { None } else { Some(cells[0].parse().ok()?) };
    let name = cells[1].strip_prefix('`')?.strip_suffix('`')?.to_owned();
    let uses = if is_none(cells[3]) {
        Vec::new()
    } else {
        cells[3].split(',').map(|name| full_name(name.trim())).collect()
    };
    Some(Row { name, floor, uses, line })
}

fn is_none(cell: &str) -> bool {
    matches!(cell, "–" | "-" | "—")
}

fn full_name(name: &str) -> String {
    let name = name.trim_matches('`');
    if name.starts_with(PREFIX) { name.to_owned() } else { format!("{PREFIX}{name}") }
}

fn membership(rows: &[Row], workspace: &Workspace) -> Vec<Finding> {
    let without_row =
        workspace.members.iter().filter(|member| !rows.iter().any(|row| row.name == member.name));
    let without_crate =
        rows.iter().filter(|row| !workspace.members.iter().any(|member| member.name == row.name));
    let mut findings: Vec<Finding> = without_row
        .map(|member| {
            Finding::problem(DOCUMENT, 1, format!("`{}` has no row in the table of floors", member.name))
        })
        .collect();
    findings.extend(without_crate.map(|row| {
        Finding::problem(DOCUMENT, row.line, format!("`{}` is not a member of the workspace", row.name))
    }));
    findings
}

fn differences(row: &Row, workspace: &Workspace) -> Vec<Finding> {
    let Some(member) = workspace.members.iter().find(|member| member.name == row.name) else {
        return Vec::new();
    };
    let real = workspace.uses(member);
    let unsaid = real.iter().filter(|name| !row.uses.iter().any(|said| said == *name));
    let untrue = row.uses.iter().filter(|said| !real.contains(&said.as_str()));
    let mut findings: Vec<Finding> = unsaid
        .map(|name| {
            Finding::problem(
                DOCUMENT,
                row.line,
                format!("`{}` uses `{name}`; its row does not say so", row.name),
            )
        })
        .collect();
    findings.extend(untrue.map(|said| {
        Finding::problem(DOCUMENT, row.line, format!("`{}` does not use `{said}`; its row says so", row.name))
    }));
    findings
}

/// Tests and tools may use any floor; no floor may use them.
fn upward(row: &Row, rows: &[Row]) -> Vec<Finding> {
    let Some(floor) = row.floor else {
        return Vec::new();
    };
    let used = row.uses.iter().filter_map(|name| rows.iter().find(|other| other.name == *name));
    let upward = used.filter(|other| other.floor.is_none_or(|other| other > floor));
    upward
        .map(|other| {
            let message = format!(
                "`{}` on floor {floor} must not use `{}`, which is not below it",
                row.name, other.name
            );
            Finding::problem(DOCUMENT, row.line, message)
        })
        .collect()
}
