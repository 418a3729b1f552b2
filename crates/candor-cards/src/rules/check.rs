//! Reads a file of rules and says what is wrong with it.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use candor_protocol::Class;

use super::base::{Prepared, try_compile};
use super::rule::{Example, Look, Origin, Rule, RuleFile, RuleStep};
use super::world::Given;
use crate::template::{Form, Piece, pieces};
use crate::{Command, Failed, How, RuleBase, Source, explain};

/// The largest file of rules that is read.
pub(super) const FILE_BYTES_MAX: usize = 1 << 20;
/// The longest title that a list can show.
const TITLE_CHARS_MAX: usize = 80;

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line in the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub text: String,
}

/// A file that was read.
#[derive(Debug)]
pub struct Checked {
    /// How many rules it has.
    pub rules: usize,
    /// How many of its examples were seen on a real machine.
    pub examples_run: usize,
    /// How many come from documentation.
    pub examples_docs: usize,
    /// What is wrong; nothing in a good file.
    pub problems: Vec<Problem>,
}

/// Reads a file of rules and leaves its examples alone: for a program that wants to use them.
pub fn load(text: &str) -> Result<Prepared, Vec<Problem>> {
    prepared(&parse(text).map_err(|problem| vec![problem])?, text)
}

/// Reads and checks a file of rules. Its examples are tried with `others` in force besides: for whoever writes them.
pub fn check<B: Borrow<RuleBase>>(text: &str, others: impl FnOnce(Vec<Prepared>) -> B) -> Checked {
    let mut checked = Checked { rules: 0, examples_run: 0, examples_docs: 0, problems: Vec::new() };
    let file = match parse(text) {
        Ok(file) => file,
        Err(problem) => {
            checked.problems.push(problem);
            return checked;
        }
    };
    checked.rules = file.rules.len();
    let count = |wanted: Origin| {
        file.rules.iter().flat_map(|rule| &rule.examples).filter(|example| example.from == wanted).count()
    };
    (checked.examples_run, checked.examples_docs) = (count(Origin::Run), count(Origin::Docs));
    match prepared(&file, text) {
        Err(problems) => checked.problems = problems,
        Ok(prepared) => checked.problems = examples(&file, text, others(vec![prepared]).borrow()),
    }
    checked
}

/// What is wrong with the rules by themselves; else what is needed to match them.
fn prepared(file: &RuleFile, text: &str) -> Result<Prepared, Vec<Problem>> {
    let lines = lines_of_rules(text);
    let line = |at: usize| lines.get(at).copied().unwrap_or(1);
    let named = |(at, rule): (usize, &Rule)| {
        let of = |text| Problem { line: line(at), text: format!("{}: {text}", rule.code) };
        problems(rule).into_iter().map(of).collect::<Vec<_>>()
    };
    let problems: Vec<Problem> = file.rules.iter().enumerate().flat_map(named).collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    Prepared::new(file.clone()).map_err(|(at, why)| vec![Problem { line: line(at), text: why }])
}

/// What is wrong with the cards of the examples.
fn examples(file: &RuleFile, text: &str, base: &RuleBase) -> Vec<Problem> {
    let lines = lines_of_rules(text);
    let mut found = Vec::new();
    for (at, rule) in file.rules.iter().enumerate() {
        let line = lines.get(at).copied().unwrap_or(1);
        for text in rule.examples.iter().filter_map(|example| wrong(rule, example, base)) {
            found.push(Problem { line, text: format!("{}: {text}", rule.code) });
        }
    }
    found
}

/// Reads a file of rules as it is written.
pub fn parse(text: &str) -> Result<RuleFile, Problem> {
    if text.len() > FILE_BYTES_MAX {
        return Err(Problem { line: 1, text: format!("the file is larger than {FILE_BYTES_MAX} bytes") });
    }
    serde_saphyr::from_str(text).map_err(|error| {
        let line = error.location().and_then(|place| usize::try_from(place.line()).ok()).unwrap_or(1);
        Problem { line, text: without_place(error.to_string().lines().next().unwrap_or_default()).to_owned() }
    })
}

/// What the reader of YAML says, without its head: whoever tells a problem tells its line already.
pub fn without_place(text: &str) -> &str {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    match text.split_once(": ") {
        Some((place, rest)) if place.starts_with("line ") => rest,
        _ => text,
    }
}

/// The line of each rule: each has one `code`, and nothing else has.
fn lines_of_rules(text: &str) -> Vec<usize> {
    let is_code = |line: &str| line.trim_start().trim_start_matches("- ").trim_start().starts_with("code:");
    text.lines().zip(1..).filter(|(line, _)| is_code(line)).map(|(_, number)| number).collect()
}

