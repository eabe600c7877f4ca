//! Namespaces: whether objects may be created in one, and the deletion of its content, unless the setting
//! [`NamespaceDeletion::External`] leaves it to a controller.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::delete::{self, DeleteOutcome, RemovedObjects};
use super::{WriteRequest, encode_for_store, finalizers, with_type_meta};
use crate::resource::ResourceDef;
use crate::server::{Core, NamespaceDeletion, Namespaces};
use crate::status::{ApiError, StatusCause};
use crate::store::{KeyRange, Precondition, StoredObject, WatchVisibility};
use crate::sync::Mutex;

/// Deleted namespaces that still have objects.
#[derive(Debug, Default)]
pub(crate) struct TerminatingNamespaces {
    names: Mutex<HashSet<String>>,
}

pub(super) const NAMESPACES: &str = "/namespaces";

/// Checks that an object may be created in the namespace of a request. Creates the namespace if the settings say so.
pub(super) fn check(request: &WriteRequest<'_>, name: &str) -> Result<(), ApiError> {
    let Some(namespace) = request.namespace else { return Ok(()) };
    let core = request.core;
    if is_terminating(core, namespace) {
        let why =
            format!("unable to create new content in namespace {namespace} because it is being terminated");
        let mut error = ApiError::forbidden(request.def, name, &why);
        let cause = StatusCause::field("NamespaceTerminating", "metadata.namespace", why);
        error.details.causes = vec![cause];
        return Err(error);
    }
    match core.settings.namespaces {
        Namespaces::OnDemand => core.ensure_namespace(namespace),
        Namespaces::Strict if core.store.object(NAMESPACES, namespace).is_none() => {
            let def = core.registry.find("", "v1", "namespaces").expect("namespaces are built in");
            return Err(ApiError::not_found(&def, namespace));
        }
        Namespaces::Strict => {}
    }
    Ok(())
}

fn is_terminating(core: &Core, name: &str) -> bool {
    match core.settings.namespace_deletion {
        NamespaceDeletion::Synchronous => core.terminating_namespaces.names.lock().contains(name),
        NamespaceDeletion::External => core
            .store
            .object(NAMESPACES, name)
            .is_some_and(|namespace| namespace.decoded_metadata().contains_key("deletionTimestamp")),
    }
}

/// Whether this is a namespace that waits until a controller has emptied its `spec.finalizers`.
pub(super) fn is_held(core: &Core, def: &ResourceDef, object: &Value) -> bool {
    is_external(core, def) && object["spec"]["finalizers"].as_array().is_some_and(|names| !names.is_empty())
}

/// Whether this is the kind of namespaces, and a controller deletes their content.
pub(super) fn is_external(core: &Core, def: &ResourceDef) -> bool {
    def.storage == NAMESPACES && core.settings.namespace_deletion == NamespaceDeletion::External
}

/// A deleted namespace in the phase `Terminating`. `None` if nothing holds it any more.
pub(super) fn pending(core: &Core, def: &ResourceDef, object: &Value) -> Option<Value> {
    if finalizers(object).is_empty() && !is_held(core, def, object) {
        return None;
    }
    let mut pending = object.clone();
    if pending["metadata"]["deletionTimestamp"].is_null() {
        pending["metadata"]["deletionTimestamp"] = json!(core.clock.seconds());
    }
    pending["status"]["phase"] = json!("Terminating");
    Some(pending)
}

/// Deletes all objects of a namespace, then the namespace. The namespace stays in the phase `Terminating` while an
/// object in it has finalizers.
pub(super) fn terminate(
    core: &Arc<Core>,
    namespace: &Arc<StoredObject>,
    removed: &mut RemovedObjects,
) -> DeleteOutcome {
    let name = namespace.name();
    core.terminating_namespaces.names.lock().insert(name.to_owned());
    let range = KeyRange::namespace(name);
    for storage in core.store.storages() {
        let Some(def) = core.registry.of_storage(&storage) else { continue };
        if !def.is_namespaced() {
            continue;
        }
        let Ok(content) = core.store.snapshot(&storage, &range, usize::MAX, None) else { continue };
        for object in content.objects {
            delete::delete_now(core, &def, object.key(), removed);
        }
    }
    // The removal of the last object may have removed the namespace already.
    removed.extend(finish(core, name));
    match core.store.object(NAMESPACES, name) {
        None => DeleteOutcome::Removed(Arc::clone(namespace)),
        Some(still) => DeleteOutcome::Pending(mark(core, name).unwrap_or(still)),
    }
}

/// Removes a terminating namespace if it is empty.
pub(super) fn finish(core: &Core, name: &str) -> Option<Arc<StoredObject>> {
    if !core.terminating_namespaces.names.lock().contains(name) {
        return None;
    }
    let range = KeyRange::namespace(name);
    let has_content = core.store.storages().iter().any(|storage| {
        let is_namespaced = core.registry.of_storage(storage).is_some_and(|def| def.is_namespaced());
        let read = core.store.snapshot(storage, &range, 1, None);
        is_namespaced && read.is_ok_and(|found| !found.objects.is_empty())
    });
    if has_content {
        return None;
    }
    core.terminating_namespaces.names.lock().remove(name);
    core.store.remove(NAMESPACES, name, Precondition::None, WatchVisibility::Visible).ok().flatten()
}

fn mark(core: &Core, name: &str) -> Option<Arc<StoredObject>> {
    let def = core.registry.find("", "v1", "namespaces")?;
    let stored = core.store.object(NAMESPACES, name)?;
    let mut object = with_type_meta(&def, &stored);
    if object["metadata"]["deletionTimestamp"].is_null() {
        object["metadata"]["deletionTimestamp"] = json!(core.clock.seconds());
    }
    object["status"]["phase"] = json!("Terminating");
    let draft = encode_for_store(&def, name, &object);
    core.store.put(NAMESPACES, Precondition::Version(stored.version()), draft, WatchVisibility::Visible).ok()
}
