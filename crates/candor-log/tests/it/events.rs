//! Every event, against the table of the specification.

use std::time::Duration;

use candor_log::event::{
    CommandFailed, ConfigReload, ConfigReloadFailed, CronEnd, CronError, CronStart, ProviderError,
    ProviderRateLimit, ProviderRetry, ServerStart, SessionCompacted, SessionCreated, ToolBlocked, ToolCall,
    ToolOutputTruncated, ToolTimeout, TurnEnd, TurnStart, WsConnect, WsDisconnect,
};
use candor_protocol::Level;
use serde_json::{Value, json};

use crate::rig::{Rig, session};

const TICK: Duration = Duration::from_millis(1500);

/// The table of the specification: event, level, fields.
const TABLE: [(&str, &str, &[&str]); 17] = [
    ("turn_start", "info", &["sessionId", "model", "messageCount"]),
    (
        "turn_end",
        "info",
        &["sessionId", "inputTokens", "outputTokens", "totalTokens", "durationMs", "toolCallCount"],
    ),
    ("tool_call", "info", &["sessionId", "tool", "durationMs", "isError"]),
    ("tool_blocked", "warn", &["sessionId", "tool", "command", "reason"]),
    ("tool_timeout", "warn", &["sessionId", "tool", "timeoutMs"]),
    ("tool_output_truncated", "warn", &["sessionId", "tool", "originalSize", "truncatedSize"]),
    ("cron_start", "info", &["jobId", "sessionId", "schedule"]),
    ("cron_end", "info", &["jobId", "sessionId", "status", "durationMs"]),
    ("cron_error", "error", &["jobId", "error"]),
    ("session_created", "info", &["sessionId", "source"]),
    ("session_compacted", "info", &["sessionId", "removedMessages", "summaryTokens"]),
    ("config_reload", "info", &["changedSections"]),
    ("provider_error", "error", &["provider", "statusCode", "error", "retryAttempt"]),
    ("provider_rate_limit", "warn", &["provider", "retryAfterMs"]),
    ("ws_connect", "info", &["clientId", "sessionId"]),
    ("ws_disconnect", "info", &["clientId", "reason"]),
    ("server_start", "info", &["host", "port", "version"]),
];

/// Every event once, in the order of the table.
fn log_one_of_each() {
    let (session_id, duration, tool, job_id) = (session(), TICK, "t", "j");
    TurnStart { session_id, model: "m", message_count: 1 }.log();
    TurnEnd { session_id, input_tokens: 1, output_tokens: 1, total_tokens: 2, duration, tool_call_count: 0 }
        .log();
    ToolCall { session_id, tool, duration, is_error: false, args: None }.log();
    ToolBlocked { session_id, tool, command: "c", reason: "r" }.log();
    ToolTimeout { session_id, tool, timeout: duration }.log();
    ToolOutputTruncated { session_id, tool, original_bytes: 2, truncated_bytes: 1 }.log();
    CronStart { job_id, session_id, schedule: "s" }.log();
    CronEnd { job_id, session_id, status: "done", duration }.log();
    CronError { job_id, error: "e" }.log();
    SessionCreated { session_id, source: "cli" }.log();
    SessionCompacted { session_id, removed_messages: 1, summary_tokens: 1 }.log();
    ConfigReload { changed_sections: &[] }.log();
    ProviderError { provider: "p", code: None, status_code: Some(500), error: "e", retry_attempt: 1 }.log();
    ProviderRateLimit { provider: "p", retry_after: Some(duration) }.log();
    WsConnect { client_id: "c", session_id: Some(session_id) }.log();
    WsDisconnect { client_id: "c", reason: "r" }.log();
    ServerStart { host: "h", port: 1, version: "v" }.log();
}

#[test]
fn every_event_of_the_specification_is_there_as_it_says() {
    let rig = Rig::new();
    rig.run(log_one_of_each);
    let lines = rig.lines();
    assert_eq!(lines.len(), TABLE.len());
    for (line, (event, level, fields)) in lines.iter().zip(TABLE) {
        let line = line.as_object().unwrap();
        assert_eq!(line["event"], event);
        assert_eq!(line["level"], level, "{event}");
        assert_eq!(line.keys().skip(4).collect::<Vec<_>>(), fields, "{event}");
    }
}

