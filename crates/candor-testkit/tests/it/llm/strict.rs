//! What is refused, and with which words. Every case changes one thing in a request that is taken as it is.

use candor_testkit::{Dialect, FakeLlm, Reply};
use serde_json::{Value, json};

use super::client::{Client, Got, hello, round};

/// Where a change goes, and what it is; null takes the field away.
type Change = (&'static str, Value);

#[track_caller]
fn send(dialect: Dialect, changes: &[Change]) -> (Got, Option<String>, usize) {
    let mut body = round(dialect);
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        match body.pointer_mut(parent) {
            Some(Value::Object(fields)) if value.is_null() => {
                fields.shift_remove(key);
            }
            Some(Value::Object(fields)) => {
                fields.insert(key.to_string(), value.clone());
            }
            Some(Value::Array(list)) => {
                let place: usize = key.parse().expect("a place");
                if value.is_null() {
                    list.remove(place);
                } else {
                    list.insert(place, value.clone());
                }
            }
            _ => panic!("nothing at {parent}"),
        }
    }
    let fake = FakeLlm::start(dialect);
    fake.push(Reply::text("ok"));
    let got = Client::new(&fake).ask(dialect, &body);
    (got, fake.requests()[0].refused.clone(), fake.left())
}

#[track_caller]
fn refused(dialect: Dialect, changes: &[Change], words: &str) {
    let (got, refused, left) = send(dialect, changes);
    assert_eq!(got.status, 400, "{changes:?} was taken");
    let refused = refused.expect("a refusal is recorded");
    assert!(refused.contains(words), "{refused:?} has not {words:?}");
    let message = match dialect {
        Dialect::Ollama => got.json()["error"].clone(),
        _ => got.json()["error"]["message"].clone(),
    };
    assert_eq!(message, refused, "the client is told the same");
    assert_eq!(left, 1, "the reply stays in the queue");
}

#[track_caller]
fn taken(dialect: Dialect, changes: &[Change]) {
    let (got, refused, _) = send(dialect, changes);
    assert_eq!((got.status, refused), (200, None), "{changes:?}: {}", got.text());
}

#[test]
fn whole_requests_are_taken() {
    for &dialect in Dialect::ALL {
        taken(dialect, &[]);
    }
}

#[test]
fn a_request_without_a_key_is_refused() {
    let cases = [
        (Dialect::OpenaiChat, 401, "You didn't provide an API key"),
        (Dialect::OpenaiResponses, 401, "You didn't provide an API key"),
        (Dialect::Anthropic, 401, "x-api-key header is required"),
        (Dialect::Gemini, 403, "unregistered callers"),
    ];
    for (dialect, status, words) in cases {
        let fake = FakeLlm::start(dialect);
        fake.push(Reply::text("ok"));
        let mut client = Client::new(&fake);
        client.send_with(dialect, &[("anthropic-version", "2023-06-01")], &hello(dialect).to_string());
        let got = client.read();
        assert_eq!(got.status, status, "{dialect:?}");
        assert!(fake.requests()[0].refused.as_deref().is_some_and(|refused| refused.contains(words)));
        client.send_with(
            dialect,
            &[("authorization", "Bearer k"), ("anthropic-version", "x")],
            &hello(dialect).to_string(),
        );
        assert_eq!(client.read().status, 200, "{dialect:?} takes a bearer token");
    }
}

#[test]
fn a_body_that_is_no_json_is_refused() {
    for &dialect in Dialect::ALL {
        let fake = FakeLlm::start(dialect);
        let mut client = Client::new(&fake);
        client.send_with(dialect, &super::client::headers(dialect), "{");
        assert_eq!(client.read().status, 400);
        let seen = &fake.requests()[0];
        assert!(
            seen.refused.as_deref().is_some_and(|why| why.contains("not valid JSON")) && seen.body.is_null()
        );
    }
}

#[test]
fn streams_only() {
    for &dialect in Dialect::ALL.iter().filter(|dialect| **dialect != Dialect::Gemini) {
        refused(dialect, &[("/stream", json!(false))], "'stream' must be true");
    }
    let fake = FakeLlm::start(Dialect::Gemini);
    let mut client = Client::new(&fake);
    let body = hello(Dialect::Gemini).to_string();
    let head = "POST /v1beta/models/m:streamGenerateContent HTTP/1.1\r\nx-goog-api-key: k";
    client.write(format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).as_bytes());
    assert!(client.read().text().contains("alt=sse"));
}

