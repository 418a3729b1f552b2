//! Which programs are services, and what they are asked.

use candor_verify::plan::{ProbeHow, Service};

use crate::tree::{commands, only, paths, plan};

/// The only service of a project of one file.
#[track_caller]
fn single(file: &str, text: &str) -> Service {
    only(&plan(&[(file, text)])).clone()
}

#[track_caller]
fn none(files: &[(&str, &str)]) {
    let found = plan(files);
    assert!(found.services.is_empty(), "{:?}", commands(&found));
}

#[test]
fn plain_servers_are_found_by_what_they_call() {
    for (file, text, command, line) in [
        (
            "srv.py",
            "import http.server\n\nhttp.server.HTTPServer(('', 8000), None).serve_forever()\n",
            "python3 srv.py",
            3,
        ),
        (
            "s.py",
            "import asyncio\nasync def main():\n    await asyncio.start_server(f, '', 1)\nasyncio.run(main())\n",
            "python3 s.py",
            3,
        ),
        ("web.js", "const http = require('http');\nhttp.createServer(f).listen(3000);\n", "node web.js", 2),
        ("s.rb", "require 'webrick'\nWEBrick::HTTPServer.new(Port: 1).start\n", "ruby s.rb", 2),
        ("s.pl", "use HTTP::Daemon;\nmy $d = HTTP::Daemon->new;\n", "perl s.pl", 1),
        ("s.pl", "use IO::Socket::INET;\nmy $s = IO::Socket::INET->new(Listen => 5);\n", "perl s.pl", 1),
        (
            "main.go",
            "package main\nimport \"net/http\"\nfunc main() { http.ListenAndServe(\":1\", nil) }\n",
            "go run main.go",
            3,
        ),
        (
            "Srv.java",
            "public class Srv {\n public static void main(String[] a) { HttpServer.create(x, 0).start(); } }\n",
            "java Srv.java",
            2,
        ),
        ("bot.sh", "#!/bin/sh\nwhile true; do\n  sleep 1\ndone\n", "sh bot.sh", 2),
        ("worker.sh", "#!/bin/bash\nwhile :\ndo sleep 1; done\n", "bash worker.sh", 2),
        ("worker.py", "import time\nwhile True:\n    time.sleep(1)\n", "python3 worker.py", 2),
        ("index.php", "<?php echo 1;", "php -S 127.0.0.1:8000", 1),
    ] {
        let found = single(file, text);
        assert_eq!((found.command.as_str(), found.source.line), (command, Some(line)), "{file}");
        assert_eq!(found.source.file.to_str(), Some(file));
    }
}

#[test]
fn programs_that_are_compiled_run_through_their_tools() {
    let main = "use std::net::TcpListener;\nfn main() { for s in TcpListener::bind(\"127.0.0.1:0\").unwrap().incoming() { b\"HTTP/1.1\"; } }";
    let found = plan(&[("Cargo.toml", "[package]\nname = \"srv\""), ("src/main.rs", main)]);
    assert_eq!(only(&found).command, "cargo run --offline --quiet");
    assert_eq!(only(&found).name, "srv");
    assert!(paths(only(&found)).contains(&"/health"), "it speaks HTTP");
    let found = plan(&[
        ("go.mod", "module a"),
        ("cmd/api/main.go", "package main\nfunc main() { serve.Run() }"),
        ("serve/s.go", "package serve\nfunc Run() { http.ListenAndServe(\"\", nil) }"),
    ]);
    assert_eq!(only(&found).command, "go run ./cmd/api");
    let c = "#include <x>\nint main(void) { listen(s, 5); for (;;) accept(s, 0, 0); }";
    assert!(single("server.c", c).command.contains("cc -o \"$d/program\" server.c"));
    let found = plan(&[("server.c", c), ("Makefile", "server: server.c\n\tcc -o server server.c\n")]);
    assert_eq!(only(&found).command, "make -s server && exec ./server");
    let two = plan(&[
        (
            "a/Main.java",
            "package a; class Main { public static void main(String[] x) { new ServerSocket(1); } }",
        ),
        ("a/B.java", "package a; class B {}"),
    ]);
    assert!(only(&two).command.ends_with("exec java -cp \"$d\" a.Main"), "{:?}", commands(&two));
}

