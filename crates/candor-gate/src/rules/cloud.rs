//! Containers, clusters and other people's machines.

use super::{always, subcommand};
use crate::call::Call;
use crate::places::Place;
use crate::verdict::Finding;
use crate::walk::State;

/// `docker` and its like.
pub(super) fn containers(call: &Call<'_>, state: &State) -> Option<Finding> {
    let operands: Vec<&str> = call.operands().collect();
    let first = operands.first().copied().unwrap_or_default();
    let second = operands.get(1).copied().unwrap_or_default();
    let forced = call.has_short("f") || call.has_long("force");
    let is_group =
        matches!(first, "container" | "volume" | "image" | "network" | "system" | "builder" | "buildx");
    let verb = if is_group { second } else { first };
    let pattern = if is_group { format!("{} {first} {second} *", call.name) } else { always(call, first) };
    let ask = |what: &str| Some(Finding::ask("containers", format!("it {what}")).always(&pattern));
    match (first, verb) {
        (_, "prune") => ask("deletes everything of a kind that is not in use"),
        ("volume", "rm" | "remove") => ask("deletes volumes and what is in them"),
        ("rm", _) | ("container", "rm") if forced || call.has_short("v") => {
            ask("deletes containers that may be running")
        }
        ("rmi", _) | ("image", "rm") if forced => ask("deletes images that may be in use"),
        ("push", _) => Some(Finding::ask("publish", "it pushes an image to a registry").always(&pattern)),
        ("swarm" | "node" | "stack" | "secret", _) if matches!(second, "rm" | "leave" | "remove") => {
            ask("changes a cluster")
        }
        ("compose", _) if call.has_word(&["down"]) && (call.has_short("v") || call.has_long("volumes")) => {
            ask("deletes volumes and what is in them")
        }
        ("down", _)
            if call.name.ends_with("-compose") && (call.has_short("v") || call.has_long("volumes")) =>
        {
            ask("deletes volumes and what is in them")
        }
        ("run" | "create" | "exec", _) | ("container", "run") => reaches_out(call, state),
        _ => None,
    }
}

/// A container that gets the machine is no container.
fn reaches_out(call: &Call<'_>, state: &State) -> Option<Finding> {
    let is_privileged =
        call.has_long("privileged") || call.has_word(&["--pid=host", "--cap-add=ALL", "--cap-add=SYS_ADMIN"]);
    let mounts = call.values(Some('v'), Some("volume"));
    let sources = mounts
        .iter()
        .filter_map(|mount| mount.split(':').next())
        .filter(|source| source.starts_with(['/', '.']));
    let reaches = sources.into_iter().any(|source| {
        matches!(state.ground.place(source), Place::Root | Place::Top | Place::Home)
            || source.ends_with("docker.sock")
    });
    (is_privileged || reaches)
        .then(|| Finding::ask("container-escape", "it gives a container this whole machine"))
}

/// Words that take something away, in the language of the cloud tools.
const TAKING: &[&str] = &[
    "delete",
    "destroy",
    "remove",
    "purge",
    "terminate",
    "rb",
    "undelete",
    "drop",
    "erase",
    "revoke",
    "deregister",
    "disable",
    "detach",
    "reset",
];

pub(super) fn judge(call: &Call<'_>) -> Option<Finding> {
    if call.has_word(&["--help", "-h", "--version", "help", "--dry-run", "--dryrun"])
        || call.args().any(|arg| arg.starts_with("--dry-run=c") || arg.starts_with("--dry-run=s"))
    {
        return None;
    }
    let sub = subcommand_of(call);
    let changes = match call.name {
        "kubectl" | "oc" | "k" => {
            matches!(
                sub,
                "delete"
                    | "apply"
                    | "drain"
                    | "replace"
                    | "scale"
                    | "cordon"
                    | "taint"
                    | "patch"
                    | "edit"
                    | "create"
                    | "set"
                    | "annotate"
                    | "label"
                    | "autoscale"
                    | "expose"
                    | "rollout"
            ) && !(sub == "rollout" && call.has_word(&["status", "history"]))
        }
        "helm" => matches!(sub, "upgrade" | "uninstall" | "install" | "rollback" | "delete" | "push"),
        "terraform" | "tofu" | "terragrunt" => {
            matches!(sub, "apply" | "destroy" | "import" | "taint" | "run-all" | "force-unlock")
                || sub == "state" && call.has_word(&["rm", "mv", "push"])
        }
        "pulumi" | "cdk" => matches!(sub, "up" | "destroy" | "deploy" | "refresh" | "cancel" | "import"),
        "aws" | "gcloud" | "az" | "gsutil" | "doctl" | "eksctl" | "linode-cli" | "hcloud" | "s3cmd"
        | "rclone" | "firebase" => {
            call.operands().any(takes)
                || call.has_word(&["--delete"]) && call.has_word(&["sync"])
                || call.name == "gsutil" && call.has_word(&["rm", "rsync", "mv"])
                || matches!(call.name, "rclone" | "s3cmd") && call.has_word(&["sync", "purge", "del", "rb"])
                || call.name == "firebase" && sub == "deploy"
                || call.name == "aws" && call.has_word(&["s3"]) && call.has_word(&["rm", "rb", "mv"])
        }
        "heroku" => {
            sub.contains("destroy")
                || sub.contains("delete")
                || sub.contains("reset")
                || sub.contains("remove")
        }
        "fly" | "flyctl" => matches!(sub, "deploy" | "destroy" | "launch") || call.has_word(&["destroy"]),
        "vercel" | "netlify" => {
            call.has_long("prod") || matches!(sub, "rm" | "remove" | "deploy" | "sites:delete")
        }
        "argocd" | "vault" | "consul" | "nomad" => {
            call.operands().any(takes) || matches!(sub, "stop" | "write")
        }
        _ => false,
    };
    changes.then(|| {
        Finding::ask("cloud", "it changes machines or data that are not here").always(always(call, sub))
    })
}

fn takes(word: &str) -> bool {
    let verb = word.split(['-', ':']).next().unwrap_or_default();
    TAKING.contains(&verb)
}

/// The subcommand behind options like `-n namespace`.
fn subcommand_of<'a>(call: &Call<'a>) -> &'a str {
    let valued = [
        "-n",
        "--namespace",
        "--context",
        "--kubeconfig",
        "-chdir",
        "--kube-context",
        "-f",
        "--cluster",
        "-C",
    ];
    let mut args = call.args();
    while let Some(arg) = args.next() {
        if valued.contains(&arg) {
            args.next();
        } else if !arg.starts_with('-') {
            return arg;
        }
    }
    subcommand(call)
}
