//! Starting does no more than the command needs.

use candor_testkit::{Candor, Home};

use crate::rig::BINARY;

/// The files that a run opens, as the kernel saw it, the loader's own left out.
fn opened(home: &Home, line: &str) -> Vec<String> {
    let trace = home.tmp().join("trace");
    let trace_text = trace.display().to_string();
    let arguments = ["-f", "-e", "trace=open,openat,openat2", "-o", &trace_text, BINARY];
    Candor::new("strace", home).args(arguments).args(line.split_whitespace()).run().ok();
    let text = std::fs::read_to_string(&trace).expect("a trace");
    let path = |line: &str| line.split('"').nth(1).map(str::to_owned);
    let is_loader = |path: &String| {
        path.starts_with("/etc/ld.so")
            || path.contains(".so.")
            || path.starts_with("/proc/")
            || path.starts_with("/sys/")
    };
    text.lines().filter_map(path).filter(|path| !is_loader(path)).collect()
}

#[test]
fn strace_sees_version_and_help_open_no_file() {
    let home = Home::new();
    home.write("config.toml", "model = 3\n");
    for line in ["--version", "--help", "completions bash", "config schema"] {
        assert_eq!(opened(&home, line), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn strace_sees_a_check_open_the_config_and_nothing_else() {
    let home = Home::new();
    let config = home.write("config.toml", "model = \"a\"\n");
    assert_eq!(opened(&home, "config check"), [config.display().to_string()]);
}
