//! Applies a set of objects that belong to one owner: server-side apply, no write without a change, and deletion of
//! what is no longer in the set.
//!
//! The field manager is the name of the controller. What the controller applied before is known from the owner index
//! of its caches and from `managedFields`, never from names. An object that another manager wrote, or that the
//! controller created in another way, is never deleted here.

mod covers;
mod prune;

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube_core::dynamic::DynamicObject;
use kube_core::params::{Patch, PatchParams};
use kube_core::{Resource, ResourceExt as _};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tidings_object::{Key, Kind, Projection, RawObject, ResourceKind, Scope};

use crate::caches::ControllerCache;
use crate::context::Context;
use crate::error::ControllerError;
use crate::owner::controller_reference_of;
use crate::reconciler::Error;
use covers::is_applied;

/// One object of the set of [`Context::apply_all`]. It contains only what the controller wants: fields that it leaves
/// out stay as they are, and fields that it applied before and leaves out now are removed.
#[must_use = "pass it to `apply_all`"]
pub struct Child {
    resource: ResourceKind,
    /// The line that declares its kind.
    declaration: String,
    object: Result<Value, serde_json::Error>,
}

/// What [`Context::apply_all`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Applied {
    /// Objects that were created or changed.
    pub written: usize,
    /// Objects that were as wanted: nothing was sent.
    pub unchanged: usize,
    /// Objects that were no longer in the set: they are deleted.
    pub deleted: usize,
}

/// The owner of a set.
pub(crate) struct Owner {
    reference: OwnerReference,
    namespace: Option<String>,
}

/// A child that is ready to be sent.
struct PreparedChild<'a> {
    cache: &'a ControllerCache,
    key: Key,
    object: Value,
}

impl Child {
    /// An object of a kind.
    pub fn of<K: Kind + Serialize>(object: &K) -> Self {
        let declaration = format!("owns::<{}>()", type_name::<K>());
        Child { resource: K::resource(), declaration, object: serde_json::to_value(object) }
    }

    /// An object of a resource that is known only at run time.
    pub fn resource(resource: impl Into<ResourceKind>, object: &DynamicObject) -> Self {
        let declaration = "owns_with(Owned::resource(…))".to_owned();
        Child { resource: resource.into(), declaration, object: serde_json::to_value(object) }
    }
}

impl Context {
    /// Brings the objects of one owner to the wanted state: applies each (server-side apply, as the field manager with
    /// the controller's name), makes `owner` its controller, and deletes the objects that were applied for this owner
    /// before and are not in the set any more.
    ///
    /// - An object that is as wanted is not sent. It is compared with the cache, by the fields that `managedFields`
    ///   says this controller has applied.
    /// - Declare each kind with `owns::<K>()`. Objects without a namespace get the owner's.
    /// - If one object is invalid, nothing is sent. If a request fails, the others of the set may be written already;
    ///   return the error, and the retry continues. Nothing is deleted unless all were applied.
    /// - Only objects that this controller has applied and that `owner` controls are deleted, by uid.
    /// - If `owner` is being deleted, nothing is sent: the garbage collector deletes its objects.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::{ConfigMap, Secret};
    /// use serde_json::{from_value, json};
    /// use tidings_controller::{Action, Child, Context, Controller, Error, Request};
    ///
    /// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    ///     let Some(owner) = context.get::<ConfigMap>(&request).await? else {
    ///         return Ok(Action::await_change());
    ///     };
    ///     let mut children = Vec::new();
    ///     for name in owner.data.iter().flatten().map(|(name, _)| name) {
    ///         let secret: Secret = from_value(json!({ "metadata": { "name": name } }))?;
    ///         children.push(Child::of(&secret));
    ///     }
    ///     context.apply_all(&*owner, children).await?; // a secret for each entry, and no other
    ///     Ok(Action::await_change())
    /// }
    ///
    /// let controller = Controller::for_kind::<ConfigMap>("secrets").owns::<Secret>().reconcile(reconcile);
    /// ```
    pub async fn apply_all<O>(
        &self,
        owner: &O,
        children: impl IntoIterator<Item = Child>,
    ) -> Result<Applied, Error>
    where
        O: Resource,
        O::DynamicType: Default,
    {
        if owner.meta().deletion_timestamp.is_some() {
            return Ok(Applied::default());
        }
        let reference = controller_reference_of(owner, &O::DynamicType::default())?;
        let owner = Owner { reference, namespace: owner.namespace() };
        Ok(self.apply_children(&owner, children.into_iter().collect()).await?)
    }

