//! Where a command would write: redirects, and the programs that write to a file they are given.

use crate::call::{Call, UNKNOWN};
use crate::places::Written;
use crate::verdict::Finding;
use crate::walk::State;

/// The target of a redirect, in either direction.
pub(crate) fn redirect(way: Way, target: &str, state: &State) -> Option<Finding> {
    let is_harmless = way == Way::In && state.ground.written(target) != Some(Written::Socket);
    finding(target, state).filter(|_| !is_harmless).map(Finding::surroundings)
}

/// Which way a redirect goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    In,
    Out,
}

impl Way {
    /// That of a redirect as it is written; one that goes both ways writes.
    pub(crate) fn of(text: &str) -> Self {
        let sign = text.trim_start_matches(char::is_numeric);
        if sign.starts_with('<') && !sign.starts_with("<>") { Self::In } else { Self::Out }
    }
}

/// The files that a program writes because its arguments say so.
pub(super) fn judge(call: &Call<'_>, state: &State) -> Option<Finding> {
    let findings = targets(call).into_iter().filter_map(|target| finding(&target, state));
    findings.reduce(|worst, next| if next.verdict > worst.verdict { next } else { worst })
}

fn finding(target: &str, state: &State) -> Option<Finding> {
    let shown = target.replace(UNKNOWN, "…");
    Some(match state.ground.written(target)? {
        Written::Socket => Finding::deny("network-device", format!("it opens a connection through {shown}")),
        Written::Device => Finding::deny("write-device", format!("it writes to the device {shown}")),
        Written::System => {
            Finding::deny("write-system", format!("it writes to {shown}, which belongs to the system"))
        }
        Written::Local => Finding::ask("write-local", format!("it installs into {shown}")),
        Written::Autostart => {
            Finding::ask("write-autostart", format!("it changes {shown}, which decides what runs later"))
        }
    })
}

/// Options that name a file or a directory to write: the programs, the letter, the long name.
const WRITING: &[(&[&str], Option<char>, Option<&str>)] = &[
    (
        &["sort", "gsort", "gpg", "gpg2", "pandoc", "iconv", "age", "yt-dlp", "axel", "http", "https", "xh"],
        Some('o'),
        Some("output"),
    ),
    (
        &["cc", "gcc", "g++", "c++", "clang", "clang++", "ld", "as", "rustc", "tcc", "go", "ghc", "javac"],
        Some('o'),
        None,
    ),
    (&["curl"], Some('D'), Some("dump-header")),
    (&["curl"], Some('c'), Some("cookie-jar")),
    (&["curl"], None, Some("trace")),
    (&["curl"], None, Some("trace-ascii")),
    (&["curl"], None, Some("stderr")),
    (&["curl"], None, Some("etag-save")),
    (&["curl"], None, Some("libcurl")),
    (&["curl"], None, Some("hsts")),
    (&["curl"], None, Some("alt-svc")),
    (&["wget"], Some('O'), Some("output-document")),
    (&["wget"], Some('P'), Some("directory-prefix")),
    (&["wget"], Some('o'), Some("output-file")),
    (&["wget"], Some('a'), Some("append-output")),
    (&["wget"], None, Some("save-cookies")),
    (&["wget"], None, Some("hsts-file")),
    (&["wget"], None, Some("rejected-log")),
    (&["wget"], None, Some("warc-file")),
    (&["aria2c"], Some('d'), Some("dir")),
    (&["aria2c"], Some('l'), Some("log")),
    (&["yt-dlp"], Some('P'), Some("paths")),
    (&["unzip"], Some('d'), None),
    (&["strace", "ltrace"], Some('o'), Some("output")),
    (&["time", "gtime"], Some('o'), Some("output")),
    (&["cpio"], Some('D'), Some("directory")),
    (&["bsdtar", "tar", "gtar"], None, Some("one-top-level")),
];

fn targets(call: &Call<'_>) -> Vec<String> {
    let options = WRITING.iter().filter(|(names, _, _)| names.contains(&call.name));
    let named = options.flat_map(|(_, short, long)| call.values(*short, *long));
    let mut found: Vec<String> = named.map(str::to_owned).collect();
    found.extend(fetched(call));
    found.extend(operands_written(call).into_iter().map(str::to_owned));
    found
}

