//! One PostgreSQL server for all tests of a run, on the loopback address.
//!
//! It trusts everyone on this machine and does not wait for the disk: what it holds is gone when the run is over. Tests
//! that are about the disk, or about a server that dies, start one of their own.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::invocation::Invocation;

/// The variable by which tests find it.
pub const VARIABLE: &str = "CANDOR_TEST_POSTGRES";

/// The program by which it is found to be installed.
pub const PROGRAM: &str = "initdb";

/// Where Debian puts the programs, by version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// Who it runs as when we are root: PostgreSQL refuses to run as that.
const SERVER_USER: &str = "postgres";

/// Each of several tests at once has a handful of connections.
const CONNECTIONS_MAX: u32 = 200;

/// How long it may take to start, and how often to look meanwhile.
const START_WAIT_MAX: Duration = Duration::from_secs(30);
const START_POLL: Duration = Duration::from_millis(50);

/// A running server. It is stopped, and what it wrote is removed, when this is dropped.
#[derive(Debug)]
pub struct Server {
    folder: PathBuf,
    port: u16,
    child: Option<Child>,
}

impl Server {
    /// Makes a new cluster in the folder for temporary files, which the server's user can reach, and starts it.
    pub fn start() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("candor-xtask-postgres-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut server = Self { folder, port: free_port()?, child: None };
        let root = is_root(&server.folder);
        if root {
            Invocation::new("chown", &server.folder).args([SERVER_USER, "."]).stdout()?;
        }
        let data = server.folder.join("data");
        let flags =
            ["--auth=trust", "--username=candor", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "-D"];
        let initdb = words(root, &program(PROGRAM)).into_iter().chain(flags.map(str::to_owned));
        let initdb: Vec<String> = initdb.chain([data.display().to_string()]).collect();
        Invocation::new(&initdb[0], &server.folder).args(&initdb[1..]).stdout()?;
        server.child = Some(server.spawn(root, &data)?);
        server.wait()?;
        Ok(server)
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("postgres://candor@127.0.0.1:{}/postgres", self.port)
    }

    fn spawn(&self, root: bool, data: &Path) -> Result<Child> {
        let log = fs::File::create(self.folder.join("log")).context("cannot make a log for PostgreSQL")?;
        let words = words(root, Path::new("setpriv"));
        let mut command = Command::new(&words[0]);
        // It must not outlive us when we are interrupted. Said as the server's user: the kernel forgets it when the user
        // changes.
        command.args(&words[1..]).args(["--pdeathsig", "QUIT"]).arg(program("postgres"));
        command.arg("-D").arg(data).current_dir(&self.folder);
        for setting in [
            "listen_addresses=127.0.0.1".to_owned(),
            format!("port={}", self.port),
            format!("unix_socket_directories={}", self.folder.display()),
            format!("max_connections={CONNECTIONS_MAX}"),
            "fsync=off".to_owned(),
        ] {
            command.args(["-c", &setting]);
        }
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        command.spawn().context("cannot start PostgreSQL")
    }

    fn wait(&self) -> Result<()> {
        let deadline = Instant::now() + START_WAIT_MAX;
        let (ready, port) = (program("pg_isready"), self.port.to_string());
        while !Invocation::new(&ready, &self.folder).args(["-q", "-h", "127.0.0.1", "-p", &port]).succeeds() {
            if Instant::now() > deadline {
                let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                bail!("PostgreSQL does not start\n{log}");
            }
            thread::sleep(START_POLL);
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Its own word for stopping at once; a server that is gone already needs none.
            let _ = Command::new("kill").args(["-QUIT", &child.id().to_string()]).status();
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The newest installed version of a program of PostgreSQL, or the one on the path.
fn program(name: &str) -> PathBuf {
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten().map(|entry| entry.path());
    let number = |path: &Path| -> u32 {
        path.file_name().and_then(|name| name.to_str()?.parse().ok()).unwrap_or_default()
    };
    let newest = versions.max_by_key(|path| number(path));
    newest.map(|path| path.join("bin").join(name)).filter(|path| path.exists()).unwrap_or_else(|| name.into())
}

/// The program as the server's user.
fn words(root: bool, program: &Path) -> Vec<String> {
    let program = program.display().to_string();
    if !root {
        return vec![program];
    }
    let user = [format!("--reuid={SERVER_USER}"), format!("--regid={SERVER_USER}")];
    ["setpriv".to_owned()].into_iter().chain(user).chain(["--clear-groups".to_owned(), program]).collect()
}

fn is_root(dir: &Path) -> bool {
    Invocation::new("id", dir).args(["-u"]).stdout().is_ok_and(|id| id.trim() == "0")
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0").context("there is no free port")?.local_addr()?.port())
}
