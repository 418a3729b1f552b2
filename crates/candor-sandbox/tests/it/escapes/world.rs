//! What stands outside and must not change, and who listens there.

use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};

use candor_sandbox::{Policy, Running, Sandbox, Stdin, start_talking};
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::TIME_MAX;
use crate::rig::spec;

/// Stands in every file that must not be read.
const SECRET: &str = "a-secret-that-nobody-sees";

/// A directory with this in it is where the world is to be, if the test is run from there.
pub(crate) const PLACE_MARK: &str = ".candor-place";

pub(crate) struct World {
    _home: TempDir,
    base: PathBuf,
    listeners: Listeners,
    victim: Victim,
    before: BTreeMap<PathBuf, String>,
}

/// A process that says again what it is told. A killed one cannot, however soon after the signal it is asked: what it looks
/// like in the process table changes only later.
struct Victim {
    process: Running,
    pid: String,
    answers: Mutex<Receiver>,
}

struct Listeners {
    tcp: [TcpListener; 2],
    udp: [UdpSocket; 2],
    unix: [UnixListener; 3],
    letters: [UnixDatagram; 2],
    socket: TempDir,
    abstract_name: String,
    port: u16,
}

/// Where a world can be seen from inside: not below a temporary directory, which is covered there.
fn place() -> PathBuf {
    let here = std::env::current_dir().unwrap();
    if here.join(PLACE_MARK).exists() {
        return here;
    }
    let candidates =
        [PathBuf::from("/var/lib"), PathBuf::from("/srv")].into_iter().chain(std::env::home_dir());
    let is_usable = |place: &PathBuf| tempfile::tempdir_in(place).is_ok();
    candidates.into_iter().find(is_usable).expect("a directory that is no temporary one")
}

impl World {
    pub(crate) async fn new() -> Self {
        let home = tempfile::Builder::new().prefix("candor-world-").tempdir_in(place()).unwrap();
        let base = home.path().canonicalize().unwrap();
        for directory in ["ws/.git/hooks", "ws/nested/.git", "ws/inner/deep", "outside/dir", "secret", "temp"]
        {
            fs::create_dir_all(base.join(directory)).unwrap();
        }
        for file in ["ws/.git/HEAD", "ws/nested/.git/config", "outside/canary"] {
            fs::write(base.join(file), "a canary\n").unwrap();
        }
        fs::write(base.join("ws/.git/config"), "[core]\n\tbare = false\n").unwrap();
        for file in ["secret/key", "ws/hidden.env", "ws/inner/deep/.env"] {
            fs::write(base.join(file), SECRET).unwrap();
        }
        std::os::unix::fs::symlink(base.join("secret/key"), base.join("ws/old-link")).unwrap();
        let victim = Victim::new(&base.join("outside")).await;
        // The shell that starts it has another name at first.
        assert!(victim.answers().await);
        let mut world =
            Self { _home: home, listeners: Listeners::new(&base), base, victim, before: BTreeMap::new() };
        world.before = world.look();
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.base.join(name)
    }

    pub(crate) fn policy(&self) -> Policy {
        let paths = |names: &[&str]| names.iter().map(|name| self.path(name)).collect::<Vec<_>>();
        Policy {
            writable: paths(&["ws"]),
            hidden: paths(&["secret", "ws/hidden.env", "ws/inner/deep/.env", "ws/later/.ssh"]),
            protected: paths(&[
                "ws/.git/hooks",
                "ws/.git/config",
                "ws/nested/.git",
                "ws/.candor",
                "ws/inner/.candor",
            ]),
            temp: Some(self.path("temp")),
            ..Policy::default()
        }
    }

