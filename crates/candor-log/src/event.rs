//! Every event the product logs, one struct each.
//!
//! The names, levels and fields are a contract with whoever reads the logs, so they are written here once and a caller
//! only fills in the values: `TurnStart { session_id, model, message_count }.log()`. A field that is `None` is left
//! out of the line. The log itself writes some more: `panic`, `log_dropped`, `log_masked` and `log_mirror_ended`.

mod recorded;

use std::time::Duration;

use candor_protocol::SessionId;
use tracing::Level;

use recorded::Recorded;

/// Where the callsites of our own events stand.
pub(crate) const MODULE_PATH: &str = module_path!();

macro_rules! events {
    ($(
        $(#[$doc:meta])*
        $name:ident $(<$life:lifetime>)? = $level:ident $module:literal $event:literal {
            $($(#[$field_doc:meta])* $field:ident: $type:ty = $key:literal,)*
        }
    )*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name $(<$life>)? {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $(<$life>)? $name $(<$life>)? {
            /// Writes the line.
            pub fn log(&self) {
                tracing::event!(name: $event, target: $module, Level::$level, {
                    $($key = self.$field.recorded()),*
                });
            }
        }
    )* };
}

events! {
    /// A turn begins: the model is about to be asked.
    TurnStart<'a> = INFO "agent-loop" "turn_start" {
        /// The session.
        session_id: SessionId = "sessionId",
        /// The model that is asked.
        model: &'a str = "model",
        /// How many messages it is given.
        message_count: u64 = "messageCount",
    }

    /// A turn has ended, its tool calls included.
    TurnEnd = INFO "agent-loop" "turn_end" {
        /// The session.
        session_id: SessionId = "sessionId",
        /// Tokens sent.
        input_tokens: u64 = "inputTokens",
        /// Tokens received.
        output_tokens: u64 = "outputTokens",
        /// Both, as the provider counts them.
        total_tokens: u64 = "totalTokens",
        /// How long the turn took.
        duration: Duration = "durationMs",
        /// How many tools it called.
        tool_call_count: u64 = "toolCallCount",
    }

    /// A tool call was refused.
    ToolBlocked<'a> = WARN "tools" "tool_blocked" {
        /// The session.
        session_id: SessionId = "sessionId",
        /// The tool.
        tool: &'a str = "tool",
        /// What it was asked to do.
        command: &'a str = "command",
        /// Why it was refused.
        reason: &'a str = "reason",
    }

    /// A tool took too long and was stopped.
    ToolTimeout<'a> = WARN "tools" "tool_timeout" {
        /// The session.
        session_id: SessionId = "sessionId",
        /// The tool.
        tool: &'a str = "tool",
        /// How long it was given.
        timeout: Duration = "timeoutMs",
    }

    /// A tool said more than is kept.
    ToolOutputTruncated<'a> = WARN "tools" "tool_output_truncated" {
        /// The session.
        session_id: SessionId = "sessionId",
        /// The tool.
        tool: &'a str = "tool",
        /// How much it said.
        original_bytes: u64 = "originalSize",
        /// How much was kept.
        truncated_bytes: u64 = "truncatedSize",
    }

    /// Something that git would have believed was put right or set aside.
    RepositoryPutRight<'a> = WARN "tools" "repository_put_right" {
        /// What it was, and what became of it.
        what: &'a str = "what",
    }

    /// A card of a failed call was shown to the model.
    CardShown<'a> = INFO "agent-loop" "card_shown" {
        /// The session.
        session_id: SessionId = "sessionId",
        /// Its code.
        code: &'a str = "code",
        /// Its class.
        class: &'a str = "class",
        /// The tool whose call failed.
        tool: &'a str = "tool",
        /// Where the card comes from: `rule`, `card` or `generic` for a command, `tool` otherwise.
        source: &'a str = "source",
        /// Which time this was for the same code and target, from 1.
        repeat: u32 = "repeat",
    }

    /// What had failed works.
    CardRecovered<'a> = INFO "agent-loop" "card_recovered" {
        /// The session.
        session_id: SessionId = "sessionId",
        /// The code of the card.
        code: &'a str = "code",
        /// The tool whose call had failed.
        tool: &'a str = "tool",
        /// How long it took, from the first failure on.
        duration: Duration = "durationMs",
        /// How often it had failed.
        attempts: u64 = "attempts",
        /// Who repaired it: `model` or `auto`.
        by: &'a str = "by",
    }

    /// Something was checked before work was called done.
    VerificationCheck<'a> = INFO "verify" "verification_check" {
        /// The session, unless nobody but a person asked for it.
        session_id: Option<SessionId> = "sessionId",
        /// What was checked.
        check: &'a str = "check",
        /// What came of it.
        result: &'a str = "result",
        /// The same in a sentence.
        summary: &'a str = "summary",
        /// How long it took.
        duration: Duration = "durationMs",
    }

    /// A verification is over.
    VerificationEnd<'a> = INFO "verify" "verification_end" {
        /// The session, unless nobody but a person asked for it.
        session_id: Option<SessionId> = "sessionId",
        /// The verdict.
        verdict: &'a str = "verdict",
        /// How strictly was checked.
        profile: &'a str = "profile",
        /// How often the model has repaired something since the run began.
        round: u32 = "round",
        /// How long it took.
        duration: Duration = "durationMs",
    }

    /// A file of recipes is left out.
    RecipeInvalid<'a> = WARN "tools" "recipe_invalid" {
        /// The code of its card.
        code: &'a str = "code",
        /// The file.
        path: &'a str = "path",
        /// What is wrong with it.
        error: &'a str = "error",
    }

    /// An entry of a file of tools is left out.
    ToolFileInvalid<'a> = WARN "tools" "tool_file_invalid" {
        /// The code of its card.
        code: &'a str = "code",
        /// The file.
        path: &'a str = "path",
        /// Where, what and why.
        error: &'a str = "error",
    }

    /// An entry of a file of hooks is left out.
    HookFileInvalid<'a> = WARN "tools" "hook_file_invalid" {
        /// The code of its card.
        code: &'a str = "code",
        /// The file.
        path: &'a str = "path",
        /// Where and why.
        error: &'a str = "error",
    }

    /// A hook was run.
    HookRun<'a> = INFO "tools" "hook_run" {
        /// The session.
        session_id: SessionId = "sessionId",
        /// When.
        event: &'a str = "hookEvent",
        /// The command.
        hook: &'a str = "hook",
        /// How long it took.
        duration: Duration = "durationMs",
        /// What came of it.
        outcome: &'a str = "outcome",
    }

    /// A scheduled job begins.
    CronStart<'a> = INFO "cron" "cron_start" {
        /// The job.
        job_id: &'a str = "jobId",
        /// The session it runs in.
        session_id: SessionId = "sessionId",
        /// Its schedule, as configured.
        schedule: &'a str = "schedule",
    }

    /// A scheduled job has ended.
    CronEnd<'a> = INFO "cron" "cron_end" {
        /// The job.
        job_id: &'a str = "jobId",
        /// The session it ran in.
        session_id: SessionId = "sessionId",
        /// How it ended.
        status: &'a str = "status",
        /// How long it took.
        duration: Duration = "durationMs",
    }

    /// A scheduled job could not be carried out.
    CronError<'a> = ERROR "cron" "cron_error" {
        /// The job.
        job_id: &'a str = "jobId",
        /// What went wrong.
        error: &'a str = "error",
    }

    /// A session was created.
    SessionCreated<'a> = INFO "sessions" "session_created" {
        /// The session.
        session_id: SessionId = "sessionId",
        /// Where it came from: a surface, a schedule, a workflow.
        source: &'a str = "source",
    }

    /// A session began to work for another one.
    ChildStart = INFO "sessions" "child_start" {
        /// The session that it works for.
        session_id: SessionId = "sessionId",
        /// The child.
        child_id: SessionId = "childId",
        /// How many sessions stand above it.
        depth: u64 = "depth",
    }

    /// A run of such a session is over.
    ChildEnd<'a> = INFO "sessions" "child_end" {
        /// The session that it works for.
        session_id: SessionId = "sessionId",
        /// The child.
        child_id: SessionId = "childId",
        /// How it ended.
        status: &'a str = "status",
        /// What the verifier found.
        verdict: &'a str = "verdict",
    }

    /// A run is over.
    RunEnd<'a> = INFO "sessions" "run_end" {
        /// The session.
        session_id: SessionId = "sessionId",
        /// How it ended.
        status: &'a str = "status",
        /// The code of its card, if it did not end well.
        code: Option<&'a str> = "code",
        /// How many turns it had.
        turns: u64 = "turns",
        /// How long it took.
        duration: Duration = "durationMs",
    }

    /// A session's older messages were replaced by a summary.
    SessionCompacted = INFO "sessions" "session_compacted" {
        /// The session.
        session_id: SessionId = "sessionId",
        /// How many messages went.
        removed_messages: u64 = "removedMessages",
        /// How long the summary is.
        summary_tokens: u64 = "summaryTokens",
    }

    /// A changed configuration was taken over.
    ConfigReload<'a> = INFO "config" "config_reload" {
        /// The top-level keys whose value is another one now.
        changed_sections: &'a [&'a str] = "changedSections",
    }

    /// A changed configuration was refused; the last good one stays. The same event as [`ConfigReload`], as an error.
    ConfigReloadFailed<'a> = ERROR "config" "config_reload" {
        /// The code of its card.
        code: Option<&'a str> = "code",
        /// What is wrong with it.
        error: &'a str = "error",
    }

    /// A provider failed.
    ProviderError<'a> = ERROR "provider" "provider_error" {
        /// The provider.
        provider: &'a str = "provider",
        /// The code of its card.
        code: Option<&'a str> = "code",
        /// The HTTP status, if there was an answer at all.
        status_code: Option<u16> = "statusCode",
        /// What it said, or what the network said.
        error: &'a str = "error",
        /// Which attempt this was.
        retry_attempt: u32 = "retryAttempt",
    }

    /// A provider asked us to slow down.
    ProviderRateLimit<'a> = WARN "provider" "provider_rate_limit" {
        /// The provider.
        provider: &'a str = "provider",
        /// How long it wants us to wait, if it said so.
        retry_after: Option<Duration> = "retryAfterMs",
    }

    /// A provider failed and will be asked again.
    ProviderRetry<'a> = WARN "provider" "provider_retry" {
        /// The provider.
        provider: &'a str = "provider",
        /// The attempt that comes next; the first retry is 1.
        retry_attempt: u32 = "retryAttempt",
        /// How long is waited before it.
        delay: Duration = "delayMs",
        /// Why.
        error: &'a str = "error",
    }

    /// A client has connected to the WebSocket.
    WsConnect<'a> = INFO "server" "ws_connect" {
        /// The client.
        client_id: &'a str = "clientId",
        /// The session it asked for, if it named one.
        session_id: Option<SessionId> = "sessionId",
    }

    /// A client of the WebSocket has gone.
    WsDisconnect<'a> = INFO "server" "ws_disconnect" {
        /// The client.
        client_id: &'a str = "clientId",
        /// Why.
        reason: &'a str = "reason",
    }

    /// What was asked for ended with a card before there was a run, or outside of one.
    CommandFailed<'a> = ERROR "cli" "command_failed" {
        /// The code of its card.
        code: &'a str = "code",
        /// The cause on it.
        error: &'a str = "error",
        /// The first of its steps.
        step: &'a str = "step",
    }

    /// An MCP server is started, or reached; not the first time if it failed before.
    McpServerStart<'a> = INFO "mcp" "mcp_server_start" {
        /// The server.
        server: &'a str = "server",
        /// How often it has failed in a row.
        failures: u32 = "failures",
    }

    /// An MCP server has said what it offers.
    McpServerReady<'a> = INFO "mcp" "mcp_server_ready" {
        /// The server.
        server: &'a str = "server",
        /// How long its start took.
        duration: Duration = "durationMs",
        /// How many tools it offers.
        tools: u64 = "tools",
    }

    /// An MCP server could not be had, or has ended.
    McpServerFailed<'a> = WARN "mcp" "mcp_server_failed" {
        /// The server.
        server: &'a str = "server",
        /// The code of its card.
        code: &'a str = "code",
        /// Why.
        error: &'a str = "error",
        /// How often it has failed in a row.
        failures: u32 = "failures",
    }

    /// An MCP server is not started again by itself.
    McpServerGivenUp<'a> = ERROR "mcp" "mcp_server_given_up" {
        /// The server.
        server: &'a str = "server",
        /// How often it has failed in a row.
        failures: u32 = "failures",
    }

    /// The server listens.
    ServerStart<'a> = INFO "server" "server_start" {
        /// The address it listens on.
        host: &'a str = "host",
        /// The port it listens on.
        port: u16 = "port",
        /// The version of the program.
        version: &'a str = "version",
    }
}

/// A tool was called and has answered.
#[derive(Debug, Clone)]
pub struct ToolCall<'a> {
    /// The session.
    pub session_id: SessionId,
    /// The tool.
    pub tool: &'a str,
    /// How long it took.
    pub duration: Duration,
    /// Whether its answer is an error.
    pub is_error: bool,
    /// What it was called with. Written only while the level is debug: arguments hold what people type and what
    /// files contain, which an ordinary log must not.
    pub args: Option<&'a serde_json::Value>,
}

impl ToolCall<'_> {
    /// Writes the line.
    pub fn log(&self) {
        let args = self.args.filter(|_| tracing::enabled!(target: "agent-loop", Level::DEBUG));
        tracing::event!(name: "tool_call", target: "agent-loop", Level::INFO, {
            "sessionId" = self.session_id.recorded(),
            "tool" = self.tool,
            "durationMs" = self.duration.recorded(),
            "isError" = self.is_error,
            "args" = args.recorded(),
        });
    }
}
