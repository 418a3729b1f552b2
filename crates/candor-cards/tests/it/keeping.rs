//! The first step of a card is the one that is followed without a second thought: it loses nothing.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use candor_cards::{
    Command, Failed, Given, How, Rule, RuleBase, catalogue, check, explain, load, outline, parse,
};
use candor_protocol::{ErrorCard, Safety, Step};
use regex::Regex;

/// What a command looks like that destroys something: a file, a commit that nothing else names, a record, a process.
const DESTROYING: &[&str] = &[
    r"\b(rm|shred|truncate|mkfs\S*|fuser -k|kill|pkill|killall|dropdb)\b",
    r"\bmv (-[^n\s]|[^-\s])",
    r"\bln -[a-z]*f",
    r"\b(gzip|gunzip|cp|tee|docker|podman) (\S+ )*-[a-z]*f\b",
    r"--(force|hard|clear|purge|overwrite|discard-changes|replace-all|no-preserve-root)\b",
    r"\bgit (\S+ )*(reset --(hard|merge)|clean|restore|update-ref -d|stash (drop|clear)|branch -D|tag (-d|--delete))\b",
    r"\bgit (\S+ )*(checkout (\S+ )*(--ours|--theirs|-f|--)( |$)|push (\S+ )*(-f|--delete)\b|remote (remove|rm|set-url))",
    r"--abort\b",
    r">\|",
    r"-delete\b",
    r"(?i:\b(drop (table|database|schema)|truncate table|delete from)\b)",
    r"\b(kubectl|docker|podman|gcloud|az|aws|helm|brew|npm|pip) (\S+ )*(delete|rm|rmi|prune|uninstall|remove)\b",
    r"\bterraform (destroy|force-unlock|state rm)\b",
];

/// What keeps a copy, or only adds to what is there; whatever follows it in the same step loses nothing.
const KEEPING: &[&str] = &[
    r"^mv -n \S+ \S+ && ",
    r"^git (-C \S+ )?(tag [^-]|branch [^-]|stash push )[^&]*&& ",
    r"^cp \S+ \S+ && ",
];

/// What looks alike and is not: programs make it again by themselves, or refuse where something would be lost.
const HARMLESS: &[&str] = &[
    r"npm cache clean --force",
    r"find \. -name __pycache__ -prune -exec rm -r \{\} \+",
    r"git (-C \S+ )?rm (-r )?--cached ",
    r"git (-C \S+ )?(mv [^-]|add --force )",
    r"rsync --force --backup --backup-dir=\S+ ",
    // What was applied of the patches is applied again.
    r"git am --abort && (git am --3way |FIXED)",
    // Refuses to take away what is not in a commit.
    r"git (-C \S+ )?rm -r [^-]",
    // Takes the mark away that a file was staged.
    r"git (-C \S+ )?restore --staged ",
];

static SHAPES: LazyLock<[Regex; 3]> =
    LazyLock::new(|| [DESTROYING, KEEPING, HARMLESS].map(|shapes| Regex::new(&shapes.join("|")).unwrap()));

/// Whether a command destroys something by the look of it.
fn destroys(command: &str) -> bool {
    let [destroying, keeping, harmless] = &*SHAPES;
    let rest = harmless.replace_all(command, "");
    !keeping.is_match(&rest) && destroying.is_match(&rest)
}

/// What is wrong with the first step of a card.
fn wrong(card: &ErrorCard) -> Option<String> {
    match card.steps.first()? {
        Step::Run { safety: Safety::Destructive, command } => {
            Some(format!("{}: marked destructive: {command}", card.code))
        }
        Step::Run { command, .. } if destroys(command) => Some(format!("{}: {command}", card.code)),
        _ => None,
    }
}

fn rules() -> Vec<Rule> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("rules");
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let yaml = paths.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    yaml.flat_map(|path| parse(&fs::read_to_string(path).unwrap()).unwrap().rules).collect()
}

