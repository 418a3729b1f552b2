//! What a prompt touches of the system, as the kernel sees it.

use candor_testkit::{Candor, Dialect, FakeLlm, Reply};
use serde_json::json;

use crate::rig::{BINARY, KEY, home_of};

#[test]
fn strace_sees_no_name_looked_up_and_nobody_called_but_the_provider() {
    let fake = FakeLlm::start(Dialect::OpenaiChat);
    fake.push(Reply::calls([("file_read", json!({"path": "/etc/hostname"}))]));
    fake.push(Reply::text("Done."));
    let home = home_of(&fake);
    let trace = home.tmp().join("trace");
    let trace_text = trace.display().to_string();
    let calls = "trace=open,openat,openat2,connect,sendto,sendmsg,bind";
    Candor::new("strace", &home)
        .args(["-f", "-e", calls, "-o", &trace_text, BINARY, "Look it up"])
        .env("FAKE_KEY", KEY)
        .run()
        .ok();
    let text = std::fs::read_to_string(&trace).expect("a trace");
    for file in ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "ca-certificates"] {
        assert!(!text.contains(file), "{file} was opened");
    }
    let connects: Vec<_> = text.lines().filter(|line| line.contains("connect(")).collect();
    assert_eq!(connects.len(), 1, "one connection for a whole run: {connects:?}");
    assert!(connects[0].contains("inet_addr(\"127.0.0.1\")"), "{connects:?}");
    assert!(!text.contains("bind("), "nothing is listened to");
    assert_eq!(fake.connections(), 1);
}
