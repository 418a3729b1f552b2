//! Why a command could not run, told apart from why it failed.

use candor_verify::detect::lack::{Lack, lack};

use crate::tree::tree;

const MANIFESTS: &[(&str, &str)] = &[
    (
        "requirements.txt",
        "PyYAML>=6\nPillow\nopencv-python-headless==4\npython-telegram-bot[ext]\npython_dotenv\nflask  # web\n-r other.txt\n",
    ),
    (
        "package.json",
        r#"{"dependencies": {"express": "4", "@scope/thing": "1"}, "devDependencies": {"vitest": "1"}}"#,
    ),
    ("go.mod", "module example.com/me\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.0\n)\n"),
    ("Gemfile", "gem 'sinatra'\ngem \"net-http-persistent\"\n"),
    ("composer.json", r#"{"require": {"monolog/monolog": "3"}}"#),
    ("cpanfile", "requires 'Mojolicious::Lite';\n"),
];

#[track_caller]
fn check(output: &str, expected: impl Into<Option<Lack>>) {
    let folder = tree(MANIFESTS);
    assert_eq!(lack(output, folder.path(), folder.path()), expected.into(), "{output}");
}

fn module(name: &str, is_declared: bool) -> Lack {
    Lack::Module { name: name.to_owned(), is_declared }
}

fn program(name: &str) -> Lack {
    Lack::Program(name.to_owned())
}

fn network(host: &str) -> Lack {
    Lack::Network(host.to_owned())
}

#[test]
fn programs_that_are_not_there() {
    check("sh: 1: cargo: not found\n", program("cargo"));
    check("bash: line 1: go: command not found\n", program("go"));
    check("/bin/sh: line 3: mvn: command not found\n", program("mvn"));
    check("zsh: command not found: deno\n", program("deno"));
    check("/usr/bin/env: 'ruby': No such file or directory\n", program("ruby"));
    check("make: gcc: No such file or directory\nmake: *** [Makefile:2: a] Error 127\n", program("gcc"));
    check("npm ERR! spawn git ENOENT\n", program("git"));
    check("error: no such command: `clippy`\n", program("clippy"));
    check("error: 'cargo-fmt' is not installed for the toolchain 'stable'\n", program("cargo-fmt"));
    check("/usr/bin/python3: No module named pytest\n", program("pytest"));
    check("/home/me/.venv/bin/python: No module named uvicorn\n", program("uvicorn"));
}

#[test]
fn what_somebody_mistyped_is_no_program_that_is_not_there() {
    for output in [
        "sh: 1: jset: not found\n",
        "sh: 1: pytset: not found\n",
        "sh: 1: eslintt: not found\n",
        "bash: line 1: srever.js: command not found\n",
        "sh: 1: server.py: not found\n",
        "sh: 1: Gemfile: not found\n",
        "npm ERR! Missing script: \"biuld\"\n",
        "Error: Cannot find module '/x/srever.js'\n    at Module._resolveFilename\n",
        "python3: can't open file '/x/srever.py': [Errno 2] No such file or directory\n",
        "make: *** No rule to make target 'tset'.  Stop.\n",
    ] {
        let folder = tree(MANIFESTS);
        let found = lack(output, folder.path(), folder.path());
        assert!(
            !matches!(found, Some(Lack::Program(_) | Lack::Module { is_declared: true, .. })),
            "{output}: {found:?}"
        );
    }
    for name in ["jest", "vitest", "qmake", "rake", "some-tool-of-ours", "pip3", "tsx"] {
        check(&format!("sh: 1: {name}: not found\n"), program(name));
    }
}

#[test]
fn python_modules_by_the_names_of_their_packages() {
    for name in ["yaml", "PIL", "cv2", "telegram", "telegram.ext", "dotenv", "flask"] {
        check(
            &format!(
                "Traceback (most recent call last):\n  File \"a.py\"\nModuleNotFoundError: No module named '{name}'\n"
            ),
            module(name, true),
        );
    }
    check("ModuleNotFoundError: No module named 'requests'\n", module("requests", false));
    check("ModuleNotFoundError: No module named 'handlers'\n", module("handlers", false));
    check("/usr/bin/python3: No module named mypkg\n", module("mypkg", false));
}

#[test]
fn node_modules_and_files_of_the_projects_own() {
    check("Error: Cannot find module 'express'\nRequire stack:\n- /x/server.js\n", module("express", true));
    check("Error: Cannot find module '@scope/thing/lib/x'\n", module("@scope/thing", true));
    check(
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'vitest' imported from /x/a.js\n",
        module("vitest", true),
    );
    check("Error: Cannot find module 'left-pad'\n", module("left-pad", false));
    check("Error: Cannot find module './routes'\n", module("./routes", false));
    check("Error: Cannot find module '/srv/app/server.js'\n", module("/srv/app/server.js", false));
}

#[test]
fn modules_of_go_ruby_php_and_perl() {
    check(
        "main.go:4:2: no required module provides package github.com/gin-gonic/gin/render; to add it:\n",
        module("github.com/gin-gonic/gin/render", true),
    );
    check(
        "main.go:4:2: no required module provides package github.com/who/what; to add it:\n",
        module("github.com/who/what", false),
    );
    check(
        "go: github.com/gin-gonic/gin@v1.9.0: module lookup disabled by GOPROXY=off\n",
        module("github.com/gin-gonic/gin", true),
    );
    check("a.rb:1:in `require': cannot load such file -- sinatra (LoadError)\n", module("sinatra", true));
    check("cannot load such file -- net/http/persistent (LoadError)\n", module("net/http/persistent", true));
    check("cannot load such file -- /srv/app/helper (LoadError)\n", module("/srv/app/helper", false));
    check("cannot load such file -- helper (LoadError)\n", module("helper", false));
    check("Could not find rack-3.0.0 in any of the sources\n", module("rack", true));
    check(
        "PHP Warning:  require(/x/vendor/autoload.php): Failed to open stream: No such file or directory\n",
        module("vendor/autoload.php", true),
    );
    check(
        "PHP Fatal error:  Uncaught Error: Class \"Monolog\\Logger\" not found\n",
        module("Monolog\\Logger", true),
    );
    check("PHP Fatal error:  Uncaught Error: Class \"Shop\" not found\n", module("Shop", false));
    check(
        "Can't locate Mojolicious/Lite.pm in @INC (you may need to install it)\n",
        module("Mojolicious::Lite", true),
    );
    check("Can't locate My/Own.pm in @INC\n", module("My::Own", false));
}

#[test]
fn package_managers_without_a_network() {
    check(
        "error: no matching package named `serde` found\nlocation searched: crates.io index\nAs a reminder, you're using offline mode (--offline)\n",
        module("serde", true),
    );
    check(
        "error: failed to download `libc v0.2.1`\nCaused by: attempting to make an HTTP request, but --offline was specified\n",
        module("libc", true),
    );
    check(
        "[ERROR] Cannot access central (https://x) in offline mode and the artifact org.junit:junit:jar:5 has not been downloaded\n",
        module("org.junit:junit:jar:5", true),
    );
    check(
        "> No cached version of org.slf4j:slf4j-api:2.0 available for offline mode.\n",
        module("org.slf4j:slf4j-api:2.0", true),
    );
}

#[test]
fn the_network_beyond_this_machine() {
    check("Error: getaddrinfo ENOTFOUND api.example.com\n", network("api.example.com"));
    check(
        "Error: getaddrinfo EAI_AGAIN registry.example.com registry.example.com:443\n",
        network("registry.example.com"),
    );
    check("curl: (6) Could not resolve host: example.com\n", network("example.com"));
    check("dial tcp: lookup proxy.example.com on 1.1.1.1:53: no such host\n", network("proxy.example.com"));
    check("socket.gaierror: [Errno -3] Temporary failure in name resolution\n", network("the network"));
    check("OSError: [Errno 101] Network is unreachable\n", network("the network"));
    check("Error: connect ECONNREFUSED 93.184.216.34:443\n", network("93.184.216.34"));
}

#[test]
fn failures_of_the_work_itself_lack_nothing() {
    for output in [
        "",
        "AssertionError: 1 != 2\n",
        "Error: connect ECONNREFUSED 127.0.0.1:5432\n",
        "Error: getaddrinfo ENOTFOUND localhost\n",
        "error[E0432]: unresolved import `foo`\n",
        "error: no matching package named `sedre` found\nlocation searched: /x\n",
        "FileNotFoundError: [Errno 2] No such file or directory: 'config.json'\n",
        "panic: page not found\n",
        "404: not found\n",
        "SyntaxError: invalid syntax\n",
        "ImportError: cannot import name 'x' from 'app'\n",
    ] {
        check(output, None::<Lack>);
    }
}

#[test]
fn the_manifest_of_the_workspace_counts_as_well_as_that_of_the_folder() {
    let folder = tree(&[("requirements.txt", "flask"), ("api/requirements.txt", "PyYAML")]);
    let api = folder.path().join("api");
    assert_eq!(
        lack("ModuleNotFoundError: No module named 'yaml'", folder.path(), &api),
        Some(module("yaml", true))
    );
    assert_eq!(
        lack("ModuleNotFoundError: No module named 'flask'", folder.path(), &api),
        Some(module("flask", true))
    );
}
