//! `file_read`.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use candor_protocol::Code;
use serde_json::json;

use crate::rig::{CANARY, Rig, check_failure, check_success, fifo, meanwhile};

#[tokio::test]
async fn a_file_is_read_by_any_of_its_paths() {
    let rig = Rig::new();
    fs::create_dir(rig.inside("folder")).unwrap();
    fs::write(rig.inside("folder/file"), "text\nünïcode\n").unwrap();
    symlink("folder/file", rig.inside("link")).unwrap();
    for path in ["folder/file", "./folder//file", "folder/../folder/file", "link"] {
        check_success(&rig.read(path).await, "text\nünïcode\n");
    }
    let output = rig.read(rig.inside("folder/file")).await;
    check_success(&output, "text\nünïcode\n");
    assert_eq!(output.for_people, "15 bytes, 2 lines");
    check_success(&rig.read(rig.outside("canary")).await, CANARY);
    check_success(&rig.read("../canary").await, CANARY);
}

#[tokio::test]
async fn s6_3_a_long_file_is_read_piece_by_piece() {
    let mut rig = Rig::new();
    rig.context.rules.output_bytes_max = 1000;
    let whole = (1..=300).map(|line| format!("{line}: aé€😀\n")).collect::<Vec<_>>().concat();
    fs::write(rig.inside("file"), &whole).unwrap();
    let mut pieces = String::new();
    let mut offset = 1;
    loop {
        let output = rig.call("file_read", json!({ "path": "file", "offset": offset })).await;
        assert!(!output.is_error && output.for_model.len() <= 1000, "{output:?}");
        let Some((text, note)) = output.for_model.rsplit_once("[read truncated] ") else {
            pieces.push_str(&output.for_model);
            break;
        };
        pieces.push_str(text);
        let next = offset + text.lines().count();
        let size = whole.len();
        assert_eq!(
            note,
            format!("lines {offset}-{} of a file of {size} bytes; go on with offset={next}", next - 1)
        );
        offset = next;
    }
    assert_eq!(pieces, whole);
}

#[tokio::test]
async fn lines_can_be_asked_for() {
    let rig = Rig::new();
    fs::write(rig.inside("file"), "a\nb\r\nc\n\ne").unwrap();
    let check = async |offset: u64, limit: u64, expect: &str| {
        let args = json!({ "path": "file", "offset": offset, "limit": limit });
        check_success(&rig.call("file_read", args).await, expect);
    };
    check(0, 10, "a\nb\r\nc\n\ne").await;
    check(1, 5, "a\nb\r\nc\n\ne").await;
    check(2, 2, "b\r\nc\n[read truncated] lines 2-3 of a file of 9 bytes; go on with offset=4").await;
    check(4, u64::MAX, "\ne").await;
    check(5, 1, "e").await;
    check(6, 1, "[nothing: line 6 is behind the end, line 5]").await;
    check(7, 1, "[nothing: line 7 is behind the end, line 5]").await;
    check(u64::MAX, 1, "[nothing: line 18446744073709551615 is behind the end, line 5]").await;
    fs::write(rig.inside("file"), "").unwrap();
    check(1, 9, "").await;
}

#[tokio::test]
async fn a_line_that_is_longer_than_the_output_is_cut_and_told() {
    let mut rig = Rig::new();
    rig.context.rules.output_bytes_max = 500;
    fs::write(rig.inside("file"), format!("{}\nnext\n", "é".repeat(5000))).unwrap();
    let output = rig.read("file").await;
    let (text, note) = output.for_model.split_once('\n').unwrap();
    assert!(text.chars().all(|char| char == 'é') && text.len() > 200, "{text}");
    assert_eq!(
        note,
        "[read truncated] line 1 is cut after 244 of 10001 bytes, its rest: shell_exec `sed -n 1p FILE | cut -b 245-`; lines 1-1 of a file of 10006 bytes; go on with offset=2"
    );
    assert!(output.for_model.len() <= 500, "{}", output.for_model.len());
    let rest = rig.shell("sed -n 1p file | cut -b 245- | tr -d '\\n' | wc -c").await;
    assert!(rest.for_model.contains(&format!("{}", 10_000 - text.len())), "{rest:?}");
    check_success(&rig.call("file_read", json!({ "path": "file", "offset": 2 })).await, "next\n");
}

