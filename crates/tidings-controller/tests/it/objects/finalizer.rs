//! A finalizer is added before anything is applied, removed after the cleanup, and no other finalizer is changed.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::Api;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_core::CustomResourceExt as _;
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{from_value, json};
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Fault};
use tidings_controller::{Action, ControllerError, Finalize, finalizer};

const OURS: &str = "example.com/ours";

/// The error of a reconcile.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("the work itself")]
    Work,
    #[error("the finalizer")]
    Finalizer(#[from] ControllerError),
}

struct FinalizerFixture {
    server: ApiServer,
    maps: Api<ConfigMap>,
    /// The calls of the reconciler, with the finalizers on the server at that time.
    calls: RefCell<Vec<String>>,
}

impl FinalizerFixture {
    async fn new() -> Self {
        let server = ApiServer::start().await;
        let maps = Api::namespaced(server.client(), "shop");
        FinalizerFixture { server, maps, calls: RefCell::default() }
    }

    async fn create(&self, finalizers: &[&str]) -> ConfigMap {
        let map = json!({ "metadata": { "name": "bucket", "finalizers": finalizers } });
        self.maps.create(&PostParams::default(), &from_value(map).unwrap()).await.unwrap()
    }

    async fn set_finalizers(&self, finalizers: &[&str]) -> ConfigMap {
        let patch = Patch::Merge(json!({ "metadata": { "finalizers": finalizers } }));
        self.maps.patch("bucket", &PatchParams::default(), &patch).await.unwrap()
    }

    async fn delete(&self) {
        self.maps.delete("bucket", &DeleteParams::default()).await.unwrap();
    }

    async fn finalizers(&self) -> Option<Vec<String>> {
        let map = self.maps.get_opt("bucket").await.unwrap()?;
        Some(map.metadata.finalizers.unwrap_or_default())
    }

    async fn reconcile(&self, object: &ConfigMap) -> Result<(), Failed> {
        let action = self.reconcile_to(object, Ok(Action::await_change())).await?;
        assert_eq!(action, Action::AwaitChange);
        Ok(())
    }

    async fn reconcile_to(&self, object: &ConfigMap, end: Result<Action, Failed>) -> Result<Action, Failed> {
        finalizer(&self.maps, OURS, Arc::new(object.clone()), async |event| {
            let (what, seen) = match event {
                Finalize::Apply(map) => ("apply", map),
                Finalize::Cleanup(map) => ("cleanup", map),
            };
            let on_server = self.finalizers().await;
            self.calls.borrow_mut().push(format!("{what} {on_server:?}"));
            assert!(seen.metadata.finalizers.as_ref().unwrap().iter().any(|name| name == OURS));
            end
        })
        .await
    }

    fn calls(&self) -> Vec<String> {
        self.calls.take()
    }
}

