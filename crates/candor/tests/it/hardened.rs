//! What the program does to itself before it has a secret, seen from outside.

use std::fs;
use std::os::unix::fs::MetadataExt;

use candor_testkit::{Candor, Dialect, FakeLlm, Gate, Reply};

use crate::rig::{BINARY, KEY, home_of};

/// How the numbers of signals are kept in a mask.
const SIGCHLD_BIT: u64 = 1 << 16;

#[test]
fn the_program_leaves_no_dump_of_its_memory_and_hears_of_its_children() {
    let (fake, gate) = (FakeLlm::start(Dialect::OpenaiChat), Gate::new());
    fake.push(Reply::text("Done.").gate(&gate));
    let home = home_of(&fake);
    // What a careless parent leaves to it.
    let script = "trap '' CHLD; ulimit -S -c $(ulimit -H -c); exec \"$0\" \"$@\"";
    let running =
        Candor::new("/bin/sh", &home).args(["-c", script, BINARY, "Wait"]).env("FAKE_KEY", KEY).spawn();
    gate.wait_reached();
    let own = |name: &str| format!("/proc/{}/{name}", running.id());
    let limits = fs::read_to_string(own("limits")).expect("it runs");
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).expect("a limit");
    assert_eq!(core.split_whitespace().skip(4).take(2).collect::<Vec<_>>(), ["0", "0"], "{core}");
    let status = fs::read_to_string(own("status")).expect("it runs");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("a mask").trim();
    let ignored = u64::from_str_radix(ignored, 16).expect("a mask");
    assert_eq!(ignored & SIGCHLD_BIT, 0, "the end of children is not told");
    // What cannot be dumped belongs to root alone, whoever runs it.
    assert_eq!(fs::metadata(own("environ")).expect("it runs").uid(), 0);
    gate.open();
    running.finish().ok();
}
