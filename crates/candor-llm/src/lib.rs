//! Turns a [`Request`] into an [`Answer`] from any provider, with retry.
//!
//! A provider is asked through [`Provider::ask`]: pieces of the answer go to a callback as they arrive, and what comes
//! back is the whole answer or an [`Error`] that says what can be done about it. [`retry::ask`] wraps that with waiting
//! and trying again. The crate deliberately does not know sessions, tools or prompts; it does not read the environment
//! or the configuration (what it needs arrives as values), and it stores nothing.
//!
//! Start reading at `wire.rs`, the little that a dialect has to say, and `draft.rs`, where all dialects' pieces become
//! one answer; `http.rs` is the way of the bytes.

mod answer;
mod args;
mod classify;
mod client;
mod dialect;
mod draft;
mod error;
mod history;
mod http;
mod lenient;
mod model_name;
mod models;
pub mod prices;
mod provider;
mod request;
pub mod retry;
mod retry_after;
mod scripted;
mod sse;
mod tls;
mod windows;
mod wire;

pub use answer::{Answer, Delta};
pub use client::{Endpoint, HttpProvider, Proxy, Timeouts};
pub use dialect::Dialect;
pub use error::Error;
pub use models::models;
pub use provider::{BoxFuture, Provider};
pub use request::Request;
pub use scripted::ScriptedProvider;
pub use windows::{context_window, ollama_context_window};
