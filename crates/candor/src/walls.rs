//! From the configuration to the walls around commands.

use std::path::{Path, PathBuf};

use candor_config::settings::{self, Config};
use candor_sandbox::{Level, Limits, Network, Policy};
use candor_tools::{Linked, Permission, Plan};

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
            memory_bytes: sandbox.max_memory_mb.map(|limit| limit.get().saturating_mul(1_000_000)),
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

/// What stays as it is inside the workspace. Where `.git` is a file, the folder that it names holds what git runs. The repositories
/// below the workspace are looked for when the walls go up, and file tools write nothing that git believes in any of them.
pub(crate) fn protected(names: &[String], workspace: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = names.iter().map(|name| workspace.join(name)).collect();
    let git = workspace.join(".git");
    if let Some(Linked { folder, common }) = Linked::of(workspace) {
        // Nothing can be below a file.
        paths.retain(|path| !path.starts_with(&git));
        paths.push(git);
        for folder in [Some(folder), common].into_iter().flatten() {
            paths.extend(["hooks", "config"].map(|name| folder.join(name)));
        }
    }
    paths
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
