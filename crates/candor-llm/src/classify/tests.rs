//! One test for each quirk of a provider, with the strings that it really sends.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::{Response, Said, response, stream_error};
use crate::Error;

const NOW: &str = "2025-02-11T12:00:00Z";

fn classify(status: u16, headers: &[(&str, &str)], body: &str) -> Error {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name: HeaderName = name.parse().unwrap();
        map.insert(name, HeaderValue::from_str(value).unwrap());
    }
    let refused = Response { status, headers: &map, body, url: "http://host/v1", model: "m" };
    response(refused, NOW.parse().unwrap())
}

/// The name of the variant.
fn kind(error: &Error) -> String {
    format!("{error:?}").chars().take_while(char::is_ascii_alphabetic).collect()
}

#[track_caller]
fn check(status: u16, body: &str, expect: &str) {
    assert_eq!(kind(&classify(status, &[], body)), expect, "{status} {body}");
}

#[track_caller]
fn check_stream(kinds: &str, message: &str, expect: &str) {
    assert_eq!(kind(&stream_error(kinds, message)), expect, "{kinds} {message}");
}

#[test]
fn s15_3_a_refused_key_is_not_retried() {
    for status in [401, 403] {
        let error = classify(status, &[], r#"{"error":{"message":"Incorrect API key provided"}}"#);
        assert_eq!(error, Error::Unauthorized { status, message: "Incorrect API key provided".to_owned() });
        assert!(!error.is_retryable(&[status]));
    }
}

#[test]
fn an_empty_account_is_not_a_busy_minute() {
    check(402, r#"{"error":{"message":"Insufficient Balance"}}"#, "OutOfQuota");
    check(
        429,
        r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
        "OutOfQuota",
    );
    check(403, r#"{"error":{"message":"no","code":"insufficient_quota"}}"#, "OutOfQuota");
    check(429, r#"{"error":{"code":"usage_not_included","message":"x"}}"#, "OutOfQuota");
    check(429, r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#, "RateLimited");
}

#[test]
fn anthropic_spend_limit_is_out_of_quota() {
    let body = r#"{"type":"error","error":{"type":"rate_limit_error","message":"x","details":{"error_code":"enforced_spend_limit_reached"}}}"#;
    check(429, body, "OutOfQuota");
}

#[test]
fn anthropic_low_credit_comes_as_400() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#;
    check(400, body, "OutOfQuota");
}

#[test]
fn gemini_says_quota_and_means_a_minute() {
    let with_delay = r#"[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34s"}]}}]"#;
    let error = classify(429, &[], with_delay);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(34)));
    assert_eq!(kind(&error), "RateLimited");
    check(429, r#"{"error":{"message":"You exceeded your current quota, check your plan"}}"#, "OutOfQuota");
}

#[test]
fn s15_2_the_header_names_the_wait() {
    let error = classify(429, &[("retry-after", "7")], "Please try again in 3s");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    let error = classify(503, &[("retry-after", "2")], "");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
    let error = classify(429, &[], r#"{"error":{"message":"Please try again in 3s"}}"#);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
}

#[test]
fn too_long_is_said_in_many_ways() {
    let bodies = [
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210266 tokens > 200000 maximum"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"…","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 65536 tokens.","code":"invalid_request_error"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"The input token count (1) exceeds the maximum number of tokens allowed (0).","status":"INVALID_ARGUMENT"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9}}"#,
        ),
        (500, r#"{"error":{"message":"the request exceeds the available context size"}}"#),
        (400, r#"{"error":"the input length exceeds the context length"}"#),
        (
            400,
            r#"{"object":"error","message":"The prompt is longer than the maximum model length of 4096","code":400}"#,
        ),
        (
            400,
            r#"{"object":"error","message":"Prompt contains 9 tokens, too large for model with 8 maximum context length"}"#,
        ),
        (
            400,
            r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"message\":\"maximum context length is 8\"}"}}}"#,
        ),
        (
            413,
            r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
        ),
        (422, r#"{"detail":"maximum context length"}"#),
    ];
    for (status, body) in bodies {
        check(status, body, "ContextTooLong");
    }
}

#[test]
fn a_picture_that_is_not_taken_is_told_from_other_refusals() {
    let bodies = [
        (400, r#"{"error":"this model does not support image input (ref: 1)"}"#),
        (404, r#"{"error":{"message":"No endpoints found that support image input","code":404}}"#),
        (
            500,
            r#"{"error":{"message":"image input is not supported - hint: you may need to provide the mmproj"}}"#,
        ),
        (500, r#"{"error":"this model is missing data required for image input"}"#),
        (400, r#"{"object":"error","message":"m is not a multimodal model","code":400}"#),
        (400, r#"{"object":"error","message":"At most 0 image(s) may be provided in one prompt."}"#),
        (
            400,
            r#"{"error":{"message":"Failed to deserialize: unknown variant `image_url`, expected `text`"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"Invalid content type. image_url is only supported by certain models."}}"#,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"}}"#,
        ),
        (400, r#"{"error":{"message":"messages.1: image exceeds 5 MB maximum: 9 bytes > 8 bytes"}}"#),
        (
            400,
            r#"{"error":{"message":"At least one of the image dimensions exceed max allowed size: 8000 pixels"}}"#,
        ),
        (400, r#"{"error":{"message":"You uploaded an unsupported image.","code":"invalid_image_format"}}"#),
        (400, r#"{"error":{"message":"The image data you provided does not represent a valid image."}}"#),
        (
            400,
            r#"{"error":{"code":400,"message":"Unable to process input image.","status":"INVALID_ARGUMENT"}}"#,
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"Unsupported MIME type: image/gif","status":"INVALID_ARGUMENT"}}"#,
        ),
        (400, r#"{"object":"error","message":"Unexpected role 'user' after role 'tool'"}"#),
    ];
    for (status, body) in bodies {
        check(status, body, "PictureRefused");
    }
    check_stream("invalid_request_error", "Could not process image", "PictureRefused");
    check(429, r#"{"error":{"message":"too many: image exceeds"}}"#, "RateLimited");
    check(400, r#"{"error":{"message":"bad image name"}}"#, "BadRequest");
}

#[test]
fn a_missing_model_is_not_a_missing_path() {
    let gone = classify(
        404,
        &[],
        r#"{"error":{"message":"The model `m` does not exist","code":"model_not_found"}}"#,
    );
    assert!(matches!(&gone, Error::ModelUnknown { model, .. } if model == "m"), "{gone:?}");
    check(
        404,
        r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}"#,
        "ModelUnknown",
    );
    check(404, r#"{"error":"model \"x\" not found, try pulling it first"}"#, "ModelUnknown");
    check(400, r#"{"error":{"message":"x is not a valid model ID","code":400}}"#, "ModelUnknown");
    check(400, r#"{"error":{"message":"Model Not Exist","code":"invalid_request_error"}}"#, "ModelUnknown");
    check(404, r#"{"detail":"Not Found"}"#, "NotAProvider");
    check(404, "<html><title>404</title><body>models</body></html>", "NotAProvider");
}

#[test]
fn statuses_of_trouble_are_unavailable() {
    for status in [408, 500, 501, 502, 503, 504, 520, 529] {
        let error = classify(status, &[], "");
        assert_eq!((kind(&error).as_str(), error.status()), ("Unavailable", Some(status)));
        assert!(error.is_retryable(&[status]) && !error.is_retryable(&[]), "the configuration decides");
    }
}

#[test]
fn overloaded_before_the_stream() {
    let body =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#;
    let error = classify(529, &[], body);
    assert_eq!(
        error,
        Error::Unavailable { status: Some(529), retry_after: None, message: "Overloaded".to_owned() }
    );
}

#[track_caller]
fn check_message(body: &str, expect: &str) {
    let Error::BadRequest { message, .. } = classify(400, &[], body) else { panic!("not a bad request") };
    assert_eq!(message, expect);
}

#[test]
fn the_message_is_found_in_every_shape() {
    check_message(r#"{"error":{"message":"a\n  b"}}"#, "a b");
    check_message(r#"{"error":"c"}"#, "c");
    check_message(r#"{"message":"d"}"#, "d");
    check_message(r#"{"detail":"e"}"#, "e");
    check_message(r#"{"detail":[{"loc":["body"],"msg":"f"}]}"#, "f");
    check_message(r#"{"odd":1}"#, r#"{"odd":1}"#);
    check_message("<html><head><TITLE>Bad\nGateway</TITLE></head></html>", "an HTML page, Bad Gateway");
    check_message("<p>no", "an HTML page");
    check_message("plain words", "plain words");
    check_message("  ", "status 400 without a body");
    check_message(&"é".repeat(2_000), &"é".repeat(500));
}

#[test]
fn a_redirect_names_the_host_alone() {
    let location = [("location", "https://user:pass@login.example:8443/x?token=secret")];
    let Error::NotAProvider { reason, .. } = classify(307, &location, "") else { panic!("not refused") };
    assert_eq!(reason, "status 307, a redirect to https://login.example:8443");
    check(302, "", "NotAProvider");
    check(304, "", "NotAProvider");
}

#[test]
fn x_should_retry_is_the_providers_word() {
    let never = [("x-should-retry", "false")];
    assert_eq!(kind(&classify(429, &never, "no")), "BadRequest");
    let error = classify(529, &never, "no");
    assert!(!error.is_retryable(&[529]), "{error:?}");
    let always = [("x-should-retry", "true")];
    for status in [400, 409, 422, 429] {
        assert!(classify(status, &always, "no").is_retryable(&[]), "{status}");
    }
    assert_eq!(kind(&classify(401, &always, "no")), "Unauthorized");
    assert_eq!(kind(&classify(403, &always, "no")), "Unauthorized");
}

#[test]
fn errors_inside_a_stream_by_their_kind() {
    for overloaded in
        ["overloaded_error", "server_error", "api_error", "timeout_error", "server_is_overloaded", "503", ""]
    {
        check_stream(overloaded, "x", "Unavailable");
    }
    for rate in ["rate_limit_error", "rate_limit_exceeded", "slow_down", "429", "RESOURCE_EXHAUSTED"] {
        check_stream(rate, "x", "RateLimited");
    }
    for quota in ["insufficient_quota", "billing_error", "usage_not_included"] {
        check_stream(quota, "x", "OutOfQuota");
    }
    for refused in ["invalid_request_error", "invalid_prompt", "cyber_policy", "400 BadRequestError"] {
        check_stream(refused, "x", "BadRequest");
    }
    for key in ["authentication_error", "permission_error", "401"] {
        check_stream(key, "x", "Unauthorized");
    }
    check_stream("context_length_exceeded", "x", "ContextTooLong");
    check_stream("request_too_large", "x", "ContextTooLong");
    check_stream("invalid_request_error", "prompt is too long", "ContextTooLong");
    check_stream("not_found_error", "model: x", "ModelUnknown");
}

#[test]
fn an_error_inside_a_stream_is_retried_whatever_the_list_says() {
    assert!(stream_error("overloaded_error", "Overloaded").is_retryable(&[]));
    let limited =
        stream_error("rate_limit_exceeded", "Rate limit reached. Please try again in 11.054s. Visit …");
    assert_eq!(limited.retry_after(), Some(Duration::from_millis(11_054)));
}

#[test]
fn an_error_without_words_still_says_something() {
    assert_eq!(stream_error("", "").to_string(), "provider out of order: no reason given");
    assert_eq!(stream_error("api_error", " ").to_string(), "provider out of order: api_error");
}

#[test]
fn a_whole_body_is_an_error_or_not() {
    assert!(Said::error_in(r#"{"error":{"message":"m"}}"#).is_some());
    assert!(Said::error_in(r#"{"object":"error","message":"m"}"#).is_some());
    assert!(Said::error_in(r#"{"error":null,"choices":[]}"#).is_none());
    assert!(Said::error_in(r#"{"choices":[]}"#).is_none());
    assert!(Said::error_in("[1]").is_none());
    assert!(Said::error_in("{").is_none());
}
