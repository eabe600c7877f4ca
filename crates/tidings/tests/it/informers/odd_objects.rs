//! Unusual content of one object affects at most the reading of that object. Everything else continues, on both wires, in
//! lists, streaming lists and watches.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};
use tidings::{InformerOptions, QueueOrder, SharedInformer, SharedInformerFactory, WirePreference};
use tidings_apiserver::{ApiServer, Ending, Fault};

use tidings_informer::testing::NotificationRecorder;

/// The placeholder that [`Odd::make`] writes. The server replaces it by bytes that are not UTF-8.
const PLACEHOLDER: &str = "not-utf-8";

/// The bytes that replace the placeholder, and how they are decoded.
const NOT_UTF8: &[u8] = b"\xff\xfe\xc3(\xed\xa0\x80\xf0\x9f";
const REPAIRED: &str = "\u{fffd}\u{fffd}\u{fffd}(\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}";

/// An unusual object.
struct Odd {
    how: &'static str,
    name: &'static str,
    /// The name after decoding.
    key: String,
    change: fn(&mut Value),
}

fn odd(how: &'static str, change: fn(&mut Value)) -> Odd {
    Odd { how, name: "odd", key: "default/odd".to_owned(), change }
}

fn odd_texts() -> Vec<Odd> {
    vec![
        odd("the uid of an owner", |pod| {
            pod["metadata"]["ownerReferences"] = json!([{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": PLACEHOLDER, "controller": true}]);
        }),
        odd("its own uid", |pod| pod["metadata"]["uid"] = json!(PLACEHOLDER)),
        odd("a label", |pod| pod["metadata"]["labels"] = json!({"app": PLACEHOLDER, PLACEHOLDER: "web"})),
        odd("an annotation", |pod| {
            pod["metadata"]["annotations"] = json!({"note": PLACEHOLDER, PLACEHOLDER: "x"})
        }),
        odd("a field of its spec", |pod| pod["spec"]["nodeName"] = json!(PLACEHOLDER)),
        odd("the name of a manager", |pod| {
            pod["metadata"]["managedFields"] = json!([{"manager": PLACEHOLDER, "operation": "Update"}]);
        }),
        Odd { how: "its name", name: PLACEHOLDER, key: format!("default/{REPAIRED}"), change: |_| {} },
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

/// The path of objects to the informer.
#[derive(Debug, Clone, Copy)]
struct DeliveryPath {
    wire: WirePreference,
    order: QueueOrder,
    /// Whether the server refuses streaming lists.
    in_pages: bool,
}

fn paths() -> impl Iterator<Item = DeliveryPath> {
    let wires = [WirePreference::ProtobufFirst, WirePreference::JsonOnly];
    wires.into_iter().flat_map(|wire| {
        let orders = [(QueueOrder::InOrder, false), (QueueOrder::PerObject, true)];
        orders.map(|(order, in_pages)| DeliveryPath { wire, order, in_pages })
    })
}

struct Fixture {
    server: ApiServer,
    pods: SharedInformer<Pod>,
    recorder: NotificationRecorder,
    running: tidings::Running,
}

impl Fixture {
    fn begin(path: DeliveryPath, server: ApiServer) -> Fixture {
        if path.in_pages {
            server.faults().inject(Fault::RefuseStreamingList.always());
        }
        let factory = SharedInformerFactory::builder(server.client()).wire(path.wire).build();
        let pods: SharedInformer<Pod> =
            factory.informer_with(InformerOptions::new().queue_order(path.order)).unwrap();
        let recorder = NotificationRecorder::default();
        pods.add_handler(recorder.handler()).unwrap();
        let running = factory.start();
        Fixture { server, pods, recorder, running }
    }

    /// Checks that cache and handler equal the server.
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
        assert_eq!(self.recorder.versions(), expected, "{} {at}", odd.how);
        assert_eq!(self.recorder.violations(), Vec::<String>::new(), "{} {at}", odd.how);
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

/// A server that sends the placeholder as bytes that are not UTF-8.
async fn server() -> ApiServer {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::ReplacedBytes { from: PLACEHOLDER.into(), to: NOT_UTF8.into() }.always());
    server
}

/// Changes the unusual object and others, and checks that cache and handler follow.
async fn is_followed(path: DeliveryPath, odd: &Odd, server: ApiServer) {
    server.put("pods", pod("a", 0));
    put_odd(&server, odd, 0);
    let fixture = Fixture::begin(path, server);
    let within = Duration::from_secs(60);
    fixture.running.synced_within(within).await.unwrap_or_else(|e| panic!("{} {path:?}: {e}", odd.how));
    fixture.check(odd, "after the first list").await;
    fixture.server.put("pods", pod("a", 1));
    fixture.put(odd, 1);
    fixture.server.put("pods", pod("b", 1));
    fixture.check(odd, "after changes").await;

    let recorder = fixture.recorder.lines();
    fixture.server.faults().inject(Fault::ExpireOnOpen.once());
    fixture.server.faults().cut_watches(Ending::Broken);
    fixture.check(odd, "after a relist").await;
    assert!(fixture.pods.stats().requests.relists >= 1, "{} {path:?}", odd.how);
    assert_eq!(fixture.recorder.lines(), recorder, "{}: a relist sends no notification", odd.how);
    fixture.server.remove("pods", &format!("default/{}", odd.name));
    fixture.server.put("pods", pod("a", 2));
    fixture.check(odd, "after its deletion").await;
    fixture.put(odd, 2);
    fixture.check(odd, "after it came again").await;
    fixture.running.shutdown().await;
}

// holds: X35
#[tokio::test(start_paused = true)]
async fn an_object_with_text_that_is_not_utf8_is_followed_like_any_other() {
    for path in paths() {
        for odd in odd_texts() {
            is_followed(path, &odd, server().await).await;
        }
    }
}

// holds: X35
#[tokio::test(start_paused = true)]
async fn an_object_with_more_than_65535_labels_is_followed_like_any_other() {
    // One path per wire, because such objects take long to write.
    for path in paths().step_by(3) {
        for odd in odd_counts() {
            is_followed(path, &odd, ApiServer::start().await).await;
        }
    }
}

// holds: X35
#[tokio::test(start_paused = true)]
async fn text_that_is_not_utf8_is_decoded_as_in_a_go_client() {
    for path in paths() {
        let server = server().await;
        let odds = odd_texts();
        for (number, odd) in odds.iter().enumerate() {
            let mut object = pod(&format!("odd-{number}"), 0);
            (odd.change)(&mut object);
            server.put("pods", object);
        }
        let fixture = Fixture::begin(path, server);
        fixture.running.synced_within(Duration::from_secs(60)).await.unwrap();
        let raw = |number: usize| fixture.pods.lister().get(&format!("default/odd-{number}")).unwrap();
        assert_eq!(raw(0).owner_uids().collect::<Vec<_>>(), [REPAIRED], "{path:?}");
        assert_eq!(raw(0).controller_uid(), Some(REPAIRED));
        assert_eq!(raw(1).uid(), REPAIRED);
        assert_eq!(raw(2).labels().iter().collect::<Vec<_>>(), [("app", REPAIRED), (REPAIRED, "web")]);
        for (number, odd) in odds.iter().enumerate() {
            let decoded = raw(number).decoded().unwrap_or_else(|e| panic!("{} {path:?}: {e}", odd.how));
            let owners = decoded.metadata.owner_references.as_deref().unwrap_or_default();
            match number {
                0 => assert_eq!(owners[0].uid, REPAIRED),
                3 => assert_eq!(decoded.metadata.annotations.as_ref().unwrap()["note"], REPAIRED),
                4 => assert_eq!(decoded.spec.as_ref().unwrap().node_name.as_deref(), Some(REPAIRED)),
                _ => {}
            }
        }
        fixture.running.shutdown().await;
    }
}
