//! What tools take: one type for each, from which both what the model is told and what is read come.
//!
//! [`arguments!`](crate::arguments!) makes the type, its schema and its reader of one list of fields, so that they cannot
//! disagree. Where a schema alone is known, of a tool from elsewhere, `problem` holds arguments against it.
//!
//! Both are lenient in the same places: an argument that nobody knows is left alone, and `null` is taken for an argument
//! that is not there. Models write both, and neither does harm.

mod check;
mod kinds;
mod made;

use candor_protocol::ToolSpec;
pub use serde_json::Value;

pub(crate) use check::problem;
pub use kinds::{AtLeast, none_of, one_of};
pub use made::{Fields, Given};

use crate::Error;

/// What of the text of a malformed call is repeated.
const WRITTEN_CHARS_MAX: usize = 200;

/// Something that a call can be given.
pub trait Argument<'a>: Sized {
    /// What the schema says of it.
    fn schema() -> Value;

    /// Reads it, or says in a few words what is wrong with it.
    fn read(value: &'a Value) -> Result<Self, String>;

    /// What it is where it is not given; nothing where it has to be.
    fn absent() -> Option<Self> {
        None
    }
}

/// What the model is told about a tool that takes this.
pub fn spec<'a, A: Argument<'a>>(name: &str, description: &str) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: description.to_owned(), parameters: A::schema().into() }
}

/// The arguments of a call, or what is wrong with them.
pub fn read<'a, A: Argument<'a>>(args: &'a Value) -> Result<A, String> {
    if args.is_object() { A::read(args) } else { Err(NO_OBJECT.to_owned()) }
}

/// The same for a tool that is run.
pub fn of<'a, A: Argument<'a>>(tool: &str, args: &'a Value) -> Result<A, Error> {
    read(args).map_err(|problem| Error::arguments(tool, problem))
}

const NO_OBJECT: &str = "the arguments are not a JSON object";

/// Why a call that could not be read was not run.
pub(crate) fn malformed(written: &str) -> String {
    let start: String = written.chars().take(WRITTEN_CHARS_MAX).collect();
    let more = if start.len() < written.len() { " …" } else { "" };
    format!("what was written is not one JSON object: {start}{more}")
}
