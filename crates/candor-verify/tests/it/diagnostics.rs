//! What compilers, linters and test runners print, and what is read from it.
//!
//! Those in files were printed by the tools themselves: `cargo`, `gcc`, `g++`, `ld`, `make`, `javac`, `python3`, `unittest`,
//! `node`, `perl`, `bash`, `dash`. Those written here follow the documentation of tools that need an installation.

use std::fmt::Write as _;
use std::time::{Duration, UNIX_EPOCH};

use candor_verify::diagnostics::{Ledger, parse};
use candor_verify::found::Diagnostic;

/// `file:line:column level [code] message`, as much of it as there is.
fn shown(diagnostic: &Diagnostic) -> String {
    let Diagnostic { file, line, column, is_error, code, message } = diagnostic;
    let mut text = file.clone();
    for number in [line, column].into_iter().flatten() {
        let _ = write!(text, ":{number}");
    }
    text.push_str(if *is_error { " error" } else { " warning" });
    if let Some(code) = code {
        let _ = write!(text, " [{code}]");
    }
    format!("{text} {}", message.replace('\n', " / "))
}

#[track_caller]
fn check(name: &str, output: &str, expected: &[&str]) {
    let found: Vec<String> = parse(output).iter().map(shown).collect();
    assert_eq!(found, expected, "{name}");
}

macro_rules! printed {
    ($name:literal) => {
        ($name, include_str!(concat!("outputs/", $name, ".txt")))
    };
}

#[test]
fn what_the_tools_here_print_is_read() {
    let cases: &[((&str, &str), &[&str])] = &[
        (printed!("cargo_check"), &["src/lib.rs:3:5 error [E0308] mismatched types"]),
        (
            printed!("cargo_test"),
            &[
                "src/lib.rs:8:9 error [tests::adds] assertion `left == right` failed: the sum /   left: 2 /  right: 3",
            ],
        ),
        (
            printed!("gcc"),
            &[
                "c/a.c:4:13 warning [-Wint-conversion] initialization of ‘int’ from ‘char *’ makes integer from pointer without a cast",
                "c/a.c:5:12 error ‘y’ undeclared (first use in this function)",
            ],
        ),
        (printed!("gcc_missing"), &["c/c.c:1:10 error missing.h: No such file or directory"]),
        (printed!("gxx"), &["c/d.cc:2:36 error ‘class std::vector<int>’ has no member named ‘push’"]),
        (printed!("ld"), &["b.c error undefined reference to `helper'"]),
        (
            printed!("make"),
            &[
                "a.c:4:13 warning [-Wint-conversion] initialization of ‘int’ from ‘char *’ makes integer from pointer without a cast",
                "a.c:5:12 error ‘y’ undeclared (first use in this function)",
                "Makefile:2 error all: Error 1",
            ],
        ),
        (printed!("make_syntax"), &["bad.mk:2 error missing separator"]),
        (
            printed!("javac"),
            &[
                "B.java:2 error incompatible types: String cannot be converted to int",
                "B.java:3 error cannot find symbol",
            ],
        ),
        (printed!("python_syntax"), &["py/syntax.py:1 error [SyntaxError] invalid syntax"]),
        (
            printed!("python_traceback"),
            &[
                "/app/py/app.py:3 error [JSONDecodeError] json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
            ],
        ),
        (
            printed!("unittest"),
            &[
                "/app/py/test_app.py:6 error [test_app.Orders.test_raises] KeyError: 'x'",
                "/app/py/test_app.py:4 error [test_app.Orders.test_total] AssertionError: 4 != 5 : the total",
            ],
        ),
        (printed!("node_check"), &["/app/js/s.js:1 error [SyntaxError] Unexpected token ';'"]),
        (printed!("node_tap"), &["/app/js/a.test.js:2:1 error [adds] Expected values to be strictly equal:"]),
        (
            printed!("node_spec"),
            &[
                "a.test.js:2:1 error [adds] AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
            ],
        ),
        (
            printed!("perl"),
            &[
                "pl/a.pl:2 error syntax error, near \"= ;\"",
                "pl/a.pl:3 error Global symbol \"$y\" requires explicit package name (did you forget to declare \"my $y\"?)",
            ],
        ),
        (printed!("bash"), &["sh/a.sh:3 error syntax error: unexpected end of file"]),
        (printed!("dash"), &["sh/a.sh:3 error Syntax error: end of file unexpected (expecting \"fi\")"]),
    ];
    for ((name, output), expected) in cases {
        check(name, output, expected);
    }
}

