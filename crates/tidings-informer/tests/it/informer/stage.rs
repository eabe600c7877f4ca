//! An informer on a stage: scripted sources, a hook that writes down what it is told, and an end at which
//! nothing may be left running.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};
use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::{
    Handler, InformerConfig, InformerTask, Registration, SharedInformer, Sources, informer,
};
use tidings_informer::reflector::{ListMode, ReflectorConfig};
use tidings_object::{Budget, Intake, Kind, KnownObjects, RawObject};
use tidings_source::scripted::{ListAnswer, ScriptedSource, WatchFeed, object};
use tidings_source::{ListWatch, StreamScope};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::heard::Heard;

pub(crate) const BOTH_ORDERS: [QueueOrder; 2] = [QueueOrder::InOrder, QueueOrder::PerObject];

/// Long enough for anything that happens at all; in paused time it costs nothing.
pub(crate) const LONG: Duration = Duration::from_secs(300);

/// One informer and everything around it.
pub(crate) struct Stage {
    pub(crate) informer: SharedInformer<Pod>,
    /// The source of the first scope.
    pub(crate) source: Arc<ScriptedSource>,
    pub(crate) faults: Faults,
    sources: Arc<Scripted>,
    task: Option<InformerTask>,
    running: JoinSet<()>,
}

/// What the error hook was told.
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

/// Lists come in pages, which are easier to script, and no chance comes in.
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

/// A pod with a uid of its own choice; empty for none.
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

/// Lets everything happen that needs no time.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

impl Stage {
    pub(crate) fn new(order: QueueOrder) -> Stage {
        Stage::with(config(order))
    }

    pub(crate) fn with(config: InformerConfig) -> Stage {
        Stage::over(config, &[StreamScope::All], &[])
    }

    /// An informer of these namespaces; it may come to follow any of `others` as well.
    pub(crate) fn over(mut config: InformerConfig, scopes: &[StreamScope], others: &[StreamScope]) -> Stage {
        let all = scopes.iter().chain(others);
        let source = |scope: &StreamScope| Arc::new(ScriptedSource::new(Pod::resource(), scope.clone()));
        let sources: BTreeMap<_, _> = all.map(|scope| (scope.clone(), source(scope))).collect();
        let faults = Faults::default();
        if config.on_error.is_none() {
            let told = faults.clone();
            config.on_error = Some(Arc::new(move |fault| told.note(fault.to_string())));
        }
        let intake = Arc::new(Intake::new(Pod::resource(), Arc::new(Budget::default())));
        let first = sources.values().next().map_or_else(|| source(&StreamScope::All), Arc::clone);
        let source = scopes.first().map_or(first, |scope| Arc::clone(&sources[scope]));
        let sources = Arc::new(Scripted(sources));
        let (informer, task) =
            informer(intake, Arc::clone(&sources) as Arc<dyn Sources>, scopes.to_vec(), config);
        Stage { informer, source, faults, sources, task: Some(task), running: JoinSet::new() }
    }

    /// An informer that has listed these and watches.
    pub(crate) async fn watching(
        config: InformerConfig,
        version: u64,
        listed: &[Arc<RawObject>],
    ) -> (Stage, WatchFeed) {
        let mut stage = Stage::with(config);
        let feed = stage.script(version, listed);
        stage.start();
        stage.synced().await;
        (stage, feed)
    }

    /// One list, then a watch that the test feeds.
    pub(crate) fn script(&self, version: u64, listed: &[Arc<RawObject>]) -> WatchFeed {
        self.source.will_list(ListAnswer::page(version).objects(listed));
        self.source.will_watch_live()
    }

    /// Ends this watch for good and answers the relist with this; gives the watch after it.
    pub(crate) async fn relist(&self, feed: WatchFeed, version: u64, listed: &[Arc<RawObject>]) -> WatchFeed {
        let next = self.script(version, listed);
        let asked = self.source.requests().len();
        feed.error(410, "Expired");
        drop(feed);
        timeout(LONG, self.source.wait_for_requests(asked + 2)).await.expect("it lists and watches again");
        settle().await;
        next
    }

    pub(crate) fn source_of(&self, scope: &StreamScope) -> &Arc<ScriptedSource> {
        &self.sources.0[scope]
    }

    pub(crate) fn start(&mut self) {
        let task = self.task.take().expect("a stage starts once");
        self.running.spawn(task.run());
    }

    pub(crate) fn take_task(&mut self) -> InformerTask {
        self.task.take().expect("a stage starts once")
    }

    pub(crate) async fn synced(&self) {
        timeout(LONG, self.informer.synced()).await.expect("it syncs in time").expect("it syncs");
        settle().await;
    }

    pub(crate) fn listen(&self) -> Heard {
        self.listen_as("heard").0
    }

    pub(crate) fn listen_as(&self, name: &str) -> (Heard, Registration) {
        self.listen_with(|handler| handler.named(name))
    }

    pub(crate) fn listen_with(
        &self,
        options: impl FnOnce(Handler<Pod>) -> Handler<Pod>,
    ) -> (Heard, Registration) {
        let heard = Heard::default();
        let registration = self.add(options(heard.handler()));
        (heard, registration)
    }

    pub(crate) fn add(&self, handler: Handler<Pod>) -> Registration {
        self.informer.add_handler(handler).expect("it takes handlers")
    }

    /// What is cached, as `name@version`, sorted.
    pub(crate) fn cached(&self) -> Vec<String> {
        let objects = self.informer.lister().list();
        let mut cached: Vec<_> =
            objects.iter().map(|pod| format!("{}@{}", short(&pod.key()), pod.version())).collect();
        cached.sort();
        cached
    }

    /// Stops it, and says how long that took. Nothing may be left running.
    pub(crate) async fn end(mut self) -> Duration {
        let began = Instant::now();
        self.informer.stop();
        drop(self.task.take());
        while let Some(ended) = timeout(LONG, self.running.join_next()).await.expect("a stop has a deadline")
        {
            ended.expect("the task does not panic");
        }
        let took = began.elapsed();
        self.nothing_is_left().await;
        took
    }

    /// Waits for the task to end by itself.
    pub(crate) async fn ended(&mut self) {
        let ended = timeout(LONG, self.running.join_next()).await.expect("it ends in time");
        ended.expect("it was started").expect("the task does not panic");
    }

    pub(crate) async fn nothing_is_left(&self) {
        for source in self.sources.0.values() {
            assert_eq!(source.open_streams(), 0, "a request was left open");
        }
        let tasks = tokio::runtime::Handle::current().metrics();
        let gone = async {
            while tasks.num_alive_tasks() > 0 {
                settle().await;
            }
        };
        assert!(timeout(LONG, gone).await.is_ok(), "{} tasks are left", tasks.num_alive_tasks());
    }
}

/// A key without the namespace that most tests use.
pub(crate) fn short(key: &str) -> &str {
    key.strip_prefix("default/").unwrap_or(key)
}
