//! Tells the binary what it was built from, for `--version`.
#![expect(
    clippy::disallowed_methods,
    reason = "a build script runs git and rustc and reads cargo's variables"
)]

use std::env;
use std::process::Command;

fn main() {
    let commit = output("git", &["rev-parse", "--short=10", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    let date = output("git", &["show", "-s", "--format=%cs", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let rustc = output(&rustc, &["--version"]).unwrap_or_default();
    let rustc = rustc.split_whitespace().nth(1).unwrap_or("unknown").to_owned();
    let facts = [
        ("CANDOR_BUILD_COMMIT", commit),
        ("CANDOR_BUILD_DATE", date),
        ("CANDOR_BUILD_RUSTC", rustc),
        ("CANDOR_BUILD_TARGET", env::var("TARGET").unwrap_or_default()),
        ("CANDOR_BUILD_PROFILE", env::var("PROFILE").unwrap_or_default()),
    ];
    for (name, value) in facts {
        println!("cargo::rustc-env={name}={value}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    // The tests of a program that is built for other systems, here or there; see candor-sandbox.
    println!("cargo::rerun-if-env-changed=CANDOR_ELSEWHERE");
    println!("cargo::rustc-check-cfg=cfg(elsewhere)");
    if env::var_os("CANDOR_ELSEWHERE").is_some() {
        println!("cargo::rustc-cfg=elsewhere");
    }
    // What is built for size keeps functions once that came out the same. The linker that Rust brings along here can do that.
    let is_small = env::var("OPT_LEVEL").is_ok_and(|level| level == "s");
    if is_small && env::var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu") {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
    // HEAD moves to another branch; the log grows with each commit on the same one.
    if let Some(git) = output("git", &["rev-parse", "--absolute-git-dir"]) {
        println!("cargo::rerun-if-changed={git}/HEAD");
        println!("cargo::rerun-if-changed={git}/logs/HEAD");
    }
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
