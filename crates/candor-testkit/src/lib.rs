//! What the tests of every crate share: throw-away homes, the real binary run in one, a fake of the model APIs,
//! seeded sweeps, and the folders of public test suites.
//!
//! It deliberately does not link the product: a test that drives the binary sees what a person sees, and a
//! fault in our own code cannot hide on both sides of an assertion. It does not touch the network beyond
//! the loopback address, and it holds no assertions about behaviour; those belong to the tests.
//!
//! Start reading at [`Candor`], which runs the binary in a [`Home`]; then [`FakeLlm`], the model that says what
//! a test tells it to say; then [`Sweep`], the loop behind every test whose name begins with `sweep_`.
#![expect(
    clippy::disallowed_methods,
    reason = "a test library starts the binary under test and is steered by the environment of the test run"
)]
#![expect(
    clippy::panic,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a panic is how a test library fails the test that called it"
)]
#![expect(
    clippy::return_self_not_must_use,
    reason = "an assertion is called for itself, and what it returns is for those who go on"
)]

mod candor;
mod capture;
mod home;
mod llm;
mod measured;
mod mutate;
mod postgres;
mod ran;
mod rng;
mod running;
pub mod suites;
mod sweep;
mod ws;

pub use candor::{Candor, TIME_LIMIT};
pub use capture::OUTPUT_BYTES_MAX;
pub use home::Home;
pub use llm::{Dialect, FakeLlm, Fault, Gate, Reply, Seen, Stop};
pub use measured::{measured, row};
pub use mutate::{MUTANT_GROWTH_BYTES_MAX, mutate};
pub use postgres::{Database, Postgres};
pub use ran::Ran;
pub use rng::Rng;
pub use running::Running;
pub use sweep::Sweep;
pub use tungstenite::Message;
pub use ws::{Closed, Ws};