/// Name, output, and what is read from it.
const DOCUMENTED: &[(&str, &str, &[&str])] = &[
    (
        "rust, old panic",
        "thread 'tests::adds' panicked at 'boom', src/lib.rs:8:9\n",
        &["src/lib.rs:8:9 error [tests::adds] boom"],
    ),
    (
        "clippy",
        "warning: this is unneeded\n  --> src/lib.rs:3:5\n   |\n",
        &["src/lib.rs:3:5 warning this is unneeded"],
    ),
    ("cargo's own", "error: could not compile `x` (lib) due to 1 previous error\n", &[]),
    (
        "tsc",
        "src/x.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n\
         src/y.ts:3:5 - error TS2304: Cannot find name 'z'.\n\n3     z();\n      ~\n\nFound 2 errors in 2 files.\n",
        &[
            "src/x.ts:1:7 error [TS2322] Type 'string' is not assignable to type 'number'.",
            "src/y.ts:3:5 error [TS2304] Cannot find name 'z'.",
        ],
    ),
    (
        "eslint",
        "/app/src/x.js\n   3:7   error    'y' is not defined       no-undef\n  12:10  warning  Unexpected console.log  no-console\n\n✖ 2 problems (1 error, 1 warning)\n",
        &[
            "/app/src/x.js:3:7 error [no-undef] 'y' is not defined",
            "/app/src/x.js:12:10 warning [no-console] Unexpected console.log",
        ],
    ),
    (
        "eslint unix",
        "/app/x.js:3:7: 'y' is not defined. [Error/no-undef]\n",
        &["/app/x.js:3:7 error [no-undef] 'y' is not defined."],
    ),
    (
        "jest",
        "FAIL ./sum.test.js\n  ● math › adds\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 3\n    Received: 2\n\n      at Object.toBe (sum.test.js:5:17)\n      at new Promise (node_modules/jest/x.js:1:2)\n\nTests: 1 failed\n",
        &["sum.test.js:5:17 error [math › adds] expect(received).toBe(expected) // Object.is equality"],
    ),
    (
        "vitest",
        " FAIL  src/sum.test.ts > math > adds\nAssertionError: expected 2 to be 3 // Object.is equality\n\n ❯ src/sum.test.ts:5:17\n      3|\n",
        &[
            "src/sum.test.ts:5:17 error [math > adds] AssertionError: expected 2 to be 3 // Object.is equality",
        ],
    ),
    (
        "mocha",
        "  1 passing (4ms)\n  1 failing\n\n  1) math\n       adds:\n\n      AssertionError [ERR_ASSERTION]: 2 == 3\n      + expected - actual\n\n      at Context.<anonymous> (test/sum.js:5:12)\n      at process.processImmediate (node:internal/timers:483:21)\n",
        &["test/sum.js:5:12 error [math adds] AssertionError [ERR_ASSERTION]: 2 == 3"],
    ),
    (
        "pytest",
        "____ test_total ____\n\n    def test_total():\n>       assert 2 + 2 == 5\nE       assert (2 + 2) == 5\n\ntests/test_app.py:4: AssertionError\n=== short test summary info ===\nFAILED tests/test_app.py::test_total - assert (2 + 2) == 5\nERROR tests/test_b.py - ImportError: no module\n",
        &[
            "tests/test_app.py:4 error [test_total] assert (2 + 2) == 5",
            "tests/test_b.py error ImportError: no module",
        ],
    ),
    (
        "mypy",
        "app.py:3: error: Incompatible return value type (got \"str\", expected \"int\")  [return-value]\nFound 1 error in 1 file\n",
        &["app.py:3 error [return-value] Incompatible return value type (got \"str\", expected \"int\")"],
    ),
    (
        "pyright",
        "  /app/x.py:3:12 - error: Import \"y\" could not be resolved (reportMissingImports)\n",
        &["/app/x.py:3:12 error [reportMissingImports] Import \"y\" could not be resolved"],
    ),
    (
        "flake8",
        "app.py:1:1: F401 'os' imported but unused\n",
        &["app.py:1:1 error [F401] 'os' imported but unused"],
    ),
    (
        "ruff",
        "F401 [*] `os` imported but unused\n --> app.py:1:8\n  |\n",
        &["app.py:1:8 error [F401] `os` imported but unused"],
    ),
    (
        "go build and vet",
        "# example.com/app\n./main.go:3:2: undefined: x\nvet: ./other.go:7:1: expected declaration\n",
        &["main.go:3:2 error undefined: x", "other.go:7:1 error expected declaration"],
    ),
    (
        "go test",
        "--- FAIL: TestTotal (0.00s)\n    order_test.go:12: got 4, want 5\n--- FAIL: TestGroup (0.00s)\n    --- FAIL: TestGroup/inner (0.00s)\n        order_test.go:20: boom\nFAIL\n",
        &[
            "order_test.go:12 error [TestTotal] got 4, want 5",
            "order_test.go:20 error [TestGroup/inner] boom",
        ],
    ),
    (
        "maven",
        "[ERROR] /app/src/main/java/A.java:[3,16] incompatible types: String cannot be converted to int\n[ERROR]   OrderTest.adds:12 expected: <5> but was: <4>\n",
        &[
            "/app/src/main/java/A.java:3:16 error incompatible types: String cannot be converted to int",
            "OrderTest.java:12 error [OrderTest.adds] expected: <5> but was: <4>",
        ],
    ),
    (
        "gradle",
        "OrderTest > adds() FAILED\n    org.opentest4j.AssertionFailedError: expected: <5> but was: <4>\n        at app//OrderTest.adds(OrderTest.java:12)\n",
        &[
            "OrderTest.java:12 error [OrderTest > adds()] org.opentest4j.AssertionFailedError: expected: <5> but was: <4>",
        ],
    ),
    (
        "kotlinc",
        "e: file:///app/src/A.kt:3:5 Unresolved reference: x\nw: /app/src/B.kt: (7, 9): Variable 'y' is never used\n",
        &[
            "/app/src/A.kt:3:5 error Unresolved reference: x",
            "/app/src/B.kt:7:9 warning Variable 'y' is never used",
        ],
    ),
    (
        "clang and swiftc",
        "main.swift:3:5: error: cannot find 'x' in scope\n",
        &["main.swift:3:5 error cannot find 'x' in scope"],
    ),
    (
        "cmake",
        "CMake Error at CMakeLists.txt:3 (add_executable):\n  Cannot find source file:\n\n    missing.c\n\n",
        &["CMakeLists.txt:3 error [add_executable] Cannot find source file:"],
    ),
    (
        "ctest",
        "50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  2 - adds (Failed)\nErrors while running CTest\n",
        &[" error [adds] Failed"],
    ),
    (
        "dotnet build",
        "/app/Program.cs(3,5): error CS0103: The name 'x' does not exist in the current context [/app/App.csproj]\n",
        &["/app/Program.cs:3:5 error [CS0103] The name 'x' does not exist in the current context"],
    ),
    (
        "dotnet test",
        "  Failed Shop.Tests.Adds [12 ms]\n  Error Message:\n   Assert.Equal() Failure: Values differ\n  Stack Trace:\n     at Shop.Tests.Adds() in /app/Tests.cs:line 12\n",
        &["/app/Tests.cs:12 error [Shop.Tests.Adds] Assert.Equal() Failure: Values differ"],
    ),
    (
        "rspec",
        "Failures:\n\n  1) Order adds\n     Failure/Error: expect(2 + 2).to eq(5)\n\n       expected: 5\n            got: 4\n     # ./spec/order_spec.rb:5:in 'block (2 levels) in <top (required)>'\n",
        &["spec/order_spec.rb:5 error [Order adds] expected: 5"],
    ),
    (
        "minitest",
        "  1) Failure:\nOrderTest#test_total [test/order_test.rb:5]:\nExpected: 5\n  Actual: 4\n\n  2) Error:\nOrderTest#test_raises:\nKeyError: key not found: :x\n    test/order_test.rb:9:in 'fetch'\n",
        &[
            "test/order_test.rb:5 error [OrderTest#test_total] Expected: 5",
            "test/order_test.rb:9 error [OrderTest#test_raises] KeyError: key not found: :x",
        ],
    ),
    (
        "ruby -c",
        "app.rb:3: syntax error, unexpected end-of-input\n",
        &["app.rb:3 error syntax error, unexpected end-of-input"],
    ),
    (
        "php -l",
        "PHP Parse error:  syntax error, unexpected token \"}\" in x.php on line 3\nErrors parsing x.php\n",
        &["x.php:3 error syntax error, unexpected token \"}\""],
    ),
    (
        "phpunit",
        "There was 1 failure:\n\n1) Tests\\OrderTest::testTotal\nFailed asserting that 4 matches expected 5.\n\n/app/tests/OrderTest.php:12\n",
        &[
            "/app/tests/OrderTest.php:12 error [Tests\\OrderTest::testTotal] Failed asserting that 4 matches expected 5.",
        ],
    ),
    (
        "mix compile",
        "    error: undefined variable \"x\"\n    │\n  3 │     x + 1\n    │     ^\n    │\n    └─ lib/app.ex:3:5: App.run/0\n\n** (CompileError) lib/other.ex:7: undefined function y/0\n",
        &[
            "lib/app.ex:3:5 error undefined variable \"x\"",
            "lib/other.ex:7 error [CompileError] undefined function y/0",
        ],
    ),
    (
        "mix test",
        "  1) test adds (AppTest)\n     test/app_test.exs:5\n     Assertion with == failed\n     code:  assert 2 == 3\n",
        &["test/app_test.exs:5 error [adds (AppTest)] Assertion with == failed"],
    ),
    (
        "deno",
        "error: TS2322 [ERROR]: Type 'string' is not assignable to type 'number'.\nconst x: number = \"a\";\n      ^\n    at file:///app/x.ts:1:7\n\nadds => ./a_test.ts:3:6\nerror: AssertionError: Values are not equal.\n",
        &[
            "/app/x.ts:1:7 error [TS2322] Type 'string' is not assignable to type 'number'.",
            "a_test.ts:3:6 error [adds] AssertionError: Values are not equal.",
        ],
    ),
    (
        "shellcheck",
        "In a.sh line 3:\necho $x\n     ^-- SC2154 (warning): x is referenced but not assigned.\n     ^-- SC2086 (info): Double quote to prevent globbing.\n\n",
        &[
            "a.sh:3 warning [SC2154] x is referenced but not assigned.",
            "a.sh:3 warning [SC2086] Double quote to prevent globbing.",
        ],
    ),
];

