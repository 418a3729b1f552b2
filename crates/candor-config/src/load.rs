//! From files, environment and flags to one checked value.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::decode::Decoder;
use crate::env::Env;
use crate::error::Error;
use crate::file::{self, ConfigFile};
use crate::home::Home;
use crate::merge::merge;
use crate::node::{Entry, Node, Table, Value};
use crate::place::{Origin, Place, Source};
use crate::problem::{Problem, Warning, WarningKind};
use crate::secret::{self, SecretSource};
use crate::setting::{Field, Kind, Setting};
use crate::settings::Config;
use crate::{check, expand, spellings, workspace};

/// What to load.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The environment.
    pub env: Env,
    /// The current directory.
    pub cwd: PathBuf,
    /// The folder worked in; the current one if it is not given.
    pub workspace: Option<PathBuf>,
    /// A config file instead of the home's.
    pub file: Option<PathBuf>,
    /// What the command line sets.
    pub flags: Vec<Flag>,
}

/// A setting given on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The flag, as people write it.
    pub name: &'static str,
    /// The dotted key it sets.
    pub key: &'static str,
    /// The value.
    pub value: String,
}

/// A configuration and how it came about.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// What should be known but does not stop anything.
    pub warnings: Vec<Warning>,
    /// The home.
    pub home: Home,
    /// The folder worked in.
    pub workspace: PathBuf,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    pub(crate) tree: Table,
}

/// Variables that start like settings and are none.
const NOT_SETTINGS: [&str; 3] = ["HOME", "DATABASE_URL", "CALL"];

/// Loads everything. A missing file means defaults.
pub fn load(request: &Request) -> Result<Loaded, Error> {
    let (loaded, mut problems) = read_layers(request, Layers::All)?;
    if problems.is_empty() {
        return Ok(loaded);
    }
    // In the order a reader of the file meets them; a list that unfolds from one alias is reported once.
    problems.sort_by_key(|problem| {
        (problem.place.source.origin.to_string(), problem.place.line, problem.place.column)
    });
    problems.dedup();
    Err(Error::Invalid { problems, warnings: loaded.warnings })
}

/// The secrets that the owner's own layers name, for masking when [`load()`] fails: neither a mistake elsewhere in the
/// file nor anything in a workspace may keep a secret from being known.
pub fn owner_secrets(request: &Request) -> Vec<(String, SecretSource)> {
    let Ok((loaded, _)) = read_layers(request, Layers::Owner) else { return Vec::new() };
    loaded.secrets().into_iter().map(|(key, source)| (key, source.clone())).collect()
}

/// Which layers are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layers {
    All,
    /// All but the workspace's.
    Owner,
}

/// Lays the layers over each other and reads the whole, with every problem that is met.
fn read_layers(request: &Request, layers: Layers) -> Result<(Loaded, Vec<Problem>), Error> {
    let home = Home::find(&request.env, &request.cwd)?;
    let workspace =
        request.workspace.as_ref().map_or_else(|| request.cwd.clone(), |dir| request.cwd.join(dir));
    let mut decoder = Decoder::new(&request.env, &request.cwd, &workspace);
    let mut tree = Table::default();
    let mut files = Vec::new();

    if let Some(file) = home_file(request, &home)? {
        let mut table = file.table;
        expand::expand(&mut table, &mut decoder);
        spellings::normalise(&mut table, &mut decoder);
        warn_exposed(&table, Config::FIELDS, file.mode, &mut decoder);
        lay(&mut tree, table);
        files.push(file.path);
    }
    if layers == Layers::All
        && let Some(file) = workspace_file(&workspace, &home, files.first())?
    {
        let mut table = file.table;
        spellings::normalise(&mut table, &mut decoder);
        workspace::restrict(&mut table, &tree, Config::FIELDS, &mut decoder);
        lay(&mut tree, table);
        files.push(file.path);
    }
    for mut layer in [environment(&request.env), flags(&request.flags)] {
        spellings::normalise(&mut layer, &mut decoder);
        lay(&mut tree, layer);
    }

    let root = Node { value: Value::Table(tree.clone()), place: Place::start(&source(Origin::Default, "")) };
    let config = Config::decode(&root, &mut decoder).unwrap_or_default();
    check::check(&config, &tree, &mut decoder);
    let Decoder { problems, warnings, .. } = decoder;
    Ok((Loaded { config, warnings, home, workspace, files, tree }, problems))
}

/// Lays a layer over those below it.
fn lay(tree: &mut Table, mut layer: Table) {
    spellings::prompt_file_wins(&mut layer);
    merge(tree, layer, Config::FIELDS);
}

fn home_file(request: &Request, home: &Home) -> Result<Option<ConfigFile>, Error> {
    let path = match &request.file {
        Some(path) => Some(request.cwd.join(path)),
        None => file::find(home.path())?,
    };
    path.map(|path| file::read(&path, Origin::Home(path.clone()))).transpose()
}

