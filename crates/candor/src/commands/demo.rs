//! `candor demo`: a model says that it is done, and is not believed. No key, no network.
//!
//! Nothing here is staged but the model, which plays `demo.json`: the tools, the walls, the session, the service and the verdict are
//! what a prompt to a real model gets. The bot is a shell script, as nothing else is sure to be on a machine.

use std::fs;
use std::path::{Path, PathBuf};

use anstyle::Style;
use candor_config::{Env, Loaded, Request};
use candor_protocol::{Failure, Outcome, SessionId, Status};

use crate::cli::{Ask, Demo};
use crate::commands::{ask, logs};
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::printer::Printer;
use crate::screen::paint;

const SCRIPT: &str = include_str!("demo.json");
const PROMPT: &str =
    "Write bot.sh, a bot that answers messages. It has to work: verify.yaml says how that is seen.";

/// How the user sees that the bot works.
const VERIFY: &str = "\
services:
  - name: bot
    command: sh bot.sh
    ready: { log: 'waiting for messages' }
    settle: 500ms
    probes:
      - { name: message, stdin: { send: '5927508593 ping', expect: pong } }
";

pub(crate) fn run(options: &Demo, context: &Context<'_>) -> Result<Exit, Fail> {
    let folder = tempfile::Builder::new().prefix("candor-demo-").tempdir();
    let folder = folder.map_err(|error| Failure::file(&std::env::temp_dir(), &error))?;
    let story = Story { context, folder: folder.path() };
    let (outcome, session) = story.tell()?;
    let kept: Option<PathBuf> = options.keep.then(|| folder.keep());
    story_end(&outcome, session, kept.as_deref(), context)?;
    Ok(Exit::Ran(outcome.status))
}

struct Story<'a> {
    context: &'a Context<'a>,
    folder: &'a Path,
}

impl Story<'_> {
    /// A home and a workspace of its own.
    fn request(&self) -> Result<Request, Fail> {
        let (home, workspace) = (self.folder.join("home"), self.folder.join("work"));
        for dir in [&home, &workspace.join(".candor")] {
            fs::create_dir_all(dir).map_err(|error| Failure::file(dir, &error))?;
        }
        let script = self.folder.join("demo.json");
        write(&script, SCRIPT)?;
        write(&workspace.join(".candor/verify.yaml"), VERIFY)?;
        let config = format!(
            "provider = \"demo\"\n[providers.demo]\ndialect = \"scripted\"\nscript = {:?}\n[sandbox]\nminimum = \"none\"\n",
            script.display().to_string()
        );
        write(&home.join("config.toml"), &config)?;
        let path = self.context.env().get("PATH").unwrap_or("/usr/bin:/bin").to_owned();
        let env = [("CANDOR_HOME", home.display().to_string()), ("PATH", path)];
        Ok(Request { env: Env::of(env), cwd: workspace, ..Request::default() })
    }

    fn tell(&self) -> Result<(Outcome, SessionId), Fail> {
        let request = self.request()?;
        let context = Context { screen: self.context.screen, request, global: self.context.global };
        let loaded: Loaded = context.load()?;
        let (_log, _guard) = logs::start(&loaded, &context)?;
        title("How the work will be judged (.candor/verify.yaml, written by you)", self.context)?;
        say(VERIFY.trim_end(), self.context)?;
        title("The run: only the model is scripted", self.context)?;
        say(&format!("you> {PROMPT}\n"), self.context)?;
        let printer = Printer::story(context.screen);
        ask::converse(PROMPT, &Ask::default(), printer, &loaded, &context)
    }
}

fn story_end(
    outcome: &Outcome,
    session: SessionId,
    kept: Option<&Path>,
    context: &Context<'_>,
) -> Result<(), Fail> {
    title("What happened", context)?;
    if outcome.status == Status::Done {
        say(
            "The model said done twice. The first time the bot had started, and logged an error for every message: Candor\n\
             started it, sent it one, read its log and sent the card back. The second time it had seen it work.",
            context,
        )?;
    }
    match kept {
        Some(folder) => {
            let home = candor_cards::quote(&folder.join("home").to_string_lossy());
            say(
                &format!(
                    "\nIts folder is kept: {}\n\
                     CANDOR_HOME={home} candor sessions show {session}   all that was said and seen\n\
                     CANDOR_HOME={home} candor logs   its log",
                    folder.display()
                ),
                context,
            )?;
        }
        None => say("\ncandor demo --keep leaves its folder and its session, to look around in.", context)?,
    }
    title("What next", context)?;
    say(
        "candor verify                          look whether what is in this folder works; no model needed\n\
         export ANTHROPIC_API_KEY=...           or the key of another provider; or start Ollama\n\
         candor \"what does this folder do?\"     ask\n\
         candor doctor                          what is well on this machine and what is not",
        context,
    )
}

fn title(text: &str, context: &Context<'_>) -> Result<(), Fail> {
    let title = paint(context.screen.colour().stdout, Style::new().bold(), &format!("== {text}"));
    say(&format!("\n{title}\n"), context)
}

fn say(text: &str, context: &Context<'_>) -> Result<(), Fail> {
    context.screen.say(format_args!("{text}"))
}

fn write(path: &Path, text: &str) -> Result<(), Fail> {
    fs::write(path, text).map_err(|error| Failure::file(path, &error).into())
}
