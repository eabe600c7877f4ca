//! Writes that take effect only if the object is still the one that was read.
//!
//! A replica that has lost its lease may have a request on the way, which arrives when another replica leads. The
//! server can tell such a request from others only if it says which version it was made for.

use std::fmt;

use kube_client::{Error, Result};
use kube_core::Resource;
use kube_core::params::{DeleteParams, Patch, PatchParams, Preconditions};
use serde::Serialize;
use serde_json::{Value, json};
use tidings_object::Object;

use super::{TrackedApi, Written};

/// Writes one object, if it still has the `resourceVersion` and the `uid` that were read. See
/// [`TrackedApi::if_unchanged`].
pub struct IfUnchanged<K> {
    api: TrackedApi<K>,
    name: String,
    uid: String,
    version: String,
}

impl<K> TrackedApi<K> {
    /// Writes an object only if nobody has written it since it was read: otherwise the server answers with a conflict
    /// (409), and nothing is written. Return that error, and the request comes again after its backoff, when the cache
    /// shows the newer object.
    ///
    /// Use it wherever a write depends on what was read and two writers must not overtake each other. An election does
    /// not replace it: see [`Election`](crate::Election#one-leader-is-not-one-writer).
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_core::params::{Patch, PatchParams};
    /// use serde_json::json;
    /// use tidings_controller::{Action, Context, Error, Request};
    ///
    /// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    ///     let Some(map) = context.lister::<ConfigMap>().get(&request) else {
    ///         return Ok(Action::await_change());
    ///     };
    ///     let maps = context.api::<ConfigMap>().if_unchanged(&map);
    ///     if map.labels().value("expired").is_some() {
    ///         maps.delete().await?; // not the one that was made again in between, nor one whose label is gone
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

impl<K: Resource + Serialize> IfUnchanged<K> {
    /// As [`TrackedApi::patch`].
    pub async fn patch<P: Serialize + fmt::Debug>(
        &self,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Written<K>> {
        let patch = self.demanding(patch)?;
        self.api.patch(&self.name, params, &patch).await
    }

    /// As [`TrackedApi::patch_status`].
    pub async fn patch_status<P: Serialize + fmt::Debug>(
        &self,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Written<K>> {
        let patch = self.demanding(patch)?;
        self.api.patch_status(&self.name, params, &patch).await
    }

    /// As [`TrackedApi::apply`]. The object must be the one that was read, by name.
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

    /// As [`TrackedApi::delete_with`]; preconditions of these parameters are replaced.
    pub async fn delete_with(&self, params: &DeleteParams) -> Result<Option<Written<K>>> {
        self.check()?;
        let uid = Some(self.uid.clone()).filter(|uid| !uid.is_empty());
        let preconditions = Some(Preconditions { uid, resource_version: Some(self.version.clone()) });
        self.api.delete_with(&self.name, &DeleteParams { preconditions, ..params.clone() }).await
    }

    /// The patch, with the version and the uid that the object must have.
    fn demanding<P: Serialize + fmt::Debug>(&self, patch: &Patch<P>) -> Result<Patch<Value>> {
        self.check()?;
        Ok(match patch {
            Patch::Apply(body) => Patch::Apply(self.stamped(body)?),
            Patch::Merge(body) => Patch::Merge(self.stamped(body)?),
            Patch::Strategic(body) => Patch::Strategic(self.stamped(body)?),
            // A JSON patch: its `test` fails as an invalid request, which does not tell a conflict from a mistake.
            _ => return Err(refused("a patch that demands a version is a merge, strategic or apply patch")),
        })
    }

    fn stamped(&self, body: &impl Serialize) -> Result<Value> {
        let mut body = serde_json::to_value(body).map_err(Error::SerdeError)?;
        let object = body.as_object_mut().ok_or_else(|| refused("a patch of this kind is an object"))?;
        let metadata = object.entry("metadata").or_insert_with(|| json!({}));
        let metadata =
            metadata.as_object_mut().ok_or_else(|| refused("the metadata of a patch is an object"))?;
        metadata.insert("resourceVersion".to_owned(), json!(self.version));
        if !self.uid.is_empty() {
            metadata.insert("uid".to_owned(), json!(self.uid));
        }
        Ok(body)
    }

    /// To the server, an empty version and `0` mean any.
    fn check(&self) -> Result<()> {
        if matches!(self.version.as_str(), "" | "0") {
            return Err(refused("an object without a resourceVersion can't be written only if unchanged"));
        }
        Ok(())
    }
}

fn refused(why: &str) -> Error {
    Error::BuildRequest(kube_core::request::Error::Validation(why.to_owned()))
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