    pub(crate) fn env(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        [
            ("PATH", "/usr/sbin:/usr/bin:/sbin:/bin".to_owned()),
            ("WS", text(&self.path("ws"))),
            ("OUT", text(&self.path("outside"))),
            ("SECRET", text(&self.path("secret"))),
            ("PORT", self.listeners.port.to_string()),
            ("SOCK", text(&self.listeners.socket.path().join("s"))),
            ("SERVICE", text(&self.path("service"))),
            ("ABSTRACT", self.listeners.abstract_name.clone()),
            ("VICTIM", self.victim.pid.clone()),
            ("RUNTIME", std::process::id().to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    /// What went wrong, if anything did.
    pub(crate) async fn damage(&self, said: &str) -> Option<String> {
        if said.contains(SECRET) {
            return Some("a secret was read".to_owned());
        }
        if said.contains("ESCAPED") {
            return Some(said.trim().to_owned());
        }
        if let Some(heard) = self.listeners.heard() {
            return Some(format!("{heard} heard something"));
        }
        if !self.victim.answers().await {
            return Some("the victim is dead".to_owned());
        }
        let now = self.look();
        let changed =
            self.before.keys().chain(now.keys()).find(|path| self.before.get(*path) != now.get(*path));
        changed.map(|path| {
            format!("{} was {:?}, and is {:?}", path.display(), self.before.get(path), now.get(path))
        })
    }

    /// All that must stay as it is.
    fn look(&self) -> BTreeMap<PathBuf, String> {
        let mut seen = BTreeMap::new();
        for name in [
            "outside",
            "secret",
            "ws/.git/hooks",
            "ws/.git/config",
            "ws/.candor",
            "ws/inner/.candor",
            "ws/nested/.git",
            "ws/hidden.env",
            "ws/inner/deep/.env",
            "ws/later/.ssh",
        ] {
            look_at(&self.path(name), &mut seen);
        }
        seen
    }
}

impl Victim {
    async fn new(cwd: &Path) -> Self {
        let mut cat = spec(cwd, "echo $$; exec cat");
        cat.env.push(("VICTIM".to_owned(), "yes".to_owned()));
        cat.stdin = Stdin::Piped;
        let (process, mut answers) = start_talking(&cat, &Sandbox::bare()).unwrap();
        let mut pid = String::new();
        while !pid.ends_with('\n') {
            pid.push(char::from(answers.read_u8().await.unwrap()));
        }
        Self { process, pid: pid.trim().to_owned(), answers: Mutex::new(answers) }
    }

    /// Whether it lives: the pipe of a dead one ends. One that is held up answers as little.
    async fn answers(&self) -> bool {
        let mut answer = [0];
        // Told to one that is gone, it comes to nothing, and so does its answer.
        let _ = self.process.write(b"?").await;
        let read = async { self.answers.lock().await.read(&mut answer).await };
        timeout(TIME_MAX, read).await.is_ok_and(|read| read.unwrap() == 1)
    }
}

fn look_at(path: &Path, seen: &mut BTreeMap<PathBuf, String>) {
    let Ok(found) = path.symlink_metadata() else { return };
    // The time of a directory's last change moves when a placeholder comes and goes.
    let time = if found.is_dir() { 0 } else { found.mtime_nsec() };
    let content = if found.is_file() { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
    seen.insert(path.to_owned(), format!("{:o} {} {time} {content}", found.mode(), found.uid()));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        look_at(&entry.path(), seen);
    }
}

impl Listeners {
    /// Two of them lie beside the workspace, where nothing is covered.
    fn new(beside: &Path) -> Self {
        let (tcp, udp, port) = same_port();
        let socket = tempfile::tempdir().unwrap();
        // Anybody who can reach it may speak to it.
        let open = |path: &Path| fs::set_permissions(path, PermissionsExt::from_mode(0o777)).unwrap();
        let abstract_name = format!("candor-{}-{port}", std::process::id());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        open(socket.path());
        let places = [socket.path().join("s"), beside.join("service")];
        let [covered, service] = places.clone().map(|path| UnixListener::bind(path).unwrap());
        let unix = [covered, service, UnixListener::bind_addr(&address).unwrap()];
        let letter_boxes = places.clone().map(|path| path.with_added_extension("letters"));
        let letters = letter_boxes.clone().map(|path| UnixDatagram::bind(path).unwrap());
        places.iter().chain(&letter_boxes).for_each(|path| open(path));
        let listeners = Self { tcp, udp, unix, letters, socket, abstract_name, port };
        listeners.tcp.iter().for_each(|listener| listener.set_nonblocking(true).unwrap());
        listeners.udp.iter().for_each(|listener| listener.set_nonblocking(true).unwrap());
        listeners.unix.iter().for_each(|listener| listener.set_nonblocking(true).unwrap());
        listeners.letters.iter().for_each(|letters| letters.set_nonblocking(true).unwrap());
        listeners
    }

    fn heard(&self) -> Option<&'static str> {
        let mut byte = [0];
        let tcp = self.tcp.iter().any(|listener| listener.accept().is_ok());
        let udp = self.udp.iter().any(|listener| listener.recv(&mut byte).is_ok());
        let unix = self.unix.iter().any(|listener| listener.accept().is_ok());
        let unix = unix || self.letters.iter().any(|letters| letters.recv(&mut byte).is_ok());
        [(tcp, "TCP"), (udp, "UDP"), (unix, "a Unix socket")]
            .into_iter()
            .find_map(|(heard, name)| heard.then_some(name))
    }
}

/// Listeners of both kinds and both versions on one port, which must be free for all of them.
fn same_port() -> ([TcpListener; 2], [UdpSocket; 2], u16) {
    loop {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        let others = TcpListener::bind(("::1", port)).and_then(|tcp6| {
            Ok((tcp6, UdpSocket::bind(("127.0.0.1", port))?, UdpSocket::bind(("::1", port))?))
        });
        if let Ok((tcp6, udp, udp6)) = others {
            return ([tcp, tcp6], [udp, udp6], port);
        }
    }
}
