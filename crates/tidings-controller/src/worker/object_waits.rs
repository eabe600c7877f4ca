//! Requests that sleep until a cached object meets a condition: [`Action::await_object`](crate::Action::await_object).
//!
//! A sleeping request is not claimed: a change of its own objects still requests it, and its next reconcile ends the
//! wait, because the reconciler decides anew what to wait for. The controller's task waits for all of them; no worker
//! and no timer of a worker is occupied.
//!
//! ```text
//! reconcile of R   returns await_object(job j "is complete", 10 min)      R sleeps
//! j changes        its condition is checked, and does not hold            R sleeps
//! j completes      the condition holds                                    R is queued, reason awaited_object
//! or 10 min pass                                                          R is queued, reason await_timeout
//! ```

use std::collections::HashMap;

use foldhash::fast::RandomState;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tidings_informer::{SharedInformer, WaitError};
use tidings_workqueue::AddOptions;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::WorkerShared;
use crate::action::ObjectWait;
use crate::causes::Cause;
use crate::controller::stats::RequestReason;
use crate::request::Request;
use crate::sync::{AtomicUsize, Mutex, Ordering};

/// The workers' side. There is at most one wait for each request.
pub(crate) struct ObjectWaits {
    sender: UnboundedSender<StartedWait>,
    /// Ends the wait of a request.
    by_request: Mutex<HashMap<Request, CancellationToken, RandomState>>,
    /// The number of requests above, so that reconciles without waits take no lock.
    count: AtomicUsize,
}

struct StartedWait {
    request: Request,
    informer: SharedInformer<()>,
    wait: ObjectWait,
    end: CancellationToken,
}

/// The side of the controller's task, before it runs.
pub(crate) struct WaitReceiver(UnboundedReceiver<StartedWait>);

/// The side of the controller's task.
pub(crate) struct ObjectWaiter {
    receiver: UnboundedReceiver<StartedWait>,
    waits: FuturesUnordered<BoxFuture<'static, Option<EndedWait>>>,
}

struct EndedWait {
    request: Request,
    end: CancellationToken,
    result: Result<(), WaitError>,
}

impl ObjectWaits {
    pub(crate) fn new() -> (ObjectWaits, WaitReceiver) {
        let (sender, receiver) = unbounded_channel();
        let waits = ObjectWaits { sender, by_request: Mutex::default(), count: AtomicUsize::new(0) };
        (waits, WaitReceiver(receiver))
    }

    /// Begins a wait, and ends the one that the request had.
    pub(super) fn begin(&self, request: Request, informer: SharedInformer<()>, wait: ObjectWait) {
        let end = CancellationToken::new();
        let mut by_request = self.by_request.lock();
        if let Some(before) = by_request.insert(request.clone(), end.clone()) {
            before.cancel();
        }
        self.count.store(by_request.len(), Ordering::Release);
        drop(by_request);
        // This fails only if the controller's task was dropped. Then the queue has no reader either.
        let _ = self.sender.send(StartedWait { request, informer, wait, end });
    }

    /// Ends the wait of a request.
    pub(super) fn end(&self, request: &Request) {
        if self.count.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut by_request = self.by_request.lock();
        if let Some(end) = by_request.remove(request) {
            end.cancel();
        }
        self.count.store(by_request.len(), Ordering::Release);
    }

    /// Removes a wait that has ended by itself. `false` if it was ended or replaced meanwhile.
    fn ended(&self, request: &Request, end: &CancellationToken) -> bool {
        let mut by_request = self.by_request.lock();
        let is_current = !end.is_cancelled() && by_request.remove(request).is_some();
        self.count.store(by_request.len(), Ordering::Release);
        is_current
    }
}

impl WaitReceiver {
    pub(crate) fn into_waiter(self) -> ObjectWaiter {
        ObjectWaiter { receiver: self.0, waits: FuturesUnordered::new() }
    }
}

impl ObjectWaiter {
    /// Handles the next event: a wait begins or ends. It is cancel safe.
    pub(crate) async fn turn(&mut self, shared: &WorkerShared) {
        let next = async {
            match self.waits.next().await {
                Some(ended) => ended,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // Not at random: a simulation repeats a run by its seed.
            biased;
            Some(started) = self.receiver.recv() => self.waits.push(Box::pin(wait(started))),
            ended = next => {
                if let Some(ended) = ended {
                    shared.awaited(ended);
                }
            }
        }
    }
}

impl WorkerShared {
    fn awaited(&self, ended: EndedWait) {
        let EndedWait { request, end, result } = ended;
        if !self.object_waits.ended(&request, &end) {
            return;
        }
        let (reason, options) = match result {
            Ok(()) => (RequestReason::AwaitedObject, AddOptions::new()),
            Err(WaitError::DeadlinePassed { .. }) => (RequestReason::AwaitTimeout, AddOptions::new()),
            // The informer has failed or stopped. The reconciler reads the object itself, after a delay that grows.
            Err(_) => (RequestReason::AwaitTimeout, AddOptions::new().rate_limited()),
        };
        self.state.own.count(reason);
        self.state.causes.add(&request, Cause::of(reason));
        self.state.queue.add_with(request, options);
    }
}

/// `None` if the wait was ended from outside.
async fn wait(started: StartedWait) -> Option<EndedWait> {
    let StartedWait { request, informer, wait, end } = started;
    let result = tokio::select! {
        biased;
        () = end.cancelled() => return None,
        result = informer.wait_until(wait.key(), wait.within(), |object| wait.holds(object)) => result,
    };
    Some(EndedWait { request, end, result })
}
