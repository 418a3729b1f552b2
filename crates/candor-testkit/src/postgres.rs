//! Real PostgreSQL servers on the loopback address: one that is shared by all tests, and private ones to be killed.
//!
//! Only the programs that come with PostgreSQL are used, so that no library of ours can be wrong on both sides.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

/// The variable that names the shared server, as `postgres://…`.
const SHARED: &str = "CANDOR_TEST_POSTGRES";

/// Where Debian puts the programs, by version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// Who the server runs as when we are root: PostgreSQL refuses to run as that.
const SERVER_USER: &str = "postgres";

/// How often a free port is looked for again: another test may take it between the look and the start.
const PORT_TRIES_MAX: usize = 5;

/// Tells the schemas of one process apart.
static SCHEMAS: AtomicU32 = AtomicU32::new(0);

/// A PostgreSQL server of a test's own, in a throw-away folder. It is killed when this is dropped.
#[derive(Debug)]
pub struct Postgres {
    folder: TempDir,
    port: u16,
}

/// A schema of its own on some server, gone when this is dropped.
#[derive(Debug)]
pub struct Database {
    server: String,
    schema: String,
}

impl Postgres {
    /// A fresh schema on the server that `cargo xtask test` has started.
    #[track_caller]
    pub fn shared() -> Database {
        let Ok(server) = std::env::var(SHARED) else {
            panic!("{SHARED} is not set: run through cargo xtask test, which starts PostgreSQL")
        };
        let number = SCHEMAS.fetch_add(1, Ordering::Relaxed);
        let schema = format!("test_{}_{number}", std::process::id());
        let database = Database { server, schema };
        // A process of the same number may have left one behind.
        database.ask_server(&format!(
            "SET client_min_messages = error; DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0}",
            database.schema
        ));
        database
    }

    /// A server of its own, running.
    pub fn private() -> Self {
        let folder = tempfile::Builder::new().prefix("candor-pg-").tempdir().expect("a temporary folder");
        let mut server = Self { folder, port: 0 };
        if is_root() {
            run(Command::new("chown").arg(SERVER_USER).arg(server.folder.path()));
        }
        let data = server.data();
        run(as_server_user(&program("initdb"))
            .args([
                "--auth=trust",
                "--username=candor",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
                "-D",
            ])
            .arg(data));
        for _ in 0..PORT_TRIES_MAX {
            server.port = free_port();
            if server.try_start() {
                return server;
            }
        }
        panic!("PostgreSQL does not start: {}", server.log());
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("postgres://candor@127.0.0.1:{}/postgres", self.port)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts it again, on the same port.
    #[track_caller]
    pub fn start(&self) {
        assert!(self.try_start(), "PostgreSQL does not start: {}", self.log());
    }

    /// Ends it in order: connections are closed, and everything is written.
    #[track_caller]
    pub fn stop(&self) {
        run(self.control().args(["-m", "fast", "-w", "stop"]));
    }

    /// Ends it as a crash would, all of it at once.
    #[track_caller]
    pub fn kill(&self) {
        run(self.control().args(["-m", "immediate", "-w", "stop"]));
    }

    /// Asks it something, and gives what `psql` prints.
    #[track_caller]
    pub fn ask(&self, sql: &str) -> String {
        psql(&self.url(), sql)
    }

    /// From here on it lets nobody in over the network without this password, which must need no quoting.
    #[track_caller]
    pub fn require_password(&self, password: &str) {
        self.ask(&format!("ALTER USER candor PASSWORD '{password}'"));
        let rules = "host all all 127.0.0.1/32 scram-sha-256\n";
        std::fs::write(self.data().join("pg_hba.conf"), rules).expect("its rules");
        run(self.control().arg("reload"));
    }

    fn try_start(&self) -> bool {
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories={} -c shared_buffers=16MB",
            self.port,
            self.folder.path().display()
        );
        let mut start = self.control();
        start.arg("-l").arg(self.folder.path().join("log")).args(["-o", &options, "-w", "start"]);
        start.output().expect("pg_ctl").status.success()
    }

    fn control(&self) -> Command {
        let mut control = as_server_user(&program("pg_ctl"));
        control.arg("-D").arg(self.data()).current_dir(self.folder.path());
        control
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // It may be stopped already.
        let _ = self.control().args(["-m", "immediate", "-w", "stop"]).output();
    }
}

impl Database {
    /// The address of the server, with the schema as the one that everything is made and found in.
    pub fn url(&self) -> String {
        let mark = if self.server.contains('?') { '&' } else { '?' };
        format!("{}{mark}options=-csearch_path%3D{}", self.server, self.schema)
    }

    /// Asks something in this schema, and gives what `psql` prints.
    #[track_caller]
    pub fn ask(&self, sql: &str) -> String {
        self.ask_server(&format!("SET search_path = {}; {sql}", self.schema))
    }

    #[track_caller]
    fn ask_server(&self, sql: &str) -> String {
        psql(&self.server, sql)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!(
            "SET client_min_messages = error; SET lock_timeout = 5000; DROP SCHEMA IF EXISTS {} CASCADE",
            self.schema
        );
        // A server that is gone has taken it along.
        let _ = psql_command(&self.server, &sql).output();
    }
}

#[track_caller]
fn psql(server: &str, sql: &str) -> String {
    run(&mut psql_command(server, sql))
}

fn psql_command(server: &str, sql: &str) -> Command {
    let mut psql = Command::new(program("psql"));
    psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1"]);
    psql.args(["-d", server, "-c", sql]);
    psql
}

#[track_caller]
fn run(command: &mut Command) -> String {
    // A daemon that is started keeps what it inherits: its output goes to a file, and nothing is waited for here.
    let output = command.output().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} failed\n{out}{err}");
    out.trim_end().to_owned()
}

/// The newest installed version of a program of PostgreSQL, or the one on the path.
fn program(name: &str) -> PathBuf {
    let versions = std::fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let version = |path: &Path| -> u32 {
        path.file_name().and_then(|name| name.to_str()?.parse().ok()).unwrap_or_default()
    };
    let newest = versions.map(|entry| entry.path()).max_by_key(|path| version(path));
    newest.map(|path| path.join("bin").join(name)).filter(|path| path.exists()).unwrap_or_else(|| name.into())
}

fn as_server_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    let user = format!("--reuid={SERVER_USER}");
    let group = format!("--regid={SERVER_USER}");
    command.args([user.as_str(), group.as_str(), "--clear-groups"]).arg(program);
    command
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}
