//! `candor demo`: what exists, shown on itself. No key, no network, nothing left behind.

use std::fs;
use std::time::Duration;

use anstyle::Style;
use candor_config::{Env, Request};
use candor_log::event::{ConfigReload, ToolBlocked, TurnEnd};
use candor_log::read::{self, Colour, Query};
use candor_protocol::{Failure, SessionId};
use candor_redact::Redactor;

use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::screen::paint;

const BROKEN: &str = "\
provider = \"anthropic\"
modle = \"claude-sonnet-4-5\"

[logging]
level = \"loud\"

[server]
port = 70000
";

const REPAIRED: &str = "\
provider = \"anthropic\"
model = \"claude-sonnet-4-5\"
api_key_env = \"DEMO_KEY\"

[logging]
level = \"debug\"
";

pub(crate) fn run(context: &Context<'_>) -> Result<Exit, Fail> {
    let home = tempfile::Builder::new().prefix("candor-demo-").tempdir();
    let home = home.map_err(|error| Failure::file(&std::env::temp_dir(), &error))?;
    // Made up on the spot: a demonstration of masking must not carry a secret of its own.
    let key = format!("sk-ant-api03-{}", "q7".repeat(20));
    let demo = Demo { context, home: home.path(), key };
    demo.mistakes()?;
    demo.repaired()?;
    demo.log()?;
    demo.redaction()?;
    demo.next()?;
    Ok(Exit::Good)
}

struct Demo<'a> {
    context: &'a Context<'a>,
    home: &'a std::path::Path,
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

    fn write(&self, text: &str) -> Result<Request, Fail> {
        let file = self.home.join("config.toml");
        fs::write(&file, text).map_err(|error| Failure::file(&file, &error))?;
        let home = self.home.display().to_string();
        let env = Env::of([("CANDOR_HOME", home), ("DEMO_KEY", self.key.clone())]);
        Ok(Request { env, cwd: self.home.to_owned(), ..Request::default() })
    }

    fn mistakes(&self) -> Result<(), Fail> {
        self.title("A configuration with mistakes: all of them at once, each with its line")?;
        let request = self.write(BROKEN)?;
        if let Err(error) = candor_config::load(&request) {
            let card = candor_cards::card(&error.failure());
            self.say(candor_cards::text(&card, "candor config check").trim_end())?;
        }
        Ok(())
    }

    fn repaired(&self) -> Result<(), Fail> {
        self.title("Repaired: every value knows where it came from")?;
        let loaded = candor_config::load(&self.write(REPAIRED)?)?;
        for shown in
            loaded.shown().iter().filter(|shown| shown.label != "default" || shown.key.starts_with("retry"))
        {
            self.say(&format!("{:<44} # {}", format!("{} = {}", shown.key, shown.value), shown.label))?;
        }
        Ok(())
    }

    fn log(&self) -> Result<(), Fail> {
        self.title("The log: typed, rotated, and masked before it is written")?;
        let file = self.home.join("logs/candor.log");
        let mut options = candor_log::Options::new(&file);
        options.redactor = Redactor::with_secrets([&self.key]);
        let (log, guard) = candor_log::start(options)?;
        log.install()?;
        let session_id = SessionId::now();
        ConfigReload { changed_sections: &["logging"] }.log();
        let command = format!("curl -H 'x-api-key: {}' https://example.org", self.key);
        let reason = "the network is off";
        ToolBlocked { session_id, tool: "shell_exec", command: &command, reason }.log();
        TurnEnd {
            session_id,
            input_tokens: 1500,
            output_tokens: 320,
            total_tokens: 1820,
            duration: Duration::from_secs(3),
            tool_call_count: 1,
        }
        .log();
        drop(guard);
        let colour = if self.context.screen.colour().stdout { Colour::Ansi } else { Colour::Never };
        for entry in read::entries(&file, Query::default())? {
            self.say(&read::render(&entry?, colour))?;
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
            "candor errors list     all {} failures that have a card\n\
             candor init            write a configuration of your own\n\
             candor doctor          see what is well on this machine and what is not\n\n\
             Talking to a model is not in this build yet; the walls and the floor are.",
            candor_cards::catalogue().len()
        ))
    }
}
