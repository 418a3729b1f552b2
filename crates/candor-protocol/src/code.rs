//! The codes of our own failures, as a closed list.
//!
//! A crate that reports a failure names a code from here, so that a code without a card cannot be written; the
//! catalogue in `candor-cards` is checked to have exactly one card for each.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// Names one of our own failures.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each code is described by its card in the catalogue")]
        pub enum Code {
            $($name,)*
        }

        impl Code {
            /// Every code, in the order of the catalogue.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The code as it is written on a card.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// Finds a code by its name, in any case and with `-` for `_`.
            pub fn find(name: &str) -> Option<Self> {
                let name = name.trim().replace('-', "_");
                Self::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(&name))
            }
        }
    };
}

codes! {
    UsageUnknownArgument = "USAGE_UNKNOWN_ARGUMENT",
    UsageMissingArgument = "USAGE_MISSING_ARGUMENT",
    UsageInvalidValue = "USAGE_INVALID_VALUE",
    UsageConflict = "USAGE_CONFLICT",
    UsageUnknownCommand = "USAGE_UNKNOWN_COMMAND",
    UsageUnknownCode = "USAGE_UNKNOWN_CODE",
    UsageNotInThisBuild = "USAGE_NOT_IN_THIS_BUILD",
    UsageNeedsTerminal = "USAGE_NEEDS_TERMINAL",

    ConfigSyntax = "CONFIG_SYNTAX",
    ConfigInvalid = "CONFIG_INVALID",
    ConfigBothFormats = "CONFIG_BOTH_FORMATS",
    ConfigFormatUnknown = "CONFIG_FORMAT_UNKNOWN",
    ConfigNotFound = "CONFIG_NOT_FOUND",
    ConfigExists = "CONFIG_EXISTS",
    ConfigUnreadable = "CONFIG_UNREADABLE",
    ConfigNotAFile = "CONFIG_NOT_A_FILE",
    ConfigNotUtf8 = "CONFIG_NOT_UTF8",
    ConfigTooLarge = "CONFIG_TOO_LARGE",
    ConfigTooComplex = "CONFIG_TOO_COMPLEX",
    ConfigUnknownKey = "CONFIG_UNKNOWN_KEY",
    ConfigExposedSecret = "CONFIG_EXPOSED_SECRET",
    ConfigNotForWorkspace = "CONFIG_NOT_FOR_WORKSPACE",
    ConfigWatchFailed = "CONFIG_WATCH_FAILED",

    SecretMissing = "SECRET_MISSING",
    SecretFileUnreadable = "SECRET_FILE_UNREADABLE",
    SecretCommandFailed = "SECRET_COMMAND_FAILED",
    SecretCommandTimeout = "SECRET_COMMAND_TIMEOUT",

    HomeNotFound = "HOME_NOT_FOUND",
    HomeNotWritable = "HOME_NOT_WRITABLE",
    HomeNotPrivate = "HOME_NOT_PRIVATE",

    LogOpenFailed = "LOG_OPEN_FAILED",
    LogWriteFailed = "LOG_WRITE_FAILED",
    LogDiskFull = "LOG_DISK_FULL",
    LogLinesDropped = "LOG_LINES_DROPPED",
    LogNotFound = "LOG_NOT_FOUND",
    LogDamaged = "LOG_DAMAGED",

    FileNotFound = "FILE_NOT_FOUND",
    FilePermission = "FILE_PERMISSION",
    FileIsDirectory = "FILE_IS_DIRECTORY",
    FileNotUtf8 = "FILE_NOT_UTF8",
    FileTooLarge = "FILE_TOO_LARGE",
    FileExists = "FILE_EXISTS",
    FileIo = "FILE_IO",
    DiskFull = "DISK_FULL",
    DiskReadOnly = "DISK_READ_ONLY",

    ProviderRateLimited = "PROVIDER_RATE_LIMITED",
    ProviderUnavailable = "PROVIDER_UNAVAILABLE",
    ProviderTimeout = "PROVIDER_TIMEOUT",
    ProviderUnreachable = "PROVIDER_UNREACHABLE",
    ProviderUnauthorized = "PROVIDER_UNAUTHORIZED",
    ProviderBadRequest = "PROVIDER_BAD_REQUEST",
    ProviderModelUnknown = "PROVIDER_MODEL_UNKNOWN",
    ProviderNotConfigured = "PROVIDER_NOT_CONFIGURED",
    ProviderOutOfQuota = "PROVIDER_OUT_OF_QUOTA",
    ProviderStreamCut = "PROVIDER_STREAM_CUT",
    ProviderContextTooLong = "PROVIDER_CONTEXT_TOO_LONG",
    ProviderNotAServer = "PROVIDER_NOT_A_SERVER",
    ProviderAnswerTooLarge = "PROVIDER_ANSWER_TOO_LARGE",
    ProviderAnswerCut = "PROVIDER_ANSWER_CUT",
    ProviderAnswerEmpty = "PROVIDER_ANSWER_EMPTY",
    ProviderRefused = "PROVIDER_REFUSED",
    ScriptInvalid = "SCRIPT_INVALID",

    ToolTimeout = "TOOL_TIMEOUT",
    ToolBlocked = "TOOL_BLOCKED",
    ToolDenied = "TOOL_DENIED",
    ToolUnapproved = "TOOL_UNAPPROVED",
    ToolUnknown = "TOOL_UNKNOWN",
    ToolArguments = "TOOL_ARGUMENTS",
    ToolInterrupted = "TOOL_INTERRUPTED",
    ToolFileInvalid = "TOOL_FILE_INVALID",
    SkillInvalid = "SKILL_INVALID",
    SkillUnknown = "SKILL_UNKNOWN",
    SkillUntrusted = "SKILL_UNTRUSTED",
    HookFileInvalid = "HOOK_FILE_INVALID",
    HookUntrusted = "HOOK_UNTRUSTED",
    HookBlocked = "HOOK_BLOCKED",
    HookFailed = "HOOK_FAILED",
    ScheduleInvalid = "SCHEDULE_INVALID",
    SandboxTooWeak = "SANDBOX_TOO_WEAK",
    SandboxFailed = "SANDBOX_FAILED",
    SandboxReadOnly = "SANDBOX_READ_ONLY",
    SandboxNoRepository = "SANDBOX_NO_REPOSITORY",

    CommandFailed = "COMMAND_FAILED",
    CommandNotFound = "COMMAND_NOT_FOUND",
    CommandNotExecutable = "COMMAND_NOT_EXECUTABLE",
    CommandKilled = "COMMAND_KILLED",
    CommandCrashed = "COMMAND_CRASHED",
    CommandTerminated = "COMMAND_TERMINATED",
    CommandInterrupted = "COMMAND_INTERRUPTED",
    CommandTimedOut = "COMMAND_TIMED_OUT",
    RecipeInvalid = "RECIPE_INVALID",
    HarnessNoIds = "HARNESS_NO_IDS",
    HarnessInvalid = "HARNESS_INVALID",

    RunTurnsSpent = "RUN_TURNS_SPENT",
    RunCostSpent = "RUN_COST_SPENT",
    RunTimeSpent = "RUN_TIME_SPENT",
    RunStuck = "RUN_STUCK",
    RunInterrupted = "RUN_INTERRUPTED",
    DelegateLimit = "DELEGATE_LIMIT",
    SessionUnknown = "SESSION_UNKNOWN",
    SessionAmbiguous = "SESSION_AMBIGUOUS",
    SessionNone = "SESSION_NONE",
    SessionBusy = "SESSION_BUSY",
    SessionQueueFull = "SESSION_QUEUE_FULL",
    SessionExists = "SESSION_EXISTS",
    ImportInvalid = "IMPORT_INVALID",
    PlaceholderUnknown = "PLACEHOLDER_UNKNOWN",

    VerifyServiceEnded = "VERIFY_SERVICE_ENDED",
    VerifyServiceBackground = "VERIFY_SERVICE_BACKGROUND",
    VerifyNotReady = "VERIFY_NOT_READY",
    VerifyPortTaken = "VERIFY_PORT_TAKEN",
    VerifyProbeFailed = "VERIFY_PROBE_FAILED",
    VerifyLogErrors = "VERIFY_LOG_ERRORS",
    VerifyLacks = "VERIFY_LACKS",
    VerifyNothingToRun = "VERIFY_NOTHING_TO_RUN",
    VerifyBudgetSpent = "VERIFY_BUDGET_SPENT",
    VerifyStuck = "VERIFY_STUCK",
    VerifyPlanInvalid = "VERIFY_PLAN_INVALID",

    WebAddressRefused = "WEB_ADDRESS_REFUSED",
    WebSecret = "WEB_SECRET",
    WebRobots = "WEB_ROBOTS",
    WebFetchFailed = "WEB_FETCH_FAILED",
    WebStatus = "WEB_STATUS",
    WebContent = "WEB_CONTENT",
    WebSearchFailed = "WEB_SEARCH_FAILED",
    WebSearchKey = "WEB_SEARCH_KEY",

    ServeAddress = "SERVE_ADDRESS",
    ServeNotLoopback = "SERVE_NOT_LOOPBACK",
    FrameInvalid = "FRAME_INVALID",

    McpConfig = "MCP_CONFIG",
    McpUnknown = "MCP_UNKNOWN",
    McpUntrusted = "MCP_UNTRUSTED",
    McpStart = "MCP_START",
    McpGivenUp = "MCP_GIVEN_UP",
    McpDied = "MCP_DIED",
    McpTimeout = "MCP_TIMEOUT",
    McpProtocol = "MCP_PROTOCOL",
    McpCall = "MCP_CALL",
    McpLogin = "MCP_LOGIN",

    InvalidSegmentPath = "INVALID_SEGMENT_PATH",
    SegmentNotInitialized = "SEGMENT_NOT_INITIALIZED",
    SegmentConfigInvalid = "SEGMENT_CONFIG_INVALID",
    SegmentLocked = "SEGMENT_LOCKED",
    PrimeFileNotFound = "PRIME_FILE_NOT_FOUND",
    PackMissing = "PACK_MISSING",
    PackEmpty = "PACK_EMPTY",
    PackStale = "PACK_STALE",
    PackDamaged = "PACK_DAMAGED",
    UnknownId = "UNKNOWN_ID",

    StoreUnavailable = "STORE_UNAVAILABLE",
    StoreServer = "STORE_SERVER",
    StoreNewer = "STORE_NEWER",
    StoreDamaged = "STORE_DAMAGED",
    InternalPanic = "INTERNAL_PANIC",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