fn workspace_file(
    workspace: &Path,
    home: &Home,
    loaded: Option<&PathBuf>,
) -> Result<Option<ConfigFile>, Error> {
    let directory = workspace.join(".candor");
    // Working in the home directory itself: its `.candor` is the home, and was read already.
    let same = |a: &Path, b: &Path| {
        a == b || a.canonicalize().ok().is_some_and(|a| b.canonicalize().ok() == Some(a))
    };
    if same(&directory, home.path()) {
        return Ok(None);
    }
    let path = file::find(&directory)?.filter(|path| !loaded.is_some_and(|loaded| same(path, loaded)));
    let Some(path) = path else { return Ok(None) };
    file::refuse_leading_out(&path, workspace)?;
    file::read(&path, Origin::Workspace(path.clone())).map(Some)
}

fn source(origin: Origin, text: &str) -> Arc<Source> {
    Arc::new(Source { origin, text: text.to_owned() })
}

fn environment(env: &Env) -> Table {
    let mut layer = Table::default();
    if let Some(url) = env.get("CANDOR_DATABASE_URL") {
        set(&mut layer, "session.database_url", url, Origin::Environment("CANDOR_DATABASE_URL".to_owned()));
    }
    for (name, value) in env.with_prefix("CANDOR_").filter(|(name, _)| !NOT_SETTINGS.contains(name)) {
        let key = name.to_ascii_lowercase().replace("__", ".");
        set(&mut layer, &key, value, Origin::Environment(format!("CANDOR_{name}")));
    }
    layer
}

fn flags(flags: &[Flag]) -> Table {
    let mut layer = Table::default();
    for flag in flags {
        set(&mut layer, flag.key, &flag.value, Origin::Flag(flag.name.to_owned()));
    }
    layer
}

/// Sets a dotted key in a layer made of single values.
fn set(layer: &mut Table, key: &str, value: &str, origin: Origin) {
    let place = Place::start(&source(origin, value));
    let mut segments: Vec<&str> = key.split('.').collect();
    let Some(last) = segments.pop() else { return };
    let mut table = layer;
    for segment in segments {
        let Some(inner) = table.table_mut(segment, &place) else { return };
        table = inner;
    }
    let node = Node { value: Value::Raw(value.to_owned()), place: place.clone() };
    table.set(Entry { key: last.to_owned(), key_place: place, node });
}

/// Warns once for a file that others can read and that holds a secret in the open.
fn warn_exposed(table: &Table, fields: &'static [Field], mode: u32, decoder: &mut Decoder<'_>) {
    const READABLE_BY_OTHERS: u32 = 0o044;
    if mode & READABLE_BY_OTHERS == 0 {
        return;
    }
    if let Some((key, node)) = first_secret(table, fields) {
        let message =
            format!("this file holds a secret and others can read it (mode {mode:03o}); chmod 600 it");
        let place = node.place.clone();
        decoder.inside(&key, |decoder| decoder.warn(&place, WarningKind::ExposedSecret { mode }, message));
    }
}

fn first_secret<'a>(table: &'a Table, fields: &'static [Field]) -> Option<(String, &'a Node)> {
    fields.iter().find_map(|field| {
        let inner = |table: &'a Table, kind: Kind, path: &str| match kind {
            Kind::Table(fields) => {
                first_secret(table, fields).map(|(key, node)| (format!("{path}.{key}"), node))
            }
            _ => None,
        };
        match ((field.kind)(), table.get(field.name).map(|node| &node.value)) {
            (Kind::Secret, _) => secret::inline(table, field.name).map(|node| (field.name.to_owned(), node)),
            (kind @ Kind::Table(_), Some(Value::Table(table))) => inner(table, kind, field.name),
            (Kind::Map(item), Some(Value::Table(names))) => {
                names.iter().find_map(|entry| match &entry.node.value {
                    Value::Table(table) => inner(table, item(), &format!("{}.{}", field.name, entry.key)),
                    _ => None,
                })
            }
            _ => None,
        }
    })
}

impl Loaded {
    /// Whether a setting that belongs to a provider (its model, its key) was meant for the provider in force: `-p` or a
    /// variable that names another provider leaves behind what a file says about the first one.
    pub fn is_for_provider(&self, key: &str) -> bool {
        let strength = |key: &str| {
            let spellings =
                [key.to_owned(), format!("{key}_env"), format!("{key}_file"), format!("{key}_command")];
            let node = spellings.iter().find_map(|key| self.tree.get(key));
            node.map_or(0, |node| node.place.source.origin.strength())
        };
        strength(key) >= strength("provider")
    }

    /// Every secret that the configuration names, with the key that names it.
    pub fn secrets(&self) -> Vec<(String, &SecretSource)> {
        let config = &self.config;
        let mut secrets: Vec<(String, &SecretSource)> = Vec::new();
        let named = [
            ("api_key", &config.api_key),
            ("web.search.api_key", &config.web.search.api_key),
            ("telegram.bot_token", &config.telegram.bot_token),
            ("telegram.webhook_secret", &config.telegram.webhook_secret),
        ];
        for (key, secret) in named {
            secrets.extend(secret.as_ref().map(|secret| (key.to_owned(), secret)));
        }
        for (name, provider) in &config.providers {
            secrets.extend(
                provider.api_key.as_ref().map(|secret| (format!("providers.{name}.api_key"), secret)),
            );
        }
        secrets
    }
}
