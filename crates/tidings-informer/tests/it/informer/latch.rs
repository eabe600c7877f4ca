//! A latch that blocks a handler until the test opens it. It blocks a thread, as a slow handler does, so the runtime
//! needs several threads.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::Handler;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::informer::fixture::TIMEOUT;
use crate::informer::notification_log::NotificationLog;

/// The side of the test. Dropping it opens the latch, so that a failing test does not hang.
pub(crate) struct Latch(Arc<Inner>);

/// The side of the handler.
#[derive(Clone)]
pub(crate) struct LatchWaiter(Arc<Inner>);

struct Inner {
    is_open: Mutex<bool>,
    opened: Condvar,
    entered: watch::Sender<usize>,
}

impl Latch {
    pub(crate) fn closed() -> Latch {
        let entered = watch::Sender::default();
        Latch(Arc::new(Inner { is_open: Mutex::new(false), opened: Condvar::new(), entered }))
    }

    pub(crate) fn waiter(&self) -> LatchWaiter {
        LatchWaiter(Arc::clone(&self.0))
    }

    pub(crate) fn open(&self) {
        *self.0.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.opened.notify_all();
    }

    /// Waits until `wait` was called this often, whether it has returned or not.
    pub(crate) async fn entered(&self, times: usize) {
        let mut entered = self.0.entered.subscribe();
        let enough = timeout(TIMEOUT, entered.wait_for(|entered| *entered >= times)).await;
        enough.expect("it is called in time").expect("we hold the sender");
    }
}

impl Drop for Latch {
    fn drop(&mut self) {
        self.open();
    }
}

impl LatchWaiter {
    pub(crate) fn wait(&self) {
        self.0.entered.send_modify(|entered| *entered += 1);
        let mut is_open = self.0.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_open {
            is_open = self.0.opened.wait(is_open).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A handler that waits for the latch in each call, and then records the notification.
pub(crate) fn blocking_handler(waiter: LatchWaiter, log: &NotificationLog) -> Handler<Pod> {
    let log = log.clone();
    Handler::from_fn(move |notification| {
        waiter.wait();
        log.handle(notification);
    })
}
