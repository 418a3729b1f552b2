//! One scene for every kind of trouble: a run with three tool calls that may be cut short anywhere, and what must hold
//! in its home afterwards.
//!
//! A line that the binary has printed is a promise. What is asked of the home is therefore asked by somebody else: a
//! second process of the binary goes on with the session, a third shows it, and the database is looked at without us.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use candor_testkit::{Candor, Dialect, FakeLlm, Home, Ran, Reply};
use serde_json::{Value, json};
use sqlx::Connection as _;

use crate::rig::{BINARY, KEY, Keep, of_type};

/// What the user asks first, and what is asked once the trouble is over.
pub(crate) const FIRST: &str = "Do three things";
pub(crate) const AGAIN: &str = "Go on from there";

/// The tool calls of the scene: two in the first answer, one in the second. Each appends its name to its own file.
const CALLS: [&[&str]; 2] = [&["one", "two"], &["three"]];

/// How long a process of a dead run may still be on its way out.
const LEAVING_MAX: Duration = Duration::from_secs(2);
const LOOK_INTERVAL: Duration = Duration::from_millis(2);

/// How much of a child's words a complaint quotes.
const QUOTE_CHARS: usize = 600;

/// A home, a model with the script above, and a database.
pub(crate) struct Scene {
    pub(crate) home: Home,
    pub(crate) fake: FakeLlm,
    keep: Keep,
}

impl Scene {
    pub(crate) fn new(keep: &Keep) -> Self {
        let mut scene =
            Self { home: Home::new(), fake: FakeLlm::start(Dialect::OpenaiChat), keep: keep.clone() };
        let calls = CALLS.map(|names| Reply::calls(names.iter().map(|name| append(name))));
        scene.says(calls.into_iter().chain([Reply::text("All three are done.")]));
        scene
    }

    /// From now on the model is another one, which knows nothing of what the first would have said.
    pub(crate) fn says(&mut self, replies: impl IntoIterator<Item = Reply>) {
        self.fake = FakeLlm::start(Dialect::OpenaiChat);
        self.fake.extend(replies);
        let base_url = self.fake.base_url();
        // The model is asked once: a refusal must not be hidden by a second try.
        self.home.write(
            "config.toml",
            format!(
                "provider = \"fake\"\nretry = {{ max_retries = 0 }}\n[providers.fake]\ndialect = \"openai-chat\"\n\
                 base_url = \"{base_url}\"\napi_key_env = \"FAKE_KEY\"\nmodel = \"fake-model\"\n"
            ),
        );
    }

    /// The binary with these arguments.
    pub(crate) fn candor(&self, args: &[&str]) -> Candor<'_> {
        self.program(BINARY).args(args)
    }

    /// A program that is to run the binary, which it finds as `$CANDOR`.
    pub(crate) fn program(&self, program: &str) -> Candor<'_> {
        self.keep.on(Candor::new(program, &self.home).env("FAKE_KEY", KEY).env("CANDOR", BINARY))
    }

    /// A prompt under strace with these flags. Not with `--seccomp-bpf`, which would be quicker: with it strace 6.1
    /// traces, and injects nothing. What it prints goes to a file, because strace can tell one
    /// file from another by its path.
    pub(crate) fn under_strace(&self, flags: &[String], words: &[&str]) -> Candor<'_> {
        self.program("sh")
            .args(["-c", "out=$1; shift; exec strace \"$@\" > \"$out\"", "sh"])
            .args([self.printed_file()])
            .args(["-f"])
            .args(flags)
            .args([BINARY, "--json", "--no-verify"])
            .args(words)
    }

    /// Where [`Scene::under_strace`] leaves what the binary printed.
    pub(crate) fn printed_file(&self) -> PathBuf {
        self.home.user().join("printed.jsonl")
    }

    /// The stored events among what was printed there: whole lines only, since half a line promises nothing.
    pub(crate) fn promised(&self) -> Vec<String> {
        promised(&fs::read_to_string(self.printed_file()).unwrap_or_default())
    }

    /// The folder that everything of the scene is in.
    pub(crate) fn root(&self) -> PathBuf {
        self.home.path().parent().expect("a home is in a folder").to_path_buf()
    }
}