#[tokio::test(start_paused = true)]
async fn the_finalizer_is_added_before_anything_is_applied_and_removed_after_the_cleanup() {
    let fixture = FinalizerFixture::new().await;
    let map = fixture.create(&[]).await;
    fixture.reconcile(&map).await.unwrap();
    assert_eq!(fixture.calls(), [r#"apply Some(["example.com/ours"])"#]);
    fixture.delete().await;
    let map = fixture.maps.get("bucket").await.unwrap();
    fixture.reconcile(&map).await.unwrap();
    assert_eq!(fixture.calls(), [r#"cleanup Some(["example.com/ours"])"#]);
    assert_eq!(fixture.finalizers().await, None, "the object is deleted");
    // The cache does not show the deletion yet.
    fixture.reconcile(&map).await.unwrap();
    assert_eq!(fixture.calls(), ["cleanup None"]);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_has_the_finalizer_costs_no_request() {
    let fixture = FinalizerFixture::new().await;
    let map = fixture.create(&[OURS]).await;
    fixture.server.clear_requests();
    let later = Action::requeue_after(Duration::from_secs(10));
    let ended = finalizer(&fixture.maps, OURS, Arc::new(map), async |_| Ok::<_, Failed>(later.clone())).await;
    assert_eq!(ended.unwrap(), later);
    assert!(fixture.server.requests().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_stale_object_gets_the_finalizer_once_and_keeps_those_of_others() {
    let check = async |seen: &[&str], on_server: &[&str], expected: &[&str]| {
        let fixture = FinalizerFixture::new().await;
        let map = fixture.create(seen).await;
        fixture.set_finalizers(on_server).await;
        fixture.reconcile(&map).await.unwrap();
        assert_eq!(fixture.finalizers().await.unwrap(), expected, "{seen:?} {on_server:?}");
        assert_eq!(fixture.calls().len(), 1);
    };
    check(&[], &[], &[OURS]).await;
    check(&["a.b/c"], &["a.b/c"], &["a.b/c", OURS]).await;
    check(&[], &["a.b/c"], &["a.b/c", OURS]).await;
    check(&["a.b/c"], &[], &[OURS]).await;
    check(&["a.b/c"], &["d.e/f", "a.b/c"], &["d.e/f", "a.b/c", OURS]).await;
    check(&[], &[OURS], &[OURS]).await;
    check(&["a.b/c"], &["a.b/c", OURS], &["a.b/c", OURS]).await;
}

#[tokio::test(start_paused = true)]
async fn finalizers_of_others_are_never_removed() {
    let check = async |seen: &[&str], on_server: &[&str], expected: &[&str]| {
        let fixture = FinalizerFixture::new().await;
        fixture.create(seen).await;
        fixture.delete().await;
        let map = fixture.maps.get("bucket").await.unwrap();
        fixture.set_finalizers(on_server).await;
        fixture.reconcile(&map).await.unwrap();
        let left = fixture.finalizers().await.unwrap_or_default();
        assert_eq!(left, expected, "{seen:?} {on_server:?}");
    };
    check(&["a.b/c", OURS], &["a.b/c", OURS], &["a.b/c"]).await;
    check(&[OURS, "a.b/c", "d.e/f"], &[OURS, "a.b/c", "d.e/f"], &["a.b/c", "d.e/f"]).await;
    // Another finalizer was removed in the meantime, so the index of ours has changed.
    check(&["a.b/c", OURS, "d.e/f"], &[OURS, "d.e/f"], &["d.e/f"]).await;
    check(&["a.b/c", "d.e/f", OURS], &["a.b/c", OURS], &["a.b/c"]).await;
    // Ours was removed in the meantime, and another has its index.
    check(&[OURS, "a.b/c"], &["a.b/c"], &["a.b/c"]).await;
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_being_deleted_without_the_finalizer_is_unchanged() {
    let fixture = FinalizerFixture::new().await;
    let before = fixture.create(&["a.b/c"]).await;
    fixture.delete().await;
    let map = fixture.maps.get("bucket").await.unwrap();
    fixture.reconcile(&map).await.unwrap();
    // The same with a state from before the deletion.
    fixture.reconcile(&before).await.unwrap();
    assert!(fixture.calls().is_empty());
    assert_eq!(fixture.finalizers().await.unwrap(), ["a.b/c"]);
}

#[tokio::test(start_paused = true)]
async fn another_object_of_the_same_name_is_unchanged() {
    let fixture = FinalizerFixture::new().await;
    let old = fixture.create(&[]).await;
    fixture.delete().await;
    fixture.create(&[]).await;
    fixture.reconcile(&old).await.unwrap();
    assert!(fixture.calls().is_empty(), "nothing is applied for a deleted object");
    assert!(fixture.finalizers().await.unwrap().is_empty());

    fixture.set_finalizers(&[OURS]).await;
    fixture.delete().await;
    let mut old = fixture.maps.get("bucket").await.unwrap();
    old.metadata.uid = Some("another".to_owned());
    fixture.reconcile(&old).await.unwrap();
    assert_eq!(fixture.finalizers().await.unwrap(), [OURS]);
}

// holds: X46
#[tokio::test(start_paused = true)]
async fn a_cleanup_that_succeeds_with_any_action_releases_the_object() {
    for action in [Action::await_change(), Action::requeue(), Action::requeue_after(Duration::from_secs(10))]
    {
        let fixture = FinalizerFixture::new().await;
        fixture.create(&[OURS]).await;
        fixture.delete().await;
        let map = fixture.maps.get("bucket").await.unwrap();
        assert_eq!(fixture.reconcile_to(&map, Ok(action.clone())).await.unwrap(), action);
        assert_eq!(fixture.finalizers().await, None, "{action:?}");
    }
}

// holds: X46
#[tokio::test(start_paused = true)]
async fn a_cleanup_that_fails_keeps_the_finalizer() {
    let fixture = FinalizerFixture::new().await;
    fixture.create(&[OURS]).await;
    fixture.delete().await;
    let map = fixture.maps.get("bucket").await.unwrap();
    let error = fixture.reconcile_to(&map, Err(Failed::Work)).await.unwrap_err();
    assert!(matches!(error, Failed::Work), "an error of the work is returned unchanged");
    assert_eq!(fixture.finalizers().await.unwrap(), [OURS]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_applied_if_the_finalizer_was_not_added() {
    let check = async |fault: Fault, times: u64, expected: fn(&ControllerError) -> bool| {
        let fixture = FinalizerFixture::new().await;
        let map = fixture.create(&[]).await;
        fixture.server.faults().inject(fault.times(times).on(Verb::Patch));
        let error = fixture.reconcile(&map).await.unwrap_err();
        assert!(matches!(&error, Failed::Finalizer(error) if expected(error)), "{error:?}");
        assert!(fixture.calls().is_empty());
        assert!(fixture.finalizers().await.unwrap().is_empty());
    };
    let status = |code| Fault::Status { code, retry_after_seconds: None };
    check(status(403), 1, |error| {
        error.to_string().contains("let the role `get` and `patch`")
            && matches!(error, ControllerError::FinalizerRequest { .. })
    })
    .await;
    check(status(422), 1, |error| matches!(error, ControllerError::FinalizerRequest { .. })).await;
    check(Fault::Refused, 1, |error| matches!(error, ControllerError::FinalizerRequest { .. })).await;
    check(status(409), 5, |error| matches!(error, ControllerError::FinalizerContended { .. })).await;
}

#[tokio::test(start_paused = true)]
async fn a_removal_that_failed_is_repeated_by_the_next_reconcile() {
    let fixture = FinalizerFixture::new().await;
    fixture.create(&[OURS]).await;
    fixture.delete().await;
    let map = fixture.maps.get("bucket").await.unwrap();
    fixture.server.faults().inject(Fault::Refused.once().on(Verb::Patch));
    let error = fixture.reconcile(&map).await.unwrap_err();
    assert!(matches!(error, Failed::Finalizer(ControllerError::FinalizerRequest { .. })), "{error:?}");
    fixture.reconcile(&map).await.unwrap();
    assert_eq!(fixture.calls().len(), 2, "the cleanup is called again");
    assert_eq!(fixture.finalizers().await, None);
}

#[tokio::test(start_paused = true)]
async fn an_invalid_name_of_a_finalizer_is_an_error_before_any_request() {
    let fixture = FinalizerFixture::new().await;
    let map = Arc::new(fixture.create(&[]).await);
    for name in ["", "/ours", "example.com/", "a/b/c"] {
        let ended = finalizer(&fixture.maps, name, Arc::clone(&map), async |_| Err(Failed::Work)).await;
        assert!(matches!(ended, Err(Failed::Finalizer(ControllerError::FinalizerName { .. }))), "{name:?}");
    }
    // For a built-in kind the server rejects a name without a domain.
    let ended = finalizer(&fixture.maps, "ours", Arc::clone(&map), async |_| Err(Failed::Work)).await;
    let Err(Failed::Finalizer(ControllerError::FinalizerRequest { source, .. })) = ended else {
        panic!("{ended:?}")
    };
    assert!(source.to_string().contains("fully qualified"), "{source}");
    let unwritten = Arc::new(ConfigMap::default());
    let ended = finalizer(&fixture.maps, OURS, unwritten, async |_| Err(Failed::Work)).await;
    assert!(matches!(ended, Err(Failed::Finalizer(ControllerError::NotWritten { .. }))));
}

/// The custom resource of kube-rs/controller-rs.
#[derive(CustomResource, Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "kube.rs",
    version = "v1",
    kind = "Document",
    namespaced,
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
struct DocumentSpec {
    title: String,
}

// holds: X46
#[tokio::test(start_paused = true)]
async fn a_finalizer_without_a_domain_works_on_a_custom_resource() {
    let server = ApiServer::start().await;
    let definitions: Api<CustomResourceDefinition> = Api::all(server.client());
    definitions.create(&PostParams::default(), &Document::crd()).await.unwrap();
    let documents: Api<Document> = Api::default_namespaced(server.client());
    let document = Document::new("one", DocumentSpec { title: "one".to_owned() });
    let document = documents.create(&PostParams::default(), &document).await.unwrap();
    let reconcile = async |document: Document| {
        finalizer(&documents, "documents.kube.rs", Arc::new(document), async |_| {
            Ok::<_, Failed>(Action::requeue_after(Duration::from_secs(300)))
        })
        .await
        .unwrap()
    };
    let later = Action::requeue_after(Duration::from_secs(300));
    assert_eq!(reconcile(document).await, later);
    let fixture = documents.get("one").await.unwrap();
    assert_eq!(fixture.metadata.finalizers.as_deref(), Some(&["documents.kube.rs".to_owned()][..]));
    documents.delete("one", &DeleteParams::default()).await.unwrap();
    assert_eq!(reconcile(documents.get("one").await.unwrap()).await, later);
    assert!(documents.get_opt("one").await.unwrap().is_none());
}
