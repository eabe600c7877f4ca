//! What a worker does with a request while a cache of its controller is stale.

use std::time::Duration;

use tidings_workqueue::AddOptions;

use super::WorkerShared;
use super::parking::ClaimedRequest;
use crate::context::WhenStale;
use crate::controller::stats::RequestReason;

/// How long a request is put off while a cache is stale.
const STALE_PAUSE: Duration = Duration::from_secs(1);

impl WorkerShared {
    /// Puts a request back on the queue while a cache is too stale, if the controller waits then.
    pub(super) fn put_off_if_stale(&self, claimed: ClaimedRequest) -> Option<ClaimedRequest> {
        let limit = self.staleness_limit.filter(|limit| limit.when == WhenStale::Wait);
        let Some(stale) = limit.and_then(|limit| limit.exceeded_by(&self.context.caches)) else {
            return Some(claimed);
        };
        if self.state.counters.stale_waits.value() == 0 {
            let (controller, informer) = (&self.context.controller, stale.name());
            tracing::warn!(controller, informer, "requests wait because a cache is stale");
        }
        self.state.counters.stale_waits.add_one();
        self.state.causes.put_back(&claimed.working, claimed.causes);
        self.again(&claimed.working, RequestReason::StaleCache, AddOptions::new().after(STALE_PAUSE));
        None
    }

    /// Whether the next reconcile reads from the server because a cache is too stale.
    pub(super) fn reads_live(&self) -> bool {
        let limit = self.staleness_limit.filter(|limit| limit.when == WhenStale::ReadLive);
        limit.is_some_and(|limit| limit.exceeded_by(&self.context.caches).is_some())
    }
}
