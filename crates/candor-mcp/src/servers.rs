//! All servers of an installation.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use candor_tools::{Tool, Walls};
use rmcp::model::JsonObject;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::cache::{Cache, LastFailure};
use crate::config::{Entry, Reach};
use crate::error::{Challenge, Error};
use crate::known::Known;
use crate::names;
use crate::oauth::{self, Tokens};
use crate::offer::{Offer, OfferedPrompt};
use crate::resources::Resources;
use crate::result;
use crate::server::{Basis, Server};
use crate::standing::Standing;
use crate::tool::ServerTool;

/// What servers are started with.
#[derive(Clone)]
pub struct Options {
    /// The whole environment of processes, filtered already. An entry adds its own.
    pub env: Vec<(String, String)>,
    /// Where processes start.
    pub workspace: PathBuf,
    /// The walls for servers that are to have them.
    pub walls: Arc<Walls>,
    /// The file that remembers what servers offer.
    pub cache: Option<PathBuf>,
    /// The file that keeps logins.
    pub tokens: Option<PathBuf>,
    /// How long a start may take.
    pub start_time_max: Duration,
    /// How long a person may take to log in.
    pub login_time_max: Duration,
    /// The address of a document about us, for login servers that take that for a registration.
    pub client_metadata_url: Option<String>,
}

impl Options {
    /// Those of processes that start here with this environment, and nothing is remembered.
    pub fn new(workspace: PathBuf, env: Vec<(String, String)>) -> Self {
        Self {
            env,
            workspace,
            walls: Arc::new(Walls::new(candor_tools::Plan::default())),
            cache: None,
            tokens: None,
            start_time_max: Duration::from_secs(30),
            login_time_max: Duration::from_secs(300),
            client_metadata_url: None,
        }
    }
}

/// All servers of an installation. Nothing is read and nothing is started before it is needed.
pub struct Servers {
    all: Vec<Arc<Server>>,
    /// What stands for each of them in the names of its tools.
    prefixes: Vec<String>,
    basis: Arc<Basis>,
}

/// What there is to tell about one server.
#[derive(Debug, Clone)]
pub struct Status {
    /// What it is called.
    pub name: String,
    /// The file that names it.
    pub path: PathBuf,
    /// The program or the address.
    pub reach: String,
    /// Where it is.
    pub standing: Standing,
    /// How it failed when it was last wanted, be it in another process.
    pub last_failure: Option<LastFailure>,
    /// What it offered when it was last asked.
    pub offer: Option<Arc<Offer>>,
    /// Whether we have a login for it.
    pub has_login: bool,
    /// Its process, if there is one now.
    pub process: Option<ServerProcess>,
}

/// The process of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerProcess {
    /// Its number.
    pub pid: u32,
    /// How many lines it wrote that are no message.
    pub garbage_lines: u64,
    /// How many answers it gave to what was not asked.
    pub unasked_answers: u64,
}

/// A prompt, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPrompt {
    /// Whose it is.
    pub server: String,
    /// What a person calls it by: `mcp__server__prompt`.
    pub word: String,
    /// The prompt.
    pub prompt: OfferedPrompt,
}

impl Servers {
    /// These servers. Of two with the same name the first counts.
    pub fn new(entries: Vec<Entry>, options: Options) -> Arc<Self> {
        let cache = Cache::new(options.cache.clone());
        let basis = Arc::new(Basis { options, cache, changes: watch::Sender::new(0) });
        let mut seen = HashSet::new();
        let first = |entry: &Entry| seen.insert(entry.name.clone());
        let entries = entries.into_iter().filter(first);
        let servers: Vec<Arc<Server>> =
            entries.map(|entry| Arc::new(Server::new(entry, Arc::clone(&basis)))).collect();
        let names: Vec<&str> = servers.iter().map(|server| server.entry.name.as_str()).collect();
        Arc::new(Self { prefixes: names::prefixes(&names), all: servers, basis })
    }

    /// The tools that are known now, and the one that reads resources if any server has them. None is started for this.
    pub fn tools(self: &Arc<Self>) -> Vec<Arc<dyn Tool>> {
        let tool = |named: Named| -> Arc<dyn Tool> {
            Arc::new(ServerTool::new(named.server, named.name, named.known, named.index))
        };
        let mut tools: Vec<Arc<dyn Tool>> = self.named().into_iter().map(tool).collect();
        if self.usable().any(|server| server.has_resources()) {
            tools.push(Arc::new(Resources::new(self)));
        }
        tools
    }

