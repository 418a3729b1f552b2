//! The published JSON Schema of declarations, held against what the reader takes.

use boon::{Compiler, SchemaIndex, Schemas};
use candor_verify::declare::read;
use serde_json::Value;

use crate::declare::{BAD, GOOD, Schema, told, unmarked, workspace};

const SCHEMA: &str = include_str!("../../../../docs/verify.schema.json");

struct Published(Schemas, SchemaIndex);

impl Published {
    fn new() -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("verify.json", serde_json::from_str(SCHEMA).unwrap()).unwrap();
        let index = compiler.compile("verify.json", &mut schemas).unwrap();
        Self(schemas, index)
    }

    /// What the schema says against a file, if anything.
    fn against(&self, text: &str) -> Option<String> {
        let text = text.trim_start_matches('\u{feff}');
        let json: Value = serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        self.0.validate(&json, self.1).err().map(|error| error.to_string())
    }
}

#[test]
fn good_files_fit_the_schema() {
    let published = Published::new();
    for (name, text) in GOOD {
        // An empty text is no document, and an editor has nothing to check in it.
        if read(workspace(".candor/verify.yaml", text).path()).checks.is_empty()
            && *name != "headings without contents"
        {
            continue;
        }
        assert_eq!(published.against(text), None, "{name}");
    }
}

#[test]
fn mistakes_that_a_schema_can_see_do_not_fit_it() {
    let published = Published::new();
    for (name, text, _, schema) in BAD {
        if *schema == Schema::Sees {
            assert!(published.against(&unmarked(text).0).is_some(), "{name}");
        }
    }
}

/// The keys of a table of the schema, and a file with an unknown key in such a table.
const TABLES: &[(&str, &str)] = &[
    ("", "zzzzzz: 1\n"),
    ("/$defs/check", "checks: [{ run: x, zzzzzz: 1 }]\n"),
    ("/$defs/service", "services: [{ command: x, zzzzzz: 1 }]\n"),
    ("/$defs/ready", "services: [{ command: x, ready: { tcp: 'a:1', zzzzzz: 1 } }]\n"),
    ("/$defs/probe", "services: [{ command: x, probes: [{ tcp: 'a:1', zzzzzz: 1 }] }]\n"),
    ("/$defs/http", "services: [{ command: x, probes: [{ http: { url: /, zzzzzz: 1 } }] }]\n"),
    (
        "/$defs/probe/properties/expect",
        "services: [{ command: x, probes: [{ exec: x, expect: { zzzzzz: 1 } }] }]\n",
    ),
    (
        "/$defs/probe/properties/grpc/anyOf/1",
        "services: [{ command: x, probes: [{ grpc: { address: 'a:1', zzzzzz: 1 } }] }]\n",
    ),
    (
        "/$defs/probe/properties/websocket/anyOf/1",
        "services: [{ command: x, probes: [{ websocket: { url: /, zzzzzz: 1 } }] }]\n",
    ),
    (
        "/$defs/probe/properties/stdin/anyOf/1",
        "services: [{ command: x, probes: [{ stdin: { send: a, zzzzzz: 1 } }] }]\n",
    ),
    (
        "/$defs/probe/properties/file/anyOf/1",
        "services: [{ command: x, probes: [{ file: { path: a, zzzzzz: 1 } }] }]\n",
    ),
    (
        "/$defs/probe/properties/sql",
        "services: [{ command: x, probes: [{ sql: { url: 'sqlite:a', query: b, zzzzzz: 1 } }] }]\n",
    ),
    (
        "/$defs/probe/properties/message",
        "services: [{ command: x, probes: [{ message: { text: a, api_base_env: B, zzzzzz: 1 } }] }]\n",
    ),
];

#[test]
fn the_schema_and_the_reader_know_the_same_keys() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for (pointer, text) in TABLES {
        let properties = schema.pointer(&format!("{pointer}/properties")).and_then(Value::as_object).unwrap();
        let mut published: Vec<&str> = properties.keys().map(String::as_str).collect();
        let told = told(&read(workspace(".candor/verify.yaml", text).path()));
        let [told] = told.as_slice() else { panic!("{pointer}: {told:?}") };
        let mut known: Vec<&str> = told.split_once("known here: ").unwrap().1.split(", ").collect();
        published.sort_unstable();
        known.sort_unstable();
        assert_eq!(published, known, "{pointer}");
    }
}

/// The examples of the manual are read as they stand.
#[test]
fn the_examples_of_the_manual_have_no_mistakes() {
    let manual = include_str!("../../../../docs/verify.md");
    let mut examples = 0;
    for block in manual.split("```yaml\n").skip(1) {
        let text = block.split("\n```").next().unwrap();
        if !text.contains("checks:") && !text.contains("services:") {
            continue;
        }
        let plan = read(workspace(".candor/verify.yaml", text).path());
        assert_eq!(told(&plan), Vec::<String>::new(), "{text}");
        assert!(plan.checks.len() + plan.services.len() > 0, "{text}");
        assert_eq!(Published::new().against(text), None, "{text}");
        examples += 1;
    }
    assert_eq!(examples, 3);
}

/// The examples in the tables of the manual, each in a check, a service or a probe.
#[test]
fn the_examples_in_the_tables_of_the_manual_have_no_mistakes() {
    let manual = include_str!("../../../../docs/verify.md");
    let mut examples = 0;
    let mut around = "";
    for line in manual.lines() {
        around = match line {
            "### Checks" => "checks:\n  - run: x\n    ",
            "### Services" => "services:\n  - command: x\n    ",
            "### Probes" => "services:\n  - command: x\n    probes:\n      - ",
            "### Mistakes" => "",
            _ => around,
        };
        let Some(last) = line.strip_suffix("` |").and_then(|line| line.rsplit("| `").next()) else {
            continue;
        };
        if around.is_empty() || line.matches(" | ").count() != 2 || !last.contains(": ") {
            continue;
        }
        let text = match (last.starts_with("run:"), last.starts_with("command:"), last.split_once("`, `")) {
            (true, ..) => format!("checks:\n  - {last}\n"),
            (_, true, _) => format!("services:\n  - {last}\n"),
            (.., Some((first, second))) => format!("{around}{first}\n        {second}\n"),
            _ => format!("{around}{last}\n"),
        };
        let plan = read(workspace(".candor/verify.yaml", &text).path());
        assert_eq!(told(&plan), Vec::<String>::new(), "{text}");
        assert_eq!(Published::new().against(&text), None, "{text}");
        examples += 1;
    }
    assert_eq!(examples, 26);
}
