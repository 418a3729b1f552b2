//! `delegate`: hands a task to a child, and looks after those at work.

use std::sync::Arc;
use std::time::Duration;

use candor_protocol::{Body, Failure, Origin, Submission, ToolSpec};
use candor_store::SessionSummary;
use candor_tools::arguments::AtLeast;
use candor_tools::{BoxFuture, Effect, Error, Reach, Tool, ToolContext, ToolOutput, arguments, choices};
use serde_json::{Value, json};

use super::live::{Live, Progress};
use super::scope::CHILDREN_MAX;
use super::starting::{Child, Order, Sent};
use super::{NAME, Scope, Scopes, past};

/// How long a call may wait for a child. What ends it is the child's own limits, or the run's.
const PATIENCE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The longest task: more than a model writes, less than would fill any window.
const TASK_BYTES_MAX: usize = 256 * 1024;
/// How much of a child's last words a list has.
const LAST_CHARS_MAX: usize = 200;
/// How many of the last letters of an id are enough.
const ID_CHARS_MIN: usize = 4;

choices! {
    /// What is to be done.
    enum Action {
        Start = "start",
        Status = "status",
        Result = "result",
        Stop = "stop",
        Message = "message",
    }
}

arguments! {
    struct Args<'a> {
        action: Action;
        task: Option<&'a str>;
        id: Option<&'a str>;
        tools: Option<Vec<&'a str>>;
        model: Option<&'a str>;
        max_turns: Option<AtLeast<1>>;
        max_cost: Option<Dollars>;
        timeout: Option<AtLeast<1>>;
        background: Option<bool>;
    }
}

/// An amount of money.
#[derive(Debug, Clone, Copy)]
struct Dollars(f64);

impl arguments::Argument<'_> for Dollars {
    fn schema() -> Value {
        json!({ "type": "number" })
    }

    fn read(value: &Value) -> Result<Self, String> {
        let amount = value.as_f64().filter(|amount| amount.is_finite() && *amount > 0.0);
        amount.map(Self).ok_or_else(|| "is no amount above 0".to_owned())
    }
}

/// Hands tasks to children.
pub(crate) struct Delegate {
    spec: ToolSpec,
    scopes: Arc<Scopes>,
}

impl Delegate {
    pub(crate) fn new(scopes: Arc<Scopes>) -> Self {
        let description =
            "Give a helper a task, all that it knows. Its answer is a claim, its verdict checked.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description), scopes }
    }

    async fn act(&self, args: &Value, context: &ToolContext) -> Result<ToolOutput, Refused> {
        let args: Args<'_> = arguments::read(args).map_err(Refused::arguments)?;
        let scope = self.scopes.of(context.session);
        let scope =
            scope.ok_or_else(|| Refused::arguments("no run is there that a helper could work for"))?;
        match args.action {
            Action::Start => {
                let order = order(&args, &scope)?;
                let live = scope.start(&order, context).await.map_err(Refused::Failure)?;
                Ok(attended(&live, &args, &scope).await)
            }
            Action::Message => {
                let (child, order) = (known(&args, &scope).await?, order(&args, &scope)?);
                let sent = scope.message(named(&child), &order).await.map_err(Refused::Failure)?;
                match sent {
                    Sent::Began(live) => Ok(attended(&live, &args, &scope).await),
                    Sent::Heard => Ok(at_work(&child.id.to_string(), "it hears this after its turn")),
                }
            }
            Action::Status => status(&args, &scope).await,
            Action::Result => result(&known(&args, &scope).await?, &scope).await,
            Action::Stop => stop(&known(&args, &scope).await?, &scope).await,
        }
    }
}

/// Why a call came to nothing.
enum Refused {
    Tool(Error),
    Failure(Failure),
}

impl Refused {
    fn arguments(reason: impl Into<String>) -> Self {
        Self::Tool(Error::Arguments { tool: NAME.to_owned(), reason: reason.into() })
    }
}