#[test]
fn what_the_documentation_of_others_shows_is_read() {
    for (name, output, expected) in DOCUMENTED {
        check(name, output, expected);
    }
}

#[test]
fn what_is_fine_is_not_read() {
    let fine = "   Compiling x v0.1.0\n    Finished `dev` profile\ntest tests::error_path ... ok\n0 errors, 0 warnings\n\
        ok 1 - adds\nnot ok 2 - later # TODO\n✓ adds (1 ms)\nAll checks passed!\nSuccess: no issues found in 3 source files\n\
        12:00:00 INFO listening on http://127.0.0.1:3000\nmake: 'all' is up to date.\nok  \texample.com/app\t0.003s\n";
    check("fine", fine, &[]);
}

#[test]
fn the_same_is_read_once_and_without_colours() {
    let line = "\u{1b}[1ma.c:4:13: \u{1b}[31merror:\u{1b}[0m boom\r\n";
    check("twice", &line.repeat(2), &["a.c:4:13 error boom"]);
}

#[test]
fn at_most_200_are_read() {
    let many: Vec<String> = (1..=1_000).map(|line| format!("a.c:{line}:1: error: boom")).collect();
    assert_eq!(parse(&many.join("\n")).len(), 200);
}

#[test]
fn no_text_makes_it_panic() {
    for text in [
        "",
        "\n\n",
        "E   ",
        "--- FAIL: ",
        "\u{1b}",
        "  1) ",
        "In  line :",
        &"é".repeat(10_000),
        "a:1:",
        "not ok 1",
    ] {
        parse(text);
    }
}

