//! One submission, from the moment it is handed in to the end of its run.

use candor_protocol::{Body, EventBody, Origin, Outcome, SessionId, Submission};
use candor_runtime::Runtime;

use crate::fail::Fail;
use crate::printer::Printer;
use crate::repl::reader::Reader;
use crate::stops::{Stop, Stops};
use crate::word;

/// What is asked, and of which session.
pub(crate) struct Errand<'r> {
    pub(crate) runtime: &'r Runtime,
    pub(crate) origin: Origin,
    pub(crate) session: SessionId,
    /// The last of the session's events that is no news.
    pub(crate) after: u64,
    pub(crate) body: Body,
    /// Who can be asked about calls.
    pub(crate) person: Option<&'r mut Reader>,
}

/// A run that is over.
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    /// The number of its last event.
    pub(crate) seq: u64,
    /// Who stopped it, if it was one of our signals.
    pub(crate) stop: Option<Stop>,
    /// Whether everything could be shown.
    pub(crate) shown: Result<(), Fail>,
}

/// Hands it in and shows what happens until the run is over; nothing when no run comes of it. The first stop ends the run,
/// the second does not wait for that. When nobody can be shown anything any more, the run is stopped and its end still
/// waited for: what is stored must not break off in the middle.
pub(crate) async fn follow(
    errand: Errand<'_>,
    stops: &mut Stops,
    printer: &mut Printer<'_>,
) -> Result<Option<Ended>, Fail> {
    let Errand { runtime, origin, session, after, body, mut person } = errand;
    let mut events = runtime.subscribe(session, after).await?;
    if person.is_some() {
        events = events.attended();
    }
    let submit = |body| runtime.submit(Submission { session, origin, body });
    let receipt = submit(body).await?;
    if receipt.run.is_none() {
        return Ok(None);
    }
    let mut stop = None;
    let mut shown = Ok(());
    loop {
        let event = tokio::select! {
            // First, so that a person gets through to a run that has a lot to say.
            biased;
            signal = stops.next() => {
                if stop.replace(signal).is_some() {
                    printer.left(session);
                    return Err(Fail::Stopped);
                }
                printer.stopping();
                submit(Body::Stop(None)).await?;
                continue;
            }
            event = events.next() => event?,
        };
        if shown.is_ok() {
            shown = printer.show(&event);
            if shown.is_err() {
                submit(Body::Stop(None)).await?;
            }
        }
        if let (EventBody::ApprovalRequest { call_id, choices, .. }, Some(person)) =
            (&event.body, &mut person)
            && shown.is_ok()
            && stop.is_none()
        {
            let asked = word::Asked { call_id, choices };
            let answer = tokio::select! {
                biased;
                signal = stops.next() => {
                    stop = Some(signal);
                    printer.stopping();
                    Body::Stop(None)
                }
                answer = asked.answer(person, printer) => answer,
            };
            // A question may have been settled elsewhere meanwhile; the run tells by itself what came of it.
            let _ = submit(answer).await;
        }
        if let EventBody::RunEnd(outcome) = event.body
            && event.run_id == receipt.run
        {
            return Ok(Some(Ended { outcome, seq: event.seq, stop, shown }));
        }
    }
}
