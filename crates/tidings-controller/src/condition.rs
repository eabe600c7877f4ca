//! Waiting until an object is as it should be, through an informer's cache: nothing is polled, and no change is missed.
//!
//! A condition looks at the cached object, or at its absence, each time that it has changed. One that never comes true
//! ends with an error which tells what was seen last.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::Client;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::informer::{SharedInformer, WaitError};
use tidings_object::{FieldSelector, Key, Kind, Object, ReadError, Scope};

/// So much of a status stands in an error.
const STATUS_BYTES_MAX: usize = 512;

/// What is waited for: a question to an object, or to its absence, and how to say it.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_controller::condition::{Condition, is_deleted, is_pod_running};
///
/// let has_ip = Condition::new("has an address", |pod: &Pod| {
///     pod.status.as_ref().is_some_and(|status| status.pod_ip.is_some())
/// });
/// let is_reachable_or_gone = is_pod_running().and(has_ip).or(is_deleted("8d2c"));
/// assert_eq!(is_reachable_or_gone.to_string(), "((is running and has an address) or is deleted (uid 8d2c))");
/// ```
pub struct Condition<K> {
    what: String,
    holds: Arc<ConditionFn<K>>,
}

type ConditionFn<K> = dyn Fn(Option<&Object<K>>) -> Result<bool, ReadError> + Send + Sync;

/// Why a wait for a condition ended without it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// The deadline passed.
    #[error("{object}: not within {within:?} that it {what}; last seen: {last_seen}")]
    DeadlinePassed {
        /// The resource and the key.
        object: String,
        /// What was waited for.
        what: String,
        /// How long.
        within: Duration,
        /// The last state that was looked at.
        last_seen: LastSeen,
    },
    /// The cache can't tell.
    #[error("{object}: can't tell whether it {what}: {source}")]
    Wait {
        /// The resource and the key.
        object: String,
        /// What was waited for.
        what: String,
        /// Why not.
        r#source: WaitError,
    },
    /// No cluster has such a namespace.
    #[error("{object} can't be there: no namespace has that name")]
    Namespace {
        /// The resource and the key.
        object: String,
    },
}

/// What a condition looked at last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LastSeen {
    /// The informer has not synced; the reason is given.
    Nothing(String),
    /// There was no such object.
    Absent,
    /// An object.
    Object {
        /// Its version.
        version: String,
        /// Its status as JSON, cut; or why it could not be read.
        status: String,
    },
}

/// Waits until the condition holds, and gives the object as it is then; none if it is not there.
///
/// ```
/// use std::time::Duration;
///
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use tidings_apiserver::ApiServer;
/// use tidings_controller::condition::{Condition, await_condition};
/// use tidings_factory::SharedInformerFactory;
/// use tidings_object::Key;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::start().await;
/// let factory = SharedInformerFactory::new(server.client());
/// let maps = factory.informer::<ConfigMap>();
/// let running = factory.start();
///
/// server.put("configmaps", serde_json::json!({
///     "metadata": { "namespace": "shop", "name": "settings" }, "data": { "ready": "yes" },
/// }));
/// let is_ready = Condition::new("is ready", |map: &ConfigMap| {
///     map.data.as_ref().is_some_and(|data| data.contains_key("ready"))
/// });
/// let key = Key::parse("shop/settings")?;
/// let map = await_condition(&maps, &key, &is_ready, Duration::from_secs(10)).await?;
/// assert_eq!(map.expect("it is ready").name(), "settings");
/// running.shutdown().await;
/// # Ok(())
/// # }
/// ```
pub async fn await_condition<K>(
    informer: &SharedInformer<K>,
    key: &Key,
    condition: &Condition<K>,
    within: Duration,
) -> Result<Option<Object<K>>, ConditionError> {
    let mut last_looked_at = None;
    let waited = informer
        .wait_until(key, within, |object| {
            let holds = condition.holds(object);
            let unreadable = holds.as_ref().err().map(ToString::to_string);
            last_looked_at = Some((object.cloned(), unreadable));
            holds.unwrap_or(false)
        })
        .await;
    let (object, what) = (format!("{} {key}", informer.resource()), condition.what.clone());
    match waited {
        Ok(()) => Ok(last_looked_at.expect("what holds was looked at").0),
        Err(WaitError::DeadlinePassed { .. }) => {
            let last_seen = last_looked_at
                .map_or_else(|| LastSeen::Nothing(informer.unsynced().reason), LastSeen::from_look);
            Err(ConditionError::DeadlinePassed { object, what, within, last_seen })
        }
        Err(source) => Err(ConditionError::Wait { object, what, source }),
    }
}

/// As [`await_condition`], without an informer at hand: one object is listed and watched for as long as it takes.
pub async fn await_condition_on<K: Kind>(
    client: &Client,
    key: &Key,
    condition: &Condition<K>,
    within: Duration,
) -> Result<Option<Object<K>>, ConditionError> {
    let resource = K::resource();
    let no_such = || ConditionError::Namespace { object: format!("{resource} {key}") };
    let mut options = InformerOptions::new();
    if let (Scope::Namespaced, Some(namespace)) = (resource.scope, key.namespace()) {
        options = options.namespace(namespace).map_err(|_| no_such())?;
    }
    let this_one = FieldSelector::parse(&format!("metadata.name={}", key.name())).map_err(|_| no_such())?;
    let factory = SharedInformerFactory::new(client.clone());
    let informer = factory.informer_with::<K>(options.fields(this_one));
    let _running = factory.start();
    await_condition(&informer, key, condition, within).await
}