/// The files that a program makes of what it fetches, in the directory that it puts them into.
fn fetched(call: &Call<'_>) -> Vec<String> {
    let last_part = |address: &str| address.rsplit('/').next().unwrap_or_default().to_owned();
    let is_address = |word: &&str| word.contains(['/', '.']);
    let (directories, mut files) = match call.name {
        "curl" => {
            let mut files: Vec<String> =
                call.values(Some('o'), Some("output")).into_iter().map(str::to_owned).collect();
            let is_by_name =
                call.has_short("OJ") || call.has_long("remote-name") || call.has_long("remote-name-all");
            if is_by_name {
                files.extend(call.operands().filter(is_address).map(last_part));
            }
            (call.values(None, Some("output-dir")), files)
        }
        "wget" if call.values(Some('O'), Some("output-document")).is_empty() => (
            call.values(Some('P'), Some("directory-prefix")),
            call.operands().filter(is_address).map(last_part).collect(),
        ),
        "aria2c" => {
            let named = call.values(Some('o'), Some("out")).into_iter().map(str::to_owned);
            let by_name = call.operands().filter(is_address).map(last_part);
            (call.values(Some('d'), Some("dir")), named.chain(by_name).collect())
        }
        _ => return Vec::new(),
    };
    files.retain(|file| !file.is_empty() && file != "-");
    match directories.first() {
        Some(directory) => {
            let below = files.iter().map(|file| format!("{directory}/{file}"));
            below.chain([(*directory).to_owned()]).collect()
        }
        None => files,
    }
}

fn operands_written<'a>(call: &Call<'a>) -> Vec<&'a str> {
    let operands = || call.operands().filter(|word| *word != "--");
    match call.name {
        "tee" | "truncate" | "touch" | "sponge" | "shred" | "mkfifo" | "mknod" | "fallocate" | "unlink" => {
            operands().collect()
        }
        "cp" | "gcp" | "install" | "ginstall" | "mv" | "ln" | "rsync" | "scp" => {
            let mut found = call.values(Some('t'), Some("target-directory"));
            let is_made = call.name == "install" && call.has_short("d");
            if found.is_empty() || call.name == "rsync" {
                found = if is_made {
                    operands().collect()
                } else {
                    operands().skip(1).last().into_iter().collect()
                };
            }
            found.retain(|target| call.name == "cp" || call.name == "mv" || !target.contains(':'));
            found
        }
        "sed" | "gsed" | "perl" if call.has_short("i") || call.has_long("in-place") => {
            let is_script_given = call.has_short("e") || call.has_short("f") || call.has_long("expression");
            operands().skip(usize::from(!is_script_given)).collect()
        }
        "awk" | "gawk" if call.values(Some('i'), Some("include")).contains(&"inplace") => {
            operands().filter(|word| *word != "inplace").skip(1).collect()
        }
        "dd" => call.args().filter_map(|arg| arg.strip_prefix("of=")).collect(),
        "patch" | "ed" | "ex" => operands().take(1).collect(),
        "tar" | "bsdtar" | "gtar" => tar(call),
        "7z" | "7za" | "7zz" => call.args().filter_map(|arg| arg.strip_prefix("-o")).collect(),
        "openssl" => call
            .words
            .windows(2)
            .filter(|pair| pair[0].text == "-out")
            .map(|pair| pair[1].text.as_str())
            .collect(),
        "git" if call.has_word(&["clone", "init", "worktree"]) => {
            operands().skip(1).last().into_iter().collect()
        }
        "mkdir" => operands().filter(|path| path.contains("/.git/hooks")).collect(),
        _ => Vec::new(),
    }
}

/// Where an archive is unpacked to, or the archive that is made. The letters of the first word need no dash.
fn tar<'a>(call: &Call<'a>) -> Vec<&'a str> {
    let bundle = call.arg(0).filter(|first| !first.starts_with('-'));
    let is = |letters: &str, longs: &[&str]| {
        call.has_short(letters)
            || bundle.is_some_and(|bundle| bundle.contains(|c| letters.contains(c)))
            || longs.iter().any(|long| call.has_long(long))
    };
    if is("x", &["extract", "get"]) {
        return call.values(Some('C'), Some("directory"));
    }
    if !is("cruA", &["create", "append", "update", "catenate", "concatenate", "delete"]) {
        return Vec::new();
    }
    let mut found = call.values(Some('f'), Some("file"));
    // Its values follow in the order of the letters; the file is mostly the only one.
    found.extend(bundle.filter(|bundle| bundle.contains('f')).and_then(|_| call.arg(1)));
    found.retain(|file| *file != "-" && !file.contains(':'));
    found
}

/// Programs that do not read the files they are told about, or whose business keys are.
const NO_READERS: &[&str] = &[
    "echo",
    "printf",
    "ls",
    "stat",
    "test",
    "[",
    "cd",
    "mkdir",
    "chmod",
    "chown",
    "ssh",
    "ssh-keygen",
    "ssh-add",
    "ssh-copy-id",
    "git",
    "touch",
    "rm",
    "find",
    "scp",
    "sftp",
    "rsync",
    "tee",
    "gpg",
    "export",
];

/// Keys and passwords that a command would read.
pub(super) fn secrets(call: &Call<'_>, state: &State) -> Option<Finding> {
    if NO_READERS.contains(&call.name) {
        return None;
    }
    let secret = call.args().map(|arg| arg.trim_start_matches('@')).find(|arg| {
        let looks_like_a_path = arg.starts_with(['/', '.']) || arg.contains('/');
        looks_like_a_path && state.ground.is_secret(arg)
    })?;
    Some(Finding::ask(
        "read-secret",
        format!("it reads {}, which holds keys or passwords", secret.replace(UNKNOWN, "…")),
    ))
}
