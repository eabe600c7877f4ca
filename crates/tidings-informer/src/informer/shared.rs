//! What the handles of an informer and its task share.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidings_object::{Intake, ResourceKind};
use tidings_source::StreamScope;
use tidings_util::Histogram;
use tokio::sync::{Notify, SetOnce, watch};
use tokio_util::sync::CancellationToken;

use crate::delta::{QueueDepth, StreamId};
use crate::indexer::Reader;
use crate::informer::apply::AppliedCounts;
use crate::informer::apply::progress::Progress;
use crate::informer::config::InformerConfig;
use crate::informer::deliver::callback::Callback;
use crate::informer::deliver::mailbox::Mailbox;
use crate::informer::error::Unsynced;
use crate::informer::observe::failure::Failures;
use crate::informer::observe::fault::FaultReporter;
use crate::informer::observe::health::{Health, RequestCounts};
use crate::informer::observe::monitor::StreamMonitor;
use crate::informer::observe::stats::{InformerStats, MemoryStats};
use crate::sync::Mutex;

/// What the handles of an informer and its task share.
pub(crate) struct Shared {
    pub(crate) resource: ResourceKind,
    pub(crate) config: InformerConfig,
    pub(crate) intake: Arc<Intake>,
    pub(crate) reader: Reader,
    pub(crate) depth: QueueDepth,
    pub(crate) reporter: Arc<FaultReporter>,
    pub(crate) registry: Mutex<Registry>,
    /// The registry or the set of indexes changed: the informer's task has something to do.
    pub(crate) wake: Arc<Notify>,
    /// How far the published cache has come.
    pub(crate) progress: watch::Sender<Progress>,
    pub(crate) applied: Mutex<AppliedCounts>,
    pub(crate) processing: Mutex<Histogram>,
    pub(crate) monitors: Mutex<BTreeMap<StreamId, Arc<StreamMonitor>>>,
    pub(crate) synced: SetOnce<()>,
    /// Why it no longer follows the server.
    pub(crate) failures: Failures,
    pub(crate) stop: CancellationToken,
    pub(crate) stopped: SetOnce<()>,
}

/// Who listens, and what was asked of the informer's task that it has not done yet.
pub(crate) struct Registry {
    pub(crate) lifecycle: Lifecycle,
    /// Added, and not yet taken over by the informer's task.
    pub(crate) new_handlers: Vec<NewHandler>,
    /// Handlers before subscribers: the latter may keep the informer's task busy.
    pub(crate) mailboxes: Vec<Arc<Mailbox>>,
    /// What shall be listed and state.
    pub(crate) scopes: Vec<StreamScope>,
    /// Whether these are others than at first.
    pub(crate) is_redirected: bool,
    pub(crate) next_handler_number: u32,
}

/// A handler, or without a callback a stream, that was added.
pub(crate) type NewHandler = (Arc<Mailbox>, Option<Callback>);

/// Where an informer stands. It never goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// Made, and not started.
    New,
    /// Its task runs.
    Started,
    /// Its task has ended. It can't be started again: ask the factory for a new one.
    Stopped,
}

impl Shared {
    pub(crate) fn health(&self) -> Health {
        Health {
            is_synced: self.synced.initialized(),
            streams: self.monitors.lock().values().map(|monitor| monitor.health()).collect(),
            lag: self.mailboxes().iter().map(|mailbox| mailbox.stats().lag).max().unwrap_or_default(),
            epoch: self.progress.borrow().epoch(),
            failures: self.failures.all(),
        }
    }

    pub(crate) fn stats(&self) -> InformerStats {
        let handlers: Vec<_> = self.mailboxes().iter().map(|mailbox| mailbox.stats()).collect();
        let mut requests = RequestCounts::default();
        self.monitors.lock().values().for_each(|monitor| monitor.add_to(&mut requests));
        let cache = self.reader.memory();
        InformerStats {
            name: self.config.name.clone(),
            resource: self.resource.clone(),
            objects: cache.objects,
            version: self.reader.version(),
            memory: MemoryStats {
                object_bytes: cache.object_bytes as u64,
                packed_bytes: cache.packed_bytes as u64,
                index_bytes: cache.index_bytes as u64,
                backlog_bytes: handlers.iter().map(|handler| handler.backlog_bytes as u64).sum(),
                queue_bytes: self.depth.bytes_estimate() as u64,
                decoded_bytes_estimate: self.intake.origin().budget.used_bytes_estimate(),
            },
            queued_deltas: self.depth.deltas(),
            applied: *self.applied.lock(),
            processing: self.processing.lock().clone(),
            requests,
            faults: self.reporter.counts(),
            handlers,
        }
    }

    /// Takes over one listener that was added. It counts as mailboxes at once: if the informer's task is dropped while it
    /// delivers what is there, the listener deleted_at with it.
    pub(crate) fn take_new_handler(&self) -> Option<NewHandler> {
        let mut registry = self.registry.lock();
        let Registry { new_handlers, mailboxes, .. } = &mut *registry;
        if new_handlers.is_empty() {
            return None;
        }
        let (mailbox, callback) = new_handlers.remove(0);
        mailboxes.retain(|mailbox| mailbox.is_open());
        let handlers = mailboxes.iter().take_while(|other| !other.is_subscriber()).count();
        let at = if mailbox.is_subscriber() { mailboxes.len() } else { handlers };
        mailboxes.insert(at, Arc::clone(&mailbox));
        Some((mailbox, callback))
    }

    pub(crate) async fn wait_synced(&self) -> Result<(), Unsynced> {
        tokio::select! {
            biased;
            () = async { self.synced.wait().await; } => Ok(()),
            () = async { self.stopped.wait().await; } => Err(self.unsynced()),
            failure = self.failures.wait(None) => Err(self.unsynced_because(failure.reason())),
        }
    }

    /// Waits until the first lists can no longer come, and says why; for ever once they have.
    pub(crate) async fn never_syncs(&self) -> Unsynced {
        match self.wait_synced().await {
            Ok(()) => std::future::pending().await,
            Err(unsynced) => unsynced,
        }
    }

    pub(crate) fn unsynced(&self) -> Unsynced {
        if let Some(failure) = self.failures.of(None) {
            return self.unsynced_because(failure.reason());
        }
        let trouble = self.trouble();
        let lifecycle = self.registry.lock().lifecycle;
        let reason = match (lifecycle, trouble) {
            (Lifecycle::New, _) => "it was not started".to_owned(),
            (Lifecycle::Stopped, None) => "it was stopped".to_owned(),
            (Lifecycle::Stopped, Some(trouble)) => format!("it has stopped; last error: {trouble}"),
            (Lifecycle::Started, None) => "its first list has not come yet".to_owned(),
            (Lifecycle::Started, Some(trouble)) => trouble,
        };
        self.unsynced_because(reason)
    }

    fn unsynced_because(&self, reason: String) -> Unsynced {
        Unsynced { name: self.config.name.clone(), reason }
    }

    fn trouble(&self) -> Option<String> {
        let streams = self.health().streams.into_iter();
        let mut errors =
            streams.filter_map(|stream| stream.failing.map(|failure| failure.error).or(stream.last_error));
        errors.next().map(|error| error.to_string())
    }

    fn mailboxes(&self) -> Vec<Arc<Mailbox>> {
        let registry = self.registry.lock();
        let new_handlers = registry.new_handlers.iter().map(|(mailbox, _)| mailbox);
        let all = registry.mailboxes.iter().chain(new_handlers);
        all.filter(|mailbox| !mailbox.has_ended()).map(Arc::clone).collect()
    }
}
