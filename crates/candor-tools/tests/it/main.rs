//! What the tools promise, tried through the one way in which they are called.

#![cfg(test)]

mod bounds;
mod calling;
#[path = "../../../candor-gate/tests/it/cases.rs"]
mod cases;
mod command_tools;
mod editing;
mod errors;
mod finding;
mod gating;
mod granting;
mod grouping;
mod guiding;
mod hooked_calls;
mod hooked_moments;
mod hooked_trouble;
mod hooking;
mod logging;
mod noting;
mod patching;
mod pictures;
mod planning;
mod previewing;
mod racing;
mod reading;
mod recipes;
mod resolving;
mod rig;
mod schemas;
mod searching;
mod seeking;
mod shell;
mod skills;
mod tree;
mod typing;
mod undoing;
mod undoing_kinds;
mod writing;
