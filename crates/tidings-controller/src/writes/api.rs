//! Writes that are tracked: the next reconcile of the same request sees them in the caches.

use std::fmt;
use std::marker::PhantomData;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::{Client, Error, Result};
use kube_core::params::{DeleteParams, Patch, PatchParams, PostParams};
use kube_core::{Request as Requests, Resource};
use serde::Serialize;
use tidings_object::{Key, ResourceKind, Scope};

use super::delete_response::{DeleteResponse, is_terminating};
use super::{TrackedWrite, WriteEffect, Written};
use crate::context::Context;

/// Writes objects of one kind and tracks the writes: the next reconcile of the same request starts when the
/// controller's caches show them.
///
/// Namespaced objects are written in [`namespace`](Self::namespace) if it is set, else in the namespace of the object,
/// else in that of the request. It uses [`Context::client`], and its errors are those of kube's `Api`. Responses are
/// decoded on request.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use tidings_controller::{Context, Error};
///
/// async fn write(context: &Context, wanted: &ConfigMap) -> Result<(), Error> {
///     let maps = context.api::<ConfigMap>();
///     maps.apply("example-controller", wanted).await?;
///     maps.delete("of-yesterday").await?; // None: nothing of it remains
///     Ok(())
/// }
/// ```
pub struct TrackedApi<K> {
    context: Context,
    resource: ResourceKind,
    namespace: Option<String>,
    view: PhantomData<fn() -> K>,
}

impl<K> TrackedApi<K> {
    pub(crate) fn new(context: Context, resource: ResourceKind) -> Self {
        TrackedApi { context, resource, namespace: None, view: PhantomData }
    }

    /// Sets the namespace of all writes.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// The namespace of a write of an object whose metadata has the namespace `own`.
    fn namespace_of<'a>(&'a self, own: Option<&'a str>) -> Option<&'a str> {
        match self.resource.scope {
            Scope::Cluster => None,
            Scope::Namespaced => self.namespace.as_deref().or(own).or(self.context.request().namespace()),
        }
    }

    fn requests(&self, own: Option<&str>) -> Requests {
        Requests::new(self.collection_url(own))
    }

