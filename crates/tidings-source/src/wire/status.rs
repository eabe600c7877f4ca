//! Reads the `Status` that a server sends instead of the requested list or watch: from JSON or protobuf, from headers,
//! or from the HTTP code alone if the response comes from a proxy.

use std::time::Duration;

use http::header::{DATE, HeaderMap, RETRY_AFTER};
use jiff::fmt::rfc2822::DateTimeParser;
use serde_json::Value;

use super::{Payload, excerpt};
use crate::{StatusCause, StatusDetail};

/// Longer messages and reasons are cut, because they are logged.
const TEXT_CHARS_MAX: usize = 2048;

const CAUSES_MAX: usize = 32;

/// Reads a `Status`. Fields that are missing or have a wrong type are left empty.
pub(crate) fn from_json(status: &Value) -> StatusDetail {
    let details = &status["details"];
    let cause = |cause: &Value| StatusCause {
        reason: text(&cause["reason"]),
        field: text(&cause["field"]),
        message: text(&cause["message"]),
    };
    let causes = details["causes"].as_array().map_or(&[][..], Vec::as_slice);
    StatusDetail {
        code: status["code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or_default(),
        reason: text(&status["reason"]),
        message: text(&status["message"]),
        causes: causes.iter().take(CAUSES_MAX).map(cause).collect(),
        retry_after: details["retryAfterSeconds"].as_u64().filter(|s| *s > 0).map(Duration::from_secs),
    }
}

/// Reads the `Status` of an `ERROR` event.
pub(crate) fn from_event(object: Payload<'_>) -> StatusDetail {
    object.status().unwrap_or_else(|| StatusDetail {
        reason: "Unknown".to_owned(),
        message: "an ERROR event without a Status".to_owned(),
        ..StatusDetail::default()
    })
}

/// Reads an error response: its HTTP code of 400 or more, its headers, and the part of its body that was read.
pub(crate) fn from_response(code: u16, headers: &HeaderMap, body: &[u8]) -> StatusDetail {
    let mut detail = Payload::of_error_body(body).status().unwrap_or_else(|| StatusDetail {
        message: excerpt::of_body(headers, body),
        ..StatusDetail::default()
    });
    if detail.code < 400 {
        detail.code = code;
    }
    if detail.reason.is_empty() {
        detail.reason = reason_of(detail.code).to_owned();
    }
    detail.retry_after = retry_after(headers).or(detail.retry_after);
    detail
}

/// The delay of a `Retry-After` header, which is in seconds or a date. A date is compared with the `Date` header of the
/// same response, because both come from the server's clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let wanted = text(RETRY_AFTER)?;
    if let Ok(seconds) = wanted.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let time = |text: &str| DateTimeParser::new().parse_timestamp(text).ok();
    let wait = time(wanted)?.duration_since(time(text(DATE)?)?);
    Some(Duration::try_from(wait).unwrap_or_default())
}

/// The reason that Kubernetes gives for an HTTP code.
fn reason_of(code: u16) -> &'static str {
    match code {
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        406 => "NotAcceptable",
        409 => "Conflict",
        410 => "Gone",
        415 => "UnsupportedMediaType",
        422 => "Invalid",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "Unknown",
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().chars().take(TEXT_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use http::header::{CONTENT_TYPE, HeaderName};

    use super::*;
    use crate::ErrorClass;

    fn json(text: &[u8]) -> Payload<'_> {
        Payload::Json(text)
    }

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_status_is_read_with_its_causes_and_its_delay() {
        let body = br#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m",
            "reason":"Timeout","details":{"retryAfterSeconds":1,"causes":[
            {"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]},"code":504}"#;
        let status = from_response(504, &HeaderMap::new(), body);
        assert_eq!((status.code, &*status.reason, &*status.message), (504, "Timeout", "m"));
        assert_eq!(status.retry_after, Some(Duration::from_secs(1)));
        assert_eq!(status.class(), ErrorClass::VersionTooLarge);
    }

    // holds: X4
    #[test]
    fn retry_after_is_read_in_seconds_and_as_a_date_of_the_servers_clock() {
        let now = "Sun, 06 Nov 1994 08:49:37 GMT";
        let read = |wanted, now: &str| retry_after(&headers(&[(RETRY_AFTER, wanted), (DATE, now)]));
        assert_eq!(read("120", now), Some(Duration::from_secs(120)));
        assert_eq!(read("Sun, 06 Nov 1994 08:50:07 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(read("Sun, 06 Nov 1994 08:49:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(read("soon", now), None);
        assert_eq!(read("-1", now), None);
        assert_eq!(retry_after(&headers(&[(RETRY_AFTER, now)])), None);
    }

    #[test]
    fn the_retry_after_header_overrides_the_body() {
        let body = br#"{"kind":"Status","details":{"retryAfterSeconds":1},"code":429}"#;
        let status = from_response(429, &headers(&[(RETRY_AFTER, "9")]), body);
        assert_eq!(status.retry_after, Some(Duration::from_secs(9)));
    }

    #[test]
    fn the_response_of_a_proxy_becomes_a_status_of_its_code() {
        let html = headers(&[(CONTENT_TYPE, "text/html; charset=utf-8")]);
        let status = from_response(503, &html, b"<html>\n\x1b<b>no upstream</b>");
        assert_eq!(status.class(), ErrorClass::Server);
        assert_eq!(
            status.to_string(),
            "503 ServiceUnavailable: text/html; charset=utf-8 of 26 bytes: \"<html>  <b>no upstream</b>\""
        );
        assert_eq!(from_response(404, &HeaderMap::new(), b"").class(), ErrorClass::NotFound);
        assert_eq!(from_response(410, &HeaderMap::new(), b"").class(), ErrorClass::Expired);
        assert_eq!(from_response(500, &HeaderMap::new(), b"").class(), ErrorClass::Internal);
    }

    #[test]
    fn json_that_is_not_a_status_is_never_quoted() {
        let body = br#"{"kind":"Secret","data":{"password":"aHVudGVyMg=="}}"#;
        let status = from_response(500, &HeaderMap::new(), body);
        assert!(!status.message.contains("aHVudGVyMg"), "{}", status.message);
    }

    #[test]
    fn fields_of_a_wrong_type_are_left_empty() {
        let status =
            from_event(json(br#"{"kind":"Status","code":"410","reason":null,"details":[],"message":7}"#));
        assert_eq!(status, StatusDetail::default());
        let status = from_event(json(br#"{"kind":"Pod"}"#));
        assert_eq!(status.message, "an ERROR event without a Status");
        assert_eq!(from_event(json(b"{\xff")).reason, "Unknown");
    }

    #[test]
    fn a_long_message_is_cut() {
        let body = format!(r#"{{"kind":"Status","message":"{}"}}"#, "x".repeat(100_000));
        assert_eq!(from_event(json(body.as_bytes())).message.len(), TEXT_CHARS_MAX);
    }
}
