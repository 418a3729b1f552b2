use std::sync::mpsc;
use std::time::Duration;

use candor_testkit::Home;

use super::*;

/// Far more than it takes; a pipe would be waited for without end.
const TIME_MAX: Duration = Duration::from_secs(20);

#[test]
#[expect(clippy::disallowed_methods, reason = "a pipe is made as somebody would")]
fn a_pipe_in_place_of_a_file_that_decides_is_not_waited_for() {
    let home = Home::new();
    let workspace = home.workspace();
    let without = Verifier::deciding(&workspace);
    let pipe = workspace.join(".env");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || tell.send(Verifier::deciding(&workspace)));
    assert_eq!(told.recv_timeout(TIME_MAX).unwrap(), without, "it is no file, so nothing is decided by it");
}
