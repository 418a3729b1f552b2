//! GET routes that stand plainly in a source. Strict on purpose: a route that is asked for and does not exist is a false alarm.

use std::sync::LazyLock;

use regex::Regex;

use super::signs::pattern;
use super::source::Language;

static DECORATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"@(\w+)\.(route|get)\(\s*["'](/[^"'<>{}]*)["']([^\n]*)\n((?:[^\n]*\n){0,4}?)\s*(?:async\s+)?def\s+\w+\(([^)]*)\)"#,
    )
});
static PY_COMPARED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\bpath\s*[!=]=\s*["'](/[^"'?]*)["']"#));
static PY_ADDED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?:\.add_get|web\.get)\(\s*["'](/[^"'{}]*)["']"#));
static JS_CALLED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\b(\w+)\.get\(\s*['"`](/[^'"`:*?(){}$]*)['"`]\s*,"#));
static JS_COMPARED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"\b(?:req\.url|request\.url|url|pathname|path)\s*[!=]={1,2}\s*['"`](/[^'"`?]*)['"`]"#)
});
static JS_NEST: LazyLock<Regex> = LazyLock::new(|| pattern(r#"@Get\(\s*(?:['"`]([^'"`:*]*)['"`])?\s*\)"#));
static JS_CONTROLLER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"@Controller\(\s*(?:['"`]([^'"`:]*)['"`])?\s*\)"#));
static GO_HANDLED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\bHandle(?:Func)?\(\s*"(?:GET )?(/[^"{} ]*)""#));
static GO_CALLED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\b(\w+)\.(?:GET|Get)\(\s*"(/[^":*{}]*)"\s*,"#));
static RUST_ROUTED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\.route\(\s*"(/[^"{}:*<]*)"\s*,\s*(?:\w+::)*get\("#));
static RUST_MARKED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"#\[get\("(/[^"{}<]*)""#));
static JAVA_MAPPED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"@GetMapping\(\s*(?:(?:value|path)\s*=\s*)?"(/?[^"{}]*)"\s*\)"#));
static JAVA_PREFIX: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"@RequestMapping\(\s*(?:(?:value|path)\s*=\s*)?"(/?[^"{}]*)"\s*\)"#));
static JAVA_CONTEXT: LazyLock<Regex> = LazyLock::new(|| pattern(r#"createContext\(\s*"(/[^"]*)""#));
static RUBY_CALLED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?m)^\s*get\s+\(?['"](/[^'":*]*)['"]"#));
static RUBY_MOUNTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\.mount_proc\(?\s*['"](/[^'"]*)['"]"#));
static PHP_CALLED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?:Route::|\$(?:app|router)->)get\(\s*['"](/[^'"{}:]*)['"]"#));
static PERL_CALLED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?m)^\s*get\s+['"](/[^'":*]*)['"]\s*=>"#));
static PERL_COMPARED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\b(?:path|uri|url)\b[^\n;]{0,12}\b(?:eq|ne)\s*['"](/[^'"]*)['"]"#));
static PY_AMONG: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\bpath\s+(?:not\s+)?in\s*[(\[{]((?:\s*["']/[^"'?]*["']\s*,?)+)[)\]}]"#));
static QUOTED_PATH: LazyLock<Regex> = LazyLock::new(|| pattern(r#"["'](/[^"'?]*)["']"#));
/// A path that is compared with a fixed one, in languages whose servers are written by hand.
static COMPARED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\b(?:path|url|uri|target|AbsolutePath)\b\)?\s*[!=]=\s*["'](/[^"'?]*)["']"#));
static C_COMPARED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"strn?cmp\(\s*\w*(?:path|url|uri|target)\w*\s*,\s*"(/[^"?]*)""#));
static RUST_MATCHED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?m)^\s*(?:\(\s*"GET"\s*,\s*)?"(/[\w/.-]*)"\)?\s*=>"#));
static CSHARP_MAPPED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\.MapGet\(\s*"(/[^"{}]*)""#));

/// Words in a path that suggest that asking for it changes something, or that it is not for everybody.
const CHANGING: &[&str] = &[
    "add",
    "admin",
    "cancel",
    "clear",
    "create",
    "delete",
    "destroy",
    "drop",
    "exit",
    "flush",
    "kill",
    "logout",
    "pay",
    "purge",
    "quit",
    "reboot",
    "remove",
    "reset",
    "restart",
    "send",
    "shutdown",
    "signout",
    "stop",
    "truncate",
    "unsubscribe",
    "update",
    "wipe",
];

/// Whether asking for a path is safe, as far as its words tell.
pub(super) fn is_safe(path: &str) -> bool {
    let is_plain = path.starts_with('/') && !path.starts_with("//") && path.len() <= 200;
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    is_plain
        && path.bytes().all(|byte| byte.is_ascii_graphic())
        && !path.contains(['{', '}', '<', '>', ':', '*', '$', '\\'])
        && !parts.any(|part| CHANGING.contains(&part))
}

/// Whether routes of parts are put below other paths somewhere, so that what stands at a part is not the whole path.
pub(super) fn is_mounting(code: &str) -> bool {
    static MOUNTED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"url_prefix|prefix\s*[=:]|\.use\(\s*['"`]/\w|\.mount\(|\.nest\(|[gG]roup\(|\.route\(\s*['"`]/[^'"`]*['"`]\s*,\s*\w+\s*\)|web::scope\(|setGlobalPrefix|StripPrefix|Subrouter\("#,
        )
    });
    MOUNTED.is_match(code)
}

/// The safe GET routes of one source, in its order. `mounts` says whether the project puts parts below other paths.
pub(super) fn routes(language: Language, code: &str, mounts: bool) -> Vec<String> {
    let mut found = match language {
        Language::Python => python(code, mounts),
        Language::Js => js(code, mounts),
        Language::Go => go(code, mounts),
        Language::Rust => rust(code, mounts),
        Language::Java => java(code),
        Language::Ruby if !mounts => {
            all(&RUBY_CALLED, code).chain(all(&RUBY_MOUNTED, code)).chain(compared(&COMPARED, code)).collect()
        }
        Language::Php if !mounts => all(&PHP_CALLED, code).collect(),
        Language::Perl => all(&PERL_CALLED, code).chain(compared(&PERL_COMPARED, code)).collect(),
        Language::C => compared(&COMPARED, code).chain(compared(&C_COMPARED, code)).collect(),
        Language::CSharp => all(&CSHARP_MAPPED, code).chain(compared(&COMPARED, code)).collect(),
        _ => Vec::new(),
    };
    found.retain(|path| is_safe(path));
    found
}

fn all<'a>(pattern: &'a Regex, code: &'a str) -> impl Iterator<Item = String> + 'a {
    pattern.captures_iter(code).filter_map(|captured| captured.get(1)).map(|path| path.as_str().to_owned())
}

/// Paths that a request is compared with, unless another method is asked for there.
fn compared<'a>(pattern: &'a Regex, code: &'a str) -> impl Iterator<Item = String> + 'a {
    pattern.captures_iter(code).filter_map(|captured| {
        let (whole, path) = (captured.get(0)?, captured.get(1)?);
        (!is_for_another_method(code, whole.start())).then(|| path.as_str().to_owned())
    })
}

fn rust(code: &str, mounts: bool) -> Vec<String> {
    let is_server = code.contains("path") || code.contains("HTTP/1");
    let by_hand = compared(&COMPARED, code).chain(compared(&RUST_MATCHED, code).filter(|_| is_server));
    if mounts {
        return by_hand.collect();
    }
    all(&RUST_ROUTED, code).chain(all(&RUST_MARKED, code)).chain(by_hand).collect()
}

/// Whether an object is the application itself, and not a part that may hang anywhere.
fn is_whole(object: &str, mounts: bool) -> bool {
    matches!(object, "app" | "server" | "application" | "fastify")
        || (!mounts && matches!(object, "api" | "router" | "r" | "e" | "mux" | "bp" | "routes" | "g"))
}

fn python(code: &str, mounts: bool) -> Vec<String> {
    let mut found = Vec::new();
    for captured in DECORATED.captures_iter(code) {
        let part = |number| captured.get(number).map_or("", |part| part.as_str());
        let is_get = part(2) == "get" || !part(4).contains("methods") || part(4).contains("GET");
        if is_whole(part(1), mounts) && is_get && needs_nothing(part(6)) {
            found.push(part(3).to_owned());
        }
    }
    for captured in PY_COMPARED.captures_iter(code).chain(PY_AMONG.captures_iter(code)) {
        let (Some(whole), Some(part)) = (captured.get(0), captured.get(1)) else { continue };
        let before = code.get(..whole.start()).unwrap_or_default();
        let method = before.rfind("def do_").and_then(|at| before.get(at..));
        if method.is_some_and(|method| !method.starts_with("def do_GET")) {
            continue;
        }
        if part.as_str().starts_with('/') {
            found.push(part.as_str().to_owned());
        } else {
            found.extend(all(&QUOTED_PATH, part.as_str()));
        }
    }
    found.extend(all(&PY_ADDED, code));
    found
}

/// Whether a function can be called without anything from the request.
fn needs_nothing(parameters: &str) -> bool {
    parameters.split(',').map(str::trim).filter(|one| !one.is_empty()).all(|one| {
        let name = one.split(':').next().unwrap_or_default().trim();
        one.contains('=')
            || one.contains("Request")
            || matches!(name, "request" | "req" | "self" | "response" | "*")
    })
}

fn js(code: &str, mounts: bool) -> Vec<String> {
    let mut found: Vec<String> = JS_CALLED
        .captures_iter(code)
        .filter(|captured| captured.get(1).is_some_and(|object| is_whole(object.as_str(), mounts)))
        .filter_map(|captured| captured.get(2))
        .map(|path| path.as_str().to_owned())
        .collect();
    found.extend(compared(&JS_COMPARED, code));
    let mut controllers = JS_CONTROLLER.captures_iter(code);
    if let (Some(controller), None) = (controllers.next(), controllers.next())
        && !mounts
    {
        let base = controller.get(1).map_or("", |base| base.as_str());
        found.extend(
            JS_NEST
                .captures_iter(code)
                .map(|route| joined(base, route.get(1).map_or("", |path| path.as_str()))),
        );
    }
    found
}

/// Whether the line of a comparison, or the one before it, asks for a method that is not GET.
fn is_for_another_method(code: &str, at: usize) -> bool {
    let before = code.get(..at).unwrap_or_default();
    let start = before.rmatch_indices('\n').nth(1).map_or(0, |(at, _)| at);
    let end = code.get(at..).and_then(|rest| rest.find('\n')).map_or(code.len(), |length| at + length);
    let lines = code.get(start..end).unwrap_or_default();
    ["POST", "PUT", "DELETE", "PATCH"].iter().any(|word| lines.contains(word))
}

fn joined(base: &str, path: &str) -> String {
    let parts: Vec<&str> = base.split('/').chain(path.split('/')).filter(|part| !part.is_empty()).collect();
    format!("/{}", parts.join("/"))
}

fn go(code: &str, mounts: bool) -> Vec<String> {
    let mut found = Vec::new();
    for captured in GO_HANDLED.captures_iter(code) {
        let (Some(whole), Some(path)) = (captured.get(0), captured.get(1)) else { continue };
        let line = code.get(whole.end()..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        // `.Methods("POST")` belongs to the routers that have no other way to say so.
        if !mounts && (!line.contains(".Methods(") || line.contains("GET")) {
            found.push(path.as_str().to_owned());
        }
    }
    for captured in GO_CALLED.captures_iter(code) {
        let part = |number| captured.get(number).map_or("", |part| part.as_str());
        if is_whole(part(1), mounts) {
            found.push(part(2).to_owned());
        }
    }
    found
}

fn java(code: &str) -> Vec<String> {
    let prefix = all(&JAVA_PREFIX, code).next().unwrap_or_default();
    let mapped = all(&JAVA_MAPPED, code).map(|path| joined(&prefix, &path));
    mapped.chain(all(&JAVA_CONTEXT, code)).collect()
}
