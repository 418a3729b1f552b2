//! The one task that writes. Whatever waits for it goes into one transaction, so that many sessions share one wait for
//! the disk.

use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_protocol::SessionId;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::Error;
use crate::database::{Database, Purpose};
use crate::error::is_lost;
use crate::lease::{Hold, Lease, Leases, ServerLeases, key};
use crate::reconnect::reconnect;
use crate::sql::Connection;
use crate::work::{Applied, Attempt, Work};

/// How many may wait to be written before those after them wait to be let in.
const WAITING_MAX: usize = 256;

/// How many pieces of work one transaction takes: more would make the first wait for the last.
const GROUP_MAX: usize = 256;

/// How many bytes one transaction takes, unless a single piece has more.
const GROUP_BYTES_MAX: usize = 8 << 20;

/// How often work is tried again over a new connection before the trouble is believed.
const ATTEMPTS_MAX: usize = 5;

/// How long a lock that broke with its connection may take to come free: the server needs a moment to notice.
const RETAKE_WAIT_MAX: Duration = Duration::from_secs(2);

/// How often to ask for it meanwhile.
const RETAKE_POLL: Duration = Duration::from_millis(20);

/// The way to the task.
pub(crate) struct Writer {
    requests: mpsc::Sender<Request>,
    task: JoinHandle<()>,
    name: String,
}

/// What the task is asked for.
enum Request {
    Work(Job),
    Lease(LeaseWish),
}

struct LeaseWish {
    session: SessionId,
    reply: oneshot::Sender<Result<Option<Lease>, Error>>,
}

struct Job {
    work: Work,
    reply: oneshot::Sender<Result<Applied, Error>>,
}

impl Writer {
    /// Starts the task on a connection whose tables are ready.
    pub(crate) fn start(database: Database, connection: Connection, leases: Arc<Leases>) -> Self {
        let (requests, waiting) = mpsc::channel(WAITING_MAX);
        let name = database.name().to_owned();
        let desk = Desk { database, connection: Some(connection), leases };
        Self { requests, task: tokio::spawn(desk.serve(waiting)), name }
    }

    /// Has something written. When this returns without an error it is on the disk, or there was no need for it.
    pub(crate) async fn work(&self, work: Work) -> Result<Applied, Error> {
        self.begin(work).await?.end().await
    }

    /// Asks for something to be written.
    pub(crate) async fn begin(&self, work: Work) -> Result<Begun<'_>, Error> {
        let session = work.session();
        let (reply, answer) = oneshot::channel();
        let sent = self.requests.send(Request::Work(Job { work, reply })).await;
        sent.map_err(|_| gone(&self.name))?;
        Ok(Begun { session, answer, database: &self.name })
    }

    /// Takes a lease that lives with the connection.
    pub(crate) async fn lease(&self, session: SessionId) -> Result<Option<Lease>, Error> {
        let (reply, answer) = oneshot::channel();
        let sent = self.requests.send(Request::Lease(LeaseWish { session, reply })).await;
        sent.map_err(|_| gone(&self.name))?;
        answer.await.map_err(|_| gone(&self.name))?
    }

    /// Waits until everything that was asked for is written.
    pub(crate) async fn close(self) {
        drop(self.requests);
        // A task that panicked has nothing left to close.
        let _ = self.task.await;
    }
}

/// Something that the task was asked for.
pub(crate) struct Begun<'w> {
    session: SessionId,
    answer: oneshot::Receiver<Result<Applied, Error>>,
    database: &'w str,
}

impl Begun<'_> {
    /// Waits for it. When this returns without an error it is on the disk, or there was no need for it.
    pub(crate) async fn end(self) -> Result<Applied, Error> {
        let session = self.session;
        match self.answer.await.map_err(|_| gone(self.database))?? {
            Applied::Conflict => Err(Error::Conflict { session }),
            Applied::Unknown => Err(Error::SessionUnknown { session }),
            applied @ (Applied::Done | Applied::Needless) => Ok(applied),
        }
    }
}

fn gone(database: &str) -> Error {
    Error::unavailable(database, "its writer has stopped")
}

/// Where the task sits.
struct Desk {
    database: Database,
    /// None after trouble, until it is needed again.
    connection: Option<Connection>,
    leases: Arc<Leases>,
}

