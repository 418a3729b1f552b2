//! `notes`: keeps, reads and finds notes.

use std::io;
use std::sync::Arc;

use candor_protocol::ToolSpec;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::folder::is_name;
use super::{Finder, NAME, NOTE_BYTES_MAX, NOTES_MAX, NoteText, Notes, Place, Scope, find};
use crate::access::Access;
use crate::changing::{Plan, Step, carry_out, preview};
use crate::output::counted;
use crate::{
    BoxFuture, Effect, Error, Judgement, Permission, Reach, Tool, ToolContext, ToolOutput, arguments, choices,
};

choices! {
    enum Action {
        Write = "write",
        Append = "append",
        Read = "read",
        Search = "search",
        List = "list",
        Remove = "remove",
    }
}

choices! {
    enum Whose {
        Workspace = "workspace",
        Home = "home",
    }
}

arguments! {
    struct Args<'a> {
        action: Action;
        name: Option<&'a str>;
        text: Option<&'a str>, or ["content", "query"];
        scope: Option<Whose>;
    }
}

/// What is asked for, when it can be done.
#[derive(Clone)]
enum Order {
    Change(Change),
    Read { scope: Option<Scope>, name: String },
    Search { scope: Option<Scope>, query: String },
    List { scope: Option<Scope> },
}

/// What becomes of one note.
#[derive(Clone)]
struct Change {
    scope: Scope,
    name: String,
    what: What,
}

#[derive(Clone)]
enum What {
    Write(String),
    Append(String),
    Remove,
}

/// Keeps, reads and finds notes.
pub struct NotesTool {
    spec: ToolSpec,
    mask: Arc<dyn Fn(&str) -> String + Send + Sync>,
    finder: Finder,
}

impl NotesTool {
    /// With what masks secrets in a text, and what finds words in a folder.
    pub fn new(mask: Arc<dyn Fn(&str) -> String + Send + Sync>, finder: Finder) -> Self {
        let description = "Notes that outlast the session: Markdown for people. No secrets.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description), mask, finder }
    }

    async fn carry_out(&self, args: &Value, context: &ToolContext) -> Result<ToolOutput, Error> {
        match order(args).map_err(|problem| Error::arguments(NAME, problem))? {
            Order::Change(change) => self.change(change, context).await,
            Order::Read { scope, name } => read(scope, name, context).await,
            Order::Search { scope, query } => self.search(scope, &query, context).await,
            Order::List { scope } => list(scope, context).await,
        }
    }

    async fn change(&self, asked: Change, context: &ToolContext) -> Result<ToolOutput, Error> {
        let change = self.masked(asked.clone());
        let (name, scope) = (asked.name, asked.scope);
        // What one process adds is not lost to what another adds at the same moment.
        let (plan, changes, _lock) = carry_out(NAME, context, move |access| {
            let notes = Notes::of(&access.context);
            let path = notes.folder(change.scope).unwrap_or_default();
            let lock = notes.lock(change.scope).map_err(|error| Error::file(path, error))?;
            Ok((planned(access, &change)?, lock))
        })
        .await?;
        let path = plan.iter().map(|step| step.target.shown.display().to_string()).collect::<String>();
        let bytes = plan.iter().find_map(|step| step.after.as_ref().map(Vec::len));
        let mut for_model = json!({ "note": name, "scope": scope.as_str(), "path": path });
        let for_people = if let Some(bytes) = bytes {
            for_model["written_bytes"] = json!(bytes);
            format!("wrote {bytes} bytes to {path}")
        } else {
            for_model["removed"] = json!(true);
            format!("{path} is removed")
        };
        Ok(ToolOutput { changes, ..ToolOutput::success(for_model.to_string(), for_people) })
    }

    fn masked(&self, change: Change) -> Change {
        let what = match change.what {
            What::Write(text) => What::Write((self.mask)(&text)),
            What::Append(text) => What::Append((self.mask)(&text)),
            What::Remove => What::Remove,
        };
        Change { what, ..change }
    }

