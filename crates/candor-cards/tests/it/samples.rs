//! The facts each code comes with, as the crates supply them, and failures made from them.

use candor_protocol::{Code, Failure};

/// The contract with the crates that report failures: these names, no more and no fewer.
pub(crate) fn facts_of(code: Code) -> &'static [&'static str] {
    match code {
        Code::UsageMissingArgument | Code::UsageConflict => &["argument", "detail", "help"],
        Code::UsageUnknownArgument => &["argument", "detail", "help", "instead"],
        Code::UsageInvalidValue => &["argument", "value", "detail", "help"],
        Code::UsageUnknownCommand => &["command", "nearest", "instead", "detail", "help"],
        Code::UsageUnknownCode => &["code", "nearest"],
        Code::UsageNotInThisBuild => &["command"],
        Code::UsageNeedsTerminal => &["command", "flags"],
        Code::ConfigSyntax => &["path", "line", "column", "problem"],
        Code::ConfigInvalid => &["path", "count", "problems"],
        Code::ConfigBothFormats => &["first", "second"],
        Code::ConfigFormatUnknown | Code::ConfigNotFound | Code::ConfigExists | Code::LogNotFound => {
            &["path"]
        }
        Code::ConfigNotAFile => &["path", "kind"],
        Code::ConfigNotUtf8 => &["path", "line", "column"],
        Code::ConfigTooLarge => &["path", "size", "limit"],
        Code::ConfigTooComplex => &["path", "limit"],
        Code::ConfigUnknownKey => &["path", "key", "nearest"],
        Code::ConfigExposedSecret => &["path", "mode", "key"],
        Code::ConfigNotForWorkspace => &["path", "key"],
        Code::SecretMissing => &["key", "variable"],
        Code::SecretFileUnreadable => &["key", "path", "reason"],
        Code::SecretCommandFailed => &["key", "command", "reason"],
        Code::SecretCommandTimeout => &["key", "command", "limit"],
        Code::HomeNotFound => &[],
        Code::HomeNotPrivate => &["path", "mode"],
        Code::LogLinesDropped | Code::LogDamaged => &["path", "count"],
        Code::ConfigUnreadable
        | Code::ConfigWatchFailed
        | Code::HomeNotWritable
        | Code::LogOpenFailed
        | Code::LogWriteFailed
        | Code::LogDiskFull
        | Code::StoreDamaged
        | Code::FileNotFound
        | Code::FilePermission
        | Code::FileIsDirectory
        | Code::FileNotUtf8
        | Code::FileTooLarge
        | Code::FileExists
        | Code::FileIo
        | Code::DiskFull
        | Code::DiskReadOnly
        | Code::ScriptInvalid
        | Code::StoreUnavailable => &["path", "reason"],
        Code::ProviderRateLimited => &["provider", "wait"],
        Code::ProviderUnavailable => &["provider", "status"],
        Code::ProviderTimeout | Code::ProviderAnswerTooLarge => &["provider", "limit"],
        Code::ProviderUnreachable | Code::ProviderNotAServer => &["provider", "url", "reason"],
        Code::ProviderUnauthorized => &["provider", "status", "variable", "reason"],
        Code::ProviderBadRequest => &["provider", "status", "reason"],
        Code::ProviderModelUnknown | Code::ProviderAnswerCut => &["provider", "model"],
        Code::ProviderNotConfigured => &["variables", "addresses"],
        Code::ProviderOutOfQuota
        | Code::ProviderStreamCut
        | Code::ProviderContextTooLong
        | Code::ProviderRefused => &["provider", "reason"],
        Code::ProviderAnswerEmpty => &["provider"],
        Code::DelegateLimit => &["what", "setting", "limit"],
        Code::HookFileInvalid => &["path", "entry", "reason"],
        other => facts_of_runs(other),
    }
}

