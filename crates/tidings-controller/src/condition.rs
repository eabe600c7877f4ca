//! Waits until an object meets a condition, by reading an informer's cache. It polls nothing and misses no change.
//!
//! The condition is checked against the cached object, or its absence, each time the object changes. If the deadline
//! passes first, the error contains the last state that was checked.

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
use tidings_informer::{SharedInformer, WaitError};
use tidings_object::{FieldSelector, Key, Kind, Object, ReadError, Scope};

use crate::error::ControllerError;

/// The status in an error is cut to this length.
const STATUS_BYTES_MAX: usize = 512;

/// A question about an object, or about its absence, with a text for messages.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_controller::Condition;
///
/// let has_ip = Condition::new("has an address", |pod: &Pod| {
///     pod.status.as_ref().is_some_and(|status| status.pod_ip.is_some())
/// });
/// let is_reachable_or_deleted = Condition::is_running().and(has_ip).or(Condition::is_deleted("8d2c"));
/// assert_eq!(is_reachable_or_deleted.to_string(), "((is running and has an address) or is deleted (uid 8d2c))");
/// ```
pub struct Condition<K> {
    text: String,
    holds: Arc<ConditionFn<K>>,
}

type ConditionFn<K> = dyn Fn(Option<&Object<K>>) -> Result<bool, ReadError> + Send + Sync;

/// Waits until the condition holds, and returns the object in that state, or `None` if it does not exist.
///
/// ```
/// use std::time::Duration;
///
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use tidings_apiserver::ApiServer;
/// use tidings_controller::{Condition, await_condition};
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
) -> Result<Option<Object<K>>, ControllerError> {
    let mut last_checked = None;
    let waited = informer
        .wait_until(key, within, |object| {
            let holds = condition.holds(object);
            let unreadable = holds.as_ref().err().map(ToString::to_string);
            last_checked = Some((object.cloned(), unreadable));
            holds.unwrap_or(false)
        })
        .await;
    let (object, condition) = (format!("{} {key}", informer.resource()), condition.text.clone());
    match waited {
        Ok(()) => Ok(last_checked.expect("a condition that holds was checked").0),
        Err(WaitError::DeadlinePassed { .. }) => {
            let last_seen = match last_checked {
                Some((object, unreadable)) => last_seen(object, unreadable),
                None => format!("nothing, because the cache has not synced: {}", informer.unsynced().reason),
            };
            Err(ControllerError::ConditionTimeout { object, condition, within, last_seen })
        }
        Err(source) => Err(ControllerError::ConditionUnknown { object, condition, source }),
    }
}

/// As [`await_condition`], without an informer: lists and watches this one object for the time of the wait.
pub async fn await_condition_on<K: Kind>(
    client: &Client,
    key: &Key,
    condition: &Condition<K>,
    within: Duration,
) -> Result<Option<Object<K>>, ControllerError> {
    let resource = K::resource();
    let invalid = || ControllerError::InvalidKey { object: format!("{resource} {key}") };
    let mut options = InformerOptions::new();
    if let (Scope::Namespaced, Some(namespace)) = (resource.scope, key.namespace()) {
        options = options.namespace(namespace).map_err(|_| invalid())?;
    }
    let this_one = FieldSelector::parse(&format!("metadata.name={}", key.name())).map_err(|_| invalid())?;
    let factory = SharedInformerFactory::new(client.clone());
    let informer = factory
        .informer_with::<K>(options.fields(this_one))
        .expect("a new factory has no informer with other options");
    let _running = factory.start();
    await_condition(&informer, key, condition, within).await
}

impl<K> Condition<K> {
    /// A condition on the decoded object. It does not hold while the object does not exist. The text completes "the
    /// object ...", such as `is ready`.
    pub fn new(text: impl Into<String>, holds: impl Fn(&K) -> bool + Send + Sync + 'static) -> Self
    where
        K: DeserializeOwned + Send + Sync + 'static,
    {
        Self::on_object(text, move |object: Option<&Object<K>>| match object {
            Some(object) => object.decoded().map(|decoded| holds(&decoded)),
            None => Ok(false),
        })
    }

    /// A condition on the cached object, or on its absence, without decoding it. An error counts as "does not hold".
    pub fn on_object(
        text: impl Into<String>,
        holds: impl Fn(Option<&Object<K>>) -> Result<bool, ReadError> + Send + Sync + 'static,
    ) -> Self {
        Condition { text: text.into(), holds: Arc::new(holds) }
    }

    /// Whether it holds for this object, or for its absence.
    pub fn holds(&self, object: Option<&Object<K>>) -> Result<bool, ReadError> {
        (self.holds)(object)
    }
}

impl<K: 'static> Condition<K> {
    /// Holds if both hold for the same state of the object.
    #[must_use]
    pub fn and(self, other: Condition<K>) -> Self {
        let text = format!("({self} and {other})");
        Self::on_object(text, move |object| Ok(self.holds(object)? && other.holds(object)?))
    }

