//! What is kept of what a process says.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use candor_sandbox::{How, run};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

/// How much a process may make us grow, whatever it says.
const GROWTH_BYTES_MAX: u64 = 16 << 20;

fn resident_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[tokio::test]
async fn a_flood_neither_grows_memory_nor_holds_up_the_timer() {
    let rig = Rig::new();
    let mut spec = rig.script("yes & yes >&2 & wait");
    spec.timeout = Duration::from_secs(1);
    let before = resident_bytes();
    let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
    assert_eq!(ended.how, How::TimedOut);
    assert!(ended.duration < Duration::from_secs(2), "{:?}", ended.duration);
    assert!(ended.stdout.total_bytes() > 1 << 20, "{}", ended.stdout.total_bytes());
    assert_eq!(ended.stdout.kept_bytes(), 64 << 10);
    let after = resident_bytes();
    assert!(after < before + GROWTH_BYTES_MAX, "{before} {after}");
}

#[tokio::test]
async fn the_head_and_the_tail_are_kept_and_the_rest_is_counted() {
    let rig = Rig::new();
    let mut spec = rig.script("seq 1 1000");
    spec.output_bytes_max = 20;
    let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
    assert_eq!(
        ended.stdout.text(),
        "1\n2\n3\n4\n5\n\n[output truncated: 3873 bytes left out]\n\n999\n1000\n"
    );
    assert_eq!((ended.stdout.total_bytes(), ended.stdout.kept_bytes()), (3893, 20));
    assert!(ended.stdout.is_cut() && !ended.stderr.is_cut());
}

#[tokio::test]
async fn exactly_the_limit_is_not_cut() {
    let rig = Rig::new();
    let mut spec = rig.script("printf 0123456789");
    spec.output_bytes_max = 10;
    spec.spill = Some(rig.path("spill"));
    let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
    assert_eq!(ended.stdout.text(), "0123456789");
    assert!(!ended.stdout.is_cut());
    assert!(!rig.path("spill").exists());
}

#[tokio::test]
async fn the_whole_output_is_in_the_file_that_the_text_names() {
    let rig = Rig::new();
    let mut spec = rig.script("seq 1 100000; seq 1 30 >&2");
    spec.output_bytes_max = 1000;
    spec.spill = Some(rig.path("spill"));
    let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
    let text = ended.stdout.text();
    let path = text.split("\nFull output: ").nth(1).unwrap().split('\n').next().unwrap();
    let whole = fs::read_to_string(path).unwrap();
    assert!(whole.lines().map(|line| line.parse::<u32>().unwrap()).eq(1..=100_000_u32));
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(rig.path("spill")).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(rig.path("spill")).unwrap().count(), 1);
}

#[tokio::test]
async fn the_file_for_the_whole_output_has_a_limit() {
    let rig = Rig::new();
    let mut spec = rig.script("head -c 70000000 /dev/zero");
    spec.output_bytes_max = 1000;
    spec.spill = Some(rig.path("spill"));
    let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
    assert_eq!((ended.how, ended.stdout.total_bytes()), (How::Exited(0), 70_000_000));
    let file = fs::read_dir(rig.path("spill")).unwrap().next().unwrap().unwrap();
    assert_eq!(file.metadata().unwrap().len(), 64 << 20);
    let text = ended.stdout.text();
    assert!(text.contains("\nIts first 67108864 bytes: "), "{}", &text[text.len() - 700..]);
}

#[tokio::test]
async fn a_process_goes_on_when_its_output_cannot_be_written() {
    let rig = Rig::new();
    fs::write(rig.path("file"), "").unwrap();
    let mut spec = rig.script("seq 1 1000; exit 4");
    spec.output_bytes_max = 20;
    spec.spill = Some(rig.path("file"));
    let ended = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap();
    assert_eq!(ended.how, How::Exited(4));
    assert!(
        ended.stdout.text().contains("[output truncated: 3873 bytes left out]"),
        "{}",
        ended.stdout.text()
    );
}

#[tokio::test]
async fn bytes_that_are_no_text_do_no_harm() {
    let ended = Rig::new().run(r"printf 'a\xff\x00b'").await;
    assert_eq!(ended.stdout.text(), "a\u{fffd}\0b");
    let ended = Rig::new().run("head -c 1000000 /dev/urandom").await;
    assert_eq!((ended.how, ended.stdout.total_bytes()), (How::Exited(0), 1_000_000));
    assert!(!ended.stdout.text().is_empty());
}

#[tokio::test]
async fn a_character_is_never_cut_in_two() {
    let rig = Rig::new();
    for limit in 20..28 {
        let mut spec = rig.script("for i in {1..100}; do printf 'a€😀'; done");
        spec.output_bytes_max = limit;
        let text = run(&spec, &rig.sandbox, &CancellationToken::new()).await.unwrap().stdout.text();
        assert!(!text.contains('\u{fffd}'), "{limit}: {text}");
        let shown: usize = text.lines().filter(|line| !line.starts_with('[')).map(str::len).sum();
        let count = text.split("[output truncated: ").nth(1).unwrap().split(' ').next().unwrap();
        assert_eq!(shown + count.parse::<usize>().unwrap(), 800, "{limit}: {text}");
    }
}
