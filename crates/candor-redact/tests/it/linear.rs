//! No input makes the work grow faster than the text. The work is counted, not timed: a clock would make the
//! test depend on the machine.

use candor_redact::{Redactor, take_steps};

use crate::made::Random;

/// Units whose repetition has tripped redactors: keywords without end, quotes and escapes without close.
const UNITS: &[&str] = &[
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\\n",
    "-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\"",
    "eyJ.eyJ.",
    "eyJhbGciOiJIUzI1.",
    "sk-sk-sk-",
    "sk-proj-",
    "sk-ant-api",
    "ghp_",
    "://::://",
    "://a:b",
    "://a:b@",
    "a@",
    "\"password\":\"",
    "\\\"password\\\":\\\"",
    "\"",
    "'",
    "\\",
    "\\\"",
    "password='",
    "password=\"'",
    "password=`",
    "token=",
    "token: ",
    "token:\\\"",
    "--token ",
    "a",
    "AAAA",
    "0",
    "Cookie: sid=;",
    "Cookie: ",
    "Cookie: a",
    "Authorization: ",
    "Authorization: Bearer ",
    "Bearer ",
    "Basic ",
    "Basic AAAA",
    "key-key_",
    "<token>",
    "<password>a",
    "{",
    "[",
    "%3D",
    "password%3D",
    "\\u0026token=",
    "otpauth://totp/",
    "Private-Lines: 8",
    " -u ",
    " -u a:",
    "aws_secret",
    "aws_secret = ",
    "MTA",
    "1:AA",
    ":AA",
    "-us1",
    ".atlasv1.",
    "8Q~",
    "NRAL",
    "t\u{1b}[31m",
    "token$",
    "pass",
    "password: string = ",
    "{\"name\":\"token\",\"value\":",
    "secret\\n",
    "\\npassword",
    "password\t",
    "x-amz-signature=",
    "credentials=\"a",
    "auth=\"",
    "token='\"",
    "eyJ",
    "pat",
    "password=\"${",
    "token=\"<",
    "Cookie: sid=a",
    "cookie=a; b=",
    "cookie=a; b=c; ",
    "Cookie: a=b; cookie=c; ",
    "cookie=",
    "a=cookie=b; ",
    "cookie=sid=env:",
    "a!cookie=b; ",
    "cookie=cookie; ",
    "mysql ",
    "mysql -",
    "mysql token='a;' ",
    "mysql token='a;' -p",
    "docker login ",
    "machine a ",
    "machine a login b ",
    " -ua:bcd",
    "docker -u a:bcd",
    "\"tokens\":[\"",
    "\"api_key\":[\"${",
    "token:['${',",
    "pw=",
    "pw: ",
    "psk\\",
    "api key: ",
    "${token:-",
    "token=='a",
    "authorization=%20",
    "%3AAA",
    "Authorization: a env:=\"",
    "Authorization: a b=\"",
];

fn steps(redactor: &Redactor, text: &str) -> usize {
    take_steps();
    let out = redactor.redact(text.as_bytes());
    assert!(out.len() <= text.len() * 12);
    take_steps()
}

#[test]
fn work_grows_no_faster_than_the_text() {
    let redactor = Redactor::with_secrets(["tr0ub4dor9", "aaaaaaaaaaaaaaab"]);
    let mut failures = Vec::new();
    // Every unit by itself, and a fixed sample of the pairs: one unit may open what the other never closes.
    let mut random = Random(5);
    let mut any = || UNITS[random.below(UNITS.len())];
    let pairs: Vec<String> = (0..400).map(|_| format!("{}{}", any(), any())).collect();
    for unit in UNITS.iter().map(|unit| (*unit).to_owned()).chain(pairs) {
        let small = steps(&redactor, &unit.repeat(1_000 / unit.len() + 1));
        let big = steps(&redactor, &unit.repeat(8_000 / unit.len() + 1));
        // Eight times the text may cost eight times the work, and a little for the edges.
        if big > small * 10 + 20_000 {
            failures.push(format!("{unit:?}: {small} -> {big}"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} grow:\n{}",
        failures.len(),
        failures[..failures.len().min(40)].join("\n")
    );
}

#[test]
fn work_per_byte_is_bounded_on_ordinary_text() {
    let line = "{\"ts\":\"2025-02-11T10:00:03.000Z\",\"event\":\"turn_end\",\"inputTokens\":1500,\"url\":\"http://127.0.0.1:1/a\"}\n";
    let text = line.repeat(1_000);
    let steps = steps(&Redactor::new(), &text);
    assert!(steps > 0, "steps are counted in debug builds, which tests are");
    assert!(steps < text.len() * 4, "{steps} steps for {} bytes", text.len());
}
