//! YAML with its places.
#![cfg(test)]

use candor_yaml::{DEPTH_MAX, Node, Parsed, Place, Plain, Text, Value, Wrong, parse};
use serde_json::json;

const NODES_MAX: usize = 1000;

fn read(text: &str) -> Parsed {
    parse(Text { text, first_line: 1, nodes_max: NODES_MAX })
}

fn wrong(parsed: &Parsed) -> Vec<(u32, u32, Wrong)> {
    parsed.mistakes.iter().map(|made| (made.place.line, made.place.column, made.wrong.clone())).collect()
}

#[track_caller]
fn root(parsed: &Parsed) -> &Node {
    parsed.root.as_ref().expect("a tree")
}

#[test]
fn everything_knows_where_it_stands() {
    let parsed = read("ä: [one, 'two']\nkey:\nlast: |\n  text\n");
    assert!(parsed.mistakes.is_empty(), "{parsed:?}");
    let Value::Table(entries) = &root(&parsed).value else { panic!("{parsed:?}") };
    assert_eq!(entries[0].place, Place { line: 1, column: 1, width: 1 });
    let Value::List(items) = &entries[0].node.value else { panic!("{parsed:?}") };
    assert_eq!(items[1].place, Place { line: 1, column: 10, width: 5 });
    // Nothing stands nowhere: its place is that of its key.
    assert_eq!(entries[1].node.place, Place { line: 2, column: 1, width: 3 });
    assert_eq!(root(&parsed).json(), json!({ "ä": ["one", "two"], "key": null, "last": "text\n" }));
}

#[test]
fn a_part_of_another_text_has_the_lines_of_that() {
    let parsed = parse(Text { text: "a: 1\nb: {\n", first_line: 40, nodes_max: NODES_MAX });
    let [mistake] = parsed.mistakes.as_slice() else { panic!("{parsed:?}") };
    assert!(matches!(mistake.wrong, Wrong::Syntax(_)) && mistake.place.line >= 41, "{mistake:?}");
    assert!(mistake.place.line <= 42, "not on a line that there is not: {mistake:?}");
}

#[test]
fn scalars_mean_what_the_core_schema_says() {
    for (text, plain) in [
        ("", Plain::Null),
        ("~", Plain::Null),
        ("True", Plain::Bool(true)),
        ("yes", Plain::Text),
        ("-12", Plain::Int(-12)),
        ("+12", Plain::Int(12)),
        ("0x1F", Plain::Int(31)),
        ("0o17", Plain::Int(15)),
        ("1.10", Plain::Float(1.1)),
        ("1e3", Plain::Float(1000.0)),
        ("1.2.3", Plain::Text),
        ("-", Plain::Text),
        ("12 apples", Plain::Text),
    ] {
        assert_eq!(Plain::of(text), plain, "{text:?}");
    }
    let parsed = read("[18446744073709551615, '1', 1.10, 0x10, 1e999]");
    assert_eq!(root(&parsed).json(), json!([u64::MAX, "1", 1.1, 16, "1e999"]));
    let Value::List(items) = &root(&parsed).value else { panic!("{parsed:?}") };
    assert_eq!(items[2].text(), Some("1.10"), "as it was written");
}

#[test]
fn a_key_that_is_there_twice_is_told_and_the_first_is_kept() {
    let parsed = read("a: 1\nb: 2\na: 3\n");
    assert_eq!(wrong(&parsed), [(3, 1, Wrong::SecondKey { key: "a".to_owned(), first: 1 })]);
    assert_eq!(root(&parsed).json(), json!({ "a": 1, "b": 2 }));
}

#[test]
fn aliases_and_merges_are_unfolded() {
    let parsed = read("base: &b { x: 1, y: 2 }\none: *b\ntwo:\n  <<: *b\n  y: 3\n");
    assert_eq!(
        root(&parsed).json(),
        json!({ "base": { "x": 1, "y": 2 }, "one": { "x": 1, "y": 2 }, "two": { "y": 3, "x": 1 } })
    );
}

#[test]
fn what_is_no_tree_is_refused_with_its_place() {
    assert_eq!(wrong(&read("a: 1\n---\nb: 2\n"))[0].2, Wrong::SecondDocument);
    assert_eq!(wrong(&read("a: 1\n[b]: c\n"))[0], (2, 1, Wrong::KeyIsNoWord));
    assert!(matches!(wrong(&read("a: *b\n"))[0].2, Wrong::NoAnchor | Wrong::Syntax(_)));
    assert!(read("").root.is_none() && read("# nothing\n").mistakes.is_empty());
}

#[test]
fn bombs_are_refused_instead_of_unfolded() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(read(&deep(DEPTH_MAX)).mistakes.is_empty());
    assert_eq!(wrong(&read(&deep(DEPTH_MAX + 1)))[0].2, Wrong::TooDeep);
    let mut laughs = vec!["a0: &a0 [x, x, x, x, x, x, x, x, x, x]".to_owned()];
    laughs.extend((1..9).map(|level| {
        let before = format!("*a{}", level - 1);
        format!("a{level}: &a{level} [{}]", vec![before; 10].join(", "))
    }));
    assert_eq!(wrong(&read(&laughs.join("\n")))[0].2, Wrong::TooLarge(NODES_MAX));
    // Deep only once its aliases are unfolded.
    let mut stairs = vec!["a0: &a0 x".to_owned()];
    stairs.extend((1..=DEPTH_MAX).map(|level| format!("a{level}: &a{level} [*a{}]", level - 1)));
    let parsed = parse(Text { text: &stairs.join("\n"), first_line: 1, nodes_max: 100_000 });
    assert_eq!(wrong(&parsed)[0].2, Wrong::TooDeep);
}

#[test]
fn what_was_complete_before_a_mistake_is_kept() {
    let parsed = read("checks:\n  - { run: one }\n  - { run: two }\n  - { run: \"three\n");
    assert_eq!(parsed.mistakes.len(), 1);
    assert_eq!(root(&parsed).json(), json!({ "checks": [{ "run": "one" }, { "run": "two" }] }));
}