#[test]
fn chat_refuses_what_is_missing_or_malformed() {
    let no = |changes: &[Change], words: &str| refused(Dialect::OpenaiChat, changes, words);
    no(&[("/model", Value::Null)], "you must provide a model parameter");
    no(&[("/messages", Value::Null)], "Missing required parameter: 'messages'.");
    no(&[("/messages", json!([]))], "Invalid 'messages': empty array.");
    no(&[("/messages/0/role", json!("robot"))], "Invalid value: 'robot'. Supported values are: 'system'");
    no(&[("/messages/1/content", json!(" \n"))], "Invalid 'messages[1].content': empty string.");
    no(&[("/messages/1/content", Value::Null)], "Invalid value for 'content': expected a string, got null.");
    no(&[("/messages/4/content/0/text", json!(""))], "Invalid 'messages[4].content[0].text': empty string.");
    no(&[("/messages/4/content", json!([]))], "Invalid 'messages[4].content': empty array.");
    no(
        &[("/tools/0/function/name", json!("a b"))],
        "Invalid 'tools[0].function.name': string does not match pattern.",
    );
    no(
        &[("/tools/0/function/name", json!("n".repeat(65)))],
        "string too long. Expected a string with maximum length 64",
    );
    no(
        &[("/tools/0/function/parameters/type", json!("string"))],
        "Invalid schema for function 'read': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"string\"'.",
    );
    no(&[("/messages/2/tool_calls", json!([]))], "Invalid 'messages[2].tool_calls': empty array.");
    no(
        &[("/messages/2/tool_calls/0/id", Value::Null)],
        "Missing required parameter: 'messages[2].tool_calls[0].id'.",
    );
    for bad in [json!({}), json!("{\"a"), json!("")] {
        no(&[("/messages/2/tool_calls/0/function/arguments", bad)], "expected a string with valid JSON");
    }
}

#[test]
fn chat_refuses_calls_and_results_that_do_not_match() {
    let no = |changes: &[Change], words: &str| refused(Dialect::OpenaiChat, changes, words);
    let orphan = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'";
    no(&[("/messages/3", Value::Null)], "The following tool_call_ids did not have response messages: c1");
    no(&[("/messages/2", Value::Null)], orphan);
    no(&[("/messages/3/tool_call_id", json!("c2"))], orphan);
    no(
        &[("/messages/4", json!({ "role": "tool", "tool_call_id": "c1", "content": "again" }))],
        "Duplicate value for 'tool_call_id' of 'c1' in message[4]",
    );
    no(
        &[("/messages/3", json!({ "role": "user", "content": "between" }))],
        "did not have response messages: c1",
    );
    let call = json!({ "id": "c1", "type": "function", "function": { "name": "read", "arguments": "{}" } });
    no(&[("/messages/2/tool_calls/1", call)], "Duplicate value for 'tool_call_id' of 'c1' in message[2]");
    taken(Dialect::OpenaiChat, &[("/messages/3/content", json!(""))]);
}

#[test]
fn reasoning_must_come_back_where_that_was_asked_for() {
    let chat = Dialect::OpenaiChat;
    let fake = FakeLlm::start(chat);
    fake.push(Reply::empty().and_call_with("c1", "read", "{}").and_reasoning("because", ""));
    fake.repeat(Reply::text("fine").and_reasoning("hm", ""));
    let mut client = Client::new(&fake);
    client.ask(chat, &hello(chat));
    assert_eq!(client.ask(chat, &round(chat)).status, 200, "nobody asked for it");
    fake.require_reasoning_back();
    let got = client.ask(chat, &round(chat));
    let words = "The `reasoning_content` in the thinking mode must be passed back to the API.";
    assert_eq!((got.status, &got.json()["error"]["message"]), (400, &json!(words)));
    let mut body = round(chat);
    body["messages"][2]["reasoning_content"] = json!("because");
    assert_eq!(client.ask(chat, &body).status, 200);
    body["messages"] = json!([{ "role": "user", "content": "a" }, { "role": "assistant", "content": "fine" },
        { "role": "user", "content": "b" }]);
    assert_eq!(client.ask(chat, &body).status, 400, "a text is known again, too");
    body["messages"][1]["content"] = json!("the words of another model");
    assert_eq!(client.ask(chat, &body).status, 200);
}

