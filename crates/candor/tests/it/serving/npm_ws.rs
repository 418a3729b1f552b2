//! A client that is not ours: the `ws` package of npm, as many programs use it.

use std::process::Command;

use super::{saying, serve};
use crate::rig::home_of;

const PROGRAM: &str = r#"
const WebSocket = require("ws");
const [port, token] = process.argv.slice(1);
const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, ["candor", `candor.token.${token}`]);
socket.on("open", () => {
  console.log(`protocol ${socket.protocol}`);
  socket.send(JSON.stringify({ type: "send_message", content: "Hello there" }));
});
socket.on("message", (data) => {
  const event = JSON.parse(data);
  console.log(event.type, event.text ?? "");
  if (event.type === "run_end") socket.close(1000);
});
socket.on("close", (code) => console.log(`closed ${code}`));
socket.on("error", (error) => { console.log(`error ${error.message}`); process.exitCode = 1; });
"#;

#[test]
#[expect(clippy::disallowed_methods, reason = "it starts the other client")]
fn the_client_of_npm_ws_converses() {
    let fake = saying("Hello, how are you?");
    let home = home_of(&fake);
    let served = serve(&home);
    let package = candor_testkit::suites::dir("ws");
    let modules = package.parent().expect("a package is in a folder");
    let output = Command::new("node")
        .args(["-e", PROGRAM, "--", &served.port.to_string(), &served.token])
        .env("NODE_PATH", modules)
        .output()
        .expect("node starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.starts_with("protocol candor\nack \n"), "{said}");
    assert!(said.contains("stream_delta Hello, ") && said.contains("message_complete"), "{said}");
    assert!(said.ends_with("run_end \nclosed 1000\n"), "{said}");
}
