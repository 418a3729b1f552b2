//! A local fake of the Telegram bot API, so that a bot can be asked something without a network, a token or a phone.
//!
//! There is one person in it, who has one private chat with the bot. [`Bot::send`] makes that person say something; what the
//! bot sends to that chat is the answer. The fake accepts any token, since nobody's name is at stake here, and is otherwise
//! strict where the real API is: a bot that sends an empty text is refused in the same words. What it does not know it
//! accepts.
//!
//! Updates are fetched with `getUpdates`, or posted to the address given to `setWebhook`, if that is on this machine.

mod method;
mod params;
mod server;
mod state;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use candor_sandbox::Sandbox;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use self::state::State;

/// A local fake of the Telegram bot API, inside the session's network. Dropping it ends it.
pub struct Bot {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

/// What the connections share.
struct Shared {
    sandbox: Sandbox,
    state: Mutex<State>,
    /// Tells that the state has changed.
    changes: watch::Sender<()>,
    /// Updates on their way to a webhook.
    posts: Mutex<JoinSet<()>>,
}

impl Shared {
    /// Looks at the state, or changes it. Nobody waits while it is held.
    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the state, and tells those who wait for that.
    fn change<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let done = self.with(act);
        self.changes.send_replace(());
        done
    }

    /// Waits until the state gives something.
    async fn until<T>(&self, mut look: impl FnMut(&mut State) -> Option<T>) -> T {
        let mut changes = self.changes.subscribe();
        loop {
            changes.borrow_and_update();
            if let Some(found) = self.with(&mut look) {
                return found;
            }
            // The sender is ours, and lives as long as this does.
            let _ = changes.changed().await;
        }
    }
}

impl Bot {
    /// Starts it in the network of a session, on any port.
    pub async fn start(sandbox: &Sandbox) -> io::Result<Self> {
        let listener = sandbox.listen().await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            sandbox: sandbox.clone(),
            state: Mutex::new(State::new()),
            changes: watch::Sender::new(()),
            posts: Mutex::new(JoinSet::new()),
        });
        let server = tokio::spawn(server::serve(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, server })
    }

    /// Where it is: `http://127.0.0.1:PORT`, to which `/bot<token>/<method>` is added.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Makes the person say this to the bot, and gives the number of the update.
    pub fn send(&self, text: &str) -> i64 {
        let (update, post) = self.shared.change(|state| state.say(text));
        if let Some((webhook, body)) = post {
            let mut posts = self.shared.posts.lock().unwrap_or_else(PoisonError::into_inner);
            posts.spawn(server::post(Arc::clone(&self.shared), webhook, update, body));
        }
        update
    }

    /// Waits until the bot has sent more than so many things to the person since it was given that update, and gives all of them. It
    /// waits as long as it takes: give it a time limit.
    pub async fn answers(&self, update: i64, more_than: usize) -> Vec<String> {
        let look = |state: &mut State| {
            let answers = state.answers(update);
            (answers.len() > more_than).then(|| answers.to_vec())
        };
        self.shared.until(look).await
    }

    /// What the bot has sent to the person since it was given that update.
    pub fn answered(&self, update: i64) -> Vec<String> {
        self.shared.with(|state| state.answers(update).to_vec())
    }

    /// Whether the bot was given that update.
    pub fn is_taken(&self, update: i64) -> bool {
        self.shared.with(|state| state.is_taken(update))
    }

    /// Waits until the bot has sent nothing for so long, so that an answer to what was said before is not taken for one to what
    /// is said next.
    pub async fn quiet(&self, pause: Duration) {
        loop {
            let before = self.shared.with(|state| state.answer_count());
            let more = self.shared.until(|state| (state.answer_count() > before).then_some(()));
            if timeout(pause, more).await.is_err() {
                return;
            }
        }
    }

    /// Waits until the bot asks for updates, or says where to post them.
    pub async fn asked(&self) {
        self.shared.until(|state| state.is_asked().then_some(())).await;
    }

    /// What the bot has called so far and what it was answered, the last of it: `sendMessage: 400 Bad Request: …`. What was
    /// called with the same answer several times in a row is told once.
    pub fn calls(&self) -> Vec<String> {
        self.shared.with(|state| state.calls())
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.server.abort();
        self.shared.posts.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }
}
