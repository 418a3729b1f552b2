//! Commands that a check never runs, whatever the project calls them: what they change is not in the workspace.

/// Words that no build, test or lint needs.
const WORDS: &[&str] = &[
    "apt",
    "apt-get",
    "aws",
    "az",
    "brew",
    "curl",
    "deploy",
    "dnf",
    "doctl",
    "docker",
    "eval",
    "firebase",
    "flyctl",
    "gcloud",
    "gh",
    "git",
    "heroku",
    "helm",
    "kill",
    "killall",
    "kubectl",
    "netlify",
    "pacman",
    "pkill",
    "podman",
    "publish",
    "push",
    "reboot",
    "release",
    "rsync",
    "scp",
    "sftp",
    "ssh",
    "sudo",
    "systemctl",
    "terraform",
    "twine",
    "vercel",
    "wget",
    "wrangler",
    "yum",
];

/// Why a shell line must not be run by itself, if it must not.
pub(super) fn danger(line: &str) -> Option<String> {
    if line.contains("${{") || line.to_ascii_lowercase().contains("secret") {
        return Some("it uses values that only its own place has".to_owned());
    }
    let mut words = line.split(|letter: char| !(letter.is_alphanumeric() || "-_./".contains(letter)));
    let found = words.find(|word| {
        let base = word.rsplit('/').next().unwrap_or(word);
        // `--release` is a way to build, and `release:check` has its own word.
        !word.starts_with('-') && WORDS.contains(&base)
    })?;
    Some(format!("it says {found}"))
}

/// Whether a script or target is called after something that must not be run by itself.
pub(super) fn is_dangerous_name(name: &str) -> bool {
    const NAMES: &[&str] =
        &["clean", "deploy", "install", "publish", "push", "release", "uninstall", "upload"];
    name.split([':', '-', '_', '.', '/']).any(|part| NAMES.contains(&part))
}
