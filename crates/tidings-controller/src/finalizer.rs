//! Holding an object back from deletion until its traces are gone.
//!
//! The finalizer is there before anything is applied for the object, and goes after everything was cleaned up. Nobody
//! else's finalizer is ever touched: each patch tests what it relies on, and if that no longer holds, the object is read
//! from the server and looked at again.

use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;

use http::header::CONTENT_TYPE;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Api;
use kube_core::Resource;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tidings_util::WithCauses;

use crate::action::Action;

/// How often an object that others change is looked at again.
const ATTEMPTS_MAX: u32 = 5;

/// What is to be done for an object that has a finalizer.
#[derive(Debug, Clone)]
pub enum Finalize<K> {
    /// Make things as the object says. Its finalizer is on the server.
    Apply(Arc<K>),
    /// The object is being deleted: take away what was applied for it. This may be called more than once, and for an
    /// object that nothing was applied for.
    Cleanup(Arc<K>),
}

/// Why a finalizer was not added or removed.
#[derive(Debug, thiserror::Error)]
pub enum FinalizerError {
    /// No server takes it.
    #[error(
        "{name:?} can't be the name of a finalizer: use a domain and a path, such as example.com/cleanup"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// The object has no name, or no uid.
    #[error("an object without {missing} can't be held back: take it as the server or a lister gave it")]
    NotWritten {
        /// The missing field.
        missing: &'static str,
    },
    /// The role lacks a permission.
    #[error(
        "{verb} a finalizer on {object} is not permitted: let the role `get` and `patch` this resource, and `update` \
         its `finalizers`: {}",
        WithCauses(.source)
    )]
    Forbidden {
        /// What was tried: adding or removing.
        verb: &'static str,
        /// The object.
        object: String,
        /// The server's answer.
        r#source: Box<kube_client::Error>,
    },
    /// The server could not be asked, or refused.
    #[error(
        "{verb} finalizer {finalizer} on {object}; what was done for the object stays, and is done again later: {}",
        WithCauses(.source)
    )]
    Request {
        /// What was tried: adding or removing.
        verb: &'static str,
        /// The finalizer.
        finalizer: String,
        /// The object.
        object: String,
        /// What went wrong.
        r#source: Box<kube_client::Error>,
    },
    /// Others changed the object's finalizers each time.
    #[error("{object} was changed by others {ATTEMPTS_MAX} times while its finalizers were: try again later")]
    Contended {
        /// The object.
        object: String,
    },
}

/// Applies and cleans up with a finalizer in between: the last thing that a reconciler does.
///
/// An object without the finalizer gets it first, and `work` is called with the object as it is then. When the object
/// is being deleted, `work` is called to clean up; if that returns `Ok`, with whatever action, the finalizer goes, and
/// the object with it. A cleanup that is not done yet returns an error: the finalizer stays, and the cleanup is called
/// again after the backoff of its key. An error of `work` is handed on as it is.
///
/// A name has a domain and a path, as `example.com/cleanup`. Kubernetes takes names without a path for custom resources
/// only, with a warning; so does this, and logs the warning where it adds the finalizer.
///
/// `work` must bear being called again at any time: with an old state of the object, after it has done its part, after
/// the process has been killed.
///
/// ```
/// use std::sync::Arc;
///
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_client::Api;
/// use kube_client::api::{DeleteParams, PostParams};
/// use tidings_apiserver::ApiServer;
/// use tidings_controller::finalizer::{Finalize, finalizer};
/// use tidings_controller::{Action, Error};
///
/// async fn reconcile(maps: &Api<ConfigMap>, map: ConfigMap) -> Result<Action, Error> {
///     finalizer(maps, "example.com/bucket", Arc::new(map), async |event| match event {
///         Finalize::Apply(map) => {
///             assert_eq!(map.metadata.finalizers.as_deref(), Some(&["example.com/bucket".to_owned()][..]));
///             Ok(Action::await_change()) // creates the bucket
///         }
///         Finalize::Cleanup(_) => Ok(Action::await_change()), // deletes the bucket
///     }).await
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// let server = ApiServer::start().await;
/// let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
/// let map = serde_json::from_value(serde_json::json!({ "metadata": { "name": "bucket" } }))?;
/// let map = maps.create(&PostParams::default(), &map).await?;
/// assert_eq!(reconcile(&maps, map).await?, Action::await_change());
///
/// maps.delete("bucket", &DeleteParams::default()).await?;
/// let held = maps.get_opt("bucket").await?.expect("it is held back");
/// assert_eq!(reconcile(&maps, held).await?, Action::await_change());
/// assert!(maps.get_opt("bucket").await?.is_none());
/// # Ok(())
/// # }
/// ```
pub async fn finalizer<K, E, Ended>(
    api: &Api<K>,
    name: &str,
    object: Arc<K>,
    work: impl FnOnce(Finalize<K>) -> Ended,
) -> Result<Action, E>
where
    K: Resource + Clone + DeserializeOwned + Debug,
    E: From<FinalizerError>,
    Ended: Future<Output = Result<Action, E>>,
{
    if name.is_empty() || name.split('/').count() > 2 || name.split('/').any(str::is_empty) {
        return Err(FinalizerError::Name { name: name.to_owned() }.into());
    }
    let held = FinalizerClient::new(api, name, object.meta())?;
    match FinalizerStage::of(object.meta(), name) {
        FinalizerStage::Gone => Ok(Action::AwaitChange),
        FinalizerStage::Present => work(Finalize::Apply(object)).await,
        FinalizerStage::Free => match held.add(object.meta().clone()).await? {
            Some(object) => work(Finalize::Apply(Arc::new(object))).await,
            // It is being deleted, and nothing was ever applied for it.
            None => Ok(Action::AwaitChange),
        },
        FinalizerStage::CleanUp => {
            let action = work(Finalize::Cleanup(Arc::clone(&object))).await?;
            held.remove(object.meta().clone()).await?;
            Ok(action)
        }
    }
}