/// The lines of stored events.
pub(crate) fn promised(printed: &str) -> Vec<String> {
    let whole = printed.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    whole.filter(|line| is_stored(&parse(line))).map(str::to_owned).collect()
}

#[track_caller]
fn parse(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

fn is_stored(event: &Value) -> bool {
    // What goes wrong before there is a run has no number, and promises nothing.
    event["seq"].is_u64()
        && !["stream_delta", "tool_progress", "status"].iter().any(|kind| event["type"] == *kind)
}

/// A call that leaves one line in a file of its own.
pub(crate) fn append(name: &str) -> (&'static str, Value) {
    ("shell_exec", json!({ "command": format!("echo {name} >> {name}.txt") }))
}

/// Everything that does not hold in a home after trouble, in words; nothing when all is well.
#[derive(Debug, Default)]
struct Complaints(Vec<String>);

impl Complaints {
    fn unless(&mut self, holds: bool, complaint: impl FnOnce() -> String) {
        if !holds {
            self.0.push(complaint());
        }
    }

    /// Takes what a run printed when it ended as it must.
    fn demand(&mut self, what: &str, ran: Ran) -> Option<String> {
        let sound = ran.status == 0 && !ran.stderr.contains("panicked at");
        self.unless(sound, || format!("{what}: exit code {}: {}", ran.status, quote(&ran.stderr)));
        sound.then_some(ran.stdout)
    }
}

fn quote(text: &str) -> String {
    text.chars().take(QUOTE_CHARS).collect()
}

/// Goes on in the home of a run that was cut short and had promised these lines, and looks at everything.
pub(crate) fn complaints(scene: &mut Scene, promised: &[String]) -> Vec<String> {
    let mut found = Complaints::default();
    let events = conversation(scene, promised, &mut found);
    // The next start ends what the dead one could not.
    let left = processes_in(&scene.root(), LEAVING_MAX);
    found.unless(left.is_empty(), || format!("left running: {left:?}"));
    for process in left.keys() {
        // The machine must not pay for what was found.
        scene.program("kill").args(["-9", process]).run();
    }
    effects(&events, &scene.home.workspace(), &mut found);
    found.0
}

/// The same, where what tools did outside the database says nothing.
pub(crate) fn complaints_of_the_store(scene: &mut Scene, promised: &[String]) -> Vec<String> {
    let mut found = Complaints::default();
    conversation(scene, promised, &mut found);
    found.0
}

/// Goes on with the conversation, and gives all that is stored of it.
fn conversation(scene: &mut Scene, promised: &[String], found: &mut Complaints) -> Vec<Value> {
    scene.says([Reply::text("Went on.")]);
    let Some(session) = session(scene, promised, found) else {
        // Nothing was promised and nothing is there: the home must take the first prompt as if new.
        found.demand("a new prompt", scene.candor(&["--json", "--no-verify", AGAIN]).run());
        return Vec::new();
    };
    let went_on = scene.candor(&["--json", "--no-verify", "-s", &session, AGAIN]).run();
    let added = found.demand("going on", went_on).unwrap_or_default();
    let shown = scene.candor(&["sessions", "show", "--json", &session]).run();
    let shown = found.demand("sessions show", shown).unwrap_or_default();
    let stored: Vec<&str> = shown.lines().collect();
    for line in promised.iter().chain(&self::promised(&added)) {
        let times = stored.iter().filter(|stored| *stored == line).count();
        found.unless(times == 1, || format!("stored {times} times: {}", quote(line)));
    }
    let events: Vec<Value> = stored.iter().map(|line| parse(line)).collect();
    numbers(&events, found);
    runs(&events, found);
    calls(&events, found);
    asked(&events, &scene.fake, found);
    if matches!(scene.keep, Keep::Home) {
        let verdict = integrity(&scene.home.path().join("candor.db"));
        found.unless(verdict == "ok", || format!("the database is not whole: {verdict}"));
    }
    events
}

/// The session that was promised, or else the one that is there all the same.
fn session(scene: &Scene, promised: &[String], found: &mut Complaints) -> Option<String> {
    let listed = found.demand("sessions list", scene.candor(&["sessions", "list", "--json"]).run())?;
    let listed = parse(&listed);
    // Those of this folder only, whatever else a database on a server may hold.
    let ids: Vec<&str> = listed.as_array()?.iter().filter_map(|session| session["id"].as_str()).collect();
    found.unless(ids.len() <= 1, || format!("{} sessions of one prompt", ids.len()));
    let first = promised.first().map(|line| parse(line));
    let id = first.as_ref().and_then(|event| event["sessionId"].as_str());
    if let Some(id) = id {
        found.unless(ids.contains(&id), || format!("the session {id} is not listed"));
    }
    id.or(ids.first().copied()).map(str::to_owned)
}

/// The numbers count from one without a gap.
fn numbers(events: &[Value], found: &mut Complaints) {
    let numbers: Vec<u64> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    let expected: Vec<u64> = (1..=events.len() as u64).collect();
    found.unless(numbers == expected, || format!("the numbers are {numbers:?}"));
}

/// Each run that began has one end, which is well or has a card, and the last one is done.
fn runs(events: &[Value], found: &mut Complaints) {
    let mut ends: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for event in events {
        let run = ends.entry(event["runId"].as_str().unwrap_or_default()).or_default();
        run.0 += usize::from(event["type"] == "run_start");
        run.1 += usize::from(event["type"] == "run_end");
        let explained =
            event["type"] != "run_end" || event["status"] == "done" || event.get("card").is_some();
        found.unless(explained, || format!("an end that nobody explains: {event}"));
    }
    for (run, (starts, ends)) in ends {
        found.unless(starts <= 1 && ends <= 1, || format!("run {run}: {starts} starts, {ends} ends"));
        found.unless(starts == 0 || ends == 1, || format!("run {run} is open"));
    }
    let last = events.last().map(|event| (event["type"].as_str(), event["status"].as_str()));
    found.unless(last == Some((Some("run_end"), Some("done"))), || format!("it ends with {last:?}"));
}

/// What a result says of a command that never began.
const NOT_RUN: &str = "the command was not run";

/// Each call has one result, and a result that is not the tool's own says that it was interrupted.
fn calls(events: &[Value], found: &mut Complaints) {
    for event in of_type(events, "tool_result").into_iter().chain(of_type(events, "tool_start")) {
        let known = calls_in(events).any(|call| call["callId"] == event["callId"]);
        found.unless(known, || format!("an event of no call: {event}"));
    }
    for call in calls_in(events) {
        let results = results_of(events, call);
        found.unless(results.len() == 1, || format!("{} results: {call}", results.len()));
        let explained = results.iter().all(|one| one["isError"] == false || is_interrupted(one));
        found.unless(explained, || format!("a result does not say what happened: {results:?}"));
    }
}

/// What a result says was done is done once; what was interrupted at most once; and nothing else was done. Each call
/// writes its name into a file of that name.
fn effects(events: &[Value], workspace: &Path, found: &mut Complaints) {
    let mut names = Vec::new();
    for call in calls_in(events) {
        let command = call["args"]["command"].as_str().unwrap_or_default();
        let name = command.split(' ').nth(1).unwrap_or_default();
        let written = fs::read_to_string(workspace.join(format!("{name}.txt"))).unwrap_or_default();
        let times = written.lines().filter(|line| *line == name).count();
        let sure = results_of(events, call).iter().any(|one| one["isError"] == false);
        let never =
            results_of(events, call).iter().any(|one| one.to_string().to_lowercase().contains(NOT_RUN));
        found.unless(!never || times == 0, || format!("{name} is said not to be run and was"));
        found.unless(times <= 1, || format!("{name} was done {times} times"));
        found.unless(!sure || times == 1, || format!("{name} is said to be done and is not"));
        names.push(format!("{name}.txt"));
    }
    for entry in fs::read_dir(workspace).expect("a workspace") {
        let name = entry.expect("an entry").file_name().display().to_string();
        found.unless(names.contains(&name), || format!("{name} was written and nobody knows who asked"));
    }
}

fn calls_in(events: &[Value]) -> impl Iterator<Item = &Value> {
    let answers = events.iter().filter(|event| event["type"] == "message_complete");
    answers.flat_map(parts).filter(|part| part["type"] == "tool_call")
}

fn results_of<'e>(events: &'e [Value], call: &Value) -> Vec<&'e Value> {
    let results = events.iter().filter(|event| event["type"] == "tool_result");
    results.filter(|event| event["callId"] == call["callId"]).collect()
}

