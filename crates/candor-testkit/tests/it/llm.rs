//! The fake model server, seen with a raw client: what is asserted here is bytes and frames, not what a library made of
//! them.

mod client;
mod faults;
mod requests;
mod serving;
mod streams;
mod strict;
