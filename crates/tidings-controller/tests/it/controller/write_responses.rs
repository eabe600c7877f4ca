//! Responses to writes: the identity is read immediately, the rest on request, and errors are kube's.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::authorization::v1::SelfSubjectAccessReview;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Api;
use kube_client::api::PostParams;
use kube_core::params::{Patch, PatchParams};
use kube_core::{CustomResourceExt, Resource, Status};
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use tidings_controller::{Action, Context, Error};

use crate::controller::harness::{TestCluster, config_maps};

#[derive(CustomResource, Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Widget",
    namespaced,
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
struct WidgetSpec {
    size: u8,
}

/// Calls `act` with the context of one reconcile.
async fn within<F, Done>(cluster: &TestCluster, act: F)
where
    F: Fn(Context) -> Done + Send + Sync + 'static,
    Done: Future<Output = Result<(), Error>> + Send + 'static,
{
    let ended = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&ended);
    let controller = config_maps().reads::<Secret>().reconcile(move |_, context: Context| {
        let (acting, noted) = (act(context), Arc::clone(&noted));
        async move {
            let end = acting.await;
            *noted.lock().unwrap() = Some(end.map_err(|error| error.to_string()));
            Ok(Action::await_change())
        }
    });
    cluster.put("map");
    let started = cluster.start_synced(controller).await;
    started.shutdown().await;
    let ended = ended.lock().unwrap().take();
    assert_eq!(ended, Some(Ok(())));
}

fn secret(name: &str) -> Secret {
    Secret { metadata: named(name), ..Secret::default() }
}

fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}

fn refused<T: std::fmt::Debug>(answer: kube_client::Result<T>) -> Box<Status> {
    match answer {
        Err(kube_client::Error::Api(status)) => status,
        other => panic!("a refusal, not {other:?}"),
    }
}

/// A view of secrets that can be encoded, but not decoded.
#[derive(Debug, Clone, Default, Serialize)]
struct WriteOnly {
    metadata: ObjectMeta,
}

impl<'de> Deserialize<'de> for WriteOnly {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("decoded by the test"))
    }
}

impl Resource for WriteOnly {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        Secret::kind(&())
    }

    fn group((): &()) -> Cow<'_, str> {
        Secret::group(&())
    }

    fn version((): &()) -> Cow<'_, str> {
        Secret::version(&())
    }

    fn plural((): &()) -> Cow<'_, str> {
        Secret::plural(&())
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_is_decoded_only_on_request() {
    let cluster = TestCluster::new().await;
    within(&cluster, |context| async move {
        let written = context.api::<WriteOnly>().create(&WriteOnly { metadata: named("copy") }).await?;
        let error = written.decoded().unwrap_err();
        assert!(matches!(&error, kube_client::Error::SerdeError(_)), "{error}");
        assert!(error.to_string().contains("decoded by the test"), "{error}");
        Ok(())
    })
    .await;
    assert!(cluster.server.object("secrets", "default/copy").is_some());
}

#[tokio::test(start_paused = true)]
async fn the_identity_of_a_response_equals_its_metadata() {
    let cluster = TestCluster::new().await;
    within(&cluster, |context| async move {
        let mut wanted = secret("copy");
        wanted.string_data = Some([("password".to_owned(), "hunter2".to_owned())].into());
        let written = context.api::<Secret>().create(&wanted).await?;
        let ObjectMeta { name, namespace, uid, resource_version, .. } = written.decoded()?.metadata;
        assert_eq!((Some(written.name()), written.namespace()), (name.as_deref(), namespace.as_deref()));
        assert_eq!(
            (Some(written.uid()), Some(written.version())),
            (uid.as_deref(), resource_version.as_deref())
        );
        assert!(written.json().contains("aHVudGVyMg"));
        assert!(!format!("{written:?}").contains("aHVudGVyMg"), "{written:?}");
        Ok(())
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_response_that_is_not_stored_has_no_name() {
    let cluster = TestCluster::new().await;
    within(&cluster, |context| async move {
        let review = SelfSubjectAccessReview::default();
        let answer = context.api::<SelfSubjectAccessReview>().create(&review).await?;
        assert_eq!((answer.name(), answer.version()), ("", ""));
        assert!(answer.decoded()?.status.is_some());
        Ok(())
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_rejected_write_returns_the_whole_status() {
    let cluster = TestCluster::new().await;
    let definitions: Api<CustomResourceDefinition> = Api::all(cluster.server.client());
    definitions.create(&PostParams::default(), &Widget::crd()).await.unwrap();
    within(&cluster, |context| async move {
        let (secrets, widgets) = (context.api::<Secret>(), context.api::<Widget>());
        secrets.create(&secret("copy")).await?;
        let status = refused(secrets.create(&secret("copy")).await);
        assert_eq!((status.code, &*status.reason), (409, "AlreadyExists"));
        assert_eq!(status.details.as_ref().map(|details| &*details.name), Some("copy"));
        let widget = Widget::new("copy", WidgetSpec { size: 1 });
        assert_eq!(widgets.create(&widget).await?.decoded()?.spec.size, 1);
        assert_eq!(refused(widgets.create(&widget).await).reason, "AlreadyExists");

        let status = refused(secrets.delete("none").await);
        assert_eq!((status.code, &*status.reason), (404, "NotFound"));
        assert_eq!(refused(widgets.delete("none").await).reason, "NotFound");

        let mut stale = secrets.create(&secret("stale")).await?.decoded()?;
        stale.metadata.resource_version = Some("1".to_owned());
        assert_eq!(refused(secrets.replace(&stale).await).reason, "Conflict");

        let status = refused(secrets.create(&secret("Not A Name")).await);
        assert_eq!((status.code, &*status.reason), (422, "Invalid"));
        let field = status.details.unwrap().causes.first().map(|cause| cause.field.clone());
        assert_eq!(field.as_deref(), Some("metadata.name"));
        let wrong = Patch::Merge(json!({ "spec": { "size": "large" } }));
        let status = refused(widgets.patch("copy", &PatchParams::default(), &wrong).await);
        assert_eq!((status.code, &*status.reason), (422, "Invalid"));
        Ok(())
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_deletion_returns_the_object_only_if_it_still_exists() {
    let cluster = TestCluster::new().await;
    let held = json!({ "metadata": { "name": "held", "finalizers": ["example.com/hold"] } });
    cluster.server.put("secrets", held);
    cluster.server.put("secrets", json!({ "metadata": { "name": "free" } }));
    within(&cluster, |context| async move {
        assert!(context.api::<Secret>().delete("free").await?.is_none());
        let staying = context.api::<Secret>().delete("held").await?.expect("it has a finalizer");
        assert_eq!(staying.name(), "held");
        assert!(staying.decoded()?.metadata.deletion_timestamp.is_some());
        Ok(())
    })
    .await;
    assert!(cluster.server.object("secrets", "default/free").is_none());
}
