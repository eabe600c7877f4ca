//! The shared informer: applies deltas to the cache and delivers notifications to handlers.
//!
//! [`informer`] returns a handle and a task. The task is the only writer of the cache; handles, listers and handlers
//! read it.
//!
//! - `handle/` is what users hold: the handle, registrations, waits, the weak reference.
//! - `run/` is the task: signals, maintenance, shutdown.
//! - `apply/` turns deltas into changes of the cache and into notifications.
//! - `deliver/` brings notifications to handlers and streams.
//! - `observe/` is what an informer reports: health, statistics, faults.
//! - `shared` is the state that the handle and the task share.
//!
//! A new option of an informer is a field in `config`, read where it has its effect through `shared.config`, and a
//! method on `InformerOptions` in tidings-factory. A new option of a handler is a field of `MailboxOptions` and a
//! method in `handler`. A new metric is a field in `observe/stats`, filled in `shared`, and a line in the metrics of
//! tidings-factory.

mod apply;
mod config;
mod deliver;
mod error;
mod handle;
mod handler;
mod notification;
mod observe;
mod run;
mod shared;

use std::sync::Arc;

use tidings_object::{Intake, RawObject};
use tidings_source::StreamScope;
use tidings_util::watch;
use tokio::sync::SetOnce;
use tokio_util::sync::CancellationToken;

pub use apply::AppliedCounts;
pub use config::InformerConfig;
pub use deliver::mailbox::HandlerStats;
pub use deliver::resync::RESYNC_MIN;
pub use deliver::stream::Notifications;
pub use error::{InformerError, Unsynced, WaitError};
pub use handle::SharedInformer;
pub(crate) use handle::keep_alive::KeepAlive;
pub use handle::publications::Publications;
pub use handle::registration::Registration;
pub use handle::weak::WeakInformer;
pub use handler::Handler;
pub use notification::Notification;
pub use observe::fault::{ErrorHook, FaultCounts, InformerFault};
pub use observe::health::{CompletedCounts, Health, RequestCounts, StreamFailure, StreamHealth, StreamState};
pub use observe::stats::{InformerStats, MemoryStats};
pub use run::{InformerTask, Sources};
pub use shared::Lifecycle;
pub use tidings_object::Wire;
pub use tidings_util::Histogram;

use crate::delta::{self, KnownInScope};
use crate::indexer::{Reader, indexer};
use crate::sync::Mutex;

/// The per-object queue reads the cache through this, to know which objects a list no longer contains.
impl KnownInScope for Reader {
    fn for_each_in(&self, scope: &StreamScope, show: &mut dyn FnMut(&Arc<RawObject>)) {
        match scope {
            StreamScope::All => self.snapshot().iter().for_each(show),
            StreamScope::Namespace(namespace) => self.namespace(namespace).iter().for_each(show),
        }
    }
}

/// Creates an informer of the resource of `intake` over `scopes`. Nothing happens before its task runs. The task ends
/// when the last handle, lister, stream and handler is dropped.
pub fn informer<K>(
    intake: Arc<Intake>,
    sources: Arc<dyn Sources>,
    scopes: Vec<StreamScope>,
    config: InformerConfig,
) -> (SharedInformer<K>, InformerTask) {
    let (writer, reader) = indexer();
    let (sender, receiver) =
        delta::queue(config.queue_order, config.queued_deltas_max, Arc::new(reader.clone()));
    let stop = CancellationToken::new();
    let applier = apply::Applier::new(writer, config.queue_order);
    let reporter = Arc::new(observe::fault::FaultReporter::new(config.name.clone(), config.on_error.clone()));
    let unreadable = Arc::clone(&reporter);
    intake.on_unreadable(move |error| unreadable.report(&InformerFault::Unreadable(error.clone())));
    let shared = Arc::new(shared::Shared {
        resource: intake.origin().resource.clone(),
        reporter,
        config,
        intake,
        reader,
        depth: sender.depth(),
        registry: Mutex::new(shared::Registry {
            lifecycle: Lifecycle::New,
            new_handlers: Vec::new(),
            mailboxes: Vec::new(),
            scopes,
            is_redirected: false,
            next_handler_number: 0,
        }),
        wake: Arc::default(),
        progress: watch::Sender::new(apply::progress::Progress::default()),
        applied: Mutex::new(AppliedCounts::default()),
        processing: Mutex::new(Histogram::new(&observe::stats::PROCESSING_BOUNDS_NANOS)),
        monitors: Mutex::default(),
        synced: SetOnce::new(),
        failures: observe::failure::Failures::new(),
        stop: stop.clone(),
        stopped: SetOnce::new(),
    });
    let task = InformerTask::new(Arc::clone(&shared), sources, (sender, receiver), applier);
    (SharedInformer::new(shared, Arc::new(KeepAlive::new(stop))), task)
}
