//! `candor ctx create`, `sync`, `refresh-prime`, `validate` and `stats`

use candor_context::Made;
use serde_json::json;

use super::Desk;
use crate::fail::{Exit, Fail};
use crate::printer::tame;
use crate::screen::counted;

impl Desk<'_> {
    fn say(&self, line: &str) -> Result<(), Fail> {
        self.context.screen.say(format_args!("{}", tame(line)))
    }

    /// The folder, as it is typed into a shell.
    fn quoted(&self) -> String {
        candor_cards::quote(&self.segment.root().display().to_string())
    }

    /// A segment that was made elsewhere keeps its id, which a person may wonder about.
    fn note_moved(&self, moved: bool, id: &str) {
        if moved {
            self.context.screen.note(format_args!(
                "this segment was initialized in another folder, as {id}; it keeps that id"
            ));
        }
    }
}

pub(super) async fn create(desk: &Desk<'_>) -> Result<Exit, Fail> {
    let created = candor_context::create(&desk.segment, &desk.options).await?;
    if desk.json {
        desk.context.screen.say(format_args!("{:#}", json!(created)))?;
        return Ok(Exit::Good);
    }
    if let Some(aside) = &created.put_aside {
        desk.say(&format!("put aside what could not be used: {}", aside.display()))?;
    }
    desk.say(&format!("{} _ctx/candor_config.json (segment {})", made(created.config), created.segment))?;
    desk.say(&format!("{} {}", made(created.prime), created.prime_path))?;
    desk.note_moved(created.moved, &created.segment);
    desk.context.screen.note(format_args!("next: candor ctx sync -s {}", desk.quoted()));
    Ok(Exit::Good)
}

const fn made(made: Made) -> &'static str {
    match made {
        Made::New => "made",
        Made::Kept => "kept",
        Made::Refreshed => "refreshed",
    }
}

pub(super) async fn sync(desk: &Desk<'_>) -> Result<Exit, Fail> {
    let synced = candor_context::sync(&desk.segment, &desk.options).await?;
    if desk.json {
        desk.context.screen.say(format_args!("{:#}", json!(synced)))?;
        return Ok(Exit::Good);
    }
    let (files, chunks) = (counted(synced.files, "file"), counted(synced.chunks, "chunk"));
    let news = match (synced.changed, synced.removed) {
        (0, 0) => "nothing has changed".to_owned(),
        (changed, removed) => format!("{changed} new or changed, {removed} removed"),
    };
    desk.say(&format!("packed {files}, {chunks}, about {} tokens; {news}", synced.tokens))?;
    if let Some(reason) = &synced.repaired {
        desk.context
            .screen
            .note(format_args!("the pack was damaged and has been made anew: {}", tame(reason)));
    }
    if synced.left_out.is_notable() {
        desk.context.screen.note(format_args!("left out: {}", tame(&synced.left_out.to_string())));
    }
    desk.note_moved(synced.moved, &synced.segment);
    Ok(Exit::Good)
}

pub(super) async fn refresh_prime(desk: &Desk<'_>) -> Result<Exit, Fail> {
    let (path, became) = candor_context::refresh_prime(&desk.segment, &desk.options).await?;
    if desk.json {
        desk.context.screen.say(format_args!("{:#}", json!({ "prime_path": path, "prime": became })))?;
    } else {
        desk.say(&format!("{} {path}", made(became)))?;
        desk.context.screen.note(format_args!("next: candor ctx sync -s {}", desk.quoted()));
    }
    Ok(Exit::Good)
}

pub(super) async fn validate(desk: &Desk<'_>) -> Result<Exit, Fail> {
    let found = candor_context::validate(&desk.segment, &desk.options).await?;
    if desk.json {
        desk.context.screen.say(format_args!("{:#}", json!(found)))?;
    } else {
        let (files, chunks) = (counted(found.files, "file"), counted(found.chunks, "chunk"));
        desk.say(&format!("{}: {files}, {chunks}, all as packed; the index fits", found.segment))?;
    }
    Ok(Exit::Good)
}

pub(super) fn stats(desk: &Desk<'_>) -> Result<Exit, Fail> {
    let stats = candor_context::stats(&desk.segment, &desk.options)?;
    if desk.json {
        desk.context.screen.say(format_args!("{:#}", json!(stats)))?;
        return Ok(Exit::Good);
    }
    desk.say(&format!("segment  {} in {}", stats.segment, stats.path))?;
    let (files, chunks) = (counted(stats.files, "file"), counted(stats.chunks, "chunk"));
    desk.say(&format!(
        "packed   {files}, {chunks}, about {} tokens ({})",
        stats.tokens, stats.token_estimate
    ))?;
    desk.say(&format!("age      {}", age(stats.age_seconds)))?;
    desk.say(&format!("stale    {}", counted(stats.stale, "file")))?;
    for (kind, of_kind) in &stats.kinds {
        let chunks = counted(of_kind.chunks, "chunk");
        desk.say(&format!("{:8} {chunks}, about {} tokens", kind.as_str(), of_kind.tokens))?;
    }
    desk.note_moved(stats.moved, &stats.segment);
    if stats.stale > 0 {
        desk.context.screen.note(format_args!("next: candor ctx sync -s {}", desk.quoted()));
    }
    Ok(Exit::Good)
}

fn age(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        7_200..=172_799 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