/// The file is sparse: nothing but its size is large, and only reading it as a whole would be slow.
#[tokio::test]
async fn a_huge_file_is_not_read_as_a_whole() {
    let rig = Rig::new();
    fs::write(rig.inside("file"), "first\n".repeat(4000)).unwrap();
    fs::File::options().write(true).open(rig.inside("file")).unwrap().set_len(1 << 42).unwrap();
    let output = rig.call("file_read", json!({ "path": "file", "limit": 1 })).await;
    check_success(
        &output,
        "first\n[read truncated] lines 1-1 of a file of 4398046511104 bytes; go on with offset=2",
    );
    let output = rig.read("file").await;
    assert!(output.for_model.len() <= 10_000, "{}", output.for_model.len());
}

/// What becomes a mark of three bytes is counted as that.
#[tokio::test]
async fn what_is_no_text_further_down_takes_no_more_than_the_limit() {
    let rig = Rig::new();
    let head = "text\n".repeat(2000);
    for rest in [vec![0xff; 50_000], vec![0xff; 5_000], b"\xff\xff\xff\n".repeat(10_000)] {
        fs::write(rig.inside("file"), [head.as_bytes(), &rest].concat()).unwrap();
        for first in [1, 1900, 2001, 2100] {
            let output = rig.call("file_read", json!({ "path": "file", "offset": first })).await;
            assert!(
                !output.is_error && output.for_model.len() <= 10_000,
                "{first}: {}",
                output.for_model.len()
            );
        }
    }
}

#[tokio::test]
async fn what_is_no_text_is_told_and_not_shown() {
    let rig = Rig::new();
    let check = async |bytes: &[u8], expect: &str| {
        fs::write(rig.inside("file"), bytes).unwrap();
        check_success(&rig.read("file").await, expect);
    };
    check(b"text \xff\xfe", "[binary file: unknown type, 7 bytes]").await;
    check(b"text\0", "[binary file: unknown type, 5 bytes]").await;
    check(b"cut short \xe2\x82", "[binary file: unknown type, 12 bytes]").await;
    check(b"\x7fELF\x02\x01\0", "[binary file: ELF program, 7 bytes]").await;
    check(b"\xff\xfet\0", "[binary file: text in UTF-16, 4 bytes]").await;
    // The head ends within a character.
    let long = format!("{}é\n", "x".repeat(8191));
    check(long.as_bytes(), &long).await;
    // What comes later is shown as well as it goes.
    let mut late = vec![b'x'; 8192];
    late.extend_from_slice(b"\xff\n");
    check(&late, &format!("{}\u{fffd}\n", "x".repeat(8192))).await;
}

#[tokio::test]
async fn what_is_no_file_is_refused_at_once() {
    let rig = Rig::new();
    fifo(&rig.inside("pipe"));
    let _socket = UnixListener::bind(rig.inside("socket")).unwrap();
    fs::create_dir(rig.inside("folder")).unwrap();
    symlink("pipe", rig.inside("link")).unwrap();
    for path in ["pipe", "socket", "link", "/dev/zero", "/dev/tty"] {
        let output = rig.read(path).await;
        check_failure(&output, Code::FileIo);
        let card = output.card.unwrap();
        assert!(card.cause.contains(", not a file; only a command can use it"), "{card:?}");
        // What is advised does not wait for a pipe either.
        assert!(card.verify.unwrap().starts_with("test -f "));
    }
    let output = rig.read("folder").await;
    check_failure(&output, Code::FileIsDirectory);
    assert!(output.for_model.contains("list shows what is in it"), "{output:?}");
    check_failure(&rig.read("none").await, Code::FileNotFound);
    symlink("loop", rig.inside("loop")).unwrap();
    check_failure(&rig.read("loop").await, Code::FileIo);
}

