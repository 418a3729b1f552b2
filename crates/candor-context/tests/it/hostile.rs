//! A pack that somebody else wrote.

use std::fs;
use std::os::unix::fs::symlink;

use candor_context::{Chunk, Kind};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::rig::{Rig, wanted};

fn hex(bytes: impl AsRef<[u8]>) -> String {
    written(&Sha256::digest(bytes))
}

fn written(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// A pack that is right in itself and names a file of its writer's choice.
fn write_pack(rig: &Rig, path: &str, content: &str) -> String {
    let chunk = Chunk {
        id: "doc:0123456789".to_owned(),
        kind: Kind::Doc,
        title_path: vec!["x".to_owned()],
        source_path: path.to_owned(),
        first_line: 1,
        last_line: 1,
        start: 0,
        end: content.len() as u64,
        chars: 1,
        tokens: 1,
        sha256: hex(content),
    };
    let lines =
        [format!("{} {path}", hex(content)), format!("{} {} 0 {}", chunk.id, chunk.sha256, content.len())];
    let mut hash = Sha256::new();
    for line in &lines {
        hash.update((line.len() as u64).to_le_bytes());
        hash.update(line);
    }
    let digest = written(&hash.finalize());
    let pack = json!({
        "schema_version": 1, "segment": "x", "created_at": "2026-01-01T00:00:00Z", "digest": digest,
        "token_estimate": "bytes/4",
        "source_files": [{ "path": path, "sha256": hex(content), "mtime_ns": 0, "size": content.len() }],
        "chunks": [chunk],
    });
    fs::write(rig.path("_ctx/context_pack.json"), pack.to_string()).unwrap();
    chunk.id
}

#[tokio::test]
async fn no_path_in_a_pack_leads_out_of_the_segment() {
    let rig = Rig::synced(&[("a.md", "needle\n"), ("sub/b.md", "x\n")]).await;
    fs::write(rig.outside().join("secret.md"), "secret words").unwrap();
    symlink(rig.outside(), rig.path("out")).unwrap();
    symlink(rig.outside().join("secret.md"), rig.path("link.md")).unwrap();
    let absolute = rig.outside().join("secret.md").display().to_string();
    for path in ["../secret.md", "sub/../../secret.md", "out/secret.md", "link.md", absolute.as_str()] {
        let id = write_pack(&rig, path, "secret words");
        assert!(rig.get(&wanted(&[id])).is_err(), "{path}");
        for hit in rig.search("secret words x").await.hits {
            assert!(hit.stale && hit.preview.is_empty(), "{path}");
        }
    }
    // The same pack, of a file that is in the segment, is read.
    let id = write_pack(&rig, "a.md", "needle\n");
    assert_eq!(rig.get(&wanted(&[id])).unwrap().chunks[0].text, "needle\n");
}

#[tokio::test]
async fn a_range_beyond_its_file_is_no_panic() {
    let rig = Rig::synced(&[("a.md", "needlé\n")]).await;
    let text = fs::read_to_string(rig.path("_ctx/context_pack.json")).unwrap();
    for (start, end) in
        [("0", "6"), ("9", "3"), ("0", "99999999999"), ("18446744073709551615", "18446744073709551615")]
    {
        let mut pack: serde_json::Value = serde_json::from_str(&text).unwrap();
        for chunk in pack["chunks"].as_array_mut().unwrap() {
            chunk["start"] = start.parse::<u64>().unwrap().into();
            chunk["end"] = end.parse::<u64>().unwrap().into();
        }
        fs::write(rig.path("_ctx/context_pack.json"), pack.to_string()).unwrap();
        let error = candor_context::stats(&rig.segment(), &rig.options).unwrap_err();
        assert_eq!(error.failure().code.as_str(), "PACK_DAMAGED");
    }
}
