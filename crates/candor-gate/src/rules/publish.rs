//! Making something public that cannot be taken back.

use super::always;
use crate::call::Call;
use crate::verdict::Finding;

pub(super) fn judge(call: &Call<'_>) -> Option<Finding> {
    if call.has_long("dry-run") || call.has_word(&["--help", "-h", "--version"]) {
        return None;
    }
    let mut operands: Vec<&str> = call.operands().collect();
    if call.name == "yarn" && operands.first() == Some(&"workspace") {
        operands.drain(..operands.len().min(2));
    }
    let first = operands.first().copied().unwrap_or_default();
    let second = operands.get(1).copied().unwrap_or_default();
    let is_public = match call.name {
        "npm" | "pnpm" | "yarn" | "bun" | "lerna" | "vsce" | "ovsx" | "jsr" | "deno" | "uv" | "poetry"
        | "flit" | "hatch" | "pdm" | "changeset" | "dart" | "flutter" => {
            matches!(first, "publish" | "unpublish" | "deprecate")
                || matches!(
                    (first, second),
                    ("npm" | "pub" | "lerna", "publish")
                        | ("dist-tag" | "owner" | "access", "add" | "rm" | "grant" | "revoke")
                )
                || (call.name == "yarn" && matches!((first, second), ("npm", "publish")))
        }
        "cargo" => matches!(first, "publish" | "yank" | "owner" | "release"),
        "twine" | "luarocks" | "cabal" | "conan" | "stack" => first == "upload",
        "gem" => matches!(first, "push" | "yank"),
        "mvn" => operands
            .iter()
            .any(|goal| matches!(*goal, "deploy" | "release:perform") || goal.ends_with(":deploy")),
        "gradle" | "gradlew" => operands.iter().any(|task| {
            task.rsplit(':').next().is_some_and(|task| task.starts_with("publish") && !task.contains("Local"))
        }),
        "dotnet" | "nuget" => first == "push" || (first == "nuget" && matches!(second, "push" | "delete")),
        "mix" | "rebar3" => matches!(first, "hex.publish" | "hex"),
        "pod" => (first, second) == ("trunk", "push"),
        "goreleaser" => first == "release" && !call.has_word(&["--snapshot", "--skip-publish"]),
        "semantic-release" | "np" => true,
        "opam" => first == "publish",
        "python" | "python3" => call.args().collect::<Vec<_>>().starts_with(&["-m", "twine", "upload"]),
        "gh" => return github(call, first, second),
        _ => false,
    };
    let pattern = if call.name.starts_with("python") {
        format!("{} -m twine upload *", call.name)
    } else {
        always(call, first)
    };
    is_public.then(|| Finding::ask("publish", "it publishes a package, or takes one back").always(pattern))
}

fn github(call: &Call<'_>, first: &str, second: &str) -> Option<Finding> {
    let is_public = match first {
        "repo" => matches!(second, "delete" | "create" | "archive" | "rename" | "edit"),
        "release" => matches!(second, "create" | "delete" | "upload" | "edit" | "delete-asset"),
        "pr" => matches!(second, "merge" | "close"),
        "secret" | "variable" | "ssh-key" | "gpg-key" => !matches!(second, "list" | "get"),
        "gist" => matches!(second, "create" | "delete" | "edit"),
        "issue" | "run" | "workflow" | "cache" | "label" => {
            matches!(second, "delete" | "disable" | "transfer")
        }
        "api" => {
            let methods = call.values(Some('X'), Some("method"));
            methods
                .iter()
                .any(|method| matches!(method.to_uppercase().as_str(), "DELETE" | "PUT" | "PATCH" | "POST"))
        }
        _ => false,
    };
    is_public.then(|| {
        Finding::ask("github", "it changes what others see on GitHub")
            .always(format!("gh {first} {second} *"))
    })
}
