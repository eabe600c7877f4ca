//! The test harness of a reflector: a scripted source that records its requests with their times, and a sink and an
//! observer that record what they receive.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_informer::reflector::{
    CompletedList, Epoch, ListMode, Observer, Reflector, ReflectorActivity, ReflectorConfig, RelistReason,
    Replacement, Sink, StopReason,
};
use tidings_object::{Kind, RawObject, ResourceKind, Version};
use tidings_source::scripted::{ScriptedSource, object};
use tidings_source::{
    ChangeType, ErrorKind, ListOptions, ListStream, ListWatch, Skipped, SourceError, StatusDetail,
    StreamScope, WatchOptions, WatchStream,
};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// A reflector with its source, sink and observer.
pub(crate) struct ReflectorHarness {
    pub(crate) source: Arc<TimedSource>,
    pub(crate) sink: Arc<SinkRecord>,
    pub(crate) observed: Arc<RecordingObserver>,
    pub(crate) stop: CancellationToken,
    running: JoinSet<StopReason>,
    reflector: Option<Reflector<TimedSource, RecordingSink>>,
}

/// A scripted source that records its requests and their times.
pub(crate) struct TimedSource {
    script: ScriptedSource,
    requests: Mutex<Vec<(Instant, String)>>,
}

/// What the sink has received.
pub(crate) struct SinkRecord {
    record: Mutex<Record>,
    /// One permit admits one change, bookmark or commit.
    permits: Semaphore,
}

#[derive(Default)]
struct Record {
    objects: BTreeMap<String, Version>,
    log: Vec<String>,
}

/// What the observer has received, as lines.
#[derive(Default)]
pub(crate) struct RecordingObserver(Mutex<Vec<String>>);

pub(crate) struct RecordingSink(Arc<SinkRecord>);

/// A sink that discards everything.
pub(crate) struct DiscardingSink;

pub(crate) struct RecordingReplacement {
    sink: Arc<SinkRecord>,
    objects: BTreeMap<String, Version>,
}

pub(crate) fn pod(name: &str, version: u64) -> Arc<RawObject> {
    object(&Pod::resource(), Some("default"), name, version, &format!("uid-{name}"), json!({}))
}

pub(crate) fn chunked() -> ReflectorConfig {
    ReflectorConfig::default().list_mode(ListMode::Chunked)
}

pub(crate) fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) fn status(code: u16, reason: &str, message: &str) -> ErrorKind {
    let (reason, message) = (reason.to_owned(), message.to_owned());
    ErrorKind::Status(StatusDetail { code, reason, message, ..StatusDetail::default() })
}

pub(crate) fn busy(retry_after: Duration) -> StatusDetail {
    StatusDetail {
        code: 429,
        reason: "TooManyRequests".to_owned(),
        retry_after: Some(retry_after),
        ..StatusDetail::default()
    }
}

pub(crate) fn refused() -> ErrorKind {
    ErrorKind::Network { message: "connection refused".to_owned(), is_refused: true }
}

pub(crate) fn broken_connection() -> ErrorKind {
    ErrorKind::Network { message: "connection reset".to_owned(), is_refused: false }
}

pub(crate) fn malformed() -> ErrorKind {
    ErrorKind::Malformed("no JSON".to_owned())
}

impl ReflectorHarness {
    pub(crate) fn new(config: ReflectorConfig) -> ReflectorHarness {
        ReflectorHarness::of(ScriptedSource::new(Pod::resource(), StreamScope::All), config)
    }

    pub(crate) fn of(script: ScriptedSource, config: ReflectorConfig) -> ReflectorHarness {
        let source = Arc::new(TimedSource { script, requests: Mutex::default() });
        let record_of_sink = Arc::new(SinkRecord {
            record: Mutex::default(),
            permits: Semaphore::new(Semaphore::MAX_PERMITS),
        });
        let observed = Arc::new(RecordingObserver::default());
        let sink = RecordingSink(Arc::clone(&record_of_sink));
        let reflector = Reflector::new(Arc::clone(&source), sink, config, observed.clone(), 42);
        let (stop, running) = (CancellationToken::new(), JoinSet::new());
        ReflectorHarness { source, sink: record_of_sink, observed, stop, running, reflector: Some(reflector) }
    }

