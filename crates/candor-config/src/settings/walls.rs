//! The walls around commands, and when a person is asked.

use std::path::PathBuf;

use crate::types::Whole;

word! {
    /// What commands and file tools may change, from least to most.
    pub enum SandboxPolicy {
        /// Nothing.
        ReadOnly = "read-only",
        /// The workspace and a temporary directory.
        Workspace = "workspace",
        /// Anything that the user may: there are no walls.
        Full = "full",
    }
}

word! {
    /// When a person is asked before a call.
    pub enum Approval {
        /// Before every write, every command and everything that is sent out.
        Always = "always",
        /// Never: what would be asked about is refused.
        Never = "never",
        /// Before what the command gate calls doubtful.
        Doubtful = "doubtful",
    }
}

word! {
    /// What commands can reach, from least to most.
    pub enum Network {
        /// Nothing.
        None = "none",
        /// The session's own loopback, and the ports of this machine that are listed.
        Loopback = "loopback",
        /// The same, and the hosts that are listed, through a proxy.
        List = "list",
        /// Everything.
        All = "all",
    }
}

word! {
    /// How strong the walls must be at least.
    pub enum SandboxLevel {
        /// They need not be there at all.
        None = "none",
        /// Landlock and seccomp.
        Landlock = "landlock",
        /// Bubblewrap and seccomp.
        Bubblewrap = "bubblewrap",
        /// Namespaces of our own, Landlock and seccomp.
        Namespaces = "namespaces",
    }
}

section! {
    /// The walls around commands.
    pub struct Sandbox {
        /// What may be changed, where that is not what `permission` says.
        policy: Option<SandboxPolicy> = None, [Owner];
        /// How strong the walls must be at least: below that, no command runs.
        minimum: SandboxLevel = SandboxLevel::Landlock, [Owner];
        /// What commands can reach. Each session has a loopback of its own.
        network: Network = Network::Loopback, [Earlier];
        /// Ports of this machine that commands may reach on the loopback: a database, a model server.
        ports: Vec<Whole<1, 65_535>> = Vec::new(), [Owner];
        /// Hosts that commands may reach when `network` is `list`: `"host:port"`, or `"*.host:port"` for all below it.
        hosts: Vec<String> = Vec::new(), [Owner];
        /// Where commands and file tools may write besides the workspace.
        writable: Vec<PathBuf> = Vec::new(), [Owner];
        /// Where commands may read, besides the workspace and the system's own directories. Empty: anywhere but in hidden paths.
        readable: Vec<PathBuf> = Vec::new(), [Narrower];
        /// What nobody may change inside the workspace, even if it is not there yet: what stands here is run or believed outside.
        protected: Vec<String> =
            [".git/hooks", ".git/config", ".git/modules", ".git/worktrees", ".candor"].map(String::from).to_vec(), [Longer];
        /// The most processes and threads of one command.
        max_processes: Whole<16, 4_000_000> = Whole(4096), [Lower];
        /// The most memory of each process of a command, in megabytes. Nothing: no limit.
        max_memory_mb: Option<Whole<16, 10_000_000>> = None, [Lower];
        /// The longest file that a command may write, in megabytes.
        max_file_mb: Whole<1, 1_000_000> = Whole(4096), [Lower];
    }
}
