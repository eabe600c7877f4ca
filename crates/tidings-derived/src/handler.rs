//! What a handler of a collection receives, its registration, and the task that calls it.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use futures_util::future::BoxFuture;
use tidings_util::panic_message;
use tokio::task::coop::consume_budget;

use crate::element::{Element, Value};
use crate::error::{CollectionFault, DerivedError, FaultKind};
use crate::mailbox::{CollectionHandlerStats, Mailbox, Popped};
use crate::shared::{KeepAlive, NodeShared};

/// One notification about one key of a collection.
///
/// The states of one key arrive in order: `old` is the state that the receiver got last. A receiver that is slow gets
/// one notification from the state that it knows to the newest one.
pub enum CollectionNotification<E> {
    /// The receiver did not know this key.
    Added {
        /// The value.
        value: Value<E>,
        /// Whether the value existed before the receiver was added, or before the collection had synced.
        is_initial: bool,
    },
    /// The value of a key has changed.
    Updated {
        /// The value that the receiver got last.
        old: Value<E>,
        /// The current value.
        new: Value<E>,
    },
    /// The key is gone.
    Deleted {
        /// The value that the receiver got last.
        old: Value<E>,
    },
}

impl<E> CollectionNotification<E> {
    pub(crate) fn of(old: Option<Value<E>>, new: Option<Value<E>>, is_initial: bool) -> Option<Self> {
        Some(match (old, new) {
            (None, Some(value)) => CollectionNotification::Added { value, is_initial },
            (Some(old), Some(new)) => CollectionNotification::Updated { old, new },
            (Some(old), None) => CollectionNotification::Deleted { old },
            (None, None) => return None,
        })
    }

    /// The newest known value. Of a deletion, this is the last one.
    pub fn value(&self) -> &Value<E> {
        match self {
            CollectionNotification::Added { value, .. } => value,
            CollectionNotification::Updated { new, .. } => new,
            CollectionNotification::Deleted { old } => old,
        }
    }

    /// The value that the receiver got last.
    pub fn old(&self) -> Option<&Value<E>> {
        match self {
            CollectionNotification::Added { .. } => None,
            CollectionNotification::Updated { old, .. } | CollectionNotification::Deleted { old } => {
                Some(old)
            }
        }
    }

    /// The current value; `None` if the key is gone.
    #[expect(clippy::new_ret_no_self, reason = "a getter, the counterpart of `old`")]
    pub fn new(&self) -> Option<&Value<E>> {
        match self {
            CollectionNotification::Added { value, .. } => Some(value),
            CollectionNotification::Updated { new, .. } => Some(new),
            CollectionNotification::Deleted { .. } => None,
        }
    }

    /// Whether this is an addition of a value that existed before the receiver was added.
    pub fn is_initial(&self) -> bool {
        matches!(self, CollectionNotification::Added { is_initial: true, .. })
    }
}

impl<E: Element> CollectionNotification<E> {
    /// The key.
    pub fn key(&self) -> Cow<'_, str> {
        self.value().key()
    }
}

impl<E: fmt::Debug> fmt::Debug for CollectionNotification<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CollectionNotification::Added { value, is_initial } => {
                f.debug_struct("Added").field("value", value).field("is_initial", is_initial).finish()
            }
            CollectionNotification::Updated { old, new } => {
                f.debug_struct("Updated").field("old", old).field("new", new).finish()
            }
            CollectionNotification::Deleted { old } => f.debug_struct("Deleted").field("old", old).finish(),
        }
    }
}

/// The registration of a handler. Dropping it does not remove the handler.
pub struct CollectionRegistration<E> {
    mailbox: Arc<Mailbox<E>>,
    collection: String,
}

impl<E: Element> CollectionRegistration<E> {
    pub(crate) fn new(mailbox: Arc<Mailbox<E>>, collection: &NodeShared) -> Self {
        CollectionRegistration { mailbox, collection: collection.name().to_owned() }
    }

    /// Whether the collection has synced and the handler has returned from every initial addition.
    pub fn is_synced(&self) -> bool {
        self.mailbox.is_synced()
    }

    /// Waits until [`is_synced`](Self::is_synced). It is an error if the handler is removed, or the graph stops, before
    /// that.
    pub async fn synced(&self) -> Result<(), DerivedError> {
        if self.mailbox.synced().await {
            return Ok(());
        }
        let reason = format!("handler {:?} was removed, or the graph stopped", self.mailbox.name());
        Err(DerivedError::NotSynced { collection: self.collection.clone(), reason })
    }

