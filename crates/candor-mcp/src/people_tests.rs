use std::sync::Arc;
use std::time::Duration;

use candor_protocol::SessionId;
use candor_tools::{Rules, ToolContext};
use tokio::time::timeout;

use super::{Callers, Thinking};

const SECOND: Duration = Duration::from_secs(1);

fn calling(session: SessionId) -> ToolContext {
    ToolContext::alone(session, "/".into(), Rules::default())
}

#[test]
fn a_question_is_for_the_session_that_calls_and_for_nobody_where_two_do() {
    let callers = Arc::new(Callers::default());
    let (one, other) = (SessionId::now(), SessionId::now());
    assert!(callers.whose().is_none());
    let first = callers.enter(&calling(one));
    let again = callers.enter(&calling(one));
    assert_eq!(callers.whose().unwrap().session, one);
    let second = callers.enter(&calling(other));
    assert!(callers.whose().is_none());
    drop((first, again));
    assert_eq!(callers.whose().unwrap().session, other);
    drop(second);
    assert!(callers.whose().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_call_stands_still_while_somebody_thinks() {
    let callers = Callers::default();
    let mut overdue = Box::pin(callers.overdue(2 * SECOND));
    assert!(timeout(SECOND, &mut overdue).await.is_err());
    let thinking = Thinking::begin(&callers.thinking);
    assert!(timeout(3600 * SECOND, &mut overdue).await.is_err());
    drop(thinking);
    assert!(timeout(SECOND / 2, &mut overdue).await.is_err());
    assert!(timeout(SECOND, &mut overdue).await.is_ok());
}