    pub(crate) fn start(&mut self) {
        let reflector = self.reflector.take().expect("not started yet");
        self.running.spawn(reflector.run(self.stop.clone()));
    }

    /// Starts the reflector if necessary, waits for this many requests, and returns all: `list @5 limit 500`,
    /// `stream @5`, `watch @5`.
    pub(crate) async fn requests(&mut self, count: usize) -> Vec<String> {
        if self.reflector.is_some() {
            self.start();
        }
        let waited = timeout(seconds(24 * 60 * 60), self.source.script.wait_for_requests(count)).await;
        assert!(
            waited.is_ok(),
            "only requested {:#?}, observed {:#?}",
            self.source.requests(),
            self.observed.all()
        );
        self.settle().await;
        self.source.requests()
    }

    /// The time between each two requests.
    pub(crate) fn gaps(&self) -> Vec<Duration> {
        let requests = self.source.requests.lock().unwrap();
        requests.windows(2).map(|pair| pair[1].0 - pair[0].0).collect()
    }

    /// Runs everything that needs no time.
    pub(crate) async fn settle(&self) {
        sleep(Duration::from_millis(1)).await;
    }

    /// Waits until the reflector ends.
    pub(crate) async fn ended(&mut self) -> StopReason {
        self.running.join_next().await.expect("the reflector was started").expect("it does not panic")
    }

    /// Cancels the reflector, and returns how long its end took.
    pub(crate) async fn stopped(&mut self) -> Duration {
        let began = Instant::now();
        self.stop.cancel();
        assert!(matches!(self.ended().await, StopReason::Cancelled));
        began.elapsed()
    }
}

impl TimedSource {
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().iter().map(|(_, request)| request.clone()).collect()
    }

    fn record(&self, request: String) {
        self.requests.lock().unwrap().push((Instant::now(), request));
    }
}

impl std::ops::Deref for TimedSource {
    type Target = ScriptedSource;
    fn deref(&self) -> &ScriptedSource {
        &self.script
    }
}

impl ListWatch for TimedSource {
    fn resource(&self) -> &ResourceKind {
        self.script.resource()
    }

    fn scope(&self) -> &StreamScope {
        self.script.scope()
    }

    fn may_stream_lists(&self) -> bool {
        self.script.may_stream_lists()
    }

    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        let mut request = "list".to_owned();
        if let Some(version) = &options.version {
            request += &format!(" @{version}");
        }
        if let Some(limit) = options.limit {
            request += &format!(" limit {limit}");
        }
        if let Some(token) = &options.continue_token {
            request += &format!(" after {token}");
        }
        self.record(request);
        self.script.list(options)
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        let mut request = if options.send_initial_events { "stream" } else { "watch" }.to_owned();
        if let Some(version) = &options.version {
            request += &format!(" @{version}");
        }
        self.record(request);
        self.script.watch(options)
    }
}

impl SinkRecord {
    /// Everything that the sink has received, in order.
    pub(crate) fn log(&self) -> Vec<String> {
        self.record.lock().unwrap().log.clone()
    }

    /// The current objects: name and version.
    pub(crate) fn objects(&self) -> Vec<String> {
        let record = self.record.lock().unwrap();
        record.objects.iter().map(|(name, version)| format!("{name}@{version}")).collect()
    }

    /// From now on nothing is admitted without a permit.
    pub(crate) fn block(&self) {
        self.permits.forget_permits(Semaphore::MAX_PERMITS);
    }

    /// Adds permits.
    pub(crate) fn admit(&self, permits: usize) {
        self.permits.add_permits(permits);
    }

    async fn admitted(&self) {
        self.permits.acquire().await.expect("the semaphore is never closed").forget();
    }
}

impl Sink for RecordingSink {
    type Replacement<'a> = RecordingReplacement;

    fn begin_replace(&mut self, _: &StreamScope) -> RecordingReplacement {
        RecordingReplacement { sink: Arc::clone(&self.0), objects: BTreeMap::new() }
    }

