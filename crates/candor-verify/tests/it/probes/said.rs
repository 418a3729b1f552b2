//! What a service says, a command beside it, a database below it.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;

use candor_protocol::CheckResult::{Failed, Passed, Unverifiable};
use candor_verify::plan::ProbeHow;
use candor_verify::probe::Sql;

use super::rig::{Rig, hasty, probe};

const ECHO: &str = "echo ready; while read line; do echo \"got $line\"; printf 'and\\nmore> '; done";

fn stdin(send: &str, expect: Option<&str>) -> ProbeHow {
    ProbeHow::Stdin { send: send.to_owned(), expect: expect.map(str::to_owned) }
}

fn exec(command: &str, exit: i32, stdout: Option<&str>, stderr: Option<&str>) -> ProbeHow {
    let (stdout, stderr) = (stdout.map(str::to_owned), stderr.map(str::to_owned));
    ProbeHow::Exec { command: command.to_owned(), exit, stdout, stderr }
}

#[tokio::test]
async fn a_line_is_answered() {
    let rig = Rig::running(ECHO);
    let said = "stdin \"one\": the answer came";
    let answer = rig.check(&probe(stdin("one", Some("got one"))), Passed, said).await;
    assert!(answer.sample.unwrap().contains("got one"));
    rig.check(&probe(stdin("one", Some("more> "))), Passed, said).await;
    rig.check(&probe(stdin("one", Some("one\nand\nmore"))), Passed, said).await;
    rig.check(&probe(stdin("one", None)), Passed, said).await;
}

#[tokio::test]
async fn what_was_said_before_the_line_is_no_answer_to_it() {
    let rig = Rig::running(ECHO);
    rig.first_line().await;
    let said = "stdin \"x\": no \"ready\" in its output within 500 ms";
    let answer = rig.check(&hasty(stdin("x", Some("ready"))), Failed, said).await;
    assert!(answer.sample.unwrap().starts_with("got x\n"));
}

#[tokio::test]
async fn a_line_that_nobody_answers_is_told() {
    let rig = Rig::running("exec sleep 600");
    rig.check(&hasty(stdin("x", None)), Failed, "stdin \"x\": no answer within 500 ms").await;
    let long = "x".repeat(1 << 20);
    let answer = rig.ask(&hasty(stdin(&long, None))).await;
    assert!(
        answer.summary.ends_with(": the line was not read, and so no answer within 500 ms"),
        "{answer:?}"
    );
    let rig = Rig::new();
    rig.running.close().await;
    let said = "stdin \"x\": its standard input is closed (broken pipe)";
    let answer = rig.ask(&hasty(stdin("x", None))).await;
    assert!(
        [said, "stdin \"x\": the service ended before it answered"].contains(&answer.summary.as_str()),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_line_of_the_log_is_waited_for() {
    let rig = Rig::running("echo starting; read go; echo 'listening on 80'; exec sleep 600");
    let log = |pattern: &str| ProbeHow::Log(pattern.to_owned());
    let said = r"log /listening on \d+/: no such line within 500 ms";
    let answer = rig.check(&hasty(log(r"listening on \d+")), Failed, said).await;
    assert_eq!(answer.sample.as_deref(), Some("starting\n"));
    rig.running.write(b"go\n").await.unwrap();
    let said = r"log /listening on \d+/: the line is there";
    let answer = rig.check(&probe(log(r"listening on \d+")), Passed, said).await;
    assert_eq!(answer.sample.as_deref(), Some("listening on 80"));
    rig.check(&probe(log("^starting$")), Passed, "log /^starting$/: the line is there").await;
}

#[tokio::test]
async fn a_line_of_a_log_file_counts() {
    let mut rig = Rig::new();
    rig.log_line = Some("2025-01-01 INFO served".to_owned());
    let answer =
        rig.check(&probe(ProbeHow::Log("serve".to_owned())), Passed, "log /serve/: the line is there").await;
    assert_eq!(answer.sample, rig.log_line);
    rig.check(&hasty(ProbeHow::Log("other".to_owned())), Failed, "log /other/: no such line within 500 ms")
        .await;
}

#[tokio::test]
async fn a_command_must_end_and_say_as_expected() {
    let rig = Rig::new();
    let command = "echo out; echo err >&2; exit 3";
    let check =
        async |how, result, said: &str| rig.check(&probe(how), result, &format!("`{command}`: {said}")).await;
    check(exec(command, 3, Some("out"), Some("err")), Passed, "exit 3").await;
    let answer = check(exec(command, 0, None, None), Failed, "exit 3, but 0 is expected").await;
    assert_eq!(answer.sample.as_deref(), Some("out\n[stderr]\nerr"));
    let said = "exit 3, but stdout does not contain \"err\", and stderr does not contain \"out\"";
    check(exec(command, 3, Some("err"), Some("out")), Failed, said).await;
}

#[tokio::test]
async fn a_command_runs_in_the_folder_of_the_service_with_its_environment() {
    for mut rig in [Rig::new(), Rig::walled("exec cat > /dev/null")] {
        rig.env.push(("NAME".to_owned(), "value".to_owned()));
        std::fs::write(rig.directory.path().join("here"), "x").unwrap();
        let how = exec("cat here; echo $NAME", 0, Some("xvalue"), None);
        rig.check(&probe(how), Passed, "`cat here; echo $NAME`: exit 0").await;
    }
}

#[tokio::test]
async fn a_command_that_does_not_end_is_ended() {
    let rig = Rig::new();
    let how = exec("echo begun; sleep 600", 0, None, None);
    let said = "`echo begun; sleep 600`: no end of the command within 500 ms";
    let answer = rig.check(&hasty(how), Failed, said).await;
    assert_eq!(answer.sample.as_deref(), Some("begun"));
    rig.check(&probe(exec("kill -9 $$", 0, None, None)), Failed, "`kill -9 $$`: ended by signal 9").await;
}

struct Rows(Result<&'static str, &'static str>);

impl Sql for Rows {
    fn query<'q>(
        &'q self,
        url: &'q str,
        query: &'q str,
        root: &'q Path,
    ) -> Pin<Box<dyn Future<Output = Result<String, String>> + Send + 'q>> {
        assert!(!url.is_empty() && query == "select 1" && root.is_dir());
        Box::pin(async { self.0.map(str::to_owned).map_err(str::to_owned) })
    }
}

