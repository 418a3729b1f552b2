//! Services of all kinds, started for real.

use std::net::TcpListener;
use std::time::Duration;

use candor_protocol::{CheckResult, VerdictStatus};
use candor_sandbox::State;

use crate::rig::{Everything, Site, code, of, seen, status};

/// A server in a few lines: answers every GET with what `reply` gives for its path.
const SERVER: &str = r#"
import http.server, sys, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        status, body = reply(self.path)
        self.send_response(status); self.end_headers(); self.wfile.write(body.encode())
    def log_message(self, *args): pass
def serve(host="127.0.0.1", port=0, family=None):
    if family is not None: http.server.HTTPServer.address_family = family
    server = http.server.HTTPServer((host, port), Handler)
    print("port", server.server_address[1], flush=True)
    server.serve_forever()
"#;

fn python(rest: &str) -> String {
    format!("{SERVER}\n{rest}")
}

fn one(command: &str, more: &str) -> String {
    format!(
        "only_declared: true\nservices:\n  - name: api\n    command: {command:?}\n    settle: 300ms\n{more}"
    )
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

#[tokio::test]
async fn dod_service_with_clean_startup_and_clean_logs_is_verified() {
    let app = python("def reply(path): return 200, 'pong'\nserve()");
    let yaml = one(
        "python3 app.py",
        "    probes:\n      - { name: ping, http: { url: /ping, status: 200, contains: pong } }\n",
    );
    let verified = Site::declaring(&yaml, &[("app.py", &app)]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Verified, "{:?}", seen(&verified));
    assert_eq!(
        seen(&verified),
        ["api: start passed", "api: ping passed", "api: log passed", "api: life passed"]
    );
    let start = of(&verified, "api: start");
    assert_eq!(start.command.as_deref(), Some("python3 app.py"));
    assert_eq!(start.artefacts.len(), 1, "what was run is known by its hash");
    assert_eq!(
        of(&verified, "api: ping").excerpt.as_deref().map(|sample| sample.contains("pong")),
        Some(true)
    );
}

#[tokio::test]
async fn dod_clean_startup_but_runtime_error_in_the_log_is_a_failure() {
    let bot = "import time\nprint('bot started', flush=True)\ntime.sleep(0.2)\n\
               print(\"handlers.messages - ERROR - Error for user 5927508593: Request URL is missing an 'http://' or 'https://' protocol.\", flush=True)\n\
               while True: time.sleep(1)\n";
    let yaml = "services:\n  - { name: bot, command: python3 bot.py, settle: 1s }\n";
    let verified = Site::declaring(yaml, &[("bot.py", bot)]).verify().await;
    assert_eq!((status(&verified), code(&verified).as_str()), (VerdictStatus::Failed, "VERIFY_LOG_ERRORS"));
    let report = &verified.report;
    assert_eq!(report.log_diagnostics.len(), 1);
    assert!(report.log_diagnostics[0].message.contains("Request URL is missing"), "{report:?}");
    assert_eq!(report.failure_history[0].reason, "runtime log errors detected");
    assert_eq!(report.service_commands, ["python3 bot.py"]);
}

#[tokio::test]
async fn dod_commands_that_are_no_services_behave_as_before() {
    let yaml = "checks:\n  - { name: unit, run: 'echo ERROR of no importance; test -d .', kind: test }\n";
    let verified = Site::declaring(yaml, &[]).verify().await;
    assert_eq!(
        (status(&verified), seen(&verified)),
        (VerdictStatus::Verified, vec!["unit passed".to_owned()])
    );
    let yaml = "checks:\n  - { name: unit, run: 'echo fine; exit 3', kind: test }\n";
    let verified = Site::declaring(yaml, &[]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Failed);
    assert!(of(&verified, "unit").summary.contains("exit code 3"));
}

#[tokio::test]
async fn a_service_that_says_ready_and_dies_fails() {
    let yaml = one("echo 'server is ready'; exec 1>&-; sleep 0.1; exit 7", "    ready: { log: ready }\n");
    let verified = Site::declaring(&yaml, &[]).verify().await;
    assert_eq!(
        (status(&verified), code(&verified).as_str()),
        (VerdictStatus::Failed, "VERIFY_SERVICE_ENDED")
    );
    assert!(seen(&verified).iter().any(|line| line.ends_with("failed")), "{:?}", seen(&verified));
}

#[tokio::test]
async fn a_service_that_goes_into_the_background_fails_with_advice_and_leaves_nothing() {
    let site = &mut Site::declaring(
        &one("sh app.sh", ""),
        &[("app.sh", "(sleep 31.25 & echo $! > pid) &\nsleep 0.05\n")],
    );
    let verified = site.verify().await;
    assert_eq!(code(&verified), "VERIFY_SERVICE_BACKGROUND");
    let pid = std::fs::read_to_string(site.root().join("pid")).expect("it ran");
    let stat = std::fs::read_to_string(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
    assert!(!stat.contains("31.25"), "what it started is gone");
}

#[tokio::test]
async fn a_service_that_ignores_the_signal_is_killed_and_that_is_no_failure() {
    let yaml = one("trap '' TERM; echo accepting connections; while :; do sleep 0.05; done", "");
    let verified = Site::declaring(&yaml, &[]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Verified, "{:?}", seen(&verified));
    assert!(of(&verified, "api: stop").summary.contains("killed"));
}

#[tokio::test]
async fn a_healthy_service_that_is_killed_by_us_at_the_end_passes() {
    let verified = Site::declaring(&one("exec sleep 100", ""), &[]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Verified, "{:?}", seen(&verified));
}

#[tokio::test]
async fn a_port_that_another_program_has_is_a_failure() {
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = other.local_addr().expect("an address").port();
    let answering = std::thread::spawn(move || {
        use std::io::Write;
        for stream in other.incoming().take(1).flatten() {
            let _ = (&stream).write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
    });
    let more = format!("    ready: {{ http: 'http://127.0.0.1:{port}/', timeout: 5s }}\n");
    let verified = Site::declaring(&one("echo ready; sleep 100", &more), &[]).verify().await;
    assert_eq!((status(&verified), code(&verified).as_str()), (VerdictStatus::Failed, "VERIFY_PORT_TAKEN"));
    drop(answering);
}

#[tokio::test]
async fn a_service_on_ipv6_only_is_found_and_asked() {
    let app = python(
        "import socket\ndef reply(path): return (200, 'six') if path == '/' else (404, '')\nserve('::1', 0, socket.AF_INET6)",
    );
    let more = "    probes:\n      - { name: six, http: { url: /, contains: six } }\n";
    let verified = Site::declaring(&one("python3 app.py", more), &[("app.py", &app)]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Verified, "{:?}", verified.report.verdict);
}

#[tokio::test]
async fn a_service_at_the_wrong_address_is_told_where_it_listens() {
    let (right, wrong) = (free_port(), free_port());
    let app = python(&format!("def reply(path): return 200, ''\nserve('127.0.0.1', {wrong})"));
    let more = format!("    ready: {{ tcp: '127.0.0.1:{right}', timeout: 5s }}\n");
    let verified = Site::declaring(&one("python3 app.py", &more), &[("app.py", &app)]).verify().await;
    assert_eq!(code(&verified), "VERIFY_NOT_READY");
    let summary = &of(&verified, "api: start").summary;
    assert!(summary.contains(&format!("it listens on 127.0.0.1:{wrong}")), "{summary}");
}

#[tokio::test]
async fn an_answer_of_5xx_is_never_ready() {
    let port = free_port();
    let app = python(&format!("def reply(path): return 503, 'not yet'\nserve('127.0.0.1', {port})"));
    let more = format!("    ready: {{ http: 'http://127.0.0.1:{port}/', timeout: 5s }}\n");
    let verified = Site::declaring(&one("python3 app.py", &more), &[("app.py", &app)]).verify().await;
    assert_eq!(code(&verified), "VERIFY_NOT_READY");
    assert!(of(&verified, "api: start").summary.contains("503"), "{:?}", of(&verified, "api: start").summary);
}

#[tokio::test]
async fn secrets_in_what_a_service_writes_are_masked_in_all_evidence() {
    let yaml = one("echo 'ERROR: password hunter2 refused'; sleep 100", "");
    let verified = Site::declaring(&yaml, &[]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Failed);
    let all = format!("{:?}", verified.report);
    assert!(all.contains("[REDACTED] refused") && !all.contains("hunter2 refused"), "{all}");
}

#[tokio::test]
async fn a_service_that_floods_its_log_is_read_to_the_last_byte() {
    let flood = "import os, sys\nline = b'INFO all is well and will be well and there is nothing to see here at all\\n' * 1000\n\
                 for i in range(400): os.write(1, line)\nos.write(1, b'ERROR the needle\\n')\nimport time\nprint('waiting for jobs', flush=True)\nwhile True: time.sleep(1)\n";
    let more = "    ready: { log: 'waiting for jobs', timeout: 30s }\n";
    let verified = Site::declaring(&one("python3 app.py", more), &[("app.py", flood)]).verify().await;
    assert_eq!(code(&verified), "VERIFY_LOG_ERRORS", "{:?}", seen(&verified));
    let log = of(&verified, "api: log");
    let stdout = log.ranges.iter().find(|range| range.file == "stdout").expect("a range");
    assert!(stdout.to > 29_000_000, "{stdout:?}");
    assert!(verified.report.log_diagnostics[0].message.contains("needle"));
}

#[tokio::test]
async fn errors_in_a_log_file_fail_the_service() {
    let app = "mkdir -p logs; echo 'started, waiting for jobs'; sleep 0.3; echo 'ERROR db: gone' >> logs/app.log; sleep 100";
    let mut site = Site::declaring(&one("sh app.sh", "    logs: ['logs/*.log']\n"), &[("app.sh", app)]);
    site.write(
        ".candor/verify.yaml",
        &one("sh app.sh", "    logs: ['logs/*.log']\n").replace("300ms", "1500ms"),
    );
    let verified = site.verify().await;
    assert_eq!(code(&verified), "VERIFY_LOG_ERRORS", "{:?}", verified.report);
    assert_eq!(verified.report.log_diagnostics[0].file, "logs/app.log");
}

#[tokio::test]
async fn what_is_allowed_in_a_log_is_no_error_and_what_is_denied_is_one() {
    let command = "echo 'ERROR connection reset by test client'; echo 'INFO forbidden word'; sleep 100";
    let allow = "    log_allow: ['connection reset by test client']\n";
    let verified = Site::declaring(&one(command, allow), &[]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Verified, "{:?}", verified.report);
    let deny = format!("{allow}    log_deny: ['forbidden']\n");
    let verified = Site::declaring(&one(command, &deny), &[]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Failed);
}

#[tokio::test]
async fn a_bot_is_sent_a_message_and_its_answer_is_read() {
    let bot = r#"
import json, os, urllib.request
base = os.environ["TELEGRAM_API_BASE"] + "/bot" + os.environ["TELEGRAM_BOT_TOKEN"]
def call(method, **fields):
    request = urllib.request.Request(f"{base}/{method}", json.dumps(fields).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))["result"]
offset = 0
print("bot started, polling for updates", flush=True)
while True:
    for update in call("getUpdates", offset=offset, timeout=1):
        offset = update["update_id"] + 1
        call("sendMessage", chat_id=update["message"]["chat"]["id"], text="pong")
"#;
    let more = "    probes:\n      - { name: chat, timeout: 5s, message: { text: ping, expect: pong, api_base_env: TELEGRAM_API_BASE } }\n";
    let verified = Site::declaring(&one("python3 bot.py", more), &[("bot.py", bot)]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Verified, "{:?}", verified.report.verdict);
    let deaf = bot.replace("text=\"pong\"", "text=\"what?\"");
    let verified = Site::declaring(&one("python3 bot.py", more), &[("bot.py", &deaf)]).verify().await;
    assert_eq!(code(&verified), "VERIFY_PROBE_FAILED");
}

#[tokio::test]
async fn a_service_that_is_to_go_on_goes_on() {
    let mut site = Site::declaring(&one("exec sleep 100", "    keep_running: true\n"), &[]);
    let verified = site.verify().await;
    assert_eq!(verified.kept.len(), 1);
    assert_eq!(verified.kept[0].running.state(), State::Running);
    verified.kept[0].running.stop(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_declared_dependency_that_is_not_installed_leaves_it_open_and_one_that_nobody_declared_is_a_failure()
 {
    let files = [("app.py", "import flask_not_here_xyz\n"), ("requirements.txt", "flask-not-here-xyz\n")];
    let verified = Site::declaring(&one("python3 app.py", ""), &files).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{:?}", verified.report.verdict);
    let verified = Site::declaring(&one("python3 app.py", ""), &files[..1]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Failed, "{:?}", verified.report.verdict);
}

#[tokio::test]
async fn a_program_that_is_not_here_leaves_it_open() {
    let verified = Site::declaring(&one("no-such-server-xyz --port 1", ""), &[]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{:?}", verified.report.verdict);
    assert_eq!(of(&verified, "api: start").result, CheckResult::Unverifiable);
}

#[tokio::test]
async fn a_stop_ends_it_at_once_and_leaves_nothing() {
    let mut site = Site::declaring(&one("echo $$ > pid; exec sleep 100", "").replace("300ms", "100s"), &[]);
    let (cancel, host) = (site.cancel.clone(), Everything::default());
    let pid = site.root().join("pid");
    let stop = async {
        while !pid.exists() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (verified, ()) = tokio::join!(site.verify_for(&host), stop);
    assert_ne!(status(&verified), VerdictStatus::Verified);
    let pid = std::fs::read_to_string(pid).expect("it ran");
    let line = std::fs::read_to_string(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
    assert!(!line.contains("sleep"), "{line}");
}

#[tokio::test]
async fn logs_are_looked_for_in_the_folder_of_the_service_as_well() {
    let yaml =
        "only_declared: true\nservices:\n  - { name: api, command: 'sh app.sh', cwd: api, settle: 1s }\n";
    let app =
        "mkdir -p logs; echo waiting for jobs; sleep 0.2; echo 'ERROR db: gone' >> logs/app.log; sleep 100";
    let verified = Site::declaring(yaml, &[("api/app.sh", app)]).verify().await;
    assert_eq!(code(&verified), "VERIFY_LOG_ERRORS", "{:?}", verified.report.verdict);
    assert_eq!(verified.report.log_diagnostics[0].file, "api/logs/app.log");
}

#[tokio::test]
async fn a_stop_while_it_is_watched_verifies_nothing() {
    let yaml = one("echo waiting for jobs; exec sleep 100", "").replace("300ms", "100s");
    let mut site = Site::declaring(&yaml, &[]);
    let (cancel, host) = (site.cancel.clone(), Everything::default());
    let stop = async {
        while !host.told.lock().expect("no panic").iter().any(|line| line == "ended api: start passed") {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (verified, ()) = tokio::join!(site.verify_for(&host), stop);
    assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{:?}", seen(&verified));
}

#[tokio::test]
async fn a_service_that_nobody_declared_a_probe_for_is_asked_all_the_same() {
    let app = python("def reply(path): return 500, 'oops'\nserve()");
    let yaml = one("sh run.sh", "");
    let files = [("srv.py", app.as_str()), ("run.sh", "exec python3 srv.py\n")];
    let mut site = Site::declaring(&yaml, &files);
    site.write(".candor/verify.yaml", &yaml.replace("300ms", "2s"));
    let verified = site.verify().await;
    assert_eq!(code(&verified), "VERIFY_PROBE_FAILED", "{:?}", verified.report.verdict);
}

#[tokio::test]
async fn a_short_command_around_a_service_is_seen_through() {
    let yaml = "checks:\n  - { name: bot, run: 'timeout 3s python3 bot.py 2>&1 || true', kind: test }\n";
    let bot = "import time\nprint('bot started', flush=True)\ntime.sleep(0.3)\nprint('handlers.messages - ERROR - Error for user 5: no', flush=True)\nwhile True: time.sleep(1)\n";
    let verified = Site::declaring(yaml, &[("bot.py", bot)]).verify().await;
    assert_eq!(code(&verified), "VERIFY_LOG_ERRORS", "{:?}", verified.report.verdict);
    assert_eq!(verified.report.service_commands, ["python3 bot.py"]);
}

#[tokio::test]
async fn a_service_that_answered_nothing_was_not_seen_to_work() {
    let app = python("def reply(path): return (200, 'x') if path == '/api/v1/x' else (404, 'no')\nserve()");
    let files = [("srv.py", app.as_str()), ("run.sh", "exec python3 srv.py\n")];
    let yaml = one("sh run.sh", "");
    let mut site = Site::declaring(&yaml, &files);
    // Until it listens, not until it was alive for a while.
    let ready = "    ready: { log: '^port ' }\n";
    site.write(".candor/verify.yaml", &format!("{yaml}{ready}"));
    let verified = site.verify().await;
    assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{:?}", seen(&verified));
    let answers = of(&verified, "api: answers");
    assert_eq!(
        answers.summary,
        "it answered nothing of what it was asked (GET /: 404, GET /health: 404, GET /healthz: 404), so that it was \
         not seen to work; declare a probe for it"
    );
    assert!(answers.card.is_some());
    let probe = "    probes:\n      - { http: /api/v1/x }\n";
    site.write(".candor/verify.yaml", &format!("{yaml}{ready}{probe}"));
    let verified = site.verify().await;
    assert_eq!(status(&verified), VerdictStatus::Verified, "{:?}", seen(&verified));
}

#[tokio::test]
async fn more_log_files_than_can_be_read_are_no_silent_pass() {
    let app = "mkdir -p logs; echo waiting for jobs; n=0; while [ $n -lt 80 ]; do n=$((n+1)); echo INFO fine >> logs/$n.log; done; exec sleep 100";
    let verified = Site::declaring(&one("sh app.sh", ""), &[("app.sh", app)]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Unverifiable, "{:?}", seen(&verified));
    let log = of(&verified, "api: log");
    assert!(log.summary.contains("but 16 of its log files were not read"), "{}", log.summary);
}

#[tokio::test]
async fn a_line_before_a_flood_is_heard() {
    let flood = "echo the gate is open; yes 'INFO nothing to see here' | head -c 8000000; echo all said; exec sleep 100";
    let ready = "    ready: { log: 'gate is open', timeout: 20s }\n";
    // What is asked for is asked when all was said.
    let probes = "    probes:\n      - { name: end, log: 'all said', timeout: 20s }\n      - { name: gate, log: 'the gate' }\n";
    let verified =
        Site::declaring(&one("sh app.sh", &format!("{ready}{probes}")), &[("app.sh", flood)]).verify().await;
    assert_eq!(
        seen(&verified),
        ["api: start passed", "api: end passed", "api: gate passed", "api: log passed", "api: life passed"]
    );
}

#[tokio::test]
async fn an_answer_of_5xx_that_is_asked_for_is_no_error_of_the_log() {
    let app = python(
        "Handler.log_message = lambda self, form, *args: print('127.0.0.1 - - ' + form % args, flush=True)\n\
         def reply(path): return (500, 'boom') if path.startswith('/b') else (200, 'x')\nserve()",
    );
    let boom = "    probes:\n      - { http: { url: '/boom?hard=1', status: 500 } }\n";
    let verified = Site::declaring(&one("python3 app.py", boom), &[("app.py", &app)]).verify().await;
    assert_eq!(status(&verified), VerdictStatus::Verified, "{:?}", verified.report.verdict);
    // One that nobody expected is one, beside one that somebody did.
    let exec = format!("{boom}      - {{ exec: 'python3 ask.py' }}\n");
    let app = app
        .replace("print(\"port\"", "open('port', 'w').write(str(server.server_address[1])); print(\"port\"");
    let ask = "import urllib.request, urllib.error\ntry: urllib.request.urlopen('http://127.0.0.1:' + open('port').read() + '/bang')\nexcept urllib.error.HTTPError: pass\n";
    let verified =
        Site::declaring(&one("python3 app.py", &exec), &[("app.py", &app), ("ask.py", ask)]).verify().await;
    assert_eq!(code(&verified), "VERIFY_LOG_ERRORS", "{:?}", verified.report.verdict);
    assert!(verified.report.log_diagnostics[0].message.contains("/bang"));
    assert_eq!(verified.report.log_diagnostics.len(), 1);
}

#[tokio::test]
async fn a_port_that_is_opened_late_is_asked_as_well() {
    // It says that it is ready first, and listens afterwards.
    let app = python(
        "def reply(path): return 500, 'oops'\nprint('waiting for jobs', flush=True)\nimport time\ntime.sleep(0.2)\nserve()",
    );
    let yaml = one("sh run.sh", "").replace("300ms", "3s");
    let files = [("srv.py", app.as_str()), ("run.sh", "exec python3 srv.py\n")];
    let verified = Site::declaring(&yaml, &files).verify().await;
    assert_eq!(code(&verified), "VERIFY_PROBE_FAILED", "{:?}", verified.report.verdict);
}
