//! Compares one built-in kind on both wires, by GET, LIST and WATCH.

use std::collections::BTreeMap;
use std::time::Duration;

use kube_client::Client;
use kubernetes_tests::Cluster;
use serde_json::Value;
use tidings_object::ResourceKind;
use tidings_protobuf::{TypeMeta, message};
use tokio::time::timeout;

use crate::difference::{Difference, assert_none};
use crate::envelope::{Envelope, Event, json_events, protobuf_events};
use crate::fixtures::LABEL;
use crate::intake::BothIntakes;
use crate::pair::Pair;
use crate::response::{Answer, JSON, PROTOBUF, TestRequest};
use crate::seeded_server::{is_release_of_fixtures, seeded_server};
use crate::typed::Decode;

#[derive(Debug, Clone, Copy)]
pub(crate) struct BuiltIn {
    pub(crate) group: &'static str,
    pub(crate) version: &'static str,
    pub(crate) name: &'static str,
    /// Compares the decoded values.
    pub(crate) decode: Decode,
}

/// How long the server's controllers may take to stop changing an object.
const SETTLED_MAX: Duration = Duration::from_secs(30);

impl BuiltIn {
    pub(crate) fn api_version(&self) -> String {
        [self.group, self.version].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    }
}

/// Reads all objects of the kind in both formats, and each fixture individually.
pub(crate) async fn says_the_same(cluster: &Cluster, kind: BuiltIn) {
    let server = seeded_server(cluster).await;
    let Some(served) = server.resource(&kind.api_version(), kind.name) else {
        assert!(!is_release_of_fixtures(), "it is not served");
        return;
    };
    let comparison =
        KindComparison { client: cluster.client().await, resource: &served.resource, decode: kind.decode };
    let (fixtures, mut differences) = comparison.by_list().await;
    assert!(!fixtures.is_empty() || !is_release_of_fixtures(), "none of its fixtures is on the server");
    differences.extend(comparison.by_watch(&fixtures).await);
    for fixture in &fixtures {
        differences.extend(comparison.by_get(fixture).await);
    }
    assert_none(&differences);
}

struct KindComparison<'a> {
    client: Client,
    resource: &'a ResourceKind,
    decode: Decode,
}

impl KindComparison<'_> {
    /// Compares lists of the same version. Returns the fixtures in them.
    async fn by_list(&self) -> (Vec<Value>, Vec<Difference>) {
        let path = self.resource.url_path(None);
        let json = self.ask(&path, JSON).await.json();
        let version = json["metadata"]["resourceVersion"].as_str().expect("a list has a version");
        let exactly = format!("{path}?resourceVersion={version}&resourceVersionMatch=Exact");
        let answer = self.ask(&exactly, PROTOBUF).await;
        let list = Envelope::of(answer.protobuf());
        let what = format!("LIST {}", self.resource);
        let ResourceKind { group, version, kind, .. } = self.resource;
        let item_message = message(group, version, kind).expect("the table knows what is compared");

        let items = json["items"].as_array().expect("a list has items").clone();
        let mut differences = Pair::of(what.clone(), json, list).as_json();
        for (json, protobuf) in items.iter().zip(list.items()) {
            let what = format!("{what}: {}", name(json));
            let both = (json.clone(), protobuf);
            let pair = Pair::of_message(what, item_message, TypeMeta::default(), both);
            differences.extend(self.compared(&pair));
        }
        (items.into_iter().filter(is_fixture).collect(), differences)
    }

    /// Compares the initial events of a watch, and the bookmark that ends them.
    async fn by_watch(&self, fixtures: &[Value]) -> Vec<Difference> {
        let path = format!(
            "{}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
            self.resource.url_path(None)
        );
        let streamed = format!("{PROTOBUF};stream=watch");
        let (json, protobuf) = tokio::join!(
            TestRequest::get(&path, JSON).watched(&self.client, |read| ends_list(json_events(read))),
            TestRequest::get(&path, &streamed).watched(&self.client, |read| ends_list(protobuf_events(read))),
        );
        let protobuf = protobuf_events(protobuf.protobuf());
        let mut by_version: BTreeMap<String, &Event<Envelope<'_>>> =
            protobuf.iter().map(|event| (event.object.uid_and_version(), event)).collect();
        let (mut differences, mut seen) = (Vec::new(), 0);
        for Event { event_type, mut object } in json_events(&json.body) {
            // Other objects may have changed between the two watches, and bookmarks are of different moments.
            let same = if event_type == "BOOKMARK" {
                protobuf.last()
            } else {
                by_version.remove(&uid_and_version(&object))
            };
            let Some(same) = same else { continue };
            if event_type == "BOOKMARK" {
                object["metadata"]["resourceVersion"] = same.object.version().into();
            }
            assert_eq!(same.event_type, event_type, "{}", name(&object));
            seen += usize::from(is_fixture(&object));
            let what = format!("WATCH {}: {event_type} {}", self.resource, name(&object));
            let pair = Pair::of(what, object, same.object);
            differences.extend(if event_type == "BOOKMARK" {
                pair.differences()
            } else {
                self.compared(&pair)
            });
        }
        assert_eq!(seen, fixtures.len(), "not every fixture was seen by both watches");
        differences
    }

    /// Compares one object, after both responses have the same version.
    async fn by_get(&self, fixture: &Value) -> Vec<Difference> {
        let namespace = fixture["metadata"]["namespace"].as_str();
        let path = format!("{}/{}", self.resource.url_path(namespace), name(fixture));
        let both = async {
            loop {
                let (json, protobuf) = (self.ask(&path, JSON).await, self.ask(&path, PROTOBUF).await);
                if uid_and_version(&json.json()) == Envelope::of(protobuf.protobuf()).uid_and_version() {
                    return (json.json(), protobuf);
                }
            }
        };
        let (json, protobuf) = timeout(SETTLED_MAX, both).await.expect("it is left alone for a moment");
        let what = format!("GET {} {}", self.resource, name(fixture));
        let pair = Pair::of(what, json, Envelope::of(protobuf.protobuf()));
        let mut differences = self.compared(&pair);
        differences
            .extend(BothIntakes::both_ways(self.resource, &pair).iter().flat_map(BothIntakes::by_field));
        differences
    }

    /// Compares all ways to read the object.
    fn compared(&self, pair: &Pair<'_>) -> Vec<Difference> {
        let mut differences = pair.differences();
        let taken = BothIntakes::both_ways(self.resource, pair);
        differences.extend(taken.iter().flat_map(BothIntakes::differences));
        differences.extend((self.decode)(pair, &taken[0]));
        differences
    }

    async fn ask(&self, path: &str, accept: &str) -> Answer {
        let answer = TestRequest::get(path, accept).answered(&self.client).await;
        assert_eq!(answer.code, 200, "GET {path} as {accept}: {}", String::from_utf8_lossy(&answer.body));
        answer
    }
}

/// The first bookmark ends the initial events.
fn ends_list<T>(events: Vec<Event<T>>) -> bool {
    events.last().is_some_and(|event| event.event_type == "BOOKMARK")
}

/// The identity of the object and its version.
fn uid_and_version(object: &Value) -> String {
    let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default();
    format!("{} at {}", text("uid"), text("resourceVersion"))
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

fn is_fixture(object: &Value) -> bool {
    object["metadata"]["labels"].get(LABEL).is_some()
}
