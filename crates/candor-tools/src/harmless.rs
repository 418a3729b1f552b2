//! Whether a configuration of git names nothing that git would run.
//!
//! It is a list of what is known to be harmless, not of what is known to harm, and whatever is not read without any doubt is
//! no configuration that git wrote for somebody who cloned or made a repository.

/// Keys that git writes into every repository, or that say who somebody is; below a section alone.
const KEYS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
        ],
    ),
    ("user", &["name", "email"]),
    ("extensions", &["objectformat", "refstorage"]),
];

/// Those that are about something with a name.
const NAMED_KEYS: &[(&str, &[&str])] = &[
    ("remote", &["url", "fetch", "pushurl"]),
    ("branch", &["remote", "merge", "rebase"]),
    ("submodule", &["url", "active"]),
];

/// Git knows no other white space within a line.
const SPACE: [char; 2] = [' ', '\t'];

/// Whether it is.
pub(crate) fn is_harmless(config: &str) -> bool {
    let mut allowed: Option<&[&str]> = None;
    config.split('\n').all(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line).trim_matches(SPACE);
        if line.chars().any(|c| c.is_control() && c != '\t') {
            return false;
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        if line.starts_with('[') {
            allowed = section(line);
            return allowed.is_some();
        }
        allowed.is_some_and(|keys| is_allowed(line, keys))
    })
}

/// The keys of a section that are harmless.
fn section(line: &str) -> Option<&'static [&'static str]> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let (name, table) = match inner.split_once('"') {
        None => (inner, KEYS),
        Some((name, quoted)) => {
            let quoted = quoted.strip_suffix('"')?;
            let is_plain = !quoted.contains(['"', '\\']) && name.ends_with(SPACE);
            (is_plain.then_some(name)?.trim_end_matches(SPACE), NAMED_KEYS)
        }
    };
    let known = table.iter().find(|(known, _)| name.eq_ignore_ascii_case(known))?;
    Some(known.1)
}

fn is_allowed(line: &str, keys: &[&str]) -> bool {
    let (key, value) = line.split_once('=').unwrap_or((line, ""));
    let (key, value) = (key.trim_end_matches(SPACE), value.trim_start_matches(SPACE));
    // A value that goes on in the next line would hide that line from us, and so would a quote that is still open.
    let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    keys.iter().any(|known| key.eq_ignore_ascii_case(known)) && !inner.contains(['"', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_writes_for_new_repositories_and_clones_is_harmless() {
        for config in [
            "",
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
            "[Core]\r\n\tBare=false\r\n# a note \\\n; \"another\n[remote \"origin\"]\n\turl = https://a.example/b?c=d\n\
             \tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"a b\"]\n\tremote = origin\n\tmerge = \"refs/heads/a b\"\n",
            "[extensions]\n\tobjectformat = sha256\n\trefstorage = reftable\n[user]\n\tname = A B\n\temail\n",
            "[submodule \"x/y\"]\n\tactive = true\n\turl = ../x\n",
        ] {
            assert!(is_harmless(config), "{config}");
        }
    }

    #[test]
    fn what_names_a_program_or_is_not_understood_is_not() {
        for config in [
            "[core]\n\tfsmonitor = x\n",
            "[core]\n\tsshCommand = x\n",
            "[core]\n\tworktree = ..\n",
            "[core]\n\thooksPath = x\n",
            "[core] fsmonitor = x\n",
            "[core]fsmonitor=x\n[core]\n",
            "[core]\n\tbare = false\\\n\tfsmonitor = x\n",
            "[user]\n\tname = \"a\n\temail = b\"\n",
            "[user]\n\tname = \"a\" \"\n",
            "[user]\n\tname = \"a\\\"\n",
            "[include]\n\tpath = x\n",
            "[includeIf \"gitdir:/\"]\n\tpath = x\n",
            "[extensions]\n\tworktreeConfig = true\n",
            "[filter \"x\"]\n\tclean = x\n",
            "[remote \"x\"]\n\tuploadpack = x\n",
            "[remote \"x\\\"]\n\turl = x\n",
            "[remote.x]\n\turl = x\n",
            "[remote\"x\"]\n\turl = x\n",
            "[remote]\n\turl = x\n",
            "[core \"x\"]\n\tbare = x\n",
            "[submodule \"x\"]\n\tupdate = !x\n",
            "[alias]\n\tstatus = !x\n",
            "\u{feff}[core]\n\tbare = false\n",
            "[core]\n\tbare = false\r\tfsmonitor = x\n",
            "[core]\n\tbare = false\0\n",
            "[core]\n\tbare\u{a0}= false\n",
            "bare = false\n",
        ] {
            assert!(!is_harmless(config), "{config:?}");
        }
    }
}
