use std::env;

use candor_testkit::{Candor, Home, suites};

/// Looks for a suite in a child whose `CANDOR_SUITES` this test controls.
fn look_up(suites: Option<&std::path::Path>) -> candor_testkit::Ran {
    let program = env::current_exe().expect("this test binary");
    let home = Home::new();
    let mut child = Candor::new(program, &home).args(["suites::inner_looks_up", "--exact", "--nocapture"]);
    child = child.env("CANDOR_TESTKIT_INNER", "1");
    if let Some(dir) = suites {
        child = child.env("CANDOR_SUITES", dir);
    }
    child.run()
}

#[test]
fn inner_looks_up() {
    if env::var_os("CANDOR_TESTKIT_INNER").is_some() {
        assert!(suites::dir("some-suite").ends_with("some-suite/node_modules/some-suite"));
        assert!(suites::python_dir("some-package").ends_with("some-package"));
    }
}

#[test]
fn a_suite_that_is_not_there_names_the_command_that_gets_it() {
    for dir in [None, Some(std::path::Path::new("/nonexistent"))] {
        let ran = look_up(dir).code(101);
        ran.stderr_has("run this through `cargo xtask test`, which installs");
    }
}

#[test]
fn an_installed_suite_is_found() {
    let home = Home::new();
    home.write("some-suite/node_modules/some-suite/package.json", "{}");
    home.write("some-package/some_package/__init__.py", "");
    look_up(Some(&home.path())).ok();
}