/// Why a transaction did not happen.
enum Trouble {
    /// The server went away in the middle of it.
    Lost(Error),
    /// Anything else.
    Refused(Error),
}

impl Desk {
    async fn serve(mut self, mut waiting: mpsc::Receiver<Request>) {
        loop {
            let first = tokio::select! {
                biased;
                first = waiting.recv() => first,
                () = self.rung() => {
                    self.give_back_leases().await;
                    continue;
                }
            };
            let Some(first) = first else { break };
            let (jobs, leases) = gather(first, &mut waiting);
            self.take_leases(leases).await;
            if !jobs.is_empty() {
                self.write(jobs).await;
            }
            self.give_back_leases().await;
        }
        // The server would notice the end of the connection only a moment later.
        self.give_back_leases().await;
        if let Some(connection) = self.connection {
            connection.close().await;
        }
    }

    async fn rung(&self) {
        match self.leases.on_server() {
            Some(server) => server.bell.notified().await,
            None => std::future::pending().await,
        }
    }

    /// Writes a group, and answers everyone in it.
    async fn write(&mut self, mut jobs: Vec<Job>) {
        // Always in the same order, so that two processes never wait for each other; what is for one session stays as it
        // came.
        jobs.sort_by_key(|job| job.work.session());
        match self.attempts(&jobs).await {
            Ok(applied) => answer(jobs, applied.into_iter().map(Ok)),
            // Something is wrong with what is stored of one session: the others need not suffer from it.
            Err(Error::Damaged { .. }) if jobs.len() > 1 => {
                for job in jobs {
                    let alone = std::slice::from_ref(&job);
                    let applied = self.attempts(alone).await;
                    let applied =
                        applied.map(|applied| applied.first().copied().unwrap_or(Applied::Needless));
                    let _ = job.reply.send(applied);
                }
            }
            Err(error) => answer(jobs, std::iter::repeat_with(|| Err(error.clone()))),
        }
    }

    async fn attempts(&mut self, jobs: &[Job]) -> Result<Vec<Applied>, Error> {
        let mut attempt = Attempt::First;
        let mut left = ATTEMPTS_MAX;
        loop {
            left -= 1;
            match self.transaction(jobs, attempt).await {
                Ok(applied) => return Ok(applied),
                Err(Trouble::Lost(_)) if left > 0 => attempt = Attempt::Again,
                Err(Trouble::Lost(error) | Trouble::Refused(error)) => return Err(error),
            }
        }
    }

    /// One transaction for all. The connection is given up after trouble: nobody knows what state it is in.
    async fn transaction(&mut self, jobs: &[Job], attempt: Attempt) -> Result<Vec<Applied>, Trouble> {
        self.database.still_there().map_err(Trouble::Refused)?;
        let mut connection = self.connected().await.map_err(Trouble::Refused)?;
        let leases = Arc::clone(&self.leases);
        let error = match apply(&mut connection, jobs, attempt, &leases).await {
            Ok(applied) => {
                self.connection = Some(connection);
                return Ok(applied);
            }
            Err(error) => error,
        };
        let told = self.database.error(&error);
        if is_lost(&error) {
            return Err(Trouble::Lost(told));
        }
        // The leases live with a server's connection, so that one is kept if it can be.
        if matches!(connection, Connection::Postgres(_)) && connection.rollback().await.is_ok() {
            self.connection = Some(connection);
        }
        Err(Trouble::Refused(told))
    }

    async fn connected(&mut self) -> Result<Connection, Error> {
        if let Some(connection) = self.connection.take() {
            return Ok(connection);
        }
        let mut connection = reconnect(&self.database, Purpose::Write).await?;
        if let Some(server) = self.leases.on_server() {
            retake(&mut connection, server).await.map_err(|error| self.database.error(&error))?;
        }
        Ok(connection)
    }

    /// Takes leases for some who asked at the same time. Where one of them meets a server that is away, the others need
    /// not wait for it each in turn.
    async fn take_leases(&mut self, wishes: Vec<LeaseWish>) {
        let mut trouble = None;
        for LeaseWish { session, reply } in wishes {
            let taken = match &trouble {
                None => self.take_lease(session).await,
                Some(error) => Err(Error::clone(error)),
            };
            trouble = taken.as_ref().err().cloned();
            // If nobody waits any more, the lease goes back as it is dropped here.
            let _ = reply.send(taken);
        }
    }

