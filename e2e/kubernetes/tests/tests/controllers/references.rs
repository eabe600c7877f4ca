//! References between objects of a real server, in kinds that are known only at run time.

use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
use kube_client::Api;
use kube_client::api::{Patch, PatchParams, PostParams};
use kubernetes_tests::Cluster;
use kubernetes_tests::agreement::wait_until;
use serde_json::{from_value, json};
use tidings::Kind;
use tidings::controller::{
    Action, Context, Controller, ControllerError, Manager, ManagerError, Reference, Request,
};

use crate::scene::{ENDS_WITHIN, Scene};

pub(crate) async fn are_followed(cluster: &Cluster) {
    let scene = Scene::new(cluster, "references").await;
    let accounts: Api<ServiceAccount> = Api::namespaced(scene.client.clone(), &scene.namespace);
    for (name, secret) in [("a", "s"), ("b", "s"), ("c", "t")] {
        let account = json!({ "metadata": { "name": name }, "imagePullSecrets": [{ "name": secret }] });
        accounts.create(&PostParams::default(), &from_value(account).unwrap()).await.unwrap();
    }
    let requests: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&requests);
    let controller = Controller::for_resource("accounts", ServiceAccount::resource())
        .refers_to_with(Reference::resource(Secret::resource()).at(".imagePullSecrets[*].name"))
        .reconcile(move |request: Request, _: Context| {
            log.lock().unwrap().push(request.name().to_owned());
            async { Ok(Action::await_change()) }
        });
    let count = |name: &str| requests.lock().unwrap().iter().filter(|request| *request == name).count();
    let secrets: Api<Secret> = Api::namespaced(scene.client.clone(), &scene.namespace);
    let steps = async {
        wait_until("the first list is reconciled", || ["a", "b", "c"].iter().all(|name| count(name) == 1))
            .await;
        let secret = from_value(json!({ "metadata": { "name": "s" } })).unwrap();
        secrets.create(&PostParams::default(), &secret).await.unwrap();
        wait_until("its referrers are requested", || count("a") == 2 && count("b") == 2).await;
        let moved = Patch::Merge(json!({ "imagePullSecrets": [{ "name": "t" }] }));
        accounts.patch("a", &PatchParams::default(), &moved).await.unwrap();
        wait_until("the change of a is reconciled", || count("a") == 3).await;
        let labels = Patch::Merge(json!({ "metadata": { "labels": { "changed": "yes" } } }));
        secrets.patch("s", &PatchParams::default(), &labels).await.unwrap();
        wait_until("the referrer that is left is requested", || count("b") == 3).await;
        let secret = from_value(json!({ "metadata": { "name": "t" } })).unwrap();
        secrets.create(&PostParams::default(), &secret).await.unwrap();
        wait_until("the new referrers are requested", || count("a") == 4 && count("c") == 2).await;
        assert_eq!(count("b"), 3);
    };
    Manager::new(scene.factory()).controller(controller).run_until(steps).await.unwrap();
}

pub(crate) async fn wrong_path(cluster: &Cluster) {
    let scene = Scene::new(cluster, "wrong-path").await;
    let controller = Controller::for_kind::<ServiceAccount>("accounts")
        .refers_to::<Secret>(".imagePullSecret[*].name")
        .reconcile(async |_: Request, _: Context| Ok(Action::await_change()));
    let manager = Manager::new(scene.factory()).controller(controller);
    let ended = tokio::time::timeout(ENDS_WITHIN, manager.run_until(std::future::pending())).await;
    let error = ended.expect("it ends by itself").unwrap_err();
    let text = error.to_string();
    assert!(text.contains(".imagePullSecret[*].name") && text.contains("not in the schema"), "{text}");
    let _: (Option<ControllerError>, ManagerError) = (None, error);
}
