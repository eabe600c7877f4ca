//! Collects the panics of an execution instead of printing them. One execution has one thread, so a thread-local names it.
//! Panics of other threads are left to the hook that was installed before.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Once};

use crate::sync::Mutex;

/// How many panics of one execution are kept.
const PANICS_MAX: usize = 20;

type Messages = Arc<Mutex<Vec<String>>>;

thread_local! {
    static CAPTURE: RefCell<Option<Messages>> = const { RefCell::new(None) };
}

/// Collects the panics of this thread until it is dropped.
pub(crate) struct PanicCapture(Messages);

impl PanicCapture {
    pub(crate) fn start() -> PanicCapture {
        static INSTALL: Once = Once::new();
        INSTALL.call_once(install);
        let messages = Messages::default();
        CAPTURE.with(|capture| *capture.borrow_mut() = Some(Arc::clone(&messages)));
        PanicCapture(messages)
    }

    /// The messages so far, and forgets them.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }
}

impl Drop for PanicCapture {
    fn drop(&mut self) {
        CAPTURE.with(|capture| *capture.borrow_mut() = None);
    }
}

/// Calls `run`. A panic becomes an error with its message and is not collected.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let before = CAPTURE.with(|capture| capture.borrow_mut().replace(Messages::default()));
    let result = catch_unwind(AssertUnwindSafe(run));
    let after = CAPTURE.with(|capture| std::mem::replace(&mut *capture.borrow_mut(), before));
    result.map_err(|_| after.and_then(|after| after.lock().pop()).unwrap_or_else(|| "it panicked".to_owned()))
}

fn install() {
    let previous = take_hook();
    set_hook(Box::new(move |info| {
        // The thread-local is gone while the thread ends.
        let captured = CAPTURE.try_with(|capture| capture.borrow().clone()).ok().flatten();
        let Some(messages) = captured else { return previous(info) };
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
        let mut messages = messages.lock();
        if messages.len() < PANICS_MAX {
            messages.push(format!("{}{place}", text.unwrap_or_else(|| "a panic without text".to_owned())));
        }
    }));
}