fn parts(event: &Value) -> &[Value] {
    event["content"].as_array().map_or(&[], Vec::as_slice)
}

/// Said by recovery, or the end of a command that was itself shot: that one says how it ended, or that it never began.
fn is_interrupted(result: &Value) -> bool {
    let text = result.to_string().to_lowercase();
    ["interrupted", "exit_code\\\":137", "signal", NOT_RUN].iter().any(|said| text.contains(said))
}

/// The model took the request, and was told everything that is stored: no word and no result less or more.
fn asked(events: &[Value], fake: &FakeLlm, found: &mut Complaints) {
    let requests = fake.requests();
    for seen in &requests {
        found.unless(seen.refused.is_none(), || format!("refused: {:?}", seen.refused));
    }
    let Some(last) = requests.last() else {
        found.unless(false, || "the model was not asked".to_owned());
        return;
    };
    let accepted = of_type(events, "message_accepted").into_iter().flat_map(parts);
    let said: Vec<&str> = accepted.filter_map(|part| part["text"].as_str()).collect();
    let heard = last.user_texts();
    found.unless(heard == said, || format!("the user said {said:?}, the model heard {heard:?}"));
    let calls = calls_in(events).count();
    let results = last.tool_results().len();
    found.unless(results == calls, || format!("{calls} calls, the model was told {results} results"));
}