    async fn change(&mut self, change: ChangeType, object: Arc<RawObject>) {
        self.0.admitted().await;
        let mut record = self.0.record.lock().unwrap();
        record.log.push(format!("{change:?} {}@{}", object.name(), object.version()));
        match change {
            ChangeType::Added | ChangeType::Modified => {
                record.objects.insert(object.name().to_owned(), object.version().clone());
            }
            ChangeType::Deleted => {
                record.objects.remove(object.name());
            }
        }
    }

    async fn bookmark(&mut self, version: Version) {
        self.0.admitted().await;
        self.0.record.lock().unwrap().log.push(format!("Bookmark @{version}"));
    }
}

impl Replacement for RecordingReplacement {
    fn accept(&mut self, object: Arc<RawObject>) {
        self.objects.insert(object.name().to_owned(), object.version().clone());
    }

    fn retract(&mut self, object: &RawObject) {
        self.objects.remove(object.name());
    }

    fn len(&self) -> usize {
        self.objects.len()
    }

    async fn commit(self, version: Version, epoch: Epoch) {
        self.sink.admitted().await;
        let mut record = self.sink.record.lock().unwrap();
        let names: Vec<_> = self.objects.iter().map(|(name, v)| format!("{name}@{v}")).collect();
        let epoch = if epoch == Epoch::New { " in a new epoch" } else { "" };
        record.log.push(format!("Replaced [{}] @{version}{epoch}", names.join(" ")));
        record.objects = self.objects;
    }
}

impl Sink for DiscardingSink {
    type Replacement<'a> = DiscardingSink;

    fn begin_replace(&mut self, _: &StreamScope) -> DiscardingSink {
        DiscardingSink
    }

    async fn change(&mut self, _: ChangeType, _: Arc<RawObject>) {}

    async fn bookmark(&mut self, _: Version) {}
}

impl Replacement for DiscardingSink {
    fn accept(&mut self, _: Arc<RawObject>) {}

    fn retract(&mut self, _: &RawObject) {}

    fn len(&self) -> usize {
        0
    }

    async fn commit(self, _: Version, _: Epoch) {}
}

impl RecordingObserver {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// The lines that begin with this.
    pub(crate) fn only(&self, prefix: &str) -> Vec<String> {
        self.all().into_iter().filter(|line| line.starts_with(prefix)).collect()
    }

    fn push(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

fn or_none(version: Option<&Version>) -> String {
    version.map_or_else(|| "none".to_owned(), Version::to_string)
}

impl Observer for RecordingObserver {
    fn listing(&self, mode: ListMode, version: Option<&Version>) {
        self.push(format!("listing {mode:?} @{}", or_none(version)));
    }

    fn listed(&self, list: &CompletedList) {
        let CompletedList { mode, version, objects, pages, took, .. } = list;
        self.push(format!("listed {mode:?} @{version}: {objects} in {pages}, {} s", took.as_secs()));
    }

    fn watching(&self, from: Option<&Version>) {
        self.push(format!("watching @{}", or_none(from)));
    }

    fn event(&self, change: ChangeType, version: &Version) {
        self.push(format!("event {change:?} @{version}"));
    }

    fn bookmark(&self, version: &Version) {
        self.push(format!("bookmark @{version}"));
    }

    fn failed(&self, error: &SourceError, during: ReflectorActivity) {
        self.push(format!("failed {during:?}: {error}"));
    }

    fn skipped(&self, skipped: &Skipped) {
        self.push(format!("skipped {skipped:?}"));
    }

    fn relisting(&self, reason: RelistReason) {
        self.push(format!("relisting {reason:?}"));
    }

    fn refused_streaming_list(&self, pause: Duration) {
        self.push(format!("refused streaming for {} s", pause.as_secs()));
    }

    fn went_back(&self, from: &Version, to: &Version) {
        self.push(format!("went back {from} -> {to}"));
    }

    fn waiting(&self, delay: Duration) {
        self.push(format!("waiting {} ms", delay.as_millis()));
    }

    fn reopened_for_silence(&self, silence: Duration) {
        self.push(format!("silent for {} s", silence.as_secs()));
    }

    fn stopped(&self, reason: &StopReason) {
        self.push(format!("stopped {reason:?}"));
    }
}
