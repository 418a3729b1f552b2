//! `candor sessions list --tree`

use std::io::{self, IsTerminal};

use candor_protocol::Failure;
use candor_runtime::Runtime;
use candor_store::SessionSummary;
use serde_json::{Value, json};

use super::Desk;
use super::list::{self, Wanted};
use crate::fail::{Exit, Fail};

/// How many children of one session are shown.
const CHILDREN_MAX: u32 = 200;
/// How far down is looked: deeper than children may start others, so that what was imported has an end, too.
const DEPTH_MAX: usize = 16;

/// A session, and how far down it stands.
struct Node {
    session: SessionSummary,
    depth: usize,
}

pub(super) async fn run(wanted: &Wanted, as_json: bool, desk: &Desk<'_>) -> Result<Exit, Fail> {
    list::check_source(wanted)?;
    let screen = desk.context.screen;
    let mut nodes = Vec::new();
    for session in list::sessions(wanted, &desk.runtime).await? {
        family(session, &desk.runtime, &mut nodes).await?;
    }
    if as_json {
        screen.say(format_args!("{}", Value::from(nested(&mut nodes.as_slice(), 0))))?;
        return Ok(Exit::Good);
    }
    if nodes.is_empty() {
        list::tell_none(wanted, desk);
    }
    let is_terminal = io::stdout().is_terminal();
    let depths: Vec<usize> = nodes.iter().map(|node| node.depth).collect();
    for (at, Node { session, .. }) in nodes.iter().enumerate() {
        let id = if is_terminal { list::short(session.id) } else { session.id.to_string() };
        screen.say(format_args!("{}{id}  {}", branch(&depths[at..]), list::line(session)))?;
    }
    Ok(Exit::Good)
}

/// What stands before the first of these nodes: how it hangs on those above it. They are known by how far down they stand.
fn branch(depths: &[usize]) -> String {
    let Some((&depth, after)) = depths.split_first() else { return String::new() };
    let goes_on =
        |level: usize| after.iter().take_while(|depth| **depth >= level).any(|depth| *depth == level);
    let piece = |level: usize| match (goes_on(level), level == depth) {
        (true, true) => "├ ",
        (false, true) => "└ ",
        (true, false) => "│ ",
        (false, false) => "  ",
    };
    (1..=depth).map(piece).collect()
}

/// Adds a session, and below it those that work for it.
async fn family(root: SessionSummary, runtime: &Runtime, nodes: &mut Vec<Node>) -> Result<(), Failure> {
    let mut open = vec![Node { session: root, depth: 0 }];
    while let Some(node) = open.pop() {
        if node.depth < DEPTH_MAX {
            let children = runtime.query().children(node.session.id, CHILDREN_MAX).await;
            let children = children.map_err(|error| error.failure())?;
            let depth = node.depth + 1;
            open.extend(children.into_iter().rev().map(|session| Node { session, depth }));
        }
        nodes.push(node);
    }
    Ok(())
}

/// The nodes from here on that stand so far down, each with those below it.
fn nested(nodes: &mut &[Node], depth: usize) -> Vec<Value> {
    let mut found = Vec::new();
    while let Some((node, rest)) = nodes.split_first() {
        if node.depth < depth {
            break;
        }
        *nodes = rest;
        let mut shown = json!(node.session);
        shown["children"] = nested(nodes, depth + 1).into();
        found.push(shown);
    }
    found
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
