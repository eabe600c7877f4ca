//! Adds requests to a controller's queue, with the priority of their reason, and debounced.

use std::time::Duration;

use tidings_workqueue::{AddOptions, Priority, WorkQueue};

use crate::controller::stats::RequestReason;
use crate::request::Request;

#[derive(Clone)]
pub(crate) struct RequestQueue {
    pub(crate) queue: WorkQueue<Request>,
    /// How long a request waits for more changes before its reconcile. The first change starts the window, and later
    /// ones do not restart it, so that an object that changes all the time is reconciled too.
    pub(crate) debounce: Duration,
}

impl RequestQueue {
    pub(crate) fn add(&self, request: Request, reason: RequestReason) {
        let options = match reason {
            RequestReason::Initial | RequestReason::Resync | RequestReason::ShardChanged => {
                AddOptions::new().priority(Priority::BACKGROUND)
            }
            // The queue would count a delay of zero as a retry.
            _ if self.debounce.is_zero() => AddOptions::new().priority(Priority::LIVE),
            _ => AddOptions::new().priority(Priority::LIVE).after(self.debounce),
        };
        self.queue.add_with(request, options);
    }
}
