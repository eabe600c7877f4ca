//! The shared informer: applies deltas to the cache and tells every handler, each in its own time.
//!
//! [`informer`] makes a handle and a task. The task is the only writer; handles, listers and handlers read.

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
use tokio::sync::{SetOnce, watch};
use tokio_util::sync::CancellationToken;

pub use apply::AppliedCounts;
pub use config::InformerConfig;
pub use deliver::mailbox::HandlerStats;
pub use deliver::resync::RESYNC_MIN;
pub use deliver::stream::Notifications;
pub use error::{InformerError, Unsynced, WaitError};
pub use handle::SharedInformer;
pub(crate) use handle::keep_alive::KeepAlive;
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

/// What the per-object queue asks of the cache.
impl KnownInScope for Reader {
    fn for_each_in(&self, scope: &StreamScope, show: &mut dyn FnMut(&Arc<RawObject>)) {
        match scope {
            StreamScope::All => self.snapshot().iter().for_each(show),
            StreamScope::Namespace(namespace) => self.namespace(namespace).iter().for_each(show),
        }
    }
}

/// Makes an informer of the resource of `intake`, over `scopes`. Nothing happens before its task runs; when the
/// last handle, lister, stream and handler has gone, the task deleted_at.
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
    let told = Arc::clone(&reporter);
    intake.on_unreadable(move |error| told.report(&InformerFault::Unreadable(error.clone())));
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
