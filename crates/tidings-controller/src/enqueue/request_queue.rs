//! Adds requests to a controller's queue, with the priority of their reason, and debounced. Their causes go beside
//! them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tidings_util::panic_message;
use tidings_workqueue::{AddOptions, Priority, WorkQueue};

use crate::causes::{Cause, CauseLog};
use crate::controller::stats::RequestReason;
use crate::request::Request;

#[derive(Clone)]
pub(crate) struct RequestQueue {
    pub(crate) queue: WorkQueue<Request>,
    /// How long a request waits for more changes before its reconcile. The first change starts the window, and later
    /// ones do not restart it, so that an object that changes all the time is reconciled too.
    pub(crate) debounce: Duration,
    pub(crate) causes: Arc<CauseLog>,
}

impl RequestQueue {
    pub(crate) fn add(&self, request: Request, cause: Cause) {
        let options = match cause.reason() {
            RequestReason::Initial | RequestReason::Resync | RequestReason::ShardChanged => {
                AddOptions::new().priority(Priority::BACKGROUND)
            }
            // The queue would count a delay of zero as a retry.
            _ if self.debounce.is_zero() => AddOptions::new().priority(Priority::LIVE),
            _ => AddOptions::new().priority(Priority::LIVE).after(self.debounce),
        };
        // A cause may drop an object, and with it a decoded value of the user, whose destructor may panic. The request
        // must not be lost by that.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.causes.add(&request, cause))) {
            tracing::error!(panic = panic_message(&*panic), "a destructor of a decoded object panicked");
        }
        self.queue.add_with(request, options);
    }
}
