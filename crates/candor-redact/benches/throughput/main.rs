//! How many bytes a second are redacted, on ordinary text and on text made to be slow.
//! `cargo bench -p candor-redact`

mod corpus;

use candor_redact::Redactor;
use divan::{Bencher, black_box, counter::BytesCount};

fn main() {
    divan::main();
}

const BYTES: usize = 4 << 20;

/// Five secrets of the kinds that a configured process has loaded.
fn redactor() -> Redactor {
    Redactor::with_secrets([
        "c4nd0r-server-token-5f1e2d",
        "an-api-key-of-a-local-model-0042",
        "S3cr3t/with+base64=chars",
        "postgres-p4ssw0rd",
        "1234567890:a-bot-token-that-is-known",
    ])
}

/// What the first text pays for five known secrets; a start pays next to nothing.
#[divan::bench]
fn first_text_with_five_secrets() -> usize {
    redactor().redact(black_box(b"a first line")).len()
}

fn bench_text(bencher: Bencher<'_, '_>, redactor: &Redactor, text: &str) {
    redactor.redact(text.as_bytes());
    bencher.counter(BytesCount::of_str(text)).bench(|| redactor.redact(black_box(text.as_bytes())).len());
}

#[divan::bench]
fn log_lines(bencher: Bencher<'_, '_>) {
    bench_text(bencher, &redactor(), &corpus::log_lines(BYTES));
}

#[divan::bench]
fn log_lines_without_known_values(bencher: Bencher<'_, '_>) {
    bench_text(bencher, &Redactor::new(), &corpus::log_lines(BYTES));
}

/// As the log writer calls it: one line at a time.
#[divan::bench]
fn log_lines_one_by_one(bencher: Bencher<'_, '_>) {
    let (redactor, text) = (redactor(), corpus::log_lines(BYTES));
    let lines: Vec<&str> = text.lines().collect();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| lines.iter().map(|line| redactor.redact(black_box(line.as_bytes())).len()).sum::<usize>());
}

#[divan::bench]
fn log_lines_streamed(bencher: Bencher<'_, '_>) {
    let (redactor, text) = (redactor(), corpus::log_lines(BYTES));
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut stream = redactor.stream();
        let mut out = Vec::with_capacity(text.len());
        for chunk in text.as_bytes().chunks(8 * 1024) {
            stream.push(black_box(chunk), &mut out);
        }
        stream.finish(&mut out);
        out.len()
    });
}

#[divan::bench]
fn source_code(bencher: Bencher<'_, '_>) {
    bench_text(bencher, &redactor(), &corpus::source_code(BYTES));
}

#[divan::bench]
fn package_lock(bencher: Bencher<'_, '_>) {
    bench_text(bencher, &redactor(), &corpus::package_lock(BYTES));
}

/// Linear means: the same bytes a second at both sizes.
#[divan::bench(args = corpus::ADVERSARIAL.iter().flat_map(|&(name, _)| [(name, 1_usize), (name, 8)]).map(|(name, mib)| Case { name, mib }))]
fn adversarial(bencher: Bencher<'_, '_>, case: &Case) {
    let unit = corpus::ADVERSARIAL.iter().find(|(name, _)| *name == case.name).map_or("", |(_, unit)| unit);
    let text = unit.repeat((case.mib << 20) / unit.len());
    bench_text(bencher, &redactor(), &text);
}

struct Case {
    name: &'static str,
    mib: usize,
}

impl std::fmt::Display for Case {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {} MiB", self.name, self.mib)
    }
}
