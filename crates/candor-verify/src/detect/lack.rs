//! What a command that failed lacked, read from what it said.
//!
//! A command that fails because the machine has no `go`, because nobody installed the dependencies, or because there is no
//! network says nothing about the work. One that fails because the work imports something that nobody ever named does.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::deps::{self, Read};
use super::manifest::{self, Format};
use super::signs::pattern;
use super::tools;
use crate::plain::open_plain;

/// What was missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// A program that is not on this machine.
    Program(String),
    /// A module or package.
    Module {
        /// What it is called in the source.
        name: String,
        /// Whether a manifest names it: it is only not installed. One that no manifest has is the program's own fault.
        is_declared: bool,
    },
    /// Something beyond this machine, as far as it is named.
    Network(String),
}

/// How much of a manifest is read.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// How much of an output is looked at: its end tells why it ended.
const OUTPUT_BYTES_MAX: usize = 256 * 1024;

/// What a command that failed lacked, if that is why it failed, read from its output.
pub fn lack(output: &str, root: &Path, cwd: &Path) -> Option<Lack> {
    let output = end_of(output);
    let found = lack_in(output, cwd)?;
    if let Lack::Module { is_declared: false, .. } = found {
        // What the folder does not name, the workspace may.
        return lack_in(output, root);
    }
    Some(found)
}

fn lack_in(output: &str, folder: &Path) -> Option<Lack> {
    let read = |name: &str| read_file(&folder.join(name));
    program(output, folder)
        .or_else(|| python(output, &read))
        .or_else(|| node(output, &read))
        .or_else(|| go(output, &read))
        .or_else(|| ruby(output, &read))
        .or_else(|| php(output, &read))
        .or_else(|| perl(output, &read))
        .or_else(|| installers(output))
        .or_else(|| network(output))
}

fn end_of(output: &str) -> &str {
    let mut from = output.len().saturating_sub(OUTPUT_BYTES_MAX);
    while !output.is_char_boundary(from) {
        from += 1;
    }
    output.get(from..).unwrap_or(output)
}

fn read_file(path: &Path) -> Option<String> {
    let mut text = String::new();
    open_plain(path, FILE_BYTES_MAX).ok()?.take(FILE_BYTES_MAX).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The first group of the first match.
fn first<'o>(pattern: &Regex, output: &'o str) -> Option<&'o str> {
    pattern.captures(output)?.iter().skip(1).flatten().next().map(|found| found.as_str())
}

fn program(output: &str, folder: &Path) -> Option<Lack> {
    // Shells, env, make, xargs, npm: each has its own words, and a script of the project that is not there is no program.
    static MISSING: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?m)(?:^|: )([\w.+-]+): command not found\s*$|(?:sh|\d): ([\w.+-]+): not found\s*$|command not found: ([\w.+-]+)|env: [‘'`]?([\w.+-]+)[’']?: No such file or directory|make: ([\w.+-]+): No such file or directory|exec: \x22?([\w.+-]+)\x22?: (?:executable file )?not found|spawn ([\w.+-]+) ENOENT|failed to execute command: ([\w.+-]+)|xargs: ([\w.+-]+): No such file|error: no such command: `([\w-]+)`|sh: \d+: exec: ([\w.+-]+): not found|linker `([\w.+-]+)` not found|rustup could not choose a version of ([\w-]+) to run",
        )
    });
    // Rust toolchains without a component say so in a way of their own.
    static COMPONENT: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"'([\w-]+)(?:\.exe)?' is not installed for the toolchain"));
    let name = first(&MISSING, output).or_else(|| first(&COMPONENT, output))?;
    (!tools::is_mistake(name, folder)).then(|| Lack::Program(name.to_owned()))
}