    /// The URL path of the collection that contains an object in the namespace `own`.
    pub(crate) fn collection_url(&self, own: Option<&str>) -> String {
        self.resource.url_path(self.namespace_of(own))
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// Tracks a patch that was sent without this API, by the metadata that the server returned. A patch that removes
    /// the last finalizer of an object that is being deleted deletes it.
    pub(crate) fn record_patched(&self, meta: &ObjectMeta) {
        let is_deleted = meta.deletion_timestamp.is_some() && !is_terminating(meta);
        let effect = match (is_deleted, &meta.name) {
            (true, Some(name)) => self.deletion_in(meta.namespace.as_deref(), name, meta.uid.clone()),
            _ => Some(WriteEffect::written(meta)),
        };
        self.record(effect);
    }

    /// The uid of a deleted object if the response has none: that of the precondition, or of the cached object.
    fn known_uid(&self, name: &str, params: &DeleteParams) -> Option<String> {
        let required = params.preconditions.as_ref().and_then(|preconditions| preconditions.uid.clone());
        required.or_else(|| {
            let key = Key::new(self.namespace_of(None), name).ok()?;
            let cached = self.context.caches().showing(&self.resource).next()?.informer.reader().get(&key)?;
            Some(cached.uid().to_owned())
        })
    }

    fn deletion_in(&self, own: Option<&str>, name: &str, uid: Option<String>) -> Option<WriteEffect> {
        let uid = uid.filter(|uid| !uid.is_empty())?;
        let key = Key::new(self.namespace_of(own), name).ok()?;
        Some(WriteEffect::Deleted { key, uid })
    }

    fn record(&self, effect: Option<WriteEffect>) {
        if let Some(effect) = effect {
            self.context.record(TrackedWrite { resource: self.resource.clone(), effect });
        }
    }

    fn client(&self) -> &Client {
        self.context.client()
    }
}

impl<K> TrackedApi<K>
where
    K: Resource + Serialize,
{
    /// Creates an object.
    pub async fn create(&self, object: &K) -> Result<Written<K>> {
        self.create_with(object, &PostParams::default()).await
    }

    /// As [`create`](Self::create), with parameters.
    pub async fn create_with(&self, object: &K, params: &PostParams) -> Result<Written<K>> {
        let request = self.requests(namespace(object)).create(params, bytes(object)?);
        self.send(params.dry_run, request).await
    }

    /// Replaces the object of this name. The server rejects it if `resourceVersion` is not the current one.
    pub async fn replace(&self, object: &K) -> Result<Written<K>> {
        self.replace_with(object, &PostParams::default()).await
    }

    /// As [`replace`](Self::replace), with parameters.
    pub async fn replace_with(&self, object: &K, params: &PostParams) -> Result<Written<K>> {
        let request = self.requests(namespace(object)).replace(name(object), params, bytes(object)?);
        self.send(params.dry_run, request).await
    }

    /// Replaces only the status of an object.
    pub async fn replace_status(&self, object: &K) -> Result<Written<K>> {
        let params = PostParams::default();
        let requests = self.requests(namespace(object));
        let request = requests.replace_subresource("status", name(object), &params, bytes(object)?);
        self.send(params.dry_run, request).await
    }

    /// Patches an object.
    pub async fn patch<P: Serialize + fmt::Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Written<K>> {
        let request = self.requests(None).patch(name, params, patch);
        self.send(params.dry_run, request).await
    }

    /// Patches only the status of an object.
    pub async fn patch_status<P: Serialize + fmt::Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Written<K>> {
        let request = self.requests(None).patch_subresource("status", name, params, patch);
        self.send(params.dry_run, request).await
    }

    /// Server-side apply as this field manager. Conflicts are forced: it takes over fields of other managers. The
    /// object needs `kind` and `apiVersion`. Fields that it does not contain stay unchanged.
    pub async fn apply(&self, manager: &str, object: &K) -> Result<Written<K>> {
        let params = PatchParams::apply(manager).force();
        let request = self.requests(namespace(object)).patch(name(object), &params, &Patch::Apply(object));
        self.send(false, request).await
    }

    /// As [`apply`](Self::apply), for the status.
    pub async fn apply_status(&self, manager: &str, object: &K) -> Result<Written<K>> {
        let params = PatchParams::apply(manager).force();
        let requests = self.requests(namespace(object));
        let request = requests.patch_subresource("status", name(object), &params, &Patch::Apply(object));
        self.send(false, request).await
    }

    /// Deletes an object. It returns the object if it still exists, until its finalizers are removed or its grace
    /// period ends, and `None` otherwise.
    pub async fn delete(&self, name: &str) -> Result<Option<Written<K>>> {
        self.delete_with(name, &DeleteParams::default()).await
    }

    /// As [`delete`](Self::delete), with parameters, for example a uid as a precondition.
    pub async fn delete_with(&self, name: &str, params: &DeleteParams) -> Result<Option<Written<K>>> {
        let request = self.requests(None).delete(name, params).map_err(Error::BuildRequest)?;
        let (effect, terminating) = match DeleteResponse::of(self.client().request_text(request).await?)? {
            DeleteResponse::Deleted { uid } => {
                let uid = uid.filter(|uid| !uid.is_empty()).or_else(|| self.known_uid(name, params));
                (self.deletion_in(None, name, uid), None)
            }
            DeleteResponse::Terminating { json } => {
                let terminating = Written::of(&self.resource, json)?;
                (Some(terminating.effect()), Some(terminating))
            }
        };
        if !params.dry_run {
            self.record(effect);
        }
        Ok(terminating)
    }

    async fn send(&self, is_dry_run: bool, request: Built) -> Result<Written<K>> {
        let response = self.client().request_text(request.map_err(Error::BuildRequest)?).await?;
        let written = Written::of(&self.resource, response)?;
        if !is_dry_run {
            self.record(Some(written.effect()));
        }
        Ok(written)
    }
}

/// The result of building a request.
type Built = std::result::Result<http::Request<Vec<u8>>, kube_core::request::Error>;

fn namespace<K: Resource>(object: &K) -> Option<&str> {
    object.meta().namespace.as_deref()
}

/// kube rejects an empty name before it sends anything.
fn name<K: Resource>(object: &K) -> &str {
    object.meta().name.as_deref().unwrap_or_default()
}

fn bytes<K: Serialize>(object: &K) -> Result<Vec<u8>> {
    serde_json::to_vec(object).map_err(Error::SerdeError)
}

impl<K> Clone for TrackedApi<K> {
    fn clone(&self) -> Self {
        TrackedApi {
            context: self.context.clone(),
            resource: self.resource.clone(),
            namespace: self.namespace.clone(),
            view: PhantomData,
        }
    }
}

impl<K> fmt::Debug for TrackedApi<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrackedApi")
            .field("resource", &self.resource)
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
