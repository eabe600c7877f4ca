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

use super::{Signals, Work};
use crate::request::Request;
use crate::shard::Permit;
use crate::sync::{AtomicUsize, Mutex, Ordering};
use crate::writes::{Write, caught_up};

/// Whether the caches show what the last reconcile of a request wrote: if not, the bound has passed.
pub(super) type Seen = Result<(), WaitError>;

/// A request that a worker has taken.
pub(super) struct Taken {
    pub(super) working: Working<Request>,
    /// Where several replicas share the keys.
    pub(super) permit: Option<Permit>,
}

/// A request whose writes are to be seen.
struct Arrival {
    taken: Taken,
    writes: VecDeque<Write>,
}

/// The side of the workers.
pub(crate) struct Parking {
    arrivals: UnboundedSender<Arrival>,
    /// How many are parked, those that are ready included.
    parked: AtomicUsize,
    ready: Mutex<VecDeque<(Taken, Seen)>>,
    /// Something is ready, or nothing is parked any more.
    changed: Notify,
}

/// The side of the controller's task, before it works.
pub(crate) struct Arrivals(UnboundedReceiver<Arrival>);

/// The side of the controller's task.
pub(crate) struct Attendant {
    arrivals: UnboundedReceiver<Arrival>,
    waits: FuturesUnordered<BoxFuture<'static, (Taken, Option<Seen>)>>,
    /// Ends every wait.
    end: CancellationToken,
}

impl Parking {
    pub(crate) fn new() -> (Parking, Arrivals) {
        let (sender, arrivals) = unbounded_channel();
        let parking = Parking {
            arrivals: sender,
            parked: AtomicUsize::new(0),
            ready: Mutex::default(),
            changed: Notify::new(),
        };
        (parking, Arrivals(arrivals))
    }

    pub(super) fn park(&self, taken: Taken, writes: VecDeque<Write>) {
        self.parked.fetch_add(1, Ordering::SeqCst);
        // It fails only if the controller's task was dropped, and then its queue is of no use to anybody.
        let _ = self.arrivals.send(Arrival { taken, writes });
    }

    /// A request that can be reconciled now.
    pub(super) fn pop(&self) -> Option<(Taken, Seen)> {
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

impl Arrivals {
    pub(crate) fn attended(self) -> Attendant {
        Attendant { arrivals: self.0, waits: FuturesUnordered::new(), end: CancellationToken::new() }
    }
}

impl Attendant {
    /// Takes part in what happens next to parked requests: one comes, or a wait ends. It may be cancelled.
    pub(crate) async fn turn(&mut self, work: &Arc<Work>, signals: &Signals) {
        tokio::select! {
            Some(arrival) = self.arrivals.recv() => {
                self.waits.push(wait(arrival, Arc::clone(work), signals.clone(), self.end.clone()));
            }
            (taken, seen) = next(&mut self.waits) => work.unpark(taken, seen),
        }
    }

    /// Puts everything back on the queue. The workers have ended.
    pub(crate) async fn close(mut self, work: &Work) {
        self.end.cancel();
        self.arrivals.close();
        while let Some(arrival) = self.arrivals.recv().await {
            work.unpark(arrival.taken, None);
        }
        while let Some((taken, _)) = self.waits.next().await {
            work.unpark(taken, None);
        }
        while let Some((taken, _)) = work.parking.pop() {
            work.put_back(&taken.working);
        }
    }
}

impl Work {
    /// Lets a worker go on with a request, or puts it back if it is not to be worked on.
    fn unpark(&self, taken: Taken, seen: Option<Seen>) {
        match seen {
            Some(seen) => {
                self.parking.ready.lock().push_back((taken, seen));
                self.parking.changed.notify_one();
            }
            None => {
                self.put_back(&taken.working);
                drop(taken);
                self.parking.leave();
            }
        }
    }
}

/// Waits until the caches show the writes, within the bound, or the request is not to be worked on here any more.
fn wait(
    arrival: Arrival,
    work: Arc<Work>,
    signals: Signals,
    end: CancellationToken,
) -> BoxFuture<'static, (Taken, Option<Seen>)> {
    let Arrival { taken, writes } = arrival;
    Box::pin(async move {
        let lost = taken.permit.as_ref().map(|permit| permit.lost().clone());
        let is_lost = async {
            match &lost {
                Some(lost) => lost.cancelled().await,
                None => std::future::pending().await,
            }
        };
        let seen = tokio::select! {
            biased;
            () = signals.stop.cancelled() => None,
            () = signals.abandon.cancelled() => None,
            () = end.cancelled() => None,
            () = is_lost => None,
            seen = caught_up(&work.surroundings.caches, &writes, work.write_wait_max) => Some(seen),
        };
        (taken, seen)
    })
}

/// The first of these that ends; never, if there is none.
async fn next<T>(waits: &mut FuturesUnordered<BoxFuture<'static, T>>) -> T {
    match waits.next().await {
        Some(ended) => ended,
        None => std::future::pending().await,
    }
}
