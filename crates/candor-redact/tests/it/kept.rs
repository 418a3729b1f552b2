//! Ordinary text that looks a little like a secret and must stay as it is.

use candor_redact::Redactor;

use crate::made::secret;

/// Templates of benign look-alikes.
const BENIGN: &[&str] = &[
    "{h8}-{h4}-{h4}-{h4}-{h12}",
    "request {h8}-{h4}-{h4}-{h4}-{h12} took 12 ms",
    "heroku_request_id={h8}-{h4}-{h4}-{h4}-{h12}",
    "commit {h40}",
    "index {h7}..{h7} 100644",
    "sha256:{h64}",
    "toolu_01{A22}",
    "call_{A24}",
    "msg_01{A22}",
    "req_011{A21}",
    "chatcmpl-{A29}",
    "resp_{h48}",
    "fc_{h48}",
    "\"integrity\": \"sha512-{b86}==\",",
    "\"resolved\": \"https://packages.example.org/js-tokens/-/js-tokens-4.0.0.tgz\",",
    "checksum = \"{h64}\"",
    "source = \"registry+https://github.com/rust-lang/crates.io-index\"",
    "data:image/png;base64,iVBORw0KGgo{b400}==",
    "//# sourceMappingURL=data:application/json;base64,{b200}",
    "{\"version\":3,\"mappings\":\"AAAA,SAASA,EAAE,CAAC,CAAC;{b40}\"}",
    "_ZN4core3fmt9Formatter9write_str17h{h16}E",
    "_RNvCs{A12}_7mycrate3foo",
    "pod/web-7c5ddbdf54-9x2lq   1/1   Running",
    "arn:aws:iam::123456789012:role/task-runner",
    "s3://bucket/{h32}/part-00000.parquet",
    "etag: \"{h32}\"",
    "Content-Length: 123456",
    "traceparent: 00-{h32}-{h16}-01",
    "session 0197{h4}-{h4}-7{h3}-{h4}-{h12} opened",
    "function a(e,t){return e.token=t,e.key||(e.key=n(t.key))}var s=r.password;",
    "let key = keys.next().ok_or(Error::Missing)?;",
    "for (const [key, value] of Object.entries(tokens)) {",
    "pub fn next_token(&mut self) -> Option<Token> {",
    "if err := json.Unmarshal(data, &token); err != nil {",
    "SELECT token_type, key FROM auth_keys WHERE user_id = 12345678;",
    "task-runner-sk-learn-feature-extraction-text",
    "desk-lamp risk-averse disk-usage ask-me-anything-about-it",
    "https://example.com/a/b?key=value&page=2",
    "https://docs.rs/tokio/1.2.3/tokio/sync/struct.Semaphore.html",
    "user@example.com wrote to admin@example.org",
    "std::collections::HashMap<String, Vec<(u64, AuthToken)>>",
    "The secretary kept the keys, the tokens and the passwords of the author.",
    "2025-02-11T10:00:00.000Z INFO auth: user logged in",
    "{\"inputTokens\":1500,\"outputTokens\":320,\"totalTokens\":1820,\"conversationKey\":\"telegram:{d9}\",\"threadKey\":\"t-{h12}\"}",
    "docker run -u 1000:1000 -p 8080:80 image@sha256:{h64}",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} user@host",
    "basic understanding of bearer tokens is required",
    "Bearer token authentication is required here",
    "error: expected one of `,`, `:`, or `}`, found `token`",
    "<input type=\"password\" name=\"password\" placeholder=\"Password\">",
    "npm install @types/jsonwebtoken cookie-parser passport",
    "0x{h40}",
    "v1.2.3-rc.1+build.{h7}",
    "test_parse_token_with_password_key ... ok",
    "window.__NEXT_DATA__={\"buildId\":\"{w21}\"}",
    "<a href=\"#GCM\" accesskey=\"n\">",
    "while (my $token = $parser->next) {",
    "MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEA{b60} AQEBBQADggIPADCCAgoCggIBAPkP3aMrfcvQKv7sZ4Wm5y4bunfh4/WvpOz6{b20}",
    "PATH=/usr/local/bin:/usr/bin KEYBOARD=us",
    "\u{1b}[32mpassed\u{1b}[0m 12 \u{1b}[31mfailed\u{1b}[0m 0",
];

#[test]
fn s11_7_benign_look_alikes_are_kept() {
    let redactor = Redactor::new();
    let mut failures = Vec::new();
    for template in BENIGN {
        let text = secret(template);
        let masked = redactor.redact_str(&text);
        if masked != text {
            failures.push(format!("{text}\n   -> {masked} {:?}", redactor.find(text.as_bytes())));
        }
    }
    assert!(failures.is_empty(), "{} of {} eaten:\n{}", failures.len(), BENIGN.len(), failures.join("\n"));
}

#[test]
fn text_without_secrets_is_borrowed() {
    let redactor = Redactor::with_secrets(["tr0ub4dor"]);
    assert!(matches!(redactor.redact(b"nothing here"), std::borrow::Cow::Borrowed(_)));
    assert!(matches!(redactor.redact_str("password=x1y2z3"), std::borrow::Cow::Owned(_)));
}
