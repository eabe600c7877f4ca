//! The final check of every test: cache and handlers equal what the server lists.
//!
//! The list has no version, so that etcd answers it and not a cache of the server.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Request;
use http::header::ACCEPT;
use kube_client::Client;
use serde_json::Value;
use tidings::{RawObject, SharedInformer};
use tokio::time::Instant;

use tidings_informer::testing::NotificationRecorder;

/// The version of each object, by key.
pub type Versions = BTreeMap<String, ObjectVersion>;

/// One version of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectVersion {
    /// The uid of the object. Another object of the same name has another uid.
    pub uid: String,
    /// Its version.
    pub version: String,
}

/// The objects that a server lists under some paths.
#[derive(Clone)]
pub struct Collection {
    client: Client,
    paths: Vec<String>,
    accept: &'static str,
}

/// How long an informer may take to catch up after the last fault, on a busy machine: milliseconds without faults, and
/// up to the longest backoff after one.
const AGREE_MAX: Duration = Duration::from_secs(240);

const POLL_INTERVAL: Duration = Duration::from_millis(50);

impl Collection {
    /// The objects under this path, such as `/api/v1/namespaces/a/pods?labelSelector=app%3Dweb`.
    pub fn new(client: &Client, path: impl Into<String>) -> Collection {
        Collection::over(client, [path.into()])
    }

    /// The objects under all of these paths.
    pub fn over(client: &Client, paths: impl IntoIterator<Item = String>) -> Collection {
        Collection { client: client.clone(), paths: paths.into_iter().collect(), accept: "application/json" }
    }

    /// Lists only the metadata of the objects.
    #[must_use]
    pub fn metadata(mut self) -> Collection {
        self.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
        self
    }

    /// What the server lists now, by key.
    pub async fn objects(&self) -> Result<BTreeMap<String, Value>, kube_client::Error> {
        let mut objects = BTreeMap::new();
        for path in &self.paths {
            let request = Request::get(path).header(ACCEPT, self.accept).body(Vec::new());
            let mut list: Value = self.client.request(request.expect("a path of ours is a path")).await?;
            if let Value::Array(items) = list["items"].take() {
                objects.extend(items.into_iter().map(|item| (key(&item), item)));
            }
        }
        Ok(objects)
    }

    /// Waits until cache and handler equal what the server lists, including bodies.
    pub async fn agrees_with<K>(&self, informer: &SharedInformer<K>, recorder: &NotificationRecorder) {
        let objects = self.reached_by(informer, recorder).await;
        for (key, object) in objects {
            let cached = informer.reader().get(&key).expect("it was there, and nothing changes any more");
            let cached = cached.json().expect("a cached object can be read");
            let cached = serde_json::from_slice(&cached).expect("the server sent JSON");
            assert_eq!(
                without_kind(cached),
                without_kind(object),
                "{key} differs from what the server lists"
            );
        }
    }

    /// As [`agrees_with`](Self::agrees_with), without the bodies.
    pub async fn reached_by<K>(
        &self,
        informer: &SharedInformer<K>,
        recorder: &NotificationRecorder,
    ) -> BTreeMap<String, Value> {
        let deadline = Instant::now() + AGREE_MAX;
        loop {
            let listed = self.objects().await;
            let (cached, notified) = (cached(informer), notified(recorder));
            if let Ok(objects) = &listed {
                let truth = objects
                    .iter()
                    .map(|(key, object)| (key.clone(), ObjectVersion::of_json(object)))
                    .collect();
                if cached == truth && notified == truth {
                    assert_eq!(
                        recorder.violations(),
                        Vec::<String>::new(),
                        "notifications contradict each other"
                    );
                    return listed.unwrap_or_default();
                }
                if Instant::now() > deadline {
                    panic!(
                        "cache and handler do not come to what the server lists within {AGREE_MAX:?}\n\
                         cache: {}\nhandler: {}\nhealth: {:#?}",
                        difference(&truth, &cached),
                        difference(&truth, &notified),
                        informer.health(),
                    );
                }
            }
            assert!(Instant::now() < deadline, "the server does not list: {:?}", listed.err());
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

/// Waits until a condition holds. Panics with `what` after the time limit.
pub async fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + AGREE_MAX;
    while !holds() {
        assert!(Instant::now() < deadline, "not within {AGREE_MAX:?}: {what}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

impl ObjectVersion {
    /// The version of a cached object.
    pub fn of(object: &RawObject) -> ObjectVersion {
        ObjectVersion { uid: object.uid().to_owned(), version: object.version().to_string() }
    }

    fn of_json(object: &Value) -> ObjectVersion {
        let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
        ObjectVersion { uid: text("uid"), version: text("resourceVersion") }
    }
}

/// The versions in the cache of an informer.
pub fn cached<K>(informer: &SharedInformer<K>) -> Versions {
    informer
        .reader()
        .list()
        .iter()
        .map(|object| (object.key().to_string(), ObjectVersion::of(object)))
        .collect()
}

/// The versions that a handler knows from its notifications.
fn notified(recorder: &NotificationRecorder) -> Versions {
    let objects = recorder.objects().into_iter();
    objects.map(|(key, (uid, version))| (key, ObjectVersion { uid, version: version.to_string() })).collect()
}

fn key(object: &Value) -> String {
    let text = |name: &str| object["metadata"][name].as_str();
    let name = text("name").unwrap_or_default();
    text("namespace").map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}"))
}

/// Items of lists have neither kind nor apiVersion. Events of watches have both.
fn without_kind(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.remove("kind");
        fields.remove("apiVersion");
    }
    object
}

/// The first objects that differ.
fn difference(truth: &Versions, other: &Versions) -> String {
    let missing = truth.iter().filter(|(key, _)| !other.contains_key(*key));
    let too_many = other.iter().filter(|(key, _)| !truth.contains_key(*key));
    let changed =
        truth.iter().filter(|(key, version)| other.get(*key).is_some_and(|found| found != *version));
    let few = |objects: &mut dyn Iterator<Item = (&String, &ObjectVersion)>| {
        let mut objects: Vec<_> =
            objects.map(|(key, version)| format!("{key}@{}", version.version)).collect();
        let all = objects.len();
        objects.truncate(5);
        format!("{all} {objects:?}")
    };
    format!(
        "{} of {} objects; missing {}, too many {}, of another version {}",
        other.len(),
        truth.len(),
        few(&mut missing.into_iter()),
        few(&mut too_many.into_iter()),
        few(&mut changed.into_iter()),
    )
}
