//! The loop of a reflector: performs the operation of the current phase, reports the result, waits if necessary, and
//! continues until it is cancelled.
//!
//! It never spawns a task: the caller owns its task. Dropping it ends every wait.

use std::sync::Arc;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngCore as _, SeedableRng as _};
use tidings_object::Version;
use tidings_source::{ErrorClass, ListPermit, ListWatch, SourceError};
use tidings_util::backoff::Backoff;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::config::{ListMode, ReflectorConfig, StopPolicy};
use super::liveness::BookmarkInterval;
use super::observer::{Observer, ReflectorActivity, RelistReason, StopReason, TracedObserver};
use super::phase::{
    FailureStage, ListVersion, Operation, OperationEnd, OperationOutcome, Phase, PhaseEffect,
};
use super::probe::ProbeSchedule;
use super::sink::{Epoch, Sink};
use super::watch::{InternalErrors, OpenWatch};

/// Keeps a sink equal to the objects of one [`ListWatch`], as long as it runs.
///
/// 1. The first list and every relist reach the sink as one replacement, which is committed as a whole or not at all.
/// 2. The sink receives an object before its version is recorded. So a reopened watch skips nothing.
/// 3. A relist never requests an older version than the last one, unless the server no longer has that.
/// 4. While the sink waits, nothing is read from the socket (backpressure), and no timeout runs.
/// 5. No error ends it, except by its [`StopPolicy`]. Every error is reported to its [`Observer`].
/// 6. A cancellation ends it at once, whatever the server does.
///
/// It works without a queue, a cache or handlers. The smallest sink:
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::{Arc, Mutex};
///
/// use tidings_informer::reflector::{Epoch, Reflector, ReflectorConfig, Replacement, Sink};
/// use tidings_object::{RawObject, Version};
/// use tidings_source::{ChangeType, StreamScope};
///
/// type Objects = HashMap<String, Arc<RawObject>>;
///
/// struct MapSink(Arc<Mutex<Objects>>);
/// struct NewMap<'a>(Objects, &'a MapSink);
///
/// impl Sink for MapSink {
///     type Replacement<'a> = NewMap<'a>;
///
///     fn begin_replace(&mut self, _: &StreamScope) -> NewMap<'_> {
///         NewMap(Objects::new(), self)
///     }
///
///     async fn change(&mut self, change: ChangeType, object: Arc<RawObject>) {
///         let (mut objects, key) = (self.0.lock().unwrap(), object.key().to_string());
///         match change {
///             ChangeType::Added | ChangeType::Modified => objects.insert(key, object),
///             ChangeType::Deleted => objects.remove(&key),
///         };
///     }
///
///     async fn bookmark(&mut self, _: Version) {}
/// }
///
/// impl Replacement for NewMap<'_> {
///     fn accept(&mut self, object: Arc<RawObject>) {
///         self.0.insert(object.key().to_string(), object);
///     }
///
///     fn retract(&mut self, object: &RawObject) {
///         self.0.remove(object.key().as_str());
///     }
///
///     fn len(&self) -> usize {
///         self.0.len()
///     }
///
///     async fn commit(self, _: Version, _: Epoch) {
///         *self.1.0.lock().unwrap() = self.0;
///     }
/// }
///
/// # use k8s_openapi::api::core::v1::Pod;
/// # use tidings_object::Kind;
/// # use tidings_source::scripted::{ScriptedSource, WatchResponse, object};
/// # use tokio_util::sync::CancellationToken;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let source = ScriptedSource::new(Pod::resource(), StreamScope::All);
/// # let web = object(&Pod::resource(), Some("default"), "web", 3, "uid-1", serde_json::json!({}));
/// # source.will_watch(WatchResponse::open().added(&web).initial_events_end(5).hang());
/// # let source = Arc::new(source);
/// // `source` lists and watches pods; it can be any `ListWatch`.
/// let objects = Arc::new(Mutex::new(Objects::new()));
/// let sink = MapSink(Arc::clone(&objects));
/// let reflector = Reflector::new(source, sink, ReflectorConfig::default(), Arc::new(()), 42);
///
/// let stop = CancellationToken::new();
/// let running = reflector.run(stop.clone());
/// # let watcher = async {
/// #     while objects.lock().unwrap().is_empty() { tokio::task::yield_now().await; }
/// #     stop.cancel();
/// # };
/// # tokio::join!(running, watcher);
/// assert!(objects.lock().unwrap().contains_key("default/web"));
/// # }
/// ```
pub struct Reflector<L: ?Sized, S> {
    pub(super) source: Arc<L>,
    pub(super) sink: S,
    pub(super) config: ReflectorConfig,
    pub(super) observer: TracedObserver,
    pub(super) rng: SmallRng,
    pub(super) backoff: Backoff,
    /// `None` if silent watches are not reopened.
    pub(super) bookmark_interval: Option<BookmarkInterval>,
    pub(super) internal_errors: InternalErrors,
    pub(super) probe_schedule: ProbeSchedule,
    /// The sink has everything up to this version. It is never the empty version.
    pub(super) last_version: Option<Version>,
    /// The stream of a streaming list, which continues as the watch.
    pub(super) open_watch: Option<OpenWatch>,
    /// Whether a list at version 0 arrived in pages: then the server has no watch cache.
    pub(super) has_no_watch_cache: bool,
    phase: Phase,
    streaming_refused_until: Option<Instant>,
    refusals: RefusalCount,
}