#[test]
fn libraries_tools_and_tests_are_no_services() {
    none(&[
        ("Cargo.toml", "[package]\nname = \"a\""),
        ("src/lib.rs", "pub fn f() {}\n#[cfg(test)]\nmod tests { fn t() { TcpListener::bind(\"\"); } }"),
    ]);
    none(&[
        ("Cargo.toml", "[package]\nname = \"a\""),
        ("src/main.rs", "fn main() {}"),
        ("tests/x.rs", "fn main() { TcpListener::bind(\"\"); }"),
    ]);
    none(&[
        ("app.js", "const app = require('express')();\napp.get('/', f);\nmodule.exports = app;"),
        ("app.test.js", "request(app).listen(0)"),
    ]);
    none(&[("main.py", "import sys\nprint(sys.argv)")]);
    none(&[("tool.py", "import time\nfor i in range(3):\n    time.sleep(1)\n")]);
    none(&[("tests/test_server.py", "HTTPServer(x).serve_forever()")]);
    none(&[("doc.py", "\"\"\"Example:\n\nuvicorn.run(app)\n\"\"\"\n# app.run()\nx = 1\n")]);
    none(&[("setup.sh", "#!/bin/sh\necho done\n")]);
    none(&[("lib/server.py", "class S:\n    def start(self):\n        self.http.serve_forever()\n")]);
    none(&[
        ("package.json", r#"{"scripts": {"start": "node cli.js"}, "bin": "cli.js"}"#),
        ("cli.js", "console.log(process.argv)"),
    ]);
    none(&[
        ("main.go", "package main\nfunc main() { println(1) }"),
        ("a_test.go", "package main\nfunc f() { http.ListenAndServe(\"\", nil) }"),
    ]);
}

#[test]
fn a_program_with_several_commands_is_not_started_but_told() {
    let text = "import argparse\np = argparse.ArgumentParser()\ns = p.add_subparsers()\ndef serve(): HTTPServer(x).serve_forever()\nif __name__ == '__main__': p.parse_args()";
    let found = plan(&[("tool.py", text)]);
    assert!(found.services.is_empty());
    assert!(
        found.notes.iter().any(|note| note.contains("tool.py") && note.contains("several commands")),
        "{:?}",
        found.notes
    );
}

#[test]
fn one_program_is_one_service_however_it_is_named() {
    let server =
        ("server.js", "const app = require('./app');\nrequire('http').createServer(app).listen(3000);");
    let found = plan(&[
        (
            "package.json",
            r#"{"name": "shop", "scripts": {"start": "node server.js", "dev": "nodemon server.js"}}"#,
        ),
        server,
        ("app.js", "module.exports = (req, res) => { if (req.url === '/items') res.end() }"),
        ("Procfile", "web: node server.js\n"),
    ]);
    assert_eq!(only(&found).command, "node server.js");
    assert_eq!(paths(only(&found)), ["/", "/health", "/healthz", "/items"]);
    let found = plan(&[
        (
            "package.json",
            r#"{"name": "shop", "scripts": {"start": "node server.js", "dev": "nodemon server.js"}}"#,
        ),
        server,
    ]);
    assert_eq!((only(&found).name.as_str(), only(&found).command.as_str()), ("shop", "npm start --silent"));
    let found = plan(&[
        ("Procfile", "web: gunicorn app:app\nworker: python worker.py\nrelease: python migrate.py\n"),
        (
            "app.py",
            "from flask import Flask\napp = Flask(__name__)\n@app.route('/x')\ndef x():\n    return ''\n",
        ),
        ("worker.py", "import time\nwhile True:\n    time.sleep(1)\n"),
    ]);
    assert_eq!(commands(&found), ["gunicorn app:app", "python worker.py"]);
    assert_eq!(paths(&found.services[0]), ["/", "/health", "/healthz", "/x"]);
}

#[test]
fn the_file_that_is_started_is_the_one_that_uses_the_server() {
    let found = plan(&[
        ("main.py", "from web import run\n\nif __name__ == '__main__':\n    run()\n"),
        (
            "web.py",
            "from http.server import HTTPServer\ndef run():\n    HTTPServer(('', 1), None).serve_forever()\n",
        ),
    ]);
    assert_eq!(only(&found).command, "python3 main.py");
    assert_eq!(only(&found).source.file.to_str(), Some("web.py"));
    let found = plan(&[
        ("bot/__init__.py", ""),
        ("bot/__main__.py", "from bot.core import main\nmain()\n"),
        ("bot/core.py", "def main():\n    app.run_polling()\n"),
    ]);
    assert_eq!(only(&found).command, "python3 -m bot");
}

#[test]
fn frameworks_without_a_server_of_their_own_get_theirs() {
    for (text, command) in [
        (
            "from flask import Flask\napp = Flask(__name__)\n",
            "python3 -m flask --app app run --host 127.0.0.1 --port 5000",
        ),
        (
            "from flask import Flask\napp = Flask(__name__)\nif __name__ == '__main__':\n    app.run(port=1)\n",
            "python3 app.py",
        ),
        (
            "from fastapi import FastAPI\napi = FastAPI()\n",
            "python3 -m uvicorn app:api --host 127.0.0.1 --port 8000",
        ),
        (
            "from starlette.applications import Starlette\napp = Starlette(routes=[])\n",
            "python3 -m uvicorn app:app --host 127.0.0.1 --port 8000",
        ),
        (
            "import uvicorn\nfrom fastapi import FastAPI\napp = FastAPI()\nif __name__ == '__main__':\n    uvicorn.run(app)\n",
            "python3 app.py",
        ),
    ] {
        assert_eq!(single("app.py", text).command, command);
    }
}

#[test]
fn the_script_that_needs_no_build_is_chosen() {
    let next = r#"{"scripts": {"start": "next start", "dev": "next dev", "build": "next build"}, "dependencies": {"next": "14"}}"#;
    assert_eq!(only(&plan(&[("package.json", next)])).command, "npm run --silent dev");
    assert_eq!(only(&plan(&[("package.json", next), (".next/BUILD_ID", "")])).command, "npm start --silent");
    let built = r#"{"scripts": {"start": "node dist/main.js"}, "dependencies": {"@nestjs/core": "10"}}"#;
    assert_eq!(only(&plan(&[("package.json", built)])).command, "npm start --silent");
}

#[test]
fn routes_are_read_from_the_sources_of_each_language() {
    for (files, expected) in [
        (
            vec![(
                "app.py",
                "from flask import Flask\napp = Flask(__name__)\n@app.route(\"/a\")\ndef a():\n    return 1\n@app.route('/b', methods=['POST'])\ndef b():\n    return 1\n@app.route('/c/<id>')\ndef c(id):\n    return 1\n",
            )],
            vec!["/a"],
        ),
        (
            vec![(
                "app.py",
                "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/a')\nasync def a():\n    return 1\n@app.get('/q')\ndef q(name: str):\n    return 1\n@app.get('/d')\ndef d(name: str = 'x'):\n    return 1\n@app.post('/p')\ndef p():\n    return 1\n",
            )],
            vec!["/a", "/d"],
        ),
        (
            vec![(
                "s.py",
                "class H(BaseHTTPRequestHandler):\n    def do_GET(self):\n        if self.path == '/a':\n            pass\n    def do_POST(self):\n        if self.path == '/p':\n            pass\nHTTPServer(('', 1), H).serve_forever()\n",
            )],
            vec!["/a"],
        ),
        (
            vec![(
                "s.js",
                "const app = require('express')();\napp.get('/a', f);\napp.get('/b/:id', f);\napp.post('/p', f);\ncache.get('/no', 1);\napp.listen(1);",
            )],
            vec!["/a"],
        ),
        (
            vec![(
                "s.js",
                "require('http').createServer((req, res) => {\n  if (req.url === '/a') {}\n\n  if (req.method === 'POST' && req.url === '/p') {}\n}).listen(1)",
            )],
            vec!["/a"],
        ),
        (
            vec![(
                "main.go",
                "package main\nfunc main() { http.HandleFunc(\"/a\", f); http.HandleFunc(\"GET /b\", f); http.HandleFunc(\"POST /p\", f); http.ListenAndServe(\"\", nil) }",
            )],
            vec!["/a", "/b"],
        ),
        (
            vec![
                ("Cargo.toml", "[package]\nname = \"a\""),
                (
                    "src/main.rs",
                    "fn main() { Router::new().route(\"/a\", get(a)).route(\"/b/{id}\", get(b)).route(\"/p\", post(p)); axum::serve(l, r) }",
                ),
            ],
            vec!["/a"],
        ),
        (
            vec![(
                "S.java",
                "class S { public static void main(String[] a) { var s = HttpServer.create(x, 0); s.createContext(\"/a\", h); } }",
            )],
            vec!["/a"],
        ),
        (
            vec![("s.rb", "require 'sinatra'\nget '/a' do\nend\nget '/b/:id' do\nend\npost '/p' do\nend\n")],
            vec!["/a"],
        ),
    ] {
        let found = plan(&files);
        let own: Vec<&str> = paths(only(&found)).into_iter().skip(3).collect();
        assert_eq!(own, expected, "{}", files[0].1);
        assert!(only(&found).probes.iter().all(|probe| probe.derived));
    }
}

#[test]
fn spring_and_nest_put_the_path_of_the_class_before_that_of_the_method() {
    let found = plan(&[
        ("pom.xml", "<a>spring-boot-maven-plugin</a>"),
        (
            "src/main/java/C.java",
            "@RestController\n@RequestMapping(\"/api\")\nclass C { @GetMapping(\"/users\") void a() {} @GetMapping(\"/users/{id}\") void b() {} }",
        ),
    ]);
    assert_eq!(paths(only(&found)), ["/", "/health", "/healthz", "/api/users"]);
    let found = plan(&[
        ("package.json", r#"{"scripts": {"start": "nest start"}, "dependencies": {"@nestjs/core": "1"}}"#),
        (
            "src/a.controller.ts",
            "@Controller('cats')\nexport class A { @Get() all() {} @Get('kinds') kinds() {} @Get(':id') one() {} }",
        ),
    ]);
    assert_eq!(paths(only(&found)), ["/", "/health", "/healthz", "/cats", "/cats/kinds"]);
}

#[test]
fn parts_that_hang_below_another_path_are_not_guessed() {
    let found = plan(&[
        (
            "s.js",
            "const app = require('express')();\napp.get('/a', f);\napp.use('/api', require('./r'));\napp.listen(1);",
        ),
        ("r.js", "router.get('/hidden', f);"),
    ]);
    assert_eq!(paths(only(&found)), ["/", "/health", "/healthz", "/a"]);
}

#[test]
fn paths_that_suggest_a_change_are_never_asked() {
    let words = [
        "delete",
        "remove",
        "logout",
        "reset",
        "shutdown",
        "stop",
        "kill",
        "restart",
        "drop",
        "purge",
        "destroy",
        "unsubscribe",
        "send",
        "pay",
        "admin",
    ];
    let routes: String = words
        .iter()
        .map(|word| format!("app.get('/{word}', f);\napp.get('/x/{word}-all', f);\n"))
        .collect::<Vec<_>>()
        .concat();
    let found = plan(&[(
        "s.js",
        &format!("const app = require('express')();\n{routes}app.get('/payments-list', f);\napp.listen(1);"),
    )]);
    assert_eq!(paths(only(&found)), ["/", "/health", "/healthz", "/payments-list"]);
}

#[test]
fn openapi_routes_without_required_parameters_are_asked() {
    let document = "openapi: 3.0.0\nservers: [{url: 'http://localhost/v1'}]\npaths:\n  /users:\n    get:\n      parameters: [{name: page, in: query, required: false}]\n  /users/{id}:\n    get: {}\n  /find:\n    get:\n      parameters: [{name: q, in: query, required: true}]\n  /private:\n    get:\n      security: [{key: []}]\n  /orders:\n    post: {}\n";
    let found = plan(&[("openapi.yaml", document), ("server.py", "HTTPServer(x, y).serve_forever()")]);
    let probe = only(&found).probes.last().unwrap();
    assert_eq!(probe.name, "GET /v1/users (openapi.yaml)");
    assert!(matches!(&probe.how, ProbeHow::Http(http) if http.url == "/v1/users" && http.status.is_none()));
    assert_eq!(only(&found).probes.len(), 4);
}

#[test]
fn at_most_twenty_probes_are_derived() {
    let routes: String =
        (0..50).map(|number| format!("app.get('/r{number}', f);\n")).collect::<Vec<_>>().concat();
    let found = plan(&[("s.js", &format!("const app = require('express')();\n{routes}app.listen(1);"))]);
    assert_eq!(only(&found).probes.len(), 20);
    assert!(found.notes.iter().any(|note| note.contains("more routes")));
}

#[test]
fn what_does_not_speak_http_is_not_asked_in_it() {
    let found = single("s.py", "import socketserver\nsocketserver.TCPServer(('', 1), H).serve_forever()\n");
    assert!(found.probes.is_empty(), "{:?}", found.probes);
}

#[test]
fn a_bot_with_a_variable_for_its_api_gets_a_message() {
    for (file, text) in [
        (
            "bot.py",
            "import os\nBASE = os.environ.get('TELEGRAM_API_BASE', 'https://api.telegram.org')\nTOKEN = os.environ['BOT_TOKEN']\nwhile True:\n    get_updates()\n",
        ),
        (
            "bot.js",
            "const base = process.env.TELEGRAM_API_BASE || 'https://api.telegram.org';\nconst token = process.env.BOT_TOKEN;\nsetInterval(poll, 1000);\n",
        ),
        (
            "bot.sh",
            "#!/bin/sh\napi=\"${TELEGRAM_API_BASE:-https://api.telegram.org}/bot$BOT_TOKEN\"\nwhile true; do sleep 1; done\n",
        ),
    ] {
        let found = single(file, text);
        let [probe] = found.probes.as_slice() else { panic!("{:?}", found.probes) };
        assert_eq!(
            probe.how,
            ProbeHow::Message {
                text: "ping".to_owned(),
                expect: None,
                api_base_env: "TELEGRAM_API_BASE".to_owned()
            }
        );
        assert!(probe.derived);
        assert!(
            found.env.iter().any(|(name, value)| name == "BOT_TOKEN" && value.starts_with("123456789:")),
            "{:?}",
            found.env
        );
    }
}

#[test]
fn a_bot_without_one_is_told_how_to_declare_it() {
    let found = plan(&[(
        "bot.py",
        "from telegram.ext import Application\nApplication.builder().build().run_polling()\n",
    )]);
    assert!(only(&found).probes.is_empty());
    assert!(found.notes.iter().any(|note| note.contains("`message` probe")), "{:?}", found.notes);
}

#[test]
fn log_files_that_the_source_writes_are_watched() {
    let found = single(
        "bot.py",
        "import logging\nlogging.basicConfig(filename='logs/bot.log')\nlogging.FileHandler(\"err.log\")\nlogging.FileHandler('/var/log/x.log')\napp.run_polling()\n",
    );
    assert_eq!(found.logs, ["logs/bot.log", "err.log"]);
    let found = plan(&[
        ("api/requirements.txt", ""),
        ("api/server.py", "HTTPServer(x, y).serve_forever()"),
        ("api/logs/.keep", ""),
    ]);
    assert_eq!(only(&found).logs, ["api/logs/*.log"]);
}

#[test]
fn a_page_is_served_and_asked_for_what_it_loads() {
    let page = "<link rel=\"stylesheet\" href=\"style.css\"><link rel=\"icon\" href=\"f.ico\"><script src=\"./app.js\"></script><a href=\"about.html#x\">a</a><a href=\"https://x.org/\">x</a><img src=\"/i/a.png\">";
    let found = plan(&[("index.html", page)]);
    assert_eq!(only(&found).command, "python3 -m http.server 8000 --bind 127.0.0.1");
    assert_eq!(paths(only(&found)), ["/", "/style.css", "/app.js", "/i/a.png"]);
    assert_eq!(found.stacks, ["static site"]);
}

#[test]
fn a_target_that_starts_something_is_a_service_where_nothing_else_is() {
    let found = plan(&[("Makefile", "serve:\n\t@python3 -m http.server 8000\nrun:\n\t./tool\n")]);
    assert_eq!(only(&found).command, "make -s serve");
}

#[test]
fn paths_that_a_hand_written_server_compares_are_asked() {
    for (file, text) in [
        (
            "s.py",
            "class H:\n    def do_GET(self):\n        if self.path not in (\"/a\", '/b'):\n            pass\nHTTPServer(('', 1), H).serve_forever()\n",
        ),
        (
            "s.js",
            "require('http').createServer((req, res) => {\n  if (req.url !== '/a' && req.url != '/b') return;\n}).listen(1)",
        ),
        (
            "s.pl",
            "my $s = IO::Socket::INET->new(Listen => 5);\nif ($path eq '/a') {}\nif (($path // '') ne '/b') {}\nprint 'HTTP/1.1 200 OK';\n",
        ),
        ("s.rb", "s = TCPServer.new(1)\nif path == '/a'\nelsif path != '/b'\nend\nputs 'HTTP/1.1'\n"),
        (
            "s.c",
            "int main(void) { listen(s, 1); accept(s, 0, 0); if (strcmp(path, \"/a\") == 0 || strcmp(path, \"/b\")) puts(\"HTTP/1.1\"); }",
        ),
        (
            "s.cpp",
            "int main() { listen(s, 1); accept(s, 0, 0); if (path == \"/a\" || path != \"/b\") puts(\"HTTP/1.1\"); }",
        ),
    ] {
        let found = single(file, text);
        assert_eq!(paths(&found), ["/", "/health", "/healthz", "/a", "/b"], "{file}");
    }
    let main = "fn main() { TcpListener::bind(\"\"); \"HTTP/1.1\";\n match path {\n  \"/a\" => 1,\n  \"/b\" => 2,\n  _ => 3 } }";
    let found = plan(&[("Cargo.toml", "[package]\nname = \"a\""), ("src/main.rs", main)]);
    assert_eq!(paths(only(&found)), ["/", "/health", "/healthz", "/a", "/b"]);
}

#[test]
fn a_server_that_a_thread_runs_is_one() {
    let text = "import threading\nfrom http.server import HTTPServer\ndef main():\n    threading.Thread(target=HTTPServer(('', 1), H).serve_forever).start()\nmain()\n";
    assert_eq!(single("server.py", text).command, "python3 server.py");
}

#[test]
fn what_a_procfile_starts_through_a_tool_is_what_the_sources_show() {
    let found = plan(&[
        ("Procfile", "web: make -s run\nworker: python3 worker.py\n"),
        ("Makefile", "server: server.c\n\tcc -o server server.c\nrun: server\n\t./server\n"),
        (
            "server.c",
            "int main(void) { listen(s, 1); accept(s, 0, 0); if (strcmp(path, \"/a\")) puts(\"HTTP/1.1\"); }",
        ),
        ("worker.py", "import time\nwhile True:\n    time.sleep(1)\n"),
    ]);
    assert_eq!(commands(&found), ["make -s run", "python3 worker.py"]);
    assert_eq!(paths(&found.services[0]), ["/", "/health", "/healthz", "/a"]);
}

#[test]
fn a_dotnet_program_that_listens_is_a_service() {
    let found = plan(&[
        ("S.csproj", "<Project Sdk=\"Microsoft.NET.Sdk\"><OutputType>Exe</OutputType></Project>"),
        ("Program.cs", "var l = new HttpListener();\nif (c.Request.Url?.AbsolutePath == \"/status\") {}\n"),
    ]);
    assert_eq!(only(&found).command, "dotnet run --project S.csproj --no-launch-profile");
    assert_eq!(paths(only(&found)), ["/", "/health", "/healthz", "/status"]);
}

#[test]
fn printing_to_the_console_is_no_log_file() {
    let found = single(
        "server.js",
        "require('http').createServer(() => console.log('x')).listen(1, () => console.log('y'));",
    );
    assert_eq!(found.logs, Vec::<String>::new());
    let found = single("bot.sh", "#!/bin/sh\nwhile true; do echo x >> logs/bot.log; sleep 1; done\n");
    assert_eq!(found.logs, ["logs/bot.log"]);
}
