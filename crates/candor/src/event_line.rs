//! An event as a line of JSON, masked but for its pictures: a mask in base64 would leave nothing of one.

use candor_protocol::{Event, EventBody, Part, is_picture};
use candor_redact::Redactor;

/// The line, without its end.
pub(crate) fn event_line(event: &Event, redactor: &Redactor) -> String {
    // Nothing in an event can fail to be JSON.
    let line = serde_json::to_string(event).unwrap_or_default();
    let (mut masked, mut rest) = (String::with_capacity(line.len()), line.as_str());
    for picture in pictures(&event.body) {
        // Base64 is the same in JSON.
        let Some((before, after)) = rest.split_once(picture) else { continue };
        masked.push_str(&redactor.redact_str(before));
        masked.push_str(picture);
        rest = after;
    }
    masked.push_str(&redactor.redact_str(rest));
    masked
}

/// The pictures of an event, in the order in which they stand in it.
fn pictures(body: &EventBody) -> Vec<&str> {
    let data: Vec<&str> = match body {
        EventBody::ToolResult { images, .. } => images.iter().map(|image| image.data.as_str()).collect(),
        EventBody::MessageAccepted { content, .. } => content.iter().filter_map(given).collect(),
        _ => Vec::new(),
    };
    data.into_iter().filter(|data| is_picture(data)).collect()
}

fn given(part: &Part) -> Option<&str> {
    match part {
        Part::Image { data, .. } => Some(data),
        _ => None,
    }
}
