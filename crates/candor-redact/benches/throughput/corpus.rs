//! Deterministic texts to measure on.

use std::fmt::Write as _;

/// Short units whose repetition has tripped redactors: keywords without end, quotes and escapes without close.
pub(crate) const ADVERSARIAL: &[(&str, &str)] = &[
    ("begin", "-----BEGIN "),
    ("begin private", "-----BEGIN PRIVATE KEY-----"),
    ("jwt", "eyJ.eyJ."),
    ("sk", "sk-sk-sk-"),
    ("sk-proj", "sk-proj-"),
    ("url", "://::://"),
    ("url at", "://a:b"),
    ("json key", "\"password\":\""),
    ("escaped key", "\\\"password\\\":\\\""),
    ("quotes", "\""),
    ("single quotes", "password='"),
    ("backslashes", "\\"),
    ("token equals", "token="),
    ("token spaces", "token: "),
    ("letters", "a"),
    ("zeros of base64", "AAAA"),
    ("cookie", "Cookie: sid=;"),
    ("cookie pairs", "cookie=a; b="),
    ("cookie in pairs", "Cookie: a=b; cookie=c; "),
    ("authorization", "Authorization: "),
    ("bearer", "Bearer "),
    ("key tail", "key-key_"),
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[usize::try_from(self.next()).unwrap_or_default() % list.len()]
    }

    fn letters(&mut self, alphabet: &[u8], count: usize) -> String {
        (0..count)
            .map(|_| char::from(alphabet[usize::try_from(self.next()).unwrap_or_default() % alphabet.len()]))
            .collect()
    }
}

const HEX: &[u8] = b"0123456789abcdef";
const ALNUM: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Lines as the log has them, with a few secrets in a megabyte.
pub(crate) fn log_lines(bytes: usize) -> String {
    let mut random = Random(1);
    let mut out = String::with_capacity(bytes + 1024);
    while out.len() < bytes {
        line(&mut random, &mut out);
        out.push('\n');
    }
    out
}

fn line(random: &mut Random, out: &mut String) {
    let session = random.letters(HEX, 12);
    let (hour, minute, millis) = (random.next() % 24, random.next() % 60, random.next() % 1000);
    let head = format!("{{\"ts\":\"2025-02-11T{hour:02}:{minute:02}:07.{millis:03}Z\",\"level\":");
    let number = random.next() % 9000;
    let command = random.pick(COMMANDS);
    let text = random.pick(TEXTS);
    // Writing to a string cannot fail.
    let _ = match random.next() % 10 {
        0 | 1 => write!(
            out,
            "{head}\"info\",\"module\":\"agent-loop\",\"event\":\"turn_start\",\"sessionId\":\"{session}\",\"model\":\"claude-sonnet-4-20250514\",\"messageCount\":{number}}}"
        ),
        2 | 3 => write!(
            out,
            "{head}\"info\",\"module\":\"agent-loop\",\"event\":\"tool_call\",\"sessionId\":\"{session}\",\"tool\":\"bash\",\"args\":{{\"command\":\"{command}\"}},\"durationMs\":{number},\"isError\":false}}"
        ),
        4 | 5 => write!(
            out,
            "{head}\"info\",\"module\":\"agent-loop\",\"event\":\"turn_end\",\"sessionId\":\"{session}\",\"inputTokens\":{number},\"outputTokens\":320,\"totalTokens\":1820,\"durationMs\":3000,\"toolCallCount\":2}}"
        ),
        6 => write!(
            out,
            "{head}\"debug\",\"module\":\"tools\",\"event\":\"tool_output\",\"sessionId\":\"{session}\",\"callId\":\"toolu_01{}\",\"text\":\"{text}\"}}",
            random.letters(ALNUM, 22)
        ),
        7 => write!(
            out,
            "{head}\"info\",\"module\":\"server\",\"event\":\"ws_connect\",\"clientId\":\"{}\",\"sessionId\":\"{session}\",\"url\":\"http://127.0.0.1:7777/ws?sessionId={session}\"}}",
            random.letters(HEX, 32)
        ),
        8 => write!(
            out,
            "{head}\"warn\",\"module\":\"llm\",\"event\":\"provider_rate_limit\",\"provider\":\"anthropic\",\"retryAfterMs\":{number},\"requestId\":\"req_01{}\"}}",
            random.letters(ALNUM, 22)
        ),
        _ if number < 40 => write!(
            out,
            "{head}\"debug\",\"module\":\"tools\",\"event\":\"tool_output\",\"text\":\"export KEY=sk-ant-api03-{} and password=hunter2\\n\"}}",
            random.letters(ALNUM, 80)
        ),
        _ => write!(
            out,
            "{head}\"error\",\"module\":\"llm\",\"event\":\"provider_error\",\"provider\":\"openai\",\"statusCode\":500,\"error\":\"{text}\",\"retryAttempt\":1}}"
        ),
    };
}

