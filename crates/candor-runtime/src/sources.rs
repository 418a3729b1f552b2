//! The files behind the system prompt, read again when they change.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use candor_agent::{Catalogue, Harness, Layers, Sourced};
use candor_protocol::{Moment, ToolSpec};
use candor_sandbox::Network;
use candor_tools::notes::Notes;
use candor_tools::skills::Skill;
use candor_tools::{Approval, Permission, Registry, Sought, words};

use crate::Setup;

/// The most bytes of one file that go into the prompt: everything in it is paid for with every request.
const FILE_BYTES_MAX: u64 = 32 * 1024;
/// How far up the nearest `AGENTS.md` is looked for.
const PARENTS_MAX: usize = 32;
/// What a folder calls its words to agents, best first.
const GUIDES: &[&str] = &["AGENTS.md", "CLAUDE.md"];
/// The tool by which notes are read.
const NOTES: &str = "notes";
/// The first day of a timestamp's text.
const DAY_CHARS: usize = "2025-02-11".len();

/// What was read of files, with the state they were in.
#[derive(Default)]
pub(crate) struct Sources {
    /// A plain lock: it is held for a look-up, or while one small file is read, and never across an await.
    read: Mutex<HashMap<PathBuf, (Stamp, Option<String>)>>,
}

/// What tells a changed file from an unchanged one.
type Stamp = Option<(SystemTime, u64)>;

impl Sources {
    /// The text of a file; none where there is no file, or nothing in it.
    fn text(&self, path: &Path) -> Option<Sourced> {
        let stamp: Stamp = fs::metadata(path)
            .ok()
            .filter(fs::Metadata::is_file)
            .and_then(|metadata| Some((metadata.modified().ok()?, metadata.len())));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match read.get(path) {
            Some((known, text)) if *known == stamp => text.clone(),
            _ => {
                let text = stamp.and_then(|_| read_text(path));
                read.insert(path.to_owned(), (stamp, text.clone()));
                text
            }
        };
        text.map(|text| Sourced { text, source: path.display().to_string() })
    }

    /// The text of a file that came with a folder. It may be a link, but not one out of the folder: a command can make links,
    /// and what they lead to would reach the model although it is hidden from tools.
    fn own_text(&self, path: &Path) -> Option<Sourced> {
        // Most of them are not there: to ask for that is one call of the kernel, to resolve a path is one for each part.
        path.metadata().ok()?;
        let (folder, real) = (path.parent()?.canonicalize().ok()?, path.canonicalize().ok()?);
        let found = self.text(&real).filter(|_| real.starts_with(folder))?;
        Some(Sourced { source: path.display().to_string(), ..found })
    }

    /// The nearest `AGENTS.md`, from the workspace up to the root of its repository; a `CLAUDE.md`, where there is none beside it.
    fn agents(&self, workspace: &Path) -> Option<Sourced> {
        for dir in workspace.ancestors().take(PARENTS_MAX) {
            let found = GUIDES.iter().find_map(|name| self.own_text(&dir.join(name)));
            if found.is_some() {
                return found;
            }
            if dir.join(".git").exists() {
                return None;
            }
        }
        None
    }

    /// The layers of the prompt for one request.
    pub(crate) fn layers(
        &self,
        setup: &Setup,
        tools: Vec<ToolSpec>,
        model: &str,
        session: Option<String>,
    ) -> Layers {
        let identity = match &setup.prompt.identity {
            Some(text) => Some(Sourced { text: text.clone(), source: "system_prompt".to_owned() }),
            None => setup.prompt.identity_file.as_deref().and_then(|path| self.text(path)),
        };
        Layers {
            identity,
            harness: Some(harness(setup, model)),
            tools,
            workflows: Vec::new(),
            skills: setup.skills.usable().iter().map(|skill| catalogue(skill)).collect(),
            notes: None,
            workspace: self.own_text(&setup.workspace.join("SYSTEM_PROMPT.md")),
            agents: self.agents(&setup.workspace),
            session,
            custom: setup.prompt.custom_file.as_deref().and_then(|path| self.text(path)),
        }
    }
}

/// The layers of the prompt as the first request of a session with these tools would have them now.
pub fn layers(setup: &Setup, tools: &Registry, model: &str) -> Layers {
    let window = candor_llm::context_window(model);
    let layers = Sources::default().layers(setup, tools.offered(&Sought::default(), window), model, None);
    Layers { notes: notes(setup, tools), ..layers }
}

/// The names of the notes that there are, where there is a tool to read them with. They are looked at once a run: a note that is
/// written meanwhile must not change the beginning of all later requests, and the model knows of it.
pub(crate) fn notes(setup: &Setup, tools: &Registry) -> Option<String> {
    tools.find(NOTES)?;
    Notes::new(setup.workspace.clone(), setup.tools.home.clone()).line()
}

fn read_text(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let file = candor_tools::open_plain(path).ok()?;
    // What it was called when it was looked at may lead elsewhere by now.
    let is_it =
        candor_beneath::real_path(&file).is_ok_and(|real| path.canonicalize().is_ok_and(|path| path == real));
    if !is_it {
        return None;
    }
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
    let cut = bytes.len() as u64 > FILE_BYTES_MAX;
    bytes.truncate(usize::try_from(FILE_BYTES_MAX).unwrap_or(usize::MAX));
    let mut text = words(&bytes)?;
    if cut {
        text.push_str("\n[cut: the file is longer than goes into the prompt]");
    }
    Some(text)
}

fn catalogue(skill: &Skill) -> Catalogue {
    // One line each: a description of several would be cut after the first.
    let description = skill.description.split_whitespace().collect::<Vec<_>>().join(" ");
    Catalogue { name: skill.name.clone(), description }
}

/// What commands can reach, so that nobody tries in vain.
fn reach(setup: &Setup) -> &'static str {
    match setup.walls.policy.as_ref().map(|policy| &policy.network) {
        None | Some(Network::All) => "Commands may use the network.",
        Some(Network::None) => "Commands run in a sandbox without a network.",
        Some(Network::Loopback { .. }) => {
            "Commands run in a sandbox; of the network they reach only 127.0.0.1."
        }
        Some(Network::List(_)) => "Commands run in a sandbox; of the network they reach only listed hosts.",
    }
}

fn harness(setup: &Setup, model: &str) -> Harness {
    let tools = &setup.tools;
    let permission = match (tools.permission, tools.approval) {
        (Permission::ReadOnly, _) => "Nothing may be written: the permission is read-only.",
        (_, Approval::Always) => {
            "A person is asked before every write, every command and everything that is sent out."
        }
        (Permission::Workspace, _) => {
            "Files are written inside the workspace only; /tmp is the session's own and gone after it. Reading is free but for hidden paths."
        }
        (Permission::Full, _) => "Commands run without a sandbox.",
    };
    Harness {
        model: model.to_owned(),
        workspace: setup.workspace.display().to_string(),
        date: Moment::now().to_string().chars().take(DAY_CHARS).collect(),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        constraints: vec![
            permission.to_owned(),
            reach(setup).to_owned(),
            format!("A call is stopped after {} seconds.", tools.timeout.as_secs()),
            format!("At most {} bytes of its output are shown.", tools.output_bytes_max),
            "[REDACTED:xxxxxx] stands for a secret; use it in arguments as it is and the tool gets the value.".to_owned(),
        ],
    }
}
