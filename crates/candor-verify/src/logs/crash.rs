//! How runtimes tell that they gave up: none of it has a level.

use super::header;

/// What a failure without a level looks like, and with it what may follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Crash {
    /// Python's traceback.
    Traceback,
    /// A panic of Rust. `true`: its message is on the next line.
    RustPanic(bool),
    /// A panic or a fatal error of Go.
    GoPanic,
    /// An exception that stands at the beginning of a line, with its type; Node's in particular.
    Exception,
    /// `node:internal/…:12`: the exception comes in a moment.
    NodePrelude,
    /// The report of a sanitizer.
    Sanitizer,
    /// Any other.
    Other,
}

/// What kind of failure a line begins, if it begins one.
pub(super) fn begins(line: &str) -> Option<Crash> {
    if let Some(crash) = by_runtime(line) {
        return Some(crash);
    }
    let (body, plain) = (header::body(line), header::without_prefix(line));
    let is_other = native(plain)
        || shell(plain)
        || perl(plain)
        || ruby(plain)
        || tool(body)
        || tool(plain)
        || sentence(body)
        || phrase(body);
    is_other.then_some(Crash::Other)
}

/// What kind of failure a line begins that a runtime tells in lines of its own.
pub(super) fn by_runtime(line: &str) -> Option<Crash> {
    runtime(header::body(line)).or_else(|| runtime(header::without_prefix(line)))
}

fn runtime(body: &str) -> Option<Crash> {
    if body.starts_with("Traceback (most recent call last)") {
        return Some(Crash::Traceback);
    }
    if let Some(panic) = rust_panic(body) {
        return Some(panic);
    }
    if is_go_panic(body) {
        return Some(Crash::GoPanic);
    }
    if body.starts_with("node:internal/") && body.ends_with(|c: char| c.is_ascii_digit()) {
        return Some(Crash::NodePrelude);
    }
    if is_sanitizer(body) {
        return Some(Crash::Sanitizer);
    }
    (is_exception(body) || is_unhandled(body)).then_some(Crash::Exception)
}

fn rust_panic(body: &str) -> Option<Crash> {
    let rest = body.strip_prefix("thread '")?;
    let (_, at) = rest.split_once("panicked at ")?;
    // Before 1.73 the message came first, in quotes.
    let message_follows = at.ends_with(':') && !at.starts_with('\'');
    Some(Crash::RustPanic(message_follows))
}

fn is_go_panic(body: &str) -> bool {
    body.starts_with("panic: ")
        || body.starts_with("fatal error: ") && !body.contains(": ./")
        || is_served_panic(body)
        || body.contains("panic recovered:")
}

/// Go's server, which goes on after a panic. `http:` is a level elsewhere.
pub(super) fn is_served_panic(text: &str) -> bool {
    text.contains("http: panic serving ")
}

fn is_sanitizer(body: &str) -> bool {
    let report = ["Sanitizer: ", "Sanitizer:DEADLYSIGNAL"].iter().any(|part| body.contains(part));
    report
        && (body.starts_with("==")
            || body.starts_with("WARNING: ThreadSanitizer")
            || body.contains("ERROR: "))
}

/// `TypeError: x`, `java.lang.IllegalStateException`, `Uncaught Error: x`, `Error [ERR_X]: x`, `[Error: x] {`.
pub(super) fn is_exception(body: &str) -> bool {
    let body = body.strip_prefix("Uncaught ").unwrap_or(body);
    let body = body.strip_prefix("(in promise) ").unwrap_or(body);
    let body = body.strip_prefix('[').unwrap_or(body);
    let end = body.find(|c: char| !(c.is_alphanumeric() || "._$:\\".contains(c))).unwrap_or(body.len());
    let Some((word, rest)) = body.split_at_checked(end) else { return false };
    let has_colon = word.ends_with(':');
    let name = word.trim_end_matches(':');
    let last = name.rsplit(['.', ':', '\\']).next().unwrap_or_default();
    if !is_exception_name(last) || name.contains(['/']) || name.starts_with(['.', ':']) {
        return false;
    }
    let is_qualified = name.len() > last.len() && !name.contains("..");
    match rest.as_bytes() {
        // `KeyError:` alone says nothing, and neither does a class name; a name with its package does.
        [] => is_qualified && !has_colon && last.len() > "Error".len() && is_package(name),
        [b' ', b'[', ..] => rest.contains("]:"),
        // Rails: `ActionController::RoutingError (No route matches …):`.
        [b' ', b'(', ..] => is_qualified && (rest.ends_with("):") || rest.ends_with(')')),
        [b' ', ..] => has_colon && !is_nothing(rest),
        _ => false,
    }
}

