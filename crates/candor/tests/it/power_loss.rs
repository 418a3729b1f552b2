//! The plug is pulled: of what was written, only what was synced is there for sure, and of the rest anything may be.
//!
//! `kill -9` cannot show this, because the kernel keeps what a dead process has written. So the files are rebuilt from
//! what strace saw, as a disk might have them after any call of the run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use candor_testkit::{Rng, Sweep};

use crate::durable::{Scene, complaints_of_the_store, promised};
use crate::rig::Keep;
use crate::strace::{Call, Line, record, unescaped};

/// The folder of the leases.
const LOCKS: &str = "candor.db-locks";

/// A disk writes this much at once or not at all.
const SECTOR_BYTES: usize = 512;

/// What a run did to the files of the database, and what it promised in between.
#[derive(Debug)]
enum Step {
    Change { file: String, change: Change },
    Sync { file: String },
    Unlink { file: String },
    Print(Vec<u8>),
}

/// What is done to the bytes of a file.
#[derive(Debug, Clone)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Resize { bytes: usize },
}

/// A file on a disk with a cache: what is there for sure, and what was asked for since.
#[derive(Debug, Clone, Default)]
struct File {
    /// None until the file was synced: its name may not be on the disk yet.
    durable: Option<Vec<u8>>,
    pending: Vec<Change>,
}

#[derive(Debug, Default)]
struct Disk {
    files: BTreeMap<String, File>,
    /// Removed, but the folder was not synced since.
    unlinked: BTreeMap<String, File>,
    printed: Vec<u8>,
}

/// How much of what was not synced has reached the disk.
#[derive(Debug, Clone, Copy)]
enum Luck {
    None,
    All,
    Some,
}

impl Disk {
    fn take(&mut self, step: &Step, home: &str) {
        match step {
            Step::Change { file, change } => self.file(file).pending.push(change.clone()),
            Step::Sync { file } if file == home => self.unlinked.clear(),
            Step::Sync { file } => self.file(file).sync(),
            Step::Unlink { file } => {
                let gone = self.files.remove(file).unwrap_or_default();
                self.unlinked.insert(file.clone(), gone);
            }
            Step::Print(bytes) => self.printed.extend(bytes),
        }
    }

    fn file(&mut self, name: &str) -> &mut File {
        self.files.entry(name.to_owned()).or_default()
    }

    /// The files as the next start may find them.
    fn after_power_loss(&self, luck: Luck, rng: &mut Rng) -> BTreeMap<&str, Vec<u8>> {
        let mut found = BTreeMap::new();
        let kept = self.unlinked.iter().filter(|_| matches!(luck, Luck::None | Luck::Some));
        for (name, file) in kept.chain(&self.files) {
            if let Some(bytes) = file.after_power_loss(luck, rng) {
                found.insert(name.as_str(), bytes);
            }
        }
        found
    }
}

impl File {
    fn sync(&mut self) {
        let mut bytes = self.durable.take().unwrap_or_default();
        for change in self.pending.drain(..) {
            change.apply(&mut bytes);
        }
        self.durable = Some(bytes);
    }

    fn after_power_loss(&self, luck: Luck, rng: &mut Rng) -> Option<Vec<u8>> {
        let mut bytes = match (&self.durable, luck) {
            (None, Luck::None) => return None,
            (durable, _) => durable.clone().unwrap_or_default(),
        };
        for change in &self.pending {
            match luck {
                Luck::None => {}
                Luck::All => change.apply(&mut bytes),
                Luck::Some => {
                    change.sectors().filter(|_| rng.one_in(2)).for_each(|sector| sector.apply(&mut bytes));
                }
            }
        }
        Some(bytes)
    }
}

impl Change {
    fn apply(&self, file: &mut Vec<u8>) {
        match self {
            Self::Write { at, bytes } => {
                let end = at + bytes.len();
                file.resize(end.max(file.len()), 0);
                file[*at..end].copy_from_slice(bytes);
            }
            Self::Resize { bytes } => file.resize(*bytes, 0),
        }
    }

    /// The parts of which a disk does each or does not.
    fn sectors(&self) -> Box<dyn Iterator<Item = Self> + '_> {
        match self {
            Self::Write { at, bytes } => {
                let sectors = bytes.chunks(SECTOR_BYTES).enumerate();
                Box::new(sectors.map(move |(number, sector)| Self::Write {
                    at: at + number * SECTOR_BYTES,
                    bytes: sector.to_vec(),
                }))
            }
            Self::Resize { .. } => Box::new(std::iter::once(self.clone())),
        }
    }
}

