//! Writes with preconditions (optimistic concurrency): they take effect only if the object is still the one that was
//! read.
//!
//! A replica that has lost its lease may still have a request in flight, which arrives after another replica leads. The
//! server can reject it only if it contains the version that it is based on.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::{Error, Result};
use kube_core::Resource;
use kube_core::params::{DeleteParams, Patch, PatchParams, Preconditions};
use serde::Serialize;
use serde_json::{Value, json};
use tidings_object::{Kind, Object};

use super::{TrackedApi, Written};
use crate::context::Context;

/// Writes one object if it still has the `resourceVersion` and the `uid` that were read. See
/// [`TrackedApi::if_unchanged`].
pub struct IfUnchanged<K> {
    api: TrackedApi<K>,
    name: String,
    uid: String,
    version: String,
}

impl<K> TrackedApi<K> {
    /// Writes an object only if it has not changed since it was read. Otherwise the server responds with a conflict
    /// (409) and writes nothing. Return that error: the request is retried after its backoff, when the cache shows the
    /// newer object.
    ///
    /// Use it where a write depends on what was read and another client may write in between. An election does not
    /// replace it: see [`Election`](crate::Election#one-leader-is-not-one-writer).
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_core::params::{Patch, PatchParams};
    /// use serde_json::json;
    /// use tidings_controller::{Action, Context, Error, Request};
    ///
    /// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    ///     let Some(map) = context.lister::<ConfigMap>()?.get(&request) else {
    ///         return Ok(Action::await_change());
    ///     };
    ///     let maps = context.api::<ConfigMap>().if_unchanged(&map);
    ///     if map.labels().value("expired").is_some() {
    ///         maps.delete().await?; // not if it was created again, or lost its label, in between
    ///     } else {
    ///         let patch = Patch::Merge(json!({ "data": { "seen": "true" } }));
    ///         maps.patch(&PatchParams::default(), &patch).await?;
    ///     }
    ///     Ok(Action::await_change())
    /// }
    /// ```
    pub fn if_unchanged<V>(&self, read: &Object<V>) -> IfUnchanged<K> {
        let api = match read.namespace() {
            Some(namespace) => self.clone().namespace(namespace),
            None => self.clone(),
        };
        IfUnchanged {
            api,
            name: read.name().to_owned(),
            uid: read.uid().to_owned(),
            version: read.version().to_string(),
        }
    }
}

impl Context {
    /// Writes an object only if it has not changed since it was read: the version and the uid in its metadata are
    /// preconditions. See [`TrackedApi::if_unchanged`].
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use tidings_controller::{Action, Context, Error, Request};
    ///
    /// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    ///     if let Some(map) = context.get::<ConfigMap>(&request).await? {
    ///         context.if_unchanged(&*map).delete().await?; // 409 Conflict if it changed, and a retry
    ///     }
    ///     Ok(Action::await_change())
    /// }
    /// ```
    pub fn if_unchanged<K: Kind + Resource>(&self, read: &K) -> IfUnchanged<K> {
        let ObjectMeta { name, namespace, uid, resource_version, .. } = read.meta();
        let api = self.api::<K>();
        let api = match namespace {
            Some(namespace) => api.namespace(namespace),
            None => api,
        };
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        IfUnchanged { api, name: text(name), uid: text(uid), version: text(resource_version) }
    }
}

impl<K: Resource + Serialize> IfUnchanged<K> {
    /// As [`TrackedApi::patch`].
    pub async fn patch<P: Serialize + fmt::Debug>(
        &self,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Written<K>> {
        let patch = self.with_preconditions(patch)?;
        self.api.patch(&self.name, params, &patch).await
    }

    /// As [`TrackedApi::patch_status`].
    pub async fn patch_status<P: Serialize + fmt::Debug>(
        &self,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Written<K>> {
        let patch = self.with_preconditions(patch)?;
        self.api.patch_status(&self.name, params, &patch).await
    }

    /// As [`TrackedApi::apply`]. The object must have the name of the one that was read.
    pub async fn apply(&self, manager: &str, object: &K) -> Result<Written<K>> {
        self.patch(&PatchParams::apply(manager).force(), &Patch::Apply(self.stamped(object)?)).await
    }

    /// As [`apply`](Self::apply), for the status.
    pub async fn apply_status(&self, manager: &str, object: &K) -> Result<Written<K>> {
        self.patch_status(&PatchParams::apply(manager).force(), &Patch::Apply(self.stamped(object)?)).await
    }

    /// As [`TrackedApi::delete`].
    pub async fn delete(&self) -> Result<Option<Written<K>>> {
        self.delete_with(&DeleteParams::default()).await
    }

    /// As [`TrackedApi::delete_with`]. It replaces the preconditions in the parameters.
    pub async fn delete_with(&self, params: &DeleteParams) -> Result<Option<Written<K>>> {
        self.check()?;
        let uid = Some(self.uid.clone()).filter(|uid| !uid.is_empty());
        let preconditions = Some(Preconditions { uid, resource_version: Some(self.version.clone()) });
        self.api.delete_with(&self.name, &DeleteParams { preconditions, ..params.clone() }).await
    }

    /// The patch with the version and the uid as preconditions.
    fn with_preconditions<P: Serialize + fmt::Debug>(&self, patch: &Patch<P>) -> Result<Patch<Value>> {
        self.check()?;
        Ok(match patch {
            Patch::Apply(body) => Patch::Apply(self.stamped(body)?),
            Patch::Merge(body) => Patch::Merge(self.stamped(body)?),
            Patch::Strategic(body) => Patch::Strategic(self.stamped(body)?),
            // A JSON patch. The server answers a failed `test` with 422, like any invalid request, not with a conflict.
            _ => {
                return Err(invalid("a patch with a precondition must be a merge, strategic or apply patch"));
            }
        })
    }

    fn stamped(&self, body: &impl Serialize) -> Result<Value> {
        let mut body = serde_json::to_value(body).map_err(Error::SerdeError)?;
        let object =
            body.as_object_mut().ok_or_else(|| invalid("a patch of this type must be a JSON object"))?;
        let metadata = object.entry("metadata").or_insert_with(|| json!({}));
        let metadata = metadata
            .as_object_mut()
            .ok_or_else(|| invalid("the metadata of a patch must be a JSON object"))?;
        metadata.insert("resourceVersion".to_owned(), json!(self.version));
        if !self.uid.is_empty() {
            metadata.insert("uid".to_owned(), json!(self.uid));
        }
        Ok(body)
    }

    /// An empty version and `0` mean any version to the server.
    fn check(&self) -> Result<()> {
        if matches!(self.version.as_str(), "" | "0") {
            return Err(invalid("an object without a resourceVersion can't be written with a precondition"));
        }
        Ok(())
    }
}

fn invalid(reason: &str) -> Error {
    Error::BuildRequest(kube_core::request::Error::Validation(reason.to_owned()))
}

impl<K> Clone for IfUnchanged<K> {
    fn clone(&self) -> Self {
        IfUnchanged {
            api: self.api.clone(),
            name: self.name.clone(),
            uid: self.uid.clone(),
            version: self.version.clone(),
        }
    }
}

impl<K> fmt::Debug for IfUnchanged<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IfUnchanged")
            .field("api", &self.api)
            .field("name", &self.name)
            .field("uid", &self.uid)
            .field("version", &self.version)
            .finish()
    }
}
