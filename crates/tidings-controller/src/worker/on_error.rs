//! The user's hook for failed reconciles: chooses what happens to the request instead of the rate limiter.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::action::Action;
use crate::reconciler::Error;
use crate::request::Request;
use crate::sync::Mutex;

type OnErrorFn = dyn Fn(&Request, &Error, u32) -> Action + Send + Sync;

/// The hook, and the number of consecutive failures of each request. The rate limiter's own count does not serve here,
/// because it grows only with rate-limited retries.
pub(crate) struct OnError {
    hook: Box<OnErrorFn>,
    /// Requests that failed and will be retried.
    failures: Mutex<HashMap<Request, u32, RandomState>>,
}

impl OnError {
    pub(crate) fn new(hook: impl Fn(&Request, &Error, u32) -> Action + Send + Sync + 'static) -> Self {
        OnError { hook: Box::new(hook), failures: Mutex::default() }
    }

    /// Counts a failure, and returns what the hook chose.
    pub(super) fn failed(&self, request: &Request, error: &Error) -> Action {
        let failures = {
            let mut failures = self.failures.lock();
            let count = failures.entry(request.clone()).or_default();
            *count = count.saturating_add(1);
            *count
        };
        let action = (self.hook)(request, error, failures);
        if action == Action::AwaitChange {
            self.reset(request);
        }
        action
    }

    pub(super) fn reset(&self, request: &Request) {
        self.failures.lock().remove(request);
    }
}
