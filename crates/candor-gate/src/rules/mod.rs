//! What is asked of every simple command. Each rule looks at one command and says what its effect would be.

mod cloud;
mod database;
mod delete;
mod disk;
mod git;
mod inline;
mod mode;
mod names;
mod publish;
mod shell;
mod system;
mod write;

use crate::call::{Call, Word};
use crate::verdict::Finding;
use crate::walk::State;

pub(crate) use inline::literals;
pub(crate) use shell::{arithmetic, bomb, downloaded, variable};
pub(crate) use write::{Way, redirect};

/// Everything that the rules find about one command.
pub(crate) fn judge(call: &Call<'_>, state: &State) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(names::judge(call, state));
    found.extend(by_program(call, state));
    found.extend(write::judge(call, state));
    found.extend(shell::judge(call, state));
    found.extend(inline::judge(call, state));
    found.extend(write::secrets(call, state));
    found
}

fn by_program(call: &Call<'_>, state: &State) -> Option<Finding> {
    match call.name {
        "rm" | "rmdir" | "unlink" | "shred" | "srm" | "wipe" | "rimraf" | "trash" | "del-cli" => {
            delete::rm(call, state)
        }
        "find" | "gfind" | "fd" => delete::find(call, state),
        "xargs" | "gxargs" | "parallel" => delete::xargs(call, state),
        "mv" => delete::mv(call, state),
        "rsync" => delete::rsync(call, state),
        "chmod" | "chown" | "chgrp" | "setfacl" => mode::judge(call, state),
        "dd" | "wipefs" | "blkdiscard" | "fdisk" | "sfdisk" | "cfdisk" | "gdisk" | "cgdisk" | "sgdisk"
        | "parted" | "cryptsetup" | "pvremove" | "vgremove" | "lvremove" | "zpool" | "zfs" | "mdadm"
        | "hdparm" | "nvme" | "badblocks" | "grub-install" | "efibootmgr" | "flashrom" | "mkswap"
        | "mke2fs" | "debugfs" => disk::judge(call),
        name if name == "mkfs" || name.starts_with("mkfs.") || name.starts_with("newfs") => {
            disk::format(call)
        }
        "git" | "hub" => git::judge(call, state),
        "npm" | "pnpm" | "yarn" | "bun" | "cargo" | "twine" | "poetry" | "uv" | "flit" | "hatch" | "pdm"
        | "gem" | "mvn" | "gradle" | "gradlew" | "dotnet" | "nuget" | "lerna" | "changeset" | "mix"
        | "dart" | "flutter" | "vsce" | "ovsx" | "jsr" | "deno" | "cabal" | "luarocks" | "pod"
        | "goreleaser" | "semantic-release" | "np" | "gh" | "python" | "python3" | "npx" | "rebar3"
        | "conan" | "opam" | "stack" => publish::judge(call),
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" => {
            cloud::containers(call, state)
        }
        "kubectl" | "oc" | "k" | "helm" | "terraform" | "tofu" | "terragrunt" | "pulumi" | "cdk" | "aws"
        | "gcloud" | "gsutil" | "az" | "doctl" | "fly" | "flyctl" | "heroku" | "vercel" | "netlify"
        | "eksctl" | "argocd" | "firebase" | "linode-cli" | "hcloud" | "s3cmd" | "rclone" | "vault"
        | "consul" | "nomad" => cloud::judge(call),
        "psql" | "mysql" | "mariadb" | "sqlite3" | "sqlite" | "duckdb" | "mongosh" | "mongo"
        | "redis-cli" | "clickhouse-client" | "sqlcmd" | "cqlsh" | "dropdb" | "mysqladmin" | "cockroach"
        | "usql" | "valkey-cli" | "dropuser" => database::judge(call),
        _ => system::judge(call),
    }
}

/// A value of a long loop, of which only the first were walked through.
pub(crate) fn loop_value(value: &Word, body: &str, state: &State) -> Option<Finding> {
    let is_precious = state.ground.is_precious(&value.text);
    let deletes =
        body.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "rm" | "shred" | "unlink"));
    (is_precious && deletes).then(|| Finding::deny("delete-root", format!("it deletes {}", value.text)))
}

/// The first argument that is no option.
fn subcommand<'a>(call: &Call<'a>) -> &'a str {
    call.operands().next().unwrap_or_default()
}

/// `name sub *`, what "always" means for a subcommand.
fn always(call: &Call<'_>, subcommand: &str) -> String {
    format!("{} {subcommand} *", call.name)
}
