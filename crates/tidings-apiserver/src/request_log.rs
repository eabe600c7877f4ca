//! The requests that were made, so that a test can say what a client asked. Bounded: the oldest are forgotten.

use std::collections::VecDeque;

use tokio::time::Instant;

use crate::request::RequestOptions;
use crate::resource::Verb;
use crate::sync::Mutex;

/// One request and its outcome.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// HTTP method.
    pub method: String,
    /// Path, without query.
    pub path: String,
    /// Query, as sent.
    pub query: String,
    /// What was asked of a resource; none for documents and paths that name nothing.
    pub verb: Option<Verb>,
    /// Plural of the resource; empty for documents.
    pub plural: String,
    /// The options, as far as they could be read.
    pub options: RequestOptions,
    /// The `Accept` header.
    pub accept: String,
    /// HTTP status code of the answer; none if the connection was refused.
    pub code: Option<u16>,
    /// When it was made.
    pub at: Instant,
}

/// The newest requests.
#[derive(Debug)]
pub(crate) struct RequestLog {
    requests: Mutex<VecDeque<RecordedRequest>>,
    requests_max: usize,
}

impl RequestLog {
    pub(crate) fn new(requests_max: usize) -> Self {
        Self { requests: Mutex::default(), requests_max }
    }

    pub(crate) fn record(&self, request: RecordedRequest) {
        let mut requests = self.requests.lock();
        requests.push_back(request);
        while requests.len() > self.requests_max {
            requests.pop_front();
        }
    }

    pub(crate) fn all(&self) -> Vec<RecordedRequest> {
        self.requests.lock().iter().cloned().collect()
    }

    pub(crate) fn clear(&self) {
        self.requests.lock().clear();
    }
}