    async fn search(
        &self,
        scope: Option<Scope>,
        query: &str,
        context: &ToolContext,
    ) -> Result<ToolOutput, Error> {
        let notes = Notes::of(context);
        // A pack is written beside the notes, and where nothing may be written there is none.
        let finder = Some(&self.finder).filter(|_| context.rules.permission != Permission::ReadOnly);
        let mut hits = Vec::new();
        for scope in wanted(&notes, scope) {
            let found = find(&notes, scope, query, finder).await;
            for hit in found.map_err(|error| failed(&notes, scope, error))? {
                hits.push(json!({
                    "note": hit.name,
                    "scope": scope.as_str(),
                    "lines": format!("{}-{}", hit.first_line, hit.last_line),
                    "preview": hit.preview,
                }));
            }
        }
        let for_people = format!("{} found", hits.len());
        Ok(ToolOutput::success(json!({ "hits": hits }).to_string(), for_people))
    }
}

impl Tool for NotesTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn problem(&self, args: &Value) -> Option<String> {
        order(args).err()
    }

    fn is_memory(&self) -> bool {
        true
    }

    fn reach(&self) -> Reach {
        Reach::Write
    }

    fn effect(&self, args: &Value, context: &ToolContext) -> Effect {
        match order(args) {
            Ok(Order::Change(change)) => match place(&change, context) {
                Some(place) => Effect::Writes(place.path()),
                None => Effect::Acts,
            },
            _ => Effect::Reads,
        }
    }

    /// What is kept in the home is read wherever the person works next: that is not for a session to decide by itself.
    fn judge(&self, args: &Value, context: &ToolContext) -> Judgement {
        match order(args) {
            Ok(Order::Change(change))
                if is_everywhere(change.scope, context) && context.rules.permission != Permission::Full =>
            {
                Judgement::Ask {
                    reason: "the note would hold in every workspace".to_owned(),
                    pattern: Some(format!("{NAME} home")),
                }
            }
            _ => Judgement::Allow,
        }
    }

    fn shown(&self, args: &Value) -> String {
        let text = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default();
        let whose = if text("scope") == Scope::Home.as_str() { " (home)" } else { "" };
        format!("{} {}{whose}", text("action"), text("name"))
    }

    fn preview<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, Option<String>> {
        Box::pin(async {
            let Ok(Order::Change(change)) = order(args) else { return None };
            let change = self.masked(change);
            preview(NAME, context, move |access| Ok((planned(access, &change)?, ()))).await
        })
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { ToolOutput::of(self.carry_out(args, context).await, context) })
    }
}

/// What is asked for; or what is wrong with it.
fn order(args: &Value) -> Result<Order, String> {
    let args: Args<'_> = arguments::read(args)?;
    let scope = args.scope.map(|whose| match whose {
        Whose::Workspace => Scope::Workspace,
        Whose::Home => Scope::Home,
    });
    // A search that calls its words a name means them.
    let text = || args.text.or(args.name.filter(|_| args.action == Action::Search));
    let text = || text().ok_or_else(|| "`text` is missing".to_owned());
    let what = match args.action {
        Action::Read => return Ok(Order::Read { scope, name: name(args.name)? }),
        Action::List => return Ok(Order::List { scope }),
        Action::Search => {
            let query = text()?;
            if !query.contains(char::is_alphanumeric) {
                return Err("`text` has no word to search for".to_owned());
            }
            return Ok(Order::Search { scope, query: query.to_owned() });
        }
        Action::Write => What::Write(bounded(text()?)?),
        Action::Append => What::Append(bounded(text()?)?),
        Action::Remove => What::Remove,
    };
    let scope = scope.unwrap_or(Scope::Workspace);
    Ok(Order::Change(Change { scope, name: name(args.name)?, what }))
}

fn name(name: Option<&str>) -> Result<String, String> {
    let name = name.ok_or_else(|| "`name` is missing".to_owned())?;
    let name = name.strip_suffix(".md").unwrap_or(name);
    if is_name(name) {
        return Ok(name.to_owned());
    }
    Err("`name` is no name of a note: letters, digits, - and _, at most 64, the first a letter or a digit"
        .to_owned())
}

fn bounded(text: &str) -> Result<String, String> {
    if text.len() > NOTE_BYTES_MAX {
        return Err(format!("`text` has {} bytes, and a note at most {NOTE_BYTES_MAX}", text.len()));
    }
    if text.trim().is_empty() || text.contains('\0') {
        return Err("`text` is empty, or no text".to_owned());
    }
    Ok(text.to_owned())
}

/// Whether notes of this scope are kept in the home.
fn is_everywhere(scope: Scope, context: &ToolContext) -> bool {
    let notes = Notes::of(context);
    notes.folder(scope) == notes.folder(Scope::Home)
}

