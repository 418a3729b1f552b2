//! Points in time.

use candor_protocol::Moment;

#[test]
fn a_moment_is_its_text_to_the_millisecond() {
    let moment: Moment = "2025-02-11T10:00:00.123456Z".parse().expect("a moment");
    assert_eq!(moment.to_string(), "2025-02-11T10:00:00.123Z");
    assert_eq!(moment.to_string().parse::<Moment>().expect("a moment"), moment);
    assert_eq!(Moment::from_millis(moment.as_millis()), moment);
}

#[test]
fn what_is_no_time_is_refused() {
    for text in ["", "yesterday", "2025-02-30T10:00:00Z", "\"2025\""] {
        assert!(serde_json::from_value::<Moment>(text.into()).is_err(), "{text}");
    }
}
