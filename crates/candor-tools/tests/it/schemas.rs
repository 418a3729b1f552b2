//! What the model is told that a tool takes is what the tool takes.

use std::cell::Cell;
use std::sync::Arc;

use boon::{Compiler, SchemaIndex, Schemas};
use candor_tools::arguments::{Argument, AtLeast};
use candor_tools::{Registry, Tool, arguments, choices};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

/// The schemas as they are meant to be: every request sends them, and a provider's cache wants them unchanged.
const EXPECTED: &str = include_str!("schemas.json");

fn tools() -> Vec<Arc<dyn Tool>> {
    let registry = Registry::built_in();
    registry.specs().iter().filter_map(|spec| registry.find(&spec.name)).collect()
}

struct Schema(Schemas, SchemaIndex);

impl Schema {
    fn new(schema: &Value) -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("tool.json", schema.clone()).unwrap();
        let index = compiler.compile("tool.json", &mut schemas).unwrap();
        Self(schemas, index)
    }

    fn allows(&self, value: &Value) -> bool {
        self.0.validate(value, self.1).is_ok()
    }
}

#[test]
fn the_schemas_are_as_they_are_meant_to_be() {
    let expected: Value = serde_json::from_str(EXPECTED).unwrap();
    let found: Map<String, Value> = tools()
        .iter()
        .map(|tool| (tool.spec().name.clone(), Value::clone(&tool.spec().parameters)))
        .collect();
    assert_eq!(json!(found), expected);
}

/// Anything that is not `null`, which is left to [`what_is_no_argument_does_no_harm`].
fn anything() -> BoxedStrategy<Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::from),
        (-3_i64..400).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop_oneof![Just(5.0), Just(1.5), Just(-2.0), Just(1e20)].prop_map(Value::from),
        prop_oneof![Just(""), Just("a"), Just("start"), Just("done"), Just("raw")].prop_map(Value::from),
        prop::collection::vec(Just(json!("a")), 0..3).prop_map(Value::from),
        Just(json!([{}])),
        Just(json!({ "a": 1 })),
    ]
    .boxed()
}

/// What fits a schema, and now and then something else in its place.
fn near(schema: &Value) -> BoxedStrategy<Value> {
    prop_oneof![8 => fitting(schema), 1 => anything()].boxed()
}

fn fitting(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(words) = schema["enum"].as_array() {
        return proptest::sample::select(words.clone()).boxed();
    }
    match schema["type"].as_str() {
        Some("string") => "[a-z]{0,4}".prop_map(Value::from).boxed(),
        Some("integer") => (-1_i64..5).prop_map(Value::from).boxed(),
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        Some("array") => prop::collection::vec(near(&schema["items"]), 0..4).prop_map(Value::from).boxed(),
        _ => object(schema),
    }
}

fn object(schema: &Value) -> BoxedStrategy<Value> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut fields: Vec<BoxedStrategy<Option<(String, Value)>>> = properties
        .map(|(name, property)| {
            let name = name.clone();
            let field = near(property).prop_map(move |value| (name.clone(), value));
            prop::option::weighted(0.8, field).boxed()
        })
        .collect();
    fields.push(prop::option::of(Just(("nobody_knows".to_owned(), json!(1)))).boxed());
    fields.prop_map(|fields| fields.into_iter().flatten().collect::<Value>()).boxed()
}

/// Whatever a model sends, the schema and the reader say the same of it.
#[test]
fn a_tool_takes_what_its_schema_allows_and_nothing_else() {
    for tool in tools() {
        let name = &tool.spec().name;
        let schema = Schema::new(&tool.spec().parameters);
        let (taken, refused) = (Cell::new(0), Cell::new(0));
        let mut runner =
            TestRunner::new(Config { cases: 512, failure_persistence: None, ..Config::default() });
        let outcome = runner.run(&near(&tool.spec().parameters), |args| {
            let problem = tool.problem(&args);
            let count = if problem.is_none() { &taken } else { &refused };
            count.set(count.get() + 1);
            prop_assert_eq!(schema.allows(&args), problem.is_none(), "{}: {:?}", args, problem);
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            taken.get() > 20 && refused.get() > 20,
            "{name}: {} taken, {} refused",
            taken.get(),
            refused.get()
        );
    }
}

choices! {
    enum Size {
        Small = "small",
        Large = "large",
    }
}

arguments! {
    struct Lid<'a> {
        name: &'a str = "what it is called", or ["title"];
        size: Option<Size>;
        parts: Option<Vec<Part>>;
    }
}

arguments! {
    struct Part {
        count: AtLeast<2>;
    }
}

#[test]
fn one_list_of_fields_makes_the_schema_and_the_reader() {
    assert_eq!(
        Lid::schema(),
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": "what it is called" },
                "size": { "enum": ["small", "large"] },
                "parts": { "type": "array", "items": {
                    "type": "object",
                    "properties": { "count": { "type": "integer", "minimum": 2 } },
                    "required": ["count"],
                } },
            },
            "required": ["name"],
        })
    );
    let args = json!({ "title": "a", "size": "large", "parts": [{ "count": 3.0 }] });
    let lid: Lid<'_> = arguments::read(&args).unwrap();
    assert_eq!((lid.name, lid.size), ("a", Some(Size::Large)));
    assert_eq!(lid.parts.map(|parts| parts.iter().map(|part| part.count.0).collect()), Some(vec![3]));
    let problem = |args: Value| arguments::read::<Lid<'_>>(&args).map(|_| ()).unwrap_err();
    assert_eq!(
        problem(json!({ "size": "huge", "parts": [{ "count": 2 }, { "count": 1 }] })),
        "`name` is missing; `size` is huge, none of small, large; `parts` at 2: `count` is 1, less than 2"
    );
    assert_eq!(problem(json!({ "name": "a", "size": 1 })), "`size` is a number, not one of small, large");
    assert_eq!(problem(json!({ "name": "a", "parts": ["x"] })), "`parts` at 1: is a string, not object");
    assert_eq!(problem(json!("a")), "the arguments are not a JSON object");
}

/// `null` is no argument, and an argument that nobody knows is nobody's.
#[test]
fn what_is_no_argument_does_no_harm() {
    let args = json!({ "name": "a", "size": null, "parts": null, "why": "because" });
    let lid: Lid<'_> = arguments::read(&args).unwrap();
    assert_eq!((lid.size, lid.parts.is_none()), (None, true));
    assert!(arguments::read::<Lid<'_>>(&json!({ "name": null })).is_err());
}
