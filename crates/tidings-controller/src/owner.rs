//! Owner references: which object an object belongs to, and with which it is deleted.
//!
//! An object may have many owners, and at most one of them is its controller. The server checks little of this. It
//! rejects a second controller, but it accepts an owner in another namespace, and then the garbage collector deletes
//! the object as an orphan. These functions check it before anything is written.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube_client::api::Patch;
use kube_core::Resource;
use serde_json::{Value, json};

use crate::error::ControllerError;

/// A reference to an owner that is not the controller.
///
/// ```
/// use k8s_openapi::api::core::v1::{ConfigMap, Secret};
/// use tidings_controller::{is_controlled_by, owner_reference, set_controller};
///
/// let mut owner = ConfigMap::default();
/// owner.metadata.name = Some("settings".to_owned());
/// owner.metadata.namespace = Some("shop".to_owned());
/// assert!(owner_reference(&owner).is_err(), "it has no uid: it was never written");
/// owner.metadata.uid = Some("8d2c".to_owned());
///
/// let mut secret = Secret::default();
/// secret.metadata.namespace = Some("shop".to_owned());
/// set_controller(&mut secret, &owner)?;
/// assert!(is_controlled_by(&secret, "8d2c"));
/// # Ok::<(), tidings_controller::ControllerError>(())
/// ```
pub fn owner_reference<K>(owner: &K) -> Result<OwnerReference, ControllerError>
where
    K: Resource,
    K::DynamicType: Default,
{
    owner_reference_of(owner, &K::DynamicType::default())
}

/// As [`owner_reference`], for an owner whose kind is known only at run time.
pub fn owner_reference_of<K: Resource>(
    owner: &K,
    resource: &K::DynamicType,
) -> Result<OwnerReference, ControllerError> {
    let ObjectMeta { name, uid, .. } = owner.meta();
    let required = |value: &Option<String>, missing| {
        let value = value.clone().filter(|value| !value.is_empty());
        value.ok_or_else(|| ControllerError::NotWritten { object: described(owner, resource), missing })
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

/// A reference to the controller of an object. A foreground deletion of the owner waits for the object.
pub fn controller_reference<K>(owner: &K) -> Result<OwnerReference, ControllerError>
where
    K: Resource,
    K::DynamicType: Default,
{
    controller_reference_of(owner, &K::DynamicType::default())
}

/// As [`controller_reference`], for an owner whose kind is known only at run time.
pub fn controller_reference_of<K: Resource>(
    owner: &K,
    resource: &K::DynamicType,
) -> Result<OwnerReference, ControllerError> {
    let reference = owner_reference_of(owner, resource)?;
    Ok(OwnerReference { controller: Some(true), block_owner_deletion: Some(true), ..reference })
}

/// Makes `owner` the controller of `object`. If it already is, nothing changes.
///
/// It is an error if the object has another controller, or if the namespaces of the two do not allow one to own the
/// other.
pub fn set_controller<C, K>(object: &mut C, owner: &K) -> Result<(), ControllerError>
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
            return Err(ControllerError::ObjectWithoutNamespace { owner: owner_name(), object: object_name });
        }
        (Some(one), Some(other)) if one != other => {
            return Err(ControllerError::OwnerInOtherNamespace { owner: owner_name(), object: object_name });
        }
        (Some(_), Some(_)) => {}
    }
    if let Some(OwnerReference { kind, name, uid, .. }) = controller_of(object)
        && *uid != reference.uid
    {
        let controller = format!("{kind} {name} (uid {uid})");
        return Err(ControllerError::AlreadyControlled { object: object_name, controller });
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

/// Whether the object with this uid is the controller of `object`.
pub fn is_controlled_by(object: &impl Resource, uid: &str) -> bool {
    controller_of(object).is_some_and(|reference| reference.uid == uid)
}

/// The patch that makes `owner` the controller of an object without one. The server applies it only if the object has
/// not changed since it was read.
///
/// Pass an owner that was just read from the server. An owner from a cache may be deleted already, and then the garbage
/// collector would delete the adopted object.
pub fn adoption_patch<C, K>(object: &C, owner: &K) -> Result<Patch<Value>, ControllerError>
where
    C: Resource + Clone,
    K: Resource,
    C::DynamicType: Default,
    K::DynamicType: Default,
{
    let being_deleted = |object| Err(ControllerError::BeingDeleted { object });
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

/// The patch that removes an owner from an object. The server applies it only if the object has not changed since it
/// was read. `None` if the object does not have this owner.
pub fn release_patch<C: Resource + Clone>(object: &C, owner_uid: &str) -> Option<Patch<Value>> {
    let mut released = object.meta().clone();
    let references = released.owner_references.as_mut()?;
    let owners_before = references.len();
    references.retain(|reference| reference.uid != owner_uid);
    (references.len() < owners_before).then(|| references_patch(&released))
}

/// A merge patch replaces the whole list. The version in it prevents that it undoes the write of another client, and
/// the uid prevents that it changes another object of the same name.
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

/// The object in messages: `Deployment shop/web`.
fn described<K: Resource>(object: &K, resource: &K::DynamicType) -> String {
    let meta = object.meta();
    let name = meta.name.as_deref().or(meta.generate_name.as_deref()).unwrap_or("without a name");
    match namespace(meta) {
        Some(namespace) => format!("{} {namespace}/{name}", K::kind(resource)),
        None => format!("{} {name}", K::kind(resource)),
    }
}
