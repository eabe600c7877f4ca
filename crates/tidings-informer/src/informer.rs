//! The shared informer: applies deltas to the cache and tells every handler, each in its own time.
//!
//! [`informer`] makes a handle and a task. The task is the only writer; handles, listers and handlers read.

mod apply;
mod backlog;
mod callback;
mod calls;
mod config;
mod distribute;
mod ending;
mod error;
mod failure;
mod filter;
mod graves;
mod handle;
mod handler;
mod health;
mod lease;
mod listener;
mod monitor;
mod notification;
mod progress;
mod registration;
mod report;
mod resync;
mod run;
mod shared;
mod stats;
mod stream;
mod upkeep;
mod wait;
mod weak;

use std::sync::Arc;

use tidings_object::{Intake, RawObject};
use tidings_source::StreamScope;
use tokio::sync::{SetOnce, watch};
use tokio_util::sync::CancellationToken;

pub use apply::AppliedCounts;
pub use config::InformerConfig;
pub use error::{InformerError, Unsynced, WaitError};
pub use handle::SharedInformer;
pub use handler::Handler;
pub use health::{EndedCounts, Failure, Health, RequestCounts, StreamHealth, StreamState};
pub(crate) use lease::Lease;
pub use listener::HandlerStats;
pub use notification::Notification;
pub use registration::Registration;
pub use report::{ErrorHook, Fault, FaultCounts};
pub use resync::RESYNC_MIN;
pub use run::{InformerTask, Sources};
pub use shared::Lifecycle;
pub use stats::{InformerStats, MemoryStats};
pub use stream::Notifications;
pub use tidings_object::Wire;
pub use tidings_util::Histogram;
pub use weak::WeakInformer;

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
/// last handle, lister, stream and handler has gone, the task ends.
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
    let reporter = Arc::new(report::Reporter::new(config.name.clone(), config.on_error.clone()));
    let told = Arc::clone(&reporter);
    intake.on_unreadable(move |error| told.report(&Fault::Unreadable(error.clone())));
    let shared = Arc::new(shared::Shared {
        resource: intake.origin().resource.clone(),
        reporter,
        config,
        intake,
        reader,
        depth: sender.depth(),
        registry: Mutex::new(shared::Registry {
            lifecycle: Lifecycle::New,
            arriving: Vec::new(),
            listening: Vec::new(),
            scopes,
            is_redirected: false,
            next_handler_number: 0,
        }),
        wake: Arc::default(),
        progress: watch::Sender::new(progress::Progress::default()),
        applied: Mutex::new(AppliedCounts::default()),
        processing: Mutex::new(Histogram::new(&stats::PROCESSING_BOUNDS_NANOS)),
        monitors: Mutex::default(),
        synced: SetOnce::new(),
        failures: failure::Failures::new(),
        stop: stop.clone(),
        stopped: SetOnce::new(),
    });
    let task = InformerTask::new(Arc::clone(&shared), sources, (sender, receiver), applier);
    (SharedInformer::new(shared, Arc::new(Lease::new(stop))), task)
}
