//! Finalizers: delays the deletion of an object until the reconciler has cleaned up.
//!
//! The finalizer is on the server before anything is applied for the object, and it is removed after the cleanup.
//! Finalizers of other controllers are never changed. Each JSON patch tests the state that it relies on; if a test
//! fails, the object is read from the server and the decision is made again.
//!
//! ```text
//! finalizers   deletionTimestamp   what happens
//! [..]         none                add ours (patch), then Finalize::Apply
//! [.., ours]   none                Finalize::Apply, without a request
//! [.., ours]   set                 Finalize::Cleanup, then remove ours (patch)
//! [..]         set                 nothing: our part is done
//! ```

use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;

use http::header::CONTENT_TYPE;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::{Api, Client};
use kube_core::Resource;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::action::Action;
use crate::error::ControllerError;
use crate::writes::TrackedApi;

/// How often an object that other clients change is read and patched again.
pub(crate) const ATTEMPTS_MAX: u32 = 5;

/// What the reconciler does for an object that has a finalizer.
#[derive(Debug, Clone)]
pub enum Finalize<K> {
    /// Bring the world to the object's spec. Its finalizer is on the server.
    Apply(Arc<K>),
    /// The object is being deleted: remove what was applied for it. This may be called more than once, and for an
    /// object for which nothing was applied.
    Cleanup(Arc<K>),
}

/// The APIs that [`finalizer`] can write with: [`TrackedApi`] and kube's [`Api`].
pub trait FinalizerApi<K>: sealed::FinalizerApi {}

impl<K> FinalizerApi<K> for TrackedApi<K> {}
impl<K: Resource + Clone> FinalizerApi<K> for Api<K> {}

mod sealed {
    use super::{Api, Client, ObjectMeta, Resource, TrackedApi};

    pub trait FinalizerApi {
        /// The URL path of the collection that an object is in.
        fn collection_url(&self, meta: &ObjectMeta) -> String;
        fn client(&self) -> Client;
        /// Called with the metadata of each object that the server returned to a patch.
        fn patched(&self, meta: &ObjectMeta);
    }

    impl<K> FinalizerApi for TrackedApi<K> {
        fn collection_url(&self, meta: &ObjectMeta) -> String {
            self.collection_url(meta.namespace.as_deref())
        }

        fn client(&self) -> Client {
            self.context().client().clone()
        }

        fn patched(&self, meta: &ObjectMeta) {
            self.record_patched(meta);
        }
    }

    impl<K: Resource + Clone> FinalizerApi for Api<K> {
        fn collection_url(&self, _: &ObjectMeta) -> String {
            self.resource_url().to_owned()
        }

        fn client(&self) -> Client {
            self.clone().into_client()
        }

        fn patched(&self, _: &ObjectMeta) {}
    }
}

