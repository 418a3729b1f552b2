//! Every error names its thing and has a card with all its facts.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use candor_protocol::Code;
use candor_sandbox::{Error, Level, run};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

#[tokio::test]
async fn a_missing_program_is_told_from_a_missing_directory() {
    for rig in Rig::kinds() {
        let cancel = CancellationToken::new();
        let mut spec = rig.script("true");
        spec.program = rig.path("nothing");
        let error = run(&spec, &rig.sandbox, &cancel).await.unwrap_err();
        assert!(
            matches!(&error, Error::NotFound { program } if *program == rig.path("nothing")),
            "{error:?}"
        );
        spec.cwd = rig.path("nowhere");
        let error = run(&spec, &rig.sandbox, &cancel).await.unwrap_err();
        assert!(matches!(&error, Error::Cwd { path, .. } if *path == rig.path("nowhere")), "{error:?}");
        fs::write(rig.path("file"), "").unwrap();
        spec.cwd = rig.path("file");
        let error = run(&spec, &rig.sandbox, &cancel).await.unwrap_err();
        assert!(matches!(error, Error::Cwd { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_file_that_is_no_program_is_not_started() {
    for rig in Rig::kinds() {
        let mut spec = rig.script("");
        spec.program = rig.path("text");
        fs::write(&spec.program, "words").unwrap();
        fs::set_permissions(&spec.program, fs::Permissions::from_mode(0o644)).unwrap();
        let error = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap_err();
        assert!(matches!(error, Error::NotStarted { .. }), "{error:?}");
        assert_eq!(error.failure().code, Code::FilePermission);
    }
}

#[test]
fn every_error_has_a_card() {
    let path = || PathBuf::from("/bin/thing");
    let source = || io::Error::from(io::ErrorKind::PermissionDenied);
    let all = [
        (Error::NotFound { program: path() }, Code::FileNotFound),
        (Error::NotStarted { program: path(), source: source() }, Code::FilePermission),
        (Error::Cwd { path: path(), source: source() }, Code::FilePermission),
        (Error::Wall { stage: "/bin/thing", source: source() }, Code::SandboxFailed),
        (
            Error::TooWeak { reached: Level::None, minimum: Level::Landlock, why: "/bin/thing".to_owned() },
            Code::SandboxTooWeak,
        ),
    ];
    for (error, code) in all {
        // A variant that is added must be added above too.
        match &error {
            Error::NotFound { .. }
            | Error::NotStarted { .. }
            | Error::Cwd { .. }
            | Error::Wall { .. }
            | Error::TooWeak { .. } => {}
        }
        let failure = error.failure();
        assert_eq!(failure.code, code);
        for fact in candor_cards::facts(candor_cards::entry(code)) {
            assert!(failure.fact(fact).is_some(), "{error:?} gives no {fact}");
        }
        assert!(error.to_string().contains("/bin/thing"), "{error}");
        assert!(!error.to_string().contains("permission"), "{error}");
    }
}