/// An exception as Java prints it without its thread: with its package.
pub(super) fn is_java_exception(line: &str) -> bool {
    let name = line.split([':', ' ']).next().unwrap_or_default();
    is_package(name) && is_exception(line)
}

fn is_package(name: &str) -> bool {
    name.contains('.')
        && name.split('.').rev().skip(1).all(|part| part.starts_with(|c: char| c.is_lowercase()))
}

fn is_exception_name(name: &str) -> bool {
    let is_type = name.starts_with(|c: char| c.is_ascii_uppercase());
    is_type && ["Error", "Exception", "Fault", "Panic"].iter().any(|end| name.ends_with(end))
}

fn is_nothing(rest: &str) -> bool {
    matches!(rest.trim(), "" | "0" | "none" | "None" | "null" | "nil" | "false" | "undefined" | "-")
}

fn is_unhandled(body: &str) -> bool {
    let starts =
        |prefix: &str| body.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    starts("unhandled exception")
        || starts("unhandled rejection")
        || starts("unhandled promise rejection")
        || starts("unhandled error")
        || starts("uncaught exception")
        || starts("UnhandledPromiseRejection")
        || starts("[UnhandledPromiseRejection")
        || starts("Exception in thread ")
        || starts("Exception in callback ")
        || starts("Exception ignored in")
        || starts("Exception occurred")
        || starts("Task exception was never retrieved")
        || starts("Future exception was never retrieved")
}

/// What the C library, the C++ runtime and the shell say of a process that died.
fn native(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "Segmentation fault",
        "Bus error",
        "Aborted (core dumped)",
        "Floating point exception",
        "Illegal instruction (core dumped)",
        "Trace/breakpoint trap",
        "*** stack smashing detected",
        "*** buffer overflow detected",
        "free(): ",
        "malloc(): ",
        "double free or corruption",
        "corrupted size vs. prev_size",
        "munmap_chunk(): ",
        "malloc_consolidate(): ",
        "terminate called ",
        "terminating due to uncaught exception",
        "libc++abi: terminating",
        "Assertion failed: ",
        "fatal runtime error: ",
        "Fatal Python error: ",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
        || line.contains(": Assertion `") && line.ends_with("failed.")
        || line.contains(": runtime error: ") && is_place(line)
}

/// `file.c:12:3: …`.
fn is_place(line: &str) -> bool {
    let Some((file, rest)) = line.split_once(':') else { return false };
    !file.is_empty() && !file.contains(' ') && rest.starts_with(|c: char| c.is_ascii_digit())
}

/// What a shell says of its script. bash names the line with a word, dash with a number alone.
fn shell(line: &str) -> bool {
    const ENDS: &[&str] = &[
        "not found",
        "Permission denied",
        "parameter not set",
        "No such file",
        "No such file or directory",
        "Bad substitution",
        "bad variable name",
        "Text file busy",
    ];
    const STARTS: &[&str] =
        &["Syntax error: ", "Illegal number: ", "arithmetic expression: ", "cannot open "];
    if let Some((script, rest)) = line.split_once(": line ")
        && !script.contains(' ')
        && let Some((number, said)) = rest.split_once(": ")
        && is_number(number)
    {
        return !is_job(said) && !said.starts_with("warning: ");
    }
    if let Some(said) = line.strip_prefix("zsh:") {
        return said.split_once(':').is_some_and(|(number, _)| is_number(number));
    }
    let Some((script, rest)) = line.split_once(": ") else { return false };
    let Some((number, said)) = rest.split_once(": ") else { return false };
    let is_script = !script.contains(' ') && !script.is_empty();
    is_script
        && is_number(number)
        && (ENDS.iter().any(|end| said.ends_with(end)) || STARTS.iter().any(|start| said.starts_with(start)))
}

