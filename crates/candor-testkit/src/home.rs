//! A throw-away home, workspace and user directory, gone when the value is dropped.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A throw-away `CANDOR_HOME`, with a workspace and a user's `HOME` beside it.
///
/// The `CANDOR_HOME` itself is not created until something is written into it: creating it is the product's
/// job on first use, and a test can only see that when nobody did it before.
#[derive(Debug)]
pub struct Home {
    root: TempDir,
}

impl Home {
    /// Makes a new one in the system's temporary folder.
    #[expect(clippy::new_without_default, reason = "making folders on disk is not a default value")]
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("candor-test-").tempdir().expect("a temporary folder");
        let home = Self { root };
        for dir in [home.workspace(), home.user(), home.tmp()] {
            make_private_dir(&dir);
        }
        home
    }

    /// The folder that `CANDOR_HOME` names.
    pub fn path(&self) -> PathBuf {
        self.root.path().join("candor-home")
    }

    /// The folder that is worked in: the current directory of the binary.
    pub fn workspace(&self) -> PathBuf {
        self.root.path().join("workspace")
    }

    /// The folder that `HOME` names.
    pub fn user(&self) -> PathBuf {
        self.root.path().join("user")
    }

    /// The folder that `TMPDIR` names, so that what the binary leaves behind goes with the rest.
    pub fn tmp(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    /// Writes a file under [`Home::path`] as the product would: 0600, its folders 0700.
    #[track_caller]
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        write_private(&self.path().join(name), content.as_ref())
    }

    /// Writes a file under [`Home::workspace`], 0600 as well.
    #[track_caller]
    pub fn write_in_workspace(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        write_private(&self.workspace().join(name), content.as_ref())
    }

    /// Reads a file under [`Home::path`] that must be there and be UTF-8.
    #[track_caller]
    pub fn read(&self, name: impl AsRef<Path>) -> String {
        let path = self.path().join(name);
        match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => panic!("cannot read {}: {error}", path.display()),
        }
    }

    /// The permission bits of a file or folder under [`Home::path`]; an empty name is the home itself.
    #[track_caller]
    pub fn mode(&self, name: impl AsRef<Path>) -> u32 {
        let path = self.path().join(name);
        match fs::metadata(&path) {
            Ok(metadata) => metadata.permissions().mode() & 0o7777,
            Err(error) => panic!("cannot look at {}: {error}", path.display()),
        }
    }

    /// Sets the permission bits of a file or folder under [`Home::path`].
    #[track_caller]
    pub fn set_mode(&self, name: impl AsRef<Path>, mode: u32) {
        let path = self.path().join(name);
        if let Err(error) = fs::set_permissions(&path, fs::Permissions::from_mode(mode)) {
            panic!("cannot set the mode of {}: {error}", path.display());
        }
    }
}

#[track_caller]
fn write_private(path: &Path, content: &[u8]) -> PathBuf {
    if let Some(parent) = path.parent() {
        make_private_dir(parent);
    }
    let written =
        fs::write(path, content).and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(0o600)));
    if let Err(error) = written {
        panic!("cannot write {}: {error}", path.display());
    }
    path.to_path_buf()
}

#[track_caller]
fn make_private_dir(path: &Path) {
    if let Err(error) = fs::DirBuilder::new().recursive(true).mode(0o700).create(path) {
        panic!("cannot make {}: {error}", path.display());
    }
}
