//! What others ask of an informer's task: to stop, to look at what handles want, to build indexes. That is rare.
//!
//! The waits for it are made once. Made anew for every batch, and given up when the batch comes, they would cost as much as to
//! apply it.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;
use tokio_util::sync::WaitForCancellationFutureOwned;

use crate::informer::shared::Shared;

/// What others ask of an informer's task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// It shall end.
    Stop,
    /// Handles have asked for something.
    Requests,
    /// Indexes were added or removed.
    IndexRequests,
}

/// Hears what others ask.
pub(crate) struct Calls {
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    requests: Bell,
    index_requests: Bell,
}

/// Can be rung any number of times.
struct Bell {
    rings: Arc<Notify>,
    ring: Pin<Box<OwnedNotified>>,
}

impl Calls {
    pub(crate) fn new(shared: &Shared, index_requests: &Arc<Notify>) -> Self {
        Calls {
            stop: Box::pin(shared.stop.clone().cancelled_owned()),
            requests: Bell::new(&shared.wake),
            index_requests: Bell::new(index_requests),
        }
    }

    /// What handles have asked for goes before what the server sends: a handler that was added before a change hears of it
    /// as of a change.
    pub(crate) fn poll_requests(&mut self, cx: &mut Context<'_>) -> Poll<Call> {
        self.requests.poll(cx).map(|()| Call::Requests)
    }

    pub(crate) fn poll_others(&mut self, cx: &mut Context<'_>) -> Poll<Call> {
        if self.stop.as_mut().poll(cx).is_ready() {
            Poll::Ready(Call::Stop)
        } else {
            self.index_requests.poll(cx).map(|()| Call::IndexRequests)
        }
    }
}

impl Bell {
    fn new(rings: &Arc<Notify>) -> Self {
        Bell { rings: Arc::clone(rings), ring: Box::pin(Arc::clone(rings).notified_owned()) }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let rung = self.ring.as_mut().poll(cx);
        if rung.is_ready() {
            self.ring.set(Arc::clone(&self.rings).notified_owned());
        }
        rung
    }
}
