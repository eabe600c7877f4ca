//! An informer over scripted sources, with an error hook that records. Its `end` fails if a task or a request is left.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};
use tidings_informer::delta::QueueOrder;
use tidings_informer::reflector::{ListMode, ReflectorConfig};
use tidings_informer::{
    Handler, InformerConfig, InformerTask, Registration, SharedInformer, Sources, informer,
};
use tidings_object::{Budget, Intake, Kind, KnownObjects, RawObject};
use tidings_source::scripted::{ListResponse, ScriptedSource, WatchFeed, object};
use tidings_source::{ListWatch, StreamScope};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::notification_log::NotificationLog;

pub(crate) const BOTH_ORDERS: [QueueOrder; 2] = [QueueOrder::InOrder, QueueOrder::PerObject];

/// Long enough for anything that happens at all. In paused time it costs nothing.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(300);

/// One informer with its sources.
pub(crate) struct InformerFixture {
    pub(crate) informer: SharedInformer<Pod>,
    /// The source of the first scope.
    pub(crate) source: Arc<ScriptedSource>,
    pub(crate) faults: Faults,
    sources: Arc<Scripted>,
    task: Option<InformerTask>,
    running: JoinSet<()>,
}

/// What the error hook received.
#[derive(Clone, Default)]
pub(crate) struct Faults(Arc<Mutex<Vec<String>>>);

impl Faults {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn note(&self, fault: String) {
        self.0.lock().unwrap().push(fault);
    }
}

struct Scripted(BTreeMap<StreamScope, Arc<ScriptedSource>>);

impl Sources for Scripted {
    fn open(&self, scope: &StreamScope, _: Arc<dyn KnownObjects>) -> Arc<dyn ListWatch> {
        Arc::clone(&self.0[scope]) as Arc<dyn ListWatch>
    }
}

/// Chunked lists, which are easier to script, and no random choices.
pub(crate) fn config(order: QueueOrder) -> InformerConfig {
    let mut config = InformerConfig::default();
    config.name = "pods".to_owned();
    config.queue_order = order;
    config.reflector = ReflectorConfig::default().list_mode(ListMode::Chunked);
    config
}

pub(crate) fn pod(name: &str, version: u64) -> Arc<RawObject> {
    pod_with(name, version, json!({}))
}

pub(crate) fn pod_with(name: &str, version: u64, rest: Value) -> Arc<RawObject> {
    object(&Pod::resource(), Some("default"), name, version, &format!("uid-{name}"), rest)
}

/// A pod with this uid. The empty uid means none.
pub(crate) fn pod_of(uid: &str, name: &str, version: u64) -> Arc<RawObject> {
    let rest = if uid.is_empty() { json!({"metadata": {"uid": null}}) } else { json!({}) };
    object(&Pod::resource(), Some("default"), name, version, uid, rest)
}

pub(crate) fn pod_in(namespace: &str, name: &str, version: u64) -> Arc<RawObject> {
    let uid = format!("uid-{namespace}-{name}");
    object(&Pod::resource(), Some(namespace), name, version, &uid, json!({}))
}

pub(crate) fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Runs all tasks until they are idle.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

impl InformerFixture {
    pub(crate) fn new(order: QueueOrder) -> InformerFixture {
        InformerFixture::with(config(order))
    }

    pub(crate) fn with(config: InformerConfig) -> InformerFixture {
        InformerFixture::over(config, &[StreamScope::All], &[])
    }

    /// An informer of these scopes. A test may also make it follow `others`.
    pub(crate) fn over(
        mut config: InformerConfig,
        scopes: &[StreamScope],
        others: &[StreamScope],
    ) -> InformerFixture {
        let all = scopes.iter().chain(others);
        let source = |scope: &StreamScope| Arc::new(ScriptedSource::new(Pod::resource(), scope.clone()));
        let sources: BTreeMap<_, _> = all.map(|scope| (scope.clone(), source(scope))).collect();
        let faults = Faults::default();
        if config.on_error.is_none() {
            let reported = faults.clone();
            config.on_error = Some(Arc::new(move |fault| reported.note(fault.to_string())));
        }
        let intake = Arc::new(Intake::new(Pod::resource(), Arc::new(Budget::default())));
        let first = sources.values().next().map_or_else(|| source(&StreamScope::All), Arc::clone);
        let source = scopes.first().map_or(first, |scope| Arc::clone(&sources[scope]));
        let sources = Arc::new(Scripted(sources));
        let (informer, task) =
            informer(intake, Arc::clone(&sources) as Arc<dyn Sources>, scopes.to_vec(), config);
        InformerFixture { informer, source, faults, sources, task: Some(task), running: JoinSet::new() }
    }

