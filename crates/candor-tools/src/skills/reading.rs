//! What a `SKILL.md` says, and what lies beside it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use candor_beneath::{self as beneath, Links};
use candor_protocol::{Code, Failure};
use rustix::fs::{Mode, OFlags};
use serde::Deserialize;

use crate::trust::content_hash;

/// The file that makes a folder a skill.
pub(super) const FILE: &str = "SKILL.md";

/// The longest `SKILL.md`: ten times what the convention recommends.
const FILE_BYTES_MAX: u64 = 256 * 1024;
/// The longest name and description of the convention.
const NAME_CHARS_MAX: usize = 64;
const DESCRIPTION_CHARS_MAX: usize = 1024;
/// The most files that a skill may have beside it, and how much they may hold together.
const FILES_MAX: usize = 128;
const FILES_BYTES_MAX: u64 = 8 << 20;
/// How deep its folders may be.
const DEPTH_MAX: usize = 6;
/// How much of one of its files is read for a model.
const RESOURCE_BYTES_MAX: u64 = 64 * 1024;

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// What it is called; also its folder.
    pub name: String,
    /// What it is for, and when.
    pub description: String,
    /// Its words.
    pub body: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The files beside, relative to it.
    pub files: Vec<PathBuf>,
}

/// What stands before the words. Other keys are for other programs.
#[derive(Deserialize)]
struct Head {
    name: String,
    description: String,
    #[serde(default)]
    #[expect(dead_code, reason = "it has to be a map of texts where it is there")]
    metadata: BTreeMap<String, String>,
}

/// A skill and what tells it, with all its files, from any other: both of the same bytes.
pub(super) fn load(folder: &Path) -> (Result<Skill, Failure>, Option<String>) {
    let contents = match contents(folder) {
        Ok(contents) => contents,
        Err(why) => return (Err(unusable(folder, 1, why)), None),
    };
    let pieces = contents.iter().flat_map(|(file, content)| [file.as_os_str().as_encoded_bytes(), content]);
    let hash = content_hash(pieces);
    (read(folder, &contents), Some(hash))
}

/// Reads a skill, or says what is wrong with it.
fn read(folder: &Path, contents: &BTreeMap<PathBuf, Vec<u8>>) -> Result<Skill, Failure> {
    let unusable = |line: u64, why: String| unusable(folder, line, why);
    let Some(text) = contents.get(Path::new(FILE)) else {
        return Err(unusable(1, "it is no file of its own".to_owned()));
    };
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(unusable(1, format!("it is longer than {FILE_BYTES_MAX} bytes")));
    }
    let text = std::str::from_utf8(text).map_err(|_| unusable(1, "it is not UTF-8".to_owned()))?;
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let Some((head, body)) = parts(&text) else {
        return Err(unusable(1, "it does not begin with `---`, a few keys, and `---`".to_owned()));
    };
    let head: Head = serde_saphyr::from_str(head).map_err(|error| {
        let line = error.location().map_or(1, |place| place.line());
        let said = error.to_string();
        unusable(line + 1, candor_cards::without_place(said.lines().next().unwrap_or_default()).to_owned())
    })?;
    check(&head, body, folder).map_err(|why| unusable(1, why))?;
    Ok(Skill {
        name: head.name,
        description: head.description.trim().to_owned(),
        body: body.trim().to_owned(),
        folder: folder.to_owned(),
        files: contents.keys().filter(|file| *file != Path::new(FILE)).cloned().collect(),
    })
}

fn unusable(folder: &Path, line: u64, why: String) -> Failure {
    let path = folder.join(FILE);
    Failure::new(Code::SkillInvalid)
        .with("path", path.display())
        .with("line", line)
        .with("reason", why)
        .with("help", "candor skills check")
}

/// What stands between the lines of three dashes, and what follows.
fn parts(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---\n")?;
    let end = rest.find("\n---\n").map(|at| (at, at + 5));
    let end = end.or_else(|| rest.strip_suffix("\n---").map(|head| (head.len(), rest.len())));
    let (head, body) = end?;
    Some((&rest[..head], &rest[body..]))
}

fn check(head: &Head, body: &str, folder: &Path) -> Result<(), String> {
    let name = &head.name;
    let is_name =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if name.len() > NAME_CHARS_MAX || !name.split('-').all(is_name) {
        return Err(format!(
            "`name` is {name:?}: small letters, digits and single dashes between them, at most {NAME_CHARS_MAX}"
        ));
    }
    if folder.file_name().is_none_or(|folder| folder != name.as_str()) {
        return Err(format!("`name` is {name}, and its folder is called otherwise"));
    }
    let description = head.description.trim().chars().count();
    if description == 0 || description > DESCRIPTION_CHARS_MAX {
        return Err(format!(
            "`description` has {description} characters; 1 to {DESCRIPTION_CHARS_MAX} are needed"
        ));
    }
    if body.trim().is_empty() {
        return Err("there are no words after the keys".to_owned());
    }
    Ok(())
}

/// All files of a skill, relative to its folder, in order. Links are left out: they lead elsewhere.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let (mut files, mut bytes, mut open) = (Vec::new(), 0, vec![(PathBuf::new(), 0)]);
    while let Some((within, depth)) = open.pop() {
        let entries = fs::read_dir(folder.join(&within)).map_err(|error| error.to_string())?;
        for entry in entries.flatten() {
            let (path, Ok(metadata)) = (within.join(entry.file_name()), entry.metadata()) else { continue };
            if metadata.is_dir() && depth >= DEPTH_MAX {
                return Err(format!("its folders are more than {DEPTH_MAX} deep"));
            }
            if metadata.is_dir() {
                open.push((path, depth + 1));
            } else if metadata.is_file() {
                bytes += metadata.len();
                files.push(path);
            }
            if files.len() > FILES_MAX || bytes > FILES_BYTES_MAX || open.len() > FILES_MAX {
                return Err(format!(
                    "it has more than {FILES_MAX} files, or more than {FILES_BYTES_MAX} bytes"
                ));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// What is in all of them.
fn contents(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, String> {
    let read = |file: PathBuf| open(folder, &file, FILES_BYTES_MAX).map(|content| (file, content));
    files(folder)?.into_iter().map(read).collect()
}

/// One of its files for a model, as far as it is text; whether there is more of it.
pub(super) fn resource(skill: &Skill, path: &str) -> Result<(String, bool), String> {
    let wanted = Path::new(path.trim_start_matches("./"));
    // Nobody has agreed to anything else.
    if !skill.files.iter().any(|file| file == wanted) {
        return Err("it is not among them".to_owned());
    }
    let bytes = open(&skill.folder, wanted, RESOURCE_BYTES_MAX + 1)?;
    let is_cut = bytes.len() as u64 > RESOURCE_BYTES_MAX;
    if bytes.iter().take(1024).any(|byte| *byte == 0) {
        return Err("it is no text".to_owned());
    }
    let kept = &bytes[..bytes.len().min(usize::try_from(RESOURCE_BYTES_MAX).unwrap_or(usize::MAX))];
    Ok((String::from_utf8_lossy(kept).into_owned(), is_cut))
}

/// Reads a file that lies in a folder and nowhere else, whatever links there are.
pub(super) fn open(folder: &Path, path: &Path, bytes_max: u64) -> Result<Vec<u8>, String> {
    let root = fs::File::open(folder).map_err(|error| error.to_string())?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK;
    let opened = beneath::open(&root, path, flags, Mode::empty(), Links::Never);
    let file = fs::File::from(opened.map_err(|errno| std::io::Error::from(errno).to_string())?);
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err("it is no file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(bytes_max).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}
