//! Whatever answers requests.

use std::future::Future;
use std::pin::Pin;

use crate::{Answer, Delta, Error, Request};

/// A future behind a pointer, so that a provider can be a value.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Whatever answers requests: a server that speaks one of the dialects, or a script.
pub trait Provider: Send + Sync {
    /// Its name, as people configured it.
    fn name(&self) -> &str;

    /// Asks once. Pieces go to `deltas` as they arrive; the answer at the end holds all of them again. A failure is a
    /// value: this neither panics nor hangs, and dropping the future ends the request.
    fn ask<'a>(
        &'a self,
        request: &'a Request,
        deltas: &'a mut (dyn FnMut(Delta<'_>) + Send),
    ) -> BoxFuture<'a, Result<Answer, Error>>;
}
