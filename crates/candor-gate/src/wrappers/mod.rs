//! What a command runs in turn: words of another command, or a script.

mod consoles;
mod directory;
mod editor;
mod fan;
mod lisp;
mod make;
mod programs;
mod runners;
mod sed;
mod shells;
mod tcl;

use crate::call::{Call, UNKNOWN, Word, is_long, short_group};

pub(crate) use consoles::typed;
pub(crate) use directory::{directory, given};
pub(crate) use make::makefiles;
pub(crate) use programs::{is_program_key, run_by_flag, tame_program};
pub(crate) use shells::{Reads, SHELLS, is_input, reads};
pub(crate) use tcl::is_tcl;

/// Something that a command would run.
#[derive(Debug)]
pub(crate) enum Inner {
    Words(Vec<Word>),
    Script { text: String, parameters: Vec<Word> },
}

impl Inner {
    pub(crate) fn script(text: impl Into<String>) -> Self {
        Self::Script { text: text.into(), parameters: Vec::new() }
    }
}

/// A program that runs the command behind its own options.
struct Wrapper {
    names: &'static [&'static str],
    /// Short options with a value.
    short: &'static str,
    /// Long options whose value is a word of its own.
    long: &'static [&'static str],
    /// Words of its own before the command.
    operands: usize,
}

const fn wrapper(
    names: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { names, short, long, operands }
}

