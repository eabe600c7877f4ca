//! The notifications of an informer as a `Stream`, for async code. The order, the bound, the merging and the meaning
//! of "synced" are the same as for a handler.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use futures_util::future::BoxFuture;

use crate::informer::deliver::mailbox::{CallOutcome, HandlerStats, Mailbox, Popped};
use crate::informer::handle::keep_alive::KeepAlive;
use crate::informer::notification::{Notification, RawNotification};

/// A stream of notifications. It ends when the informer has stopped and all pending notifications have been yielded.
/// It keeps the informer running.
///
/// ```
/// use futures_util::StreamExt;
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::{Notification, SharedInformer};
///
/// # async fn example(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// let mut notifications = pods.notifications()?;
/// while let Some(notification) = notifications.next().await {
///     match notification {
///         Notification::Added { object, .. } => println!("+ {}", object.key()),
///         Notification::Updated { new, .. } => println!("~ {}", new.key()),
///         Notification::Deleted { object, .. } => println!("- {}", object.key()),
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct Notifications<K> {
    mailbox: Arc<Mailbox>,
    waiting: Option<BoxFuture<'static, Option<RawNotification>>>,
    /// Whether the last yielded notification was initial. Polling again confirms that it was handled.
    yielded: Option<bool>,
    _keep_alive: Arc<KeepAlive>,
    view: std::marker::PhantomData<fn() -> K>,
}

impl<K> Notifications<K> {
    pub(crate) fn new(mailbox: Arc<Mailbox>, keep_alive: Arc<KeepAlive>) -> Self {
        Notifications {
            mailbox,
            waiting: None,
            yielded: None,
            _keep_alive: keep_alive,
            view: std::marker::PhantomData,
        }
    }

    /// Whether every initial addition was yielded, and the stream was polled again after the last one.
    pub fn is_synced(&self) -> bool {
        self.mailbox.is_synced()
    }

    /// Waits until [`is_synced`](Self::is_synced), or until the stream ends. It does not borrow the stream, so both
    /// can be awaited together.
    pub fn synced(&self) -> impl Future<Output = ()> + Send + use<K> {
        let mailbox = Arc::clone(&self.mailbox);
        async move {
            mailbox.synced().await;
        }
    }

    /// Its statistics.
    pub fn stats(&self) -> HandlerStats {
        self.mailbox.stats()
    }
}

impl<K> Notifications<K> {
    /// Takes a notification without creating a future. This is the usual case for a busy stream.
    fn pop_now(&self) -> Popped {
        if self.waiting.is_some() { Popped::Empty } else { self.mailbox.pop() }
    }

    fn poll_waiting(&mut self, cx: &mut Context<'_>) -> Poll<Option<RawNotification>> {
        let mailbox = Arc::clone(&self.mailbox);
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(async move { mailbox.next().await }));
        let next = ready!(waiting.as_mut().poll(cx));
        self.waiting = None;
        Poll::Ready(next)
    }
}

impl<K> Stream for Notifications<K> {
    type Item = Notification<K>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Notification<K>>> {
        if let Some(was_initial) = self.yielded.take() {
            self.mailbox.handled(was_initial, CallOutcome::Returned);
        }
        let next = match self.pop_now() {
            Popped::Notification(next) => Some(next),
            Popped::End => None,
            Popped::Empty => ready!(self.poll_waiting(cx)),
        };
        self.yielded = next.as_ref().map(RawNotification::is_initial);
        if next.is_none() {
            // Wakes the waiters for `synced`.
            self.mailbox.end();
        }
        Poll::Ready(next.map(RawNotification::typed))
    }
}

impl<K> Drop for Notifications<K> {
    fn drop(&mut self) {
        self.mailbox.end();
    }
}

impl<K> fmt::Debug for Notifications<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifications").field("stats", &self.stats()).finish()
    }
}
