//! The requests that the server received, so that a test can check what a client sent.
//!
//! The log is bounded twice. It keeps a number of requests, and drops the oldest ones. It keeps a number of bytes of
//! request bodies in total, and drops the oldest bodies, while the requests they belong to stay. So a load test does
//! not grow.
//!
//! Example: at most 3 requests and 100 bytes of bodies, after requests with bodies of 60, 0, 50 and 40 bytes:
//!
//! ```text
//! oldest                                    newest
//! [0 bytes: None]  [50 bytes: Some]  [40 bytes: Some]     the first request is dropped; 90 bytes are kept
//! ```
//!
//! Bodies of Secrets are never kept: tests print requests when they fail, and logs outlive tests.

use std::collections::VecDeque;
use std::fmt;

use bytes::Bytes;
use serde_json::Value;
use tokio::time::Instant;

use crate::protobuf;
use crate::request::RequestOptions;
use crate::resource::Verb;
use crate::sync::Mutex;

/// One request that the server received, and its outcome.
#[derive(Clone)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// HTTP method.
    pub method: String,
    /// Path, without the query.
    pub path: String,
    /// Query, as sent.
    pub query: String,
    /// What the request does with a resource; `None` for documents such as discovery, and for unknown paths.
    pub verb: Option<Verb>,
    /// Plural of the resource; empty for documents.
    pub plural: String,
    /// The options in the query. Default values if the query is malformed.
    pub options: RequestOptions,
    /// The `Accept` header.
    pub accept: String,
    /// The `Content-Type` header.
    pub content_type: String,
    /// The body, as sent.
    ///
    /// `None` if the server did not read it (reads have none, and an injected fault may answer before), if it is a
    /// Secret, or if the bodies of newer requests displaced it (see
    /// [`recorded_body_bytes_max`](crate::ApiServerBuilder::recorded_body_bytes_max)).
    pub body: Option<Bytes>,
    /// HTTP status code of the response; `None` if the connection was refused.
    pub code: Option<u16>,
    /// Who sent the request: the name of the user; empty if the server refused to authenticate it.
    pub user: String,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// Why the server refused the request; empty if it did not.
    pub refusal: String,
    /// When the request arrived.
    pub at: Instant,
}

impl RecordedRequest {
    /// The body as JSON, whether the client sent JSON, YAML or protobuf. `None` if there is no body, or if it is
    /// malformed.
    pub fn body_json(&self) -> Option<Value> {
        let body = self.body.as_deref()?;
        if self.content_type.starts_with(protobuf::MEDIA_TYPE) {
            return protobuf::decode(body).ok();
        }
        serde_json::from_slice(body).ok().or_else(|| serde_yaml::from_slice(body).ok())
    }
}

/// One line: who asked what, and what was answered, such as
/// `admin (kubectl/v1.36) POST /api/v1/namespaces/a/pods -> 404 namespaces "a" not found`.
impl fmt::Display for RecordedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = if self.user.is_empty() { "unknown" } else { &self.user };
        write!(f, "{user} ")?;
        if !self.user_agent.is_empty() {
            write!(f, "({}) ", self.user_agent.split(' ').next().unwrap_or_default())?;
        }
        write!(f, "{} {}", self.method, self.path)?;
        if !self.query.is_empty() {
            write!(f, "?{}", self.query)?;
        }
        match self.code {
            Some(code) => write!(f, " -> {code}")?,
            None => f.write_str(" -> connection refused")?,
        }
        if self.refusal.is_empty() { Ok(()) } else { write!(f, " {}", self.refusal) }
    }
}

/// Prints the length of the body and not the body: it may be large.
impl fmt::Debug for RecordedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedRequest")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("query", &self.query)
            .field("accept", &self.accept)
            .field("content_type", &self.content_type)
            .field("body_bytes", &self.body.as_ref().map(Bytes::len))
            .field("code", &self.code)
            .finish_non_exhaustive()
    }
}

/// The newest requests.
#[derive(Debug)]
pub(crate) struct RequestLog {
    log: Mutex<BoundedLog>,
    requests_max: usize,
    body_bytes_max: usize,
}

#[derive(Debug, Default)]
struct BoundedLog {
    requests: VecDeque<RecordedRequest>,
    /// How many requests were dropped from the front: the number of the first one in `requests`.
    first: usize,
    /// The numbers of the requests that have a body, oldest first.
    with_body: VecDeque<usize>,
    /// Sum of the lengths of all bodies in `requests`.
    body_bytes: usize,
}

impl RequestLog {
    pub(crate) fn new(requests_max: usize, body_bytes_max: usize) -> Self {
        Self { log: Mutex::default(), requests_max, body_bytes_max }
    }

