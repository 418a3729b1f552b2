//! Files that are no configuration: each is refused by name, none is believed, nothing hangs.

use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;

use candor_config::Error;

use crate::case::Case;

#[track_caller]
fn refusal(case: &Case) -> Error {
    case.try_load().map(|loaded| loaded.config).expect_err("should be refused")
}

#[test]
fn a_directory_where_a_file_is_expected() {
    let case = Case::new();
    std::fs::create_dir_all(case.home.path().join("config.toml")).expect("made");
    assert!(matches!(refusal(&case), Error::NotAFile { kind: "a directory", .. }));
}

#[expect(clippy::disallowed_methods, reason = "the standard library makes no pipes with names")]
fn make_pipe(path: &std::path::Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().expect("runs").success());
}

#[test]
fn a_pipe_does_not_hang() {
    let case = Case::new().with("x", "");
    let pipe = case.home.path().join("config.toml");
    make_pipe(&pipe);
    assert!(matches!(refusal(&case), Error::NotAFile { kind: "a pipe", .. }));
}

#[test]
fn a_hundred_megabytes() {
    let case = Case::new().with("config.toml", "");
    let file =
        std::fs::File::options().write(true).open(case.home.path().join("config.toml")).expect("opens");
    file.set_len(100 * 1024 * 1024).expect("grows");
    assert!(matches!(refusal(&case), Error::TooLarge { size_bytes: 104_857_600, .. }));
}

#[test]
fn bytes_that_are_no_text() {
    let case = Case::new().with("config.toml", b"model = \"x\"\n# \xc3\xa9 \xff\n");
    assert!(matches!(refusal(&case), Error::NotUtf8 { line: 2, column: 5, .. }));
}

#[test]
fn a_byte_order_mark_is_skipped() {
    for case in [Case::toml("\u{feff}model = \"x\"\n"), Case::yaml("\u{feff}model: x\n")] {
        assert_eq!(case.load().config.model.as_deref(), Some("x"));
    }
}

#[test]
fn both_formats_at_once() {
    let case = Case::toml("").with("config.yaml", "");
    assert!(matches!(refusal(&case), Error::BothFormats { .. }));
}

#[test]
fn a_named_file_that_is_not_there_or_has_no_format() {
    assert!(matches!(refusal(&Case::new().file("nowhere.toml")), Error::NotFound { .. }));
    assert!(matches!(refusal(&Case::new().file("nowhere.ini")), Error::NotFound { .. }));
    assert!(matches!(refusal(&Case::new().file("/dev/null")), Error::NotAFile { .. }));
    let case = Case::new().with("config.ini", "");
    let ini = case.home.path().join("config.ini");
    assert!(matches!(refusal(&case.file(ini)), Error::FormatUnknown { .. }));
}

#[test]
fn a_link_to_nowhere_is_not_a_missing_file() {
    let case = Case::new().with("x", "");
    std::os::unix::fs::symlink("/nonexistent/config.toml", case.home.path().join("config.toml"))
        .expect("linked");
    assert!(matches!(refusal(&case), Error::NotFound { .. }));
}

#[test]
fn no_home_at_all() {
    let case = Case::new().without_env("HOME").without_env("CANDOR_HOME");
    assert!(matches!(refusal(&case), Error::NoHome));
}

#[test]
fn no_permission() {
    let case = Case::toml("model = \"x\"\n");
    case.home.set_mode("config.toml", 0o000);
    // Root reads everything; there the refusal cannot be seen, and the file loads.
    let readable = std::fs::File::open(case.home.path().join("config.toml")).is_ok();
    match case.try_load() {
        Ok(_) => assert!(readable),
        Err(error) => assert!(matches!(error, Error::Unreadable { .. }), "{error}"),
    }
}

#[test]
fn a_home_that_cannot_be_made() {
    let case = Case::new().with("x", "");
    let mut request = case.request();
    request.env =
        candor_config::Env::of([("CANDOR_HOME", case.home.path().join("x/y").display().to_string())]);
    let home = candor_config::Home::find(&request.env, &request.cwd).expect("known");
    assert!(matches!(home.make(), Err(Error::Home { .. })));
}

#[test]
fn s12_3_the_home_is_made_on_demand_for_its_owner_alone() {
    let case = Case::new();
    let request = case.request();
    let home = candor_config::Home::find(&request.env, &request.cwd).expect("known");
    home.make().expect("made");
    let mode = std::fs::metadata(home.path()).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    home.make().expect("made again");
}

#[test]
fn a_yaml_bomb_is_refused() {
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..10 {
        let inner = format!("*a{}, ", level - 1).repeat(10);
        writeln!(bomb, "a{level}: &a{level} [{inner}]").expect("written");
    }
    assert!(matches!(refusal(&Case::yaml(&bomb)), Error::TooComplex { .. }));
}

#[test]
fn depth_is_bounded_also_through_aliases() {
    let deep = format!("a: {}1{}\n", "[".repeat(100), "]".repeat(100));
    assert!(matches!(refusal(&Case::yaml(&deep)), Error::TooComplex { .. }));
    let mut chained = format!("a0: &a0 {}1{}\n", "[".repeat(40), "]".repeat(40));
    for level in 1..50 {
        let (open, close) = ("[".repeat(40), "]".repeat(40));
        writeln!(chained, "a{level}: &a{level} {open}*a{}{close}", level - 1).expect("written");
    }
    assert!(matches!(refusal(&Case::yaml(&chained)), Error::TooComplex { .. }));
    // A megabyte of brackets must be refused as well, not overflow a stack.
    for bracket in ["[", "{a: "] {
        let flood = bracket.repeat(1_000_000 / bracket.len());
        refusal(&Case::yaml(&format!("a: {flood}")));
        refusal(&Case::toml(&format!("a = {}", bracket.replace("a: ", "a=").repeat(100_000))));
    }
}

#[test]
fn a_flood_of_keys_or_of_problems_is_bounded() {
    let many = |line: fn(usize) -> String| (0..20_000).map(line).collect::<String>();
    assert!(matches!(refusal(&Case::toml(&many(|n| format!("k{n} = 1\n")))), Error::TooComplex { .. }));
    assert!(matches!(refusal(&Case::yaml(&many(|n| format!("k{n}: 1\n")))), Error::TooComplex { .. }));
    let tables = format!("providers = [{}]\n", "{a = 1}, ".repeat(6_000));
    assert!(matches!(refusal(&Case::toml(&tables)), Error::TooComplex { .. }));
    let wrong = format!("[retry]\nretryable_statuses = [{}]\n", "1, ".repeat(50_000));
    let Error::Invalid { problems, .. } = refusal(&Case::toml(&wrong)) else { panic!("should be invalid") };
    assert_eq!(problems.len(), 100);
}

#[test]
fn an_anchor_that_holds_itself_is_refused() {
    let error = refusal(&Case::yaml("a: &a [*a]\n"));
    assert!(matches!(error, Error::Syntax(_) | Error::TooComplex { .. }), "{error}");
}

#[test]
fn several_documents_and_documents_that_are_no_table() {
    for (yaml, says) in [
        ("model: x\n---\nmodel: y\n", "one YAML document"),
        ("- a\n- b\n", "but this is a list"),
        ("just words\n", "but this is text"),
        ("? [a, b]\n: c\n", "a key must be a word"),
        ("a: *nowhere\n", "config.yaml:1:"),
    ] {
        let text = Case::yaml(yaml).refused();
        assert!(text.contains(says), "{yaml:?}: {text}");
    }
}
