//! Reads YAML that people write into a tree that knows where everything stands, within bounds.
//!
//! What may be wrong is a value ([`Wrong`]) with a place: whoever reads the text says what it means for it, and goes on with what
//! could be read or does not. What it deliberately does not do: it opens no file, knows no schema, and turns no scalar into
//! something else before it is asked to, because `1.10` in a table of variables is a version and no number.
//!
//! Start reading at `tree.rs`; what it builds is in `node.rs`.

mod mistake;
mod node;
mod plain;
mod tree;

pub use mistake::{Mistake, Wrong};
pub use node::{Entry, Node, Place, Value};
pub use plain::Plain;
pub use tree::{DEPTH_MAX, Parsed, Text, parse};
