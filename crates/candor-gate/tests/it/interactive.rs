//! Whether a shell reads what is typed into a command.

use std::path::Path;

use candor_gate::{Gate, Scene};

fn reads_commands(command: &str) -> bool {
    let workspace = Path::new("/home/dev/project");
    let home = Some(Path::new("/home/dev"));
    let scene = Scene { cwd: workspace, workspace, home, writable: &[], variables: &[] };
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
