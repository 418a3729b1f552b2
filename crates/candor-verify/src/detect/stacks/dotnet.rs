//! .NET: solutions and projects of C#, F# and Visual Basic.

use std::path::{Path, PathBuf};

use crate::detect::draft::{Draft, check, from, line_of, service, vars, words};
use crate::detect::probes;
use crate::detect::project::{self, Project, inside};
use crate::detect::tree::{ending, is_aside_folder, name, stem};
use crate::plan::{Check, CheckKind, Service};

fn env() -> Vec<(String, String)> {
    vars(&[
        ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
        ("DOTNET_NOLOGO", "1"),
        ("DOTNET_SKIP_FIRST_TIME_EXPERIENCE", "1"),
    ])
}

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    let projects: Vec<PathBuf> = draft
        .tree
        .files()
        .filter(|file| matches!(ending(file), "csproj" | "fsproj" | "vbproj"))
        .map(Path::to_owned)
        .collect();
    let Some(first) = projects.first() else { return };
    draft.stack("dotnet");
    let solution = draft.tree.files().find(|file| matches!(ending(file), "sln" | "slnx")).map(Path::to_owned);
    let whole = solution.as_deref().unwrap_or(first);
    let folder = whole.parent().unwrap_or(Path::new("")).to_owned();
    let target = inside(&folder, whole);
    // What was restored once needs no feed.
    let is_restored =
        projects.iter().all(|file| draft.tree.exists(&file.with_file_name("obj/project.assets.json")));
    let quick = if is_restored { " --no-restore" } else { "" };
    let mut add = |kind, title: &str, run: String, file: &Path, why: &str| {
        let source = from(file, None, why);
        draft.check(Check {
            env: env(),
            needs: words(&["dotnet"]),
            ..check(kind, title, run, &folder, source)
        });
    };
    add(
        CheckKind::Install,
        "dotnet restore",
        format!("dotnet restore {target}"),
        whole,
        "a .NET project is restored before it is built",
    );
    add(
        CheckKind::Build,
        "dotnet build",
        format!("dotnet build {target} -v quiet{quick}"),
        whole,
        &format!("{} is a .NET project", name(whole)),
    );
    let is_test = |text: &str| {
        text.contains("Microsoft.NET.Test.Sdk") || text.contains("xunit") || text.contains("NUnit")
    };
    let tree = draft.tree;
    if let Some(test) = projects.iter().find(|file| tree.text(file).is_some_and(|text| is_test(&text))) {
        let source = from(test, None, format!("{} has tests", name(test)));
        let run = format!("dotnet test {target} -v quiet{quick}");
        draft.check(Check {
            env: env(),
            needs: words(&["dotnet"]),
            ..check(CheckKind::Test, "dotnet test", run, &folder, source)
        });
    }
    let manifests: Vec<&str> = projects.iter().map(|file| name(file)).collect();
    let all = project::projects(draft.tree, &manifests, &["cs"]);
    for file in projects.iter().filter(|file| !is_aside_folder(file.parent().unwrap_or(Path::new("")))) {
        let folder = file.parent().unwrap_or(Path::new(""));
        web(draft, file, all.iter().find(|project| project.folder == folder));
    }
}

/// A web project, or a program that listens by itself.
fn web(draft: &mut Draft<'_>, file: &Path, project: Option<&Project>) {
    const SDK: &str = "Microsoft.NET.Sdk.Web";
    let text = draft.tree.text(file).unwrap_or_else(|| "".into());
    let folder = file.parent().unwrap_or(Path::new(""));
    let entry = project.and_then(|project| project.entries().into_iter().next());
    let is_program = text.contains("<OutputType>Exe") || text.contains("Microsoft.NET.Sdk.Worker");
    let (source, is_http) = match entry {
        _ if text.contains(SDK) => {
            (from(file, line_of(&text, SDK), format!("{} is a web project", name(file))), true)
        }
        Some(entry) if is_program => {
            let why = format!("{} uses {}", name(&entry.seen_in), entry.evidence.what);
            (from(&entry.seen_in, Some(entry.evidence.line), why), entry.evidence.is_http)
        }
        _ => return,
    };
    let urls = if text.contains(SDK) { " --urls http://127.0.0.1:5000" } else { "" };
    let command = format!("dotnet run --project {} --no-launch-profile{urls}", inside(folder, file));
    let mut found =
        Service { env: env(), needs: words(&["dotnet"]), ..service(stem(file), command, folder, source) };
    match project {
        Some(project) => {
            project.complete(draft, &mut found, None, is_http);
        }
        None => found.probes = probes::http(draft, folder, &[]),
    }
    draft.service(found, Some(file));
}
