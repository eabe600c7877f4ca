//! A gate that a handler stands before until a test opens it. It blocks a thread, as a slow handler does, so it
//! is for runtimes with several.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use tidings_informer::informer::{Deleted, EventHandler};
use tidings_object::Object;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::heard::Heard;
use crate::stage::LONG;

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

/// A handler that stands before a gate in each call, and then hears.
pub(crate) struct Gated(pub(crate) Passage, pub(crate) Heard);

impl<K: 'static> EventHandler<K> for Gated {
    fn on_add(&mut self, object: &Object<K>, is_initial: bool) {
        self.0.pass();
        EventHandler::<K>::on_add(&mut self.1, object, is_initial);
    }

    fn on_update(&mut self, old: &Object<K>, new: &Object<K>) {
        self.0.pass();
        EventHandler::<K>::on_update(&mut self.1, old, new);
    }

    fn on_delete(&mut self, gone: &Deleted<K>) {
        self.0.pass();
        EventHandler::<K>::on_delete(&mut self.1, gone);
    }
}