fn sql(url: &str, expect: Option<&str>) -> ProbeHow {
    ProbeHow::Sql { url: url.to_owned(), query: "select 1".to_owned(), expect: expect.map(str::to_owned) }
}

#[tokio::test]
async fn a_database_is_asked_by_whoever_can() {
    let mut rig = Rig::new();
    let said = "sql `select 1`: there is nobody here who can ask a database";
    rig.check(&probe(sql("sqlite:app.db", None)), Unverifiable, said).await;
    rig.sql = Some(Box::new(Rows(Ok("1\tanna\n2\tbert"))));
    for url in ["sqlite:app.db", "postgres://u:p@localhost:5432/x"] {
        rig.check(&probe(sql(url, Some("2\tbert"))), Passed, "sql `select 1`: 2 rows").await;
    }
    // The driver would believe these rather than the address, and leave the walls.
    for url in
        ["postgres:///x?host=/run", "postgres://localhost/x?host=192.0.2.2", "postgres://localhost/x?port=9"]
    {
        assert_eq!(rig.ask(&probe(sql(url, None))).await.result, Unverifiable, "{url}");
    }
    let said = "sql `select 1`: 2 rows, but none has \"carl\"";
    let answer = rig.check(&probe(sql("sqlite:app.db", Some("carl"))), Failed, said).await;
    assert_eq!(answer.sample.as_deref(), Some("1\tanna\n2\tbert"));
    let said = "sql `select 1`: db.invalid is not on this machine; with `remote_probes: true` in .candor/verify.yaml and `sandbox.network = \"all\"` it would be asked";
    rig.check(&probe(sql("postgres://u:p@db.invalid/x", None)), Unverifiable, said).await;
    rig.may_leave = true;
    rig.check(&probe(sql("postgres://u:p@db.invalid/x", None)), Passed, "sql `select 1`: 2 rows").await;
    rig.sql = Some(Box::new(Rows(Err("no such table: users"))));
    rig.check(&probe(sql("sqlite:app.db", None)), Failed, "sql `select 1`: no such table: users").await;
}
