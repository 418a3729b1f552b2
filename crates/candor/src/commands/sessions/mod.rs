//! `candor sessions`

mod change;
pub(crate) mod list;
pub(crate) mod search;
pub(crate) mod show;
mod transfer;
mod tree;
pub(crate) mod undo;

use candor_config::Loaded;
use candor_protocol::{Failure, SessionId};
use candor_runtime::Runtime;

use crate::cli::Sessions;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::screen::block_on;
use crate::{assemble, which};

/// The home's sessions, and the folder that "here" means.
struct Desk<'a> {
    runtime: Runtime,
    here: String,
    context: &'a Context<'a>,
}

impl<'a> Desk<'a> {
    /// Opens what is needed to ask and to change, and nothing that talks to a model.
    async fn open(loaded: &Loaded, context: &'a Context<'a>) -> Result<Self, Failure> {
        let setup = assemble::offline(None, loaded, context);
        let here = setup.workspace.display().to_string();
        let runtime = Runtime::open(&assemble::database(loaded), setup).await?;
        Ok(Self { runtime, here, context })
    }

    /// The session that a text means.
    async fn find(&self, text: &str) -> Result<SessionId, Failure> {
        which::find(text, &self.here, &self.runtime).await
    }
}

pub(crate) fn run(command: &Sessions, context: &Context<'_>) -> Result<Exit, Fail> {
    if let Sessions::Delete { yes: false, .. } = command {
        change::check_terminal()?;
    }
    let loaded = context.load()?;
    loaded.home.make()?;
    block_on(async {
        let desk = Desk::open(&loaded, context).await?;
        match command {
            Sessions::List { all, source, tree, limit, json } => {
                let wanted = list::Wanted {
                    workspace: (!all).then(|| desk.here.clone()),
                    // Whoever asks for those of a source means all of them.
                    children: source.is_some() && !tree,
                    source: source.clone(),
                    limit: *limit,
                };
                match tree {
                    true => tree::run(&wanted, *json, &desk).await,
                    false => list::run(&wanted, *json, &desk).await,
                }
            }
            Sessions::Show { session, json } => show::run(session, *json, &desk).await,
            Sessions::Rename { session, name } => change::rename(session, &name.join(" "), &desk).await,
            Sessions::Delete { sessions, yes } => change::delete(sessions, *yes, &desk).await,
            Sessions::Fork { session, at } => change::fork(session, *at, &desk).await,
            Sessions::Diff { session, run } => undo::diff(session, *run, &desk).await,
            Sessions::Undo { session, run, force } => undo::undo(session, *run, *force, &desk).await,
            Sessions::Search { words, all, limit, json } => {
                search::run(&words.join(" "), *all, *limit, *json, &desk).await
            }
            Sessions::Export { session, output, force } => {
                transfer::export(session, output.as_deref(), *force, &desk).await
            }
            Sessions::Import { file, as_new } => transfer::import(file, *as_new, &desk).await,
        }
    })
}
