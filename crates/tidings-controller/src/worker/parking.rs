//! Requests whose own writes the caches do not show yet. They wait here, so that no worker does.
//!
//! A parked request is still claimed: its [`Working`] is held, so that no worker is given it a second time, and what is
//! added meanwhile comes afterwards. The controller's task waits for the caches, and any worker that is free goes on
//! with a request that can be reconciled; it goes before what is queued, since it has had its turn. There are never
//! more parked requests than keys.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tidings_informer::informer::WaitError;
use tidings_workqueue::Working;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::{Signals, WorkerShared};
use crate::request::Request;
use crate::shard::Permit;
use crate::sync::{AtomicUsize, Mutex, Ordering};
use crate::writes::{TrackedWrite, writes_shown};

/// Whether the caches show what the last reconcile of a request wrote: if not, the bound has passed.
pub(super) type WritesShown = Result<(), WaitError>;

/// A request that a worker has taken.
pub(super) struct ClaimedRequest {
    pub(super) working: Working<Request>,
    /// Where several replicas share the keys.
    pub(super) permit: Option<Permit>,
}

/// A request whose writes are to be seen.
struct ParkedRequest {
    claimed: ClaimedRequest,
    writes: VecDeque<TrackedWrite>,
}

/// The side of the workers.
pub(crate) struct Parking {
    sender: UnboundedSender<ParkedRequest>,
    /// How many are parked, those that are ready included.
    parked: AtomicUsize,
    ready: Mutex<VecDeque<(ClaimedRequest, WritesShown)>>,
    /// Something is ready, or nothing is parked any more.
    changed: Notify,
}

/// The side of the controller's task, before it works.
pub(crate) struct ParkedReceiver(UnboundedReceiver<ParkedRequest>);

/// The side of the controller's task.
pub(crate) struct ParkedWaiter {
    receiver: UnboundedReceiver<ParkedRequest>,
    waits: FuturesUnordered<BoxFuture<'static, (ClaimedRequest, Option<WritesShown>)>>,
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

    pub(super) fn park(&self, claimed: ClaimedRequest, writes: VecDeque<TrackedWrite>) {
        self.parked.fetch_add(1, Ordering::SeqCst);
        // It fails only if the controller's task was dropped, and then its queue is of no use to anybody.
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

    /// Ends when something is ready that was not, or when nothing is parked any more. What happens from now on counts.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    fn leave(&self) {
        if self.parked.fetch_sub(1, Ordering::SeqCst) == 1 {
            // Workers of a queue that has ended wait for this.
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
    /// Takes part in what happens next to parked requests: one comes, or a wait ends. It may be cancelled.
    pub(crate) async fn turn(&mut self, shared: &Arc<WorkerShared>, signals: &Signals) {
        tokio::select! {
            Some(parked) = self.receiver.recv() => {
                self.waits.push(wait(parked, Arc::clone(shared), signals.clone(), self.end.clone()));
            }
            (claimed, shown) = next(&mut self.waits) => shared.unpark(claimed, shown),
        }
    }

    /// Puts everything back on the queue. The workers have ended.
    pub(crate) async fn close(mut self, shared: &WorkerShared) {
        self.end.cancel();
        self.receiver.close();
        while let Some(parked) = self.receiver.recv().await {
            shared.unpark(parked.claimed, None);
        }
        while let Some((claimed, _)) = self.waits.next().await {
            shared.unpark(claimed, None);
        }
        while let Some((claimed, _)) = shared.parking.pop() {
            shared.put_back(&claimed.working);
        }
    }
}

impl WorkerShared {
    /// Lets a worker go on with a request, or puts it back if it is not to be worked on.
    fn unpark(&self, claimed: ClaimedRequest, shown: Option<WritesShown>) {
        match shown {
            Some(shown) => {
                self.parking.ready.lock().push_back((claimed, shown));
                self.parking.changed.notify_one();
            }
            None => {
                self.put_back(&claimed.working);
                drop(claimed);
                self.parking.leave();
            }
        }
    }
}

/// Waits until the caches show the writes, within the bound, or the request is not to be worked on here any more.
fn wait(
    parked: ParkedRequest,
    shared: Arc<WorkerShared>,
    signals: Signals,
    end: CancellationToken,
) -> BoxFuture<'static, (ClaimedRequest, Option<WritesShown>)> {
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
            shown = writes_shown(&shared.context.caches, &writes, shared.write_wait_max) => Some(shown),
        };
        (claimed, shown)
    })
}

/// The first of these that ends; never, if there is none.
async fn next<T>(waits: &mut FuturesUnordered<BoxFuture<'static, T>>) -> T {
    match waits.next().await {
        Some(ended) => ended,
        None => std::future::pending().await,
    }
}
