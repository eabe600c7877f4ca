//! Owner references: which object can own which.

use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kube_client::Api;
use kube_client::api::{Patch, PatchParams, PostParams};
use kube_core::{ApiResource, DynamicObject};
use serde_json::{from_value, json};
use tidings_apiserver::ApiServer;
use tidings_controller::{
    ControllerError, adoption_patch, controller_of, controller_reference, is_controlled_by, owner_reference,
    owner_reference_of, release_patch, set_controller,
};

fn meta(namespace: Option<&str>, name: &str, uid: Option<&str>) -> ObjectMeta {
    ObjectMeta {
        namespace: namespace.map(str::to_owned),
        name: Some(name.to_owned()),
        uid: uid.map(str::to_owned),
        ..ObjectMeta::default()
    }
}

fn map(namespace: &str, name: &str, uid: &str) -> ConfigMap {
    ConfigMap { metadata: meta(Some(namespace), name, Some(uid)), ..ConfigMap::default() }
}

fn secret(namespace: Option<&str>, name: &str) -> Secret {
    Secret { metadata: meta(namespace, name, None), ..Secret::default() }
}

#[test]
fn a_reference_contains_the_owner_and_whether_it_is_the_controller() {
    let owner = map("shop", "settings", "u1");
    let reference = owner_reference(&owner).unwrap();
    assert_eq!((reference.api_version.as_str(), reference.kind.as_str()), ("v1", "ConfigMap"));
    assert_eq!((reference.name.as_str(), reference.uid.as_str()), ("settings", "u1"));
    assert_eq!((reference.controller, reference.block_owner_deletion), (None, None));
    let reference = controller_reference(&owner).unwrap();
    assert_eq!((reference.controller, reference.block_owner_deletion), (Some(true), Some(true)));
    let resource = ApiResource::erase::<ConfigMap>(&());
    let dynamic = DynamicObject { metadata: owner.metadata, ..DynamicObject::new("settings", &resource) };
    assert_eq!(owner_reference_of(&dynamic, &resource).unwrap().kind, "ConfigMap");
}

#[test]
fn an_object_without_name_or_uid_cant_own() {
    let check = |metadata: ObjectMeta, expected: &str| {
        let error = owner_reference(&ConfigMap { metadata, ..ConfigMap::default() }).unwrap_err();
        assert_eq!(error.to_string().split(':').next(), Some(expected));
    };
    check(meta(Some("shop"), "settings", None), "ConfigMap shop/settings has no uid");
    check(
        ObjectMeta { uid: Some("u1".to_owned()), ..ObjectMeta::default() },
        "ConfigMap without a name has no name",
    );
    check(meta(Some("shop"), "settings", Some("")), "ConfigMap shop/settings has no uid");
}

#[test]
fn an_object_has_one_controller() {
    let (first, second) = (map("shop", "first", "u1"), map("shop", "second", "u2"));
    let mut object = secret(Some("shop"), "token");
    set_controller(&mut object, &first).unwrap();
    set_controller(&mut object, &first).unwrap();
    assert_eq!(object.metadata.owner_references.as_ref().unwrap().len(), 1, "set twice, there once");
    assert!(is_controlled_by(&object, "u1") && !is_controlled_by(&object, "u2"));
    let error = set_controller(&mut object, &second).unwrap_err();
    let expected = "Secret shop/token is controlled by ConfigMap first (uid u1) already";
    assert!(error.to_string().starts_with(expected), "{error}");
    // An object of the same name with another uid is another owner.
    let again = map("shop", "first", "u3");
    assert!(matches!(set_controller(&mut object, &again), Err(ControllerError::AlreadyControlled { .. })));
}

#[test]
fn an_owner_that_becomes_the_controller_is_referenced_once() {
    let owner = map("shop", "first", "u1");
    let mut object = secret(Some("shop"), "token");
    object.metadata.owner_references = Some(vec![owner_reference(&owner).unwrap()]);
    assert!(controller_of(&object).is_none());
    set_controller(&mut object, &owner).unwrap();
    assert_eq!(object.metadata.owner_references.as_ref().unwrap().len(), 1);
    assert!(is_controlled_by(&object, "u1"));
}

#[test]
fn an_owner_is_in_the_same_namespace_or_cluster_scoped() {
    let owner = map("shop", "first", "u1");
    let error = set_controller(&mut secret(Some("other"), "token"), &owner).unwrap_err();
    assert!(matches!(error, ControllerError::OwnerInOtherNamespace { .. }), "{error}");
    let error = set_controller(&mut secret(None, "token"), &owner).unwrap_err();
    assert!(matches!(error, ControllerError::ObjectWithoutNamespace { .. }), "{error}");
    let mut node = Node { metadata: meta(None, "node-1", None), ..Node::default() };
    let error = set_controller(&mut node, &owner).unwrap_err();
    assert!(matches!(error, ControllerError::ObjectWithoutNamespace { .. }), "{error}");
    node.metadata.uid = Some("n1".to_owned());
    set_controller(&mut secret(Some("other"), "token"), &node).unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_orphan_is_adopted_and_released_unless_it_was_changed_in_between() {
    let server = ApiServer::start().await;
    let secrets: Api<Secret> = Api::namespaced(server.client(), "shop");
    let token = from_value(json!({ "metadata": { "name": "token" } })).unwrap();
    let token = secrets.create(&PostParams::default(), &token).await.unwrap();
    let owner = map("shop", "first", "u1");

    let stale = adoption_patch(&token, &owner).unwrap();
    let label = Patch::Merge(json!({ "metadata": { "labels": { "a": "b" } } }));
    let changed = secrets.patch("token", &PatchParams::default(), &label).await.unwrap();
    let error = secrets.patch("token", &PatchParams::default(), &stale).await.unwrap_err();
    assert!(matches!(error, kube_client::Error::Api(status) if status.is_conflict()));

    let adopt = adoption_patch(&changed, &owner).unwrap();
    let adopted = secrets.patch("token", &PatchParams::default(), &adopt).await.unwrap();
    assert!(is_controlled_by(&adopted, "u1"));
    let refused = adoption_patch(&adopted, &map("shop", "second", "u2")).unwrap_err();
    assert!(matches!(refused, ControllerError::AlreadyControlled { .. }));

    assert!(release_patch(&adopted, "u2").is_none());
    let free = release_patch(&adopted, "u1").unwrap();
    let released = secrets.patch("token", &PatchParams::default(), &free).await.unwrap();
    assert!(controller_of(&released).is_none());
    assert_eq!(released.metadata.labels, changed.metadata.labels);
}

#[test]
fn an_object_that_is_being_deleted_can_neither_adopt_nor_be_adopted() {
    let now = Some(Time("2026-01-01T00:00:00Z".parse().unwrap()));
    let (mut owner, mut object) = (map("shop", "first", "u1"), secret(Some("shop"), "token"));
    object.metadata.deletion_timestamp = now.clone();
    let refused = adoption_patch(&object, &owner);
    assert!(
        matches!(refused, Err(ControllerError::BeingDeleted { object }) if object == "Secret shop/token")
    );
    object.metadata.deletion_timestamp = None;
    owner.metadata.deletion_timestamp = now;
    let refused = adoption_patch(&object, &owner);
    assert!(
        matches!(refused, Err(ControllerError::BeingDeleted { object }) if object == "ConfigMap shop/first")
    );
}
