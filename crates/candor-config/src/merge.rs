//! Lays one layer over another.

use crate::node::{Entry, Node, Table, Value};
use crate::setting::{Field, Kind};

/// Puts `over` on top of `base`: tables are merged key by key, everything else is replaced.
pub(crate) fn merge(base: &mut Table, over: Table, fields: &'static [Field]) {
    forget_other_spellings(base, &over, fields);
    for entry in over.into_entries() {
        let kind = field_of(fields, &entry.key).map(|field| (field.kind)());
        merge_entry(base, entry, kind);
    }
}

/// Another spelling of the same setting in a lower layer is the same setting. Two in one layer stay, to be refused.
fn forget_other_spellings(base: &mut Table, over: &Table, fields: &'static [Field]) {
    for field in fields {
        let spellings = (field.kind)().spellings(field.name);
        if spellings.len() > 1 && spellings.iter().any(|key| over.get(key).is_some()) {
            spellings.iter().filter(|key| over.get(key).is_none()).for_each(|key| drop(base.remove(key)));
        }
    }
}

fn merge_entry(base: &mut Table, entry: Entry, kind: Option<Kind>) {
    let under = base.get_mut(&entry.key).map(|node| &mut node.value);
    match (under, entry.node.value, kind) {
        (Some(Value::Table(under)), Value::Table(over), Some(Kind::Table(inner))) => {
            merge(under, over, inner);
        }
        (Some(Value::Table(under)), Value::Table(over), Some(Kind::Map(item))) => {
            for entry in over.into_entries() {
                merge_entry(under, entry, Some(item()));
            }
        }
        // A heading without keys takes nothing away from the layers below.
        (Some(_), Value::Null, Some(Kind::Table(_) | Kind::Map(_))) => {}
        (_, value, _) => base.set(Entry { node: Node { value, place: entry.node.place }, ..entry }),
    }
}

/// The field that a key spells.
pub(crate) fn field_of(fields: &'static [Field], key: &str) -> Option<&'static Field> {
    fields.iter().find(|field| (field.kind)().spellings(field.name).iter().any(|spelling| spelling == key))
}