fn found(file: &str, line: u32, message: &str) -> Diagnostic {
    let (file, message) = (file.to_owned(), message.to_owned());
    Diagnostic { file, line: Some(line), column: None, is_error: true, code: None, message }
}

#[test]
fn the_ledger_counts_what_stays_and_gives_back_what_is_fixed() {
    let at = |seconds: u64| UNIX_EPOCH + Duration::from_secs(seconds);
    let mut ledger = Ledger::default();
    assert!(ledger.note("build", vec![found("a.c", 3, "x"), found("b.c", 1, "y")], at(10)).is_empty());
    assert!(ledger.note("lint", vec![found("a.c", 3, "x")], at(20)).is_empty());
    // It moved, since something was written above it.
    let cleared = ledger.note("build", vec![found("a.c", 5, "x")], at(30));
    assert_eq!(cleared.len(), 1);
    assert_eq!((cleared[0].diagnostic.file.as_str(), cleared[0].seen), ("b.c", 1));
    let build = ledger.entries().iter().find(|seen| seen.check == "build").expect("what stays");
    assert_eq!((build.seen, build.first_seen, build.last_seen), (2, 10_000, 30_000));
    assert_eq!(build.diagnostic.line, Some(5));
    assert_eq!(ledger.note("build", Vec::new(), at(40)).len(), 1);
    assert_eq!(ledger.entries().len(), 1, "what another check found stays");
}

#[test]
fn the_ledger_survives_its_file_and_is_bounded() {
    let mut ledger = Ledger::default();
    for check in 0..20_u32 {
        let many = (1..=200).map(|line| found("a.c", line, &format!("{check} {line}"))).collect();
        ledger.note(&check.to_string(), many, UNIX_EPOCH + Duration::from_secs(u64::from(check)));
    }
    assert_eq!(ledger.entries().len(), 1_000);
    assert_eq!(ledger.entries()[0].check, "19", "what was seen last is kept");
    let json = serde_json::to_string(&ledger).expect("JSON");
    assert!(json.starts_with(r#"[{"file":"a.c","line":1,"is_error":true,"message":"19 1","check":"19","seen":1,"first_seen":19000"#), "{}", &json[..120]);
    let read: Ledger = serde_json::from_str(&json).expect("a ledger");
    assert_eq!(read, ledger);
}
