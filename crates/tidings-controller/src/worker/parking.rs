//! Parked requests: requests that wait until the caches show the writes of their last reconcile. No worker waits with
//! them.
//!
//! A parked request is still claimed: its [`ItemGuard`] guard is held, so that no worker gets it a second time, and the
//! queue keeps what is added for it until it is released. The controller's task waits for the caches. A free worker
//! continues with a request that is ready, before it takes one from the queue, because the request already had its turn
//! there. There are never more parked requests than keys. If a wait is cut short, the request and its
//! writes are put back.
//!
//! ```text
//! worker:  takes R from the queue; the cache does not show R's write -> park(R); takes the next request
//! task:    ParkedWaiter waits for the cache -> unpark(R): R is in `ready`, one worker is woken
//! worker:  pop() -> R, and reconciles it
//! ```

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tidings_informer::WaitError;
use tidings_workqueue::ItemGuard;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::{Signals, WorkerShared};
use crate::causes::Causes;
use crate::request::Request;
use crate::shard::Permit;
use crate::sync::{AtomicUsize, Mutex, Ordering};
use crate::writes::{TrackedWrite, writes_shown};

/// Whether the caches show the writes of a request's last reconcile. An error if they did not within the bound.
pub(super) type WritesShown = Result<(), WaitError>;

/// How many parked requests keep the bodies of the objects that caused them.
const WITH_BODIES_MAX: usize = 64;

/// A request that a worker has taken from the queue.
pub(super) struct ClaimedRequest {
    pub(super) working: ItemGuard<Request>,
    /// Set if several replicas share the keys.
    pub(super) permit: Option<Permit>,
    pub(super) causes: Causes,
}

struct ParkedRequest {
    claimed: ClaimedRequest,
    writes: VecDeque<TrackedWrite>,
}

/// The workers' side.
pub(crate) struct Parking {
    sender: UnboundedSender<ParkedRequest>,
    /// The number of parked requests, including those in `ready`.
    parked: AtomicUsize,
    ready: Mutex<VecDeque<(ClaimedRequest, WritesShown)>>,
    /// A request became ready, or no request is parked any more.
    changed: Notify,
}

/// The side of the controller's task, before it runs.
pub(crate) struct ParkedReceiver(UnboundedReceiver<ParkedRequest>);

/// The side of the controller's task.
pub(crate) struct ParkedWaiter {
    receiver: UnboundedReceiver<ParkedRequest>,
    waits: FuturesUnordered<BoxFuture<'static, (ClaimedRequest, WaitEnd)>>,
    /// Ends every wait.
    end: CancellationToken,
}

impl Parking {
    pub(crate) fn new() -> (Parking, ParkedReceiver) {
        let (sender, receiver) = unbounded_channel();
        let parking =
            Parking { sender, parked: AtomicUsize::new(0), ready: Mutex::default(), changed: Notify::new() };
        (parking, ParkedReceiver(receiver))
    }

    pub(super) fn park(&self, mut claimed: ClaimedRequest, writes: VecDeque<TrackedWrite>) {
        if self.parked.fetch_add(1, Ordering::SeqCst) >= WITH_BODIES_MAX {
            claimed.causes.release_bodies();
        }
        // This fails only if the controller's task was dropped. Then the queue has no reader either.
        let _ = self.sender.send(ParkedRequest { claimed, writes });
    }

    /// A request that can be reconciled now.
    pub(super) fn pop(&self) -> Option<(ClaimedRequest, WritesShown)> {
        if self.is_empty() {
            return None;
        }
        let ready = self.ready.lock().pop_front()?;
        self.leave();
        Some(ready)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parked.load(Ordering::SeqCst) == 0
    }

    /// Completes when a request became ready, or when no request is parked any more, after this call.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    fn leave(&self) {
        if self.parked.fetch_sub(1, Ordering::SeqCst) == 1 {
            // The workers of a queue that has ended wait for this.
            self.changed.notify_waiters();
        }
    }
}

impl ParkedReceiver {
    pub(crate) fn into_waiter(self) -> ParkedWaiter {
        ParkedWaiter { receiver: self.0, waits: FuturesUnordered::new(), end: CancellationToken::new() }
    }
}

impl ParkedWaiter {
    /// Handles the next event: a request is parked, or a wait ends. It is cancel safe.
    pub(crate) async fn turn(&mut self, shared: &Arc<WorkerShared>, signals: &Signals) {
        tokio::select! {
            // Not at random: a simulation repeats a run by its seed.
            biased;
            Some(parked) = self.receiver.recv() => {
                self.waits.push(wait(parked, Arc::clone(shared), signals.clone(), self.end.clone()));
            }
            (claimed, ended) = next(&mut self.waits) => shared.unpark(claimed, ended),
        }
    }

    /// Puts all parked requests back on the queue. Call it after the workers have ended.
    pub(crate) async fn close(mut self, shared: &WorkerShared) {
        self.end.cancel();
        self.receiver.close();
        while let Some(parked) = self.receiver.recv().await {
            shared.unpark(parked.claimed, Err(parked.writes));
        }
        while let Some((claimed, ended)) = self.waits.next().await {
            shared.unpark(claimed, Err(ended.err().unwrap_or_default()));
        }
        while let Some((claimed, _)) = shared.parking.pop() {
            shared.put_back(claimed);
        }
    }
}

impl WorkerShared {
    /// Gives a request to the workers, or puts it back on the queue if its wait was cut short.
    fn unpark(&self, claimed: ClaimedRequest, ended: WaitEnd) {
        match ended {
            Ok(shown) => {
                self.parking.ready.lock().push_back((claimed, shown));
                self.parking.changed.notify_one();
            }
            Err(writes) => {
                self.context.pending_writes.put_back(&claimed.working, writes);
                self.put_back(claimed);
                self.parking.leave();
            }
        }
    }
}

/// The end of a wait, or the writes if a signal, the end of the controller or the loss of the key cut it short. These
/// writes must not be dropped: a key that comes back is reconciled again, perhaps before the caches show them.
type WaitEnd = Result<WritesShown, VecDeque<TrackedWrite>>;

/// Waits until the caches show the writes, at most for the bound.
fn wait(
    parked: ParkedRequest,
    shared: Arc<WorkerShared>,
    signals: Signals,
    end: CancellationToken,
) -> BoxFuture<'static, (ClaimedRequest, WaitEnd)> {
    let ParkedRequest { claimed, writes } = parked;
    Box::pin(async move {
        let lost = claimed.permit.as_ref().map(|permit| permit.lost().clone());
        let is_lost = async {
            match &lost {
                Some(lost) => lost.cancelled().await,
                None => std::future::pending().await,
            }
        };
        let shown = tokio::select! {
            biased;
            () = signals.stop.cancelled() => None,
            () = signals.abandon.cancelled() => None,
            () = end.cancelled() => None,
            () = is_lost => None,
            shown = writes_shown(&shared.context.caches, writes.iter(), shared.write_wait_max) => Some(shown),
        };
        (claimed, shown.ok_or(writes))
    })
}

/// The first of these that completes. Pending if there are none.
async fn next<T>(waits: &mut FuturesUnordered<BoxFuture<'static, T>>) -> T {
    match waits.next().await {
        Some(ended) => ended,
        None => std::future::pending().await,
    }
}
