use std::path::Path;

use xtask::workspace::Workspace;

const METADATA: &str = r#"{
  "workspace_root": "/house",
  "target_directory": "/cache/target",
  "workspace_members": ["path+file:///house/crates/b#0.1.0", "path+file:///house/crates/a#0.1.0"],
  "packages": [
    {
      "id": "path+file:///house/crates/b#0.1.0", "name": "b", "version": "0.1.0", "license": "MIT", "source": null,
      "manifest_path": "/house/crates/b/Cargo.toml",
      "dependencies": [
        {"name": "a", "kind": null, "rename": "first"},
        {"name": "c", "kind": "dev"},
        {"name": "serde", "kind": null}
      ]
    },
    {
      "id": "path+file:///house/crates/a#0.1.0", "name": "a", "version": "0.1.0", "license": null, "source": null,
      "manifest_path": "/house/crates/a/Cargo.toml",
      "dependencies": [{"name": "b", "kind": "dev"}, {"name": "b", "kind": "build"}]
    },
    {
      "id": "registry+somewhere#serde@1.0.0", "name": "serde", "version": "1.0.0", "license": "MIT OR Apache-2.0",
      "source": "registry+somewhere", "manifest_path": "/elsewhere/serde/Cargo.toml", "dependencies": []
    }
  ]
}"#;

#[test]
fn members_are_told_from_others() {
    let workspace = Workspace::from_metadata(METADATA).expect("metadata");
    let names = |packages: &[xtask::workspace::Package]| {
        packages.iter().map(|package| package.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        (names(&workspace.members), names(&workspace.foreign)),
        (vec!["a".to_owned(), "b".to_owned()], vec!["serde".to_owned()])
    );
    assert_eq!(workspace.members[0].dir, Path::new("crates/a"));
    assert_eq!(workspace.target_dir, Path::new("/cache/target"));
    assert_eq!(workspace.foreign[0].license.as_deref(), Some("MIT OR Apache-2.0"));
}

#[test]
fn only_members_that_are_linked_or_built_with_are_used() {
    let workspace = Workspace::from_metadata(METADATA).expect("metadata");
    let [a, b] = &workspace.members[..] else { panic!("two members") };
    assert_eq!(workspace.uses(a), ["b"]);
    assert_eq!(workspace.uses(b), ["a"]);
}

#[test]
fn what_is_no_metadata_is_refused() {
    assert!(Workspace::from_metadata("error").is_err());
    assert!(Workspace::from_metadata("{}").is_err());
}
