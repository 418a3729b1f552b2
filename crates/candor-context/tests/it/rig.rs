//! A throw-away segment.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_context::{
    Created, Error, Found, Got, Mode, Options, Pack, Segment, Synced, Wanted, create, get, search, sync,
};
use tempfile::TempDir;

pub(crate) struct Rig {
    folder: TempDir,
    pub(crate) options: Options,
}

impl Rig {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        let options = Options { lock_wait: Duration::ZERO, ..Options::default() };
        Self { folder: tempfile::tempdir().unwrap(), options }
    }

    /// A folder with files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let rig = Self::new();
        for (path, text) in files {
            rig.write(path, text);
        }
        rig
    }

    /// A segment that was synced.
    pub(crate) async fn synced(files: &[(&str, &str)]) -> Self {
        let rig = Self::with(files);
        rig.create().await;
        rig.sync().await;
        rig
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("Some Project")
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn outside(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn segment(&self) -> Segment {
        fs::create_dir_all(self.root()).unwrap();
        Segment::locate(&self.root()).unwrap()
    }

    pub(crate) async fn create(&self) -> Created {
        create(&self.segment(), &self.options).await.unwrap()
    }

    pub(crate) async fn sync(&self) -> Synced {
        self.try_sync().await.unwrap()
    }

    pub(crate) async fn try_sync(&self) -> Result<Synced, Error> {
        sync(&self.segment(), &self.options).await
    }

    pub(crate) async fn search(&self, query: &str) -> Found {
        search(&self.segment(), query, 5, &self.options).await.unwrap()
    }

    /// The files in which something is found, the best first; without the reading list, which names most of them.
    pub(crate) async fn found_in(&self, query: &str) -> Vec<String> {
        let paths = self.search(query).await.hits.into_iter().map(|hit| hit.chunk.source_path);
        paths.filter(|path| !path.starts_with("_ctx/")).collect()
    }

    pub(crate) fn get(&self, wanted: &Wanted) -> Result<Got, Error> {
        get(&self.segment(), wanted, &self.options, &str::to_owned)
    }

    pub(crate) fn pack(&self) -> Pack {
        serde_json::from_str(&fs::read_to_string(self.path("_ctx/context_pack.json")).unwrap()).unwrap()
    }

    /// The ids of the chunks of a file.
    pub(crate) fn ids(&self, path: &str) -> Vec<String> {
        let chunks = self.pack().chunks.into_iter();
        chunks.filter(|chunk| chunk.source_path == path).map(|chunk| chunk.id).collect()
    }

    pub(crate) fn prime(&self) -> PathBuf {
        let entries = fs::read_dir(self.path("_ctx")).unwrap().flatten();
        let mut primes = entries
            .map(|entry| entry.path())
            .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("prime_"));
        primes.next().unwrap()
    }
}

/// Wants these chunks whole, whatever they take.
pub(crate) fn wanted(ids: &[impl AsRef<str>]) -> Wanted {
    Wanted {
        ids: ids.iter().map(|id| id.as_ref().to_owned()).collect(),
        mode: Mode::Raw,
        budget: u64::MAX,
        max_chunks: None,
        stop_on_evidence: false,
        query: None,
    }
}
