//! Everything that goes wrong between us and a model server, in every dialect in which it can.
//!
//! Each test carries the number of its row in the table of faults. All of them go the whole way: retry, HTTP, a server on
//! the loopback that is strict about what it is sent.

mod calls;
mod endings;
mod framing;
mod histories;
mod huge;
mod network;
pub(crate) mod rig;
mod statuses;
mod stream_errors;
mod waits;
