//! Ruby: bundler; rspec, minitest, rake; rails, rack, sinatra, plain files.

use std::path::{Path, PathBuf};

use crate::detect::draft::{Draft, check, from, line_of, service, words};
use crate::detect::project::{Project, each, inside, listed, projects};
use crate::detect::tree::{ending, name, stem};
use crate::plan::{Check, CheckKind, Service};

/// How many files are looked at one by one.
const SYNTAX_FILES_MAX: usize = 200;

pub(in crate::detect) fn detect(draft: &mut Draft<'_>) {
    for project in
        projects(draft.tree, &["Gemfile"], &["rb"]).iter().filter(|project| !project.files.is_empty())
    {
        let gemfile = draft.tree.text(&project.folder.join("Gemfile"));
        draft.stack(if gemfile.is_some() { "ruby (bundler)" } else { "ruby" });
        let ruby = Ruby {
            project,
            gems: gemfile.as_deref().unwrap_or_default().to_owned(),
            is_bundled: gemfile.is_some(),
        };
        syntax(draft, &ruby);
        checks(draft, &ruby);
        services(draft, &ruby);
    }
}

struct Ruby<'p> {
    project: &'p Project,
    gems: String,
    is_bundled: bool,
}

impl Ruby<'_> {
    fn run(&self, line: &str) -> String {
        if self.is_bundled { format!("bundle exec {line}") } else { line.to_owned() }
    }

    fn needs(&self) -> Vec<String> {
        if self.is_bundled { words(&["ruby", "bundle"]) } else { words(&["ruby"]) }
    }

    fn add(&self, draft: &mut Draft<'_>, kind: CheckKind, title: &str, run: String, file: &Path, why: &str) {
        let source = from(file, None, why);
        draft.check(Check { needs: self.needs(), ..check(kind, title, run, &self.project.folder, source) });
    }
}

fn syntax(draft: &mut Draft<'_>, ruby: &Ruby<'_>) {
    let files: Vec<&Path> =
        ruby.project.files.iter().map(PathBuf::as_path).filter(|file| ending(file) == "rb").collect();
    let Some(first) = files.first() else { return };
    let (list, _) = listed(&ruby.project.folder, &files, SYNTAX_FILES_MAX);
    let source = from(first, None, "there are Ruby files");
    let run = each("ruby -c", &list).replace("\"$f\"", "\"$f\" > /dev/null");
    draft.check(Check {
        needs: words(&["ruby"]),
        ..check(CheckKind::Syntax, "ruby syntax", run, &ruby.project.folder, source)
    });
}

fn checks(draft: &mut Draft<'_>, ruby: &Ruby<'_>) {
    let folder = &ruby.project.folder;
    if ruby.is_bundled {
        ruby.add(
            draft,
            CheckKind::Install,
            "bundle install",
            "bundle install --quiet".to_owned(),
            &folder.join("Gemfile"),
            "Gemfile names gems",
        );
    }
    let spec = ruby.project.files.iter().find(|file| name(file).ends_with("_spec.rb"));
    let test = ruby
        .project
        .files
        .iter()
        .find(|file| name(file).ends_with("_test.rb") || name(file).starts_with("test_"))
        .filter(|file| ending(file) == "rb");
    let rails = draft.tree.has(&folder.join("bin/rails"));
    if let Some(file) = spec {
        ruby.add(
            draft,
            CheckKind::Test,
            "rspec",
            ruby.run("rspec"),
            file,
            &format!("{} has examples for rspec", name(file)),
        );
    } else if let (Some(file), true) = (test, rails) {
        ruby.add(
            draft,
            CheckKind::Test,
            "rails test",
            "bin/rails test".to_owned(),
            file,
            "a Rails project has tests",
        );
    } else if let Some(file) = test {
        let run = "ruby -I. -Ilib -Itest -e 'Dir[\"{test/**/,}{*_test,test_*}.rb\"].uniq.each { |f| require File.expand_path(f) }'";
        ruby.add(
            draft,
            CheckKind::Test,
            "minitest",
            ruby.run(run),
            file,
            &format!("{} has tests", name(file)),
        );
    }
    if let Some(file) = draft.tree.first(folder, &[".rubocop.yml"]) {
        ruby.add(
            draft,
            CheckKind::Lint,
            "rubocop",
            ruby.run("rubocop --cache false"),
            &file,
            ".rubocop.yml configures rubocop",
        );
    }
}

fn services(draft: &mut Draft<'_>, ruby: &Ruby<'_>) {
    let folder = &ruby.project.folder;
    let framework = if draft.tree.has(&folder.join("bin/rails"))
        || ruby.gems.contains("'rails'")
        || ruby.gems.contains("\"rails\"")
    {
        Some(("rails", "rails server -b 127.0.0.1 -p 3000", folder.join("Gemfile"), "Gemfile has rails"))
    } else if draft.tree.has(&folder.join("config.ru")) {
        Some((
            "rack",
            "rackup -o 127.0.0.1 -p 9292",
            folder.join("config.ru"),
            "config.ru starts a Rack application",
        ))
    } else {
        None
    };
    if let Some((title, line, file, why)) = framework {
        let at = draft.tree.text(&file).and_then(|text| line_of(&text, title));
        let mut found =
            Service { needs: ruby.needs(), ..service(title, ruby.run(line), folder, from(&file, at, why)) };
        ruby.project.complete(draft, &mut found, None, true);
        draft.service(found, Some(&file));
        return;
    }
    for entry in ruby.project.entries() {
        let command = ruby.run(&format!("ruby {}", inside(folder, &entry.file)));
        let source = from(
            &entry.seen_in,
            Some(entry.evidence.line),
            format!("{} uses {}", name(&entry.seen_in), entry.evidence.what),
        );
        let mut found =
            Service { needs: ruby.needs(), ..service(stem(&entry.file), command, folder, source) };
        ruby.project.complete(draft, &mut found, Some(&entry.file), entry.evidence.is_http);
        draft.service(found, Some(&entry.file));
    }
}
