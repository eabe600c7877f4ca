//! The end of an informer: it is stopped, it panics, or its task is dropped. In each case all waiters wake up, and the
//! cause of the end is recorded before they do.

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

/// The payload of a panic.
type Panic = Box<dyn Any + Send>;

impl InformerTask {
    /// Stops the reflectors, applies the queued deltas, and lets the handlers finish, within the deadline. After a
    /// panic nothing more is applied, because the state of the cache is unknown. Pending notifications are delivered
    /// even then.
    pub(crate) async fn shut_down(&mut self, result: Result<(), Panic>) {
        let deadline = clock::from_now(self.shared.config.stop_deadline);
        let result = result.map_err(|panic| self.failed(&*panic));
        // Aborted, not cancelled: a cancelled stream removes its objects from the cache, and it may wait for a long
        // time.
        self.reflectors.shutdown().await;
        self.shared.monitors.lock().values().for_each(|monitor| monitor.stopped(&StopReason::Cancelled));
        self.sender.close();
        let is_drained = result.is_ok() && {
            let drained = AssertUnwindSafe(self.apply_queued()).catch_unwind().await;
            drained.map_err(|panic| self.failed(&*panic)).is_ok()
        };
        if !is_drained {
            self.shared.end_new_handlers();
        }
        self.drain_handlers(deadline).await;
    }

    async fn apply_queued(&mut self) {
        while let Some(Some(batch)) = self.receiver.next_batch().now_or_never() {
            self.apply(batch).await;
        }
        // Handlers that were added while the informer stopped receive the initial list too.
        self.add_new_handlers().await;
    }

    async fn drain_handlers(&mut self, deadline: Instant) {
        let mailboxes = self.shared.registry.lock().mailboxes.clone();
        mailboxes.iter().for_each(|mailbox| mailbox.drain());
        let drained = async { while self.handler_tasks.join_next().await.is_some() {} };
        if tokio::time::timeout_at(deadline, drained).await.is_err() {
            let mailboxes = std::mem::take(&mut self.shared.registry.lock().mailboxes);
            mailboxes.iter().for_each(|mailbox| mailbox.close());
            self.handler_tasks.abort_all();
        }
    }

    /// Records the cause before it cancels: a waiter that is woken by the stop finds the cause.
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
    /// Records that a wanted stream has ended.
    pub(crate) fn stream_failed(&self, id: StreamId, scope: &StreamScope, cause: String) {
        let (informer, scope) = (self.config.name.clone(), scope.clone());
        self.failures.add(FailedPart::Stream(id), InformerError::StreamEnded { informer, scope, cause });
    }

    /// Ends the handlers that no task will ever call.
    fn end_new_handlers(&self) {
        let new_handlers = std::mem::take(&mut self.registry.lock().new_handlers);
        new_handlers.iter().for_each(|(mailbox, _)| mailbox.end());
        // Outside the lock: the `Drop` of user code may use the informer.
        drop(new_handlers);
    }
}

/// Ends the informer for all waiters when the task is dropped, finished or not.
pub(crate) struct EndInformerOnDrop(pub(crate) Arc<Shared>);

impl Drop for EndInformerOnDrop {
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
