//! What comes from a server, as a model reads it: always marked as what it is.

use candor_log::event;
use candor_protocol::{Image, is_picture};
use candor_tools::{ToolContext, ToolOutput};
use rmcp::model::{
    CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult, ResourceContents, Role,
};
use serde_json::{Map, Value, json};

use crate::Error;
use crate::connection::shortened;

/// What everything around the content may take of the output.
const FRAME_BYTES: usize = 1024;
/// The largest picture that is shown, in base64: providers take hardly larger ones.
const PICTURE_CHARS_MAX: usize = (4 << 20) / 3 * 4;
/// The most pictures of one call.
const PICTURES_MAX: usize = 8;

/// What is told, piece by piece, within the room that there is.
struct Telling {
    room: usize,
    pieces: Vec<Value>,
    images: Vec<Image>,
    original_bytes: usize,
    is_cut: bool,
}

/// The output of a call that the server answered.
pub(crate) fn of_call(
    server: &str,
    tool: &str,
    name: &str,
    answer: CallToolResult,
    context: &ToolContext,
) -> ToolOutput {
    let is_error = answer.is_error == Some(true);
    let mut telling = Telling::new(context.rules.output_bytes_max);
    let first_text = answer.content.iter().find_map(|block| Some(block.as_text()?.text.clone()));
    let structured = answer.structured_content.filter(|value| !is_repeated(value, first_text.as_deref()));
    answer.content.into_iter().for_each(|block| telling.block(block));
    let structured = structured.map(|value| telling.value(value));
    telling.log(name, context);
    if is_error {
        let reason = first_text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let reason = shortened(reason.unwrap_or("it did not say why"));
        let error = Error::Call { server: server.to_owned(), tool: tool.to_owned(), reason };
        let mut output = ToolOutput::refused(&error.failure());
        for (key, value) in telling.told(server, structured) {
            output.add(&key, value);
        }
        output.for_people = format!("{server}: {tool} failed");
        output.images = telling.images;
        return output;
    }
    let told = Value::Object(telling.told(server, structured));
    let for_people = match first_text.as_deref().and_then(|text| text.trim().lines().next()) {
        Some(line) => format!("{server}: {}", line.chars().take(120).collect::<String>()),
        None => format!("{server}: {tool}"),
    };
    let mut output = ToolOutput::success(told.to_string(), for_people);
    output.images = telling.images;
    output
}

/// The output of one that was not answered.
pub(crate) fn of_error(server: &str, error: &Error) -> ToolOutput {
    let mut output = ToolOutput::refused(&error.failure());
    output.add("server", server.into());
    let said = error.to_string();
    output.for_people = said.lines().next().map(str::to_owned).unwrap_or_default();
    output
}

/// The output of a resource that was read.
pub(crate) fn of_resource(
    server: &str,
    uri: &str,
    read: ReadResourceResult,
    context: &ToolContext,
) -> ToolOutput {
    let mut telling = Telling::new(context.rules.output_bytes_max);
    read.contents.into_iter().for_each(|contents| telling.resource(contents));
    telling.log("mcp_resources", context);
    let told = Value::Object(telling.told(server, None));
    let mut output = ToolOutput::success(told.to_string(), format!("{server}: {uri}"));
    output.images = telling.images;
    output
}

/// The output of a list that came from servers.
pub(crate) fn of_list(list: Vec<Value>, for_people: String, context: &ToolContext) -> ToolOutput {
    let mut telling = Telling::new(context.rules.output_bytes_max);
    let list = list.into_iter().map(|value| telling.value(value)).collect::<Vec<_>>();
    telling.log("mcp_resources", context);
    ToolOutput::success(json!({ "untrusted": true, "servers": list }).to_string(), for_people)
}

/// A prompt, as text.
pub(crate) fn prompt_text(prompt: &GetPromptResult) -> String {
    let mut texts = Vec::new();
    for message in &prompt.messages {
        let text = match &message.content {
            ContentBlock::Text(text) => text.text.clone(),
            ContentBlock::Resource(resource) => resource.get_text(),
            ContentBlock::ResourceLink(link) => link.uri.clone(),
            _ => "[something that is no text]".to_owned(),
        };
        let who = if message.role == Role::Assistant { "Assistant: " } else { "" };
        texts.push(format!("{who}{text}"));
    }
    texts.join("\n\n")
}

