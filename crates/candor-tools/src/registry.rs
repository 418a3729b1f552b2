//! The tools that there are, at this moment.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use candor_protocol::{ToolCall, ToolSpec};

use crate::apply_patch::ApplyPatch;
use crate::ask_user::AskUser;
use crate::file_edit::FileEdit;
use crate::file_read::FileRead;
use crate::file_write::FileWrite;
use crate::find::Find;
use crate::list::List;
use crate::process::Process;
use crate::search::Search;
use crate::shell_exec::ShellExec;
use crate::sleep::Sleep;
use crate::todo::Todo;
use crate::{Effect, Error, Sought, Tool, ToolContext, sought};

/// Some tools, at one moment.
pub type Tools = Arc<[Arc<dyn Tool>]>;

/// Where more tools come from. What it has may change at any time, so it is asked at each moment, and has to be quick.
pub trait ToolSource: Send + Sync {
    /// The tools that it has now.
    fn tools(&self) -> Tools;
}

/// The tools that there are, in the order the model is told about them. They may change while sessions go on: each
/// request to a model names those of its moment.
#[derive(Default)]
pub struct Registry {
    /// A plain lock: it is held for a look and never across a wait.
    tools: RwLock<Tools>,
    /// Where more of them come from.
    sources: RwLock<Vec<Arc<dyn ToolSource>>>,
    /// The names of those that can be called. Nothing: all.
    only: Option<BTreeSet<String>>,
    /// The names of those that can be called, and that no model is told about.
    untold: BTreeSet<String>,
}

impl Registry {
    /// The tools that come with Candor.
    pub fn built_in() -> Self {
        Self::new(vec![
            Arc::new(ShellExec::new()),
            Arc::new(FileRead::new()),
            Arc::new(FileWrite::new()),
            Arc::new(FileEdit::new()),
            Arc::new(ApplyPatch::new()),
            Arc::new(Search::new()),
            Arc::new(Find::new()),
            Arc::new(List::new()),
            Arc::new(Process::new()),
            Arc::new(Todo::new()),
            Arc::new(AskUser::new()),
            Arc::new(Sleep::new()),
        ])
    }

    /// These tools. Of two with the same name, the first is found.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        Self { tools: RwLock::new(tools.into()), ..Self::default() }
    }

    /// The same tools and sources, but only what is among these names; nothing leaves all. Of `untold` no model is told.
    /// What cannot be called here cannot be called there, and what is added here later is not there.
    #[must_use]
    pub fn narrowed(&self, only: Option<BTreeSet<String>>, untold: BTreeSet<String>) -> Self {
        let only = match (&self.only, only) {
            (Some(mine), Some(theirs)) => Some(mine.intersection(&theirs).cloned().collect()),
            (mine, theirs) => theirs.or_else(|| mine.clone()),
        };
        let tools = Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner));
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner).clone();
        Self { tools: RwLock::new(tools), sources: RwLock::new(sources), only, untold }
    }

    /// Takes what a source has, whenever that is. Of two tools with the same name the first is found: none of a source is in
    /// the way of one that was here before.
    pub fn add_source(&self, source: Arc<dyn ToolSource>) {
        self.sources.write().unwrap_or_else(PoisonError::into_inner).push(source);
    }

    /// Adds a tool, in the place of one with the same name if there is one.
    pub fn add(&self, tool: Arc<dyn Tool>) {
        self.change(|tools| {
            let place = tools.iter().position(|other| other.spec().name == tool.spec().name);
            match place {
                Some(place) => tools[place] = tool,
                None => tools.push(tool),
            }
        });
    }

    /// Takes a tool away; whether it was there. A call of it that goes on is not touched.
    pub fn remove(&self, name: &str) -> bool {
        let mut found = false;
        self.change(|tools| {
            let before = tools.len();
            tools.retain(|tool| tool.spec().name != name);
            found = tools.len() < before;
        });
        found
    }

    /// What the model is told in a session, which can read so much.
    pub fn offered(&self, sought: &Sought, window_tokens: Option<u64>) -> Vec<ToolSpec> {
        let mut told = sought::offered(&self.now(), sought, window_tokens);
        told.retain(|spec| !self.untold.contains(&spec.name));
        told
    }

    /// All that there is.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.now().iter().map(|tool| tool.spec().clone()).collect()
    }

    /// The tool of this name, or the one that is also known by it.
    pub fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let is_here = |tool: &&Arc<dyn Tool>| self.has(tool.name());
        let own = self.own();
        let by_name = own.iter().filter(is_here).find(|tool| tool.name() == name);
        let by_alias = || own.iter().filter(is_here).find(|tool| tool.aliases().contains(&name));
        let own = by_name.or_else(by_alias).cloned();
        own.or_else(|| {
            let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
            let mut tools = sources.iter().map(|source| source.tools());
            let found = tools.find_map(|tools| tools.iter().find(|tool| tool.name() == name).cloned());
            found.filter(|tool| self.has(tool.name()))
        })
    }

    /// Whether a call writes a file.
    pub fn writes(&self, call: &ToolCall, context: &ToolContext) -> bool {
        matches!(self.effect(call, context), Some(Effect::Writes(_) | Effect::WritesSeveral(_)))
    }

    /// What a call would touch; nothing where there is no such tool.
    pub fn effect(&self, call: &ToolCall, context: &ToolContext) -> Option<Effect> {
        self.find(&call.tool_name).map(|tool| tool.effect(&call.args, context))
    }

    /// The tool of this name, or the reason why there is none.
    pub(crate) fn require(&self, name: &str) -> Result<Arc<dyn Tool>, Error> {
        let names = || self.now().iter().map(|tool| tool.spec().name.as_str()).collect::<Vec<_>>().join(", ");
        self.find(name).ok_or_else(|| Error::Unknown { tool: name.to_owned(), tools: names() })
    }

    /// Whether a tool of this name may be called here.
    fn has(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(name))
    }

    fn own(&self) -> Tools {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn now(&self) -> Tools {
        let own = self.own();
        let sources = self.sources.read().unwrap_or_else(PoisonError::into_inner);
        if sources.is_empty() && self.only.is_none() {
            return own;
        }
        let mut all = own.to_vec();
        let mut taken: HashSet<String> = all.iter().map(|tool| tool.name().to_owned()).collect();
        for tool in sources.iter().flat_map(|source| source.tools().to_vec()) {
            if taken.insert(tool.name().to_owned()) {
                all.push(tool);
            }
        }
        all.retain(|tool| self.has(tool.name()));
        all.into()
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Arc<dyn Tool>>)) {
        let mut tools = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = tools.to_vec();
        change(&mut changed);
        *tools = changed.into();
    }
}
