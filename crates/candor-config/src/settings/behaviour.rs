//! How the agent behaves, and what it may do.

use std::path::PathBuf;

use crate::types::{Bytes, Millis, Seconds, UserPath, Whole};

word! {
    /// How strictly work is checked.
    pub enum Profile {
        /// Everything that can be checked.
        Strict = "strict",
        /// Syntax, build or types, tests, and services.
        Fast = "fast",
        /// Services, or the quickest check.
        Smoke = "smoke",
        /// Services or tests, with installing allowed.
        Yolo = "yolo",
    }
}

word! {
    /// What the agent may do without asking, from least to most.
    pub enum Permission {
        /// Nothing is written.
        ReadOnly = "read-only",
        /// Every write and command is asked for.
        Ask = "ask",
        /// The workspace is written; doubtful commands are asked for.
        Workspace = "workspace",
        /// No sandbox; doubtful commands are asked for.
        Full = "full",
    }
}

word! {
    /// Who carries out the safe steps of an error card, from least to most.
    pub enum Recovery {
        /// Whoever was told the card.
        Off = "off",
        /// The runtime, before the model is asked.
        Auto = "auto",
    }
}

section! {
    /// What happens when the provider fails for a moment.
    pub struct Retry {
        /// How often a failed request is tried again.
        max_retries: Whole<0, 100> = Whole(3), [Lower];
        /// The first wait; each further one is twice as long.
        base_delay_ms: Millis<100> = Millis(std::time::Duration::from_secs(1));
        /// The longest wait.
        max_delay_ms: Millis<1000> = Millis(std::time::Duration::from_secs(30));
        /// The HTTP statuses that are worth another try.
        retryable_statuses: Vec<Whole<400, 599>> = [429, 500, 502, 503, 529].map(Whole).to_vec();
    }
}

section! {
    /// The limits of tools.
    pub struct Tools {
        /// The most bytes of a tool's output that the model gets.
        output_limit: Bytes<1024> = Bytes(200_000), [Lower];
        /// How long a tool may run. A bare number counts seconds.
        timeout: Seconds<5> = Seconds(std::time::Duration::from_mins(2)), [Lower];
        /// The most turns in one run.
        max_iterations: Whole<1, 10_000> = Whole(50), [Lower];
    }
}

/// Where people keep keys, tokens and passwords, and what is as good as one of these.
const SECRET_PLACES: &[&str] = &[
    // Our own home, whichever one is used now.
    ".candor",
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".config/op",
    ".config/glab-cli",
    ".config/doctl",
    ".config/hcloud",
    ".config/rclone",
    ".config/git/credentials",
    ".config/containers/auth.json",
    ".oci",
    ".fly",
    ".boto",
    ".s3cfg",
    ".databrickscfg",
    ".kube",
    ".docker/config.json",
    ".netrc",
    ".git-credentials",
    ".pypirc",
    ".npmrc",
    ".m2/settings-security.xml",
    ".cache/huggingface/token",
    ".pgpass",
    ".my.cnf",
    ".cargo/credentials.toml",
    ".cargo/credentials",
    ".gem/credentials",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
    ".config/sops",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".bitcoin",
    ".electrum",
    ".ethereum",
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    // What other agents sign in with.
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".local/share/opencode/auth.json",
    ".config/github-copilot",
    // Where services are spoken to that start programs with more rights than ours. Those that are in /run are hidden with it.
    ".docker/desktop",
    ".docker/run",
    ".colima",
    ".lima",
    ".orbstack",
    ".rd",
    // The same on macOS.
    "Library/Keychains",
    "Library/Cookies",
    "Library/Safari",
    "Library/Application Support/Firefox",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Chromium",
];

/// The same for the whole machine.
const SYSTEM_PLACES: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/var/lib/incus",
    "/var/lib/lxd",
    "/var/snap/lxd/common/lxd",
];

section! {
    /// The walls around tools.
    pub struct Security {
        /// Where file tools may read and write. Empty: anywhere but in hidden paths.
        allowed_paths: Vec<PathBuf> = Vec::new(), [Narrower];
        /// Where no tool may read or write, whatever else is allowed.
        denied_paths: Vec<UserPath> =
            SECRET_PLACES
                .iter()
                .map(|place| UserPath::InHome(place))
                .chain(SYSTEM_PLACES.iter().map(|place| UserPath::At(place.into())))
                .collect(),
            [Longer];
        /// The variables that commands inherit: what every program needs, and where toolchains are.
        allowed_env: Vec<String> = [
            "PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "SHELL", "TMPDIR", "TZ", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME",
            "GOPATH", "GOROOT", "NVM_DIR", "PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "DOTNET_ROOT",
        ]
        .map(String::from)
        .to_vec(),
            [Narrower];
        /// Regular expressions of commands that are refused, besides the built-in ones.
        blocked_commands: Vec<String> = Vec::new(), [Longer];
        /// Commands that are refused, besides the built-in ones: `"git push *"`, or `"/regular expression/"`.
        deny_commands: Vec<String> = Vec::new(), [Longer];
        /// Commands that a person is asked about, besides the built-in ones: `"git rebase *"`, or `"/regular expression/"`.
        ask_commands: Vec<String> = Vec::new(), [Longer];
        /// Commands that nobody is asked about although they are doubtful. What is refused stays refused.
        allow_commands: Vec<String> = Vec::new(), [Owner];
        /// The users that may reach the server through an identity-giving proxy. Empty: everyone with the token.
        allowed_users: Vec<String> = Vec::new(), [Owner];
    }
}

section! {
    /// How conversations that grow long are shortened.
    pub struct Compaction {
        /// Whether a conversation that fills the model's window is summarised.
        enabled: bool = true;
        /// How many tokens of the window are kept free for the answer.
        reserve_tokens: Whole<1024, 10_000_000> = Whole(16_384);
        /// How many of the newest tokens stay as they are.
        keep_recent_tokens: Whole<1024, 10_000_000> = Whole(20_000);
    }
}

section! {
    /// Children: sessions that the agent starts to work for it.
    pub struct Delegate {
        /// Whether the agent has `delegate`.
        enabled: bool = true, [Owner];
        /// How many sessions may stand one below the other: 1 means that children have none of their own.
        max_depth: Whole<0, 8> = Whole(2), [Lower];
        /// How many children one run may start, those of its children among them.
        max_children: Whole<0, 1000> = Whole(8), [Lower];
        /// How many of them may be at work at a time.
        max_running: Whole<1, 64> = Whole(4), [Lower];
        /// Models that children may ask besides those of the run: `"MODEL"` of the same provider, or `"PROVIDER/MODEL"`.
        models: Vec<String> = Vec::new(), [Owner];
    }
}
