//! `candor demo`: the whole story on itself. No key, no network, nothing left behind.
//!
//! Nothing here is staged but the model, which plays `demo.json`: the run, its tools, its session, its log and its cards are
//! what a prompt to a real model gets.

use std::fs;
use std::path::Path;

use anstyle::Style;
use candor_config::{Env, Loaded, Request};
use candor_log::read::{self, Colour, Query};
use candor_protocol::{Failure, Status};
use candor_redact::Redactor;

use crate::cli::Ask;
use crate::commands::{ask, logs};
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::screen::paint;

const SCRIPT: &str = include_str!("demo.json");
/// A shell script with a mistake in it.
const GREETING: &str = "#!/bin/sh\nname=${1:-world}\necho_ \"Hello, $name!\"\n";
const PROMPT: &str = "greet.sh does not work. Find out why and repair it.";

const BROKEN: &str = "\
provider = \"anthropic\"
modle = \"claude-sonnet-4-5\"

[logging]
level = \"loud\"

[server]
port = 70000
";

pub(crate) fn run(context: &Context<'_>) -> Result<Exit, Fail> {
    let folder = tempfile::Builder::new().prefix("candor-demo-").tempdir();
    let folder = folder.map_err(|error| Failure::file(&std::env::temp_dir(), &error))?;
    // Made up on the spot: a demonstration of masking must not carry a secret of its own.
    let key = format!("sk-ant-api03-{}", "q7".repeat(20));
    let demo = Demo { context, folder: folder.path(), key };
    let loaded = demo.conversation()?;
    demo.log(&loaded)?;
    demo.mistakes()?;
    demo.redaction()?;
    demo.next()?;
    Ok(Exit::Good)
}

struct Demo<'a> {
    context: &'a Context<'a>,
    folder: &'a Path,
    key: String,
}

impl Demo<'_> {
    fn title(&self, text: &str) -> Result<(), Fail> {
        let title = paint(self.context.screen.colour().stdout, Style::new().bold(), &format!("== {text}"));
        self.say(&format!("\n{title}\n"))
    }

    fn say(&self, text: &str) -> Result<(), Fail> {
        self.context.screen.say(format_args!("{text}"))
    }

    /// A home and a workspace of its own, with this configuration.
    fn request(&self, config: &str) -> Result<Request, Fail> {
        let (home, workspace) = (self.folder.join("home"), self.folder.join("work"));
        for dir in [&home, &workspace] {
            fs::create_dir_all(dir).map_err(|error| Failure::file(dir, &error))?;
        }
        write(&home.join("config.toml"), config)?;
        let path = self.context.env().get("PATH").unwrap_or("/usr/bin:/bin").to_owned();
        let env =
            [("CANDOR_HOME", home.display().to_string()), ("DEMO_KEY", self.key.clone()), ("PATH", path)];
        Ok(Request { env: Env::of(env), cwd: workspace, ..Request::default() })
    }

    /// A run with a model that plays a script: it fails for a moment, calls tools, and says that it is done.
    fn conversation(&self) -> Result<Loaded, Fail> {
        self.title(
            "A run: the provider fails, a tool fails, a slip is stopped, and the model says that all is well",
        )?;
        let script = self.folder.join("demo.json");
        write(&script, SCRIPT)?;
        let config = format!(
            "provider = \"demo\"\n[providers.demo]\ndialect = \"scripted\"\nscript = {:?}\n[retry]\nbase_delay_ms = 300\n\
             [sandbox]\nminimum = \"none\"\n",
            script.display().to_string()
        );
        let request = self.request(&config)?;
        write(&request.cwd.join("greet.sh"), GREETING)?;
        let context = Context { screen: self.context.screen, request, global: self.context.global };
        let loaded = context.load()?;
        let (_log, _guard) = logs::start(&loaded, &context)?;
        self.say(&format!("you> {PROMPT}\n"))?;
        let outcome = ask::converse(PROMPT.to_owned(), &Ask::default(), &loaded, &context)?;
        if outcome.status == Status::DonePartial {
            self.say(
                "\nThe model said done. Candor does not: a file was changed and nobody has checked it.",
            )?;
        }
        Ok(loaded)
    }

    fn log(&self, loaded: &Loaded) -> Result<(), Fail> {
        self.title("Its log: typed, rotated, and masked before it is written")?;
        let file = loaded.config.logging.file.resolve(loaded.home.path());
        let colour = if self.context.screen.colour().stdout { Colour::Ansi } else { Colour::Never };
        for entry in read::entries(&file, Query::default())? {
            self.say(&read::render(&entry?, colour))?;
        }
        Ok(())
    }

    fn mistakes(&self) -> Result<(), Fail> {
        self.title("A configuration with mistakes: all of them at once, each with its line")?;
        if let Err(error) = candor_config::load(&self.request(BROKEN)?) {
            let card = candor_cards::card(&error.failure());
            self.say(candor_cards::text(&card, "candor config check").trim_end())?;
        }
        Ok(())
    }

    fn redaction(&self) -> Result<(), Fail> {
        self.title("Redaction: what you know, what has a shape, what has a name; and nothing else")?;
        let redactor = Redactor::with_secrets([&self.key]);
        let text = [
            format!("known, in base64 too   {}", self.key),
            format!("a shape                git clone https://bot:{}@example.org/repo.git", "h4rd".repeat(3)),
            "a name                 {\"password\":\"correct horse\",\"inputTokens\":1500}".to_owned(),
            "left alone             9f86d081884c7d659a2feaa0c55ad015 toolu_01A09q90qw90lq917835lq9"
                .to_owned(),
        ];
        for line in text {
            self.say(&redactor.redact_str(&line))?;
        }
        self.say(&format!("\n{} rules; `candor redact --rules` lists them", candor_redact::rules().count()))
    }

    fn next(&self) -> Result<(), Fail> {
        self.title("What next")?;
        self.say(&format!(
            "export ANTHROPIC_API_KEY=...           or the key of another provider; or start Ollama\n\
             candor \"what does this folder do?\"     ask\n\
             candor -c \"and now the tests\"          go on\n\
             candor sessions list                   what was said before\n\
             candor sessions diff last              what it changed; undo last takes it back\n\
             candor doctor                          what is well on this machine and what is not\n\
             candor errors list                     all {} failures that have a card\n\n\
             Not in this build yet: the verifier that may say done.",
            candor_cards::catalogue().len()
        ))
    }
}

fn write(path: &Path, text: &str) -> Result<(), Fail> {
    fs::write(path, text).map_err(|error| Failure::file(path, &error).into())
}
