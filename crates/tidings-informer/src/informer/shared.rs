//! The state that the handles of an informer and its task share.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidings_object::{Intake, ResourceKind};
use tidings_source::StreamScope;
use tidings_util::Histogram;
use tidings_util::watch;
use tokio::sync::{Notify, SetOnce};
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

/// The state that the handles of an informer and its task share.
pub(crate) struct Shared {
    pub(crate) resource: ResourceKind,
    pub(crate) config: InformerConfig,
    pub(crate) intake: Arc<Intake>,
    pub(crate) reader: Reader,
    pub(crate) depth: QueueDepth,
    pub(crate) reporter: Arc<FaultReporter>,
    pub(crate) registry: Mutex<Registry>,
    /// Wakes the informer's task: the registry has changed.
    pub(crate) wake: Arc<Notify>,
    /// The progress of the published cache.
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

/// The mailboxes, and the requests that the informer's task has not handled yet.
pub(crate) struct Registry {
    pub(crate) lifecycle: Lifecycle,
    /// Handlers that were added and that the informer's task has not taken over yet.
    pub(crate) new_handlers: Vec<NewHandler>,
    /// Handlers before subscribers, because a subscriber may block the informer's task.
    pub(crate) mailboxes: Vec<Arc<Mailbox>>,
    /// The scopes to list and watch.
    pub(crate) scopes: Vec<StreamScope>,
    /// Whether the scopes were changed since the informer was created.
    pub(crate) is_redirected: bool,
    pub(crate) next_handler_number: u32,
}

/// A handler that was added. A stream has no callback.
pub(crate) type NewHandler = (Arc<Mailbox>, Option<Callback>);

/// The lifecycle of an informer. It only moves forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// Created, not started.
    New,
    /// Its task is running.
    Started,
    /// Its task has ended. It can't be started again: get a new one from the factory.
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

    /// Takes over one handler that was added. Its mailbox joins the others at once, so that it ends with them if the
    /// informer's task is dropped while it delivers the initial list.
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

    /// Waits until the informer can never sync, and returns why. Waits for ever if it has synced.
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
        let last_fault = self.last_fault();
        let lifecycle = self.registry.lock().lifecycle;
        let reason = match (lifecycle, last_fault) {
            (Lifecycle::New, _) => "it was not started".to_owned(),
            (Lifecycle::Stopped, None) => "it was stopped".to_owned(),
            (Lifecycle::Stopped, Some(last_fault)) => format!("it has stopped; last error: {last_fault}"),
            (Lifecycle::Started, None) => "its first list is not complete yet".to_owned(),
            (Lifecycle::Started, Some(last_fault)) => last_fault,
        };
        self.unsynced_because(reason)
    }

    fn unsynced_because(&self, reason: String) -> Unsynced {
        Unsynced { name: self.config.name.clone(), reason }
    }

    fn last_fault(&self) -> Option<String> {
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
