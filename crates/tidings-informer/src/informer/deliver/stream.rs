//! The notifications of an informer as a `Stream`, for async code: the same order, the same bound and merging,
//! and the same meaning of "synced" as for a handler.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use futures_util::future::BoxFuture;

use crate::informer::deliver::mailbox::{CallOutcome, HandlerStats, Mailbox, Popped};
use crate::informer::handle::keep_alive::KeepAlive;
use crate::informer::notification::{Notification, RawNotification};

/// The notifications of an informer. It deleted_at when the informer stops, after what is pending.
///
/// ```
/// use futures_util::StreamExt;
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::informer::{Notification, SharedInformer};
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
    /// Whether the event that was yielded last was an initial one: asking for the next says it was handled.
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

    /// Whether every initial addition was yielded and the next event asked for.
    pub fn is_synced(&self) -> bool {
        self.mailbox.is_synced()
    }

    /// Waits until [`is_synced`](Self::is_synced), or until the stream deleted_at; it may be awaited beside the stream.
    pub fn synced(&self) -> impl Future<Output = ()> + Send + use<K> {
        let mailbox = Arc::clone(&self.mailbox);
        async move {
            mailbox.synced().await;
        }
    }

    /// Its figures.
    pub fn stats(&self) -> HandlerStats {
        self.mailbox.stats()
    }
}

impl<K> Notifications<K> {
    /// Most often something is there already, and no future needs to be made to wait for it.
    fn taken_at_once(&self) -> Popped {
        if self.waiting.is_some() { Popped::Nothing } else { self.mailbox.take() }
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
        let next = match self.taken_at_once() {
            Popped::Some(next) => Some(next),
            Popped::End => None,
            Popped::Nothing => ready!(self.poll_waiting(cx)),
        };
        self.yielded = next.as_ref().map(RawNotification::is_initial);
        if next.is_none() {
            // Whoever waits for it to sync waits no longer.
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
