//! A request that sleeps until an object of a real server meets a condition.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::Api;
use kube_client::api::{Patch, PatchParams, PostParams};
use kubernetes_tests::Cluster;
use kubernetes_tests::agreement::wait_until;
use serde_json::{from_value, json};
use tidings::controller::{Action, Condition, Context, Controller, Manager, Request};

use crate::scene::Scene;

pub(crate) async fn sleeps_until_ready(cluster: &Cluster) {
    let scene = Scene::new(cluster, "awaiting").await;
    scene.create_map("owner").await;
    let seen: Arc<Mutex<Vec<bool>>> = Arc::default();
    let noted = Arc::clone(&seen);
    let controller = Controller::for_kind::<ConfigMap>("awaiting").reads::<Secret>().reconcile(
        move |request: Request, context: Context| {
            let noted = Arc::clone(&noted);
            async move {
                if request.name() != "owner" {
                    return Ok(Action::await_change());
                }
                let is_ready = Condition::<Secret>::on_object("is ready", |secret| {
                    Ok(secret.is_some_and(|secret| secret.labels().value("ready") == Some("yes")))
                });
                let holds = is_ready.holds(context.lister::<Secret>()?.get(&request).as_ref())?;
                noted.lock().unwrap().push(holds);
                Ok(match holds {
                    true => Action::await_change(),
                    false => Action::await_object(&request, is_ready, Duration::from_secs(3600)),
                })
            }
        },
    );
    let secrets: Api<Secret> = Api::namespaced(scene.client.clone(), &scene.namespace);
    let label = |value: &str| Patch::Merge(json!({ "metadata": { "labels": { "ready": value } } }));
    let steps = async {
        wait_until("the request sleeps", || !seen.lock().unwrap().is_empty()).await;
        let secret = from_value(json!({ "metadata": { "name": "owner" } })).unwrap();
        secrets.create(&PostParams::default(), &secret).await.unwrap();
        secrets.patch("owner", &PatchParams::default(), &label("no")).await.unwrap();
        secrets.patch("owner", &PatchParams::default(), &label("yes")).await.unwrap();
        wait_until("it is reconciled", || seen.lock().unwrap().len() == 2).await;
    };
    Manager::new(scene.factory()).controller(controller).run_until(steps).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [false, true]);
}