/// Applies and cleans up with a finalizer in between. It is the last call of a reconciler.
///
/// An object without the finalizer gets it first, and then `work` is called with the object that the server returned.
/// When the object is being deleted, `work` is called to clean up. If that returns `Ok`, with any action, the finalizer
/// is removed, and the server deletes the object. A cleanup that is not finished returns an error: the finalizer stays,
/// and the cleanup is called again after the backoff of the request. Errors of `work` are returned unchanged.
///
/// `api` is [`context.api()`](crate::Context::api), so that the next reconcile sees the finalizer in its cache, or
/// kube's `Api`.
///
/// A name has a domain and a path, such as `example.com/cleanup`. Kubernetes accepts names without a path for custom
/// resources only, with a warning. This function accepts them too, and logs a warning when it adds one.
///
/// `work` must be idempotent: it may be called with an old state of the object, after it has already succeeded, and
/// after the process was killed.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use tidings_controller::{Action, Context, Error, Finalize, Request, finalizer};
///
/// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
///     let Some(map) = context.get::<ConfigMap>(&request).await? else {
///         return Ok(Action::await_change());
///     };
///     finalizer(&context.api::<ConfigMap>(), "example.com/bucket", map, async |event| match event {
///         Finalize::Apply(_map) => Ok(Action::await_change()), // creates the bucket
///         Finalize::Cleanup(_map) => Ok(Action::await_change()), // deletes the bucket
///     })
///     .await
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Error> {
/// // A unit test of it, against a server in the process.
/// let server = tidings_apiserver::ApiServer::start().await;
/// server.put("configmaps", serde_json::json!({ "metadata": { "name": "bucket" } }));
/// let map: ConfigMap = serde_json::from_value(server.object("configmaps", "default/bucket").unwrap())?;
///
/// let request = Request::new(Some("default"), "bucket")?;
/// let context = Context::for_test(server.client()).object(&map).build(&request).await;
/// reconcile(request, context).await?;
/// let map = server.object("configmaps", "default/bucket").unwrap();
/// assert_eq!(map["metadata"]["finalizers"][0], "example.com/bucket");
/// # Ok(())
/// # }
/// ```
pub async fn finalizer<K, A, E, Ended>(
    api: &A,
    name: &str,
    object: Arc<K>,
    work: impl FnOnce(Finalize<K>) -> Ended,
) -> Result<Action, E>
where
    K: Resource + Clone + DeserializeOwned + Debug,
    A: FinalizerApi<K>,
    E: From<ControllerError>,
    Ended: Future<Output = Result<Action, E>>,
{
    if name.is_empty() || name.split('/').count() > 2 || name.split('/').any(str::is_empty) {
        return Err(ControllerError::FinalizerName { name: name.to_owned() }.into());
    }
    let patcher = FinalizerPatcher::new(api, name, object.meta())?;
    match FinalizerStage::of(object.meta(), name) {
        FinalizerStage::Done => Ok(Action::AwaitChange),
        FinalizerStage::Present => work(Finalize::Apply(object)).await,
        FinalizerStage::Missing => match patcher.add(object.meta().clone()).await? {
            Some(object) => work(Finalize::Apply(Arc::new(object))).await,
            // It is being deleted, and nothing was ever applied for it.
            None => Ok(Action::AwaitChange),
        },
        FinalizerStage::Cleanup => {
            let action = work(Finalize::Cleanup(Arc::clone(&object))).await?;
            patcher.remove::<K>(object.meta().clone()).await?;
            Ok(action)
        }
    }
}

/// The next step for an object.
enum FinalizerStage {
    /// It does not have our finalizer and can get it.
    Missing,
    /// It has our finalizer.
    Present,
    /// It is being deleted and has our finalizer.
    Cleanup,
    /// It is being deleted and does not have our finalizer.
    Done,
}

impl FinalizerStage {
    fn of(meta: &ObjectMeta, finalizer: &str) -> Self {
        match (position(meta, finalizer).is_some(), meta.deletion_timestamp.is_some()) {
            (false, false) => FinalizerStage::Missing,
            (true, false) => FinalizerStage::Present,
            (true, true) => FinalizerStage::Cleanup,
            (false, true) => FinalizerStage::Done,
        }
    }
}

/// Adds and removes one finalizer on one object.
struct FinalizerPatcher<'a, A> {
    api: &'a A,
    finalizer: &'a str,
    url: String,
    uid: String,
}

impl<'a, A: sealed::FinalizerApi> FinalizerPatcher<'a, A> {
    fn new(api: &'a A, finalizer: &'a str, meta: &ObjectMeta) -> Result<Self, ControllerError> {
        let collection = api.collection_url(meta);
        let required = |value: &Option<String>, missing| {
            let object = || format!("an object of {collection}");
            value.clone().ok_or_else(|| ControllerError::NotWritten { object: object(), missing })
        };
        let (name, uid) = (required(&meta.name, "name")?, required(&meta.uid, "uid")?);
        Ok(FinalizerPatcher { api, finalizer, url: format!("{collection}/{name}"), uid })
    }

    /// Adds the finalizer, and returns the object that has it. `None` if the object is being deleted, or was deleted.
    async fn add<K: Resource + DeserializeOwned>(
        &self,
        mut seen: ObjectMeta,
    ) -> Result<Option<K>, ControllerError> {
        const VERB: &str = "adding";
        if !self.finalizer.contains('/') {
            let (object, finalizer) = (&self.url, self.finalizer);
            tracing::warn!(
                object,
                finalizer,
                "adding a finalizer without a domain, which other controllers may use too: name it as \
                 example.com/cleanup, and release objects that have the old name under the old name"
            );
        }
        for _ in 0..ATTEMPTS_MAX {
            let others = seen.finalizers.as_deref().unwrap_or_default();
            let mut all = others.to_vec();
            all.push(self.finalizer.to_owned());
            // The server rejects `add` of one element if there is no list, so the patch writes the whole list. It tests
            // the list that was read, because others may have changed it. A test for null holds if there is no list.
            let before = if others.is_empty() { Value::Null } else { json!(others) };
            let patch = json!([
                { "op": "test", "path": "/metadata/uid", "value": self.uid },
                { "op": "test", "path": "/metadata/finalizers", "value": before },
                { "op": "add", "path": "/metadata/finalizers", "value": all },
            ]);
            let refusal = match self.patch(&patch).await {
                Ok(object) => return Ok(Some(object)),
                Err(error) if is_not_found(&error) => return Ok(None),
                Err(error) if !may_have_changed(&error) => return Err(self.error(VERB, error)),
                Err(error) => error,
            };
            let Some(object) = self.read::<K>(VERB).await? else { return Ok(None) };
            match FinalizerStage::of(object.meta(), self.finalizer) {
                FinalizerStage::Present => return Ok(Some(object)),
                FinalizerStage::Missing
                    if is_invalid(&refusal) && object.meta().finalizers == seen.finalizers =>
                {
                    return Err(self.error(VERB, refusal));
                }
                FinalizerStage::Missing => seen = object.meta().clone(),
                // The deletion causes another reconcile, which cleans up if necessary.
                FinalizerStage::Cleanup | FinalizerStage::Done => return Ok(None),
            }
        }
        Err(ControllerError::FinalizerContended { object: self.url.clone() })
    }

