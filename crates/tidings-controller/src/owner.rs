//! Owner references: who answers for an object, and with whom it goes.
//!
//! An object may have many owners and one controller. The server checks little of it: a second controller is refused,
//! but an owner in another namespace is taken, and the garbage collector then deletes the object as an orphan. So it is
//! checked here, before it is written.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube_client::api::Patch;
use kube_core::Resource;
use serde_json::{Value, json};

/// Why one object can't own another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OwnerError {
    /// The owner was never written.
    #[error("{owner} has no {missing}: own with an object as the server or a lister gave it")]
    NotWritten {
        /// The owner.
        owner: String,
        /// What it lacks.
        missing: &'static str,
    },
    /// Another object is its controller already.
    #[error("{object} is controlled by {controller} already: choose another name, or have it released")]
    AlreadyControlled {
        /// The object.
        object: String,
        /// Its controller: kind, name and uid.
        controller: String,
    },
    /// The owner lives in another namespace.
    #[error("{owner} can't own {object}: an owner lives in the same namespace, or in the cluster's scope")]
    OtherNamespace {
        /// The owner.
        owner: String,
        /// The object.
        object: String,
    },
    /// The owner has a namespace and the object has none.
    #[error(
        "{owner} can't own {object}, which has no namespace: set it, or give an object of the cluster's scope an \
         owner of the cluster's scope"
    )]
    WithoutNamespace {
        /// The owner.
        owner: String,
        /// The object.
        object: String,
    },
    /// The owner, or the object, is being deleted.
    #[error("{what} is being deleted: nothing is adopted then")]
    BeingDeleted {
        /// What is being deleted.
        what: String,
    },
}

/// A reference to an owner that is not the controller.
///
/// ```
/// use k8s_openapi::api::core::v1::{ConfigMap, Secret};
/// use tidings_controller::owner::{is_controlled_by, owner_reference, set_controller};
///
/// let mut owner = ConfigMap::default();
/// owner.metadata.name = Some("settings".to_owned());
/// owner.metadata.namespace = Some("shop".to_owned());
/// assert!(owner_reference(&owner).is_err(), "it was never written");
/// owner.metadata.uid = Some("8d2c".to_owned());
///
/// let mut secret = Secret::default();
/// secret.metadata.namespace = Some("shop".to_owned());
/// set_controller(&mut secret, &owner)?;
/// assert!(is_controlled_by(&secret, "8d2c"));
/// # Ok::<(), tidings_controller::owner::OwnerError>(())
/// ```
pub fn owner_reference<K>(owner: &K) -> Result<OwnerReference, OwnerError>
where
    K: Resource,
    K::DynamicType: Default,
{
    owner_reference_of(owner, &K::DynamicType::default())
}

/// As [`owner_reference`], for an owner whose kind is known at run time only.
pub fn owner_reference_of<K: Resource>(
    owner: &K,
    resource: &K::DynamicType,
) -> Result<OwnerReference, OwnerError> {
    let ObjectMeta { name, uid, .. } = owner.meta();
    let required = |value: &Option<String>, missing| {
        let value = value.clone().filter(|value| !value.is_empty());
        value.ok_or_else(|| OwnerError::NotWritten { owner: described(owner, resource), missing })
    };
    Ok(OwnerReference {
        api_version: K::api_version(resource).into_owned(),
        kind: K::kind(resource).into_owned(),
        name: required(name, "name")?,
        uid: required(uid, "uid")?,
        controller: None,
        block_owner_deletion: None,
    })
}

/// A reference to the one owner that answers for an object, and that a deletion in the foreground waits for.
pub fn controller_reference<K>(owner: &K) -> Result<OwnerReference, OwnerError>
where
    K: Resource,
    K::DynamicType: Default,
{
    controller_reference_of(owner, &K::DynamicType::default())
}

/// As [`controller_reference`], for an owner whose kind is known at run time only.
pub fn controller_reference_of<K: Resource>(
    owner: &K,
    resource: &K::DynamicType,
) -> Result<OwnerReference, OwnerError> {
    let reference = owner_reference_of(owner, resource)?;
    Ok(OwnerReference { controller: Some(true), block_owner_deletion: Some(true), ..reference })
}