/// The same for what happens once a run, a session or a server is asked for.
fn facts_of_runs(code: Code) -> &'static [&'static str] {
    match code {
        Code::StoreNewer
        | Code::SegmentNotInitialized
        | Code::PackMissing
        | Code::PackEmpty
        | Code::HookUntrusted
        | Code::HarnessNoIds => &["path"],
        Code::StoreServer => &["database", "reason"],
        Code::ToolUnknown => &["tool", "tools"],
        Code::ToolArguments => &["tool", "reason"],
        Code::ToolInterrupted => &["tool"],
        Code::RunTurnsSpent | Code::RunTimeSpent => &["limit"],
        Code::RunCostSpent => &["spent", "limit"],
        Code::VerifyServiceEnded => &["service", "command", "how", "when", "said"],
        Code::VerifyServiceBackground => &["service", "command", "when", "said"],
        Code::VerifyNotReady => &["service", "command", "waited", "reason", "said"],
        Code::VerifyPortTaken => &["service", "address"],
        Code::VerifyProbeFailed => &["service", "probe", "reason", "sample"],
        Code::VerifyLogErrors => &["service", "count", "file", "entry"],
        Code::VerifyLacks => &["check", "reason"],
        Code::VerifyBudgetSpent => &["profile", "limit", "left"],
        Code::VerifyStuck => &["check", "cause"],
        Code::VerifyPlanInvalid => &["path", "line", "column", "problem"],
        Code::RunStuck => &["calls", "code", "count", "target", "tried", "cause"],
        Code::SessionUnknown | Code::SessionBusy | Code::SessionExists | Code::RunInterrupted => &["session"],
        Code::SessionQueueFull => &["limit", "session"],
        Code::ImportInvalid => &["line", "path", "reason"],
        Code::InvalidSegmentPath => &["path", "reason", "missing", "inside"],
        Code::VerifyNothingToRun | Code::SegmentConfigInvalid | Code::PackStale | Code::PackDamaged => {
            &["path", "reason"]
        }
        Code::SegmentLocked => &["path", "limit", "holder"],
        Code::PrimeFileNotFound => &["path", "segment", "prime"],
        Code::UnknownId => &["path", "ids", "nearest", "query"],
        Code::WebAddressRefused | Code::WebFetchFailed => &["url", "reason"],
        Code::WebRobots => &["url", "robots"],
        Code::WebStatus => &["url", "status"],
        Code::WebContent => &["url", "kind", "reason"],
        Code::WebSearchFailed | Code::WebSearchKey => &["engine", "reason"],
        Code::ServeAddress => &["address", "reason"],
        Code::ServeNotLoopback => &["address"],
        Code::FrameInvalid => &["reason"],
        Code::McpConfig => &["path", "line", "server", "key", "reason"],
        Code::McpUnknown => &["server", "servers"],
        Code::McpUntrusted => &["server", "path"],
        Code::McpStart | Code::McpProtocol | Code::McpLogin => &["server", "reason"],
        Code::McpGivenUp => &["server", "count", "reason"],
        Code::McpDied => &["server", "how", "tool"],
        Code::ToolTimeout => &["tool", "limit"],
        Code::McpTimeout => &["server", "tool", "limit"],
        Code::McpCall => &["tool", "server", "reason"],
        Code::SessionAmbiguous => &["session", "sessions"],
        Code::SessionNone => &["workspace"],
        Code::PlaceholderUnknown => &["placeholder"],
        Code::ToolBlocked => &["tool", "command", "reason", "remedy"],
        Code::ToolDenied => &["tool", "command", "reason"],
        Code::ToolUnapproved => &["tool", "command", "reason", "needs", "instead", "otherwise"],
        Code::ToolFileInvalid => &["path", "line", "tool", "reason"],
        Code::SkillInvalid => &["path", "line", "reason", "help"],
        Code::SkillUnknown => &["skill", "skills"],
        Code::SkillUntrusted => &["skill", "path"],
        Code::HookBlocked | Code::HookFailed => &["event", "hook", "reason"],
        Code::ScheduleInvalid => &["path", "schedule", "reason"],
        Code::SandboxTooWeak => &["minimum", "reached", "reason"],
        Code::SandboxFailed => &["stage", "reason"],
        Code::SandboxReadOnly => &["places", "place", "said"],
        Code::SandboxNoRepository => &["workspace", "said"],
        Code::HarnessInvalid => &["path", "problem"],
        Code::RecipeInvalid => &["path", "problems"],
        Code::WebSecret => &["what"],
        Code::InternalPanic => &["message", "location"],
        other => facts_of_commands(other),
    }
}

/// The same for what a command says or how it ends.
fn facts_of_commands(code: Code) -> &'static [&'static str] {
    match code {
        Code::CommandFailed => &["what", "exit", "said", "program", "command", "english", "lines", "silent"],
        Code::CommandNotFound | Code::CommandNotExecutable => &["program", "said", "command"],
        Code::CommandKilled | Code::CommandTerminated | Code::CommandInterrupted => {
            &["what", "signal", "exit", "said", "command"]
        }
        Code::CommandCrashed => &["what", "signal", "exit", "said", "command", "program"],
        Code::CommandTimedOut => &["what", "limit", "said", "command"],
        // A code that is missing here has facts that no card shows, which a test finds.
        _ => &[],
    }
}

/// A failure with every fact its code comes with, each made from its name by `value`.
pub(crate) fn failure(code: Code, value: impl Fn(&str) -> String) -> Failure {
    facts_of(code).iter().fold(Failure::new(code), |failure, name| failure.with(name, value(name)))
}

/// A failure with a value for every fact that can be told apart from all others in a card.
pub(crate) fn complete(code: Code) -> Failure {
    failure(code, |name| format!("the-{name}-fact"))
}