/// What a call asks for, checked against what there is.
fn order(args: &Args<'_>, scope: &Scope) -> Result<Order, Refused> {
    let task = args.task.map(str::trim).filter(|task| !task.is_empty());
    let task = task.ok_or_else(|| Refused::arguments("`task` is missing"))?;
    if task.len() > TASK_BYTES_MAX {
        let reason =
            format!("`task` is longer than {TASK_BYTES_MAX} bytes; write it to a file and name that");
        return Err(Refused::arguments(reason));
    }
    let find = |name: &&str| scope.tools.find(name).map(|tool| tool.name().to_owned());
    let tools = match &args.tools {
        None => None,
        Some(names) => match names.iter().find(|name| find(name).is_none()) {
            None => Some(names.iter().filter_map(find).collect()),
            Some(unknown) => {
                let specs = scope.tools.specs();
                let there: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
                let there = there.join(", ");
                return Err(Refused::arguments(format!("there is no tool {unknown}; there are: {there}")));
            }
        },
    };
    if let Some(unknown) = args.model.filter(|name| scope.model(name).is_none()) {
        let there: Vec<&str> = scope.models().map(|model| model.name.as_str()).collect();
        let there = there.join(", ");
        return Err(Refused::arguments(format!("there is no model {unknown}; there are: {there}")));
    }
    Ok(Order {
        task: task.to_owned(),
        tools,
        model: args.model.map(str::to_owned),
        turns: args.max_turns.map(|turns| turns.0),
        cost_usd: args.max_cost.map(|cost| cost.0),
        time: args.timeout.map(|seconds| Duration::from_secs(seconds.0)),
    })
}

/// The child that a call names.
async fn known(args: &Args<'_>, scope: &Scope) -> Result<SessionSummary, Refused> {
    let id = args.id.map(str::trim).ok_or_else(|| Refused::arguments("`id` is missing"))?;
    let mut children = children(scope).await?;
    let is_meant = |child: &SessionSummary| {
        let full = child.id.to_string();
        full == id || id.len() >= ID_CHARS_MIN && full.ends_with(id)
    };
    let meant: Vec<usize> = (0..children.len()).filter(|at| is_meant(&children[*at])).collect();
    if let [at] = meant.as_slice() {
        return Ok(children.swap_remove(*at));
    }
    let ids: Vec<String> = children.iter().map(|child| child.id.to_string()).collect();
    let there = if ids.is_empty() { "none has been started".to_owned() } else { ids.join(", ") };
    Err(Refused::arguments(format!("no helper of this session is meant by {id}; there are: {there}")))
}

async fn children(scope: &Scope) -> Result<Vec<SessionSummary>, Refused> {
    let children = scope.door.store().children(scope.session, CHILDREN_MAX).await;
    children.map_err(|error| Refused::Failure(error.failure()))
}

fn named(child: &SessionSummary) -> Child {
    Child { session: child.id, name: child.name.clone() }
}

/// Waits for a child that has begun, unless it is to go on beside.
async fn attended(live: &Live, args: &Args<'_>, scope: &Scope) -> ToolOutput {
    if args.background == Some(true) {
        return at_work(&live.session.to_string(), "ask for its result when you need it");
    }
    waited(live, scope).await
}

fn at_work(session: &str, note: &str) -> ToolOutput {
    let told = json!({ "session": session, "status": "running", "note": note });
    ToolOutput::success(told.to_string(), format!("{session}: running"))
}

/// What came of a child, once it is over. It ends with the run, so whoever stops that still hears how far it came.
async fn waited(live: &Live, scope: &Scope) -> ToolOutput {
    live.ended().await;
    let is_news = live.tell();
    let Some(came) = live.came() else {
        return ToolOutput::failure(&Error::Interrupted { tool: NAME.to_owned() });
    };
    let workspace = &scope.setup.workspace;
    let mut output = came.output(workspace);
    if is_news {
        output.changes = came.changes(workspace);
    }
    output
}

async fn status(args: &Args<'_>, scope: &Scope) -> Result<ToolOutput, Refused> {
    let wanted = match args.id {
        Some(_) => vec![known(args, scope).await?],
        None => children(scope).await?,
    };
    let (mut rows, mut running) = (Vec::new(), 0_u32);
    for child in &wanted {
        let row = row(child, scope).await?;
        running += u32::from(row["status"] == "running");
        rows.push(row);
    }
    Ok(ToolOutput::success(Value::from(rows).to_string(), format!("{running} running")))
}

