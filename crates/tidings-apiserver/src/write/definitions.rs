//! Writes of CustomResourceDefinitions: a stored definition adds its resources to the server, a deleted one removes
//! them.

use std::sync::Arc;

use serde_json::Value;

use super::{encode_for_store, text};
use crate::crd;
use crate::resource::ResourceDef;
use crate::server::Core;
use crate::status::ApiError;
use crate::store::{KeyRange, Precondition, WatchVisibility};

fn defines_resources(def: &ResourceDef) -> bool {
    def.group == "apiextensions.k8s.io" && def.plural == "customresourcedefinitions"
}

/// Completes and validates a definition before it is stored.
pub(super) fn prepare(def: &ResourceDef, object: &mut Value, time: &str) -> Result<(), ApiError> {
    if !defines_resources(def) {
        return Ok(());
    }
    crd::set_defaults(object);
    let causes = crd::validate(object);
    if !causes.is_empty() {
        return Err(ApiError::invalid_object(def, text(object, "metadata", "name"), causes));
    }
    crd::establish(object, time);
    Ok(())
}

/// Registers the resources of a stored definition.
pub(crate) fn register(core: &Core, def: &ResourceDef, object: &Value) {
    if !defines_resources(def) {
        return;
    }
    core.registry.replace_custom(text(object, "metadata", "name"), crd::resources(object));
    set_new_defaults(core, text(object, "metadata", "name"));
}

/// Sets the defaults of a changed schema in stored objects. Kubernetes does this whenever it reads one.
fn set_new_defaults(core: &Core, definition: &str) {
    let all = core.registry.all();
    let of_definition = |def: &&Arc<ResourceDef>| {
        def.custom()
            .is_some_and(|origin| origin.definition == definition && origin.storage_version == def.version)
    };
    let Some(def) = all.iter().find(of_definition) else { return };
    let Some(schema) = def.custom().and_then(|origin| origin.schema.as_ref()) else { return };
    core.store.rewrite(&def.storage, |stored| {
        let object = Value::Object(stored.decoded());
        let mut defaulted = object.clone();
        crd::structural::set_defaults(schema, &mut defaulted);
        (defaulted != object).then(|| encode_for_store(def, stored.key(), &defaulted))
    });
}

/// Removes the resources of a deleted definition, deletes their objects and ends their watches.
pub(super) fn unregister(core: &Core, def: &ResourceDef, name: &str) {
    if !defines_resources(def) {
        return;
    }
    let all = core.registry.all();
    let made = all.iter().find(|def| def.custom().is_some_and(|origin| origin.definition == name));
    core.registry.replace_custom(name, Vec::new());
    let Some(made) = made else { return };
    let content = core.store.snapshot(&made.storage, &KeyRange::all(), usize::MAX, None);
    for object in content.into_iter().flat_map(|content| content.objects) {
        // An error means that another request has removed it.
        let _ = core.store.remove(&made.storage, object.key(), Precondition::None, WatchVisibility::Visible);
    }
    core.store.end_watches(&made.storage);
}
