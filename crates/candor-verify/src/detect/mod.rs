//! What can be checked in a workspace, as far as its files tell.
//!
//! `tree` is what lies there, within bounds; each stack reads it and adds to a `draft`, which knows what is the same and what
//! is too much. A service is found from what a project says (scripts, a Procfile), then from its framework, then from what a
//! source plainly does (`source`); what it may be asked comes from its routes (`routes`, `probes`).
//!
//! Deliberately absent: running anything, and guessing. What is not plain becomes a note that says how to declare it.

mod ci;
mod compose;
mod danger;
mod deps;
mod draft;
pub mod lack;
mod manifest;
mod probes;
mod procfile;
mod project;
mod purpose;
mod routes;
mod signs;
mod site;
mod source;
mod stacks;
mod targets;
mod tools;
mod tree;

use std::path::Path;

use draft::Draft;
use tree::Tree;

use crate::plan::Plan;

/// What can be checked in this workspace, as far as its files tell. Never fails; broken manifests become [`Plan::problems`].
pub fn detect(root: &Path) -> Plan {
    let tree = Tree::walk(root);
    let mut draft = Draft::new(&tree);
    // What a project says that it runs comes before what its sources look like.
    procfile::detect(&mut draft);
    for stack in stacks::ALL {
        stack(&mut draft);
    }
    targets::detect(&mut draft);
    site::detect(&mut draft);
    compose::detect(&mut draft);
    ci::detect(&mut draft);
    draft.finish()
}
