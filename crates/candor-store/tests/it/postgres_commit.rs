//! A commit whose answer is lost: it happened or it did not, and an append is stored once in either case.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use candor_store::{Error, Location, Store};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use crate::rig::{Log, Rig};

/// Everything passes.
const OPEN: u8 = 0;
/// The next commit does not reach the server.
const BEFORE: u8 = 1;
/// The next commit reaches the server, and its answer nobody.
const AFTER: u8 = 2;

/// Stands between a store and the server, and cuts the line at a commit.
struct Cutter {
    location: Location,
    cut: Arc<AtomicU8>,
}

impl Cutter {
    async fn start(rig: &Rig) -> Self {
        let Location::Postgres(address) = rig.location() else { panic!("a server is needed") };
        let (head, tail) = address.split_once("127.0.0.1:").unwrap();
        let (port, rest) = tail.split_once('/').unwrap();
        let server = format!("127.0.0.1:{port}");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = listener.local_addr().unwrap();
        let cut = Arc::new(AtomicU8::new(OPEN));
        let shared = Arc::clone(&cut);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(pass(client, server, Arc::clone(&shared)));
            }
        });
        Self { location: Location::Postgres(format!("{head}{own}/{rest}")), cut }
    }
}

async fn pass(client: TcpStream, server: TcpStream, cut: Arc<AtomicU8>) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = requests(from_client, to_server, &cut) => {}
        () = answers(from_server, to_client, &cut) => {}
    }
}

async fn requests(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, cut: &AtomicU8) {
    let mut bytes = vec![0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        let is_commit = bytes[..count].windows(6).any(|word| word == b"COMMIT");
        if is_commit && cut.load(Ordering::SeqCst) == BEFORE {
            cut.store(OPEN, Ordering::SeqCst);
            return;
        }
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, cut: &AtomicU8) {
    let mut bytes = vec![0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        let is_commit = bytes[..count].windows(6).any(|word| word == b"COMMIT");
        if is_commit && cut.load(Ordering::SeqCst) == AFTER {
            cut.store(OPEN, Ordering::SeqCst);
            return;
        }
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

async fn check_once(place: u8) {
    let (rig, mut log) = (Rig::postgres(), Log::new());
    let cutter = Cutter::start(&rig).await;
    let store = Store::open(&cutter.location).await.unwrap();
    let created = log.created();
    store.append(std::slice::from_ref(&created)).await.unwrap();
    cutter.cut.store(place, Ordering::SeqCst);
    let two = [log.said("2"), log.said("3")];
    store.append(&two).await.unwrap();
    assert_eq!(cutter.cut.load(Ordering::SeqCst), OPEN, "the line was cut");
    let [two, three] = two;
    assert_eq!(store.events(log.session, 0, 10).await.unwrap(), [created, two, three]);
    assert_eq!(store.session(log.session).await.unwrap().unwrap().message_count, 2);
}

#[tokio::test]
async fn a_commit_that_did_not_arrive_is_made_again() {
    check_once(BEFORE).await;
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_not_made_again() {
    check_once(AFTER).await;
}

#[tokio::test]
async fn a_creation_a_deletion_and_a_stage_survive_a_lost_answer() {
    let (rig, mut log) = (Rig::postgres(), Log::new());
    let cutter = Cutter::start(&rig).await;
    let store = Store::open(&cutter.location).await.unwrap();
    let cut = || cutter.cut.store(AFTER, Ordering::SeqCst);
    let mut stage = store.stage(log.session).await.unwrap().unwrap();
    cut();
    stage.push(&[log.created(), log.said("2")]).await.unwrap();
    cut();
    stage.finish().await.unwrap();
    assert_eq!(store.last_seq(log.session).await.unwrap(), Some(2));
    let lease = loop {
        if let Some(lease) = store.lease(log.session).await.unwrap() {
            break lease;
        }
    };
    cut();
    assert!(store.delete(&lease).await.unwrap());
    let mut other = Log::new();
    cut();
    store.append(&[other.created()]).await.unwrap();
    assert_eq!(store.last_seq(other.session).await.unwrap(), Some(1));
}

#[tokio::test]
async fn another_writer_in_the_meantime_is_a_conflict() {
    let (rig, mut log) = (Rig::postgres(), Log::new());
    let cutter = Cutter::start(&rig).await;
    let (store, direct) = (Store::open(&cutter.location).await.unwrap(), rig.open().await);
    store.append(&[log.created()]).await.unwrap();
    let (mine, theirs) = (log.said("mine"), log.said("theirs"));
    let theirs = candor_protocol::Event { seq: mine.seq, ..theirs };
    direct.append(std::slice::from_ref(&theirs)).await.unwrap();
    cutter.cut.store(BEFORE, Ordering::SeqCst);
    let refused = store.append(&[mine]).await;
    assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
    assert_eq!(direct.events(log.session, 1, 10).await.unwrap(), [theirs]);
}
