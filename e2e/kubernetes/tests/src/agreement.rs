//! The last question of every test: do the cache and the handlers have what the server lists?
//!
//! The list is asked of the server without a version, so that etcd answers and no cache of the server's.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Request;
use http::header::ACCEPT;
use kube_client::Client;
use serde_json::Value;
use tidings::{RawObject, SharedInformer};
use tokio::time::Instant;

use tidings_simulation::NotificationRecorder;

/// What exists: which version_of_object and version of each object, by key.
pub type Versions = BTreeMap<String, ObjectVersion>;

/// One version of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectVersion {
    /// The object's uid: another object of the same name has another.
    pub uid: String,
    /// Its version.
    pub version: String,
}

/// What a server lists under some paths.
#[derive(Clone)]
pub struct Collection {
    client: Client,
    paths: Vec<String>,
    accept: &'static str,
}

/// How long an informer may take to catch up after the last fault, on a busy machine. It needs milliseconds when
/// nothing is wrong, and the longest wait of its ladder when something was.
const AGREE_MAX: Duration = Duration::from_secs(240);

const PAUSE: Duration = Duration::from_millis(50);

impl Collection {
    /// What the server lists under this path, such as `/api/v1/namespaces/a/pods?labelSelector=app%3Dweb`.
    pub fn new(client: &Client, path: impl Into<String>) -> Collection {
        Collection::over(client, [path.into()])
    }

    /// What the server lists under all of these paths.
    pub fn over(client: &Client, paths: impl IntoIterator<Item = String>) -> Collection {
        Collection { client: client.clone(), paths: paths.into_iter().collect(), accept: "application/json" }
    }

    /// Only the metadata of the objects.
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

    /// Waits until the cache and the handler have exactly what the server lists, bodies included.
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
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Waits until something holds, or fails with what it was.
pub async fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + AGREE_MAX;
    while !holds() {
        assert!(Instant::now() < deadline, "not within {AGREE_MAX:?}: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}

impl ObjectVersion {
    /// This version of this object.
    pub fn of(object: &RawObject) -> ObjectVersion {
        ObjectVersion { uid: object.uid().to_owned(), version: object.version().to_string() }
    }

    fn of_json(object: &Value) -> ObjectVersion {
        let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
        ObjectVersion { uid: text("uid"), version: text("resourceVersion") }
    }
}

/// What an informer's cache has.
pub fn cached<K>(informer: &SharedInformer<K>) -> Versions {
    informer
        .reader()
        .list()
        .iter()
        .map(|object| (object.key().to_string(), ObjectVersion::of(object)))
        .collect()
}

/// What a handler knows from its notifications.
fn notified(recorder: &NotificationRecorder) -> Versions {
    let objects = recorder.objects().into_iter();
    objects.map(|(key, (uid, version))| (key, ObjectVersion { uid, version: version.to_string() })).collect()
}

fn key(object: &Value) -> String {
    let text = |name: &str| object["metadata"][name].as_str();
    let name = text("name").unwrap_or_default();
    text("namespace").map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}"))
}

/// Items of lists have neither kind nor apiVersion, events of watches have both.
fn without_kind(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.remove("kind");
        fields.remove("apiVersion");
    }
    object
}

/// The first few objects in which two states differ.
fn difference(truth: &Versions, other: &Versions) -> String {
    let missing = truth.iter().filter(|(key, _)| !other.contains_key(*key));
    let too_many = other.iter().filter(|(key, _)| !truth.contains_key(*key));
    let changed = truth
        .iter()
        .filter(|(key, version_of_object)| other.get(*key).is_some_and(|found| found != *version_of_object));
    let few = |objects: &mut dyn Iterator<Item = (&String, &ObjectVersion)>| {
        let mut objects: Vec<_> =
            objects.map(|(key, version_of_object)| format!("{key}@{}", version_of_object.version)).collect();
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