/// One line of a list.
async fn row(child: &SessionSummary, scope: &Scope) -> Result<Value, Refused> {
    let live = scope.latest(child.id);
    if let Some(live) = live.as_ref().filter(|live| !live.is_over()) {
        let Progress { turns, last } = live.progress();
        let cost = live.purse.spent_usd();
        return Ok(line(child, "running", turns, cost, &last));
    }
    let came = match live.and_then(|live| live.came()) {
        Some(came) => Some(came),
        None => past::came(scope.door.store(), child).await.map_err(Refused::Failure)?,
    };
    let metrics = &child.metrics;
    let (state, last) = came.as_ref().map_or(("open", ""), |came| (came.state(), came.answer.as_str()));
    Ok(line(child, state, metrics.total_turns, metrics.total_cost_usd, last))
}

fn line(child: &SessionSummary, state: &str, turns: u64, cost_usd: f64, last: &str) -> Value {
    let last: String = last.chars().take(LAST_CHARS_MAX).collect();
    json!({ "session": child.id, "name": child.name, "status": state, "turns": turns, "cost_usd": cost_usd, "last": last })
}

async fn result(child: &SessionSummary, scope: &Scope) -> Result<ToolOutput, Refused> {
    if let Some(live) = scope.latest(child.id) {
        return Ok(waited(&live, scope).await);
    }
    let came = past::came(scope.door.store(), child).await.map_err(Refused::Failure)?;
    let came = came.ok_or_else(|| Refused::arguments("another process works in it; ask again later"))?;
    let workspace = &scope.setup.workspace;
    let mut output = came.output(workspace);
    let told = past::was_told(scope.door.store(), scope.session, came.run).await.map_err(Refused::Failure)?;
    if !told {
        output.changes = came.changes(workspace);
    }
    Ok(output)
}

async fn stop(child: &SessionSummary, scope: &Scope) -> Result<ToolOutput, Refused> {
    if let Some(live) = scope.latest(child.id).filter(|live| !live.is_over())
        && let Some(runtime) = scope.door.open()
    {
        let body = Body::Stop(Some(live.run));
        let submission = Submission { session: child.id, origin: Origin::Subagent, body };
        runtime.submit(submission).await.map_err(Refused::Failure)?;
        let mut output = waited(&live, scope).await;
        // That it was stopped is what was asked for.
        output.is_error = false;
        output.card = None;
        return Ok(output);
    }
    let mut output = result(child, scope).await?;
    output.add("note", "it had ended before".into());
    output.is_error = false;
    output.card = None;
    Ok(output)
}

impl Tool for Delegate {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn reach(&self) -> Reach {
        Reach::Exec
    }

    /// What a child does is judged where the child does it. The task leaves the run, so its placeholders stay: the child
    /// knows the same secrets.
    fn effect(&self, args: &Value, _context: &ToolContext) -> Effect {
        match arguments::read::<Args<'_>>(args).map(|args| args.action) {
            Ok(Action::Start | Action::Message) => Effect::Sends,
            Ok(Action::Status | Action::Result) => Effect::Reads,
            Ok(Action::Stop) | Err(_) => Effect::Alone,
        }
    }

    fn time_max(&self, _args: &Value, _context: &ToolContext) -> Duration {
        PATIENCE
    }

    fn shown(&self, args: &Value) -> String {
        let Ok(args) = arguments::read::<Args<'_>>(args) else { return args.to_string() };
        let (task, id) = (args.task.unwrap_or_default(), args.id.unwrap_or_default());
        match args.action {
            Action::Start => format!("start {task}"),
            Action::Message => format!("message to {id}: {task}"),
            Action::Status => "status".to_owned(),
            Action::Result => format!("result {id}"),
            Action::Stop => format!("stop {id}"),
        }
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            match self.act(args, context).await {
                Ok(output) => output,
                Err(Refused::Tool(error)) => ToolOutput::failure(&error),
                Err(Refused::Failure(failure)) => ToolOutput::refused(&failure),
            }
        })
    }
}