    /// As [`apply_all`](Self::apply_all), for an owner whose kind is known only at run time.
    pub async fn apply_all_of(
        &self,
        resource: &ResourceKind,
        owner: &DynamicObject,
        children: impl IntoIterator<Item = Child>,
    ) -> Result<Applied, Error> {
        if owner.metadata.deletion_timestamp.is_some() {
            return Ok(Applied::default());
        }
        let api = kube_core::ApiResource {
            group: resource.group.to_string(),
            version: resource.version.to_string(),
            api_version: resource.api_version().into_owned(),
            kind: resource.kind.to_string(),
            plural: resource.plural.to_string(),
        };
        let reference = controller_reference_of(owner, &api)?;
        let owner = Owner { reference, namespace: owner.namespace() };
        Ok(self.apply_children(&owner, children.into_iter().collect()).await?)
    }

    async fn apply_children(&self, owner: &Owner, children: Vec<Child>) -> Result<Applied, ControllerError> {
        let mut prepared = Vec::with_capacity(children.len());
        for child in children {
            let child = self.prepare(owner, child)?;
            let is_same = |other: &PreparedChild<'_>| {
                other.key == child.key && other.cache.informer.resource() == child.cache.informer.resource()
            };
            if prepared.iter().any(is_same) {
                return Err(ControllerError::ChildTwice { object: child.description() });
            }
            prepared.push(child);
        }
        let mut applied = Applied::default();
        for child in &prepared {
            match self.apply_child(owner, child).await? {
                true => applied.written += 1,
                false => applied.unchanged += 1,
            }
        }
        let is_wanted = |cache: &ControllerCache, object: &RawObject| {
            let is_child = |child: &PreparedChild<'_>| {
                *child.key == *object.key() && is_same_resource(child.cache, cache)
            };
            prepared.iter().any(is_child)
        };
        applied.deleted = self.prune(owner, is_wanted).await?;
        Ok(applied)
    }

    /// Checks a child, and gives it its type, namespace and owner.
    fn prepare(&self, owner: &Owner, child: Child) -> Result<PreparedChild<'_>, ControllerError> {
        let Child { resource, declaration, object } = child;
        let invalid =
            |reason: String| ControllerError::InvalidChild { resource: resource.to_string(), reason };
        let mut object = object.map_err(|error| invalid(error.to_string()))?;
        without_nulls(&mut object);
        let fields = object.as_object_mut().ok_or_else(|| invalid("it is not a JSON object".to_owned()))?;
        fields.insert("apiVersion".to_owned(), json!(resource.api_version()));
        fields.insert("kind".to_owned(), json!(resource.kind));
        // The server writes the status, and rejects an apply with the managed fields of a read object.
        fields.remove("status");
        let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
        let metadata =
            metadata.as_object_mut().ok_or_else(|| invalid("its metadata is no object".to_owned()))?;
        for set_by_server in ["managedFields", "resourceVersion", "uid", "creationTimestamp", "generation"] {
            metadata.remove(set_by_server);
        }
        let name = metadata.get("name").and_then(Value::as_str).map(str::to_owned);
        let name = name.ok_or_else(|| invalid("it has no name, which server-side apply needs".to_owned()))?;
        let namespace = owner.namespace_of(&resource, &name, metadata)?;
        let key = Key::new(namespace.as_deref(), &name).map_err(|error| invalid(error.to_string()))?;
        owner.add_reference(metadata).map_err(|reason| invalid(format!("{key}: {reason}")))?;
        let caches = self.caches();
        let cache = caches.find(&resource, Projection::Full);
        let cache = cache.or_else(|| caches.find(&resource, Projection::Metadata));
        let cache = cache.filter(|cache| cache.is_owned).ok_or_else(|| ControllerError::NotDeclared {
            controller: self.controller().to_owned(),
            resource: resource.to_string(),
            declaration: format!("`.{declaration}`"),
        })?;
        Ok(PreparedChild { cache, key, object })
    }

    /// Applies a child unless it is as wanted. `false` if nothing was sent.
    async fn apply_child(&self, owner: &Owner, child: &PreparedChild<'_>) -> Result<bool, ControllerError> {
        let PreparedChild { cache, key, object } = child;
        if let Some(cached) = self.read(cache, key).await? {
            if let Some(other) = cached.controller_uid().filter(|uid| *uid != owner.reference.uid) {
                let controller = format!("an object with uid {other}");
                return Err(ControllerError::AlreadyControlled { object: child.description(), controller });
            }
            if cache.projection == Projection::Full
                && is_applied(object, &json_of(&cached)?, self.controller())
            {
                self.count_saved_write();
                return Ok(false);
            }
        }
        let params = PatchParams::apply(self.controller()).force();
        let mut api = self.api_of(cache.informer.resource().clone());
        if let Some(namespace) = key.namespace() {
            api = api.namespace(namespace);
        }
        let written = api.patch(key.name(), &params, &Patch::Apply(object)).await;
        written.map(|_| true).map_err(|source| ControllerError::ChildRequest {
            verb: "applying",
            object: child.description(),
            source: Box::new(source),
        })
    }
}