/// Makes `owner` the controller of `object`. Nothing changes if it is already; if another is, or if the two do not
/// live where one can own the other, that is an error.
pub fn set_controller<C, K>(object: &mut C, owner: &K) -> Result<(), OwnerError>
where
    C: Resource,
    K: Resource,
    C::DynamicType: Default,
    K::DynamicType: Default,
{
    let object_name = described(object, &C::DynamicType::default());
    let resource = K::DynamicType::default();
    let reference = controller_reference_of(owner, &resource)?;
    let owner_name = || described(owner, &resource);
    match (namespace(owner.meta()), namespace(object.meta())) {
        (None, _) => {}
        (Some(_), None) => {
            return Err(OwnerError::WithoutNamespace { owner: owner_name(), object: object_name });
        }
        (Some(one), Some(other)) if one != other => {
            return Err(OwnerError::OtherNamespace { owner: owner_name(), object: object_name });
        }
        (Some(_), Some(_)) => {}
    }
    if let Some(OwnerReference { kind, name, uid, .. }) = controller_of(object)
        && *uid != reference.uid
    {
        let controller = format!("{kind} {name} (uid {uid})");
        return Err(OwnerError::AlreadyControlled { object: object_name, controller });
    }
    let references = object.meta_mut().owner_references.get_or_insert_default();
    match references.iter_mut().find(|other| other.uid == reference.uid) {
        Some(known) => *known = reference,
        None => references.push(reference),
    }
    Ok(())
}

/// The reference to the controller of an object.
pub fn controller_of(object: &impl Resource) -> Option<&OwnerReference> {
    let references = object.meta().owner_references.as_deref().unwrap_or_default();
    references.iter().find(|reference| reference.controller == Some(true))
}

/// Whether the object with that uid is its controller.
pub fn is_controlled_by(object: &impl Resource, uid: &str) -> bool {
    controller_of(object).is_some_and(|reference| reference.uid == uid)
}

/// The patch that makes `owner` the controller of an object that has none, if nobody has changed it since.
///
/// Adopt only with an owner that was just read from the server: one that a cache still has may be gone, and what it
/// adopts would be deleted with it.
pub fn adoption<C, K>(object: &C, owner: &K) -> Result<Patch<Value>, OwnerError>
where
    C: Resource + Clone,
    K: Resource,
    C::DynamicType: Default,
    K::DynamicType: Default,
{
    let being_deleted = |what| Err(OwnerError::BeingDeleted { what });
    if owner.meta().deletion_timestamp.is_some() {
        return being_deleted(described(owner, &K::DynamicType::default()));
    }
    if object.meta().deletion_timestamp.is_some() {
        return being_deleted(described(object, &C::DynamicType::default()));
    }
    let mut adopted = object.clone();
    set_controller(&mut adopted, owner)?;
    Ok(references_patch(adopted.meta()))
}

/// The patch that takes an owner from an object, if nobody has changed it since; none if it is no owner.
pub fn release<C: Resource + Clone>(object: &C, owner_uid: &str) -> Option<Patch<Value>> {
    let mut released = object.meta().clone();
    let references = released.owner_references.as_mut()?;
    let owners_before = references.len();
    references.retain(|reference| reference.uid != owner_uid);
    (references.len() < owners_before).then(|| references_patch(&released))
}

/// A merge patch replaces the list as a whole: the version keeps it from undoing what another wrote, and the uid from
/// touching another object of that name.
fn references_patch(meta: &ObjectMeta) -> Patch<Value> {
    let ObjectMeta { uid, resource_version, owner_references, .. } = meta;
    Patch::Merge(json!({ "metadata": {
        "uid": uid,
        "resourceVersion": resource_version,
        "ownerReferences": owner_references,
    }}))
}

fn namespace(meta: &ObjectMeta) -> Option<&str> {
    meta.namespace.as_deref().filter(|namespace| !namespace.is_empty())
}

/// An object, for people: `Deployment shop/web`.
fn described<K: Resource>(object: &K, resource: &K::DynamicType) -> String {
    let meta = object.meta();
    let name = meta.name.as_deref().or(meta.generate_name.as_deref()).unwrap_or("without a name");
    match namespace(meta) {
        Some(namespace) => format!("{} {namespace}/{name}", K::kind(resource)),
        None => format!("{} {name}", K::kind(resource)),
    }
}
