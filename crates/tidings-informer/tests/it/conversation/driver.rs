//! One conversation: an informer whose server answers as a script says. For any script: nothing panics or hangs, every
//! view of the cache is consistent, and in the end the cache equals the last list.

pub(crate) mod encoded;
pub(crate) mod script;

mod handler_view;
mod server;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::indexer::Index;
use tidings_informer::reflector::ReflectorConfig;
use tidings_informer::{InformerConfig, SharedInformer, Sources, informer};
use tidings_object::{Budget, Intake, Kind as _, KnownObjects, Object, RawObject, Wire};
use tidings_source::{KubeSource, ListWatch, StreamScope, WirePreference};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use handler_view::HandlerView;
use script::Script;
use server::Server;

/// Longer than any conversation: each answer costs at most one watch that hangs and one delay.
const CONVERSATION_MAX: Duration = Duration::from_secs(24 * 3600);

/// The frame limit of the client, in bytes. It is small, so that scripts exceed it.
const FRAME_BYTES_MAX: usize = 4096;

/// The path of the field that is compared and indexed.
const IMAGE: &str = ".spec.containers[*].image";

/// Runs one conversation twice, with one chunk per answer and with small chunks. Handlers must receive the same.
pub(crate) fn conversation(bytes: &[u8]) {
    let script = Script::parse(bytes);
    let whole = run(&script, usize::MAX);
    let cut = run(&script, script.chunk_bytes);
    // In the per-object order a batch may group the deltas of one object, and batches depend on chunks.
    if script.order == QueueOrder::InOrder {
        assert_eq!(whole, cut, "chunks of {} bytes", script.chunk_bytes);
    }
}

/// Runs one conversation, and returns the notifications of a handler.
pub(crate) fn run(script: &Script, chunk_bytes: usize) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(run_informer(script, chunk_bytes))
}

async fn run_informer(script: &Script, chunk_bytes: usize) -> Vec<String> {
    let server = Server::new(script, chunk_bytes);
    let intake = Arc::new(Intake::new(Pod::resource(), Arc::new(Budget::default())));
    let sources =
        Arc::new(Client { server: server.clone(), script: script.clone(), intake: Arc::clone(&intake) });
    let (pods, task) = informer::<Pod>(intake, sources, vec![StreamScope::All], config(script));
    pods.add_index(Index::field("image", IMAGE)).expect("a new index with a constant path");
    let [all, filtered, merged, merged_and_filtered] = [(); 4].map(|()| HandlerView::default());
    let handlers = [
        all.handler(),
        filtered.handler().filter(has_app_web),
        merged.handler().merge_above(0),
        merged_and_filtered.handler().filter(has_app_web).merge_above(0),
    ];
    let registrations =
        handlers.map(|handler| pods.add_handler(handler).expect("the informer has not ended"));
    let mut running = JoinSet::new();
    running.spawn(task.run());

    let expected = script.last_list();
    let agrees = async {
        while cached(&pods) != expected {
            sleep(Duration::from_secs(60)).await;
        }
    };
    if timeout(CONVERSATION_MAX, agrees).await.is_err() {
        panic!("the cache is {:#?}\nthe last list {expected:#?}\n{:#?}", cached(&pods), pods.health());
    }
    sleep(Duration::from_secs(1)).await;
    check(&pods, &expected);
    for handler in [&all, &merged] {
        assert_eq!(handler.view(), view(&pods, |_| true), "the view of a handler differs from the cache");
    }
    for handler in [&filtered, &merged_and_filtered] {
        assert_eq!(
            handler.view(),
            view(&pods, has_app_web),
            "the view of a filtered handler differs from the filtered cache"
        );
    }
    let panics: u64 = registrations.iter().map(|registration| registration.stats().panics).sum();
    assert_eq!(panics, 0, "reading an object panicked in a handler");
    [&filtered, &merged, &merged_and_filtered].iter().for_each(|handler| drop(handler.lines()));
    pods.stop();
    let ended = timeout(CONVERSATION_MAX, running.join_next()).await.expect("a stop has a deadline");
    ended.expect("the task was started").expect("the informer's task does not panic");
    all.lines()
}

fn config(script: &Script) -> InformerConfig {
    let mut config = InformerConfig::default();
    config.name = "pods".to_owned();
    config.queue_order = script.order;
    config.reflector = ReflectorConfig::default().list_mode(script.list_mode);
    config
}

struct Client {
    server: Server,
    script: Script,
    intake: Arc<Intake>,
}

impl Sources for Client {
    fn open(&self, _: &StreamScope, known: Arc<dyn KnownObjects>) -> Arc<dyn ListWatch> {
        let preference = match self.script.wire {
            Wire::Json => WirePreference::JsonOnly,
            Wire::Protobuf => WirePreference::ProtobufFirst,
        };
        let source = KubeSource::builder(self.server.client(), Pod::resource())
            .intake(Arc::clone(&self.intake))
            .known(known)
            .wire(preference)
            .frame_bytes_max(FRAME_BYTES_MAX);
        Arc::new(source.build().expect("pods of all namespaces"))
    }
}

/// The filter of the filtered handlers.
fn has_app_web(pod: &Object<Pod>) -> bool {
    pod.labels().value("app") == Some("web")
}

/// The compared parts of an object: uid, version, image.
type ObjectSummary = (String, String, String);

fn cached(pods: &SharedInformer<Pod>) -> BTreeMap<String, ObjectSummary> {
    let summary = |pod: &Arc<RawObject>| {
        let image = pod.field(IMAGE).map(|value| value.texts().collect::<String>());
        (pod.uid().to_owned(), pod.version().to_string(), image.unwrap_or_else(|error| error.to_string()))
    };
    pods.reader().list().iter().map(|pod| (pod.key().to_string(), summary(pod))).collect()
}

/// The objects that a handler should have.
fn view(
    pods: &SharedInformer<Pod>,
    matches: impl Fn(&Object<Pod>) -> bool,
) -> BTreeMap<String, handler_view::UidAndVersion> {
    let pods = pods.lister().list().into_iter().filter(matches);
    pods.map(|pod| (pod.key().to_string(), handler_view::uid_and_version(&pod))).collect()
}

/// Every way to read the cache gives the same objects.
fn check(pods: &SharedInformer<Pod>, expected: &BTreeMap<String, ObjectSummary>) {
    let reader = pods.reader();
    assert_eq!(reader.len(), expected.len());
    for (key, (_, _, image)) in expected {
        let pod = reader.get(key).expect("a listed object is cached");
        let is_same = |other: &Arc<RawObject>| Arc::ptr_eq(other, &pod);
        assert!(reader.namespace(pod.namespace().unwrap_or_default()).iter().any(is_same), "{key}");
        assert!(reader.by_index("image", image).expect("the index exists").iter().any(is_same), "{key}");
        pod.decoded::<Pod>().expect("the last list is well-formed");
    }
    assert_eq!(reader.index_values("image").expect("the index exists").len(), expected.len());
}
