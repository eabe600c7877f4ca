//! Where requests enter a controller's queue: with the priority of their reason, and debounced.

use std::time::Duration;

use tidings_workqueue::{AddOptions, Priority, WorkQueue};

use crate::controller::stats::RequestReason;
use crate::request::Request;

/// Puts requests on a queue.
#[derive(Clone)]
pub(crate) struct RequestQueue {
    pub(crate) queue: WorkQueue<Request>,
    /// How long a request waits for more changes before it is worked on. The first change starts the clock and no later one
    /// sets it back, so that an object which never comes to rest is worked on all the same.
    pub(crate) debounce: Duration,
}

impl RequestQueue {
    pub(crate) fn add(&self, request: Request, reason: RequestReason) {
        let options = match reason {
            RequestReason::Initial | RequestReason::Resync | RequestReason::ShardChanged => {
                AddOptions::new().priority(Priority::BACKGROUND)
            }
            // A delay of nothing would count as a retry.
            _ if self.debounce.is_zero() => AddOptions::new().priority(Priority::LIVE),
            _ => AddOptions::new().priority(Priority::LIVE).after(self.debounce),
        };
        self.queue.add_with(request, options);
    }
}
