//! How an informer deleted_at: asked to, by a panic, or because its task is dropped. However it deleted_at, nobody waits for it in
//! vain.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use tidings_source::StreamScope;
use tidings_util::{clock, panic_message};
use tokio::time::Instant;

use crate::delta::StreamId;
use crate::informer::error::InformerError;
use crate::informer::observe::failure::FailedPart;
use crate::informer::observe::fault::InformerFault;
use crate::informer::run::InformerTask;
use crate::informer::shared::{Lifecycle, Shared};
use crate::reflector::{Observer as _, StopReason};

/// What is left of a panic.
type Panic = Box<dyn Any + Send>;

impl InformerTask {
    /// Source first, then each stage drains into the next, within the deadline. After a panic nothing more is applied:
    /// nobody knows what state the cache is in. What handlers have not been told of is delivered all the same.
    pub(crate) async fn end(&mut self, ended: Result<(), Panic>) {
        let deadline = clock::from_now(self.shared.config.stop_deadline);
        let ended = ended.map_err(|panic| self.failed(&*panic));
        // Dropped, not cancelled: what they brought stays readable, and nothing that they wait for can hold us.
        self.reflectors.shutdown().await;
        self.shared.monitors.lock().values().for_each(|monitor| monitor.stopped(&StopReason::Cancelled));
        self.sender.close();
        let drained = ended.is_ok() && {
            let drained = AssertUnwindSafe(self.apply_the_rest()).catch_unwind().await;
            drained.map_err(|panic| self.failed(&*panic)).is_ok()
        };
        if !drained {
            self.shared.end_new_handlers();
        }
        self.drain_handlers(deadline).await;
    }

    async fn apply_the_rest(&mut self) {
        while let Some(Some(batch)) = self.receiver.next_batch().now_or_never() {
            self.apply(batch).await;
        }
        // Handlers that came in while the informer stopped are told what is there, as all others were.
        self.add_new_handlers().await;
    }

    async fn drain_handlers(&mut self, deadline: Instant) {
        let mailboxes = self.shared.registry.lock().mailboxes.clone();
        mailboxes.iter().for_each(|mailbox| mailbox.drain());
        let drained = async { while self.listeners.join_next().await.is_some() {} };
        if tokio::time::timeout_at(deadline, drained).await.is_err() {
            let mailboxes = std::mem::take(&mut self.shared.registry.lock().mailboxes);
            mailboxes.iter().for_each(|mailbox| mailbox.close());
            self.listeners.abort_all();
        }
    }

    /// The cause first, then the end: whoever is woken by the end finds it.
    fn failed(&self, panic: &(dyn Any + Send)) {
        let (informer, message) = (self.shared.config.name.clone(), panic_message(panic));
        self.shared
            .failures
            .add(FailedPart::Task, InformerError::Panicked { informer, message: message.clone() });
        self.shared.stop.cancel();
        self.shared
            .reporter
            .report(&InformerFault::Panicked { part: "the informer's task".to_owned(), message });
    }
}

impl Shared {
    /// A list and watch has ended although it is wanted.
    pub(crate) fn stream_failed(&self, id: StreamId, scope: &StreamScope, cause: String) {
        let (informer, scope) = (self.config.name.clone(), scope.clone());
        self.failures.add(FailedPart::Stream(id), InformerError::StreamEnded { informer, scope, cause });
    }

    /// Nobody will ever call these.
    fn end_new_handlers(&self) {
        let new_handlers = std::mem::take(&mut self.registry.lock().new_handlers);
        new_handlers.iter().for_each(|(mailbox, _)| mailbox.end());
        // Outside the lock: what a handler owns may ask the informer while it is dropped.
        drop(new_handlers);
    }
}

/// However the task deleted_at, nobody waits for it in vain.
pub(crate) struct EndOnDrop(pub(crate) Arc<Shared>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.stop.cancel();
        let mailboxes = {
            let mut registry = self.0.registry.lock();
            registry.lifecycle = Lifecycle::Stopped;
            std::mem::take(&mut registry.mailboxes)
        };
        self.0.monitors.lock().values().for_each(|monitor| monitor.stopped(&StopReason::Cancelled));
        self.0.end_new_handlers();
        mailboxes.into_iter().for_each(|mailbox| mailbox.drain());
        let _ = self.0.stopped.set(());
    }
}
