//! A reflector on a stage: a scripted source whose requests are timed, a sink and an observer that write down
//! what they get.

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

/// One reflector and everything around it.
pub(crate) struct Scene {
    pub(crate) source: Arc<TimedSource>,
    pub(crate) sunk: Arc<Sunk>,
    pub(crate) told: Arc<Told>,
    pub(crate) stop: CancellationToken,
    running: JoinSet<StopReason>,
    reflector: Option<Reflector<TimedSource, RecordingSink>>,
}

/// A scripted source that remembers when it was asked.
pub(crate) struct TimedSource {
    script: ScriptedSource,
    asked: Mutex<Vec<(Instant, String)>>,
}

/// What reached the sink.
pub(crate) struct Sunk {
    record: Mutex<Record>,
    /// One permit lets one change, bookmark or commit through.
    gate: Semaphore,
}

#[derive(Default)]
struct Record {
    objects: BTreeMap<String, Version>,
    log: Vec<String>,
}

/// What the observer was told.
#[derive(Default)]
pub(crate) struct Told(Mutex<Vec<String>>);

pub(crate) struct RecordingSink(Arc<Sunk>);

/// A sink that keeps nothing.
pub(crate) struct Forgetful;

pub(crate) struct RecordingReplacement {
    sunk: Arc<Sunk>,
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

impl Scene {
    pub(crate) fn new(config: ReflectorConfig) -> Scene {
        Scene::of(ScriptedSource::new(Pod::resource(), StreamScope::All), config)
    }

    pub(crate) fn of(script: ScriptedSource, config: ReflectorConfig) -> Scene {
        let source = Arc::new(TimedSource { script, asked: Mutex::default() });
        let sunk = Arc::new(Sunk { record: Mutex::default(), gate: Semaphore::new(Semaphore::MAX_PERMITS) });
        let told = Arc::new(Told::default());
        let sink = RecordingSink(Arc::clone(&sunk));
        let reflector = Reflector::new(Arc::clone(&source), sink, config, told.clone(), 42);
        let (stop, running) = (CancellationToken::new(), JoinSet::new());
        Scene { source, sunk, told, stop, running, reflector: Some(reflector) }
    }

    pub(crate) fn start(&mut self) {
        let reflector = self.reflector.take().expect("a scene starts once");
        self.running.spawn(reflector.run(self.stop.clone()));
    }

    /// Waits until so many requests were asked, and says which: `list @5 limit 500`, `stream @5`, `watch @5`.
    pub(crate) async fn asked(&mut self, requests: usize) -> Vec<String> {
        if self.reflector.is_some() {
            self.start();
        }
        let waited = timeout(seconds(24 * 60 * 60), self.source.script.wait_for_requests(requests)).await;
        assert!(waited.is_ok(), "only asked {:#?}, told {:#?}", self.source.requests(), self.told.all());
        self.settle().await;
        self.source.requests()
    }

    /// How long after the one before each request came.
    pub(crate) fn gaps(&self) -> Vec<Duration> {
        let asked = self.source.asked.lock().unwrap();
        asked.windows(2).map(|pair| pair[1].0 - pair[0].0).collect()
    }

    /// Lets everything happen that needs no time.
    pub(crate) async fn settle(&self) {
        sleep(Duration::from_millis(1)).await;
    }

    /// Waits for the reflector to end by itself.
    pub(crate) async fn ended(&mut self) -> StopReason {
        self.running.join_next().await.expect("the reflector was started").expect("it does not panic")
    }

    /// Stops it, and says how long that took.
    pub(crate) async fn stopped(&mut self) -> Duration {
        let began = Instant::now();
        self.stop.cancel();
        assert!(matches!(self.ended().await, StopReason::Cancelled));
        began.elapsed()
    }
}

impl TimedSource {
    pub(crate) fn requests(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(_, asked)| asked.clone()).collect()
    }

    fn note(&self, asked: String) {
        self.asked.lock().unwrap().push((Instant::now(), asked));
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
        let mut asked = "list".to_owned();
        if let Some(version) = &options.version {
            asked += &format!(" @{version}");
        }
        if let Some(limit) = options.limit {
            asked += &format!(" limit {limit}");
        }
        if let Some(token) = &options.continue_token {
            asked += &format!(" after {token}");
        }
        self.note(asked);
        self.script.list(options)
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        let mut asked = if options.send_initial_events { "stream" } else { "watch" }.to_owned();
        if let Some(version) = &options.version {
            asked += &format!(" @{version}");
        }
        self.note(asked);
        self.script.watch(options)
    }
}

