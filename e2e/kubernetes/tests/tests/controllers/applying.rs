//! Sets of objects and conditions, with the server-side apply and the defaults of a real server.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Service};
use kube_client::Api;
use kube_client::api::PostParams;
use kubernetes_tests::Cluster;
use serde_json::{Value, from_value, json};
use tidings::Key;
use tidings::controller::{Child, Context, Error, Request};

use crate::scene::Scene;

/// A deployment and a service with many fields that the server defaults.
fn children(names: &[&str]) -> Result<Vec<Child>, Error> {
    let mut children = Vec::new();
    for name in names {
        let labels = json!({ "app": name });
        let container = json!({ "name": "main", "image": "nginx", "ports": [{ "containerPort": 80 }],
            "env": [{ "name": "A", "value": "1" }], "resources": { "requests": { "cpu": "100m" } } });
        let template = json!({ "metadata": { "labels": labels }, "spec": { "containers": [container],
            "volumes": [{ "name": "tmp", "emptyDir": {} }] } });
        let spec = json!({ "replicas": 2, "selector": { "matchLabels": labels }, "template": template });
        let deployment: Deployment =
            from_value(json!({ "metadata": { "name": name, "labels": labels }, "spec": spec }))?;
        let ports = json!([{ "name": "http", "port": 80 }, { "name": "https", "port": 443 }]);
        let spec = json!({ "selector": labels, "ports": ports });
        let service: Service = from_value(json!({ "metadata": { "name": name }, "spec": spec }))?;
        children.extend([Child::of(&deployment), Child::of(&service)]);
    }
    Ok(children)
}

async fn apply(request: Request, context: Context) -> Result<Vec<(usize, usize, usize)>, Error> {
    let owner = context.get::<ConfigMap>(&request).await?.ok_or("it was created")?;
    let mut seen = Vec::new();
    for names in [&["a", "b"][..], &["a", "b"], &["b"], &["b"], &[]] {
        let applied = context.apply_all(&*owner, children(names)?).await?;
        seen.push((applied.written, applied.unchanged, applied.deleted));
        // The prune reads the cache as it is: let it show the writes.
        context.list::<Deployment>().await?;
        context.list::<Service>().await?;
    }
    Ok(seen)
}

pub(crate) async fn applies_and_prunes(cluster: &Cluster) {
    let scene = Scene::new(cluster, "applying").await;
    let (seen, stats) =
        scene.reconcile_once(|builder| builder.owns::<Deployment>().owns::<Service>(), apply).await;
    assert_eq!(seen, [(4, 0, 0), (0, 4, 0), (0, 2, 2), (0, 2, 0), (0, 0, 2)]);
    assert_eq!((stats.errors, stats.writes_saved), (0, 8));
    let services: Api<Service> = Api::namespaced(scene.client.clone(), &scene.namespace);
    assert!(services.list(&Default::default()).await.unwrap().items.is_empty());
}

pub(crate) async fn writes_conditions(cluster: &Cluster) {
    let scene = Scene::new(cluster, "conditions").await;
    let pods: Api<Pod> = Api::namespaced(scene.client.clone(), &scene.namespace);
    let pod: Value = json!({ "metadata": { "name": "pod" },
        "spec": { "containers": [{ "name": "main", "image": "nginx" }] } });
    pods.create(&PostParams::default(), &from_value(pod).unwrap()).await.unwrap();
    let report = async |request: Request, context: Context| {
        let key = Key::new(request.namespace(), "pod")?;
        let mut written = Vec::new();
        for is_ready in [true, true, false] {
            let pod = context.get::<Pod>(&key).await?.ok_or("it was created")?;
            let status =
                context.status(&*pod).condition("example.com/Ready", is_ready, "Counted", "by a test");
            written.push(status.write().await?);
        }
        Ok(written)
    };
    let (written, stats) = scene.reconcile_once(|builder| builder.reads::<Pod>(), report).await;
    let pod = pods.get("pod").await.unwrap();
    let conditions = pod.status.unwrap().conditions.unwrap();
    let ready = conditions.iter().find(|condition| condition.type_ == "example.com/Ready").unwrap();
    assert_eq!((ready.status.as_str(), ready.reason.as_deref()), ("False", Some("Counted")));
    assert_eq!(written, [true, false, true]);
    assert_eq!((stats.errors, stats.writes_saved), (0, 1));
}