    /// Counts the changes of what is offered: whoever waits for the next one asks for the tools again.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.basis.changes.subscribe()
    }

    /// Starts those servers of which nothing is known, beside everything else, and waits for none of them. What they offer
    /// is told by [`Servers::changes`].
    pub fn learn(self: &Arc<Self>) {
        for server in self.usable().filter(|server| server.known().is_none()) {
            let server = Arc::clone(server);
            // It ends with the start, which has its bounds; whether it works is told when somebody asks.
            drop(tokio::spawn(async move {
                let _ = server.connection("tools/list", &CancellationToken::new()).await;
            }));
        }
    }

    /// What there is to tell about each server. None is started for this.
    pub fn statuses(&self) -> Vec<Status> {
        let status = |server: &Arc<Server>| Status {
            name: server.entry.name.clone(),
            path: server.entry.path.clone(),
            reach: server.entry.reach.shown(),
            standing: server.standing(),
            last_failure: server.last_failure(),
            offer: server.offer(),
            has_login: self.tokens(server).is_some_and(|tokens| tokens.are_there()),
            process: server.process(),
        };
        self.all.iter().map(status).collect()
    }

    /// Tries a server, however often it has failed, and says what it offers.
    pub async fn probe(&self, name: &str) -> Result<Arc<Offer>, Error> {
        self.find(name)?.probe(&CancellationToken::new()).await
    }

    /// The prompts that are known now, for people to choose.
    pub fn prompts(&self) -> Vec<ServerPrompt> {
        let of = |(server, prefix): (&Arc<Server>, &String)| {
            let name = server.entry.name.clone();
            let known = server.known().filter(|known| known.outline.has_prompts);
            let prompts = known.map(|known| known.offer().prompts.clone()).unwrap_or_default();
            let theirs: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
            let words = names::of_tools(prefix, &theirs);
            prompts.into_iter().zip(words).map(move |(prompt, word)| ServerPrompt {
                server: name.clone(),
                word,
                prompt,
            })
        };
        let usable = self.all.iter().zip(&self.prefixes).filter(|(server, _)| server.is_usable());
        usable.flat_map(of).collect()
    }

    /// The text of a prompt, filled in. It comes from the server, and is to be shown as what it is.
    pub async fn prompt(
        &self,
        server: &str,
        prompt: &str,
        args: JsonObject,
        cancel: &CancellationToken,
    ) -> Result<String, Error> {
        let server = self.find(server)?;
        let ask = async |connection: &crate::connection::Connection,
                         bounds: crate::connection::Bounds<'_>| {
            connection.prompt(prompt, args, bounds).await
        };
        let filled = server.ask("prompts/get", cancel, ask).await?;
        Ok(result::prompt_text(&filled))
    }

    /// Logs in to a server. `open` is told the address that a person has to open in a browser.
    pub async fn login(&self, name: &str, open: impl FnOnce(&str)) -> Result<(), Error> {
        let server = self.find(name)?;
        server.permit()?;
        let failed = |reason: String| Error::Login {
            server: name.to_owned(),
            reason,
            challenge: Challenge::default(),
        };
        let Reach::Http { url, client, .. } = &server.entry.reach else {
            return Err(Error::NoLogin { server: name.to_owned() });
        };
        let tokens =
            self.tokens(server).ok_or_else(|| failed("there is no file to keep a login in".to_owned()))?;
        let options = &self.basis.options;
        let login = oauth::Login {
            url,
            tokens,
            time_max: options.login_time_max,
            client_metadata_url: options.client_metadata_url.clone(),
            client: client.as_ref(),
            challenge: server.challenge(),
        };
        oauth::login(login, open).await.map_err(failed)?;
        // Whoever is there was let in without it.
        server.stop().await;
        Ok(())
    }

    /// Forgets the login for a server; whether there was one.
    pub fn logout(&self, name: &str) -> Result<bool, Error> {
        let server = self.find(name)?;
        let Some(tokens) = self.tokens(server) else { return Ok(false) };
        let path = || self.basis.options.tokens.clone().unwrap_or_default();
        tokens.forget().map_err(|reason| Error::File { path: path(), reason })
    }

    /// Ends all of them.
    pub async fn stop(&self) {
        futures_util::future::join_all(self.all.iter().map(|server| server.stop())).await;
    }

    pub(crate) fn find(&self, name: &str) -> Result<&Arc<Server>, Error> {
        let unknown = || {
            let names: Vec<&str> = self.all.iter().map(|server| server.entry.name.as_str()).collect();
            let servers = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            Error::Unknown { server: name.to_owned(), servers }
        };
        self.all.iter().find(|server| server.entry.name == name).ok_or_else(unknown)
    }

    pub(crate) fn usable(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.all.iter().filter(|server| server.is_usable())
    }

    fn tokens(&self, server: &Server) -> Option<Tokens> {
        let is_remote = matches!(server.entry.reach, Reach::Http { .. });
        let file = self.basis.options.tokens.as_ref().filter(|_| is_remote)?;
        Some(Tokens::new(file, &server.entry.hash))
    }

    /// Every tool that is offered, with its name.
    fn named(&self) -> Vec<Named> {
        let (mut named, mut taken) = (Vec::new(), HashSet::new());
        for (server, prefix) in self.all.iter().zip(&self.prefixes).filter(|(server, _)| server.is_usable()) {
            let Some(known) = server.known() else { continue };
            let tools: Vec<&str> = known.outline.tools.iter().map(|(name, _)| name.as_str()).collect();
            for (index, name) in names::of_tools(prefix, &tools).into_iter().enumerate() {
                if !server.entry.allows(tools[index]) {
                    continue;
                }
                let name =
                    if taken.contains(&name) { names::hashed(&name, &server.entry.name) } else { name };
                taken.insert(name.clone());
                named.push(Named { server: Arc::clone(server), name, known: Arc::clone(&known), index });
            }
        }
        named
    }
}

/// A tool with the name that it is offered by.
struct Named {
    server: Arc<Server>,
    name: String,
    known: Arc<Known>,
    /// Which of the offer's tools it is.
    index: usize,
}