/// What is wrong with a rule by itself.
fn problems(rule: &Rule) -> Vec<String> {
    let mut found = Vec::new();
    let mut require = |holds: bool, text: &str| {
        if !holds {
            found.push(text.to_owned());
        }
    };
    require(is_code(&rule.code), "a code has capital letters, digits and _ only");
    let classes: Vec<&str> = Class::ALL.iter().map(Class::as_str).collect();
    require(
        classes.contains(&rule.class.as_str()),
        &format!("there is no class {}; there are {}", rule.class, classes.join(", ")),
    );
    require(
        !rule.title.is_empty() && rule.title.chars().count() <= TITLE_CHARS_MAX,
        "a title has 1 to 80 characters",
    );
    require(!rule.cause.trim().is_empty(), "the cause is empty");
    require(!rule.steps.is_empty() && rule.steps.len() <= 6, "a rule has 1 to 6 steps");
    require(!rule.examples.is_empty(), "a rule has at least one example");
    require(
        !rule.patterns.all().is_empty() || (rule.command.is_some() && !rule.exit.is_empty()),
        "a rule without a pattern needs both command and exit",
    );
    for step in &rule.steps {
        require(is_step(step), "a step has run, check with run, or do; safe and destructive belong to run");
    }
    require(
        !rule.steps.first().is_some_and(|step| step.destructive),
        "the first step may not be destructive: put a look, or a way that keeps everything, before it",
    );
    for step in rule.steps.iter().filter(|step| step.safe) {
        let run = step.run.as_deref().unwrap_or_default();
        let has_facts = pieces(run).iter().any(|piece| matches!(piece, Piece::Fact { .. }));
        // What a failing command prints can be anybody's text; to make a folder is all that such text may lead to by itself.
        require(
            !has_facts || run.starts_with("mkdir -p {") || rule.command.is_some(),
            "a safe step that uses a fact needs `command`: other programs may print the same words",
        );
    }
    found.extend(pattern_problems(rule));
    found.extend(fact_problems(rule));
    found
}

fn is_code(code: &str) -> bool {
    code.len() >= 3
        && code.starts_with(|c: char| c.is_ascii_uppercase())
        && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_step(step: &RuleStep) -> bool {
    let marked = step.safe || step.destructive;
    match (&step.run, &step.check, &step.by_hand) {
        (Some(_), None, None) => !(step.safe && step.destructive),
        (_, Some(_), None) | (None, None, Some(_)) => !marked,
        _ => false,
    }
}

fn pattern_problems(rule: &Rule) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if let Err(error) = try_compile(rule) {
        found.push(error.to_string());
        return found;
    }
    for (_, look) in &rule.looks {
        // Facts enter a pattern escaped, so a word stands for any of them.
        if let Look::Words { from, .. } = look
            && let Err(error) = regex::Regex::new(&from.replace(['{', '}'], ""))
            && regex::Regex::new(from).is_err()
        {
            found.push(error.to_string());
        }
    }
    found.extend(rule.patterns.all().iter().filter_map(|pattern| super::literal::Fixed::of(pattern).err()));
    found
}

/// Facts that are used and cannot be known, or that enter a command unquoted and must not.
fn fact_problems(rule: &Rule) -> Vec<String> {
    let mut found = Vec::new();
    let mut known: BTreeSet<String> = ["command", "program", "exit"].map(str::to_owned).into();
    let mut own = known.clone();
    let patterns = rule.patterns.all().iter().chain(&rule.command);
    for regex in patterns.filter_map(|pattern| regex::Regex::new(pattern).ok()) {
        known.extend(regex.capture_names().flatten().map(str::to_owned));
    }
    for (name, look) in &rule.looks {
        found.extend(unknown(templates(look), &known, &format!("look {name}")));
        known.insert(name.clone());
        if is_own(look, &own) {
            own.insert(name.clone());
        }
    }
    for name in rule.needs.iter().chain(&rule.lacks).filter(|name| !known.contains(*name)) {
        found.push(format!("needs and lacks name {name}, which nothing gives"));
    }
    let texts = rule.steps.iter().flat_map(|step| [&step.run, &step.check, &step.by_hand]).flatten();
    found.extend(unknown(
        texts.chain(&rule.verify).chain([&rule.cause]).map(String::as_str),
        &known,
        "a text",
    ));
    let commands = rule.steps.iter().filter_map(|step| step.run.as_ref()).chain(&rule.verify);
    for command in commands {
        for piece in pieces(command) {
            if let Piece::Fact { name, form: Form::Line } = piece
                && !own.contains(name)
            {
                found.push(format!("{{!{name}}} comes from the output; write {{{name}}}, which is quoted"));
            }
        }
    }
    let looked: BTreeSet<&str> = rule
        .looks
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| !rule.needs.iter().any(|need| need == name))
        .collect();
    let always = |step: &RuleStep| {
        let texts = [&step.run, &step.check, &step.by_hand];
        texts.into_iter().flatten().all(|text| {
            pieces(text)
                .iter()
                .all(|piece| !matches!(piece, Piece::Fact { name, .. } if looked.contains(name)))
        })
    };
    if !rule.steps.iter().any(always) {
        found.push("every step needs a look that may find nothing; add one that does not".to_owned());
    }
    found
}