/// The steps of a whole run that are about the database, in order. A sync counts once it has returned.
fn steps(lines: &[Line], home: &Path, printed: &Path) -> Vec<Step> {
    let mut syncing: BTreeMap<u32, String> = BTreeMap::new();
    let mut steps = Vec::new();
    for line in lines {
        match line {
            Line::Returned { process, name } if name == "fsync" || name == "fdatasync" => {
                steps.extend(syncing.remove(process).map(|file| Step::Sync { file }));
            }
            Line::Begun(call) if Path::new(&call.file) == printed => {
                steps.push(Step::Print(bytes_of(call)));
            }
            Line::Begun(call) if is_database(&call.file, home) => match step(call) {
                Some(Step::Sync { file }) if !call.has_returned() => drop(syncing.insert(call.process, file)),
                step => steps.extend(step),
            },
            Line::Begun(_) | Line::Returned { .. } => {}
        }
    }
    steps
}

/// The file, its companions and the folder; not the memory that processes share, which is made anew, and not what is only
/// locked and holds nothing.
fn is_database(file: &str, home: &Path) -> bool {
    let database = home.join("candor.db").display().to_string();
    let is_kept = !file.ends_with("-shm") && !file.contains(LOCKS);
    Path::new(file) == home || (file.starts_with(&database) && is_kept)
}

fn step(call: &Call) -> Option<Step> {
    let file = call.file.clone();
    // The last number before the result: where a write goes, and what a file is cut to.
    let number = || {
        let arguments = call.rest.split([')', '<']).rev().find(|part| part.contains(", "));
        let number = arguments.and_then(|part| part.rsplit_once(", ")?.1.trim().parse().ok());
        number.unwrap_or_else(|| panic!("no number in {}", call.rest))
    };
    match call.name.as_str() {
        "pwrite64" => {
            Some(Step::Change { file, change: Change::Write { at: number(), bytes: bytes_of(call) } })
        }
        "ftruncate" => Some(Step::Change { file, change: Change::Resize { bytes: number() } }),
        "fsync" | "fdatasync" => Some(Step::Sync { file }),
        "unlink" => Some(Step::Unlink { file }),
        "openat" | "mkdir" => None,
        other => panic!("the model of the disk knows no {other}"),
    }
}

fn bytes_of(call: &Call) -> Vec<u8> {
    unescaped(call.rest.split('"').nth(1).unwrap_or_default())
}

#[test]
fn sweep_power_loss_under_strace() {
    let mut sweep = Sweep::start("power_loss");
    let mut scene = Scene::new(&Keep::in_home());
    let home = scene.home.path();
    let lines = record(&scene, &["-xx", "-s", "1000000"]);
    let steps = steps(&lines, &home, &scene.printed_file());
    assert!(steps.iter().any(|step| matches!(step, Step::Print(_))), "nothing was printed");
    let mut found = Vec::new();
    while sweep.goes_on() {
        let cut = sweep.rng().below(steps.len() + 1);
        let luck = *sweep.rng().pick(&[Luck::None, Luck::All, Luck::Some]);
        let mut disk = Disk::default();
        for step in &steps[..cut] {
            disk.take(step, &home.display().to_string());
        }
        clear(&home);
        for (name, bytes) in disk.after_power_loss(luck, sweep.rng()) {
            fs::write(name, bytes).expect("written");
        }
        let promised = promised(&String::from_utf8_lossy(&disk.printed));
        let complaints = complaints_of_the_store(&mut scene, &promised);
        let point = format!("case {}, after {cut} of {} steps, {luck:?}", sweep.case(), steps.len());
        found.extend(complaints.into_iter().map(|complaint| format!("{point}: {complaint}")));
    }
    assert!(found.is_empty(), "{} complaints\n{}", found.len(), found.join("\n"));
}

/// Takes the database away.
fn clear(home: &Path) {
    for entry in fs::read_dir(home).expect("a home") {
        let path = entry.expect("an entry").path();
        if path.ends_with(LOCKS) {
            fs::remove_dir_all(path).expect("removed");
        } else if path.display().to_string().contains("candor.db") {
            fs::remove_file(path).expect("removed");
        }
    }
}
