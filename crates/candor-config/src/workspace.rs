//! What the config file of a workspace is allowed to say.
//!
//! A workspace is code someone else wrote. It may choose how it wants to be worked on; it may tighten a wall and never
//! loosen one, and it cannot send keys elsewhere, write files elsewhere or run commands.

use crate::decode::Decoder;
use crate::merge::field_of;
use crate::node::{Entry, Node, Table, Value};
use crate::problem::WarningKind;
use crate::setting::{Field, Kind, Scope, Unit};
use crate::units;

/// Takes out of `table` what a workspace may not set, with a warning for each; `base` is what holds without it.
pub(crate) fn restrict(table: &mut Table, base: &Table, fields: &'static [Field], decoder: &mut Decoder<'_>) {
    table.retain(|entry| {
        // Keys nobody knows are warned of when the whole is read.
        let Some(field) = field_of(fields, &entry.key) else { return true };
        let key = entry.key.clone();
        decoder.inside(&key, |decoder| permitted(entry, base, field, decoder))
    });
}

fn permitted(entry: &mut Entry, base: &Table, field: &'static Field, decoder: &mut Decoder<'_>) -> bool {
    let place = entry.key_place.clone();
    let before = base
        .get(field.name)
        .map_or_else(|| Value::from_json(&(field.default)(), &place), |node| node.value.clone());
    let refusal = match field.scope {
        Scope::Any => return true,
        Scope::Inside => {
            inside(entry, &before, field, decoder);
            return true;
        }
        Scope::Owner => "a workspace may not set this; ignored",
        Scope::Lower if is_lower(&entry.node.value, &before, field) => return true,
        Scope::Lower => "a workspace may lower this limit, not raise it; ignored",
        Scope::Earlier if is_earlier(&entry.node.value, &before, field) => return true,
        Scope::Earlier => "a workspace may be stricter than its owner, not looser; ignored",
        Scope::Longer if matches!(entry.node.value, Value::Null) => {
            "a workspace may add to this list; ignored"
        }
        Scope::Longer => {
            prepend(&mut entry.node.value, before);
            return true;
        }
        Scope::Narrower => match narrow(&mut entry.node.value, &before, field, decoder) {
            Narrowed::Part => return true,
            Narrowed::Cut => {
                decoder.warn(
                    &place,
                    WarningKind::NotForWorkspace,
                    "a workspace may keep part of this list, not add to it; what it added is ignored",
                );
                return true;
            }
            // An empty list would lift the limit that the owner's list sets.
            Narrowed::Nothing => "a workspace may keep part of this list, and this keeps none of it; ignored",
        },
    };
    decoder.warn(&place, WarningKind::NotForWorkspace, refusal);
    false
}

fn inside(entry: &mut Entry, before: &Value, field: &Field, decoder: &mut Decoder<'_>) {
    if let (Value::Table(table), Kind::Table(fields)) = (&mut entry.node.value, (field.kind)()) {
        let base = if let Value::Table(base) = before { base } else { Table::EMPTY };
        restrict(table, base, fields, decoder);
    }
}

/// A value that cannot be read as a number is let through, to be refused with its place when it is read.
fn is_lower(new: &Value, before: &Value, field: &Field) -> bool {
    let kind = (field.kind)();
    match (magnitude(new, kind), magnitude(before, kind)) {
        (Some(new), Some(before)) => new <= before,
        // To take a limit away is to raise it.
        (None, Some(_)) => !matches!(new, Value::Null),
        _ => true,
    }
}

fn magnitude(value: &Value, kind: Kind) -> Option<f64> {
    let scale = match kind {
        Kind::Duration { unit: Unit::Milliseconds, .. } => 0.001,
        Kind::Size { unit: Unit::Megabytes, .. } => 1e6,
        _ => 1.0,
    };
    #[expect(clippy::cast_precision_loss, reason = "only compared")]
    match (value, kind) {
        (Value::Int(number), _) => Some(*number as f64 * scale),
        (Value::Float(number), _) => Some(number * scale),
        (Value::Text(text), Kind::Duration { .. }) => units::duration(text).map(|found| found.as_secs_f64()),
        (Value::Text(text), Kind::Size { .. }) => units::size_bytes(text).map(|bytes| bytes as f64),
        _ => None,
    }
}

fn is_earlier(new: &Value, before: &Value, field: &Field) -> bool {
    let Kind::Word(words) = (field.kind)() else { return false };
    let index = |value: &Value| {
        words.iter().position(|word| value.text().is_some_and(|text| word.eq_ignore_ascii_case(text)))
    };
    match (index(new), index(before)) {
        (Some(new), Some(before)) => new <= before,
        (None, Some(_)) => !matches!(new, Value::Null),
        _ => true,
    }
}

fn prepend(new: &mut Value, before: Value) {
    if let (Value::List(new), Value::List(mut all)) = (new, before) {
        all.append(new);
        *new = all;
    }
}

/// What was left of a list.
enum Narrowed {
    /// All of it: it is a part of the owner's.
    Part,
    /// Some of it.
    Cut,
    /// None of it, where the owner's has something.
    Nothing,
}

/// Keeps of the new list what the old one has, or what lies below a path that the old one has.
fn narrow(new: &mut Value, before: &Value, field: &Field, decoder: &mut Decoder<'_>) -> Narrowed {
    let (new, before) = match (new, before) {
        (Value::List(new), Value::List(before)) => (new, before),
        // Nothing in place of a list would be the default again, and that may be no limit at all.
        (Value::Null, _) => return Narrowed::Nothing,
        // What is no list is refused when it is read.
        _ => return Narrowed::Part,
    };
    if before.is_empty() {
        return Narrowed::Part;
    }
    let had = new.len();
    let is_path = matches!((field.kind)(), Kind::List(item) if matches!(item(), Kind::Path));
    new.retain(|item| {
        before.iter().any(|old| {
            if is_path { is_below(item, old, decoder) } else { old.value.text() == item.value.text() }
        })
    });
    match new.len() {
        0 => Narrowed::Nothing,
        left if left == had => Narrowed::Part,
        _ => Narrowed::Cut,
    }
}

/// Whether a path is another or lies in it. A relative one means something else in each file, so both are resolved;
/// one with `..` in it may lead anywhere and is below nothing.
fn is_below(item: &Node, old: &Node, decoder: &mut Decoder<'_>) -> bool {
    let (Some(item), Some(old)) = (decoder.path(item), decoder.path(old)) else { return false };
    let leads_up = item.components().any(|part| part == std::path::Component::ParentDir);
    !leads_up && item.starts_with(old)
}