/// What the database engine says about the file.
fn integrity(file: &Path) -> String {
    let look = async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
        let mut connection = sqlx::SqliteConnection::connect_with(&options).await?;
        let verdict =
            sqlx::query_scalar::<_, String>("PRAGMA integrity_check").fetch_one(&mut connection).await;
        connection.close().await?;
        verdict
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(look).unwrap_or_else(|error| error.to_string())
}

/// The processes that work in this folder, once they had this long to leave.
fn processes_in(root: &Path, leaving: Duration) -> BTreeMap<String, String> {
    let deadline = Instant::now() + leaving;
    loop {
        let found = working_in(root);
        if found.is_empty() || Instant::now() >= deadline {
            return found;
        }
        std::thread::sleep(LOOK_INTERVAL);
    }
}

/// By number, with the command line.
fn working_in(root: &Path) -> BTreeMap<String, String> {
    let processes = fs::read_dir("/proc").expect("/proc").filter_map(Result::ok).map(|entry| entry.path());
    let inside = processes
        .filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|folder| folder.starts_with(root)));
    let named = inside.filter_map(|process| {
        let line = fs::read(process.join("cmdline")).ok()?;
        let number = process.file_name()?.to_str()?.to_owned();
        Some((number, String::from_utf8_lossy(&line).replace('\0', " ")))
    });
    named.collect()
}