/// Modules that run as programs: without them nothing was checked.
const PYTHON_TOOLS: &[&str] = &[
    "black",
    "build",
    "coverage",
    "flake8",
    "flask",
    "gunicorn",
    "hypercorn",
    "mypy",
    "nox",
    "pip",
    "pylint",
    "pyright",
    "pytest",
    "ruff",
    "streamlit",
    "tox",
    "uvicorn",
    "venv",
    "waitress",
];

/// Names in sources that are not those of their packages.
const PYTHON_NAMES: &[(&str, &[&str])] = &[
    ("attr", &["attrs"]),
    ("bs4", &["beautifulsoup4"]),
    ("Crypto", &["pycryptodome", "pycrypto"]),
    ("cv2", &["opencv-python", "opencv-python-headless", "opencv-contrib-python"]),
    ("dateutil", &["python-dateutil"]),
    ("discord", &["discord-py", "py-cord", "nextcord"]),
    ("docx", &["python-docx"]),
    ("dotenv", &["python-dotenv"]),
    ("fitz", &["pymupdf"]),
    ("flask_cors", &["flask-cors"]),
    ("git", &["gitpython"]),
    (
        "google",
        &["google-cloud", "google-api-python-client", "protobuf", "google-generativeai", "google-genai"],
    ),
    ("grpc", &["grpcio"]),
    ("jose", &["python-jose"]),
    ("jwt", &["pyjwt"]),
    ("kafka", &["kafka-python"]),
    ("ldap", &["python-ldap"]),
    ("magic", &["python-magic"]),
    ("MySQLdb", &["mysqlclient"]),
    ("mysql", &["mysql-connector-python"]),
    ("multipart", &["python-multipart"]),
    ("nacl", &["pynacl"]),
    ("OpenSSL", &["pyopenssl"]),
    ("PIL", &["pillow"]),
    ("pkg_resources", &["setuptools"]),
    ("pptx", &["python-pptx"]),
    ("psycopg2", &["psycopg2-binary", "psycopg2"]),
    ("rest_framework", &["djangorestframework"]),
    ("serial", &["pyserial"]),
    ("sklearn", &["scikit-learn"]),
    ("skimage", &["scikit-image"]),
    ("slugify", &["python-slugify"]),
    ("socketio", &["python-socketio"]),
    ("telebot", &["pytelegrambotapi"]),
    ("telegram", &["python-telegram-bot"]),
    ("usb", &["pyusb"]),
    ("websocket", &["websocket-client"]),
    ("wx", &["wxpython"]),
    ("yaml", &["pyyaml"]),
    ("zmq", &["pyzmq"]),
];

fn python(output: &str, read: Read<'_>) -> Option<Lack> {
    static AS_PROGRAM: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?m)^\S*python[\d.]*: No module named '?([\w.]+)"));
    static IMPORTED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)"));
    if let Some(name) = first(&AS_PROGRAM, output) {
        let top = name.split('.').next().unwrap_or(name);
        if PYTHON_TOOLS.contains(&top) {
            return Some(Lack::Program(top.to_owned()));
        }
        return Some(Lack::Module { name: name.to_owned(), is_declared: is_declared_python(top, read) });
    }
    let name = first(&IMPORTED, output)?;
    let top = name.split('.').next().unwrap_or(name);
    Some(Lack::Module { name: name.to_owned(), is_declared: is_declared_python(top, read) })
}

fn is_declared_python(top: &str, read: Read<'_>) -> bool {
    let declared = deps::python(read);
    let other =
        PYTHON_NAMES.iter().find(|(name, _)| *name == top).map(|(_, packages)| *packages).unwrap_or_default();
    declared.contains(&deps::normal(top))
        || other.iter().any(|package| {
            declared.iter().any(|name| name == package || name.starts_with(&format!("{package}-")))
        })
}