    /// Its statistics.
    pub fn stats(&self) -> CollectionHandlerStats {
        self.mailbox.stats()
    }

    /// Removes the handler, at once. Pending notifications are still delivered. The future completes when the handler
    /// has returned from its last call and is dropped.
    pub fn remove(&self) -> impl Future<Output = ()> + Send + 'static + use<E> {
        self.mailbox.drain();
        let mailbox = Arc::clone(&self.mailbox);
        async move { mailbox.ended().await }
    }
}

impl<E> Clone for CollectionRegistration<E> {
    fn clone(&self) -> Self {
        CollectionRegistration { mailbox: Arc::clone(&self.mailbox), collection: self.collection.clone() }
    }
}

impl<E> fmt::Debug for CollectionRegistration<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollectionRegistration").field("collection", &self.collection).finish_non_exhaustive()
    }
}

/// The task of a handler: calls it with one notification at a time. A panic costs one call.
pub(crate) async fn run_handler<E: Element>(
    mailbox: Arc<Mailbox<E>>,
    mut call: impl FnMut(&CollectionNotification<E>) + Send,
    collection: Arc<NodeShared>,
) {
    let _end = EndOnDrop(&mailbox);
    while let Some(notification) = mailbox.next().await {
        let result = catch_unwind(AssertUnwindSafe(|| call(&notification)));
        mailbox.handled(notification.is_initial(), result.is_err());
        if let Err(panic) = result {
            collection.report_fault(CollectionFault {
                collection: collection.name().to_owned(),
                key: notification.key().into_owned(),
                kind: FaultKind::HandlerPanicked {
                    handler: mailbox.name().to_owned(),
                    message: panic_message(&*panic),
                },
            });
        }
        // The mailbox may never be empty.
        consume_budget().await;
    }
    drop(call);
}

/// Ends the mailbox also if the task is aborted.
struct EndOnDrop<'a, E>(&'a Mailbox<E>);

impl<E> Drop for EndOnDrop<'_, E> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The notifications of a collection as a `Stream`. It keeps the collection running, and ends when the graph has
/// stopped and everything pending was yielded.
pub struct CollectionNotifications<E: Element> {
    mailbox: Arc<Mailbox<E>>,
    waiting: Option<BoxFuture<'static, Option<CollectionNotification<E>>>>,
    /// Whether the last yielded notification was initial. Polling again confirms that it was handled.
    yielded: Option<bool>,
    _keep_alive: Arc<KeepAlive>,
}

impl<E: Element> CollectionNotifications<E> {
    pub(crate) fn new(mailbox: Arc<Mailbox<E>>, keep_alive: Arc<KeepAlive>) -> Self {
        CollectionNotifications { mailbox, waiting: None, yielded: None, _keep_alive: keep_alive }
    }

    /// Its statistics. It counts as synced when it was polled again after the last initial addition.
    pub fn stats(&self) -> CollectionHandlerStats {
        self.mailbox.stats()
    }
}

impl<E: Element> Stream for CollectionNotifications<E> {
    type Item = CollectionNotification<E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(was_initial) = self.yielded.take() {
            self.mailbox.handled(was_initial, false);
        }
        let now = if self.waiting.is_some() { Popped::Empty } else { self.mailbox.pop() };
        let next = match now {
            Popped::Notification(next) => Some(next),
            Popped::End => None,
            Popped::Empty => {
                let mailbox = Arc::clone(&self.mailbox);
                let waiting =
                    self.waiting.get_or_insert_with(|| Box::pin(async move { mailbox.next().await }));
                let next = ready!(waiting.as_mut().poll(cx));
                self.waiting = None;
                next
            }
        };
        self.yielded = next.as_ref().map(CollectionNotification::is_initial);
        if next.is_none() {
            self.mailbox.end();
        }
        Poll::Ready(next)
    }
}

impl<E: Element> Drop for CollectionNotifications<E> {
    fn drop(&mut self) {
        self.mailbox.end();
    }
}

impl<E: Element> fmt::Debug for CollectionNotifications<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollectionNotifications").field("stats", &self.stats()).finish()
    }
}