fn unknown<'t>(
    templates: impl IntoIterator<Item = &'t str>,
    known: &BTreeSet<String>,
    place: &str,
) -> Vec<String> {
    let mut found = Vec::new();
    for template in templates {
        for piece in pieces(template) {
            if let Piece::Fact { name, .. } = piece
                && !known.contains(name)
            {
                found.push(format!("{place} uses {{{name}}}, which nothing gives"));
            }
        }
    }
    found
}

fn templates(look: &Look) -> Vec<&str> {
    match look {
        Look::Exists(text)
        | Look::Missing(text)
        | Look::Directory(text)
        | Look::File(text)
        | Look::Parent(text)
        | Look::Base(text)
        | Look::Interpreter(text)
        | Look::CarriageReturn(text)
        | Look::NearFile(text)
        | Look::NearBranch(text)
        | Look::NearScript(text)
        | Look::NearTarget(text)
        | Look::NearProgram(text)
        | Look::Package(text)
        | Look::PythonPackage(text) => vec![text],
        Look::Near { word, .. } => vec![word],
        Look::Words { of, from, to } => vec![of, from, to],
        Look::First(_)
        | Look::DefaultBranch
        | Look::CurrentBranch
        | Look::Remote
        | Look::Scripts
        | Look::Targets
        | Look::Installer
        | Look::NodeInstaller
        | Look::Python => Vec::new(),
    }
}

/// Whether what a look gives is made of our own words and of the command line alone. Words that are put into a command
/// line are quoted on the way.
fn is_own(look: &Look, own: &BTreeSet<String>) -> bool {
    match look {
        Look::Installer | Look::NodeInstaller | Look::Python | Look::Package(_) | Look::Near { .. } => true,
        Look::Words { of, .. } => {
            pieces(of).iter().all(|piece| !matches!(piece, Piece::Fact { name, .. } if !own.contains(*name)))
        }
        Look::First(names) => names.iter().all(|name| own.contains(name)),
        _ => false,
    }
}

/// What is wrong with the card of an example.
fn wrong(rule: &Rule, example: &Example, base: &RuleBase) -> Option<String> {
    let command = Command::line(&example.command);
    let world = Given::new(example.files.iter().map(|(path, content)| (path.as_str(), content.as_str())));
    let how = How::Exited(example.exit);
    let failed = Failed { command: &command, how, stdout: "", stderr: &example.output };
    let explained = explain(&failed, base, &world);
    let shown = &example.command;
    if explained.source != Source::Rule {
        return Some(format!("no rule matches the example `{shown}`"));
    }
    let card = explained.card;
    if card.code != rule.code {
        return Some(format!("the example `{shown}` gives the card {}, expected {}", card.code, rule.code));
    }
    if let Some(cause) = &example.cause
        && card.cause.trim() != cause.trim()
    {
        let (given, cause) = (card.cause.trim(), cause.trim());
        return Some(format!("the example `{shown}` gives the cause `{given}`, expected `{cause}`"));
    }
    let shown_step = |step: &candor_protocol::Step| match step {
        candor_protocol::Step::Run { command, .. } => command.clone(),
        candor_protocol::Step::Check { text, .. } | candor_protocol::Step::Do { text } => text.clone(),
    };
    let steps: Vec<String> = card.steps.iter().map(shown_step).collect();
    let same = steps.len() >= example.steps.len()
        && steps.iter().zip(&example.steps).all(|(a, b)| a.trim() == b.trim());
    (!same).then(|| {
        let (given, expected) = (steps.join(" | "), example.steps.join(" | "));
        format!("the example `{shown}` gives the steps: {given}; expected: {expected}")
    })
}
