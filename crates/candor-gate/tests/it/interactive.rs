//! Whether a shell reads what is typed into a command.

use std::path::Path;

use candor_gate::Verdict::{Allow, Ask, Deny};
use candor_gate::{Gate, Scene, Typed, Verdict};

/// What is said to a text that is typed into a command, after another one.
fn typed(command: &str, before: Option<&str>, text: &str) -> Verdict {
    let workspace = Path::new("/home/dev/project");
    let home = Some(Path::new("/home/dev"));
    let scene = Scene { cwd: workspace, workspace, home, writable: &[], variables: &[] };
    Gate::default().judge_input(command, &Typed { before, text }, &scene).verdict
}

fn reads_commands(command: &str) -> bool {
    let workspace = Path::new("/home/dev/project");
    let scene = Scene {
        cwd: workspace,
        workspace,
        home: Some(Path::new("/home/dev")),
        writable: &[],
        variables: &[],
    };
    Gate::default().reads_commands(command, &scene)
}

#[test]
fn what_is_typed_into_a_shell_is_read_as_commands() {
    let shells = [
        "bash",
        "bash -i",
        "/bin/sh",
        "bash -l",
        "bash --norc -i",
        "zsh -s",
        "env X=1 sh",
        "exec bash",
        "busybox sh",
        "nohup dash",
        "timeout 60 bash",
        "cd src && bash",
        "cat | sh",
        "if true; then sh; fi",
        "(bash)",
        "bash -c 'exec sh'",
        "bash -c \"$X\"",
        "bash /dev/stdin",
        "source /dev/stdin",
        "eval \"$(cat)\"",
        "while read -r line; do $line; done",
        "while read -r line; do sh -c \"$line\"; done",
        "$SHELL",
        "ssh host",
        "ssh host cat",
        "su",
        "su - postgres",
        "sudo -i",
        "sudo -u bob -s",
        "sudo bash",
        "script -q",
        "script -q /dev/null",
        "script -qc bash /dev/null",
        "tmux",
        "screen",
        "nc -e",
        "nc -l 9 -e /bin/sh",
        "socat - EXEC:bash,pty",
        "docker exec -it web sh",
        "docker run -it debian",
        "kubectl exec -it pod -- /bin/bash",
        "poetry shell",
        "nix-shell",
        "chroot /srv/root",
        "unshare -r",
        "parallel",
        "at now",
        "python3 -c 'import pty; pty.spawn(\"/bin/bash\")'",
        "expect -c 'spawn sh; interact'",
        "bash -c 'echo (",
        "cat; (((",
    ];
    let missed: Vec<&str> = shells.into_iter().filter(|command| !reads_commands(command)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_is_typed_into_anything_else_is_not() {
    let others = [
        "cat",
        "cat > notes.txt",
        "tee log",
        "python3",
        "python3 -i",
        "python3 -u app.py",
        "python manage.py shell",
        "node",
        "psql",
        "psql -h localhost app",
        "sqlite3 app.db",
        "mysql -u root",
        "npm run dev",
        "cargo run",
        "make serve",
        "./server --port 3000",
        "bash -c 'cat'",
        "sh -c 'cd x && exec python3'",
        "bash start.sh",
        "bash --version",
        "env X=1 python3",
        "exec node",
        "su -c 'cat' bob",
        "sudo -u postgres psql",
        "script -qc python3 /dev/null",
        "docker exec -i db psql -U app",
        "docker compose up",
        "kubectl logs -f pod",
        "poetry run python",
        "tail -f app.log | grep error",
        "nc localhost 80",
        "rm -rf build; python3",
        "cat <<'END'\nbash\nEND",
        "read -r name; echo \"hello $name\"",
    ];
    let wrong: Vec<&str> = others.into_iter().filter(|command| reads_commands(command)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_typed_into_a_program_is_judged_by_what_the_program_does_with_it() {
    for (command, text) in [
        ("psql", "\\! rm -rf ~"),
        ("psql -h localhost app", "select 1;\n\\! rm -rf ~\n"),
        ("sudo -u postgres psql", "\\! rm -rf ~"),
        ("python3 -i", "import os; os.system(\"rm -rf /\")"),
        ("python3", "__import__('os').system('rm -rf /')"),
        ("python3 -i app.py", "os.system('rm -rf /')"),
        ("python3 -m pdb app.py", "import shutil; shutil.rmtree('/')"),
        ("python manage.py shell", "os.system('rm -rf /')"),
        ("./manage.py shell", "os.system('rm -rf /')"),
        ("ipython", "!rm -rf /"),
        ("node", "require('child_process').execSync('rm -rf /')"),
        ("ruby", "system(\"rm -rf /\")"),
        ("irb", "system(\"rm -rf /\")"),
        ("bundle exec irb", "`rm -rf /`"),
        ("rails console", "system('rm -rf /')"),
        ("php -a", "system('rm -rf /');"),
        ("lua -i", "os.execute('rm -rf /')"),
        ("sqlite3 app.db", ".shell rm -rf /"),
        ("sqlite3 app.db", ".system rm -rf /"),
        ("mysql -u root", "\\! rm -rf /"),
        ("mysql -u root", "system rm -rf /"),
        ("gdb ./a.out", "shell rm -rf /"),
        ("lldb ./a.out", "platform shell rm -rf /"),
        ("vim a.txt", "\u{1b}:!rm -rf /\n"),
        ("vim a.txt", "ihello\u{1b}:r !rm -rf /\r"),
        ("vim a.txt", ":call system('rm -rf /')\r"),
        ("nvim", "\u{1b}:te rm -rf /\r"),
        ("less log", "!rm -rf /\n"),
        ("less log", "gg!rm -rf /\n"),
        ("cat log | less", "!rm -rf /\n"),
        ("man ls", "!rm -rf /\n"),
        ("git log", "!rm -rf /\n"),
        ("ftp host", "!rm -rf /\n"),
        ("sftp host", "!rm -rf /\n"),
        ("ed", "!rm -rf /\n"),
        ("m4", "syscmd(`rm -rf /')"),
        ("expect", "spawn rm -rf /"),
        ("make -f -", "all:\n\trm -rf /\n"),
        ("xargs rm -rf", "/"),
        ("bash -c 'psql'", "\\! rm -rf ~"),
        ("while read -r d; do rm -rf \"$d\"; done", "/"),
    ] {
        assert_ne!(typed(command, Some(""), text), Allow, "{command}: {text}");
    }
}

#[test]
fn what_is_typed_into_a_program_is_mostly_ordinary() {
    for (command, text) in [
        ("cat", "rm -rf /\n"),
        ("cat > notes.txt", "shutdown now\n"),
        ("psql", "select 1;\n"),
        ("psql", "\\dt\n"),
        ("sudo -u postgres psql", "select 1;\n"),
        ("python3 -i", "print(1 + 1)\n"),
        ("python3 -i", "if x:\n"),
        ("python3 -u app.py", "rm -rf /\n"),
        ("node", "console.log('rm -rf /')\n"),
        ("irb", "puts 1\n"),
        ("sqlite3 app.db", ".tables\n"),
        ("gdb ./a.out", "break main\n"),
        ("vim a.txt", "ihello, it's fine! (really\u{1b}:wq\r"),
        ("less log", "/error\n"),
        ("less log", "q"),
        ("git log", "q"),
        ("npm run dev", "rs\n"),
        ("./server --port 3000", "!quit\n"),
        ("bash", "ls\n"),
        ("bash", "\n"),
    ] {
        assert_eq!(typed(command, Some(""), text), Allow, "{command}: {text}");
    }
}

#[test]
fn what_was_typed_before_decides_what_is_typed_now() {
    for (command, before, text, verdict) in [
        ("bash", "cd /\n", "rm -rf etc\n", Deny),
        ("bash", "D=/\n", "rm -rf \"$D\"\n", Deny),
        ("bash", "rm -rf ", "/\n", Deny),
        ("bash", "alias x='rm -rf'\n", "x /\n", Deny),
        ("bash", "cd /tmp/x\n", "rm -rf etc\n", Allow),
        ("bash", "git push\n", "ls\n", Allow),
        ("bash", "git push\n", "git push\n", Ask),
        ("bash", "echo 'unclosed\n", "ls\n", Allow),
        ("python3", "import os\nx = 'rm -rf /'\n", "os.system(x)\n", Ask),
        ("python3", "import os\nos.system('rm -rf /')\n", "print(1)\n", Allow),
        ("python3", "import os\nos.system('rm -rf /')\n", "os.system('rm -rf /')\n", Ask),
        ("psql", "\\! rm", " -rf ~\n", Deny),
        ("cat", "rm -rf ", "/\n", Allow),
    ] {
        assert_eq!(typed(command, Some(before), text), verdict, "{command}: {before:?} {text:?}");
    }
}

#[test]
fn a_shell_that_was_typed_too_much_into_is_asked_about() {
    assert_eq!(typed("bash", None, "ls\n"), Ask);
    assert_eq!(typed("bash", None, "rm -rf /\n"), Deny);
    assert_eq!(typed("cat", None, "ls\n"), Allow);
}