/// What is next for an object.
enum FinalizerStage {
    /// It has no finalizer of ours, and may get it.
    Free,
    /// It has our finalizer.
    Present,
    /// It is being deleted, and has our finalizer.
    CleanUp,
    /// It is being deleted, and we are through with it.
    Gone,
}

impl FinalizerStage {
    fn of(meta: &ObjectMeta, finalizer: &str) -> Self {
        match (position(meta, finalizer).is_some(), meta.deletion_timestamp.is_some()) {
            (false, false) => FinalizerStage::Free,
            (true, false) => FinalizerStage::Present,
            (true, true) => FinalizerStage::CleanUp,
            (false, true) => FinalizerStage::Gone,
        }
    }
}

/// One object, and the finalizer that it has or shall have.
struct FinalizerClient<'a, K> {
    api: &'a Api<K>,
    finalizer: &'a str,
    name: String,
    uid: String,
}

impl<'a, K: Resource + Clone + DeserializeOwned + Debug> FinalizerClient<'a, K> {
    fn new(api: &'a Api<K>, finalizer: &'a str, meta: &ObjectMeta) -> Result<Self, FinalizerError> {
        let missing = |missing| FinalizerError::NotWritten { missing };
        let name = meta.name.clone().ok_or_else(|| missing("name"))?;
        let uid = meta.uid.clone().ok_or_else(|| missing("uid"))?;
        Ok(FinalizerClient { api, finalizer, name, uid })
    }

    /// Adds the finalizer. Nothing is given back if the object is being deleted, or is gone.
    async fn add(&self, mut seen: ObjectMeta) -> Result<Option<K>, FinalizerError> {
        const VERB: &str = "adding";
        if !self.finalizer.contains('/') {
            let (object, finalizer) = (self.described(), self.finalizer);
            tracing::warn!(
                %object, finalizer,
                "adding a finalizer without a domain, which others may use too: name it as example.com/cleanup, and \
                 release objects that have the old name under the old name"
            );
        }
        for _ in 0..ATTEMPTS_MAX {
            let others = seen.finalizers.as_deref().unwrap_or_default();
            let mut all = others.to_vec();
            all.push(self.finalizer.to_owned());
            // `add` to a list that is not there is refused, so the list is written as a whole. Others may have been
            // added or removed since: what was seen is tested. A test for null holds if there is none.
            let before = if others.is_empty() { Value::Null } else { json!(others) };
            let patch = json!([
                { "op": "test", "path": "/metadata/uid", "value": self.uid },
                { "op": "test", "path": "/metadata/finalizers", "value": before },
                { "op": "add", "path": "/metadata/finalizers", "value": all },
            ]);
            let refusal = match self.patch(&patch).await {
                Ok(object) => return Ok(Some(object)),
                Err(error) if is_gone(&error) => return Ok(None),
                Err(error) if !may_have_changed(&error) => return Err(self.error(VERB, error)),
                Err(error) => error,
            };
            let Some(object) = self.read(VERB).await? else { return Ok(None) };
            match FinalizerStage::of(object.meta(), self.finalizer) {
                FinalizerStage::Present => return Ok(Some(object)),
                FinalizerStage::Free
                    if is_invalid(&refusal) && object.meta().finalizers == seen.finalizers =>
                {
                    return Err(self.error(VERB, refusal));
                }
                FinalizerStage::Free => seen = object.meta().clone(),
                // A reconcile of that state follows; it cleans up if need be.
                FinalizerStage::CleanUp | FinalizerStage::Gone => return Ok(None),
            }
        }
        Err(FinalizerError::Contended { object: self.described() })
    }

