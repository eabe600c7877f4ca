//! One conversation: an informer over a client whose server says what the script says. Whatever that is, nothing
//! panics and nothing hangs, every view is consistent, and in the end the cache is what the last list said.

pub(crate) mod script;
pub(crate) mod written;

mod heard;
mod server;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::indexer::Index;
use tidings_informer::informer::{InformerConfig, SharedInformer, Sources, informer};
use tidings_informer::reflector::ReflectorConfig;
use tidings_object::{Budget, Intake, Kind as _, KnownObjects, Object, RawObject, Wire};
use tidings_source::{KubeSource, ListWatch, StreamScope, WirePreference};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use heard::Heard;
use script::Script;
use server::Server;

/// No conversation takes longer: each answer costs at most a watch that hangs and a wait.
const LONG: Duration = Duration::from_secs(24 * 3600);

/// The longest frame, in bytes, that the client takes: small, so that the limit is met.
const FRAME_BYTES_MAX: usize = 4096;

/// The field that is compared and indexed.
const IMAGE: &str = ".spec.containers[*].image";

/// Runs one conversation twice, in one chunk for each answer and in small ones: handlers must hear the same.
pub(crate) fn conversation(bytes: &[u8]) {
    let script = Script::parse(bytes);
    let whole = run(&script, usize::MAX);
    let cut = run(&script, script.chunk_bytes);
    // In the other order a batch may join what happened to one object, and batches depend on chunks.
    if script.order == QueueOrder::InOrder {
        assert_eq!(whole, cut, "chunks of {} bytes", script.chunk_bytes);
    }
}

/// Runs one conversation; what a handler heard.
pub(crate) fn run(script: &Script, chunk_bytes: usize) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime can be made").block_on(hold(script, chunk_bytes))
}

async fn hold(script: &Script, chunk_bytes: usize) -> Vec<String> {
    let server = Server::new(script, chunk_bytes);
    let intake = Arc::new(Intake::new(Pod::resource(), Arc::new(Budget::default())));
    let sources =
        Arc::new(Client { server: server.clone(), script: script.clone(), intake: Arc::clone(&intake) });
    let (pods, task) = informer::<Pod>(intake, sources, vec![StreamScope::All], config(script));
    pods.add_index(Index::field("image", IMAGE)).expect("a new index with a constant path");
    let [all, chosen, merged, merged_and_chosen] = [(); 4].map(|()| Heard::default());
    let handlers = [
        all.handler(),
        chosen.handler().filter(is_chosen),
        merged.handler().merge_above(0),
        merged_and_chosen.handler().filter(is_chosen).merge_above(0),
    ];
    let registrations = handlers.map(|handler| pods.add_handler(handler).expect("it has not ended"));
    let mut running = JoinSet::new();
    running.spawn(task.run());

    let expected = script.last_list();
    let agrees = async {
        while cached(&pods) != expected {
            sleep(Duration::from_secs(60)).await;
        }
    };
    if timeout(LONG, agrees).await.is_err() {
        panic!("the cache is {:#?}\nthe last list {expected:#?}\n{:#?}", cached(&pods), pods.health());
    }
    sleep(Duration::from_secs(1)).await;
    check(&pods, &expected);
    for heard in [&all, &merged] {
        assert_eq!(heard.view(), view(&pods, |_| true), "a handler's view is not the cache");
    }
    for heard in [&chosen, &merged_and_chosen] {
        assert_eq!(
            heard.view(),
            view(&pods, is_chosen),
            "a filtered handler's view is not the filtered cache"
        );
    }
    let panics: u64 = registrations.iter().map(|registration| registration.stats().panics).sum();
    assert_eq!(panics, 0, "reading an object panicked in a handler");
    [&chosen, &merged, &merged_and_chosen].iter().for_each(|heard| drop(heard.lines()));
    pods.stop();
    let ended = timeout(LONG, running.join_next()).await.expect("a stop has a deadline");
    ended.expect("it was started").expect("the informer's task does not panic");
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

/// What a filtered handler hears of.
fn is_chosen(pod: &Object<Pod>) -> bool {
    pod.labels().value("app") == Some("web")
}

/// One object, as far as it is compared: uid, version, image.
type Life = (String, String, String);

fn cached(pods: &SharedInformer<Pod>) -> BTreeMap<String, Life> {
    let life = |pod: &Arc<RawObject>| {
        let image = pod.field(IMAGE).map(|value| value.texts().collect::<String>());
        (pod.uid().to_owned(), pod.version().to_string(), image.unwrap_or_else(|error| error.to_string()))
    };
    pods.reader().list().iter().map(|pod| (pod.key().to_string(), life(pod))).collect()
}

/// What a handler should believe in.
fn view(pods: &SharedInformer<Pod>, matches: impl Fn(&Object<Pod>) -> bool) -> BTreeMap<String, heard::Life> {
    let pods = pods.lister().list().into_iter().filter(matches);
    pods.map(|pod| (pod.key().to_string(), heard::at(&pod))).collect()
}

/// Every way to read the cache finds the same.
fn check(pods: &SharedInformer<Pod>, expected: &BTreeMap<String, Life>) {
    let reader = pods.reader();
    assert_eq!(reader.len(), expected.len());
    for (key, (_, _, image)) in expected {
        let pod = reader.get(key).expect("it is listed");
        let is_it = |other: &Arc<RawObject>| Arc::ptr_eq(other, &pod);
        assert!(reader.namespace(pod.namespace().unwrap_or_default()).iter().any(is_it), "{key}");
        assert!(reader.by_index("image", image).expect("the index is there").iter().any(is_it), "{key}");
        pod.decoded::<Pod>().expect("the last list is well-formed");
    }
    assert_eq!(reader.index_values("image").expect("the index is there").len(), expected.len());
}
