//! What `candor verify` reaches: databases behind the walls, and our own log.

use std::io::copy;
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread;

use candor_testkit::{Home, Postgres};
use serde_json::{Value, json};

use crate::rig::candor;

/// A door to the port of a real server: a socket that is a file is reached from inside the walls, and a port outside is not.
fn door(path: &Path, port: u16) {
    let listener = UnixListener::bind(path).expect("a socket");
    thread::spawn(move || {
        for inside in listener.incoming().flatten() {
            let outside = TcpStream::connect(("127.0.0.1", port)).expect("PostgreSQL");
            join(inside, outside);
        }
    });
}

/// Carries both ways what is said, until one side has no more to say.
fn join(inside: UnixStream, outside: TcpStream) {
    let (mut from_inside, mut to_inside) = (inside.try_clone().expect("a socket"), inside);
    let (mut from_outside, mut to_outside) = (outside.try_clone().expect("a socket"), outside);
    thread::spawn(move || {
        let _ = copy(&mut from_inside, &mut to_outside);
        let _ = to_outside.shutdown(Shutdown::Write);
    });
    thread::spawn(move || {
        let _ = copy(&mut from_outside, &mut to_inside);
        let _ = to_inside.shutdown(Shutdown::Write);
    });
}

/// Listens on a port inside the walls, and passes on what is said through the door.
const PROXY: &str = "
import socket, threading
def carry(one, other):
    while True:
        data = one.recv(65536)
        if not data: break
        other.sendall(data)
    other.shutdown(socket.SHUT_WR)
server = socket.create_server(('127.0.0.1', 15432))
while True:
    one, _ = server.accept()
    other = socket.socket(socket.AF_UNIX)
    other.connect('door')
    threading.Thread(target=carry, args=(one, other)).start()
    threading.Thread(target=carry, args=(other, one)).start()
";

#[test]
fn a_postgres_that_runs_inside_the_walls_is_asked_there() {
    let server = Postgres::private();
    server.ask("create table users (name text); insert into users values ('Ada'), ('Grace')");
    let home = Home::new();
    home.write_in_workspace("proxy.py", PROXY);
    door(&home.workspace().join("door"), server.port());
    let url = "postgres://candor@127.0.0.1:15432/postgres";
    let yaml = format!(
        "services:\n  - name: db\n    command: python3 proxy.py\n    settle: 100ms\n    ready: {{ tcp: '127.0.0.1:15432' }}\n    probes:\n      \
         - {{ name: users, sql: {{ url: '{url}', query: 'select count(*), max(name) from users', expect: Grace }}, timeout: 20s }}\n      \
         - {{ name: nobody, sql: {{ url: '{url}', query: 'select name from users', expect: Linus }}, timeout: 20s }}\n      \
         - {{ name: typo, sql: {{ url: '{url}', query: 'select nope from users' }}, timeout: 20s }}\n"
    );
    home.write_in_workspace(".candor/verify.yaml", &yaml);
    let ran = candor(&home, "verify --json --service db").run().code(1);
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let found = |index: usize| report["functionalChecks"][index].clone();
    assert_eq!((&found(0)["ok"], &found(0)["sample"]), (&json!(true), &json!("2\tGrace")), "{report:#}");
    assert_eq!(found(1)["ok"], false, "{report:#}");
    assert!(found(1)["summary"].to_string().contains("none has"), "{report:#}");
    assert!(found(2)["summary"].to_string().contains("nope"), "{report:#}");
}

/// A line of our log, from a time that is always new.
const OWN_ERROR: &str = "{\"ts\":\"2999-01-01T00:00:00.000Z\",\"level\":\"error\",\"module\":\"agent-loop\",\"event\":\"turn_error\",\"error\":\"the store is gone\"}\n";

fn with_own_log(manifest: &str) -> Home {
    let home = Home::new();
    home.write("logs/candor.log", OWN_ERROR);
    home.write_in_workspace("crates/candor/Cargo.toml", manifest);
    home.write_in_workspace(
        ".candor/verify.yaml",
        "only_declared: true\nchecks:\n  - { name: unit, run: 'test -d .', kind: test }\n",
    );
    home
}

#[test]
fn our_own_log_counts_where_the_workspace_is_ours() {
    let ran = candor(&with_own_log("[package]\nname = \"candor\"\n"), "verify --json").run().code(1);
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let entry = &report["logDiagnostics"][0];
    assert_eq!(
        (&entry["source"], &entry["file"]),
        (&json!("project_log"), &json!("candor.log")),
        "{report:#}"
    );
    assert!(entry["message"].to_string().contains("the store is gone"), "{entry}");
    assert_eq!(report["failureHistory"][0]["reason"], "runtime log errors detected");
}

#[test]
fn our_own_log_is_nobodys_business_elsewhere() {
    candor(&with_own_log("[package]\nname = \"other\"\n"), "verify").run().ok();
}

#[test]
fn our_own_log_counts_where_the_workspace_keeps_it() {
    let home = with_own_log("");
    home.write_in_workspace("run.log", OWN_ERROR);
    let file = home.workspace().join("run.log");
    home.write("config.toml", format!("logging.file = {:?}\n", file.display().to_string()));
    let ran = candor(&home, "verify").run().code(1);
    assert!(ran.stdout.contains("runtime log errors detected: 1, in run.log"), "{}", ran.stdout);
}
