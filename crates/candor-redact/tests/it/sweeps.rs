//! Mutated texts: whatever they hold, masking answers, in pieces as in one, and masking twice is masking once.

use candor_redact::Redactor;
use candor_testkit::{Rng, Sweep, mutate};

use crate::made::secret;

fn seed_text() -> String {
    [
        "{\"ts\":\"2025-02-11T10:00:00.000Z\",\"level\":\"info\",\"apiKey\":\"{A32}\",\"inputTokens\":1500}",
        "export GITHUB_TOKEN=ghp_{A36} # and a comment",
        "curl -H 'Authorization: Bearer {w40}' https://u:{A12}@example.org/?token={A20}&x=1",
        "{\"args\":\"{\\\"password\\\":\\\"{A9}\\\"}\"} postgres://u:{A12}@h/db known-value-one",
        "-----BEGIN PRIVATE KEY-----\\n{b64}\\n-----END PRIVATE KEY-----\\n",
        "plain words, 550e8400-e29b-41d4-a716-446655440000 and toolu_01{A22}",
    ]
    .map(secret)
    .join("\n")
}

fn in_pieces(redactor: &Redactor, text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let (mut stream, mut out, mut rest) = (redactor.stream(), Vec::new(), text);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rng.between(1, 40).min(rest.len()));
        stream.push(piece, &mut out);
        rest = after;
    }
    stream.finish(&mut out);
    out
}

#[test]
fn sweep_redaction_mutated() {
    let (redactor, seed) = (Redactor::with_secrets(["known-value-one"]), seed_text());
    let mut sweep = Sweep::start("redaction_mutated");
    while sweep.goes_on() {
        let text = mutate(sweep.rng(), seed.as_bytes());
        let whole = redactor.redact(&text).into_owned();
        let pieces = in_pieces(&redactor, &text, sweep.rng());
        assert_eq!(String::from_utf8_lossy(&pieces), String::from_utf8_lossy(&whole), "in pieces");
        let findings = redactor.find(&text);
        assert_eq!(findings.is_empty(), whole == text, "what is found is what is masked");
        assert!(findings.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start), "in order, apart");
    }
}
