//! Where a run tells what happens, and how it keeps secrets.

use std::future::Future;
use std::pin::Pin;

use candor_protocol::{EventBody, Failure, Part};
use serde_json::Value;

/// A future behind a pointer, so that a sink can be a value.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where a run tells what happens.
pub trait Sink: Send + Sync {
    /// Tells one thing. It is stored, if it is to be, and then shown, in the order of telling; this does not wait for it.
    fn emit(&self, body: EventBody);

    /// Waits until everything told so far is stored. A run does so before it acts on an answer: what may have run must be
    /// known after a crash.
    fn settled(&self) -> BoxFuture<'_, Result<(), Failure>>;

    /// Waits until everything told so far is on its way to the disk, or is next. What a run does then takes no time besides.
    fn under_way(&self) -> BoxFuture<'_, ()>;

    /// Takes the messages that came for this run since the last time.
    fn steering(&self) -> Vec<Vec<Part>>;
}

/// How a run keeps secrets from everyone, the model included, and still lets tools use them.
pub trait Mask: Send + Sync {
    /// Puts a placeholder in the place of each secret.
    fn hide(&self, text: &str) -> String;

    /// Masks the secrets that are known by their value, in words that a model wrote itself.
    fn conceal(&self, text: &str) -> String;

    /// Puts the secrets back into the arguments of a tool.
    fn reveal(&self, args: &Value) -> Result<Value, Failure>;
}