#[test]
fn responses_refuse_what_is_missing_or_malformed() {
    let no = |changes: &[Change], words: &str| refused(Dialect::OpenaiResponses, changes, words);
    no(&[("/model", Value::Null)], "Missing required parameter: 'model'.");
    no(&[("/input", Value::Null)], "Missing required parameter: 'input'.");
    no(&[("/input", json!([]))], "Invalid 'input': empty array.");
    no(&[("/input", json!(""))], "Invalid 'input': empty string.");
    no(&[("/input/0/role", json!("tool"))], "Invalid value: 'tool'.");
    no(&[("/input/0/content/0/text", json!(" "))], "Invalid 'input[0].content[0].text': empty string.");
    no(
        &[("/input/0/content/0/type", json!("output_text"))],
        "Invalid value: 'output_text'. Supported values are: 'input_text'",
    );
    no(
        &[("/input/0/role", json!("assistant"))],
        "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    );
    no(&[("/input/2/arguments", Value::Null)], "Missing required parameter: 'input[2].arguments'.");
    no(&[("/input/3/output", Value::Null)], "Missing required parameter: 'input[3].output'.");
    no(&[("/tools/0/name", json!("a.b"))], "Invalid 'tools[0].name': string does not match pattern.");
    no(&[("/tools/0/parameters/type", json!("array"))], "Invalid schema for function 'read'");
}

#[test]
fn responses_refuse_items_that_do_not_match() {
    let no = |changes: &[Change], words: &str| refused(Dialect::OpenaiResponses, changes, words);
    no(&[("/input/3", Value::Null)], "No tool output found for function call c1.");
    no(&[("/input/2/call_id", json!("c2"))], "No tool call found for function call output with call_id c1.");
    let output = json!({ "type": "function_call_output", "call_id": "c1", "output": "again" });
    no(&[("/input/4", output)], "Duplicate item found with call_id c1.");
    no(
        &[("/input/3", Value::Null), ("/input/2", Value::Null)],
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    );
    let (got, refused, _) = send(Dialect::OpenaiResponses, &[("/input/1/encrypted_content", Value::Null)]);
    assert_eq!(got.status, 404);
    assert!(refused.is_some_and(|why| why.starts_with("Item with id 'rs_1' not found.")));
}

#[test]
fn messages_refuse_what_is_missing_or_malformed() {
    let no = |changes: &[Change], words: &str| refused(Dialect::Anthropic, changes, words);
    no(&[("/model", Value::Null)], "model: Field required");
    no(&[("/max_tokens", Value::Null)], "max_tokens: Field required");
    no(&[("/max_tokens", json!(0))], "max_tokens: Input should be greater than or equal to 1");
    no(&[("/messages", Value::Null)], "messages: Field required");
    no(&[("/messages", json!([]))], "messages: at least one message is required");
    no(&[("/messages/0/role", json!("system"))], "messages: Unexpected role \"system\".");
    no(
        &[("/messages/0", json!({ "role": "assistant", "content": "me first" }))],
        "first message must use the \"user\" role",
    );
    no(&[("/messages/0/content", json!(""))], "messages.0: all messages must have non-empty content");
    no(&[("/messages/0/content", json!(" \n"))], "text content blocks must contain non-whitespace text");
    no(&[("/messages/2/content/1/text", json!(""))], "messages: text content blocks must be non-empty");
    no(
        &[("/messages/2/content/1/text", json!("\t"))],
        "text content blocks must contain non-whitespace text",
    );
    no(
        &[("/messages/2/content/0/content/0/text", json!(""))],
        "messages: text content blocks must be non-empty",
    );
    no(&[("/system/0/text", json!(""))], "system: text content blocks must be non-empty");
    no(
        &[("/tools/0/name", json!("a b"))],
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    );
    no(&[("/tools/0/input_schema", Value::Null)], "tools.0.custom.input_schema: Field required");
    no(&[("/tools/0/input_schema/type", Value::Null)], "tools.0.custom.input_schema.type: Field required");
    no(&[("/tools/0/input_schema/type", json!("string"))], "Input should be 'object'");
    no(
        &[("/tools/1", json!({ "name": "read", "input_schema": { "type": "object" } }))],
        "Tool names must be unique",
    );
    taken(Dialect::Anthropic, &[("/tools/0/name", json!("n".repeat(128)))]);
    no(&[("/tools/0/name", json!("n".repeat(129)))], "String should match pattern");
}

#[test]
fn messages_want_their_version() {
    let fake = FakeLlm::start(Dialect::Anthropic);
    let mut client = Client::new(&fake);
    client.send_with(Dialect::Anthropic, &[("x-api-key", "k")], &hello(Dialect::Anthropic).to_string());
    assert_eq!(client.read().json()["error"]["message"], "anthropic-version: header is required");
}

#[test]
fn messages_refuse_calls_and_results_that_do_not_match() {
    let no = |changes: &[Change], words: &str| refused(Dialect::Anthropic, changes, words);
    let open =
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c1. Each";
    no(&[("/messages/2/content/0", Value::Null)], open);
    no(&[("/messages/2", Value::Null)], open);
    // A result that does not stand in front does not count.
    no(&[("/messages/2/content/0", json!({ "type": "text", "text": "first" }))], open);
    no(
        &[("/messages/1/content/1", Value::Null)],
        "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: c1. Each",
    );
    let again = json!({ "type": "tool_use", "id": "c1", "name": "read", "input": {} });
    no(&[("/messages/1/content/2", again)], "messages.1.content.2: `tool_use` ids must be unique");
    let result = json!({ "type": "tool_result", "tool_use_id": "c1", "content": "again" });
    no(
        &[("/messages/2/content/1", result)],
        "messages.2.content.1: each tool_use must have a single result.",
    );
    no(&[("/messages/1/content/1/id", json!("c.1"))], "tool_use.id: String should match pattern");
    no(&[("/messages/1/content/1/input", json!("{}"))], "tool_use.input: Input should be a valid dictionary");
}

#[test]
fn messages_refuse_thoughts_out_of_place_and_too_many_marks() {
    let no = |changes: &[Change], words: &str| refused(Dialect::Anthropic, changes, words);
    let mark = json!({ "type": "ephemeral" });
    no(
        &[("/messages/1/content/0/signature", Value::Null)],
        "messages.1.content.0.thinking.signature: Field required",
    );
    no(
        &[("/messages/1/content/0", json!({ "type": "text", "text": "well" }))],
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.",
    );
    no(
        &[("/messages/1/content/0/cache_control", mark.clone())],
        "thinking.cache_control: Extra inputs are not permitted",
    );
    let marked = [
        ("/system/0/cache_control", mark.clone()),
        ("/tools/0/cache_control", mark.clone()),
        ("/messages/2/content/0/cache_control", mark.clone()),
        ("/messages/2/content/1/cache_control", mark.clone()),
        ("/messages/1/content/1/cache_control", mark.clone()),
    ];
    taken(Dialect::Anthropic, &marked[..4]);
    no(&marked, "A maximum of 4 blocks with cache_control may be provided. Found 5.");
    // A tool's own argument of that name is no mark.
    let mut with_argument = marked[..4].to_vec();
    with_argument.push(("/messages/1/content/1/input/cache_control", mark));
    taken(Dialect::Anthropic, &with_argument);
}

#[test]
fn messages_refuse_a_last_word_that_trails_off() {
    let prefill = |text: &str| json!({ "role": "assistant", "content": text });
    refused(
        Dialect::Anthropic,
        &[("/messages/3", prefill("and so "))],
        "messages: final assistant content cannot end with trailing whitespace",
    );
    taken(Dialect::Anthropic, &[("/messages/3", prefill("and so"))]);
}

#[test]
fn gemini_refuses_what_is_missing_or_malformed() {
    let no = |changes: &[Change], words: &str| refused(Dialect::Gemini, changes, words);
    no(&[("/contents", Value::Null)], "contents is not specified");
    no(&[("/contents/0/role", json!("assistant"))], "Please use a valid role: user, model.");
    no(&[("/contents/0/parts", json!([]))], "contents[0].parts: contents.parts must not be empty.");
    no(&[("/contents/0/parts/0/text", json!(""))], "contents[0].parts[0].data: required oneof field 'data'");
    no(
        &[("/systemInstruction/parts/0/text", json!(" "))],
        "system_instruction.parts[0].data: required oneof field",
    );
    no(&[("/tools/0/functionDeclarations/0/name", json!("1st"))], "[FIELD_INVALID] Invalid function name.");
    let parameters = "/tools/0/functionDeclarations/0/parameters";
    no(
        &[("/tools/0/functionDeclarations/0/parameters/additionalProperties", json!(false))],
        "Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters': Cannot find field.",
    );
    no(
        &[("/tools/0/functionDeclarations/0/parameters/properties/path/$schema", json!("x"))],
        "Unknown name \"$schema\" at 'tools[0].function_declarations[0].parameters.properties[0].value'",
    );
    no(
        &[("/tools/0/functionDeclarations/0/parameters/properties/path/type", json!(["string", "null"]))],
        "Proto field is not repeating, cannot start list.",
    );
    no(&[("/tools/0/functionDeclarations/0/parameters/type", json!("string"))], "parameters.type:");
    let any = json!({ "type": "object", "additionalProperties": false });
    taken(
        Dialect::Gemini,
        &[(parameters, Value::Null), ("/tools/0/functionDeclarations/0/parametersJsonSchema", any)],
    );
}

#[test]
fn gemini_refuses_turns_that_do_not_match() {
    let no = |changes: &[Change], words: &str| refused(Dialect::Gemini, changes, words);
    let user = json!({ "role": "user", "parts": [{ "text": "more" }] });
    let model = json!({ "role": "model", "parts": [{ "text": "more" }] });
    let response = json!({ "functionResponse": { "name": "read", "response": { "result": "x" } } });
    no(&[("/contents/0", Value::Null)], "function call turn comes immediately after a user turn");
    no(&[("/contents/0", model.clone())], "start with a user role");
    no(&[("/contents/0", user)], "alternate between user and model");
    no(&[("/contents/3", model)], "end with a user role or a function response");
    no(&[("/contents/2/parts/0", Value::Null)], "the number of function response parts is equal to");
    no(&[("/contents/2/parts/1", response.clone())], "the number of function response parts is equal to");
    no(
        &[("/contents/2/parts/0/functionResponse/name", json!("write"))],
        "the names of the function response parts match",
    );
    no(
        &[("/contents/0/parts/0", response)],
        "function response turn comes immediately after a function call turn",
    );
}

#[test]
fn ollama_refuses_what_is_missing_malformed_or_unpaired() {
    let no = |changes: &[Change], words: &str| refused(Dialect::Ollama, changes, words);
    no(&[("/model", Value::Null)], "model is required");
    no(&[("/messages", json!([]))], "messages is required");
    no(&[("/options", Value::Null)], "options.num_ctx is missing");
    no(&[("/messages/0/role", json!("robot"))], "invalid role: robot");
    no(&[("/messages/1/content", json!([]))], "cannot unmarshal array into Go struct field");
    no(&[("/messages/1/content", json!(" "))], "messages[1]: the content is blank");
    no(
        &[("/messages/2/tool_calls/0/function/arguments", json!("{}"))],
        "cannot unmarshal string into Go struct field",
    );
    no(
        &[("/tools/0/function/name", json!("a b"))],
        "tools[0]: a function needs a name and parameters of type object",
    );
    no(&[("/messages/2", Value::Null)], "messages[2]: a tool message without a call before it");
    no(&[("/messages/3", Value::Null)], "messages[3]: 1 calls before it have no tool message");
    no(
        &[("/messages/4", Value::Null), ("/messages/3", Value::Null)],
        "the last 1 calls have no tool message",
    );
}

/// Where in the request of this dialect the first one is that this is true of, and a path below it.
fn below(dialect: Dialect, list: &str, path: &str, is_it: impl Fn(&Value) -> bool) -> &'static str {
    let place = round(dialect)[list].as_array().unwrap().iter().position(is_it).unwrap();
    format!("/{list}/{place}/{path}").leak()
}

