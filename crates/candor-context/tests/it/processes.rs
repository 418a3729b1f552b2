//! Two at once, and one that dies.

use std::fs::{self, File};
use std::time::Duration;

use candor_context::{Error, Options, sync, validate};

use crate::rig::Rig;

#[tokio::test]
async fn whoever_comes_second_waits_for_so_long_and_is_told_who_it_is() {
    let rig = Rig::synced(&[("a.md", "needle\n")]).await;
    let lock = File::options().read(true).write(true).open(rig.path("_ctx/lock")).unwrap();
    lock.lock().unwrap();
    let error = rig.try_sync().await.unwrap_err();
    let Error::Locked { holder, .. } = &error else { panic!("{error}") };
    assert_eq!(*holder, std::process::id().to_string());
    // Who only reads is not kept waiting.
    assert_eq!(rig.found_in("needle").await, ["a.md"]);
    let options = Options { lock_wait: Duration::from_secs(60), ..Options::default() };
    let segment = rig.segment();
    let waiting = tokio::spawn(async move { sync(&segment, &options).await.map(drop) });
    tokio::task::yield_now().await;
    drop(lock);
    waiting.await.unwrap().unwrap();
}

#[tokio::test]
async fn several_at_once_leave_one_pack_that_is_whole() {
    let rig = Rig::with(&[("a.md", "needle\n"), ("src/lib.rs", "fn a() {}\n")]);
    rig.create().await;
    let tasks: Vec<_> = (0..8)
        .map(|number| {
            let (segment, options) = (rig.segment(), Options::default());
            let path = rig.path(format!("{number}.md"));
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                fs::write(path, format!("number{number}\n")).unwrap();
                runtime.block_on(sync(&segment, &options)).map(drop)
            })
        })
        .collect();
    for task in tasks {
        task.join().unwrap().unwrap();
    }
    rig.sync().await;
    assert_eq!(validate(&rig.segment(), &rig.options).await.unwrap().files, 11);
    assert_eq!(rig.found_in("number5").await, ["5.md"]);
}

#[tokio::test]
async fn what_a_process_that_died_has_left_does_no_harm_and_goes() {
    let rig = Rig::synced(&[("a.md", "needle\n")]).await;
    let left = rig.path("_ctx/.candor-unfinished-abc");
    fs::write(&left, "{\"schema_version\":1,").unwrap();
    // It died after the pack was written and before the index was.
    let older = fs::read(rig.path("_ctx/index.db")).unwrap();
    rig.write("b.md", "another\n");
    rig.sync().await;
    fs::write(rig.path("_ctx/index.db"), older).unwrap();
    assert_eq!(rig.found_in("another").await, ["b.md"]);
    rig.sync().await;
    assert!(!left.exists());
    validate(&rig.segment(), &rig.options).await.unwrap();
}

#[tokio::test]
async fn a_pack_that_cannot_be_written_leaves_the_old_one() {
    let rig = Rig::synced(&[("a.md", "needle\n")]).await;
    let before = fs::read(rig.path("_ctx/context_pack.json")).unwrap();
    fs::remove_file(rig.path("_ctx/context_pack.json")).unwrap();
    fs::create_dir_all(rig.path("_ctx/context_pack.json/x")).unwrap();
    assert!(matches!(rig.try_sync().await, Err(Error::Io { .. })));
    fs::remove_dir_all(rig.path("_ctx/context_pack.json")).unwrap();
    fs::write(rig.path("_ctx/context_pack.json"), before).unwrap();
    let unfinished = fs::read_dir(rig.path("_ctx")).unwrap().flatten();
    let unfinished = unfinished.filter(|entry| entry.file_name().to_string_lossy().contains("unfinished"));
    assert_eq!(unfinished.count(), 0);
    assert_eq!(rig.found_in("needle").await, ["a.md"]);
}
