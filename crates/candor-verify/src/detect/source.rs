//! What a source file plainly does: whether it serves, loops, or is only a part of something.

use std::path::Path;

use super::draft::line_at;
use super::tree::{ending, stem};
use crate::classify::is_service_name;

/// A language, as far as comments and signs of a server differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Js,
    Go,
    Rust,
    Java,
    Ruby,
    Php,
    Perl,
    Shell,
    C,
    CSharp,
}

/// What shows that a file keeps running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Evidence {
    /// The words in the source.
    pub(super) what: &'static str,
    pub(super) line: u32,
    pub(super) is_http: bool,
}

/// What makes a sign one.
#[derive(Clone, Copy)]
enum If {
    /// By itself, and it speaks HTTP.
    Http,
    /// By itself; HTTP only if the source spells it out.
    Other,
    /// HTTP, if one of these stands in the file as well.
    HttpWith(&'static [&'static str]),
    /// Something else, if one of these stands in the file as well.
    With(&'static [&'static str]),
    /// An endless loop with one of these in it, in a file that is called like something that keeps running.
    Loop(&'static [&'static str]),
}

use If::{Http, HttpWith, Loop, Other, With};

const PYTHON: &[(&str, If)] = &[
    ("uvicorn.run(", Http),
    ("web.run_app(", Http),
    ("run_simple(", Http),
    ("socketio.run(", Http),
    ("cherrypy.quickstart(", Http),
    ("waitress.serve(", Http),
    ("hypercorn.asyncio", Http),
    ("serve(app", HttpWith(&["waitress", "hypercorn"])),
    (
        "app.run(",
        HttpWith(&["flask", "Flask", "quart", "Quart", "Sanic", "bottle", "Bottle", "dash", "Robyn"]),
    ),
    ("app.run_server(", Http),
    ("run(", HttpWith(&["from bottle import"])),
    ("serve_forever", HttpWith(&["HTTPServer", "http.server", "make_server", "WSGIServer", "HTTP/1"])),
    ("serve_forever", Other),
    (".run_polling(", Other),
    ("start_polling(", Other),
    ("infinity_polling(", Other),
    (".polling(", Other),
    (".run_webhook(", Other),
    (".run_until_disconnected(", Other),
    ("client.run(", With(&["discord"])),
    ("bot.run(", With(&["discord", "nextcord", "disnake"])),
    ("wait_for_termination(", Other),
    ("websockets.serve(", Other),
    ("asyncio.start_server(", Other),
    ("IOLoop.current().start(", HttpWith(&["tornado"])),
    ("IOLoop.instance().start(", HttpWith(&["tornado"])),
    ("BlockingScheduler(", Other),
    (".accept(", With(&[".listen("])),
    ("run_forever(", Other),
    ("while True", Loop(&["sleep(", "getUpdates", "get_updates", ".recv", "poll", "pop(", ".get("])),
    ("while 1:", Loop(&["sleep(", "getUpdates", "get_updates", ".recv", "poll", "pop(", ".get("])),
];
const JS: &[(&str, If)] = &[
    ("Deno.serve(", Http),
    ("Bun.serve(", Http),
    (
        ".listen(",
        HttpWith(&[
            "express",
            "fastify",
            "koa",
            "hapi",
            "restify",
            "polka",
            "http",
            "hono",
            "NestFactory",
            "connect",
        ]),
    ),
    (".listen(", With(&["createServer", "net"])),
    ("serve(", HttpWith(&["@hono/node-server", "std/http", "@std/http"])),
    ("WebSocketServer(", With(&["port"])),
    ("WebSocket.Server(", With(&["port"])),
    ("bot.launch(", Other),
    ("bot.start(", With(&["grammy", "telegraf"])),
    ("startPolling(", Other),
    ("new TelegramBot(", With(&["polling"])),
    ("client.login(", With(&["discord"])),
    ("setInterval(", Loop(&["setInterval("])),
    ("while (true)", Loop(&["await", "setTimeout"])),
    ("for (;;)", Loop(&["await", "setTimeout"])),
];
const GO: &[(&str, If)] = &[
    ("http.ListenAndServe", Http),
    (".ListenAndServe", Http),
    ("http.Serve(", Http),
    ("net.Listen(", Other),
    (".Run(", HttpWith(&["gin-gonic/gin"])),
    (".Start(", HttpWith(&["labstack/echo"])),
    (".Listen(", HttpWith(&["gofiber/fiber"])),
    ("GetUpdatesChan(", Other),
    ("for {", Loop(&["time.Sleep(", "select {", "ticker"])),
];
const RUST: &[(&str, If)] = &[
    ("axum::serve(", Http),
    ("HttpServer::new(", Http),
    ("warp::serve(", Http),
    ("rocket::build(", Http),
    ("#[launch]", Http),
    ("tiny_http::Server", Http),
    ("Server::http(", HttpWith(&["tiny_http"])),
    ("tonic::transport::Server", Other),
    ("TcpListener::bind(", Other),
    ("UdpSocket::bind(", With(&["loop {", "while "])),
    ("UnixListener::bind(", Other),
    ("loop {", Loop(&["sleep(", "recv(", "interval("])),
];
const JAVA: &[(&str, If)] = &[
    ("HttpServer.create(", Http),
    ("SpringApplication.run(", Http),
    ("runApplication<", Http),
    ("Javalin.create", Http),
    ("Vertx.vertx(", Http),
    ("embeddedServer(", Http),
    ("new ServerSocket(", Other),
    ("ServerSocketChannel.open(", Other),
    ("while (true)", Loop(&["Thread.sleep(", "poll(", "take("])),
];
const RUBY: &[(&str, If)] = &[
    ("WEBrick::HTTPServer", Http),
    ("require 'sinatra'", Http),
    ("require \"sinatra\"", Http),
    ("run!", HttpWith(&["sinatra", "Sinatra"])),
    ("Rack::Handler", Http),
    ("Rackup::Handler", Http),
    ("Puma::Server", Http),
    ("TCPServer.", Other),
    ("Telegram::Bot::Client.run", Other),
    ("loop do", Loop(&["sleep"])),
    ("while true", Loop(&["sleep"])),
];
const PHP: &[(&str, If)] = &[
    ("stream_socket_server(", Other),
    ("socket_listen(", Other),
    ("Swoole\\Http\\Server(", Http),
    ("while (true)", Loop(&["sleep(", "getUpdates", "curl_exec"])),
    ("while(true)", Loop(&["sleep(", "getUpdates", "curl_exec"])),
];
const PERL: &[(&str, If)] = &[
    ("HTTP::Daemon", Http),
    ("HTTP::Server::Simple", Http),
    ("Mojolicious::Lite", Http),
    ("use Dancer", Http),
    ("IO::Socket::INET", With(&["Listen"])),
    ("IO::Socket::IP", With(&["Listen"])),
    ("listen(", With(&["accept("])),
    ("while (1)", Loop(&["sleep"])),
];
const SHELL: &[(&str, If)] = &[
    ("while true", Loop(&["while true"])),
    ("while :", Loop(&["while :"])),
    ("while [ 1 ]", Loop(&["while [ 1 ]"])),
    ("while sleep", Loop(&["while sleep"])),
    ("until false", Loop(&["until false"])),
    ("for ((;;))", Loop(&["for ((;;))"])),
    ("nc -l", Loop(&["nc -l"])),
];
const C: &[(&str, If)] = &[("accept(", With(&["listen("])), ("accept4(", With(&["listen("]))];
const CSHARP: &[(&str, If)] = &[
    ("WebApplication.", Http),
    ("HttpListener(", Http),
    ("TcpListener(", Other),
    ("Host.CreateApplicationBuilder(", Other),
    ("while (true)", Loop(&["Sleep(", "Delay("])),
];

