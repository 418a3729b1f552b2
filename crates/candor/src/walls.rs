//! From the configuration to the walls around commands.

use std::fs;
use std::path::{Path, PathBuf};

use candor_config::settings::{self, Config};
use candor_sandbox::{Level, Limits, Network, Policy};
use candor_tools::{Permission, Plan};

/// What stands in front of the folder's name in a `.git` that is a file.
const GITDIR: &str = "gitdir:";

/// What commands may touch, and how strong the walls must be.
pub(crate) fn plan(config: &Config, permission: Permission, workspace: &Path, hidden: &[PathBuf]) -> Plan {
    let sandbox = &config.sandbox;
    let writable = match permission {
        Permission::Full => return Plan { policy: None, minimum: Level::None },
        Permission::ReadOnly => Vec::new(),
        Permission::Workspace => {
            std::iter::once(workspace.to_owned()).chain(writable(&sandbox.writable)).collect()
        }
    };
    let policy = Policy {
        writable,
        readable: (!sandbox.readable.is_empty())
            .then(|| sandbox.readable.iter().cloned().chain([workspace.to_owned()]).collect()),
        shown: vec![workspace.to_owned()],
        hidden: hidden.to_vec(),
        protected: protected(&sandbox.protected, workspace),
        network: network(sandbox),
        limits: Limits {
            processes: Some(sandbox.max_processes.get()),
            file_bytes: Some(sandbox.max_file_mb.get().saturating_mul(1_000_000)),
            ..Limits::default()
        },
        temp: None,
    };
    Plan { policy: Some(policy), minimum: minimum(sandbox.minimum) }
}

/// Where may be written besides the workspace; what is not there is left out.
pub(crate) fn writable(paths: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    paths.iter().filter_map(|path| path.canonicalize().ok())
}

/// What stays as it is inside the workspace. Where `.git` is a file, the folder that it names holds what git runs.
pub(crate) fn protected(names: &[String], workspace: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = names.iter().map(|name| workspace.join(name)).collect();
    let git = workspace.join(".git");
    if let Some(folder) = git_folder(&git) {
        // Nothing can be below a file.
        paths.retain(|path| !path.starts_with(&git));
        paths.push(git);
        let common = fs::read_to_string(folder.join("commondir")).ok();
        let common = common.map(|text| folder.join(text.trim()));
        for folder in [Some(folder), common].into_iter().flatten() {
            paths.extend(["hooks", "config"].map(|name| folder.join(name)));
        }
    }
    paths
}

fn git_folder(git: &Path) -> Option<PathBuf> {
    if !git.is_file() {
        return None;
    }
    let text = fs::read_to_string(git).ok()?;
    let folder = text.lines().find_map(|line| line.strip_prefix(GITDIR))?.trim();
    Some(git.parent()?.join(folder))
}

fn network(sandbox: &settings::Sandbox) -> Network {
    let forward = || sandbox.ports.iter().filter_map(|port| u16::try_from(port.get()).ok()).collect();
    match sandbox.network {
        settings::Network::None => Network::None,
        settings::Network::Loopback => Network::Loopback { forward: forward() },
        settings::Network::List => Network::List(sandbox.hosts.clone()),
        settings::Network::All => Network::All,
    }
}

fn minimum(level: settings::SandboxLevel) -> Level {
    match level {
        settings::SandboxLevel::None => Level::None,
        settings::SandboxLevel::Landlock => Level::Landlock,
        settings::SandboxLevel::Bubblewrap => Level::Bubblewrap,
        settings::SandboxLevel::Namespaces => Level::Namespaces,
    }
}