    /// The copy of a request body to keep in the log, if it may be kept.
    ///
    /// A copy, because the bytes of a request may be a small part of a large network buffer.
    pub(crate) fn recordable_body(&self, plural: &str, body: &[u8]) -> Option<Bytes> {
        let is_kept = plural != "secrets" && !body.is_empty() && body.len() <= self.body_bytes_max;
        is_kept.then(|| Bytes::copy_from_slice(body))
    }

    pub(crate) fn record(&self, request: RecordedRequest) {
        let mut log = self.log.lock();
        log.push(request);
        while log.body_bytes > self.body_bytes_max {
            log.drop_oldest_body();
        }
        while log.requests.len() > self.requests_max {
            log.drop_oldest_request();
        }
    }

    pub(crate) fn all(&self) -> Vec<RecordedRequest> {
        self.log.lock().requests.iter().cloned().collect()
    }

    /// All requests as text, one line each, with the time since the first one.
    pub(crate) fn report(&self) -> String {
        let all = self.all();
        let Some(first) = all.first() else { return String::new() };
        let line = |request: &RecordedRequest| {
            format!("{:9.3} s  {request}\n", request.at.duration_since(first.at).as_secs_f64())
        };
        all.iter().map(line).collect()
    }

    pub(crate) fn clear(&self) {
        *self.log.lock() = BoundedLog::default();
    }
}

impl BoundedLog {
    fn push(&mut self, request: RecordedRequest) {
        if let Some(body) = &request.body {
            self.body_bytes += body.len();
            self.with_body.push_back(self.first + self.requests.len());
        }
        self.requests.push_back(request);
    }

    fn drop_oldest_body(&mut self) {
        let number = self.with_body.pop_front().expect("bytes are counted only while a request has a body");
        let body = self.requests[number - self.first].body.take();
        self.body_bytes -= body.map_or(0, |body| body.len());
    }

    fn drop_oldest_request(&mut self) {
        if self.with_body.front() == Some(&self.first) {
            self.drop_oldest_body();
        }
        self.requests.pop_front();
        self.first += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: Option<&[u8]>) -> RecordedRequest {
        RecordedRequest {
            method: "POST".to_owned(),
            path: "/".to_owned(),
            query: String::new(),
            verb: Some(Verb::Create),
            plural: "configmaps".to_owned(),
            options: RequestOptions::default(),
            accept: String::new(),
            content_type: "application/json".to_owned(),
            body: body.map(Bytes::copy_from_slice),
            code: Some(201),
            user: "admin".to_owned(),
            user_agent: "kubectl/v1.36 (linux)".to_owned(),
            refusal: String::new(),
            at: Instant::now(),
        }
    }

    #[test]
    fn the_oldest_requests_and_the_oldest_bodies_are_dropped_beyond_their_bounds() {
        let log = RequestLog::new(3, 100);
        for bytes in [60, 0, 50, 40] {
            log.record(request((bytes > 0).then_some(&[b'x'; 64][..bytes])));
        }
        let kept = |log: &RequestLog| -> Vec<_> {
            log.all().into_iter().map(|request| request.body.map(|body| body.len())).collect()
        };
        assert_eq!(kept(&log), [None, Some(50), Some(40)]);
        log.record(request(Some(&[b'x'; 30])));
        assert_eq!(kept(&log), [None, Some(40), Some(30)], "the request stays, its body is dropped");
        log.record(request(None));
        log.record(request(None));
        log.record(request(None));
        assert_eq!(kept(&log), [None; 3]);
        assert_eq!(log.log.lock().body_bytes, 0);
        log.clear();
        log.record(request(Some(&[b'x'; 100])));
        assert_eq!(kept(&log), [Some(100)]);
    }

    #[test]
    fn a_request_is_shown_as_one_line_with_its_user_and_the_refusal() {
        let mut shown = request(Some(b"secret"));
        assert_eq!(shown.to_string(), "admin (kubectl/v1.36) POST / -> 201");
        (shown.code, shown.refusal, shown.query) = (Some(404), "not found".to_owned(), "a=b".to_owned());
        assert_eq!(shown.to_string(), "admin (kubectl/v1.36) POST /?a=b -> 404 not found");
        let log = RequestLog::new(10, 10);
        log.record(shown);
        assert_eq!(log.report(), "    0.000 s  admin (kubectl/v1.36) POST /?a=b -> 404 not found\n");
    }

    #[test]
    fn bodies_of_secrets_and_bodies_beyond_the_bound_are_not_kept() {
        let log = RequestLog::new(10, 10);
        assert!(log.recordable_body("configmaps", &[0; 10]).is_some());
        assert!(log.recordable_body("configmaps", &[0; 11]).is_none());
        assert!(log.recordable_body("configmaps", &[]).is_none());
        assert!(log.recordable_body("secrets", &[0; 1]).is_none());
        assert!(RequestLog::new(10, 0).recordable_body("configmaps", &[0; 1]).is_none());
    }
}