    /// Removes the finalizer, and no other.
    async fn remove(&self, mut seen: ObjectMeta) -> Result<(), FinalizerError> {
        const VERB: &str = "removing";
        for _ in 0..ATTEMPTS_MAX {
            let Some(position) = position(&seen, self.finalizer) else { return Ok(()) };
            let path = format!("/metadata/finalizers/{position}");
            let patch = json!([
                { "op": "test", "path": "/metadata/uid", "value": self.uid },
                { "op": "test", "path": path, "value": self.finalizer },
                { "op": "remove", "path": path },
            ]);
            let refusal = match self.patch(&patch).await {
                Ok(_) => return Ok(()),
                Err(error) if is_gone(&error) => return Ok(()),
                Err(error) if !may_have_changed(&error) => return Err(self.error(VERB, error)),
                Err(error) => error,
            };
            let Some(object) = self.read(VERB).await? else { return Ok(()) };
            if is_invalid(&refusal) && object.meta().finalizers == seen.finalizers {
                return Err(self.error(VERB, refusal));
            }
            seen = object.meta().clone();
        }
        Err(FinalizerError::Contended { object: self.described() })
    }

    /// The object as the server has it; none if it is gone, even if another has its name by now.
    async fn read(&self, verb: &'static str) -> Result<Option<K>, FinalizerError> {
        let found = self.api.get_opt(&self.name).await.map_err(|error| self.error(verb, error))?;
        Ok(found.filter(|object| object.meta().uid.as_deref() == Some(&self.uid)))
    }

    async fn patch(&self, patch: &Value) -> Result<K, kube_client::Error> {
        let request = http::Request::patch(format!("{}/{}", self.api.resource_url(), self.name))
            .header(CONTENT_TYPE, "application/json-patch+json")
            .body(patch.to_string().into_bytes())
            .map_err(kube_client::Error::HttpError)?;
        self.api.clone().into_client().request(request).await
    }

    fn error(&self, verb: &'static str, source: kube_client::Error) -> FinalizerError {
        let (object, code) = (self.described(), code(&source));
        let source = Box::new(source);
        match code {
            Some(403) => FinalizerError::Forbidden { verb, object, source },
            _ => FinalizerError::Request { verb, finalizer: self.finalizer.to_owned(), object, source },
        }
    }

    fn described(&self) -> String {
        format!("{}/{}", self.api.resource_url(), self.name)
    }
}

/// Where the finalizer stands among the others.
fn position(meta: &ObjectMeta, finalizer: &str) -> Option<usize> {
    meta.finalizers.as_deref().unwrap_or_default().iter().position(|other| other == finalizer)
}

/// The code of the server's answer.
fn code(error: &kube_client::Error) -> Option<u16> {
    match error {
        kube_client::Error::Api(status) => Some(status.code),
        _ => None,
    }
}

fn is_gone(error: &kube_client::Error) -> bool {
    code(error) == Some(404)
}

/// A test that does not hold is answered with 422, as is a finalizer for an object that is being deleted.
fn may_have_changed(error: &kube_client::Error) -> bool {
    matches!(code(error), Some(409 | 422))
}

/// With the finalizers as they were seen, no test was refused but the object itself.
fn is_invalid(error: &kube_client::Error) -> bool {
    code(error) == Some(422)
}
