//! Waiting times, as they are really written.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::{from_headers, from_text};

const NOW: &str = "2025-02-11T12:00:00Z";

#[track_caller]
fn check_headers(headers: &[(&str, &str)], expect_millis: Option<u64>) {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name: HeaderName = name.parse().unwrap();
        map.insert(name, HeaderValue::from_str(value).unwrap());
    }
    let wait = from_headers(&map, NOW.parse().unwrap());
    assert_eq!(wait, expect_millis.map(Duration::from_millis), "{headers:?}");
}

#[test]
fn seconds_and_milliseconds() {
    check_headers(&[], None);
    check_headers(&[("retry-after", "7")], Some(7_000));
    check_headers(&[("retry-after", " 1.5 ")], Some(1_500));
    check_headers(&[("retry-after-ms", "350")], Some(350));
}

#[test]
fn milliseconds_win() {
    check_headers(&[("retry-after-ms", "350"), ("retry-after", "7")], Some(350));
    check_headers(&[("retry-after-ms", "garbage"), ("retry-after", "7")], Some(7_000));
    check_headers(&[("retry-after-ms", "0"), ("retry-after", "7")], Some(7_000));
}

#[test]
fn dates() {
    check_headers(&[("retry-after", "Tue, 11 Feb 2025 12:00:34 GMT")], Some(34_000));
    check_headers(&[("retry-after", "Tue, 11 Feb 2025 11:59:00 GMT")], None);
    check_headers(&[("retry-after", "Tue, 11 Feb 2025 12:00:00 GMT")], None);
}

#[test]
fn f27_a_clock_that_is_off_gives_a_long_wait_or_none() {
    check_headers(&[("retry-after", "Tue, 11 Feb 2025 13:00:30 GMT")], Some(3_630_000));
    check_headers(&[("retry-after", "Tue, 11 Feb 2025 11:00:30 GMT")], None);
    check_headers(&[("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT")], None);
    check_headers(&[("retry-after", "Wed, 11 Feb 2099 12:00:00 GMT")], Some(2_335_219_200_000));
    check_headers(&[("retry-after", "Tue, 11 Feb 2025 12:00:34 +0100")], None);
    check_headers(&[("retry-after-ms", "20"), ("retry-after", "Wed, 11 Feb 2099 12:00:00 GMT")], Some(20));
}

#[test]
fn nonsense_is_no_waiting_time() {
    for value in ["0", "-1", "soon", "", "NaN", "inf", "1e400", "Tue, 99 Feb 2025 12:00:34 GMT"] {
        check_headers(&[("retry-after", value)], None);
        check_headers(&[("retry-after-ms", value)], None);
    }
}

#[track_caller]
fn check_text(text: &str, expect_millis: Option<u64>) {
    assert_eq!(from_text(text), expect_millis.map(Duration::from_millis), "{text}");
}

#[test]
fn times_in_text() {
    check_text("Rate limit reached. Please try again in 11.054s. Visit …", Some(11_054));
    check_text("Please try again in 350ms.", Some(350));
    check_text("try again in 1m30s", Some(90_000));
    check_text("Please retry in 7 seconds", Some(7_000));
    check_text("Please retry after 26 seconds.", Some(26_000));
    check_text(r#"{"@type":"RetryInfo","retryDelay": "34s"}"#, Some(34_000));
    check_text("try again in 2h 5m", Some(7_500_000));
}

#[test]
fn text_without_a_time() {
    check_text("Please try again in a while", None);
    check_text("Please try again in 5", None);
    check_text("try again in 0s", None);
    check_text("retryDelay", None);
    check_text("in 5 seconds the sky fell", None);
    check_text(&"ü".repeat(10_000), None);
}
