//! What the tools promise, tried through the one way in which they are called.

#![cfg(test)]

mod calling;
mod errors;
mod grouping;
mod logging;
mod reading;
mod rig;
mod shell;
mod writing;