    /// An informer that has listed these objects and watches.
    pub(crate) async fn watching(
        config: InformerConfig,
        version: u64,
        listed: &[Arc<RawObject>],
    ) -> (InformerFixture, WatchFeed) {
        let mut fixture = InformerFixture::with(config);
        let feed = fixture.script(version, listed);
        fixture.start();
        fixture.synced().await;
        (fixture, feed)
    }

    /// One list, then a watch that the test feeds.
    pub(crate) fn script(&self, version: u64, listed: &[Arc<RawObject>]) -> WatchFeed {
        self.source.will_list(ListResponse::page(version).objects(listed));
        self.source.will_watch_live()
    }

    /// Expires this watch, answers the relist, and returns the next watch.
    pub(crate) async fn relist(&self, feed: WatchFeed, version: u64, listed: &[Arc<RawObject>]) -> WatchFeed {
        let next = self.script(version, listed);
        let requests_before = self.source.requests().len();
        feed.error(410, "Expired");
        drop(feed);
        timeout(TIMEOUT, self.source.wait_for_requests(requests_before + 2))
            .await
            .expect("it lists and watches again");
        settle().await;
        next
    }

    pub(crate) fn source_of(&self, scope: &StreamScope) -> &Arc<ScriptedSource> {
        &self.sources.0[scope]
    }

    pub(crate) fn start(&mut self) {
        let task = self.task.take().expect("a fixture starts once");
        self.running.spawn(task.run());
    }

    pub(crate) fn take_task(&mut self) -> InformerTask {
        self.task.take().expect("a fixture starts once")
    }

    pub(crate) async fn synced(&self) {
        timeout(TIMEOUT, self.informer.synced()).await.expect("it syncs in time").expect("it syncs");
        settle().await;
    }

    pub(crate) fn record(&self) -> NotificationLog {
        self.record_as("log").0
    }

    pub(crate) fn record_as(&self, name: &str) -> (NotificationLog, Registration) {
        self.record_with(|handler| handler.named(name))
    }

    pub(crate) fn record_with(
        &self,
        options: impl FnOnce(Handler<Pod>) -> Handler<Pod>,
    ) -> (NotificationLog, Registration) {
        let log = NotificationLog::default();
        let registration = self.add(options(log.handler()));
        (log, registration)
    }

    pub(crate) fn add(&self, handler: Handler<Pod>) -> Registration {
        self.informer.add_handler(handler).expect("the informer accepts handlers")
    }

    /// The cached objects, as `name@version`, sorted.
    pub(crate) fn cached(&self) -> Vec<String> {
        let objects = self.informer.lister().list();
        let mut cached: Vec<_> =
            objects.iter().map(|pod| format!("{}@{}", short(&pod.key()), pod.version())).collect();
        cached.sort();
        cached
    }

    /// Stops the informer and returns how long that took. Fails if anything is left running.
    pub(crate) async fn end(mut self) -> Duration {
        let began = Instant::now();
        self.informer.stop();
        drop(self.task.take());
        while let Some(ended) =
            timeout(TIMEOUT, self.running.join_next()).await.expect("a stop has a deadline")
        {
            ended.expect("the task does not panic");
        }
        let took = began.elapsed();
        self.assert_nothing_is_left().await;
        took
    }

    /// Waits for the task to end by itself.
    pub(crate) async fn ended(&mut self) {
        let ended = timeout(TIMEOUT, self.running.join_next()).await.expect("it ends in time");
        ended.expect("it was started").expect("the task does not panic");
    }

    pub(crate) async fn assert_nothing_is_left(&self) {
        for source in self.sources.0.values() {
            assert_eq!(source.open_streams(), 0, "a request was left open");
        }
        let tasks = tokio::runtime::Handle::current().metrics();
        let gone = async {
            while tasks.num_alive_tasks() > 0 {
                settle().await;
            }
        };
        assert!(timeout(TIMEOUT, gone).await.is_ok(), "{} tasks are left", tasks.num_alive_tasks());
    }
}

/// A key without the namespace `default`.
pub(crate) fn short(key: &str) -> &str {
    key.strip_prefix("default/").unwrap_or(key)
}
