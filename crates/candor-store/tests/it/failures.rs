//! How often which failure was met, and got past.

use candor_protocol::{Code, Event, EventBody, Failure, Moment, Recovered, RecoveredBy, RunId};
use candor_store::CardRow;

use crate::rig::{Log, NOON, Rig, on_both};

on_both! {
    failures_are_counted_by_code_with_what_was_got_past,
    a_run_that_a_copy_repeats_counts_once_and_pages_do_not_matter,
}

fn result(log: &mut Log, run: RunId, code: Option<Code>, recovered: Vec<Recovered>) -> Event {
    let card = code.map(|code| candor_cards::card(&Failure::new(code)));
    let body = EventBody::ToolResult {
        call_id: "c".to_owned(),
        tool_name: "shell_exec".to_owned(),
        result: "a long text with \"isError\":true and \"recovered\":[ in it".to_owned(),
        for_people: String::new(),
        is_error: card.is_some(),
        card,
        duration_ms: 1,
        changes: Vec::new(),
        recovered,
        images: Vec::new(),
    };
    log.event(Some(run), body)
}

fn past(code: Code, failures: u64, duration_ms: u64, by: RecoveredBy) -> Recovered {
    Recovered { code: code.as_str().to_owned(), failures, duration_ms, by }
}

/// Code, calls, runs, recovered, by the runtime, time.
type Facts<'r> = (&'r str, u64, u64, u64, u64, Option<u64>);

fn facts(rows: &[CardRow]) -> Vec<Facts<'_>> {
    rows.iter()
        .map(|row| {
            (row.code.as_str(), row.calls, row.runs, row.recovered, row.recovered_by_auto, row.median_ms)
        })
        .collect()
}

async fn failures_are_counted_by_code_with_what_was_got_past(rig: Rig) {
    let store = rig.open().await;
    assert_eq!(store.cards(None).await.unwrap(), []);
    let (mut log, run) = (Log::new(), RunId::now());
    let auto = past(Code::FileNotFound, 1, 40, RecoveredBy::Auto);
    let both = vec![
        past(Code::CommandFailed, 2, 900, RecoveredBy::Model),
        past(Code::CommandNotFound, 1, 70, RecoveredBy::Model),
    ];
    let card = candor_cards::card(&Failure::new(Code::RunStuck));
    let events = [
        log.created(),
        log.start(run, "m"),
        result(&mut log, run, Some(Code::CommandFailed), Vec::new()),
        result(&mut log, run, Some(Code::CommandFailed), Vec::new()),
        result(&mut log, run, Some(Code::CommandNotFound), Vec::new()),
        result(&mut log, run, None, both),
        result(&mut log, run, Some(Code::FileNotFound), vec![auto]),
        result(&mut log, run, Some(Code::CommandFailed), Vec::new()),
        log.event(Some(run), EventBody::Error { message: "stuck".to_owned(), card }),
    ];
    store.append(&events).await.unwrap();
    let rows = store.cards(None).await.unwrap();
    let expected = [
        ("COMMAND_FAILED", 3, 0, 2, 0, Some(900)),
        ("COMMAND_NOT_FOUND", 1, 0, 1, 0, Some(70)),
        ("FILE_NOT_FOUND", 1, 0, 1, 1, Some(40)),
        ("RUN_STUCK", 0, 1, 0, 0, None),
    ];
    assert_eq!(facts(&rows), expected);
    assert_eq!((rows[1].recovery_rate, rows[3].recovery_rate), (Some(1.0), None));
    assert_eq!(store.cards(Some(Moment::from_millis(NOON + 60_000))).await.unwrap(), []);
    let late = store.cards(Some(Moment::from_millis(NOON + 7_500))).await.unwrap();
    assert_eq!(facts(&late)[0], ("COMMAND_FAILED", 1, 0, 0, 0, None));
}

async fn a_run_that_a_copy_repeats_counts_once_and_pages_do_not_matter(rig: Rig) {
    let store = rig.open().await;
    let run = RunId::now();
    for _ in 0..2 {
        let mut log = Log::new();
        let mut events = vec![log.created(), log.start(run, "m")];
        for _ in 0..250 {
            events.push(result(&mut log, run, Some(Code::CommandFailed), Vec::new()));
            events.push(result(&mut log, run, None, Vec::new()));
        }
        store.append(&events).await.unwrap();
    }
    assert_eq!(facts(&store.cards(None).await.unwrap()), [("COMMAND_FAILED", 250, 0, 0, 0, None)]);
}