fn node(output: &str, read: Read<'_>) -> Option<Lack> {
    static MISSING: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"Cannot find (?:module|package) ['"]([^'"]+)['"]|(?:Can't|Could not) resolve ['"]([^'"]+)['"]|Failed to resolve import ['"]([^'"]+)['"]|TS2307: Cannot find module ['"]([^'"]+)['"]"#,
        )
    });
    let name = first(&MISSING, output)?;
    // A file of the project's own that is not there is its own fault.
    if name.starts_with(['.', '/']) || name.starts_with("file:") {
        return Some(Lack::Module { name: name.to_owned(), is_declared: false });
    }
    let parts: Vec<&str> = name.split('/').collect();
    let package = match parts.as_slice() {
        [scope, package, ..] if scope.starts_with('@') => format!("{scope}/{package}"),
        [package, ..] => (*package).to_owned(),
        [] => name.to_owned(),
    };
    let declared: BTreeSet<String> = read("package.json")
        .and_then(|text| manifest::parse(&text, Format::Json).ok())
        .map(|value| deps::node(&value))
        .unwrap_or_default();
    Some(Lack::Module { name: package.clone(), is_declared: declared.contains(&package) })
}

fn go(output: &str, read: Read<'_>) -> Option<Lack> {
    static MISSING: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"no required module provides package ([\w./~-]+)|cannot find module providing package ([\w./~-]+)|(?m)^go: ([\w./~-]+)@\S+: (?:module lookup disabled|Get |dial )|missing go\.sum entry for module providing package ([\w./~-]+)",
        )
    });
    let name = first(&MISSING, output)?.trim_end_matches([';', ':']);
    let manifest = read("go.mod").unwrap_or_default();
    let is_declared = manifest
        .split_whitespace()
        .filter(|word| word.contains('.') && word.contains('/'))
        .any(|module| name == module || name.starts_with(&format!("{module}/")));
    Some(Lack::Module { name: name.to_owned(), is_declared })
}

fn ruby(output: &str, read: Read<'_>) -> Option<Lack> {
    static MISSING: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"cannot load such file -- ([\w./-]+)|Could not find gem '([\w-]+)|Could not find ([\w-]+?)-\d[\w.]* in (?:any|locally)|Could not find ([\w-]+) \([^)]*\) in",
        )
    });
    let name = first(&MISSING, output)?;
    if name.starts_with(['.', '/']) {
        return Some(Lack::Module { name: name.to_owned(), is_declared: false });
    }
    let gems = read("Gemfile").unwrap_or_default();
    // bundler only speaks of what the Gemfile or its lock names.
    let is_bundler = output.contains("Could not find");
    let tries = [name.to_owned(), name.replace('/', "-"), name.split('/').next().unwrap_or(name).to_owned()];
    let is_named =
        tries.iter().any(|name| gems.contains(&format!("'{name}'")) || gems.contains(&format!("\"{name}\"")));
    Some(Lack::Module { name: name.to_owned(), is_declared: is_bundler || is_named })
}

fn php(output: &str, read: Read<'_>) -> Option<Lack> {
    static AUTOLOAD: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"Failed (?:to open|opening) (?:stream|required)[^\n]*|vendor/autoload\.php")
    });
    static CLASS: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"(?:Class|Interface|Trait) ["']([\w\\]+)["'] not found"#));
    if AUTOLOAD.is_match(output) && output.contains("vendor/autoload.php") {
        let is_declared = super::stacks::php_packages(read).iter().any(|name| name.contains('/'));
        return Some(Lack::Module { name: "vendor/autoload.php".to_owned(), is_declared });
    }
    let class = first(&CLASS, output)?;
    let vendor = class.split('\\').next().unwrap_or(class).to_ascii_lowercase();
    // `Monolog\Logger` is from `monolog/monolog`. A class of the project's own has no package.
    let is_declared = class.contains('\\')
        && super::stacks::php_packages(read).iter().any(|name| name.split('/').any(|part| part == vendor));
    Some(Lack::Module { name: class.to_owned(), is_declared })
}