#[rustfmt::skip]
const WRAPPERS: &[Wrapper] = &[
    wrapper(&["env"], "uCa", &["unset", "chdir", "argv0"], 0),
    wrapper(&["sudo"], "ughpCcrtTUDRa", &["user", "group", "host", "prompt", "chdir", "chroot", "close-from", "role", "type", "other-user", "command-timeout", "login-class", "auth-type"], 0),
    wrapper(&["doas"], "uCa", &[], 0),
    wrapper(&["pkexec"], "", &["user"], 0),
    wrapper(&["gosu", "su-exec", "faketime"], "", &[], 1),
    wrapper(&["sem"], "jPS", &["jobs", "id", "semaphore-name", "semaphorename", "semaphore-timeout", "semaphoretimeout", "st", "workdir", "wd"], 0),
    wrapper(&["sshpass"], "fdpP", &[], 0),
    wrapper(&["mosh"], "p", &["ssh", "port", "client", "server", "predict"], 1),
    wrapper(&["ssh-agent"], "atE", &[], 0),
    wrapper(&["nice"], "n", &["adjustment"], 0),
    wrapper(&["ionice"], "cnpPu", &["class", "classdata"], 0),
    wrapper(&["timeout", "gtimeout"], "ks", &["kill-after", "signal"], 1),
    wrapper(&["chrt", "taskset"], "TPD", &["sched-runtime", "sched-period", "sched-deadline"], 1),
    wrapper(&["chroot"], "", &["userspec", "groups"], 1),
    wrapper(&["stdbuf"], "ioe", &["input", "output", "error"], 0),
    wrapper(&["time", "gtime"], "fo", &["format", "output"], 0),
    wrapper(&["exec"], "a", &[], 0),
    wrapper(&["{", "!", "if", "then", "elif", "else", "while", "until", "do", "nohup", "setsid", "builtin", "busybox", "toybox", "unbuffer", "chronic", "winpty", "firejail", "noglob", "nocorrect", "linux32", "linux64", "i386", "x86_64", "eatmydata", "dbus-launch", "cross-env", "flatpak-spawn"], "", &[], 0),
    wrapper(&["rlwrap"], "abCDefgHlmMOPpqsStTwz", &["always-readline", "break-chars", "command-name", "history-no-dupes", "extra-char-after-completion", "file", "forget-matching", "history-filename", "logfile", "multi-line", "multi-line-ext", "only-cook", "pre-given", "prompt-colour", "quote-characters", "histsize", "substitute-prompt", "set-term-name", "test-terminal", "wait-before-prompt", "filter"], 0),
    wrapper(&["caffeinate"], "tw", &[], 0),
    wrapper(&["fakeroot"], "lsib", &["lib", "faked", "save-file", "load-file", "fd-base"], 0),
    wrapper(&["dbus-run-session"], "", &["config-file", "dbus-daemon"], 0),
    wrapper(&["torsocks"], "upaP", &["user", "pass", "address", "port"], 0),
    wrapper(&["proxychains", "proxychains4"], "f", &[], 0),
    wrapper(&["heaptrack"], "op", &["output", "pid"], 0),
    wrapper(&["softlimit"], "acdflmoprst", &[], 0),
    wrapper(&["tsp"], "LNEDS", &[], 0),
    wrapper(&["uvx"], "pw", &["from", "with", "python", "index-url", "with-editable", "with-requirements"], 0),
    wrapper(&["wsl"], "du", &["distribution", "user", "cd"], 0),
    wrapper(&["run0"], "ugD", &["user", "group", "chdir", "nice", "setenv", "slice", "unit", "property", "description", "machine", "background"], 0),
    wrapper(&["chpst"], "uUbenmdopfcr/", &[], 0),
    wrapper(&["setuidgid", "s6-setuidgid", "envdir", "s6-envdir", "gdbserver", "rsh"], "l", &[], 1),
    wrapper(&["choom", "uclampset"], "nmMp", &["adjust"], 0),
    wrapper(&["dotenv", "env-cmd"], "fev", &["file", "environments"], 0),
    wrapper(&["daemonize"], "acelopuE", &[], 0),
    wrapper(&["watchexec"], "ewfiEdso", &["exts", "watch", "filter", "ignore", "env", "debounce", "signal", "on-busy-update", "stop-signal"], 0),
    wrapper(&["pdsh", "pssh", "parallel-ssh"], "wxlhHptfu", &["hosts", "host"], 0),
    wrapper(&["unshare"], "SGRwl", &["setuid", "setgid", "root", "wd", "map-user", "map-group", "map-users", "map-groups", "propagation", "setgroups", "monotonic", "boottime", "load-interp"], 0),
    wrapper(&["nsenter"], "tSG", &["target", "setuid", "setgid"], 0),
    wrapper(&["systemd-run"], "puMEH", &["property", "unit", "machine", "host", "setenv", "description", "slice", "uid", "gid", "nice", "service-type", "working-directory", "on-active", "on-boot", "on-startup", "on-unit-active", "on-unit-inactive", "on-calendar", "path-property", "socket-property", "timer-property", "job-mode", "background"], 0),
    wrapper(&["prlimit"], "", &[], 0),
    wrapper(&["setpriv"], "", &["reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set", "securebits", "selinux-label", "apparmor-profile", "ptracer", "pdeathsig", "landlock-access", "landlock-rule", "seccomp-filter", "ruid", "euid", "rgid", "egid"], 0),
    wrapper(&["cpulimit"], "lpe", &["limit", "pid", "exe"], 0),
    wrapper(&["numactl"], "CNmpi", &["cpunodebind", "physcpubind", "membind", "interleave"], 0),
    wrapper(&["strace", "ltrace"], "eopsuEPaIObX", &["output", "attach", "user"], 0),
    wrapper(&["valgrind", "xvfb-run", "catchsegv", "entr"], "ensfpw", &[], 0),
    wrapper(&["runuser"], "ugGcs", &["user", "group", "command", "shell"], 0),
    wrapper(&["flock"], "wEc", &["timeout", "conflict-exit-code", "command"], 1),
    wrapper(&["watch"], "nq", &["interval"], 0),
    wrapper(&["npx", "bunx", "pnpx"], "pcw", &["package", "call", "workspace"], 0),
    wrapper(&["screen"], "ScehpTt", &[], 0),
    // On some systems the command stands behind the file.
    wrapper(&["script"], "cFtTIOBEmo", &["command", "log-out", "log-in", "log-io", "log-timing"], 1),
];

