//! Objects with invalid content. kube-apiserver accepts them: its protobuf decoder does not check strings for UTF-8,
//! and JSON inside an object is stored unchanged. They must not stop an informer.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, Request};
use http_body_util::BodyExt as _;
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Client;
use kube_client::api::DeleteParams;
use kube_client::client::Body;
use kubernetes_tests::Cluster;
use kubernetes_tests::agreement::wait_until;
use serde_json::json;
use tidings::{Kind, Wire, WirePreference};
use tidings_protobuf::wire::write_bytes;
use tidings_protobuf::{encode, message};

use crate::test_informer::TestInformer;
use crate::test_namespace::TestNamespace;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// The placeholder of the encoder, the bytes that replace it, and how they are decoded.
const MARK: &[u8] = b"not-utf-8";
const NOT_UTF8: &[u8] = b"\xff\xfe\xc3(\xed\xa0\x80\xf0\x9f";
const REPAIRED: &str = "\u{fffd}\u{fffd}\u{fffd}(\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}";

/// The same informer over both wires.
async fn follow_both<K: Kind + 'static>(namespace_of_test: &TestNamespace) -> [TestInformer<K>; 2] {
    let options = |wire| namespace_of_test.options().wire(wire);
    let protobuf =
        TestInformer::start(namespace_of_test.client.clone(), options(WirePreference::ProtobufFirst)).await;
    let json = TestInformer::start(namespace_of_test.client.clone(), options(WirePreference::JsonOnly)).await;
    assert_eq!((protobuf.wire(), json.wire()), (Some(Wire::Protobuf), Some(Wire::Json)));
    [protobuf, json]
}

/// Sends bytes unchanged, and returns the whole response.
async fn sent(client: &Client, method: Method, path: &str, format: &str, bytes: Vec<u8>) -> Vec<u8> {
    let request = Request::builder().method(method).uri(path).header(ACCEPT, format);
    let request = request.header(CONTENT_TYPE, format).body(Body::from(bytes)).unwrap();
    let (head, body) = client.send(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    assert!(head.status.is_success(), "{}: {}", head.status, String::from_utf8_lossy(&body));
    body.to_vec()
}

/// Replaces a part of the bytes by another of the same length.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let places: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(from)).collect();
    assert!(!places.is_empty(), "what is to be replaced is there");
    places.into_iter().for_each(|at| bytes[at..at + to.len()].copy_from_slice(to));
    bytes
}

/// A pod in its envelope whose owner's uid is not UTF-8.
fn odd_pod() -> Vec<u8> {
    let owner = json!({"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "not-utf-8"});
    let pod = json!({
        "metadata": {"name": "odd", "annotations": {"round": "round-0"}, "ownerReferences": [owner]},
        "spec": {"nodeName": "node-1", "containers": [{"name": "main", "image": "nginx"}]},
    });
    let pod = encode(message("", "v1", "Pod").unwrap(), &pod).unwrap();
    let (mut type_meta, mut unknown) = (Vec::new(), b"k8s\0".to_vec());
    write_bytes(1, b"v1", &mut type_meta);
    write_bytes(2, b"Pod", &mut type_meta);
    write_bytes(1, &type_meta, &mut unknown);
    write_bytes(2, &replaced(&pod, MARK, NOT_UTF8), &mut unknown);
    unknown
}

pub(crate) async fn owner_uid_that_is_not_utf8(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "odd-owner").await;
    let (client, pods) = (&namespace_of_test.client, namespace_of_test.path("pods"));
    let collection = namespace_of_test.collection("pods");
    namespace_of_test.write_pod("before").await;
    let early = follow_both::<Pod>(&namespace_of_test).await;
    sent(client, Method::POST, &pods, PROTOBUF, odd_pod()).await;
    namespace_of_test.write_pod("after").await;
    let late = follow_both::<Pod>(&namespace_of_test).await;
    let all = early.iter().chain(&late);
    for informer in all.clone() {
        collection.agrees_with(&informer.informer, &informer.recorder).await;
        let odd = informer.informer.lister().get("odd-owner/odd").unwrap();
        assert_eq!(odd.owner_uids().collect::<Vec<_>>(), [REPAIRED]);
        assert_eq!(odd.decoded().unwrap().metadata.owner_references.as_ref().unwrap()[0].uid, REPAIRED);
    }

    let path = format!("{pods}/odd");
    let odd = sent(client, Method::GET, &path, PROTOBUF, Vec::new()).await;
    sent(client, Method::PUT, &path, PROTOBUF, replaced(&odd, b"round-0", b"round-1")).await;
    namespace_of_test.set_phase("before", "Running").await;
    for informer in all.clone() {
        collection.agrees_with(&informer.informer, &informer.recorder).await;
        let odd = informer.informer.lister().get("odd-owner/odd").unwrap();
        assert_eq!(odd.field(".metadata.annotations.round").unwrap().to_string(), "round-1");
        assert_eq!(odd.owner_uids().collect::<Vec<_>>(), [REPAIRED], "the change is as odd as before");
    }

    namespace_of_test.pods().delete("odd", &DeleteParams::default().grace_period(0)).await.unwrap();
    namespace_of_test.set_phase("after", "Running").await;
    for informer in early.into_iter().chain(late) {
        assert_eq!(informer.errors.all(), [], "no request had to be repeated");
        informer.ends_with(collection.clone()).await;
    }
}

pub(crate) async fn nested_json_that_is_not_utf8(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "odd-json").await;
    let client = &namespace_of_test.client;
    let revisions = format!("/apis/apps/v1/namespaces/{}/controllerrevisions", namespace_of_test.namespace);
    let revision = |name: &str, value: &str| {
        json!({"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": name}, "revision": 1,
            "data": {"value": value}})
    };
    let create = async |name: &str, value: &str| {
        let mut bytes = revision(name, value).to_string().into_bytes();
        if value.as_bytes() == MARK {
            bytes = replaced(&bytes, MARK, NOT_UTF8);
        }
        sent(client, Method::POST, &revisions, "application/json", bytes).await
    };
    create("before", "good").await;
    let early = follow_both::<ControllerRevision>(&namespace_of_test).await;
    let answer = create("odd", "not-utf-8").await;
    assert!(std::str::from_utf8(&answer).is_err(), "the server passes it on as it is");
    create("after", "good").await;
    let late = follow_both::<ControllerRevision>(&namespace_of_test).await;
    for informer in early.iter().chain(&late) {
        wait_until("all are cached", || informer.informer.lister().list().len() == 3).await;
        let odd = informer.informer.lister().get("odd-json/odd").unwrap();
        assert_eq!(odd.field(".data.value").unwrap().to_string(), REPAIRED);
        assert_eq!(odd.decoded().unwrap().data.0["value"], REPAIRED);
    }
    let path = format!("{revisions}/odd");
    sent(client, Method::DELETE, &path, "application/json", Vec::new()).await;
    for informer in early.into_iter().chain(late) {
        wait_until("its deletion is reported", || informer.recorder.object_count() == 2).await;
        assert_eq!(informer.errors.all(), [], "no request had to be repeated");
        informer.running.shutdown().await;
    }
}
