//! The two questions of `candor init` on a terminal.

use std::io::{self, BufRead, Write};
use std::path::Path;

use candor_config::Chosen;
use candor_config::presets::{self, PRESETS, Preset};
use candor_protocol::Failure;

use crate::context::Context;
use crate::fail::Fail;

pub(crate) fn ask(context: &Context<'_>) -> Result<Vec<Chosen>, Fail> {
    let env = context.env();
    let has_key = |preset: &Preset| preset.key_variable.is_some_and(|variable| env.get(variable).is_some());
    let usual = PRESETS.iter().find(|preset| has_key(preset)).unwrap_or(&PRESETS[0]);
    context.screen.note(format_args!("Which model provider?"));
    for (index, preset) in PRESETS.iter().enumerate() {
        let key = match preset.key_variable {
            Some(variable) if has_key(preset) => format!("{variable} is set"),
            Some(variable) => format!("needs {variable}"),
            None => "local, no key".to_owned(),
        };
        context.screen.note(format_args!("  {:>2}. {:<11} {key}", index + 1, preset.name));
    }
    let preset = loop {
        let answer = question(&format!("number or name [{}]: ", usual.name))?;
        let by_number = answer.parse::<usize>().ok().and_then(|number| PRESETS.get(number.checked_sub(1)?));
        match answer.as_str() {
            "" => break usual,
            name => match by_number.or_else(|| presets::find(name)) {
                Some(preset) => break preset,
                None => context.screen.note(format_args!("{name:?} is not in the list")),
            },
        }
    };
    let model = question(&format!("Which model? [{}]: ", preset.model))?;
    let model = if model.is_empty() { preset.model.to_owned() } else { model };
    Ok(vec![("provider", preset.name.to_owned()), ("model", model)])
}

/// One line from the terminal. The end of input (Ctrl-D) stops everything: the next line is not meant for us.
pub(crate) fn question(text: &str) -> Result<String, Fail> {
    let mut answer = String::new();
    let mut prompt = io::stderr().lock();
    let asked = write!(prompt, "{text}").and_then(|()| prompt.flush());
    let read = asked.and_then(|()| io::stdin().lock().read_line(&mut answer));
    match read.map_err(|error| Failure::file(Path::new("/dev/tty"), &error))? {
        0 => {
            // Nobody may be left to read it.
            let _ = writeln!(prompt, "\nstopped; nothing more was written");
            Err(Fail::Stopped)
        }
        _ => Ok(answer.trim().to_owned()),
    }
}