/// Everything that this command would run.
pub(crate) fn inner(call: &Call<'_>) -> Vec<Inner> {
    let mut found = shells::inner(call);
    found.extend(fan::inner(call));
    found.extend(programs::inner(call));
    found.extend(runners::inner(call));
    found.extend(consoles::inner(call));
    found.extend(tcl::inner(call));
    found.extend(lisp::inner(call));
    if matches!(call.name, "make" | "gmake") {
        found.extend(make::inner(call));
    }
    found.extend(wrapped(call).map(Inner::Words));
    found
}

/// The command behind all wrappers, found in one go.
pub(crate) fn innermost(call: Call<'_>) -> Call<'_> {
    let mut call = call;
    while let Some(inner) = behind(&call) {
        call = Call::new(inner, call.flow);
    }
    call
}

fn wrapped(call: &Call<'_>) -> Option<Vec<Word>> {
    behind_mark(call).or_else(|| behind(call).map(<[Word]>::to_vec))
}

/// The words of this command that are another one.
fn behind<'a>(call: &Call<'a>) -> Option<&'a [Word]> {
    let words = call.words.get(1..)?;
    match call.name {
        "command" => return of_command(words),
        "coproc" => {
            // `coproc NAME { …; }` has a name only before a group, and the grammar takes the group for words.
            let group = words.iter().position(|word| word.text == "{").map_or(0, |at| at + 1);
            return words.get(group..).filter(|rest| !rest.is_empty());
        }
        "bwrap" => return of_bubblewrap(words),
        // The name of a machine may be left out.
        "setarch" => {
            let is_named =
                behind_options(words, "", &[], 0).and_then(<[Word]>::first).is_some_and(is_machine);
            return behind_options(words, "", &[], usize::from(is_named));
        }
        name if name.starts_with("ld-linux") || name.starts_with("ld-musl") || name == "ld.so" => {
            return behind_options(words, "", &["library-path", "preload", "argv0", "audit"], 0);
        }
        _ => {}
    }
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&call.name))?;
    behind_options(words, wrapper.short, wrapper.long, wrapper.operands)
}

/// `command -v` and `command -V` only look.
fn of_command(words: &[Word]) -> Option<&[Word]> {
    let options = words.iter().take_while(|word| short_group(&word.text).is_some()).count();
    let looks = words[..options].iter().any(|word| word.text.contains(['v', 'V']));
    let rest = &words[options..];
    let rest = rest.split_first().filter(|(first, _)| first.text == "--").map_or(rest, |(_, rest)| rest);
    Some(rest).filter(|rest| !looks && !rest.is_empty())
}

/// `bwrap` has long options only, with up to three words behind them.
fn of_bubblewrap(words: &[Word]) -> Option<&[Word]> {
    let mut at = 0;
    while let Some(option) = words.get(at).and_then(|word| word.text.strip_prefix("--")) {
        at += 1 + match option {
            ""
            | "share-net"
            | "new-session"
            | "die-with-parent"
            | "as-pid-1"
            | "clearenv"
            | "disable-userns"
            | "assert-userns-disabled" => 0,
            "overlay" => 3,
            "symlink" | "setenv" | "file" | "bind-data" | "ro-bind-data" | "chmod" => 2,
            option if option.starts_with("unshare-") => 0,
            option if option.contains("bind") => 2,
            _ => 1,
        };
        if option.is_empty() {
            break;
        }
    }
    words.get(at..).filter(|rest| !rest.is_empty())
}

/// What `setarch` knows as a machine.
fn is_machine(word: &Word) -> bool {
    let families =
        ["x86", "i386", "i486", "i586", "i686", "linux", "uname26", "arm", "aarch", "ppc", "s390", "mips"];
    let others = ["sparc", "ia64", "alpha", "parisc", "riscv", "athlon", "loongarch"];
    families.iter().chain(&others).any(|family| word.text.starts_with(family))
}

