//! `skill`: takes up a skill, or reads one of its files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_protocol::ToolSpec;
use serde_json::{Value, json};

use super::reading::{open, resource};
use super::{Skill, Skills};
use crate::{BoxFuture, Effect, Tool, ToolContext, ToolOutput, arguments};

const NAME: &str = "skill";
/// What a copied file may hold: as much as a whole skill.
const COPY_BYTES_MAX: u64 = 8 << 20;

arguments! {
    struct Args<'a> {
        name: &'a str;
        file: Option<&'a str> = "one of its files, instead of its instructions";
    }
}

/// Takes up a skill, or reads one of its files.
pub struct SkillTool {
    spec: ToolSpec,
    skills: Arc<Skills>,
}

impl SkillTool {
    /// For these skills.
    pub fn new(skills: Arc<Skills>) -> Self {
        let description = "Read the instructions of an available skill before doing what it is for.";
        Self { spec: arguments::spec::<Args<'_>>(NAME, description), skills }
    }

    fn take_up(&self, args: &Value, context: &ToolContext) -> ToolOutput {
        let args: Args<'_> = match arguments::of(NAME, args) {
            Ok(args) => args,
            Err(error) => return ToolOutput::failure(&error),
        };
        let skill = match self.skills.take_up(args.name) {
            Ok(skill) => skill,
            Err(failure) => return ToolOutput::refused(&failure),
        };
        match args.file {
            None => ToolOutput::success(told(&skill, context).to_string(), format!("skill {}", skill.name)),
            Some(file) => match resource(&skill, file) {
                Ok((text, is_cut)) => {
                    let told = json!({ "skill": skill.name, "file": file, "text": text, "cut": is_cut });
                    ToolOutput::success(told.to_string(), format!("{file} of skill {}", skill.name))
                }
                Err(why) => {
                    let error = format!(
                        "{file} is none of the files of skill {}, or cannot be read: {why}",
                        skill.name
                    );
                    let told = json!({ "error": error, "files": skill.files });
                    ToolOutput { is_error: true, ..ToolOutput::success(told.to_string(), error) }
                }
            },
        }
    }
}

impl Tool for SkillTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn problem(&self, args: &Value) -> Option<String> {
        arguments::read::<Args<'_>>(args).err()
    }

    fn effect(&self, _args: &Value, _context: &ToolContext) -> Effect {
        Effect::Reads
    }

    fn run<'a>(&'a self, args: &'a Value, context: &'a ToolContext) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async { self.take_up(args, context) })
    }
}

/// A skill as a model gets it, with the place of its files as commands see it.
fn told(skill: &Skill, context: &ToolContext) -> Value {
    let mut told = json!({ "skill": skill.name, "instructions": skill.body });
    if !skill.files.is_empty() {
        told["files"] = json!(skill.files);
        told["folder"] = json!(folder(skill, context));
    }
    told
}

/// Where commands find the files of a skill. Those that lie where nobody inside can look are copied to where everybody inside
/// can look, and nobody can write: what is copied there cannot be led elsewhere.
fn folder(skill: &Skill, context: &ToolContext) -> PathBuf {
    let is_hidden = context.rules.hidden.iter().any(|hidden| skill.folder.starts_with(hidden));
    let copied = is_hidden.then(|| copy(skill, &context.walls.spill().ok()??)).flatten();
    copied.unwrap_or_else(|| skill.folder.clone())
}

fn copy(skill: &Skill, into: &Path) -> Option<PathBuf> {
    let folder = into.join("skills").join(&skill.name);
    for file in &skill.files {
        let content = open(&skill.folder, file, COPY_BYTES_MAX).ok()?;
        let target = folder.join(file);
        fs::create_dir_all(target.parent()?).ok()?;
        fs::write(&target, content).ok()?;
        let mode = fs::metadata(skill.folder.join(file)).ok()?.permissions();
        fs::set_permissions(&target, mode).ok()?;
    }
    Some(folder)
}
