//! How much a PDF may become while it is loaded. The library bounds each stream; a document that names one object many times is bounded
//! by nobody but us.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

use lopdf::{Document, LoadOptions, Object, ObjectId};

/// How large one stream of a document may become when it is unpacked while loading: tables and lists of objects, no pages.
const STREAM_BYTES_MAX: usize = 4 << 20;
/// What all objects of a document may weigh.
const OBJECTS_BYTES_MAX: usize = 128 << 20;
const NAME: &[u8] = b"Encrypt";

thread_local! {
    /// What may still be loaded on this thread, and until when. The library takes a plain function, so there is no other place for it.
    static LEFT: Cell<(usize, Option<Instant>)> = const { Cell::new((0, None)) };
}

/// Why loading was broken off.
struct Stopped(&'static str);

/// Loads a document, or says why it cannot be read.
pub(crate) fn load(bytes: &[u8], deadline: Instant) -> Result<Document, String> {
    // The library weighs nothing of these.
    if is_encrypted(bytes) {
        return Err("it is encrypted".to_owned());
    }
    let options = LoadOptions {
        filter: Some(weighed),
        max_decompressed_size: Some(STREAM_BYTES_MAX),
        ..LoadOptions::default()
    };
    LEFT.set((OBJECTS_BYTES_MAX, Some(deadline)));
    let loaded = catch_unwind(AssertUnwindSafe(|| Document::load_mem_with_options(bytes, options)));
    match loaded {
        Ok(loaded) => loaded.map_err(|error| error.to_string()),
        Err(panic) => Err(why(panic)),
    }
}

fn why(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<Stopped>() {
        Ok(stopped) => stopped.0.to_owned(),
        Err(panic) => resume_unwind(panic),
    }
}

/// Takes an object up, unless there is no more room or time: then nothing is loaded any more.
#[expect(clippy::unnecessary_wraps, reason = "the library says what it looks like")]
fn weighed(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let (left, deadline) = LEFT.get();
    let Some(left) = left.checked_sub(weight(object)) else { stop("it unpacks to more than can be read") };
    if deadline.is_some_and(|deadline| Instant::now() > deadline) {
        stop("it takes too long to read");
    }
    LEFT.set((left, deadline));
    // Some callers go on with the object, others with what they are given back.
    Some((id, object.clone()))
}

/// There is no other way to tell the library.
fn stop(why: &'static str) -> ! {
    resume_unwind(Box::new(Stopped(why)))
}

/// What an object takes. How deep one goes the library has bounded.
fn weight(object: &Object) -> usize {
    let inside = match object {
        Object::Array(list) => list.iter().map(weight).sum(),
        Object::Dictionary(dictionary) => entries(dictionary),
        Object::Stream(stream) => entries(&stream.dict) + stream.content.len(),
        Object::Name(bytes) | Object::String(bytes, _) => bytes.len(),
        _ => 0,
    };
    size_of::<Object>() + inside
}

fn entries(dictionary: &lopdf::Dictionary) -> usize {
    dictionary.iter().map(|(name, value)| size_of::<Vec<u8>>() + name.len() + weight(value)).sum()
}

/// Whether its trailer may say so. Letters of a name may be written as numbers.
fn is_encrypted(bytes: &[u8]) -> bool {
    let names = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    names.map(|(at, _)| &bytes[at + 1..]).any(is_the_name)
}

fn is_the_name(mut rest: &[u8]) -> bool {
    for wanted in NAME {
        let letter = match rest {
            [b'#', high, low, after @ ..] => {
                rest = after;
                std::str::from_utf8(&[*high, *low]).ok().and_then(|code| u8::from_str_radix(code, 16).ok())
            }
            [letter, after @ ..] => {
                rest = after;
                Some(*letter)
            }
            [] => None,
        };
        if letter != Some(*wanted) {
            return false;
        }
    }
    rest.first().is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'#')
}

#[cfg(test)]
#[path = "weighing_tests.rs"]
mod tests;