/// The result of an operation, with its error.
pub(super) struct FinishedOperation {
    outcome: OperationOutcome,
    failure: Option<(SourceError, ReflectorActivity)>,
}

/// The number of equal refusals in a row.
#[derive(Debug, Default)]
struct RefusalCount {
    class: Option<ErrorClass>,
    in_a_row: u32,
}

impl<L: ListWatch + ?Sized, S: Sink> Reflector<L, S> {
    /// Creates a reflector that writes the objects of `source` to `sink`. All randomness comes from `seed`.
    pub fn new(
        source: Arc<L>,
        sink: S,
        config: ReflectorConfig,
        observer: Arc<dyn Observer>,
        seed: u64,
    ) -> Reflector<L, S> {
        let mut rng = SmallRng::seed_from_u64(seed);
        let observer = TracedObserver::new(observer, source.resource().clone(), source.scope().clone());
        Reflector {
            source,
            sink,
            observer,
            backoff: Backoff::new(config.backoff, rng.next_u64()),
            bookmark_interval: config
                .liveness
                .map(|liveness| BookmarkInterval::new(liveness, rng.next_u64())),
            internal_errors: InternalErrors::new(config.internal_error_window),
            probe_schedule: ProbeSchedule::default(),
            rng,
            config,
            last_version: None,
            open_watch: None,
            has_no_watch_cache: false,
            phase: Phase::START,
            streaming_refused_until: None,
            refusals: RefusalCount::default(),
        }
    }

    /// Lets the first list return no state that is older than this version, as if the reflector had seen it.
    #[must_use]
    pub(crate) fn not_older_than(mut self, version: Option<Version>) -> Self {
        self.last_version = version;
        self
    }

    /// Lists and watches until `stop` is cancelled, or its [`StopPolicy`] gives up. Dropping the future stops it as
    /// well.
    pub async fn run(mut self, stop: CancellationToken) -> StopReason {
        let reason = tokio::select! {
            biased;
            () = stop.cancelled() => StopReason::Cancelled,
            reason = self.run_operations() => reason,
        };
        self.observer.stopped(&reason);
        reason
    }

    async fn run_operations(&mut self) -> StopReason {
        loop {
            self.phase.operation = self.available(self.phase.operation);
            let mut finished = match self.phase.operation {
                Operation::StreamList(at) => {
                    let _permit = self.list_permit().await;
                    self.stream_list(at).await
                }
                Operation::List(at) => {
                    let _permit = self.list_permit().await;
                    self.list(at).await
                }
                Operation::Watch => self.watch().await,
                Operation::Probe => self.probe().await,
            };
            if let Some((error, _)) = &mut finished.failure {
                self.observer.add_hint(error);
            }
            if let Some(reason) = self.report(&finished) {
                return reason;
            }
            self.proceed(&finished).await;
        }
    }

    /// Waits until a list may begin.
    fn list_permit(&self) -> impl Future<Output = ListPermit> + use<L, S> {
        let source = Arc::clone(&self.source);
        async move { source.list_permit().await }
    }

    /// The operation, or its replacement if it is not available: a list instead of a streaming list that is not wanted,
    /// not supported or was refused recently; a watch instead of a probe that is not due.
    fn available(&self, operation: Operation) -> Operation {
        let is_refused = self.streaming_refused_until.is_some_and(|until| Instant::now() < until);
        match operation {
            Operation::StreamList(at)
                if self.config.list_mode == ListMode::Chunked
                    || is_refused
                    || !self.source.may_stream_lists() =>
            {
                Operation::List(at)
            }
            // Without a last version there is nothing to compare the server's version with.
            Operation::Probe if self.last_version.is_none() || !self.probe_schedule.is_due() => {
                Operation::Watch
            }
            operation => operation,
        }
    }

    fn report(&mut self, finished: &FinishedOperation) -> Option<StopReason> {
        if let Some((error, during)) = &finished.failure {
            self.observer.failed(error, *during);
        }
        let error = finished.failure.as_ref().map(|(error, _)| error);
        let gave_up = self.refusals.is_limit_reached(error, self.config.stop_policy);
        gave_up.then(|| StopReason::GaveUp(error.expect("a refusal has an error").clone()))
    }

