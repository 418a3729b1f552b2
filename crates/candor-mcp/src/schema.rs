//! What a server says about the arguments of a tool, which may be anything.

use std::error::Error;
use std::sync::OnceLock;

use boon::{Compiler, SchemaIndex, Schemas, UrlLoader};
use serde_json::{Map, Value, json};

/// What the schema is called while it is compiled; nothing is there.
const PLACE: &str = "mcp:///tool";
/// How long a complaint may be.
const PROBLEM_CHARS_MAX: usize = 400;

/// A schema, made ready when the first arguments come.
#[derive(Default)]
pub(crate) struct Schema {
    compiled: OnceLock<Option<Box<(Schemas, SchemaIndex)>>>,
}

/// The schema as models are told it, or why there can be none.
pub(crate) fn told(given: Option<&Value>) -> Result<Value, String> {
    // Some servers leave it out where there are no arguments.
    let Some(given) = given.filter(|given| !given.is_null()) else {
        return Ok(json!({ "type": "object", "properties": {} }));
    };
    let Some(object) = given.as_object() else { return Err("its schema is no object".to_owned()) };
    let mut object = object.clone();
    match object.get("type") {
        None => _ = object.insert("type".to_owned(), "object".into()),
        Some(Value::String(kind)) if kind == "object" => {}
        Some(_) => return Err("its schema describes no object".to_owned()),
    }
    if object.get("properties").is_some_and(|properties| !properties.is_object()) {
        return Err("the `properties` of its schema are no object".to_owned());
    }
    let is_names = |names: &Value| names.as_array().is_some_and(|names| names.iter().all(Value::is_string));
    if object.get("required").is_some_and(|required| !is_names(required)) {
        return Err("the `required` of its schema is no list of names".to_owned());
    }
    // Models want one, even if it is empty.
    object.entry("properties").or_insert_with(|| json!({}));
    let schema = object.into();
    // A provider refuses the whole request over such a schema, and every other tool with it.
    if matches!(compile(&schema), Err(Uncompiled::NoSchema)) {
        return Err("its schema is no JSON Schema".to_owned());
    }
    Ok(schema)
}

impl Schema {
    /// What is wrong with these arguments. Where the schema cannot be made ready, the server is left to say so itself.
    pub(crate) fn problem(&self, schema: &Value, args: &Value) -> Option<String> {
        self.fitted(schema, args).err()
    }

    /// The arguments as the server gets them. Models write `null` for what they do not mean to give: where only that is
    /// wrong, it is left out.
    pub(crate) fn fitted(&self, schema: &Value, args: &Value) -> Result<Map<String, Value>, String> {
        let Some(given) = args.as_object() else { return Err("the arguments are no object".to_owned()) };
        let compiled = self.compiled.get_or_init(|| compile(schema).ok().map(Box::new));
        let Some((schemas, index)) = compiled.as_deref() else { return Ok(given.clone()) };
        let misfit = |args: &Value| schemas.validate(args, *index).err().map(|error| leaf(&error));
        let Some(problem) = misfit(args) else { return Ok(given.clone()) };
        let meant = given.iter().filter(|(_, value)| !value.is_null());
        let meant: Map<String, Value> = meant.map(|(name, value)| (name.clone(), value.clone())).collect();
        let fits = meant.len() < given.len() && misfit(&meant.clone().into()).is_none();
        if fits { Ok(meant) } else { Err(problem.chars().take(PROBLEM_CHARS_MAX).collect()) }
    }
}

/// The first thing that is wrong, without what it follows from.
fn leaf(error: &boon::ValidationError<'_, '_>) -> String {
    let mut error = error;
    while let Some(cause) = error.causes.first() {
        error = cause;
    }
    let place = error.instance_location.to_string();
    let place = if place.is_empty() { String::new() } else { format!("at {place}: ") };
    format!("{place}{}", error.kind)
}

/// Why a schema cannot be used.
enum Uncompiled {
    /// It is none.
    NoSchema,
    /// It needs what is elsewhere, or is more than can be made ready.
    Beyond,
}

fn compile(schema: &Value) -> Result<(Schemas, SchemaIndex), Uncompiled> {
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.use_loader(Box::new(Nowhere));
    let why = |error: boon::CompileError| match error {
        boon::CompileError::ValidationError { .. } => Uncompiled::NoSchema,
        _ => Uncompiled::Beyond,
    };
    compiler.add_resource(PLACE, schema.clone()).map_err(why)?;
    let index = compiler.compile(PLACE, &mut schemas).map_err(why)?;
    Ok((schemas, index))
}

/// A server must not make us read files or ask the network by what its schema refers to.
struct Nowhere;

impl UrlLoader for Nowhere {
    fn load(&self, url: &str) -> Result<Value, Box<dyn Error>> {
        Err(format!("{url} is not loaded").into())
    }
}
