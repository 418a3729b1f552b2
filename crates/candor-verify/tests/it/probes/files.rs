//! Files in the workspace.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use candor_protocol::CheckResult::{self, Failed, Passed};
use candor_verify::plan::ProbeHow;

use super::rig::{Rig, hasty, probe};

fn file(path: impl AsRef<Path>, contains: Option<&str>, matches: Option<&str>) -> ProbeHow {
    let (contains, matches) = (contains.map(str::to_owned), matches.map(str::to_owned));
    ProbeHow::File { path: path.as_ref().to_owned(), contains, matches }
}

async fn check(rig: &Rig, how: ProbeHow, result: CheckResult, said: &str) {
    let asked = if result == Passed { probe(how) } else { hasty(how) };
    let answer = rig.ask(&asked).await;
    assert_eq!((answer.result, answer.summary.as_str()), (result, said), "{answer:?}");
}

#[tokio::test]
async fn a_file_holds_what_is_expected() {
    let rig = Rig::new();
    fs::create_dir(rig.directory.path().join("out")).unwrap();
    fs::write(rig.directory.path().join("out/report.txt"), "total: 42\n").unwrap();
    let good = "file out/report.txt: it is as expected";
    check(&rig, file("out/report.txt", None, None), Passed, good).await;
    check(&rig, file("out/report.txt", Some("total"), Some(r": \d+")), Passed, good).await;
    let bad = "file out/report.txt: it is there, but no \"sum\" in it within 500 ms";
    check(&rig, file("out/report.txt", Some("sum"), None), Failed, bad).await;
    let bad = "file out/report.txt: it is there, but no match of /^x/ within 500 ms";
    check(&rig, file("out/report.txt", None, Some("^x")), Failed, bad).await;
    let bad = "file out/report.txt: the probe cannot be asked: /[/ is no regular expression: unclosed character class";
    check(&rig, file("out/report.txt", None, Some("[")), Failed, bad).await;
    let whole = rig.directory.path().join("out/report.txt");
    assert_eq!(rig.ask(&probe(file(whole, Some("42"), None))).await.result, Passed);
}

#[tokio::test]
async fn a_file_that_comes_later_is_waited_for() {
    let rig = Rig::running("read go; printf one > late; read go; printf two >> late; exec sleep 600");
    check(&rig, file("late", None, None), Failed, "file late: no such file within 500 ms").await;
    rig.running.write(b"\n").await.unwrap();
    rig.check(&probe(file("late", Some("one"), None)), Passed, "file late: it is as expected").await;
    check(
        &rig,
        file("late", Some("two"), None),
        Failed,
        "file late: it is there, but no \"two\" in it within 500 ms",
    )
    .await;
    rig.running.write(b"\n").await.unwrap();
    rig.check(&probe(file("late", Some("onetwo"), None)), Passed, "file late: it is as expected").await;
}

#[tokio::test]
async fn what_is_outside_is_not_read() {
    let rig = Rig::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    symlink(outside.path(), rig.directory.path().join("out")).unwrap();
    symlink(outside.path().join("secret"), rig.directory.path().join("link")).unwrap();
    fs::write(rig.directory.path().join("real"), "text").unwrap();
    symlink("real", rig.directory.path().join("inner")).unwrap();
    symlink(rig.directory.path().join("real"), rig.directory.path().join("absolute")).unwrap();
    let name = outside.path().file_name().unwrap().to_str().unwrap().to_owned();
    for path in
        ["out/secret".to_owned(), "link".to_owned(), format!("../{name}/secret"), "../missing".to_owned()]
    {
        let said = format!("file {path}: the probe cannot be asked: it is not in the workspace");
        let answer = rig.ask(&probe(file(&path, None, None))).await;
        assert_eq!((answer.result, answer.summary.as_str(), &answer.sample), (Failed, said.as_str(), &None));
    }
    check(&rig, file("inner", Some("text"), None), Passed, "file inner: it is as expected").await;
    check(&rig, file("absolute", Some("text"), None), Passed, "file absolute: it is as expected").await;
}

#[tokio::test]
async fn what_is_no_file_is_told() {
    let rig = Rig::running("mkfifo pipe; echo made; exec sleep 600");
    rig.first_line().await;
    check(&rig, file("pipe", None, None), Failed, "file pipe: there is something, but it is no file").await;
    check(&rig, file(".", None, None), Failed, "file .: there is something, but it is no file").await;
}

#[tokio::test]
async fn of_a_long_file_the_end_is_read() {
    let rig = Rig::new();
    let text = format!("start{}end", "x".repeat(20 << 20));
    fs::write(rig.directory.path().join("long"), text).unwrap();
    let answer = rig.ask(&probe(file("long", Some("end"), None))).await;
    assert_eq!(answer.result, Passed);
    assert_eq!(answer.sample.unwrap().chars().count(), 2_000);
}