    async fn proceed(&mut self, finished: &FinishedOperation) {
        let (next, effect) = self.phase.after(finished.outcome);
        let was_watching = matches!(self.phase.operation, Operation::Watch | Operation::Probe);
        if was_watching && !matches!(next.operation, Operation::Watch | Operation::Probe) {
            self.observer.relisting(relist_reason(finished.outcome.end));
        }
        if self.phase.operation == Operation::Watch
            && matches!(finished.outcome.end, OperationEnd::Failed(FailureStage::Opening, _))
        {
            self.probe_schedule.server_was_down();
        }
        self.phase = next;
        match effect {
            PhaseEffect::AtOnce => {}
            PhaseEffect::BackOff => {
                let error = finished.failure.as_ref().map(|(error, _)| error);
                pause(&mut self.backoff, &self.config, &self.observer, error).await;
            }
            PhaseEffect::RememberRefusal => {
                self.streaming_refused_until = Instant::now().checked_add(self.config.refusal_memory);
                self.observer.refused_streaming_list(self.config.refusal_memory);
            }
        }
    }

    /// The version to request for a list; `None` for the most recent state, or if there is no last version.
    pub(super) fn version_for(&self, at: ListVersion) -> Option<Version> {
        match at {
            ListVersion::LastSeen => self.last_version.clone(),
            ListVersion::MostRecent => None,
        }
    }
}

/// Waits for the next backoff delay, or for the server's Retry-After if that is longer.
pub(super) async fn pause(
    backoff: &mut Backoff,
    config: &ReflectorConfig,
    observer: &TracedObserver,
    after: Option<&SourceError>,
) {
    let retry_after = after.and_then(SourceError::retry_after).map(|time| time.min(config.retry_after_max));
    let delay = backoff.next_delay(retry_after);
    observer.waiting(delay);
    sleep(delay).await;
}

/// Whether a list at `version` continues from `last`. A lower version means that the server was restored from a backup.
/// Versions without an order count as continued.
pub(super) fn epoch(last: Option<&Version>, version: &Version, observer: &TracedObserver) -> Epoch {
    match last {
        Some(last) if version.is_older_than(last) => {
            observer.went_back(last, version);
            Epoch::New
        }
        _ => Epoch::Same,
    }
}

/// `None` for an absent resourceVersion, from which no watch can continue.
pub(super) fn non_empty(version: Version) -> Option<Version> {
    (!version.is_empty()).then_some(version)
}

fn relist_reason(end: OperationEnd) -> RelistReason {
    match end {
        OperationEnd::Failed(_, ErrorClass::Expired) => RelistReason::Expired,
        OperationEnd::Failed(_, ErrorClass::Malformed) => RelistReason::Malformed,
        OperationEnd::Failed(FailureStage::Opening, _) | OperationEnd::Failed(_, ErrorClass::Network) => {
            RelistReason::WatchRefused
        }
        OperationEnd::ClosedEarly => RelistReason::VeryShortWatch,
        OperationEnd::WentBack => RelistReason::VersionWentBack,
        _ => RelistReason::WatchFailed,
    }
}

impl FinishedOperation {
    pub(super) fn listed() -> FinishedOperation {
        FinishedOperation {
            outcome: OperationOutcome { end: OperationEnd::Listed, has_progressed: false },
            failure: None,
        }
    }

    pub(super) fn without_error(end: OperationEnd) -> FinishedOperation {
        FinishedOperation { outcome: OperationOutcome { end, has_progressed: false }, failure: None }
    }

    pub(super) fn with_error(
        end: OperationEnd,
        error: SourceError,
        during: ReflectorActivity,
    ) -> FinishedOperation {
        FinishedOperation {
            outcome: OperationOutcome { end, has_progressed: false },
            failure: Some((error, during)),
        }
    }

    pub(super) fn failed(
        stage: FailureStage,
        error: SourceError,
        during: ReflectorActivity,
    ) -> FinishedOperation {
        FinishedOperation::with_error(OperationEnd::Failed(stage, error.class()), error, during)
    }

    /// The same result, with whether the last version has changed.
    pub(super) fn having_progressed(mut self, has_progressed: bool) -> FinishedOperation {
        self.outcome.has_progressed = has_progressed;
        self
    }
}

impl RefusalCount {
    /// Counts one more result, and returns whether the policy gives up now.
    fn is_limit_reached(&mut self, error: Option<&SourceError>, policy: StopPolicy) -> bool {
        let class = error.map(SourceError::class);
        let max = match class {
            Some(ErrorClass::Unauthorized) => policy.unauthorized_max,
            Some(ErrorClass::Forbidden) => policy.forbidden_max,
            Some(ErrorClass::NotFound) => policy.not_found_max,
            _ => None,
        };
        self.in_a_row = if class == self.class { self.in_a_row.saturating_add(1) } else { 1 };
        self.class = class;
        max.is_some_and(|max| self.in_a_row >= max.get())
    }
}

/// A watch that ends sooner and without an event is a failure.
pub(super) const VERY_SHORT_WATCH: Duration = Duration::from_secs(1);
