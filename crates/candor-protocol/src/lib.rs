//! Names every thing that crosses a wire or a disk.
//!
//! Types, their spelling in JSON, and nothing else. There is deliberately no async here, no input or output, and no
//! decision: a crate that needs one of these names can take them without taking anything with them.
//!
//! Start reading at [`ErrorCard`], the form in which every failure reaches a person, and [`Failure`], the form in
//! which a crate reports one without knowing how it will be shown.

mod card;
mod code;
mod failure;
mod ids;
mod level;

pub use card::{Class, ErrorCard, Step};
pub use code::Code;
pub use failure::Failure;
pub use ids::{InvalidId, SessionId};
pub use level::{InvalidLevel, Level};
