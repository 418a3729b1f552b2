//! A workspace with a canary next to it, and a model that calls tools there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use candor_protocol::{Code, ToolCall};
use candor_tools::{Registry, Rules, ToolContext, ToolOutput, dispatch};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const CANARY: &str = "still singing";

pub(crate) struct Rig {
    directory: TempDir,
    pub(crate) registry: Registry,
    pub(crate) context: ToolContext,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("workspace")).unwrap();
        fs::create_dir_all(root.join("workspace-evil")).unwrap();
        fs::write(root.join("canary"), CANARY).unwrap();
        let rules = Rules {
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            timeout: Duration::from_secs(60),
            output_bytes_max: 10_000,
            ..Rules::default()
        };
        let session = "0195a3c1-7b00-7000-8000-000000000001".parse().unwrap();
        let context = ToolContext::alone(session, root.join("workspace"), rules);
        Self { directory, registry: Registry::built_in(), context }
    }

    /// A path outside of the workspace.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    /// A path inside.
    pub(crate) fn inside(&self, name: &str) -> PathBuf {
        self.context.workspace.join(name)
    }

    pub(crate) async fn call(&self, tool: &str, args: Value) -> ToolOutput {
        dispatch(&self.registry, &call(tool, args.clone()), &args, &self.context).await
    }

    pub(crate) async fn shell(&self, command: &str) -> ToolOutput {
        self.call("shell_exec", json!({ "command": command })).await
    }

    pub(crate) async fn read(&self, path: impl AsRef<Path>) -> ToolOutput {
        self.call("file_read", json!({ "path": path.as_ref() })).await
    }

    pub(crate) async fn write(&self, path: impl AsRef<Path>, content: &str) -> ToolOutput {
        self.call("file_write", json!({ "path": path.as_ref(), "content": content })).await
    }

    /// Everything outside is as it was, and no temporary file is left inside.
    #[track_caller]
    pub(crate) fn check_outside(&self) {
        assert_eq!(fs::read_to_string(self.outside("canary")).unwrap(), CANARY);
        assert_eq!(fs::read_dir(self.outside("workspace-evil")).unwrap().count(), 0);
        let mut names: Vec<_> =
            fs::read_dir(self.outside("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["canary", "workspace", "workspace-evil"]);
        let left = fs::read_dir(&self.context.workspace).unwrap().flatten();
        assert_eq!(
            left.filter(|entry| entry.file_name().to_string_lossy().starts_with(".candor-")).count(),
            0
        );
    }
}

pub(crate) fn call(tool: &str, args: Value) -> ToolCall {
    ToolCall { call_id: "c1".into(), tool_name: tool.into(), args, malformed: None, opaque: None }
}

pub(crate) fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

/// A failure that says nothing but that, in exactly this shape.
#[track_caller]
pub(crate) fn check_failure(output: &ToolOutput, code: Code) {
    assert!(output.is_error, "{output:?}");
    let card = output.card.as_ref().unwrap();
    assert_eq!(card.code, code.as_str(), "{output:?}");
    assert!(!card.cause.contains("unknown"), "{card:?}");
    let told: Value = serde_json::from_str(&output.for_model).unwrap();
    let keys: Vec<&str> = told.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["error", "card"]);
    assert!(!told["error"].as_str().unwrap().is_empty());
    assert_eq!(told["card"], serde_json::to_value(card).unwrap());
}

#[track_caller]
pub(crate) fn check_success(output: &ToolOutput, for_model: &str) {
    assert!(!output.is_error, "{output:?}");
    assert!(output.card.is_none());
    assert_eq!(output.for_model, for_model);
}

/// Does one thing over and over on a thread of its own, while another is done here.
pub(crate) fn meanwhile<T>(mut over_and_over: impl FnMut() + Send, here: impl Future<Output = T>) -> T {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                over_and_over();
            }
        });
        let _stop = Stop(&stop);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(here)
    })
}

/// Stops the thread also when what is done here panics.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
