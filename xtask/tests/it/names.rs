use xtask::tidy::names;

use crate::world::{check, tree, workspace};

#[track_caller]
fn check_source(source: &str, expected: &[&str]) {
    check(&names(&tree(&[("src/a.rs", source)]), &workspace(&[])), expected);
}

#[test]
fn banned_words_are_found_in_every_kind_of_definition() {
    check_source(
        "struct SessionManager;\nenum Helper {}\npub trait EventHandler {}\ntype UserInfo = u8;\n\
         pub(crate) fn parse_common() {}\nmod utils;\nstruct ApiV2<T>(T);\nfn misc() {}\nunion HTTPUtil { a: u8 }\n",
        &[
            "src/a.rs:1: `SessionManager`: `manager`",
            "src/a.rs:2: `Helper`: `helper`",
            "src/a.rs:3: `EventHandler`: `handler`",
            "src/a.rs:4: `UserInfo`: `info`",
            "src/a.rs:5: `parse_common`: `common`",
            "src/a.rs:6: `utils`: `utils`",
            "src/a.rs:7: `ApiV2`: `v2`",
            "src/a.rs:8: `misc`: `misc`",
            "src/a.rs:9: `HTTPUtil`: `util`",
        ],
    );
}

#[test]
fn words_that_only_contain_a_banned_one_are_fine() {
    check_source(
        "fn inform() {}\nstruct Utility;\nfn commonly() {}\nenum Level { Info }\nstruct Informant;\n",
        &[],
    );
}

#[test]
fn the_log_level_keeps_its_name() {
    check_source("fn info() {}\nfn info_line() {}\n", &["src/a.rs:2: `info_line`: `info`"]);
    // A trait of somebody else's is called as it is.
    check_source("fn get_info() {}\n", &[]);
}

#[test]
fn the_name_of_a_test_is_a_sentence() {
    let source = "fn a_reload_is_info_when_it_works() {}\nfn run_helper() {}\nstruct AVeryLongHelper;\n";
    let path = "crates/a/tests/it/b.rs";
    check(
        &names(&tree(&[(path, source)]), &workspace(&[])),
        &[&format!("{path}:2: `run_helper`"), &format!("{path}:3: `AVeryLongHelper`")],
    );
}

#[test]
fn only_definitions_count() {
    check_source(
        "// struct AHandler;\n/* /* nested */ fn helper() {} */\nlet x = \"fn helper()\";\nlet y = r#\"mod \" utils\"#;\n\
         let z = '\"'; fn ok<'a>() {} // '\nuse std::fmt::Info;\nlet c = b\"\\\"fn helper\"; let q = '\\'';\n",
        &[],
    );
}

#[test]
fn code_after_literals_and_comments_is_code_again() {
    check_source(
        "let z = '\"'; fn helper_a() {}\nlet r = r\"\\\"; fn helper_b() {}\n/* x */ fn helper_c() {}\n\
         let s = \"\\\\\"; fn helper_d() {}\nfn f<'a>(x: &'a str) {} fn helper_e() {}\nlet e = '\\\"'; fn helper_f() {}\n",
        &[
            "src/a.rs:1: `helper_a`",
            "src/a.rs:2: `helper_b`",
            "src/a.rs:3: `helper_c`",
            "src/a.rs:4: `helper_d`",
            "src/a.rs:5: `helper_e`",
            "src/a.rs:6: `helper_f`",
        ],
    );
}

#[test]
fn a_crate_that_everything_would_fall_into_is_found() {
    let workspace = workspace(&[("candor-core", &[]), ("candor-log", &[])]);
    check(&names(&tree(&[]), &workspace), &["crates/candor-core/Cargo.toml:1: a crate called `candor-core`"]);
}