impl Sunk {
    /// Everything that was handed over, in order.
    pub(crate) fn log(&self) -> Vec<String> {
        self.record.lock().unwrap().log.clone()
    }

    /// The names of what is there now, with their versions.
    pub(crate) fn objects(&self) -> Vec<String> {
        let record = self.record.lock().unwrap();
        record.objects.iter().map(|(name, version)| format!("{name}@{version}")).collect()
    }

    /// From now on nothing gets through without a permit.
    pub(crate) fn block(&self) {
        self.gate.forget_permits(Semaphore::MAX_PERMITS);
    }

    /// Lets so many through.
    pub(crate) fn admit(&self, permits: usize) {
        self.gate.add_permits(permits);
    }

    async fn pass(&self) {
        self.gate.acquire().await.expect("the gate is never closed").forget();
    }
}

impl Sink for RecordingSink {
    type Replacement<'a> = RecordingReplacement;

    fn begin_replace(&mut self, _: &StreamScope) -> RecordingReplacement {
        RecordingReplacement { sunk: Arc::clone(&self.0), objects: BTreeMap::new() }
    }

    async fn change(&mut self, change: ChangeType, object: Arc<RawObject>) {
        self.0.pass().await;
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
        self.0.pass().await;
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
        self.sunk.pass().await;
        let mut record = self.sunk.record.lock().unwrap();
        let names: Vec<_> = self.objects.iter().map(|(name, v)| format!("{name}@{v}")).collect();
        let epoch = if epoch == Epoch::New { " in a new epoch" } else { "" };
        record.log.push(format!("Replaced [{}] @{version}{epoch}", names.join(" ")));
        record.objects = self.objects;
    }
}

impl Sink for Forgetful {
    type Replacement<'a> = Forgetful;

    fn begin_replace(&mut self, _: &StreamScope) -> Forgetful {
        Forgetful
    }

    async fn change(&mut self, _: ChangeType, _: Arc<RawObject>) {}

    async fn bookmark(&mut self, _: Version) {}
}

impl Replacement for Forgetful {
    fn accept(&mut self, _: Arc<RawObject>) {}

    fn retract(&mut self, _: &RawObject) {}

    fn len(&self) -> usize {
        0
    }

    async fn commit(self, _: Version, _: Epoch) {}
}

impl Told {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// What begins with this.
    pub(crate) fn only(&self, what: &str) -> Vec<String> {
        self.all().into_iter().filter(|told| told.starts_with(what)).collect()
    }

    fn tell(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }
}

fn or_none(version: Option<&Version>) -> String {
    version.map_or_else(|| "none".to_owned(), Version::to_string)
}

impl Observer for Told {
    fn listing(&self, mode: ListMode, asked: Option<&Version>) {
        self.tell(format!("listing {mode:?} @{}", or_none(asked)));
    }

    fn listed(&self, list: &CompletedList) {
        let CompletedList { mode, version, objects, pages, took, .. } = list;
        self.tell(format!("listed {mode:?} @{version}: {objects} in {pages}, {} s", took.as_secs()));
    }

    fn watching(&self, from: Option<&Version>) {
        self.tell(format!("watching @{}", or_none(from)));
    }

    fn event(&self, change: ChangeType, version: &Version) {
        self.tell(format!("event {change:?} @{version}"));
    }

    fn bookmark(&self, version: &Version) {
        self.tell(format!("bookmark @{version}"));
    }

    fn failed(&self, error: &SourceError, during: ReflectorActivity) {
        self.tell(format!("failed {during:?}: {error}"));
    }

    fn skipped(&self, skipped: &Skipped) {
        self.tell(format!("skipped {skipped:?}"));
    }

    fn relisting(&self, reason: RelistReason) {
        self.tell(format!("relisting {reason:?}"));
    }

    fn refused_streaming_list(&self, for_now: Duration) {
        self.tell(format!("refused streaming for {} s", for_now.as_secs()));
    }

    fn went_back(&self, from: &Version, to: &Version) {
        self.tell(format!("went back {from} -> {to}"));
    }

    fn waiting(&self, delay: Duration) {
        self.tell(format!("waiting {} ms", delay.as_millis()));
    }

    fn reopened_for_silence(&self, silence: Duration) {
        self.tell(format!("silent for {} s", silence.as_secs()));
    }

    fn stopped(&self, reason: &StopReason) {
        self.tell(format!("stopped {reason:?}"));
    }
}
