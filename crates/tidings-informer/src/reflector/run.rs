//! The loop: asks what the phase says, tells what came of it, waits if it must, and goes on until it is stopped.
//!
//! It never spawns: whoever runs it owns its task. Every wait in it ends when it is dropped.

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

/// Keeps a sink equal to what one [`ListWatch`] lists, for as long as it runs.
///
/// 1. The first list and every relist reach the sink as one replacement, which is committed whole or not at all.
/// 2. An object is handed to the sink before its version is recorded: a watch that is opened again skips nothing.
/// 3. Relists never ask for less than what was seen, unless the server no longer has it.
/// 4. A sink that waits is felt at the socket, and no clock runs meanwhile.
/// 5. No error ends it, unless its [`StopPolicy`] says so; every error reaches its [`Observer`].
/// 6. A stop ends it at once, whatever the server does.
///
/// It works without queue, cache or handlers. A sink of one's own may be as small as this:
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
/// # use tidings_source::scripted::{ScriptedSource, WatchAnswer, object};
/// # use tokio_util::sync::CancellationToken;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let source = ScriptedSource::new(Pod::resource(), StreamScope::All);
/// # let web = object(&Pod::resource(), Some("default"), "web", 3, "uid-1", serde_json::json!({}));
/// # source.will_watch(WatchAnswer::open().added(&web).initial_events_end(5).hang());
/// # let source = Arc::new(source);
/// // `source` lists pods; any `ListWatch` will do.
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
    /// `None` if nobody is to notice a silent watch.
    pub(super) bookmark_interval: Option<BookmarkInterval>,
    pub(super) internal_errors: InternalErrors,
    pub(super) probe_schedule: ProbeSchedule,
    /// The version up to which the sink has everything. Never empty: an empty version says nothing.
    pub(super) last: Option<Version>,
    /// The stream of a streaming list, which goes on as the watch.
    pub(super) open: Option<OpenWatch>,
    /// Whether a list at version 0 came in pages: then the server has no watch cache.
    pub(super) lists_in_pages: bool,
    phase: Phase,
    streaming_refused_until: Option<Instant>,
    refusals: RefusalCount,
}

/// How a request ended, with what there is to tell about it.
pub(super) struct FinishedOperation {
    outcome: OperationOutcome,
    failure: Option<(SourceError, ReflectorActivity)>,
}

/// RefusalCount in a row, all of one class.
#[derive(Debug, Default)]
struct RefusalCount {
    class: Option<ErrorClass>,
    in_a_row: u32,
}

