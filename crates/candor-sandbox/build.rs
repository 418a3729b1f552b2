//! Says whether the parts for Linux are used or those for other systems. `CANDOR_ELSEWHERE` chooses the latter on Linux, too:
//! that is how they are tested.

#![expect(clippy::disallowed_methods, reason = "cargo tells a build script everything by variables")]

use std::env;

fn main() {
    println!("cargo::rerun-if-env-changed=CANDOR_ELSEWHERE");
    println!("cargo::rustc-check-cfg=cfg(elsewhere)");
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    if !is_linux || env::var_os("CANDOR_ELSEWHERE").is_some() {
        println!("cargo::rustc-cfg=elsewhere");
    }
}
