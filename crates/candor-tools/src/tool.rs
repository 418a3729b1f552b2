//! What every tool has.

use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use candor_protocol::ToolSpec;
use serde_json::Value;

use crate::{Judgement, ToolContext, ToolOutput, arguments, patch};

/// What a tool's run gives back: tools are held as `dyn`, and an `async fn` in a trait cannot be.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Something that a model can call.
///
/// The arguments have passed [`Tool::problem`] when it is run. A tool never fails: what goes wrong is an
/// output, too.
pub trait Tool: Send + Sync {
    /// What the model is told about it.
    fn spec(&self) -> &ToolSpec;

    /// Other names that models know it by.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// What is wrong with these arguments, in one line; nothing when they can be used.
    ///
    /// A tool whose arguments are a type reads them; of another one only the schema is known.
    fn problem(&self, args: &Value) -> Option<String> {
        arguments::problem(&self.spec().parameters, args)
    }

    /// Its name, for whoever needs no more: there may be many tools whose schemas nobody looks at.
    fn name(&self) -> &str {
        &self.spec().name
    }

    /// What a model has to read to know of it, in bytes.
    fn weight(&self) -> usize {
        let spec = self.spec();
        spec.name.len() + spec.description.len() + spec.parameters.to_string().len()
    }

    /// Whether all that it does happens behind the walls of the session.
    fn is_walled(&self) -> bool {
        false
    }

    /// Whether it waits by itself until it may do something ([`ToolContext::ready`]), because there is much to find out before.
    fn looks_first(&self) -> bool {
        false
    }

    /// Whether it comes from outside, and can wait until it is looked for.
    fn is_foreign(&self) -> bool {
        false
    }

    /// Whether it only keeps what was learnt. What it writes is nobody's work, so that it need not be shown to work; and no
    /// placeholder becomes a secret in it, which would outlast the session.
    fn is_memory(&self) -> bool {
        false
    }

    /// The most that any call of it does, for people. What a single call does, [`Tool::effect`] says.
    fn reach(&self) -> Reach {
        let takes = |name: &str| self.spec().parameters["properties"][name].is_object();
        if self.is_walled() || self.is_foreign() {
            Reach::Exec
        } else if takes("patch") {
            Reach::Write
        } else {
            Reach::Read
        }
    }

    /// What this call would touch.
    fn effect(&self, args: &Value, context: &ToolContext) -> Effect;

    /// How long this call may take.
    fn time_max(&self, _args: &Value, context: &ToolContext) -> Duration {
        context.rules.timeout
    }

    /// What the rules say about this call. Only of a call that changes or sends something.
    fn judge(&self, _args: &Value, _context: &ToolContext) -> Judgement {
        Judgement::Allow
    }

    /// What this call means to do, for a person: all of it that matters, and nothing that does not. Files that it writes are
    /// shown as a difference besides.
    fn shown(&self, args: &Value) -> String {
        let text = |name: &str| args.get(name).and_then(Value::as_str);
        let named = || text("patch").and_then(patch::named);
        text("path").map(str::to_owned).or_else(named).unwrap_or_else(|| args.to_string())
    }

    /// What a person would allow for good by allowing this call for good.
    fn pattern(&self, _args: &Value, _context: &ToolContext) -> Option<String> {
        Some(format!("{} *", self.spec().name))
    }

    /// What this call would change, as a unified diff, for a person to look at.
    fn preview<'a>(&'a self, _args: &'a Value, _context: &'a ToolContext) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(None))
    }

    /// Does it.
    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput>;
}

/// The most that the calls of a tool do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// They change nothing.
    Read,
    /// They change files.
    Write,
    /// They run something, which may do anything that the rules and the walls let it.
    Exec,
    /// They change nothing here and tell somebody outside something.
    Send,
}

impl Reach {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Exec => "exec",
            Self::Send => "send",
        }
    }
}

/// What a call touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// It changes nothing.
    Reads,
    /// It changes this one file.
    Writes(PathBuf),
    /// It changes these files.
    WritesSeveral(Vec<PathBuf>),
    /// It may do anything, and runs alone.
    Acts,
    /// It changes nothing, and runs alone.
    Alone,
    /// It changes nothing here, but it tells somebody outside something: what it asks for may carry out what the model has
    /// read. A person who wants to be asked about everything is asked about it.
    Sends,
}

impl Effect {
    /// Whether both may happen at once.
    ///
    /// A read and a write may not: what is read is not known here, and a model that asks for both in one breath means
    /// them in that order.
    pub fn allows(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Reads | Self::Sends, Self::Reads | Self::Sends) => true,
            (Self::Reads | Self::Acts | Self::Alone | Self::Sends, _)
            | (_, Self::Reads | Self::Acts | Self::Alone | Self::Sends) => false,
            (one, another) => one.written().iter().all(|path| !another.written().contains(path)),
        }
    }

    /// The files that it changes.
    fn written(&self) -> &[PathBuf] {
        match self {
            Self::Writes(path) => std::slice::from_ref(path),
            Self::WritesSeveral(paths) => paths,
            Self::Reads | Self::Acts | Self::Alone | Self::Sends => &[],
        }
    }
}