impl Language {
    /// The language that a file is written in, by its name or its first line.
    pub(super) fn of(file: &Path) -> Option<Self> {
        Some(match ending(file) {
            "py" => Self::Python,
            "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "tsx" | "jsx" => Self::Js,
            "go" => Self::Go,
            "rs" => Self::Rust,
            "java" | "kt" => Self::Java,
            "rb" | "ru" => Self::Ruby,
            "php" => Self::Php,
            "pl" | "psgi" => Self::Perl,
            "sh" | "bash" => Self::Shell,
            "c" | "cc" | "cpp" | "cxx" => Self::C,
            "cs" => Self::CSharp,
            _ => return None,
        })
    }

    const fn signs(self) -> &'static [(&'static str, If)] {
        match self {
            Self::Python => PYTHON,
            Self::Js => JS,
            Self::Go => GO,
            Self::Rust => RUST,
            Self::Java => JAVA,
            Self::Ruby => RUBY,
            Self::Php => PHP,
            Self::Perl => PERL,
            Self::Shell => SHELL,
            Self::C => C,
            Self::CSharp => CSHARP,
        }
    }
}

/// What shows that this file keeps running, if something does. `code` is what [`code_only`] left of it.
pub(super) fn evidence(language: Language, file: &Path, code: &str) -> Option<Evidence> {
    language.signs().iter().find_map(|(sign, condition)| {
        let at = find_sign(code, sign)?;
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        let is_http = match condition {
            Http => true,
            HttpWith(words) => has(words).then_some(true)?,
            Other => code.contains("HTTP/1"),
            With(words) => has(words).then(|| code.contains("HTTP/1"))?,
            Loop(words) => (has(words) && may_loop(file)).then(|| code.contains("HTTP/1"))?,
        };
        Some(Evidence {
            what: sign.trim_end_matches(['(', '<', ':', '{']).trim(),
            line: line_at(code, at),
            is_http,
        })
    })
}

