use std::convert::Infallible;
use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use axum::extract::ws::Message;
use futures_util::sink::unfold;
use tempfile::TempDir;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{End, READ_RATE_MIN, write};
use crate::Access;
use crate::outbox::Outbox;

const UNREAD_TIME_MAX: Duration = Duration::from_millis(20);

/// How the socket of a client ends that takes so long for a frame; without a time, it never takes it.
#[track_caller]
fn check(text: &str, takes: Option<Duration>, expect: End) {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it starts");
    let end = tokio.block_on(async {
        let dir = TempDir::new().expect("a folder");
        let (access, _) = Access::open(dir.path().join("token")).expect("a token");
        let (outbox, mut waiting) = Outbox::new();
        let mut client = pin!(unfold((), async |(), _: Message| {
            match takes {
                Some(time) => sleep(time).await,
                None => pending().await,
            }
            Ok::<_, Infallible>(())
        }));
        outbox.send(Message::text(text)).await.expect("it is open");
        outbox.flush().await.expect("it is open");
        drop(outbox);
        write(&mut client, &mut waiting, &access, &CancellationToken::new(), UNREAD_TIME_MAX).await
    });
    assert_eq!(end, expect, "{takes:?} for {} bytes", text.len());
}

#[test]
fn a_client_that_leaves_a_frame_unread_is_cut_off() {
    check("x", Some(Duration::ZERO), End::Left);
    check("x", None, End::Unread);
    check("x", Some(UNREAD_TIME_MAX * 10), End::Unread);
}

#[test]
fn a_long_frame_has_time_to_be_read() {
    let long = "x".repeat(READ_RATE_MIN);
    check(&long, Some(UNREAD_TIME_MAX * 10), End::Left);
    check(&long, None, End::Unread);
}