const COMMANDS: &[&str] = &[
    "kubectl get pods -n production -o wide",
    "git log --oneline -n 20 && git status --short",
    "cargo test --workspace --all-targets 2>&1 | tail -40",
    "rg -n 'fn main' crates --glob '*.rs'",
    "curl -sS https://example.com/api/v1/items?page=2&limit=50",
    "sed -n '1,120p' src/session/actor.rs",
    "npm run build -- --mode production",
];

const TEXTS: &[&str] = &[
    "running 42 tests\\ntest session::appends_in_order ... ok\\ntest session::survives_restart ... ok\\n",
    "error[E0308]: mismatched types\\n  --> src/main.rs:17:9\\n   |\\n17 |     let count: usize = items.len() as u32;\\n",
    "The request could not be completed because the upstream server closed the connection before a response.",
    "NAME                     READY   STATUS    RESTARTS   AGE\\nweb-7c5ddbdf54-9x2lq     1/1     Running   0          3d2h\\n",
    "commit 3f9a1c2b7d4e5f60718293a4b5c6d7e8f9012345\\nAuthor: A Person <person@example.com>\\n    Keep the order of keys\\n",
    "diff --git a/src/lib.rs b/src/lib.rs\\nindex 1a2b3c4..5d6e7f8 100644\\n@@ -10,7 +10,7 @@ pub fn parse(input: &str) {\\n",
];

/// Functions with tokens, keys and passwords in their names and in nothing else.
pub(crate) fn source_code(bytes: usize) -> String {
    const UNIT: &str = r#"
    /// Reads the next token and advances; the key of the cache is its text.
    fn next_token(&mut self, cache_key: &str) -> Result<Token, Error> {
        let token = self.tokens.get(self.position).cloned().ok_or(Error::UnexpectedEnd)?;
        if let Some(hit) = self.cache.get(cache_key) {
            return Ok(hit.clone());
        }
        let password = config.password.as_deref().unwrap_or_default();
        for (key, value) in headers.iter().filter(|(key, _)| key.starts_with("x-")) {
            debug!(%key, len = value.len(), "header");
        }
        self.position += 1;
        match token.kind {
            TokenKind::Ident => self.parse_ident(token),
            TokenKind::Number(value) if value > 0 => Ok(Token::number(value)),
            _ => Err(Error::Unexpected { found: token.kind, at: self.position }),
        }
    }
"#;
    UNIT.repeat(bytes / UNIT.len() + 1)
}

/// Integrity hashes and URLs, as npm writes them.
pub(crate) fn package_lock(bytes: usize) -> String {
    let mut random = Random(3);
    let mut out = String::with_capacity(bytes + 1024);
    while out.len() < bytes {
        let name = random.pick(&[
            "@babel/core",
            "left-pad",
            "jsonwebtoken",
            "keyv",
            "esbuild",
            "js-tokens",
            "cookie",
        ]);
        let version = format!("{}.{}.{}", random.next() % 9, random.next() % 30, random.next() % 9);
        let integrity = random.letters(BASE64, 86);
        let _ = write!(
            out,
            "    \"node_modules/{name}\": {{\n      \"version\": \"{version}\",\n      \"resolved\": \"https://packages.example.org/{name}/-/{name}-{version}.tgz\",\n      \"integrity\": \"sha512-{integrity}==\",\n      \"dev\": true,\n      \"license\": \"MIT\",\n      \"engines\": {{\n        \"node\": \">=6.9.0\"\n      }}\n    }},\n"
        );
    }
    out
}