/// Checks the one line an event writes: its level, its name, and its own fields in their order.
#[track_caller]
fn check(log: impl FnOnce(), level: &str, event: &str, fields: Value) {
    let rig = Rig::new();
    rig.run(log);
    let lines = rig.lines();
    let [Value::Object(line)] = lines.as_slice() else { panic!("not one line: {lines:?}") };
    let names: Vec<_> = line.keys().map(String::as_str).collect();
    assert_eq!(names[..4], ["ts", "level", "module", "event"]);
    assert_eq!(line["ts"], "2025-02-11T12:00:00.000Z");
    assert_eq!(line["level"], level);
    assert_eq!(line["event"], event);
    let own: Vec<_> = line.iter().skip(4).collect();
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    assert_eq!(own, fields.iter().collect::<Vec<_>>());
}

#[test]
fn turn_events_have_the_fields_of_the_table() {
    let id = session();
    let start = TurnStart { session_id: id, model: "claude-sonnet-4-5", message_count: 7 };
    check(
        || start.log(),
        "info",
        "turn_start",
        json!({ "sessionId": id, "model": "claude-sonnet-4-5", "messageCount": 7 }),
    );
    let end = TurnEnd {
        session_id: id,
        input_tokens: 1500,
        output_tokens: 320,
        total_tokens: 1820,
        duration: TICK,
        tool_call_count: 2,
    };
    check(
        || end.log(),
        "info",
        "turn_end",
        json!({ "sessionId": id, "inputTokens": 1500, "outputTokens": 320, "totalTokens": 1820,
                "durationMs": 1500, "toolCallCount": 2 }),
    );
}

#[test]
fn tool_events_have_the_fields_of_the_table() {
    let id = session();
    let call = ToolCall { session_id: id, tool: "shell_exec", duration: TICK, is_error: false, args: None };
    check(
        || call.log(),
        "info",
        "tool_call",
        json!({ "sessionId": id, "tool": "shell_exec", "durationMs": 1500, "isError": false }),
    );
    let blocked = ToolBlocked { session_id: id, tool: "shell_exec", command: "rm -rf /", reason: "denied" };
    check(
        || blocked.log(),
        "warn",
        "tool_blocked",
        json!({ "sessionId": id, "tool": "shell_exec", "command": "rm -rf /", "reason": "denied" }),
    );
    let timeout = ToolTimeout { session_id: id, tool: "shell_exec", timeout: TICK };
    check(
        || timeout.log(),
        "warn",
        "tool_timeout",
        json!({ "sessionId": id, "tool": "shell_exec", "timeoutMs": 1500 }),
    );
    let cut = ToolOutputTruncated {
        session_id: id,
        tool: "shell_exec",
        original_bytes: 900_000,
        truncated_bytes: 200_000,
    };
    check(
        || cut.log(),
        "warn",
        "tool_output_truncated",
        json!({ "sessionId": id, "tool": "shell_exec", "originalSize": 900_000, "truncatedSize": 200_000 }),
    );
}

#[test]
fn cron_events_have_the_fields_of_the_table() {
    let id = session();
    let start = CronStart { job_id: "backup", session_id: id, schedule: "0 3 * * *" };
    check(
        || start.log(),
        "info",
        "cron_start",
        json!({ "jobId": "backup", "sessionId": id, "schedule": "0 3 * * *" }),
    );
    let end = CronEnd { job_id: "backup", session_id: id, status: "done", duration: TICK };
    check(
        || end.log(),
        "info",
        "cron_end",
        json!({ "jobId": "backup", "sessionId": id, "status": "done", "durationMs": 1500 }),
    );
    let error = CronError { job_id: "backup", error: "no such session" };
    check(|| error.log(), "error", "cron_error", json!({ "jobId": "backup", "error": "no such session" }));
}

#[test]
fn session_events_have_the_fields_of_the_table() {
    let id = session();
    let created = SessionCreated { session_id: id, source: "cli" };
    check(|| created.log(), "info", "session_created", json!({ "sessionId": id, "source": "cli" }));
    let compacted = SessionCompacted { session_id: id, removed_messages: 40, summary_tokens: 900 };
    check(
        || compacted.log(),
        "info",
        "session_compacted",
        json!({ "sessionId": id, "removedMessages": 40, "summaryTokens": 900 }),
    );
}

