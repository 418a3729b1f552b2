//! What a call waits for before it does what it is asked for.
//!
//! The answer that asks for a call is stored before the call runs: what may have run must be known after a crash. Rules can be held
//! against the call meanwhile, what it needs to know can be found out, and its walls can be got ready.

use tokio::sync::watch;

/// What has to be over first. Clones wait for the same.
#[derive(Debug, Clone, Default)]
pub struct Ready(Option<watch::Receiver<bool>>);

/// Says that it is over. Dropped without that, it never will be.
#[derive(Debug)]
pub struct Starter(watch::Sender<bool>);

impl Ready {
    /// One that waits for a word, and who says it.
    pub fn pending() -> (Starter, Self) {
        let (starter, ready) = watch::channel(false);
        (Starter(starter), Self(Some(ready)))
    }

    /// Waits until it is over. False: it never will be, and nothing may be done.
    pub(crate) async fn wait(&self) -> bool {
        match &self.0 {
            Some(ready) => ready.clone().wait_for(|is_over| *is_over).await.is_ok(),
            None => true,
        }
    }
}

impl Starter {
    /// It is over.
    pub fn start(self) {
        self.0.send_replace(true);
    }
}
