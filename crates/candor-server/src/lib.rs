//! HTTP and WebSocket for clients on the same machine.
//!
//! It deliberately does not decide anything: a frame becomes a submission, an event becomes a frame.
//!
//! Start reading here.