impl<K> Condition<K> {
    /// Asks the object when it is there; the text completes "the object ...", as `is ready`.
    pub fn new(what: impl Into<String>, holds: impl Fn(&K) -> bool + Send + Sync + 'static) -> Self
    where
        K: DeserializeOwned + Send + Sync + 'static,
    {
        Self::of(what, move |object: Option<&Object<K>>| match object {
            Some(object) => object.decoded().map(|decoded| holds(&decoded)),
            None => Ok(false),
        })
    }

    /// Asks what is cached, without decoding it, or its absence. An object that can't be read is not as wanted.
    pub fn of(
        what: impl Into<String>,
        holds: impl Fn(Option<&Object<K>>) -> Result<bool, ReadError> + Send + Sync + 'static,
    ) -> Self {
        Condition { what: what.into(), holds: Arc::new(holds) }
    }

    /// Whether it holds for what is cached now.
    pub fn holds(&self, object: Option<&Object<K>>) -> Result<bool, ReadError> {
        (self.holds)(object)
    }
}

impl<K: 'static> Condition<K> {
    /// Holds when both hold at the same time.
    #[must_use]
    pub fn and(self, other: Condition<K>) -> Self {
        let what = format!("({self} and {other})");
        Self::of(what, move |object| Ok(self.holds(object)? && other.holds(object)?))
    }

    /// Holds when one of them does.
    #[must_use]
    pub fn or(self, other: Condition<K>) -> Self {
        let what = format!("({self} or {other})");
        Self::of(what, move |object| Ok(self.holds(object)? || other.holds(object)?))
    }

    /// Holds when this does not.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "it stands in a row with `and` and `or`")]
    pub fn not(self) -> Self {
        let what = format!("not {self}");
        Self::of(what, move |object| Ok(!self.holds(object)?))
    }
}

/// There is an object of that name.
pub fn exists<K>() -> Condition<K> {
    Condition::of("exists", |object| Ok(object.is_some()))
}

/// The object with that uid is gone, even if another has its name by now.
pub fn is_deleted<K>(uid: impl Into<String>) -> Condition<K> {
    let uid = uid.into();
    let what = format!("is deleted (uid {uid})");
    Condition::of(what, move |object| Ok(object.is_none_or(|object| object.uid() != uid)))
}

/// The condition of that type in `.status.conditions` has this status: `has_condition("Ready", "True")`.
pub fn has_condition<K>(type_: impl Into<String>, status: impl Into<String>) -> Condition<K> {
    let (type_, status) = (type_.into(), status.into());
    let what = format!("has condition {type_}={status}");
    Condition::of(what, move |object| {
        let Some(object) = object else { return Ok(false) };
        let conditions = object.field(".status.conditions[*]")?;
        Ok(conditions
            .values()
            .iter()
            .any(|condition| condition["type"] == *type_ && condition["status"] == *status))
    })
}

/// The server accepts objects of this custom kind.
pub fn is_established() -> Condition<CustomResourceDefinition> {
    Condition { what: "is established".to_owned(), ..has_condition("Established", "True") }
}

/// The pod's phase is `Running`.
pub fn is_pod_running() -> Condition<Pod> {
    Condition::of("is running", |pod: Option<&Object<Pod>>| {
        let Some(pod) = pod else { return Ok(false) };
        Ok(pod.field(".status.phase")?.text().is_some_and(|phase| phase == "Running"))
    })
}

/// The deployment's controller has seen its spec, and every replica is of it and available.
pub fn is_deployment_complete() -> Condition<Deployment> {
    Condition::of("is complete", |deployment: Option<&Object<Deployment>>| {
        let Some(deployment) = deployment else { return Ok(false) };
        let number =
            |path| Ok::<_, ReadError>(deployment.field(path)?.values().first().and_then(Value::as_i64));
        let wanted = number(".spec.replicas")?.unwrap_or(1);
        let is_seen = number(".status.observedGeneration")? >= deployment.generation();
        let is_wanted = |path| Ok::<_, ReadError>(number(path)?.unwrap_or_default() == wanted);
        Ok(is_seen
            && is_wanted(".status.replicas")?
            && is_wanted(".status.updatedReplicas")?
            && is_wanted(".status.availableReplicas")?)
    })
}

impl LastSeen {
    fn from_look<K>((object, unreadable): (Option<Object<K>>, Option<String>)) -> Self {
        let Some(object) = object else { return LastSeen::Absent };
        let status = match (unreadable, object.field(".status")) {
            (Some(error), _) => error,
            // A server writes an empty one where there is none.
            (None, Ok(status)) if matches!(&*status.to_string(), "<none>" | "{}") => "no status".to_owned(),
            (None, Ok(status)) => format!("status {status}"),
            (None, Err(error)) => error.to_string(),
        };
        let status = status[..status.floor_char_boundary(STATUS_BYTES_MAX)].to_owned();
        LastSeen::Object { version: object.version().to_string(), status }
    }
}

impl fmt::Display for LastSeen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LastSeen::Nothing(reason) => write!(f, "nothing, the cache has not synced: {reason}"),
            LastSeen::Absent => f.write_str("there is no such object"),
            LastSeen::Object { version, status } => write!(f, "version {version}, {status}"),
        }
    }
}

/// What is waited for, as it completes "the object ...".
impl<K> fmt::Display for Condition<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl<K> fmt::Debug for Condition<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Condition").field(&self.what).finish()
    }
}

impl<K> Clone for Condition<K> {
    fn clone(&self) -> Self {
        Condition { what: self.what.clone(), holds: Arc::clone(&self.holds) }
    }
}
