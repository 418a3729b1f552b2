use xtask::tidy::{cycles, floors};

use crate::world::{check, tree, workspace};

const TABLE: &str = "\
# House

## Floors

Some words.

| floor | crate | its one job | uses |
|---|---|---|---|
| 0 | `candor-protocol` | names things | – |
| 1 | `candor-redact` | masks | – |
| 1 | `candor-log` | writes | protocol, redact |
| 6 | `candor` | assembles | log, protocol |
| – | `xtask` | checks | – |

## Words

| not | part | of | it |
";

#[track_caller]
fn check_table(table: &str, members: &[(&str, &[&str])], expected: &[&str]) {
    check(&floors(&tree(&[("ARCHITECTURE.md", table)]), &workspace(members)), expected);
}

const MEMBERS: &[(&str, &[&str])] = &[
    ("candor-protocol", &[]),
    ("candor-redact", &["memchr"]),
    ("candor-log", &["candor-protocol", "candor-redact"]),
    ("candor", &["candor-log", "candor-protocol", "clap"]),
    ("xtask", &[]),
];

#[test]
fn a_true_table_is_fine() {
    check_table(TABLE, MEMBERS, &[]);
}

#[test]
fn what_the_table_does_not_say_is_found() {
    let mut members = MEMBERS.to_vec();
    members[1].1 = &["candor-protocol"];
    let expected = "ARCHITECTURE.md:10: `candor-redact` uses `candor-protocol`; its row does not say so";
    check_table(TABLE, &members, &[expected]);
}

#[test]
fn what_the_table_says_and_is_not_so_is_found() {
    let mut members = MEMBERS.to_vec();
    members[3].1 = &["candor-log"];
    let expected = "ARCHITECTURE.md:12: `candor` does not use `candor-protocol`; its row says so";
    check_table(TABLE, &members, &[expected]);
}

#[test]
fn members_and_rows_are_compared_both_ways() {
    let mut members = MEMBERS.to_vec();
    members[4] = ("candor-new", &[]);
    check_table(
        TABLE,
        &members,
        &[
            "ARCHITECTURE.md:1: `candor-new` has no row",
            "ARCHITECTURE.md:13: `xtask` is not a member of the workspace",
        ],
    );
}

#[test]
fn an_arrow_that_points_up_is_found() {
    let table = TABLE.replace("| 1 | `candor-redact`", "| 2 | `candor-redact`");
    let expected = "ARCHITECTURE.md:11: `candor-log` on floor 1 must not use `candor-redact`";
    check_table(&table, MEMBERS, &[expected]);
}

#[test]
fn no_floor_may_use_what_stands_beside_the_house() {
    let table = TABLE.replace("| 1 | `candor-redact`", "| – | `candor-redact`");
    let expected = "ARCHITECTURE.md:11: `candor-log` on floor 1 must not use `candor-redact`";
    check_table(&table, MEMBERS, &[expected]);
}

#[test]
fn a_row_that_cannot_be_read_is_found() {
    let table = TABLE.replace("| 0 | `candor-protocol` | names things | – |", "| 0 | candor-protocol | – |");
    check_table(
        &table,
        MEMBERS,
        &["ARCHITECTURE.md:9: a row has", "ARCHITECTURE.md:1: `candor-protocol` has no row"],
    );
}

#[test]
fn a_missing_table_or_document_is_found() {
    check_table("# House\n", MEMBERS, &["ARCHITECTURE.md:1: no table below `## Floors`"]);
    check(&floors(&tree(&[]), &workspace(MEMBERS)), &["ARCHITECTURE.md:1: is not there"]);
}

#[test]
fn a_ring_is_found_at_each_of_its_members() {
    let ring = workspace(&[("a", &["b"]), ("b", &["c"]), ("c", &["a"]), ("d", &["a"])]);
    check(
        &cycles(&ring),
        &[
            "crates/a/Cargo.toml:1: `a` depends on itself",
            "crates/b/Cargo.toml:1: `b` depends on itself",
            "crates/c/Cargo.toml:1: `c` depends on itself",
        ],
    );
}