#[tokio::test]
async fn files_of_the_kernel_are_read_but_not_the_memory_of_processes() {
    let rig = Rig::new();
    let output = rig.read("/proc/self/status").await;
    assert!(output.for_model.starts_with("Name:"), "{output:?}");
    for path in ["/proc/self/environ", "/proc/self/mem", "/proc/thread-self/environ", "/proc/1/environ"] {
        check_failure(&rig.read(path).await, Code::ToolBlocked);
    }
    symlink("/proc/self/environ", rig.inside("link")).unwrap();
    check_failure(&rig.read("link").await, Code::ToolBlocked);
}

#[tokio::test]
async fn hidden_paths_are_hidden_by_whatever_name() {
    let mut rig = Rig::new();
    fs::create_dir(rig.inside("keys")).unwrap();
    fs::write(rig.inside("keys/private"), "secret").unwrap();
    fs::write(rig.inside("keys-not"), "open").unwrap();
    symlink("keys", rig.inside("folder_link")).unwrap();
    symlink("keys/private", rig.inside("link")).unwrap();
    fs::hard_link(rig.outside("canary"), rig.inside("hard")).unwrap();
    symlink(rig.inside("keys"), rig.inside("rule")).unwrap();
    // The rule is a link itself, and so are some of the paths.
    rig.context.rules.hidden = vec![rig.inside("rule"), rig.outside("canary")];
    let root = format!("/proc/self/root{}", rig.inside("keys/private").display());
    for path in
        ["keys/private", "folder_link/private", "link", "./x/../keys/private", "hard", "../canary", &root]
    {
        let _ = fs::create_dir(rig.inside("x"));
        check_failure(&rig.read(path).await, Code::ToolBlocked);
    }
    check_success(&rig.read("keys-not").await, "open");
}

#[tokio::test]
async fn s6_10_only_allowed_paths_are_read_where_there_are_any() {
    let mut rig = Rig::new();
    fs::create_dir(rig.inside("open")).unwrap();
    fs::write(rig.inside("open/file"), "text").unwrap();
    fs::write(rig.inside("open-not"), "text").unwrap();
    symlink(rig.outside("canary"), rig.inside("open/link")).unwrap();
    rig.context.rules.allowed = vec![rig.inside("open")];
    check_success(&rig.read("open/file").await, "text");
    check_failure(&rig.read("open-not").await, Code::ToolBlocked);
    check_failure(&rig.read("open/../../canary").await, Code::ToolBlocked);
    // S6.12
    check_failure(&rig.read("open/link").await, Code::ToolBlocked);
}

/// A link changes between an allowed and a hidden file as fast as it can, while it is read.
#[test]
fn a_link_that_changes_while_it_is_read_never_shows_what_is_hidden() {
    let mut rig = Rig::new();
    fs::write(rig.inside("open"), "open").unwrap();
    rig.context.rules.hidden = vec![rig.outside("canary")];
    symlink("open", rig.inside("link")).unwrap();
    let (hidden, next, link) = (rig.outside("canary"), rig.inside("next"), rig.inside("link"));
    let change = || {
        for target in [hidden.as_path(), "open".as_ref()] {
            symlink(target, &next).unwrap();
            fs::rename(&next, &link).unwrap();
        }
    };
    let outputs = meanwhile(change, async {
        let mut outputs = Vec::new();
        for _ in 0..1000 {
            outputs.push(rig.read("link").await);
        }
        outputs
    });
    assert!(outputs.iter().all(|output| !output.for_model.contains(CANARY)));
    // Both were met, or nothing was shown by this.
    assert!(outputs.iter().any(|output| output.is_error) && outputs.iter().any(|output| !output.is_error));
}