/// Programs that name the word their command stands behind.
const MARKS: &[(&[&str], &[&str])] = &[
    (
        &["xterm", "konsole", "alacritty", "urxvt", "rxvt", "st", "foot", "lxterminal", "terminator"],
        &["-e", "-x"],
    ),
    (&["gnome-terminal", "ptyxis", "kgx", "wezterm", "kitty", "xfce4-terminal"], &["--", "-x", "-e"]),
    (&["gdb", "lldb"], &["--args", "-args", "--"]),
    (&["just"], &["--command", "-c"]),
    (&["cmd", "cmd.exe"], &["/c", "/C", "/k"]),
];

fn behind_mark(call: &Call<'_>) -> Option<Vec<Word>> {
    if call.name == "capsh" {
        // What stands behind the dashes is for a shell.
        let dashes = call.words.iter().position(|word| word.text == "--")?;
        let shell = std::iter::once(Word::literal("bash"));
        return Some(shell.chain(call.words[dashes + 1..].iter().cloned()).collect());
    }
    if call.name == "start-stop-daemon" {
        let program = call.values(Some('x'), Some("exec")).first().copied();
        let program = program.or(call.values(Some('a'), Some("startas")).first().copied())?;
        let dashes = call.words.iter().position(|word| word.text == "--").unwrap_or(call.words.len() - 1);
        let program = std::iter::once(Word::literal(program));
        return Some(program.chain(call.words[dashes + 1..].iter().cloned()).collect());
    }
    if call.name == "cmake" {
        return of_cmake(call);
    }
    let (_, marks) = MARKS.iter().find(|(names, _)| names.contains(&call.name))?;
    let at = call.words.iter().position(|word| marks.contains(&word.text.as_str()))?;
    call.words.get(at + 1..).filter(|rest| !rest.is_empty()).map(<[Word]>::to_vec)
}

/// `cmake -E` is a small shell of its own.
fn of_cmake(call: &Call<'_>) -> Option<Vec<Word>> {
    let at = call.words.iter().position(|word| word.text == "-E")?;
    let (tool, rest) = call.words.get(at + 1..)?.split_first()?;
    let program: &[&str] = match tool.text.as_str() {
        "remove_directory" | "remove" | "rm" => &["rm", "-rf"],
        "env" => &["env"],
        "time" => &["time"],
        "chdir" => return rest.get(1..).map(<[Word]>::to_vec),
        "copy" | "copy_if_different" | "copy_directory" | "rename" => &["cp"],
        "touch" => &["touch"],
        _ => return None,
    };
    Some(program.iter().map(|word| Word::literal(*word)).chain(rest.iter().cloned()).collect())
}

/// The command behind the options, operands and assignments of its wrapper.
fn behind_options<'a>(words: &'a [Word], short: &str, long: &[&str], operands: usize) -> Option<&'a [Word]> {
    let mut at = 0;
    let mut operands = operands;
    let mut takes_options = true;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if takes_options && text == "--" {
            takes_options = false;
            at += 1;
        } else if takes_options && text.starts_with("--") {
            let takes_next = !text.contains('=') && long.iter().any(|long| is_long(text, long));
            at += 1 + usize::from(takes_next);
        } else if let Some(group) = short_group(text).filter(|_| takes_options) {
            let valued = group.find(|c| short.contains(c));
            at += 1 + usize::from(valued.is_some_and(|valued| valued + 1 == group.len()));
        } else if is_assignment(text) || (takes_options && text == "-") {
            at += 1;
        } else if operands > 0 {
            operands -= 1;
            at += 1;
        } else {
            break;
        }
    }
    words.get(at..).filter(|rest| !rest.is_empty())
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == UNKNOWN)
    })
}

/// Words as a script: as they stand, because whoever joins them does so without quotes.
fn join(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The place of the first character that is meant, without those behind a backslash.
fn unescaped(text: &str, mut is_meant: impl FnMut(char) -> bool) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        if c == '\\' {
            is_escaped = true;
        } else if is_meant(c) {
            return at;
        }
    }
    text.len()
}
