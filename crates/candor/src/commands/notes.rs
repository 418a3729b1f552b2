//! `candor notes`

use candor_cards::one_line;
use candor_protocol::{Code, Failure, Moment};
use candor_tools::notes::{Note, NoteHit, NoteText, Notes, Scope, find};
use serde_json::{Value, json};

use crate::cli;
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::printer::tame;
use crate::screen::{block_on, columns};
use crate::{note_packs, offered};

pub(crate) fn run(command: &cli::Notes, context: &Context<'_>) -> Result<Exit, Fail> {
    let notes = offered::notes(&context.load()?);
    match command {
        cli::Notes::List { json } => list(&notes, *json, context),
        cli::Notes::Show { name, home, json } => {
            let scopes = if *home { vec![Scope::Home] } else { notes.scopes() };
            show(&notes, name, &scopes, *json, context)
        }
        cli::Notes::Search { words, json } => search(&notes, &words.join(" "), *json, context),
    }
}

fn failed(notes: &Notes, scope: Scope, error: &std::io::Error) -> Failure {
    Failure::file(&notes.folder(scope).unwrap_or_default(), error)
}

fn list(notes: &Notes, as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    let mut all: Vec<(Scope, Note)> = Vec::new();
    for scope in notes.scopes() {
        let listed = notes.list(scope).map_err(|error| failed(notes, scope, &error))?;
        all.extend(listed.into_iter().map(|note| (scope, note)));
    }
    if as_json {
        let all: Vec<Value> = all.iter().map(|(scope, note)| to_json(notes, *scope, note)).collect();
        context.screen.say(format_args!("{:#}", json!({ "notes": all })))?;
        return Ok(Exit::Good);
    }
    let row = |(scope, note): &(Scope, Note)| {
        [note.name.clone(), scope.as_str().to_owned(), format!("{:>5} bytes", note.bytes), note.head.clone()]
    };
    for line in columns(&all.iter().map(row).collect::<Vec<_>>()) {
        context.screen.say(format_args!("{line}"))?;
    }
    if all.is_empty() {
        context.screen.note(format_args!(
            "no notes: the model keeps them in .candor/notes of a workspace, or in notes of Candor's home"
        ));
    }
    Ok(Exit::Good)
}

fn to_json(notes: &Notes, scope: Scope, note: &Note) -> Value {
    let since = |at: std::time::SystemTime| at.duration_since(std::time::UNIX_EPOCH).ok();
    let millis = note.modified.and_then(since).and_then(|since| i64::try_from(since.as_millis()).ok());
    json!({
        "name": note.name,
        "scope": scope.as_str(),
        "path": notes.folder(scope).map(|folder| folder.join(format!("{}.md", note.name))),
        "bytes": note.bytes,
        "modified": millis.map(Moment::from_millis),
        "begins": note.head,
    })
}

fn show(
    notes: &Notes,
    name: &str,
    scopes: &[Scope],
    as_json: bool,
    context: &Context<'_>,
) -> Result<Exit, Fail> {
    let name = name.strip_suffix(".md").unwrap_or(name);
    for &scope in scopes {
        let path = notes.folder(scope).unwrap_or_default().join(format!("{name}.md"));
        let read = notes.read(scope, name).map_err(|error| Failure::file(&path, &error))?;
        let Some(NoteText { text, bytes }) = read else { continue };
        if as_json {
            let told =
                json!({ "name": name, "scope": scope.as_str(), "path": path, "bytes": bytes, "text": text });
            context.screen.say(format_args!("{told:#}"))?;
        } else {
            context.screen.say(format_args!("{}", tame(text.trim_end_matches('\n'))))?;
        }
        if bytes > text.len() as u64 {
            context.screen.warn(&format!("the note has {bytes} bytes; {} are shown", text.len()));
        }
        return Ok(Exit::Good);
    }
    let names: Vec<String> =
        scopes.iter().flat_map(|scope| notes.names(*scope).unwrap_or_default()).collect();
    let names = if names.is_empty() {
        "There are none.".to_owned()
    } else {
        format!("There are: {}.", names.join(", "))
    };
    Err(Failure::new(Code::UsageInvalidValue)
        .with("argument", "NAME")
        .with("value", name)
        .with("detail", format!("There is no note of this name. {names}"))
        .with("help", "candor notes list")
        .into())
}

fn search(notes: &Notes, query: &str, as_json: bool, context: &Context<'_>) -> Result<Exit, Fail> {
    if !query.contains(char::is_alphanumeric) {
        return Err(Failure::new(Code::UsageInvalidValue)
            .with("argument", "WORD")
            .with("value", query)
            .with("detail", "There is no word in it to look for.")
            .with("help", "candor notes search --help")
            .into());
    }
    let finder = note_packs::finder();
    let mut all: Vec<(Scope, NoteHit)> = Vec::new();
    for scope in notes.scopes() {
        let found = block_on(async {
            let found = find(notes, scope, query, Some(&finder)).await;
            Ok(found.map_err(|error| failed(notes, scope, &error))?)
        })?;
        all.extend(found.into_iter().map(|hit| (scope, hit)));
    }
    if as_json {
        let hit = |(scope, hit): &(Scope, NoteHit)| {
            json!({
                "name": hit.name,
                "scope": scope.as_str(),
                "first_line": hit.first_line,
                "last_line": hit.last_line,
                "preview": hit.preview,
            })
        };
        let hits: Vec<Value> = all.iter().map(hit).collect();
        context.screen.say(format_args!("{:#}", json!({ "query": query, "hits": hits })))?;
        return Ok(Exit::Good);
    }
    for (scope, hit) in &all {
        let (name, whose, preview) = (&hit.name, scope.as_str(), one_line(&hit.preview));
        context
            .screen
            .say(format_args!("{name}:{}-{}  {whose}  {preview}", hit.first_line, hit.last_line))?;
    }
    if all.is_empty() {
        context.screen.note(format_args!("nothing found"));
    }
    Ok(Exit::Good)
}