#[test]
fn config_reload_is_info_with_sections_or_error_with_the_reason() {
    let good = ConfigReload { changed_sections: &["logging", "tools"] };
    check(|| good.log(), "info", "config_reload", json!({ "changedSections": ["logging", "tools"] }));
    let bad = ConfigReloadFailed { code: Some("CONFIG_INVALID"), error: "line 3: no such level" };
    check(
        || bad.log(),
        "error",
        "config_reload",
        json!({ "code": "CONFIG_INVALID", "error": "line 3: no such level" }),
    );
}

#[test]
fn provider_events_have_the_fields_of_the_table() {
    let error = ProviderError {
        provider: "anthropic",
        code: Some("PROVIDER_UNAVAILABLE"),
        status_code: Some(529),
        error: "overloaded",
        retry_attempt: 3,
    };
    check(
        || error.log(),
        "error",
        "provider_error",
        json!({ "provider": "anthropic", "code": "PROVIDER_UNAVAILABLE", "statusCode": 529, "error": "overloaded", "retryAttempt": 3 }),
    );
    let limit = ProviderRateLimit { provider: "anthropic", retry_after: Some(TICK) };
    check(
        || limit.log(),
        "warn",
        "provider_rate_limit",
        json!({ "provider": "anthropic", "retryAfterMs": 1500 }),
    );
    let retry = ProviderRetry { provider: "anthropic", retry_attempt: 1, delay: TICK, error: "overloaded" };
    check(
        || retry.log(),
        "warn",
        "provider_retry",
        json!({ "provider": "anthropic", "retryAttempt": 1, "delayMs": 1500, "error": "overloaded" }),
    );
}

#[test]
fn server_events_have_the_fields_of_the_table() {
    let id = session();
    let connect = WsConnect { client_id: "c1", session_id: Some(id) };
    check(|| connect.log(), "info", "ws_connect", json!({ "clientId": "c1", "sessionId": id }));
    let gone = WsDisconnect { client_id: "c1", reason: "closed" };
    check(|| gone.log(), "info", "ws_disconnect", json!({ "clientId": "c1", "reason": "closed" }));
    let start = ServerStart { host: "127.0.0.1", port: 7777, version: "0.1.0" };
    check(
        || start.log(),
        "info",
        "server_start",
        json!({ "host": "127.0.0.1", "port": 7777, "version": "0.1.0" }),
    );
}

#[test]
fn a_command_that_ends_with_a_card_is_written_down_with_its_code_and_first_step() {
    let failed = CommandFailed { code: "STORE_UNAVAILABLE", error: "no room", step: "Run: df -h" };
    check(
        || failed.log(),
        "error",
        "command_failed",
        json!({ "code": "STORE_UNAVAILABLE", "error": "no room", "step": "Run: df -h" }),
    );
}

#[test]
fn a_field_that_is_not_there_is_left_out() {
    let error =
        ProviderError { provider: "p", code: None, status_code: None, error: "no route", retry_attempt: 0 };
    check(
        || error.log(),
        "error",
        "provider_error",
        json!({ "provider": "p", "error": "no route", "retryAttempt": 0 }),
    );
    let limit = ProviderRateLimit { provider: "p", retry_after: None };
    check(|| limit.log(), "warn", "provider_rate_limit", json!({ "provider": "p" }));
    let connect = WsConnect { client_id: "c1", session_id: None };
    check(|| connect.log(), "info", "ws_connect", json!({ "clientId": "c1" }));
}

#[test]
fn tool_arguments_are_written_only_while_debugging() {
    let args = json!({ "command": "ls \"x\"", "n": [1, null, { "deep": true }] });
    let id = session();
    let call = ToolCall { session_id: id, tool: "bash", duration: TICK, is_error: true, args: Some(&args) };
    let rig = Rig::new();
    let running = rig.start();
    running.scope(|| {
        call.log();
        running.log.set_level(Level::Debug);
        call.log();
        running.log.set_level(Level::Info);
        call.log();
    });
    running.end();
    let written: Vec<_> = rig.lines().iter().map(|line| line.get("args").cloned()).collect();
    assert_eq!(written, [None, Some(args.clone()), None]);
}