    /// Removes the finalizer, and no other.
    async fn remove<K: Resource + DeserializeOwned>(
        &self,
        mut seen: ObjectMeta,
    ) -> Result<(), ControllerError> {
        const VERB: &str = "removing";
        for _ in 0..ATTEMPTS_MAX {
            let Some(position) = position(&seen, self.finalizer) else { return Ok(()) };
            let path = format!("/metadata/finalizers/{position}");
            let patch = json!([
                { "op": "test", "path": "/metadata/uid", "value": self.uid },
                { "op": "test", "path": path, "value": self.finalizer },
                { "op": "remove", "path": path },
            ]);
            let refusal = match self.patch::<K>(&patch).await {
                Ok(_) => return Ok(()),
                Err(error) if is_not_found(&error) => return Ok(()),
                Err(error) if !may_have_changed(&error) => return Err(self.error(VERB, error)),
                Err(error) => error,
            };
            let Some(object) = self.read::<K>(VERB).await? else { return Ok(()) };
            if is_invalid(&refusal) && object.meta().finalizers == seen.finalizers {
                return Err(self.error(VERB, refusal));
            }
            seen = object.meta().clone();
        }
        Err(ControllerError::FinalizerContended { object: self.url.clone() })
    }

    /// Reads the object from the server. `None` if it was deleted, even if another object has its name now.
    async fn read<K: Resource + DeserializeOwned>(
        &self,
        verb: &'static str,
    ) -> Result<Option<K>, ControllerError> {
        let request = http::Request::get(&self.url).body(Vec::new()).map_err(kube_client::Error::HttpError);
        let found = match request {
            Ok(request) => self.api.client().request::<K>(request).await,
            Err(error) => Err(error),
        };
        match found {
            Ok(object) => Ok(Some(object).filter(|object| object.meta().uid.as_deref() == Some(&self.uid))),
            Err(error) if is_not_found(&error) => Ok(None),
            Err(error) => Err(self.error(verb, error)),
        }
    }

    async fn patch<K: Resource + DeserializeOwned>(&self, patch: &Value) -> Result<K, kube_client::Error> {
        let request = http::Request::patch(&self.url)
            .header(CONTENT_TYPE, "application/json-patch+json")
            .body(patch.to_string().into_bytes())
            .map_err(kube_client::Error::HttpError)?;
        let object: K = self.api.client().request(request).await?;
        self.api.patched(object.meta());
        Ok(object)
    }

    fn error(&self, verb: &'static str, source: kube_client::Error) -> ControllerError {
        let (object, finalizer) = (self.url.clone(), self.finalizer.to_owned());
        ControllerError::FinalizerRequest { verb, finalizer, object, source: Box::new(source) }
    }
}

/// The index of the finalizer in the object's list.
fn position(meta: &ObjectMeta, finalizer: &str) -> Option<usize> {
    meta.finalizers.as_deref().unwrap_or_default().iter().position(|other| other == finalizer)
}

/// The status code of the server's response.
fn code(error: &kube_client::Error) -> Option<u16> {
    match error {
        kube_client::Error::Api(status) => Some(status.code),
        _ => None,
    }
}

fn is_not_found(error: &kube_client::Error) -> bool {
    code(error) == Some(404)
}

/// The server answers 422 to a patch whose test fails, and to a finalizer for an object that is being deleted.
fn may_have_changed(error: &kube_client::Error) -> bool {
    matches!(code(error), Some(409 | 422))
}

/// If the finalizers are unchanged since they were read, no test failed: the server rejected the object itself.
fn is_invalid(error: &kube_client::Error) -> bool {
    code(error) == Some(422)
}
