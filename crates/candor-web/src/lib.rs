//! Fetches pages and searches the web, within walls: what comes in is bounded, what goes out is checked.
//!
//! [`tools()`] gives the tools that these settings ask for: `web_fetch`, and `web_search` where an engine is
//! configured. A fetch goes hop by hop. Each hop is parsed as a browser would (`guard.rs`), its name is resolved once, *every* address
//! that it has must be public or opened by the owner (`address.rs`, `allowed.rs`), and the connection goes to those addresses and to no
//! other (`hop.rs`). What arrives is unpacked, decoded and turned into text within bounds (`body.rs`, `page.rs`, `html/`, `pdf.rs`).
//!
//! This crate isolates the readers of HTML and PDF: both work on what strangers wrote, outside of the threads that serve sessions, and no
//! fault of theirs gets past `page.rs`.
//!
//! Deliberately absent: cookies, credentials, a proxy from the environment, scripts, a cache of pages. What comes from outside is marked
//! as untrusted in a field of its own (`untrusted.rs`) and is never more than the output of a tool: it cannot approve anything.
//!
//! Start reading at `web_fetch.rs`, then `guard.rs`, the place with the most to get wrong.

mod address;
mod allowed;
mod body;
mod client;
mod engine;
mod error;
mod fetch;
mod guard;
mod hop;
mod html;
mod page;
mod pdf;
mod robots;
mod secret;
mod settings;
mod text;
mod untrusted;
mod web_fetch;
mod web_search;
mod weighing;

use std::sync::Arc;

use candor_tools::Tool;

pub use allowed::Allowed;
pub use error::Error;
pub use guard::{Guard, Target};
pub use settings::{Engine, Robots, Search, Secrets, Web};

/// The tools that these settings ask for. Nothing is connected yet.
pub fn tools(settings: Web) -> Vec<Arc<dyn Tool>> {
    let settings = Arc::new(settings);
    let mut tools: Vec<Arc<dyn Tool>> = vec![Arc::new(web_fetch::WebFetch::new(Arc::clone(&settings)))];
    if settings.search.is_some() {
        tools.push(Arc::new(web_search::WebSearch::new(settings)));
    }
    tools
}