/// Where a sign stands, not as the end of another name: `run(` is not in `rerun(`.
fn find_sign(code: &str, sign: &str) -> Option<usize> {
    let begins_a_name = sign.starts_with(|first: char| first.is_alphanumeric());
    code.match_indices(sign).map(|(at, _)| at).find(|at| {
        let before = code.get(..*at).and_then(|before| before.chars().next_back());
        !begins_a_name || !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

/// Whether a file with this name may be meant to loop for ever.
fn may_loop(file: &Path) -> bool {
    is_service_name(stem(file))
        || matches!(stem(file), "main" | "app" | "run" | "start" | "watcher" | "monitor" | "loop")
}

/// A source without its comments, and in Python without texts over several lines. Every line stays where it was.
pub(super) fn code_only(language: Language, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut quote: Option<char> = None;
    let has_hash = matches!(
        language,
        Language::Python | Language::Ruby | Language::Perl | Language::Shell | Language::Php
    );
    let has_slashes =
        !matches!(language, Language::Python | Language::Ruby | Language::Perl | Language::Shell);
    while let Some(letter) = rest.chars().next() {
        let comment =
            if quote.is_some() { 0 } else { comment_length(language, rest, &out, has_hash, has_slashes) };
        if comment > 0 {
            let (skipped, after) = rest.split_at_checked(comment).unwrap_or((rest, ""));
            out.extend(skipped.chars().filter(|skipped| *skipped == '\n'));
            rest = after;
            continue;
        }
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            // Few texts go over lines; an apostrophe that was none must not swallow the rest.
            (Some('\'' | '"'), '\n') => quote = None,
            (Some(_), '\\') => {
                out.push(letter);
                rest = rest.get(1..).unwrap_or_default();
                if let Some(escaped) = rest.chars().next() {
                    out.push(escaped);
                    rest = rest.get(escaped.len_utf8()..).unwrap_or_default();
                }
                continue;
            }
            (None, '"' | '`') => quote = Some(letter),
            // In Rust an apostrophe begins a lifetime as well.
            (None, '\'') if language != Language::Rust => quote = Some(letter),
            _ => {}
        }
        out.push(letter);
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    }
    out
}

/// How long the comment is that begins here; 0 if none does.
fn comment_length(language: Language, rest: &str, before: &str, has_hash: bool, has_slashes: bool) -> usize {
    let to_line_end = || rest.find('\n').unwrap_or(rest.len());
    let up_to = |open: usize, close: &str| {
        rest.get(open..).and_then(|inner| inner.find(close)).map_or(rest.len(), |at| at + open + close.len())
    };
    if has_hash
        && rest.starts_with('#')
        && !before.ends_with(|last: char| !last.is_whitespace() && last != ';')
    {
        return to_line_end();
    }
    if has_slashes && rest.starts_with("//") && !before.ends_with(':') {
        return to_line_end();
    }
    if has_slashes && rest.starts_with("/*") {
        return up_to(2, "*/");
    }
    if language == Language::Python {
        for mark in ["\"\"\"", "'''"] {
            // A text that is given to something is no comment: SQL, a page.
            let is_statement =
                before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim().is_empty();
            if rest.starts_with(mark) && is_statement {
                return up_to(3, mark);
            }
        }
    }
    0
}

/// A Rust source without the modules that only tests see. They stand at the end, by custom.
pub(super) fn without_rust_tests(code: &str) -> &str {
    code.find("#[cfg(test)]").and_then(|at| code.get(..at)).unwrap_or(code)
}
