//! What one tenant may write into an object: it costs at most the reading of that object. Everything else goes on, on
//! both wires, in lists, streaming lists and watches.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};
use tidings::{InformerOptions, QueueOrder, SharedInformer, SharedInformerFactory, WirePreference};
use tidings_apiserver::{ApiServer, Ending, Fault};

use crate::informers::heard::Heard;

/// What [`Odd::make`] writes where the server then sends bytes that are no UTF-8.
const MARK: &str = "not-utf-8";

/// As many bytes as the mark has, and how they read.
const NOT_UTF8: &[u8] = b"\xff\xfe\xc3(\xed\xa0\x80\xf0\x9f";
const REPAIRED: &str = "\u{fffd}\u{fffd}\u{fffd}(\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}";

/// An object that is odd in one way.
struct Odd {
    how: &'static str,
    name: &'static str,
    /// The name as it is read.
    key: String,
    change: fn(&mut Value),
}

fn odd(how: &'static str, change: fn(&mut Value)) -> Odd {
    Odd { how, name: "odd", key: "default/odd".to_owned(), change }
}

fn odd_texts() -> Vec<Odd> {
    vec![
        odd("the uid of an owner", |pod| {
            pod["metadata"]["ownerReferences"] =
                json!([{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": MARK, "controller": true}]);
        }),
        odd("its own uid", |pod| pod["metadata"]["uid"] = json!(MARK)),
        odd("a label", |pod| pod["metadata"]["labels"] = json!({"app": MARK, MARK: "web"})),
        odd("an annotation", |pod| pod["metadata"]["annotations"] = json!({"note": MARK, MARK: "x"})),
        odd("a field of its spec", |pod| pod["spec"]["nodeName"] = json!(MARK)),
        odd("the name of a manager", |pod| {
            pod["metadata"]["managedFields"] = json!([{"manager": MARK, "operation": "Update"}]);
        }),
        Odd { how: "its name", name: MARK, key: format!("default/{REPAIRED}"), change: |_| {} },
    ]
}

fn odd_counts() -> Vec<Odd> {
    vec![
        odd("66,000 labels", |pod| {
            let labels = (0..66_000).map(|number| (format!("l-{number}"), json!("x")));
            pod["metadata"]["labels"] = labels.collect::<serde_json::Map<_, _>>().into();
        }),
        odd("66,000 owners", |pod| {
            let owner = |n| json!({"apiVersion": "v1", "kind": "Node", "name": "n", "uid": format!("u-{n}")});
            pod["metadata"]["ownerReferences"] = (0..66_000).map(owner).collect();
        }),
    ]
}

fn pod(name: &str, round: u32) -> Value {
    json!({
        "metadata": { "namespace": "default", "name": name, "annotations": { "round": round.to_string() } },
        "spec": { "containers": [] },
    })
}

/// How objects reach the informer.
#[derive(Debug, Clone, Copy)]
struct Way {
    wire: WirePreference,
    order: QueueOrder,
    /// Whether the server refuses streaming lists.
    in_pages: bool,
}

fn ways() -> impl Iterator<Item = Way> {
    let wires = [WirePreference::ProtobufFirst, WirePreference::JsonOnly];
    wires.into_iter().flat_map(|wire| {
        let orders = [(QueueOrder::InOrder, false), (QueueOrder::PerObject, true)];
        orders.map(|(order, in_pages)| Way { wire, order, in_pages })
    })
}

struct Scene {
    server: ApiServer,
    pods: SharedInformer<Pod>,
    heard: Heard,
    running: tidings::Running,
}

impl Scene {
    fn begin(way: Way, server: ApiServer) -> Scene {
        if way.in_pages {
            server.faults().inject(Fault::RefuseStreamingList.always());
        }
        let factory = SharedInformerFactory::builder(server.client()).wire(way.wire).build();
        let pods: SharedInformer<Pod> =
            factory.informer_with(InformerOptions::new().queue_order(way.order)).unwrap();
        let heard = Heard::default();
        pods.add_handler(heard.handler()).unwrap();
        let running = factory.start();
        Scene { server, pods, heard, running }
    }

    /// The cache and the handler have what the server has.
    async fn check(&self, odd: &Odd, at: &str) {
        tokio::time::sleep(Duration::from_secs(45)).await;
        let cached: BTreeMap<String, u64> = (self.pods.lister().list().iter())
            .map(|pod| (pod.key().to_string(), pod.version().number().unwrap()))
            .collect();
        let mut expected = self.server.list_versions("pods");
        if let Some(version) = expected.remove(&format!("default/{}", odd.name)) {
            expected.insert(odd.key.clone(), version);
        }
        assert_eq!(cached, expected, "{} {at}", odd.how);
        assert_eq!(self.heard.view(), expected, "{} {at}", odd.how);
        assert_eq!(self.heard.nonsense(), Vec::<String>::new(), "{} {at}", odd.how);
    }

    fn put(&self, odd: &Odd, round: u32) {
        put_odd(&self.server, odd, round);
    }
}

fn put_odd(server: &ApiServer, odd: &Odd, round: u32) {
    let mut object = pod(odd.name, round);
    (odd.change)(&mut object);
    server.put("pods", object);
}

/// A server that sends the mark as bytes that are no UTF-8.
async fn server() -> ApiServer {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::ReplacedBytes { from: MARK.into(), to: NOT_UTF8.into() }.always());
    server
}

/// Whatever happens to an odd object and to others, cache and handler have what the server has.
async fn is_followed(way: Way, odd: &Odd, server: ApiServer) {
    server.put("pods", pod("a", 0));
    put_odd(&server, odd, 0);
    let scene = Scene::begin(way, server);
    let within = Duration::from_secs(60);
    scene.running.synced_within(within).await.unwrap_or_else(|e| panic!("{} {way:?}: {e}", odd.how));
    scene.check(odd, "after the first list").await;
    scene.server.put("pods", pod("a", 1));
    scene.put(odd, 1);
    scene.server.put("pods", pod("b", 1));
    scene.check(odd, "after changes").await;

    let heard = scene.heard.lines();
    scene.server.faults().inject(Fault::ExpireOnOpen.once());
    scene.server.faults().cut_watches(Ending::Broken);
    scene.check(odd, "after a relist").await;
    assert!(scene.pods.stats().requests.relists >= 1, "{} {way:?}", odd.how);
    assert_eq!(scene.heard.lines(), heard, "{}: a relist has no news", odd.how);
    scene.server.remove("pods", &format!("default/{}", odd.name));
    scene.server.put("pods", pod("a", 2));
    scene.check(odd, "after its deletion").await;
    scene.put(odd, 2);
    scene.check(odd, "after it came again").await;
    scene.running.shutdown().await;
}

// holds: X35
#[tokio::test(start_paused = true)]
async fn an_object_with_a_text_that_is_no_utf8_is_followed_like_any_other_and_stops_nobody() {
    for way in ways() {
        for odd in odd_texts() {
            is_followed(way, &odd, server().await).await;
        }
    }
}

// holds: X35
#[tokio::test(start_paused = true)]
async fn an_object_with_more_parts_than_sixteen_bits_count_is_followed_like_any_other() {
    // One way of each wire: such objects take long to write.
    for way in ways().step_by(3) {
        for odd in odd_counts() {
            is_followed(way, &odd, ApiServer::start().await).await;
        }
    }
}

// holds: X35
#[tokio::test(start_paused = true)]
async fn an_object_with_a_text_that_is_no_utf8_reads_as_a_go_client_shows_it() {
    for way in ways() {
        let server = server().await;
        let odds = odd_texts();
        for (number, odd) in odds.iter().enumerate() {
            let mut object = pod(&format!("odd-{number}"), 0);
            (odd.change)(&mut object);
            server.put("pods", object);
        }
        let scene = Scene::begin(way, server);
        scene.running.synced_within(Duration::from_secs(60)).await.unwrap();
        let raw = |number: usize| scene.pods.lister().get(&format!("default/odd-{number}")).unwrap();
        assert_eq!(raw(0).owner_uids().collect::<Vec<_>>(), [REPAIRED], "{way:?}");
        assert_eq!(raw(0).controller_uid(), Some(REPAIRED));
        assert_eq!(raw(1).uid(), REPAIRED);
        assert_eq!(raw(2).labels().iter().collect::<Vec<_>>(), [("app", REPAIRED), (REPAIRED, "web")]);
        for (number, odd) in odds.iter().enumerate() {
            let decoded = raw(number).decoded().unwrap_or_else(|e| panic!("{} {way:?}: {e}", odd.how));
            let owners = decoded.metadata.owner_references.as_deref().unwrap_or_default();
            match number {
                0 => assert_eq!(owners[0].uid, REPAIRED),
                3 => assert_eq!(decoded.metadata.annotations.as_ref().unwrap()["note"], REPAIRED),
                4 => assert_eq!(decoded.spec.as_ref().unwrap().node_name.as_deref(), Some(REPAIRED)),
                _ => {}
            }
        }
        scene.running.shutdown().await;
    }
}