/// As they are written, and as they are filled for every example: only then is seen what a corrected command does.
#[test]
fn no_first_step_destroys_anything() {
    let base = RuleBase::built_in();
    let mut found: Vec<String> = catalogue().iter().filter_map(|entry| wrong(&outline(entry))).collect();
    for rule in rules() {
        found.extend(wrong(&candor_cards::rule_outline(&rule)));
        // What a step says by itself was seen above.
        let corrects = rule.steps.iter().any(|step| step.run.as_ref().is_some_and(|run| run.contains("{!")));
        for example in rule.examples.iter().filter(|_| corrects) {
            let command = Command::line(&example.command);
            let how = How::Exited(example.exit);
            let failed = Failed { command: &command, how, stdout: "", stderr: &example.output };
            let world = Given::new(example.files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
            // The failed command as it was given destroys what its user wanted destroyed.
            found
                .extend(wrong(&explain(&failed, &base, &world).card).filter(|_| !destroys(&example.command)));
        }
    }
    found.sort();
    found.dedup();
    assert!(found.is_empty(), "{} first steps:\n{}", found.len(), found.join("\n"));
}

#[test]
fn shapes_that_destroy_are_told_from_those_that_keep() {
    for command in [
        "rm -r x",
        "git reset --hard",
        "git mv --force a b",
        "gzip -f a",
        "mv a b",
        "git update-ref -d HEAD",
        "echo x >| f",
        "find . -name x -delete",
        "git restore a.txt",
    ] {
        assert!(destroys(command), "{command}");
    }
    for command in [
        "mv -n a a.old && gzip a",
        "git branch before-reset && git update-ref -d HEAD",
        "git stash push -- a && git restore a",
        "git rm --cached a",
        "npm cache clean --force && npm ci",
    ] {
        assert!(!destroys(command), "{command}");
    }
}

const RULE: &str = r"
ecosystem: test
rules:
  - code: OWN_THING
    class: Usage
    title: It is there already
    match: 'tool: (?P<path>\S+) is in the way'
    looks:
      there: { exists: '{path}' }
    cause: '{path} is in the way.'
    steps:
STEPS
    examples:
      - from: run
        command: tool x
        exit: 1
        output: 'tool: x is in the way'
";

const LOOK: &str = "      - { check: See what it is, run: 'ls {there}' }\n";
const LOSING: &str = "      - { run: 'rm {path}', destructive: true }\n";
const BY_HAND: &str = "      - { do: Give another name. }\n";

#[test]
fn a_rule_whose_first_step_is_destructive_is_refused() {
    let written = |steps: &str| check(&RULE.replace("STEPS\n", steps), RuleBase::with).problems;
    let refused = written(&format!("{LOSING}{BY_HAND}"));
    assert!(refused.iter().any(|problem| problem.text.contains("may not be destructive")), "{refused:?}");
    assert_eq!(written(&format!("{LOOK}{LOSING}{BY_HAND}")), []);
}

/// A look that cannot be filled is left out; what was written after it does not move up to the first place.
#[test]
fn a_step_that_loses_data_does_not_become_the_first_for_want_of_a_fact() {
    let prepared = load(&RULE.replace("STEPS\n", &format!("{LOOK}{LOSING}{BY_HAND}"))).unwrap();
    let base = RuleBase::with(vec![prepared]);
    let command = Command::line("tool x");
    let failed =
        Failed { command: &command, how: How::Exited(1), stdout: "", stderr: "tool: x is in the way" };
    let shown = |world: &Given| -> Vec<String> {
        explain(&failed, &base, world).card.steps.iter().map(ToString::to_string).collect()
    };
    let there = shown(&Given::new([("x", "")]));
    assert_eq!(there[1], "Run (loses data): rm x");
    assert_eq!(shown(&Given::default()), ["Give another name.", "Run (loses data): rm x"]);
}