    async fn take_lease(&mut self, session: SessionId) -> Result<Option<Lease>, Error> {
        self.give_back_leases().await;
        let leases = Arc::clone(&self.leases);
        let Some(server) = leases.on_server() else { return Ok(None) };
        if server.hold(session).is_some() {
            return Ok(None);
        }
        let mut left = ATTEMPTS_MAX;
        loop {
            left -= 1;
            let mut connection = self.connected().await?;
            match try_lock(&mut connection, session).await {
                Ok(locked) => {
                    self.connection = Some(connection);
                    if !locked {
                        return Ok(None);
                    }
                    server.note(session, Hold::Firm);
                    return Ok(Some(Lease::new(session, Arc::clone(&leases))));
                }
                Err(error) if is_lost(&error) && left > 0 => {}
                Err(error) => return Err(self.database.error(&error)),
            }
        }
    }

    /// Gives back what was dropped. Without a connection there is nothing to give back: the server has it already.
    async fn give_back_leases(&mut self) {
        let Some(server) = self.leases.on_server() else { return };
        let Some(connection) = &mut self.connection else { return };
        for session in server.take_dropped() {
            let unlock = "SELECT CAST(pg_advisory_unlock($1) AS INT)";
            if connection.execute(unlock, &[key(session).into()]).await.is_err() {
                // With the connection all of them go back, and those still held are taken again.
                self.connection = None;
                return;
            }
        }
    }
}

/// What waits, up to a bound, and the first of it in any case.
fn gather(first: Request, waiting: &mut mpsc::Receiver<Request>) -> (Vec<Job>, Vec<LeaseWish>) {
    let (mut jobs, mut leases, mut bytes) = (Vec::new(), Vec::new(), 0);
    let mut next = Some(first);
    while let Some(request) = next {
        match request {
            Request::Work(job) => {
                bytes += job.work.bytes();
                jobs.push(job);
            }
            Request::Lease(wish) => leases.push(wish),
        }
        let full = bytes >= GROUP_BYTES_MAX || jobs.len() + leases.len() >= GROUP_MAX;
        next = if full { None } else { waiting.try_recv().ok() };
    }
    (jobs, leases)
}

fn answer(jobs: Vec<Job>, answers: impl Iterator<Item = Result<Applied, Error>>) {
    for (job, applied) in jobs.into_iter().zip(answers) {
        // Nobody may wait any more; what was written stays written.
        let _ = job.reply.send(applied);
    }
}

async fn apply(
    connection: &mut Connection,
    jobs: &[Job],
    attempt: Attempt,
    leases: &Leases,
) -> Result<Vec<Applied>, sqlx::Error> {
    if let [Job { work: Work::Append(batch), .. }] = jobs
        && batch.apply_at_once(connection).await?
    {
        return Ok(vec![Applied::Done]);
    }
    connection.begin().await?;
    let mut all = Vec::with_capacity(jobs.len());
    for job in jobs {
        let lost = leases.on_server().and_then(|server| server.hold(job.work.session())) == Some(Hold::Lost);
        // The index is everyone's to write.
        let applied = if lost && !matches!(job.work, Work::Index(_)) {
            Applied::Conflict
        } else {
            job.work.apply(connection, attempt).await?
        };
        all.push(applied);
    }
    connection.commit().await?;
    Ok(all)
}

/// Takes again, over a new connection, the locks of all leases that are still held here.
async fn retake(connection: &mut Connection, server: &ServerLeases) -> Result<(), sqlx::Error> {
    let deadline = Instant::now() + RETAKE_WAIT_MAX;
    for session in server.live() {
        let hold = loop {
            if try_lock(connection, session).await? {
                break Hold::Firm;
            }
            if Instant::now() >= deadline {
                break Hold::Lost;
            }
            tokio::time::sleep(RETAKE_POLL).await;
        };
        server.note_if_held(session, hold);
    }
    Ok(())
}

async fn try_lock(connection: &mut Connection, session: SessionId) -> Result<bool, sqlx::Error> {
    let sql = "SELECT CAST(CAST(pg_try_advisory_lock($1) AS INT) AS BIGINT) AS locked";
    let rows = connection.rows(sql, &[key(session).into()]).await?;
    rows.first().map_or(Ok(false), |row| Ok(row.int("locked")? == 1))
}
