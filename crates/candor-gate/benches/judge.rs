//! What a judgement costs: one ordinary command, some others, and a script of four kilobytes.
//! `cargo bench -p candor-gate`

use std::path::Path;

use candor_gate::{Gate, Judgement, Lists, Scene};
use divan::{Bencher, black_box, counter::BytesCount};

fn main() {
    divan::main();
}

fn judge(gate: &Gate, command: &str) -> Judgement {
    let scene = Scene {
        cwd: Path::new("/home/dev/project"),
        workspace: Path::new("/home/dev/project"),
        home: Some(Path::new("/home/dev")),
        writable: &[],
        variables: &[],
    };
    gate.judge(command, &scene)
}

fn bench(bencher: Bencher<'_, '_>, command: &str) {
    let gate = Gate::new(&Lists::default()).unwrap_or_else(|error| unreachable!("{error}"));
    judge(&gate, command);
    bencher.counter(BytesCount::of_str(command)).bench(|| judge(&gate, black_box(command)));
}

#[divan::bench]
fn ordinary(bencher: Bencher<'_, '_>) {
    bench(bencher, "cargo build --release");
}

#[divan::bench]
fn ordinary_pipeline(bencher: Bencher<'_, '_>) {
    bench(bencher, "cd src && grep -rn 'fn main' --include='*.rs' . | head -20 2>/dev/null");
}

#[divan::bench]
fn wrapped(bencher: Bencher<'_, '_>) {
    bench(bencher, "sudo env A=1 timeout 5 bash -lc 'rm -rf /'");
}

#[divan::bench]
fn script_of_4_kb(bencher: Bencher<'_, '_>) {
    let part = "for f in *.rs; do\n  if grep -q \"$X\" \"$f\"; then echo \"$(basename \"$f\"): ok\" >> out.log; fi\ndone\n";
    bench(bencher, &part.repeat(4096 / part.len() + 1));
}
