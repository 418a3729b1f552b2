//! What git would lose or send.

use crate::call::{Call, UNKNOWN, is_long, short_group};
use crate::verdict::Finding;
use crate::walk::State;
use crate::wrappers::is_program_key;

/// Options before the subcommand that take the next word.
const GLOBAL_VALUED: &[&str] =
    &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"];

/// The branches that are everybody's.
const SHARED_BRANCHES: &[&str] = &["main", "master", "trunk"];

/// A git command without what stands before its subcommand.
struct Git<'a> {
    sub: &'a str,
    args: Vec<&'a str>,
}

impl<'a> Git<'a> {
    fn new(call: &Call<'a>) -> Option<Self> {
        let mut args = call.args();
        loop {
            let arg = args.next()?;
            if GLOBAL_VALUED.contains(&arg) {
                args.next();
            } else if !arg.starts_with('-') {
                return Some(Self { sub: arg, args: args.collect() });
            }
        }
    }

    fn has(&self, short: &str, long: &str) -> bool {
        self.args.iter().take_while(|arg| **arg != "--").any(|arg| {
            short_group(arg).is_some_and(|group| group.contains(|c| short.contains(c)))
                || (!long.is_empty() && is_long(arg, long))
        })
    }

    fn operands(&self) -> impl Iterator<Item = &'a str> {
        self.args.iter().copied().filter(|arg| !arg.starts_with('-'))
    }
}

pub(super) fn judge(call: &Call<'_>, state: &State) -> Option<Finding> {
    let git = Git::new(call)?;
    let lost = |what: &str| {
        Some(Finding::ask("git-lose", format!("it {what}")).always(format!("git {} *", git.sub)))
    };
    let first = git.operands().next().unwrap_or_default();
    match git.sub {
        sub if sub.contains(UNKNOWN) => {
            Some(Finding::ask("name-not-literal", "which git command it runs is only known when it runs"))
        }
        "push" => Some(push(&git)),
        "reset" if git.has("", "hard") => lost("throws away changes that are not committed"),
        "clean" if git.has("f", "force") && !git.has("n", "dry-run") => {
            lost("deletes files that git does not know")
        }
        "checkout" | "restore" if discards(&git) => lost("throws away changes that are not committed"),
        "switch" if git.has("f", "force") || git.has("", "discard-changes") => {
            lost("throws away changes that are not committed")
        }
        "branch" if git.has("D", "") || (git.has("d", "delete") && git.has("f", "force")) => {
            lost("deletes a branch that may not be merged")
        }
        "stash" if matches!(first, "drop" | "clear") => lost("throws away stashed changes"),
        "filter-branch" | "filter-repo" => lost("rewrites the history"),
        "reflog" if matches!(first, "expire" | "delete") => lost("throws away what would bring commits back"),
        "gc" if git
            .args
            .iter()
            .any(|arg| arg.starts_with("--prune=now") || arg.starts_with("--prune=all")) =>
        {
            lost("throws away what would bring commits back")
        }
        "update-ref" if git.has("d", "") => lost("deletes a reference"),
        "tag" if git.has("f", "force") && git.has("d", "delete") => lost("deletes a tag"),
        "worktree" if first == "remove" && git.has("f", "force") => lost("deletes a work tree with changes"),
        "rm" if git.has("r", "") => {
            let is_all = |word: &str| state.ground.place(word) == crate::places::Place::Workspace;
            let all = git.operands().any(|word| is_all(word) || state.ground.is_precious(word));
            if all && !git.has("", "cached") { lost("deletes every file of the repository") } else { None }
        }
        "config" => config(&git),
        "send-email" => Some(Finding::ask("send", "it sends mail")),
        _ => None,
    }
}

/// `git checkout -- .`, `git checkout .`, `git checkout -f`, `git restore .`
fn discards(git: &Git<'_>) -> bool {
    if git.sub == "restore" {
        let only_index = git.has("S", "staged") && !git.has("W", "worktree");
        return !only_index && git.operands().any(is_everything);
    }
    git.has("f", "force") && !git.has("b", "") || git.operands().any(is_everything)
}

fn is_everything(word: &str) -> bool {
    matches!(word.trim_end_matches('/'), "." | "*" | ":" | "./*") || word.starts_with(":/")
}

fn push(git: &Git<'_>) -> Finding {
    let is_forced = git.has("f", "force") || git.args.iter().any(|arg| is_long(arg, "force-with-lease"));
    let deletes = git.has("d", "delete");
    let refs = git.operands().skip(1);
    for reference in refs {
        let (plus, reference) = (reference.starts_with('+'), reference.trim_start_matches('+'));
        let target = reference.rsplit_once(':').map_or(reference, |(_, target)| target);
        let is_removed = deletes || reference.starts_with(':');
        if (is_forced || plus || is_removed) && is_shared(target) {
            let what = if is_removed { "deletes" } else { "overwrites" };
            return Finding::deny("git-force-main", format!("it {what} the branch {target} for everybody"));
        }
    }
    if git.args.iter().any(|arg| {
        arg.strip_prefix("--force-with-lease=")
            .is_some_and(|branch| is_shared(branch.split(':').next().unwrap_or_default()))
    }) {
        return Finding::deny("git-force-main", "it overwrites the main branch for everybody");
    }
    if is_forced
        || deletes
        || git.has("", "mirror")
        || git.has("", "prune")
        || git.operands().any(|word| word.starts_with(['+', ':']))
    {
        return Finding::ask("git-push", "it overwrites or deletes what others may have fetched");
    }
    if git.has("n", "dry-run") {
        return Finding::ask("git-push", "it asks a remote what a push would do").always("git push *");
    }
    Finding::ask("git-push", "it pushes to a remote").always("git push *")
}

fn is_shared(branch: &str) -> bool {
    let branch = branch.trim_start_matches("refs/").trim_start_matches("heads/");
    SHARED_BRANCHES.contains(&branch)
}

/// Settings that decide what runs later.
fn config(git: &Git<'_>) -> Option<Finding> {
    if git
        .args
        .iter()
        .any(|arg| arg.starts_with("--get") || arg.starts_with("--unset") || matches!(*arg, "-l" | "--list"))
    {
        return None;
    }
    let operands: Vec<&str> = git.operands().skip_while(|word| matches!(*word, "set")).collect();
    let key = operands.iter().find(|word| word.contains('.'))?;
    let value = operands.last().filter(|value| *value != key);
    if !is_program_key(key) {
        return None;
    }
    let is_wide = git.has("", "global") || git.has("", "system");
    let is_tame = value.is_none_or(|value| crate::wrappers::tame_program(value));
    let is_plain_alias =
        key.to_lowercase().starts_with("alias.") && value.is_some_and(|value| !value.starts_with('!'));
    let is_quiet = value.is_none() || (!is_wide && (is_tame || is_plain_alias));
    (!is_quiet).then(|| Finding::ask("git-config", format!("it sets {key}, which decides what git runs")))
}