impl<L: ListWatch + ?Sized, S: Sink> Reflector<L, S> {
    /// A reflector that writes what `source` lists into `sink`. Every random choice comes from `seed`.
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
            last: None,
            open: None,
            lists_in_pages: false,
            phase: Phase::START,
            streaming_refused_until: None,
            refusals: RefusalCount::default(),
        }
    }

    /// Lists and watches until `stop` is cancelled, or its [`StopPolicy`] ends it. Dropping it stops it as well.
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
            self.phase.operation = self.possible(self.phase.operation);
            let ended = match self.phase.operation {
                Operation::StreamList(at) => {
                    let _turn = self.turn().await;
                    self.stream_list(at).await
                }
                Operation::List(at) => {
                    let _turn = self.turn().await;
                    self.list(at).await
                }
                Operation::Watch => self.watch().await,
                Operation::Probe => self.probe().await,
            };
            if let Some(reason) = self.report(&ended) {
                return reason;
            }
            self.proceed(&ended).await;
        }
    }

    /// Waits until a list may begin.
    fn turn(&self) -> impl Future<Output = ListPermit> + use<L, S> {
        let source = Arc::clone(&self.source);
        async move { source.list_permit().await }
    }

    /// What is asked for, unless it can't be: a streaming list that is not wanted, not offered, or was refused not
    /// long ago becomes a list.
    fn possible(&self, operation: Operation) -> Operation {
        let is_refused = self.streaming_refused_until.is_some_and(|until| Instant::now() < until);
        match operation {
            Operation::StreamList(at)
                if self.config.list_mode == ListMode::Chunked
                    || is_refused
                    || !self.source.may_stream_lists() =>
            {
                Operation::List(at)
            }
            // Without a version there is nothing to compare the server's with.
            Operation::Probe if self.last.is_none() || !self.probe_schedule.is_due() => Operation::Watch,
            operation => operation,
        }
    }

    fn report(&mut self, ended: &FinishedOperation) -> Option<StopReason> {
        if let Some((error, during)) = &ended.failure {
            self.observer.failed(error, *during);
        }
        let error = ended.failure.as_ref().map(|(error, _)| error);
        let gave_up = self.refusals.is_enough(error, self.config.stop_policy);
        gave_up.then(|| StopReason::GaveUp(error.expect("only an error is a refusal").clone()))
    }

    async fn proceed(&mut self, ended: &FinishedOperation) {
        let (next, effect) = self.phase.after(ended.outcome);
        let was_watching = matches!(self.phase.operation, Operation::Watch | Operation::Probe);
        if was_watching && !matches!(next.operation, Operation::Watch | Operation::Probe) {
            self.observer.relisting(relist_reason(ended.outcome.end));
        }
        if self.phase.operation == Operation::Watch
            && matches!(ended.outcome.end, OperationEnd::Failed(FailureStage::Opening, _))
        {
            self.probe_schedule.was_away();
        }
        self.phase = next;
        match effect {
            PhaseEffect::AtOnce => {}
            PhaseEffect::BackOff => {
                let error = ended.failure.as_ref().map(|(error, _)| error);
                pause(&mut self.backoff, &self.config, &self.observer, error).await;
            }
            PhaseEffect::RememberRefusal => {
                self.streaming_refused_until = Instant::now().checked_add(self.config.refusal_memory);
                self.observer.refused_streaming_list(self.config.refusal_memory);
            }
        }
    }

    /// The version that a list or streaming list is asked at, if we have seen any.
    pub(super) fn seen(&self, at: ListVersion) -> Option<Version> {
        match at {
            ListVersion::LastSeen => self.last.clone(),
            ListVersion::MostRecent => None,
        }
    }
}

/// Waits one step of the ladder, or as long as the server asked.
pub(super) async fn pause(
    backoff: &mut Backoff,
    config: &ReflectorConfig,
    observer: &TracedObserver,
    after: Option<&SourceError>,
) {
    let asked_for = after.and_then(SourceError::retry_after).map(|time| time.min(config.retry_after_max));
    let delay = backoff.next_delay(asked_for);
    observer.waiting(delay);
    sleep(delay).await;
}

/// Whether a list at `version` goes on from `last`. A server that answers lower than before was restored from a
/// backup; of versions without an order nobody can tell.
pub(super) fn epoch(last: Option<&Version>, version: &Version, observer: &TracedObserver) -> Epoch {
    match last {
        Some(last) if version.is_older_than(last) => {
            observer.went_back(last, version);
            Epoch::New
        }
        _ => Epoch::Same,
    }
}

/// An absent resourceVersion is no version to go on from.
pub(super) fn usable(version: Version) -> Option<Version> {
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

    pub(super) fn quietly(end: OperationEnd) -> FinishedOperation {
        FinishedOperation { outcome: OperationOutcome { end, has_progressed: false }, failure: None }
    }

    pub(super) fn with(
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
        FinishedOperation::with(OperationEnd::Failed(stage, error.class()), error, during)
    }

    /// The same, after the sink received something or not.
    pub(super) fn having_progressed(mut self, has_progressed: bool) -> FinishedOperation {
        self.outcome.has_progressed = has_progressed;
        self
    }
}

impl RefusalCount {
    /// Counts one more outcome, and says whether the policy gives up on it.
    fn is_enough(&mut self, error: Option<&SourceError>, policy: StopPolicy) -> bool {
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

/// A stream that ends sooner, and without an event, is no watch.
pub(super) const VERY_SHORT_WATCH: Duration = Duration::from_secs(1);
