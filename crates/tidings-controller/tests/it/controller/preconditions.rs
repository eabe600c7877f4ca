//! Writes with the version that was read as a precondition. An election alone does not guarantee a single writer.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_core::params::{Patch, PatchParams};
use serde_json::{Value, json};
use tidings_controller::{Action, Context, Error, IfUnchanged, Request};
use tidings_object::{Kind as _, Object};

use crate::controller::harness::{TestCluster, config_maps};

/// The ways to write with a precondition.
/// Secrets have no status: the server rejects a write of it before it compares versions.
const WAYS: [&str; 5] = ["merge", "strategic", "apply", "status", "delete"];

async fn write(secrets: &IfUnchanged<Secret>, way: &str) -> Result<(), kube_client::Error> {
    let params = PatchParams::default();
    let body = json!({ "metadata": { "annotations": { "by": "the test" } } });
    match way {
        "merge" => drop(secrets.patch(&params, &Patch::Merge(body)).await?),
        "strategic" => drop(secrets.patch(&params, &Patch::Strategic(body)).await?),
        "apply" => {
            let mut applied = body;
            applied["apiVersion"] = json!("v1");
            applied["kind"] = json!("Secret");
            applied["metadata"]["name"] = json!("target");
            let applied: Secret = serde_json::from_value(applied).unwrap();
            drop(secrets.apply("test", &applied).await?);
        }
        "status" => drop(secrets.patch_status(&params, &Patch::Merge(body)).await?),
        "delete" => drop(secrets.delete().await?),
        _ => unreachable!(),
    }
    Ok(())
}

/// The status code of each attempt to write.
#[derive(Clone, Default)]
struct WriteLog(Arc<Mutex<Vec<u16>>>);

impl WriteLog {
    /// Writes the cached object. In the first attempt `meanwhile` runs between the read and the write.
    async fn reconcile(self, context: Context, way: &str, meanwhile: impl Fn()) -> Result<Action, Error> {
        let cached = context.lister::<Secret>()?.require("default/target")?;
        let is_first = self.0.lock().unwrap().is_empty();
        if is_first {
            meanwhile();
        }
        let ended = write(&context.api::<Secret>().if_unchanged(&cached), way).await;
        let code = match &ended {
            Ok(()) => 200,
            Err(kube_client::Error::Api(status)) => status.code,
            Err(error) => panic!("{error}"),
        };
        self.0.lock().unwrap().push(code);
        ended?;
        Ok(Action::await_change())
    }
}

fn target(by: &str) -> Value {
    json!({ "metadata": { "name": "target", "annotations": { "by": by } } })
}

// holds: X44
#[tokio::test(start_paused = true)]
async fn a_write_for_an_old_version_is_a_conflict_and_is_retried() {
    for way in WAYS.iter().filter(|way| **way != "status") {
        let cluster = Arc::new(TestCluster::new().await);
        cluster.server.put("secrets", target("initial"));
        let notes = WriteLog::default();
        let (noted, other) = (notes.clone(), Arc::clone(&cluster));
        let controller = config_maps().reads::<Secret>().reconcile(move |_: Request, context: Context| {
            let (notes, other) = (noted.clone(), Arc::clone(&other));
            async move {
                // The old leader's write arrives between our read and our write.
                notes
                    .reconcile(context, way, || {
                        other.server.put("secrets", target("another"));
                    })
                    .await
            }
        });
        let started = cluster.start_synced(controller).await;
        cluster.put("map");
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(*notes.0.lock().unwrap(), [409, 200], "{way}");
        assert_eq!(started.handle.stats().errors, 1, "{way}");
        let now = cluster.server.object("secrets", "default/target");
        let by = now.map(|secret| secret["metadata"]["annotations"]["by"].clone());
        assert_eq!(by, (*way != "delete").then(|| json!("the test")), "{way}");
        started.shutdown().await;
    }
}

// holds: X44
#[tokio::test(start_paused = true)]
async fn a_write_for_an_object_that_was_created_again_is_a_conflict() {
    let cluster = TestCluster::new().await;
    cluster.server.put("secrets", target("initial"));
    let secrets = cluster.factory.informer::<Secret>();
    let ended = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&ended);
    let controller = config_maps().reads::<Secret>().reconcile(move |_: Request, context: Context| {
        let noted = Arc::clone(&noted);
        async move {
            let cached = context.lister::<Secret>()?.require("default/target")?;
            let plain = context.api::<Secret>();
            plain.delete("target").await?;
            let again: Secret = serde_json::from_value(target("another"))?;
            plain.create(&again).await?;
            for way in WAYS {
                let ended = write(&plain.if_unchanged(&cached), way).await;
                let Err(kube_client::Error::Api(status)) = ended else { panic!("{way}: {ended:?}") };
                noted.lock().unwrap().push((way, status.code));
            }
            Ok(Action::await_change())
        }
    });
    let started = cluster.start_synced(controller).await;
    cluster.put("map");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let expected = WAYS.map(|way| (way, if way == "status" { 404 } else { 409 }));
    assert_eq!(*ended.lock().unwrap(), expected);
    let by = cluster.server.object("secrets", "default/target").unwrap();
    assert_eq!(by["metadata"]["annotations"]["by"], "another");
    drop(secrets);
    started.shutdown().await;
}

// holds: X44
#[tokio::test(start_paused = true)]
async fn a_version_that_means_any_is_an_error_before_a_request_is_sent() {
    let cluster = TestCluster::new().await;
    let refused = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&refused);
    let controller = config_maps().reconcile(move |request: Request, context: Context| {
        let noted = Arc::clone(&noted);
        async move {
            context.lister::<ConfigMap>()?.require(&request)?;
            let intake = tidings_object::Intake::new(ConfigMap::resource(), Arc::default());
            let frame = br#"{"metadata":{"name":"map","namespace":"default","resourceVersion":"0"}}"#;
            let unversioned: Object<ConfigMap> =
                Object::new(intake.json(frame, &tidings_object::NothingKnown)?);
            let maps = context.api::<ConfigMap>().if_unchanged(&unversioned);
            let error = maps.delete().await.unwrap_err();
            noted.lock().unwrap().push(error.to_string());
            Ok(Action::await_change())
        }
    });
    let started = cluster.start_synced(controller).await;
    cluster.put("map");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let refused = refused.lock().unwrap().clone();
    assert!(refused.len() == 1 && refused[0].contains("without a resourceVersion"), "{refused:?}");
    assert!(cluster.server.object("configmaps", "default/map").is_some());
    started.shutdown().await;
}
