//! Input that is large, deep or odd.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;

use crate::rig::Rig;

#[tokio::test]
async fn a_huge_file_is_left_out_without_being_read() {
    let rig = Rig::with(&[("a.md", "x\n")]);
    // It takes no room: nothing is in it.
    File::create(rig.path("huge.txt")).unwrap().set_len(1 << 30).unwrap();
    rig.create().await;
    let synced = rig.sync().await;
    assert!(synced.left_out.to_string().contains("1 too large (huge.txt)"), "{}", synced.left_out);
}

#[tokio::test]
async fn odd_names_are_packed_or_said() {
    let rig =
        Rig::with(&[("new\nline.md", "needle\n"), ("a,b:c 'd\".md", "needle\n"), ("-rf.md", "needle\n")]);
    fs::write(rig.path(OsStr::from_bytes(b"bad\xff.md")), "needle\n").unwrap();
    rig.create().await;
    let synced = rig.sync().await;
    assert!(synced.left_out.to_string().contains("1 named in no UTF-8"), "{}", synced.left_out);
    let mut found = rig.found_in("needle").await;
    found.sort();
    assert_eq!(found, ["-rf.md", "a,b:c 'd\".md", "new\nline.md"]);
    let ids: Vec<String> = rig.pack().chunks.into_iter().map(|chunk| chunk.id).collect();
    assert!(ids.iter().all(|id| !id.contains(['/', ',', '\n'])));
    assert_eq!(rig.get(&crate::rig::wanted(&ids)).unwrap().chunks.len(), ids.len());
}

#[tokio::test]
async fn a_deep_tree_ends_somewhere() {
    let rig = Rig::with(&[("a.md", "x\n")]);
    let mut path = rig.root();
    for _ in 0..150 {
        path.push("d");
        fs::create_dir(&path).unwrap();
    }
    fs::write(path.join("deep.md"), "x\n").unwrap();
    rig.create().await;
    assert_eq!(rig.sync().await.files, 2);
}

#[tokio::test]
async fn a_pipe_or_a_folder_in_the_place_of_a_file_is_not_waited_for() {
    let rig = Rig::synced(&[("a.md", "needle\n")]).await;
    let ids = rig.ids("a.md");
    fs::remove_file(rig.path("a.md")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        rig.path("a.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    assert!(rig.get(&crate::rig::wanted(&ids)).is_err());
    assert!(rig.search("needle").await.hits[0].stale);
    assert_eq!(rig.sync().await.removed, 1);
    fs::create_dir(rig.path("b.md")).unwrap();
    assert_eq!(rig.sync().await.files, 1);
}
