//! Judges a shell command by what it would do, before it runs.
//!
//! A command is parsed as bash parses it, every simple command in it is found, wherever it stands and through whatever
//! runs it (`env`, `sudo`, `sh -c`, `xargs`, `find -exec`, …), its words are worked out as far as they are literal, and
//! each is held against rules about effects: what is deleted, what is written, what is pushed or published. The answer
//! is allow, ask or deny, with one sentence that says why.
//!
//! The gate is a courtesy and not a wall: it catches what a person would want to be asked about, and what nobody wants.
//! A shell can always be talked into more than a reader of its text foresees, so it deliberately does not promise that
//! what it allows is harmless; the sandbox keeps that promise. It is pure: it does not read files, the environment or
//! the clock, so the same text in the same scene gets the same answer.
//!
//! [`mod@env`] judges variables the same way: by what they would make a program do.
//!
//! Start reading at [`Gate::judge`], then `walk.rs` for how commands are found and `rules/` for what is asked of them.

mod call;
pub mod env;
mod error;
mod evaluate;
mod expand;
mod flow;
mod gate;
mod interactive;
mod lists;
mod lossy;
mod places;
mod rules;
mod scene;
mod syntax;
mod text;
mod variables;
mod verdict;
mod walk;
mod wrappers;

pub use error::Error;
pub use gate::{Gate, Typed};
pub use lists::Lists;
pub use scene::Scene;
pub use verdict::{Judgement, Verdict};
