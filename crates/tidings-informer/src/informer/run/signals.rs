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
pub(crate) enum TaskSignal {
    /// It shall end.
    Stop,
    /// Handles have asked for something.
    Requests,
    /// Indexes were added or removed.
    IndexRequests,
}

/// Hears what others ask.
pub(crate) struct TaskSignals {
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    requests: RepeatedNotify,
    index_requests: RepeatedNotify,
}

/// Can be polled any number of times.
struct RepeatedNotify {
    notify: Arc<Notify>,
    notified: Pin<Box<OwnedNotified>>,
}

impl TaskSignals {
    pub(crate) fn new(shared: &Shared, index_requests: &Arc<Notify>) -> Self {
        TaskSignals {
            stop: Box::pin(shared.stop.clone().cancelled_owned()),
            requests: RepeatedNotify::new(&shared.wake),
            index_requests: RepeatedNotify::new(index_requests),
        }
    }

    /// What handles have asked for goes before what the server sends: a handler that was added before a change hears of it
    /// as of a change.
    pub(crate) fn poll_requests(&mut self, cx: &mut Context<'_>) -> Poll<TaskSignal> {
        self.requests.poll(cx).map(|()| TaskSignal::Requests)
    }

    pub(crate) fn poll_others(&mut self, cx: &mut Context<'_>) -> Poll<TaskSignal> {
        if self.stop.as_mut().poll(cx).is_ready() {
            Poll::Ready(TaskSignal::Stop)
        } else {
            self.index_requests.poll(cx).map(|()| TaskSignal::IndexRequests)
        }
    }
}

impl RepeatedNotify {
    fn new(notify: &Arc<Notify>) -> Self {
        RepeatedNotify { notify: Arc::clone(notify), notified: Box::pin(Arc::clone(notify).notified_owned()) }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let polled = self.notified.as_mut().poll(cx);
        if polled.is_ready() {
            self.notified.set(Arc::clone(&self.notify).notified_owned());
        }
        polled
    }
}
