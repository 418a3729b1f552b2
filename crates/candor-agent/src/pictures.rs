//! The pictures of a conversation: how many of them are sent, and what stands in the place of the others.
//!
//! Pictures are counted from the first, those that a person gave and those that came of calls alike. What goes, goes from
//! the front: the newest is what the work is about.

#[cfg(test)]
#[path = "pictures_tests.rs"]
mod tests;

use std::collections::VecDeque;

use candor_protocol::{Message, Part};

/// The most pictures in one request. Anthropic takes only small ones where there are more.
const COUNT_MAX: usize = 20;
/// The most base64 in one request: Gemini takes 20 MB as a whole, and nobody takes less.
const BYTES_MAX: usize = 16 << 20;
/// Once there are too many, one part in so many stays. One by one they would change the front of each further request,
/// which the provider has in its cache.
const KEPT_SHARE: usize = 2;

/// Stands in the place of a picture that is too much for one request.
const TOO_MANY: &str = "[A picture was here. There are too many for all of them to be shown.]";
/// Stands in the place of a picture that gave way to words.
pub(crate) const GAVE_WAY: &str =
    "[A picture was here. It is no longer shown, so that the conversation stays short.]";
/// Stands in the place of a picture that the provider did not take.
pub(crate) const REFUSED: &str =
    "[A picture was here. It cannot be shown: the model or its provider did not take it.]";

/// How many pictures there are.
pub(crate) fn count(messages: &[Message]) -> usize {
    sizes(messages).count()
}

/// Leaves out what is too much for one request. The same conversation loses the same pictures each time, and one that
/// only goes on loses no others until there are too many again.
pub(crate) fn leave_out_excess(messages: &mut [Message]) {
    let (mut kept, mut bytes, mut gone) = (VecDeque::new(), 0_usize, 0);
    for size in sizes(messages) {
        kept.push_back(size);
        bytes += size;
        if kept.len() <= COUNT_MAX && bytes <= BYTES_MAX {
            continue;
        }
        // The newest stays, however large it is.
        while kept.len() > 1 && (kept.len() > COUNT_MAX / KEPT_SHARE || bytes > BYTES_MAX / KEPT_SHARE) {
            bytes -= kept.pop_front().unwrap_or_default();
            gone += 1;
        }
    }
    leave_out(messages, gone, TOO_MANY);
}

/// Puts words in the place of the first so many pictures.
pub(crate) fn leave_out(messages: &mut [Message], count: usize, words: &str) {
    let mut left = count;
    for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
        if left == 0 {
            return;
        }
        match part {
            Part::Image { .. } => {
                *part = Part::text(words);
                left -= 1;
            }
            Part::ToolResult(result) => {
                let gone = result.images.len().min(left);
                result.images.drain(..gone);
                for _ in 0..gone {
                    result.content.push('\n');
                    result.content.push_str(words);
                }
                left -= gone;
            }
            _ => {}
        }
    }
}

/// How much base64 each picture has, from the first.
fn sizes(messages: &[Message]) -> impl Iterator<Item = usize> {
    messages.iter().flat_map(|message| &message.parts).flat_map(|part| {
        let (given, came): (Option<usize>, &[_]) = match part {
            Part::Image { data, .. } => (Some(data.len()), &[]),
            Part::ToolResult(result) => (None, &result.images),
            _ => (None, &[]),
        };
        given.into_iter().chain(came.iter().map(|image: &candor_protocol::Image| image.data.len()))
    })
}