fn place(change: &Change, context: &ToolContext) -> Option<Place> {
    Notes::of(context).place(change.scope, &change.name)
}

fn planned(access: &Access, change: &Change) -> Result<Plan, Error> {
    let place = place(change, &access.context)
        .ok_or_else(|| Error::arguments(NAME, "`scope` is home, and there is none"))?;
    let shown = place.path().display().to_string();
    let mut step = Step::at(access.note(&place)?, &shown)?;
    let too_long = |bytes: usize| {
        let reason = format!(
            "the note would have {bytes} bytes, and one has at most {NOTE_BYTES_MAX}; begin another, or write it anew in fewer words"
        );
        Error::arguments(NAME, reason)
    };
    step.after = match &change.what {
        What::Remove if !step.was_there() => return Err(Error::file(shown, io::ErrorKind::NotFound)),
        What::Remove => None,
        What::Write(text) => Some(ended(text.clone())),
        What::Append(text) => {
            let before = if step.was_there() { ended_text(step.text(&shown)?) } else { String::new() };
            Some(ended(before + text))
        }
    };
    if let Some(after) = step.after.as_ref().filter(|after| after.len() > NOTE_BYTES_MAX + 1) {
        return Err(too_long(after.len()));
    }
    if !step.was_there() {
        let notes = Notes::of(&access.context);
        let there = notes.names(change.scope).map_err(|error| failed(&notes, change.scope, error))?;
        if there.len() >= NOTES_MAX {
            let reason = format!("there are {NOTES_MAX} notes, which is all that fit; remove one first");
            return Err(Error::arguments(NAME, reason));
        }
    }
    Ok(vec![step])
}

fn ended(text: String) -> Vec<u8> {
    ended_text(text).into_bytes()
}

/// A text that ends with a line break.
fn ended_text(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn wanted(notes: &Notes, scope: Option<Scope>) -> Vec<Scope> {
    scope.map_or_else(|| notes.scopes(), |scope| vec![scope])
}

fn failed(notes: &Notes, scope: Scope, error: io::Error) -> Error {
    Error::file(notes.folder(scope).unwrap_or_default(), error)
}

async fn read(scope: Option<Scope>, name: String, context: &ToolContext) -> Result<ToolOutput, Error> {
    let notes = Notes::of(context);
    let looked = aside(move || {
        for scope in wanted(&notes, scope) {
            let path = notes.place(scope, &name).map(|place| place.path()).unwrap_or_default();
            if let Some(note) = notes.read(scope, &name).map_err(|error| Error::file(path, error))? {
                return Ok(told(&name, scope, &note));
            }
        }
        let names: Vec<String> =
            notes.scopes().into_iter().flat_map(|scope| notes.names(scope).unwrap_or_default()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Err(Error::arguments(NAME, format!("there is no note {name}; there are: {names}")))
    });
    looked.await
}

fn told(name: &str, scope: Scope, note: &NoteText) -> ToolOutput {
    let mut told = json!({ "note": name, "scope": scope.as_str(), "text": note.text });
    if note.bytes > note.text.len() as u64 {
        told["cut"] = json!(format!("the note has {} bytes", note.bytes));
    }
    ToolOutput::success(told.to_string(), format!("note {name}, {} bytes", note.bytes))
}

async fn list(scope: Option<Scope>, context: &ToolContext) -> Result<ToolOutput, Error> {
    let notes = Notes::of(context);
    let looked = aside(move || {
        let mut all = Vec::new();
        for scope in wanted(&notes, scope) {
            for note in notes.list(scope).map_err(|error| failed(&notes, scope, error))? {
                all.push(json!({
                    "note": note.name, "scope": scope.as_str(), "bytes": note.bytes, "begins": note.head,
                }));
            }
        }
        let for_people = counted(all.len() as u64, "note", "notes");
        Ok(ToolOutput::success(json!({ "notes": all }).to_string(), for_people))
    });
    looked.await
}

/// Looks where that may wait for the disk.
async fn aside(
    look: impl FnOnce() -> Result<ToolOutput, Error> + Send + 'static,
) -> Result<ToolOutput, Error> {
    spawn_blocking(look).await.map_err(|_| Error::Interrupted { tool: NAME.to_owned() })?
}