fn url(kind: &str, data: &str) -> String {
    format!("data:{kind};base64,{data}")
}

#[test]
fn chat_takes_pictures_of_the_user_alone() {
    let dialect = Dialect::OpenaiChat;
    let content = |url: String| json!([{ "type": "image_url", "image_url": { "url": url } }]);
    let user = below(dialect, "messages", "content", |message| message["role"] == "user");
    let tool = below(dialect, "messages", "content", |message| message["role"] == "tool");
    taken(dialect, &[(user, content(url("image/png", "aGk=")))]);
    refused(dialect, &[(user, content(url("image/tiff", "aGk=")))], "unsupported image");
    refused(dialect, &[(user, content(url("image/png", "a[REDACTED]")))], "Invalid base64");
    refused(dialect, &[(user, content("https://host/a.png".to_string()))], "data URLs alone");
    let words = "only allowed for messages with role 'user'";
    refused(dialect, &[(tool, content(url("image/png", "aGk=")))], words);
}

#[test]
fn responses_take_pictures_in_outputs() {
    let dialect = Dialect::OpenaiResponses;
    let output = below(dialect, "input", "output", |item| item["type"] == "function_call_output");
    let image = |url: String| json!([{ "type": "input_image", "image_url": url }]);
    taken(dialect, &[(output, image(url("image/webp", "aGk=")))]);
    refused(dialect, &[(output, image(url("image/bmp", "aGk=")))], "unsupported image");
    refused(dialect, &[(output, json!([{ "type": "output_text", "text": "x" }]))], "Invalid value");
}