    /// Holds if at least one of them holds.
    #[must_use]
    pub fn or(self, other: Condition<K>) -> Self {
        let text = format!("({self} or {other})");
        Self::on_object(text, move |object| Ok(self.holds(object)? || other.holds(object)?))
    }

    /// Holds if this does not hold.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a method beside `and` and `or`")]
    pub fn not(self) -> Self {
        let text = format!("not {self}");
        Self::on_object(text, move |object| Ok(!self.holds(object)?))
    }
}

impl<K> Condition<K> {
    /// An object with this key exists.
    pub fn exists() -> Self {
        Condition::on_object("exists", |object| Ok(object.is_some()))
    }

    /// The object with this uid is deleted. This also holds if another object has its name now.
    pub fn is_deleted(uid: impl Into<String>) -> Self {
        let uid = uid.into();
        let text = format!("is deleted (uid {uid})");
        Condition::on_object(text, move |object| Ok(object.is_none_or(|object| object.uid() != uid)))
    }

    /// The condition of this type in `.status.conditions` has this status: `has_condition("Ready", "True")`.
    pub fn has_condition(type_: impl Into<String>, status: impl Into<String>) -> Self {
        let (type_, status) = (type_.into(), status.into());
        let text = format!("has condition {type_}={status}");
        Condition::on_object(text, move |object| {
            let Some(object) = object else { return Ok(false) };
            let conditions = object.field(".status.conditions[*]")?;
            Ok(conditions
                .values()
                .iter()
                .any(|condition| condition["type"] == *type_ && condition["status"] == *status))
        })
    }
}

impl Condition<CustomResourceDefinition> {
    /// The server accepts objects of this custom resource.
    pub fn is_established() -> Self {
        Condition { text: "is established".to_owned(), ..Condition::has_condition("Established", "True") }
    }
}

impl Condition<Pod> {
    /// The pod's phase is `Running`.
    pub fn is_running() -> Self {
        Condition::on_object("is running", |pod: Option<&Object<Pod>>| {
            let Some(pod) = pod else { return Ok(false) };
            Ok(pod.field(".status.phase")?.text().is_some_and(|phase| phase == "Running"))
        })
    }
}

impl Condition<Deployment> {
    /// The deployment's controller has observed its spec, and every replica is updated and available.
    pub fn is_complete() -> Self {
        Condition::on_object("is complete", |deployment: Option<&Object<Deployment>>| {
            let Some(deployment) = deployment else { return Ok(false) };
            let number =
                |path| Ok::<_, ReadError>(deployment.field(path)?.values().first().and_then(Value::as_i64));
            let wanted = number(".spec.replicas")?.unwrap_or(1);
            let is_observed = number(".status.observedGeneration")? >= deployment.generation();
            let is_wanted = |path| Ok::<_, ReadError>(number(path)?.unwrap_or_default() == wanted);
            Ok(is_observed
                && is_wanted(".status.replicas")?
                && is_wanted(".status.updatedReplicas")?
                && is_wanted(".status.availableReplicas")?)
        })
    }
}

/// The last state that a condition was checked against: the version and the status, cut to 512 bytes, or why it could not
/// be read.
fn last_seen<K>(object: Option<Object<K>>, unreadable: Option<String>) -> String {
    let Some(object) = object else { return "there is no such object".to_owned() };
    let status = match (unreadable, object.field(".status")) {
        (Some(error), _) => error,
        // A server writes an empty status if there is none.
        (None, Ok(status)) if matches!(&*status.to_string(), "<none>" | "{}") => "no status".to_owned(),
        (None, Ok(status)) => format!("status {status}"),
        (None, Err(error)) => error.to_string(),
    };
    format!("version {}, {}", object.version(), &status[..status.floor_char_boundary(STATUS_BYTES_MAX)])
}

/// The text that completes "the object ...".
impl<K> fmt::Display for Condition<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<K> fmt::Debug for Condition<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Condition").field(&self.text).finish()
    }
}

impl<K> Clone for Condition<K> {
    fn clone(&self) -> Self {
        Condition { text: self.text.clone(), holds: Arc::clone(&self.holds) }
    }
}
