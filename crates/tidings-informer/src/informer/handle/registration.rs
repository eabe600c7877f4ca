//! The registration of a handler: reports whether it has synced, and removes it.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Weak};

use crate::informer::deliver::mailbox::{HandlerStats, Mailbox};
use crate::informer::error::{Unsynced, WaitError};
use crate::informer::observe::failure::Failures;
use crate::informer::shared::{Lifecycle, NewHandler, Shared};

/// The registration of a handler. Dropping it does not remove the handler.
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

    /// Waits until [`is_synced`](Self::is_synced). It is an error if the handler is removed, or its informer stops,
    /// before that.
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

    /// Its statistics.
    pub fn stats(&self) -> HandlerStats {
        self.mailbox.stats()
    }

    /// Removes the handler. The removal happens at once, even if the future is not awaited. Pending notifications are
    /// still delivered. The future completes when the handler has returned from its last call and is dropped. Inside a
    /// call of the handler it completes at once.
    pub fn remove(&self) -> impl Future<Output = ()> + Send + 'static {
        self.mailbox.drain();
        self.forget()
    }

    /// Removes the handler and drops its pending notifications.
    pub fn remove_now(&self) -> impl Future<Output = ()> + Send + 'static {
        self.mailbox.close();
        self.forget()
    }

    fn forget(&self) -> impl Future<Output = ()> + Send + 'static {
        let mailbox = Arc::clone(&self.mailbox);
        if let Some(shared) = self.shared.upgrade() {
            if let Some(never_called) = shared.forget(&mailbox) {
                // Outside the lock: the `Drop` of user code may use the informer.
                drop(never_called);
                mailbox.end();
            }
            shared.wake.notify_one();
        }
        async move { mailbox.ended().await }
    }
}

impl Shared {
    /// Removes the mailbox from the registry. If the informer has not started, no task will ever call the handler:
    /// then it is returned, so that the caller ends it.
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