#[test]
fn messages_take_pictures_in_results() {
    let dialect = Dialect::Anthropic;
    let content = |kind: &str, data: &str| {
        let source = json!({ "type": "base64", "media_type": kind, "data": data });
        json!([{ "type": "text", "text": "seen" }, { "type": "image", "source": source }])
    };
    let is_result = |message: &Value| message["content"][0]["type"] == "tool_result";
    let result = below(dialect, "messages", "content/0/content", is_result);
    taken(dialect, &[(result, content("image/png", "aGk="))]);
    refused(dialect, &[(result, content("image/tiff", "aGk="))], "Input should be 'image/jpeg'");
    refused(dialect, &[(result, content("image/png", "a"))], "invalid base64");
    refused(dialect, &[(result, content("image/png", &"AAAA".repeat(2 << 20)))], "image exceeds 5 MB");
    refused(dialect, &[(result, json!([{ "type": "video" }]))], "Input tag 'video'");
}

#[test]
fn gemini_takes_pictures_beside_responses() {
    let dialect = Dialect::Gemini;
    let is_response = |content: &Value| content["parts"][0]["functionResponse"].is_object();
    let inside = below(dialect, "contents", "parts/0/functionResponse/parts", is_response);
    let beside = below(dialect, "contents", "parts/1", is_response);
    let inline = |kind: &str, data: &str| json!({ "inlineData": { "mimeType": kind, "data": data } });
    taken(dialect, &[(beside, inline("image/png", "aGk="))]);
    refused(dialect, &[(beside, inline("image/gif", "aGk="))], "Unsupported MIME type: image/gif");
    refused(dialect, &[(beside, inline("image/png", ""))], "Base64 decoding failed");
    refused(dialect, &[(inside, json!([inline("image/png", "aGk=")]))], "for Gemini 3 alone");
}

#[test]
fn ollama_takes_pictures_of_the_user_alone() {
    let dialect = Dialect::Ollama;
    let user = below(dialect, "messages", "images", |message| message["role"] == "user");
    let tool = below(dialect, "messages", "images", |message| message["role"] == "tool");
    taken(dialect, &[(user, json!(["aGk="]))]);
    refused(dialect, &[(user, json!(["a"]))], "illegal base64");
    refused(dialect, &[(tool, json!(["aGk="]))], "not looked at");
}
