//! The signals that wake an informer's task beside deltas: a stop, requests of handles, added or removed indexes.
//!
//! These signals are rare, but the task waits for them together with every batch. So the futures are created once and
//! polled again and again. Creating and dropping them for every batch costs as much as applying the batch.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;
use tokio_util::sync::WaitForCancellationFutureOwned;

use crate::informer::shared::Shared;

/// A signal to an informer's task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskSignal {
    /// The informer was stopped.
    Stop,
    /// The registry has requests of handles.
    Requests,
    /// Indexes were added or removed.
    IndexRequests,
}

/// Receives the signals of one task.
pub(crate) struct TaskSignals {
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    requests: RepeatedNotify,
    index_requests: RepeatedNotify,
}

/// Waits for a `Notify`, any number of times.
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
