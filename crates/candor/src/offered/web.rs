//! The tools of the web, as they are configured.

use std::sync::Arc;

use candor_config::settings::{self, SearchEngine};
use candor_config::{Env, Loaded};
use candor_protocol::{Code, Failure, SessionId};
use candor_tools::Tool;
use candor_web::{Allowed, Engine, Robots, Search, Web};

use crate::context::Context;
use crate::secrets;

/// The tools that the configuration asks for.
pub(crate) fn tools(loaded: &Loaded, context: &Context<'_>) -> Result<Vec<Arc<dyn Tool>>, Failure> {
    let web = &loaded.config.web;
    if !web.fetch {
        return Ok(Vec::new());
    }
    let search = search(&web.search, context.env())?;
    context.screen.keep_secret(search.as_ref().and_then(|search| search.key.clone()));
    let redactor = context.screen.redactor();
    let is_secret = move |_: SessionId, text: &str| !redactor.find(text.as_bytes()).is_empty();
    let settings = Web {
        allow_private: web.allow_private.iter().map(|text| allowed(text)).collect::<Result<_, _>>()?,
        allow_benchmarking: web.allow_benchmarking,
        robots: match web.robots {
            settings::Robots::Respect => Robots::Respect,
            settings::Robots::Ignore => Robots::Ignore,
        },
        proxy: web.proxy.clone(),
        search,
        secrets: Some(Arc::new(is_secret)),
        ..Web::default()
    };
    Ok(candor_web::tools(settings))
}

fn search(search: &settings::WebSearch, env: &Env) -> Result<Option<Search>, Failure> {
    let Some(engine) = search.engine else { return Ok(None) };
    let key = match &search.api_key {
        Some(source) => Some(secrets::fetch("web.search.api_key", source, env)?.reveal().to_owned()),
        None => None,
    };
    let engine = match engine {
        SearchEngine::Searxng => Engine::Searxng,
        SearchEngine::Brave => Engine::Brave,
        SearchEngine::Tavily => Engine::Tavily,
        SearchEngine::Kagi => Engine::Kagi,
    };
    Ok(Some(Search { engine, base_url: search.base_url.clone(), key }))
}

fn allowed(text: &str) -> Result<Allowed, Failure> {
    text.parse().map_err(|why| {
        Failure::new(Code::ConfigInvalid)
            .with("path", "the configuration")
            .with("problems", format!("web.allow_private: {text}: {why}"))
    })
}
