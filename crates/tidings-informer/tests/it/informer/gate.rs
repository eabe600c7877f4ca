//! A gate that a handler stands before until a test opens it. It blocks a thread, as a slow handler does, so it
//! is for runtimes with several.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::informer::Handler;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::informer::heard::Heard;
use crate::informer::stage::LONG;

/// The test's end. Dropping it opens the gate: a test that fails must not hang.
pub(crate) struct Gate(Arc<Inner>);

/// The handler's end.
#[derive(Clone)]
pub(crate) struct Passage(Arc<Inner>);

struct Inner {
    is_open: Mutex<bool>,
    opened: Condvar,
    came: watch::Sender<usize>,
}

impl Gate {
    pub(crate) fn closed() -> Gate {
        let came = watch::Sender::default();
        Gate(Arc::new(Inner { is_open: Mutex::new(false), opened: Condvar::new(), came }))
    }

    pub(crate) fn passage(&self) -> Passage {
        Passage(Arc::clone(&self.0))
    }

    pub(crate) fn open(&self) {
        *self.0.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.opened.notify_all();
    }

    /// Waits until somebody has come so often, through or not.
    pub(crate) async fn came(&self, times: usize) {
        let mut came = self.0.came.subscribe();
        let enough = timeout(LONG, came.wait_for(|came| *came >= times)).await;
        enough.expect("it comes in time").expect("we hold the sender");
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}

impl Passage {
    pub(crate) fn pass(&self) {
        self.0.came.send_modify(|came| *came += 1);
        let mut is_open = self.0.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_open {
            is_open = self.0.opened.wait(is_open).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A handler that waits at a gate in each call, and then records.
pub(crate) fn gated(passage: Passage, heard: &Heard) -> Handler<Pod> {
    let heard = heard.clone();
    Handler::from_fn(move |notification| {
        passage.pass();
        heard.handle(notification);
    })
}
