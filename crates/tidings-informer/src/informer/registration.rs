//! A handler's registration: it tells when the handler has heard everything, and takes it away again.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Weak};

use super::listener::{HandlerStats, Mailbox};
use super::shared::{Lifecycle, Shared};

/// A handler that was added. Dropping this does not remove it.
#[derive(Clone)]
pub struct Registration {
    mailbox: Arc<Mailbox>,
    shared: Weak<Shared>,
}

impl Registration {
    pub(super) fn new(mailbox: Arc<Mailbox>, shared: &Arc<Shared>) -> Self {
        Registration { mailbox, shared: Arc::downgrade(shared) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.mailbox.name()
    }

    /// Whether the informer has synced and this handler has returned from every initial addition.
    pub fn is_synced(&self) -> bool {
        self.mailbox.is_synced()
    }

    /// Waits until [`is_synced`](Self::is_synced); for ever if the informer is never started.
    pub async fn synced(&self) {
        self.mailbox.synced().await;
    }

    /// Its figures.
    pub fn stats(&self) -> HandlerStats {
        self.mailbox.stats()
    }

    /// Removes the handler. It is still told what is pending; the future ends when it has returned from the
    /// last. The removal itself happens at once: inside the handler's own call, drop the future.
    pub fn remove(&self) -> impl Future<Output = ()> + Send + 'static {
        self.mailbox.drain();
        self.forget()
    }

    /// Removes the handler and drops what is pending.
    pub fn remove_now(&self) -> impl Future<Output = ()> + Send + 'static {
        self.mailbox.close();
        self.forget()
    }

    fn forget(&self) -> impl Future<Output = ()> + Send + 'static {
        let mailbox = Arc::clone(&self.mailbox);
        if let Some(shared) = self.shared.upgrade() {
            let mut registry = shared.registry.lock();
            registry.listening.retain(|other| !Arc::ptr_eq(other, &mailbox));
            // Nobody will ever call a handler that the informer's task has not taken over.
            if registry.lifecycle != Lifecycle::Started {
                registry.arriving.retain(|(other, _)| !Arc::ptr_eq(other, &mailbox));
                mailbox.end();
            }
            drop(registry);
            shared.wake.notify_one();
        }
        async move { mailbox.ended().await }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("name", &self.name())
            .field("is_synced", &self.is_synced())
            .finish()
    }
}
