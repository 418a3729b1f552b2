use serde_json::{Value, json};

use super::Field;

fn field(schema: &Value) -> Field {
    Field::new("it", schema, true)
}

#[test]
fn every_way_to_write_a_choice_is_read() {
    let titled = [json!({ "const": "r", "title": "Red" }), json!({ "const": "g", "title": "Green" })];
    for schema in [
        json!({ "type": "string", "oneOf": titled }),
        json!({ "type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"] }),
    ] {
        let field = field(&schema);
        assert_eq!(field.choices(), ["Red", "Green"]);
        assert_eq!(field.read("green"), Ok(Some(json!("g"))));
        assert_eq!(field.read("r"), Ok(Some(json!("r"))));
        assert_eq!(field.read("blue"), Err("“blue” is none of them".to_owned()));
    }
    assert_eq!(field(&json!({ "type": "string", "enum": ["r", "g"] })).choices(), ["r", "g"]);
    let several = field(&json!({ "type": "array", "items": { "anyOf": titled }, "maxItems": 1 }));
    assert_eq!(several.read("Red"), Ok(Some(json!(["r"]))));
    assert!(several.read("red, green").unwrap_err().starts_with("“red, green” does not do"));
}

#[test]
fn words_are_held_against_what_the_server_wants() {
    assert_eq!(field(&json!({ "type": "integer" })).read("7"), Ok(Some(json!(7))));
    assert!(field(&json!({ "type": "integer" })).read("7.5").is_err());
    assert_eq!(field(&json!({ "type": "number" })).read("7.5"), Ok(Some(json!(7.5))));
    assert_eq!(field(&json!({ "type": "number" })).read("seven"), Err("“seven” is no number".to_owned()));
    let problem = field(&json!({ "type": "number", "maximum": 5 })).read("6").unwrap_err();
    assert_eq!(problem, "“6” does not do: must be <=5, but got 6");
    assert_eq!(field(&json!({ "type": "boolean" })).read("Yes"), Ok(Some(json!(true))));
    assert!(field(&json!({ "type": "boolean" })).read("perhaps").is_err());
    assert_eq!(field(&json!({ "type": "string" })).read("7"), Ok(Some(json!("7"))));
    assert!(field(&json!({ "type": "string", "minLength": 3 })).read("ab").is_err());
}

#[test]
fn what_is_not_needed_can_be_left_out() {
    let optional = Field::new("it", &json!({ "type": "string" }), false);
    assert_eq!(optional.read("-"), Ok(None));
    assert_eq!(optional.question(), "it (text; - to leave it out)");
    let proposed =
        field(&json!({ "type": "integer", "title": "Age", "description": "in years", "default": 7 }));
    assert_eq!(proposed.read("-"), Ok(None));
    assert_eq!(proposed.question(), "Age: in years (a whole number; - for 7)");
    assert_eq!(field(&json!({ "type": "string" })).read("-"), Ok(Some(json!("-"))));
}

#[test]
fn nothing_that_is_picked_looks_like_an_approval() {
    assert!(field(&json!({ "type": "string", "enum": ["once", "never"] })).choices().is_empty());
    assert_eq!(
        field(&json!({ "type": "string", "enum": ["once", "never"] })).read("once"),
        Ok(Some(json!("once")))
    );
}
