//! A handler's registration: it tells when the handler has heard everything, and takes it away again.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Weak};

use crate::informer::deliver::mailbox::{HandlerStats, Mailbox};
use crate::informer::error::{Unsynced, WaitError};
use crate::informer::observe::failure::Failures;
use crate::informer::shared::{Lifecycle, NewHandler, Shared};

/// A handler that was added. Dropping this does not remove it.
#[derive(Clone)]
pub struct Registration {
    mailbox: Arc<Mailbox>,
    shared: Weak<Shared>,
    /// The informer's name.
    informer: String,
    failures: Failures,
}

impl Registration {
    pub(crate) fn new(mailbox: Arc<Mailbox>, shared: &Arc<Shared>) -> Self {
        Registration {
            mailbox,
            shared: Arc::downgrade(shared),
            informer: shared.config.name.clone(),
            failures: shared.failures.clone(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.mailbox.name()
    }

    /// Whether the informer has synced and this handler has returned from every initial addition.
    pub fn is_synced(&self) -> bool {
        self.mailbox.is_synced()
    }

    /// Waits until [`is_synced`](Self::is_synced). A handler that was removed before, or whose informer stopped,
    /// says so.
    pub async fn synced(&self) -> Result<(), WaitError> {
        let shared = self.shared.upgrade();
        let never = async {
            match shared {
                Some(shared) => shared.never_syncs().await.reason,
                None => std::future::pending().await,
            }
        };
        let reason = tokio::select! {
            biased;
            is_synced = self.mailbox.synced() => match self.failures.panic() {
                _ if is_synced => return Ok(()),
                Some(failure) => failure.to_string(),
                None => "it was removed, or the informer stopped".to_owned(),
            },
            reason = never => reason,
        };
        Err(Unsynced::new(format!("handler {:?} of {}", self.name(), self.informer), reason).into())
    }

    /// Its figures.
    pub fn stats(&self) -> HandlerStats {
        self.mailbox.stats()
    }

    /// Removes the handler. It is still told what is pending; the future deleted_at when it has returned from the
    /// last and is dropped. The removal itself happens at once, whether or not anybody waits; inside the handler's
    /// own call, waiting deleted_at at once.
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
            if let Some(never_called) = shared.forget(&mailbox) {
                // Outside the lock: what a handler owns may ask the informer while it is dropped.
                drop(never_called);
                mailbox.end();
            }
            shared.wake.notify_one();
        }
        async move { mailbox.ended().await }
    }
}

impl Shared {
    /// Listens to it no longer. Nobody will ever call a handler that was added to an informer which has not
    /// started: that one is given back.
    fn forget(&self, mailbox: &Arc<Mailbox>) -> Option<NewHandler> {
        let mut registry = self.registry.lock();
        registry.mailboxes.retain(|other| !Arc::ptr_eq(other, mailbox));
        if registry.lifecycle != Lifecycle::New {
            return None;
        }
        let at = registry.new_handlers.iter().position(|(other, _)| Arc::ptr_eq(other, mailbox))?;
        Some(registry.new_handlers.remove(at))
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