impl Telling {
    fn new(output_bytes_max: usize) -> Self {
        let room = output_bytes_max.saturating_sub(FRAME_BYTES).max(FRAME_BYTES);
        Self { room, pieces: Vec::new(), images: Vec::new(), original_bytes: 0, is_cut: false }
    }

    fn block(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(text) => self.text(text.text),
            ContentBlock::Image(image) => self.picture(image.mime_type, image.data),
            ContentBlock::Audio(audio) => {
                let size = audio.data.len();
                self.piece(json!({ "type": "audio", "mimeType": audio.mime_type, "leftOut": format!("{size} bytes of base64") }));
            }
            ContentBlock::Resource(embedded) => self.resource(embedded.resource),
            ContentBlock::ResourceLink(link) => {
                let mut link = serde_json::to_value(link).unwrap_or_default();
                link["type"] = "resource_link".into();
                self.piece(link);
            }
            _ => self.piece(json!({ "leftOut": "something of a kind that is not known here" })),
        }
    }

    fn resource(&mut self, contents: ResourceContents) {
        match contents {
            ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
                let text = self.fit(text);
                self.pieces
                    .push(json!({ "type": "resource", "uri": uri, "mimeType": mime_type, "text": text }));
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let kind = mime_type.clone().unwrap_or_default();
                let is_shown = kind.starts_with("image/") && is_picture(&blob);
                let size = blob.len();
                self.piece(
                    json!({ "type": "resource", "uri": uri, "mimeType": mime_type, "bytesOfBase64": size }),
                );
                if is_shown {
                    self.picture(kind, blob);
                }
            }
            _ => self.piece(json!({ "leftOut": "a resource of a kind that is not known here" })),
        }
    }

    fn picture(&mut self, media_type: String, data: String) {
        let reason = if !is_picture(&data) {
            "it is no picture of a kind that models take"
        } else if data.len() > PICTURE_CHARS_MAX || self.images.len() >= PICTURES_MAX {
            "it is too large, or one too many"
        } else {
            self.images.push(Image { media_type, data });
            return self.pieces.push(json!({ "type": "image", "shown": true }));
        };
        self.piece(json!({ "type": "image", "mimeType": media_type, "leftOut": reason }));
    }

    fn text(&mut self, text: String) {
        let text = self.fit(text);
        self.pieces.push(text.into());
    }

    fn piece(&mut self, piece: Value) {
        let piece = self.value(piece);
        self.pieces.push(piece);
    }

    /// A value, or its text as far as there is room.
    fn value(&mut self, value: Value) -> Value {
        let text = value.to_string();
        if text.len() <= self.room {
            self.room -= text.len();
            self.original_bytes += text.len();
            return value;
        }
        self.fit(text).into()
    }

    /// As much of a text as there is room, from both of its ends.
    fn fit(&mut self, text: String) -> String {
        self.original_bytes += text.len();
        // As it is sent: a byte may take six.
        let Some((head, tail)) = candor_tools::ends(&text, self.room) else {
            self.room -= candor_tools::json_bytes(&text);
            return text;
        };
        self.is_cut = true;
        self.room = 0;
        let left_out = text.len() - head.len() - tail.len();
        format!("{head}\n[output truncated: {left_out} bytes left out]\n{tail}")
    }

    fn told(&mut self, server: &str, structured: Option<Value>) -> Map<String, Value> {
        let pieces = std::mem::take(&mut self.pieces);
        let content = match <[Value; 1]>::try_from(pieces) {
            Ok([only]) => only,
            Err(pieces) => pieces.into(),
        };
        let mut told = Map::new();
        told.insert("server".to_owned(), server.into());
        told.insert("untrusted".to_owned(), true.into());
        told.insert("content".to_owned(), content);
        if let Some(structured) = structured {
            told.insert("structured".to_owned(), structured);
        }
        told
    }

    fn log(&self, tool: &str, context: &ToolContext) {
        if self.is_cut {
            event::ToolOutputTruncated {
                session_id: context.session,
                tool,
                original_bytes: self.original_bytes as u64,
                truncated_bytes: context.rules.output_bytes_max as u64,
            }
            .log();
        }
    }
}

/// Servers that answer with a value say the same as text, for those who know no better.
fn is_repeated(value: &Value, text: Option<&str>) -> bool {
    text.and_then(|text| serde_json::from_str::<Value>(text).ok()).is_some_and(|told| told == *value)
}
