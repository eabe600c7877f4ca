//! Deletions that controllers finish: foreground, background and orphan, and whole namespaces.

use kubernetes_tests::Built;
use serde_json::{Value, json};

use crate::objects::Objects;
use crate::scene::{Controllers, run};

const SETS: &str = "/apis/apps/v1/namespaces/work/replicasets";
const PODS: &str = "/api/v1/namespaces/work/pods";

pub(crate) async fn are_finished(built: &Built) {
    run(Controllers::Real(built), async |objects| {
        objects.create("/api/v1/namespaces", json!({"metadata": {"name": "work"}})).await;
        let account = "/api/v1/namespaces/work/serviceaccounts/default";
        objects.until(account, |account| account.is_some()).await;
        for policy in ["Foreground", "Background"] {
            create_set(objects, "gone").await;
            objects.delete(&format!("{SETS}/gone"), policy).await;
            objects.until(&format!("{SETS}/gone"), |set| set.is_none()).await;
            objects.until_is(PODS, |pods| items(pods).is_empty()).await;
        }
        create_set(objects, "kept").await;
        objects.delete(&format!("{SETS}/kept"), "Orphan").await;
        objects.until(&format!("{SETS}/kept"), |set| set.is_none()).await;
        let pods = objects.list(PODS).await;
        assert_eq!(pods.len(), 2, "orphans stay");
        assert!(pods.iter().all(|pod| pod["metadata"]["ownerReferences"].is_null()), "they have no owner");
        objects.delete("/api/v1/namespaces/work", "Background").await;
        objects.until("/api/v1/namespaces/work", |namespace| namespace.is_none()).await;
        assert!(objects.list(PODS).await.is_empty());
    })
    .await;
}

async fn create_set(objects: &Objects, name: &str) {
    let set = json!({"metadata": {"name": name}, "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": name}},
        "template": {
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "main", "image": "i:1"}]},
        },
    }});
    objects.create(SETS, set).await;
    objects.until_is(&format!("{SETS}/{name}"), |set| set["status"]["readyReplicas"] == 2).await;
}

fn items(list: &Value) -> &[Value] {
    list["items"].as_array().map_or(&[], Vec::as_slice)
}