fn perl(output: &str, read: Read<'_>) -> Option<Lack> {
    static MISSING: LazyLock<Regex> = LazyLock::new(|| pattern(r"Can't locate (\S+)\.pm in @INC"));
    let name = first(&MISSING, output)?.replace('/', "::");
    let is_declared = ["cpanfile", "Makefile.PL", "Build.PL"]
        .into_iter()
        .filter_map(read)
        .any(|text| text.contains(&format!("'{name}'")) || text.contains(&format!("\"{name}\"")));
    Some(Lack::Module { name, is_declared })
}

/// Package installers that say themselves what they could not get. What they look for is declared, or they would not.
fn installers(output: &str) -> Option<Lack> {
    static CARGO: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"no matching package named `([\w-]+)` found|failed to download `([\w-]+)|failed to get `([\w-]+)` as a dependency|attempting to make an HTTP request, but --offline was specified[\s\S]*?`([\w-]+)|unable to update registry `([\w./:-]+)`",
        )
    });
    static JAVA: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"Cannot access \S+ \([^)]*\) in offline mode and the artifact ([\w.:-]+)|Could not (?:find|resolve) (?:artifact )?([\w.-]+:[\w.-]+:[\w.:-]+)|No cached version of ([\w.:-]+) available for offline mode|The following artifacts could not be resolved: ([\w.:-]+)|Plugin ([\w.:-]+) or one of its dependencies could not be resolved|Could not create (local repository) at",
        )
    });
    static DOTNET: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"error NU1(?:101|301|100): Unable to (?:find package|load the service index|resolve) '?([\w./:-]+)",
        )
    });
    static MIX: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?m)^\* ([\w-]+) \(Hex package\)|the dependency is not available, run \x22mix deps\.get\x22()",
        )
    });
    let says_offline = output.contains("offline");
    let cargo = first(&CARGO, output)
        .filter(|_| says_offline || output.contains("network") || output.contains("download"));
    let name = cargo
        .or_else(|| first(&JAVA, output))
        .or_else(|| first(&DOTNET, output))
        .or_else(|| first(&MIX, output))?;
    Some(Lack::Module { name: name.to_owned(), is_declared: true })
}

fn network(output: &str) -> Option<Lack> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)|Could not resolve host:? '?([\w.-]+)|lookup ([\w.-]+)(?: on \S+)?: (?:no such host|server misbehaving|Temporary failure)|UnknownHostException: ([\w.-]+)|Failed to resolve '([\w.-]+)'|(?:php_network_getaddresses|getaddrinfo)[^\n]*?(?:for |: )?(?:failed|Name or service not known)()|Temporary failure in name resolution()|\[Errno -[235]\]()|nodename nor servname provided()|dns error()",
        )
    });
    static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?:connect E(?:CONNREFUSED|NETUNREACH|HOSTUNREACH|TIMEDOUT) |dial tcp )\[?([\d.a-fA-F:]+?)\]?:\d+|[Nn]etwork is unreachable()|ENETUNREACH()|No route to host()|Failed to connect to ([\w.-]+)|Connection refused: ([\w.-]+)|connect to host ([\w.-]+) ",
        )
    });
    if let Some(host) = first(&NAME, output) {
        return (!is_local(host)).then(|| Lack::Network(or_unknown(host)));
    }
    let host = ADDRESS
        .captures_iter(output)
        .filter_map(|found| found.iter().skip(1).flatten().next())
        .map(|host| host.as_str())
        .find(|host| !is_local(host))?;
    Some(Lack::Network(or_unknown(host)))
}

fn or_unknown(host: &str) -> String {
    if host.is_empty() { "the network".to_owned() } else { host.to_owned() }
}

/// Whether a host is this machine: what does not answer there is a part of the work.
fn is_local(host: &str) -> bool {
    host == "localhost"
        || host.starts_with("127.")
        || host == "::1"
        || host == "0.0.0.0"
        || host == "::"
        || host.ends_with(".localhost")
}
