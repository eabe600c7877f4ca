//! How the informer calls user code: with one notification, and with its panic caught.
//!
//! The call gets the notification by value and gives it its type there. So the objects are moved from the mailbox to
//! user code and no reference count changes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tidings_util::panic_message;

use crate::informer::notification::{Notification, RawNotification};

/// Calls a handler, from one task.
pub(crate) type Callback = Box<dyn FnMut(RawNotification) -> Result<(), HandlerPanic> + Send>;

/// Calls a subscriber, from two tasks.
pub(crate) type SharedCallback = Arc<dyn Fn(RawNotification) -> Result<(), HandlerPanic> + Send + Sync>;

/// A panic of user code.
pub(crate) struct HandlerPanic {
    /// The key of the object that the call was about.
    pub(crate) key: String,
    pub(crate) message: String,
}

/// Calls user code with a notification and catches its panic, which needs `panic = "unwind"`, Rust's default.
pub(crate) fn catch_panic<K>(
    notification: RawNotification,
    call: impl FnOnce(&Notification<K>),
) -> Result<(), HandlerPanic> {
    let notification = notification.typed::<K>();
    catch_unwind(AssertUnwindSafe(|| call(&notification))).map_err(|panic| HandlerPanic {
        key: notification.key().to_string(),
        message: panic_message(&*panic),
    })
}