/// `12345 Terminated   sleep 100`: a job that somebody stopped, which is no failure of the script.
fn is_job(said: &str) -> bool {
    let mut words = said.split_ascii_whitespace();
    let is_process = words.next().is_some_and(is_number);
    is_process
        && matches!(words.next(), Some("Terminated" | "Killed" | "Hangup" | "Interrupt" | "Done" | "Quit"))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What Perl dies of. `die` and `warn` look alike; only what nobody would warn of counts.
fn perl(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "Can't locate ",
        "Can't call method ",
        "Can't use ",
        "Can't open perl script",
        "Undefined subroutine ",
        "Illegal division by zero",
        "Not a ",
        "Died at ",
        "syntax error at ",
        "Global symbol ",
        "Bareword ",
        "Modification of a read-only value",
        "Deep recursion limit exceeded",
    ];
    let is_place =
        [".pl line ", ".pm line ", ".t line ", ".psgi line "].iter().any(|part| line.contains(part));
    is_place && (STARTS.iter().any(|start| line.starts_with(start)) || line.starts_with("BEGIN failed--"))
}

/// `app.rb:3:in 'call': undefined method (NoMethodError)`.
fn ruby(line: &str) -> bool {
    let Some(at) = line.find(":in `").or_else(|| line.find(":in '")) else { return false };
    let place = line.get(..at).unwrap_or_default();
    let has_line = place.rsplit_once(':').is_some_and(|(_, number)| is_number(number));
    let has_type = line.ends_with(')')
        && line.rsplit_once('(').is_some_and(|(_, name)| name.starts_with(char::is_uppercase));
    !line.starts_with([' ', '\t']) && has_line && (has_type || line.ends_with("unhandled exception"))
}

/// What build tools, package managers and web frameworks say in their own way.
fn tool(body: &str) -> bool {
    const STARTS: &[&str] = &[
        "npm ERR! ",
        "npm error ",
        "ERR_PNPM_",
        "error Command failed",
        "error An unexpected error occurred",
        "error[E",
        "PHP Fatal error:",
        "PHP Parse error:",
        "Parse error: ",
        "Fatal error: ",
        "Fatal error:",
        "Internal Server Error: ",
        "Internal server error: ",
        "Module not found: Error",
        "** (EXIT",
        "=ERROR REPORT====",
        "=CRASH REPORT====",
        "Error: ",
        "stack traceback:",
    ];
    if STARTS.iter().any(|start| body.starts_with(start)) {
        return true;
    }
    let elixir = body.strip_prefix("** (").is_some_and(|rest| {
        let name = rest.split(')').next().unwrap_or_default();
        is_exception_name(name.rsplit('.').next().unwrap_or_default())
    });
    elixir || body == "Failed to compile." || compiler(body) || dotnet(body)
}

/// `src/x.ts(1,2): error TS2322: …`, `x.c:1:2: error: …`.
fn compiler(body: &str) -> bool {
    let code = [": error TS", " - error TS"].iter().any(|part| {
        let after = body.split_once(part).map_or("", |(_, after)| after);
        after.starts_with(|c: char| c.is_ascii_digit())
    });
    code || is_place(body) && [": error: ", ": fatal error: "].iter().any(|part| body.contains(part))
}

/// `fail: Microsoft.AspNetCore.Server.Kestrel[13]`.
fn dotnet(body: &str) -> bool {
    let Some(rest) = body.strip_prefix("fail: ") else { return false };
    rest.strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['))
        .is_some_and(|(name, number)| !name.contains(' ') && is_number(number))
}

/// `Error while reading x: …`, as programs without a logger print it. `Error handling: on` and `Error rate: 0` are none.
fn sentence(body: &str) -> bool {
    let Some(rest) = body.strip_prefix("Error ").or_else(|| body.strip_prefix("ERROR ")) else {
        return false;
    };
    let word = rest.split(' ').next().unwrap_or_default();
    let leads = matches!(word, "while" | "in" | "at" | "during" | "when" | "on" | "for" | "from")
        || word.len() > 5 && word.ends_with("ing");
    leads && rest.contains(": ") && !word.ends_with(':')
}

/// What stands at the beginning of a message and is said of nothing else, and what a supervisor says of its program.
fn phrase(body: &str) -> bool {
    let is_named = |start: &str| body.starts_with(start) && body.contains("rror");
    is_named("Unhandled ")
        || is_named("Uncaught ")
        || body.starts_with("app crashed")
        || has_failed_exit(body)
}

/// `web-1 exited with code 1`. What was stopped from outside exits with 128 and the signal.
fn has_failed_exit(body: &str) -> bool {
    let Some((_, code)) = body.rsplit_once("exited with code ") else { return false };
    is_number(code) && !matches!(code, "0" | "130" | "137" | "143")
}