impl PreparedChild<'_> {
    fn description(&self) -> String {
        format!("{} {}", self.cache.informer.resource(), self.key)
    }
}

impl Owner {
    fn description(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{} {namespace}/{}", self.reference.kind, self.reference.name),
            None => format!("{} {}", self.reference.kind, self.reference.name),
        }
    }

    /// The namespace of a child, which is set in its metadata.
    fn namespace_of(
        &self,
        resource: &ResourceKind,
        name: &str,
        metadata: &mut Map<String, Value>,
    ) -> Result<Option<String>, ControllerError> {
        let own = metadata.get("namespace").and_then(Value::as_str).filter(|own| !own.is_empty());
        let (own, object) = (own.map(str::to_owned), format!("{resource} {name}"));
        match (resource.scope, &self.namespace, own) {
            (Scope::Cluster, None, _) => {
                metadata.remove("namespace");
                Ok(None)
            }
            (Scope::Cluster, Some(_), _) => {
                Err(ControllerError::ObjectWithoutNamespace { owner: self.description(), object })
            }
            (Scope::Namespaced, None, None) => {
                let reason =
                    format!("{name} has no namespace, and its owner {} has none either", self.description());
                Err(ControllerError::InvalidChild { resource: resource.to_string(), reason })
            }
            (Scope::Namespaced, Some(owner), Some(own)) if *owner != own => {
                Err(ControllerError::OwnerInOtherNamespace { owner: self.description(), object })
            }
            (Scope::Namespaced, owner, own) => {
                let namespace = own.or_else(|| owner.clone());
                metadata.insert("namespace".to_owned(), json!(namespace));
                Ok(namespace)
            }
        }
    }

    /// Makes this the controller of a child, beside the child's other owners.
    fn add_reference(&self, metadata: &mut Map<String, Value>) -> Result<(), String> {
        let reference = serde_json::to_value(&self.reference).map_err(|error| error.to_string())?;
        let references = metadata.entry("ownerReferences").or_insert_with(|| json!([]));
        let references = references.as_array_mut().ok_or("its ownerReferences are no list")?;
        let is_other = |other: &Value| other["uid"] != json!(self.reference.uid);
        if references.iter().any(|other| is_other(other) && other["controller"] == json!(true)) {
            return Err("it names another controller in its ownerReferences".to_owned());
        }
        references.retain(is_other);
        references.push(reference);
        Ok(())
    }
}

fn is_same_resource(one: &ControllerCache, other: &ControllerCache) -> bool {
    let (one, other) = (one.informer.resource(), other.informer.resource());
    (&one.group, &one.plural) == (&other.group, &other.plural)
}

/// A cached object as JSON.
fn json_of(cached: &Arc<RawObject>) -> Result<Value, ControllerError> {
    cached.view().map_err(|source| ControllerError::Unreadable { source })
}

/// Removes members that are null: in an apply, a field that is not wanted is absent.
fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child").field("resource", &self.resource).finish_non_exhaustive()
    }
}
