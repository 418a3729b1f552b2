//! What a command is given: where it is, and the configuration when it asks for it.

use std::path::PathBuf;

use candor_config::{Env, Home, Loaded, Request};
use candor_protocol::Failure;

use crate::cli::Global;
use crate::fail::Fail;
use crate::screen::Screen;
use crate::secrets;

pub(crate) struct Context<'a> {
    pub(crate) screen: &'a Screen,
    pub(crate) request: Request,
    pub(crate) global: &'a Global,
}

impl<'a> Context<'a> {
    pub(crate) fn new(global: &'a Global, screen: &'a Screen) -> Result<Self, Fail> {
        // A current directory that was deleted is no reason to refuse commands that need none.
        let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let request = Request {
            env: screen.env.clone(),
            cwd,
            workspace: global.workspace.clone(),
            file: global.config.clone(),
            flags: global.settings(),
        };
        let context = Self { screen, request, global };
        if context.request.workspace.is_some() {
            let folder = context.folder();
            std::fs::read_dir(&folder).map_err(|error| Failure::file(&folder, &error))?;
        }
        Ok(context)
    }

    pub(crate) fn env(&self) -> &Env {
        &self.request.env
    }

    /// The folder that is worked in: the one that was named, or the one that somebody stands in.
    pub(crate) fn folder(&self) -> PathBuf {
        let Request { cwd, workspace, .. } = &self.request;
        workspace.as_ref().map_or_else(|| cwd.clone(), |workspace| cwd.join(workspace))
    }

    pub(crate) fn home(&self) -> Result<Home, Fail> {
        Ok(Home::find(&self.request.env, &self.request.cwd)?)
    }

    /// Loads the configuration without a word about its warnings.
    pub(crate) fn load_quietly(&self) -> Result<Loaded, candor_config::Error> {
        let loaded = candor_config::load(&self.request);
        // What cannot be loaded is about to be shown in a card, and may hold secrets all the same.
        self.screen.keep_secret(match &loaded {
            Ok(loaded) => secrets::at_hand(loaded, self.env()),
            Err(_) => secrets::at_hand_of_owner(&self.request),
        });
        loaded
    }

    /// Loads the configuration and shows its warnings.
    pub(crate) fn load(&self) -> Result<Loaded, Fail> {
        let loaded = self.load_quietly()?;
        for warning in &loaded.warnings {
            self.screen.warn(&warning.to_string());
        }
        Ok(loaded)
    }
}
