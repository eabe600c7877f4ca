//! Deployments and ReplicaSets: creation, rolling updates within their limits, recreation, rollback, scaling, status.

use std::sync::{Arc, Mutex};

use k8s_openapi::api::apps::v1::ReplicaSet;
use serde_json::{Value, json};
use tidings::{Handler, SharedInformerFactory};
use tidings_cluster::{Cluster, Deployments, GarbageCollector, Kubelet, Nodes, Scheduler, Script};

use crate::world::{DEPLOYMENTS, PODS, World, condition, deployment, is_true, run, s, template};

fn cluster(kubelet: Kubelet) -> Cluster {
    Cluster::new()
        .with(Deployments)
        .with(GarbageCollector::new())
        .with(Nodes::new(3))
        .with(Scheduler)
        .with(kubelet)
}

fn is_complete(world: &World, name: &str) -> bool {
    let Some(deployment) = world.object("deployments.apps", name) else { return false };
    let status = &deployment["status"];
    let wanted = &deployment["spec"]["replicas"];
    status["observedGeneration"] == deployment["metadata"]["generation"]
        && ["replicas", "updatedReplicas", "availableReplicas"].iter().all(|field| status[field] == *wanted)
        && is_true(&deployment, "Available")
        && condition(&deployment, "Progressing")
            .is_some_and(|found| found["reason"] == "NewReplicaSetAvailable")
}

/// Revision, wanted and available pods of each ReplicaSet, by revision.
fn revisions(world: &World) -> Vec<(String, i64, i64)> {
    let mut found: Vec<_> = world
        .list("replicasets.apps")
        .iter()
        .map(|set| {
            let revision =
                set["metadata"]["annotations"]["deployment.kubernetes.io/revision"].as_str().unwrap();
            (
                revision.to_owned(),
                set["spec"]["replicas"].as_i64().unwrap(),
                set["status"]["availableReplicas"].as_i64().unwrap_or(0),
            )
        })
        .collect();
    found.sort();
    found
}

fn image_of(pod: &Value) -> &str {
    pod["spec"]["containers"][0]["image"].as_str().unwrap()
}

async fn set_image(world: &World, name: &str, image: &str) {
    world
        .patch(&format!("{DEPLOYMENTS}/{name}"), json!({ "spec": { "template": template(name, image) } }))
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_deployment_becomes_available_and_reports_it() {
    run(cluster(Kubelet::new().ready_after(s(2))), async |world| {
        world.create(DEPLOYMENTS, deployment("web", 3, "v1")).await;
        world.pass(s(1)).await;
        let young = world.object("deployments.apps", "web").unwrap();
        assert_eq!(
            (&young["status"]["replicas"], &young["status"]["unavailableReplicas"]),
            (&json!(3), &json!(3))
        );
        assert!(!is_true(&young, "Available"));
        world.until("it is complete", |world| is_complete(world, "web")).await;
        let set = &world.list("replicasets.apps")[0];
        let hash = set["metadata"]["labels"]["pod-template-hash"].as_str().unwrap();
        assert_eq!(set["metadata"]["name"], format!("web-{hash}"));
        let pods = world.list("pods");
        assert_eq!(pods.len(), 3);
        let nodes: std::collections::BTreeSet<_> =
            pods.iter().map(|pod| pod["spec"]["nodeName"].as_str()).collect();
        assert_eq!(nodes.len(), 3, "one pod on each node");
        assert!(pods.iter().all(|pod| pod["metadata"]["labels"]["pod-template-hash"] == hash));
        let deployment = world.object("deployments.apps", "web").unwrap();
        assert_eq!(deployment["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "1");
        assert!(deployment["status"]["unavailableReplicas"].is_null());
    })
    .await;
}

/// The limits of a rolling update, at every change of any ReplicaSet.
#[tokio::test(start_paused = true)]
async fn a_rolling_update_keeps_its_surge_and_its_availability() {
    for (surge, unavailable, most, least) in
        [(json!(1), json!(0), 5, 4), (json!(0), json!(1), 4, 3), (json!("50%"), json!("25%"), 6, 3)]
    {
        run(cluster(Kubelet::new().ready_after(s(2))), async |world| {
            let mut web = deployment("web", 4, "v1");
            web["spec"]["strategy"] = json!({
                "type": "RollingUpdate",
                "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable },
            });
            world.create(DEPLOYMENTS, web).await;
            world.until("the first template is complete", |world| is_complete(world, "web")).await;
            let seen: Arc<Mutex<Vec<(usize, usize)>>> = Arc::default();
            let factory = SharedInformerFactory::new(world.client.clone());
            let record = (Arc::clone(&seen), world.server.clone());
            let sets = factory.informer::<ReplicaSet>();
            let handler = Handler::subscriber(move |_: &tidings::Notification<ReplicaSet>| {
                let pods = record.1.list_versions("pods").into_keys();
                let pods: Vec<Value> = pods.filter_map(|key| record.1.object("pods", &key)).collect();
                let active = pods.iter().filter(|pod| pod["metadata"]["deletionTimestamp"].is_null());
                let active: Vec<_> = active.collect();
                let ready = active.iter().filter(|pod| is_true(pod, "Ready")).count();
                record.0.lock().unwrap().push((active.len(), ready));
            });
            sets.add_handler(handler).unwrap();
            let running = factory.start();
            running.synced().await.unwrap();
            set_image(world, "web", "v2").await;
            world
                .until("the second template is complete", |world| {
                    is_complete(world, "web") && world.list("pods").iter().all(|pod| image_of(pod) == "v2")
                })
                .await;
            assert_eq!(revisions(world), [("1".to_owned(), 0, 0), ("2".to_owned(), 4, 4)]);
            let seen = seen.lock().unwrap().clone();
            assert!(seen.len() > 5, "{seen:?}");
            assert!(
                seen.iter().all(|(active, ready)| *active <= most && *ready >= least),
                "{most} {least} {seen:?}"
            );
            running.shutdown().await;
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn recreation_removes_all_old_pods_first() {
    run(cluster(Kubelet::new().script(Script::new().stop_after(s(5)))), async |world| {
        let mut web = deployment("web", 2, "v1");
        web["spec"]["strategy"] = json!({ "type": "Recreate" });
        world.create(DEPLOYMENTS, web).await;
        world.until("the first template is complete", |world| is_complete(world, "web")).await;
        set_image(world, "web", "v2").await;
        world.pass(s(4)).await;
        assert!(world.list("pods").iter().all(|pod| image_of(pod) == "v1"), "old pods still stop");
        world.until("the second template is complete", |world| is_complete(world, "web")).await;
        assert!(world.list("pods").iter().all(|pod| image_of(pod) == "v2"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_template_that_comes_back_finds_its_replica_set_and_gets_a_new_revision() {
    run(cluster(Kubelet::new()), async |world| {
        world.create(DEPLOYMENTS, deployment("web", 2, "v1")).await;
        world.until("v1 is complete", |world| is_complete(world, "web")).await;
        let first = world.names("replicasets.apps");
        set_image(world, "web", "v2").await;
        world.until("v2 is complete", |world| is_complete(world, "web")).await;
        set_image(world, "web", "v1").await;
        world.until("v1 is complete again", |world| is_complete(world, "web")).await;
        assert_eq!(revisions(world), [("2".to_owned(), 0, 0), ("3".to_owned(), 2, 2)]);
        let active =
            world.list("replicasets.apps").into_iter().find(|set| set["spec"]["replicas"] == 2).unwrap();
        assert_eq!(active["metadata"]["name"], first[0]);
        let web = world.object("deployments.apps", "web").unwrap();
        assert_eq!(web["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "3");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_rollout_that_does_not_progress_is_reported_after_its_deadline_and_keeps_old_pods() {
    let kubelet = Kubelet::new().pods("broken=yes".parse().unwrap(), Script::new().never_ready());
    run(cluster(kubelet), async |world| {
        let mut web = deployment("web", 4, "v1");
        web["spec"]["progressDeadlineSeconds"] = json!(60);
        world.create(DEPLOYMENTS, web).await;
        world.until("v1 is complete", |world| is_complete(world, "web")).await;
        let mut broken = template("web", "v2");
        broken["metadata"]["labels"]["broken"] = json!("yes");
        world.patch(&format!("{DEPLOYMENTS}/web"), json!({ "spec": { "template": broken } })).await;
        world
            .until("the deadline has passed", |world| {
                let web = world.object("deployments.apps", "web").unwrap();
                condition(&web, "Progressing")
                    .is_some_and(|found| found["reason"] == "ProgressDeadlineExceeded")
            })
            .await;
        let web = world.object("deployments.apps", "web").unwrap();
        assert!(is_true(&web, "Available"));
        assert_eq!(web["status"]["availableReplicas"], 3, "25 % of 4 may be missing");
        set_image(world, "web", "v3").await;
        world
            .patch(
                &format!("{DEPLOYMENTS}/web"),
                json!({ "spec": { "template": {
            "metadata": { "labels": { "broken": null } } } } }),
            )
            .await;
        world.until("v3 is complete", |world| is_complete(world, "web")).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn scaling_pausing_and_history_follow_the_spec() {
    run(cluster(Kubelet::new()), async |world| {
        let path = format!("{DEPLOYMENTS}/web");
        let mut web = deployment("web", 1, "v0");
        web["spec"]["revisionHistoryLimit"] = json!(2);
        world.create(DEPLOYMENTS, web).await;
        for image in ["v1", "v2", "v3", "v4"] {
            world.until("it is complete", |world| is_complete(world, "web")).await;
            set_image(world, "web", image).await;
        }
        world.until("v4 is complete", |world| is_complete(world, "web")).await;
        world.until("old revisions are deleted", |world| world.list("replicasets.apps").len() == 3).await;
        world.patch(&path, json!({ "spec": { "replicas": 5 } })).await;
        world.until("it has five", |world| is_complete(world, "web")).await;
        world.patch(&path, json!({ "spec": { "paused": true, "replicas": 2 } })).await;
        set_image(world, "web", "v5").await;
        world.pass(s(60)).await;
        assert_eq!(world.list("replicasets.apps").len(), 3, "a paused deployment starts no rollout");
        assert_eq!(world.list("pods").len(), 2, "but it is scaled");
        world.patch(&path, json!({ "spec": { "paused": false } })).await;
        world
            .until("v5 is complete", |world| {
                is_complete(world, "web") && world.list("pods").iter().all(|pod| image_of(pod) == "v5")
            })
            .await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn lost_failed_and_orphaned_pods_are_replaced_or_adopted() {
    run(cluster(Kubelet::new()), async |world| {
        world.create(DEPLOYMENTS, deployment("web", 2, "v1")).await;
        world.until("it is complete", |world| is_complete(world, "web")).await;
        let lost = world.names("pods")[0].clone();
        world.delete(&format!("{PODS}/{lost}"), json!({})).await;
        world
            .until("it is replaced", |world| {
                !world.names("pods").contains(&lost) && world.list("pods").len() == 2
            })
            .await;
        world.until("it is complete", |world| is_complete(world, "web")).await;

        let set = world.list("replicasets.apps")[0].clone();
        let mut extra = set["spec"]["template"].clone();
        extra["metadata"]["name"] = json!("extra");
        world.create(PODS, extra).await;
        world.until("one of three is deleted", |world| world.list("pods").len() == 2).await;
        world.pass(s(10)).await;
        assert!(
            world
                .list("pods")
                .iter()
                .all(|pod| pod["metadata"]["ownerReferences"][0]["uid"] == set["metadata"]["uid"])
        );

        let released = world.names("pods")[0].clone();
        world
            .patch(&format!("{PODS}/{released}"), json!({ "metadata": { "labels": { "app": "other" } } }))
            .await;
        world.until("it is released and replaced", |world| world.list("pods").len() == 3).await;
        let pod = world.object("pods", &released).unwrap();
        assert!(pod["metadata"]["ownerReferences"].as_array().is_none_or(Vec::is_empty));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_deleted_deployment_takes_its_sets_and_pods_with_it() {
    for policy in ["Background", "Foreground"] {
        run(cluster(Kubelet::new()), async |world| {
            world.create(DEPLOYMENTS, deployment("web", 3, "v1")).await;
            world.until("it is complete", |world| is_complete(world, "web")).await;
            world.delete(&format!("{DEPLOYMENTS}/web"), json!({ "propagationPolicy": policy })).await;
            world
                .until("all is gone", |world| {
                    ["deployments.apps", "replicasets.apps", "pods"]
                        .iter()
                        .all(|plural| world.names(plural).is_empty())
                })
                .await;
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn min_ready_seconds_delay_availability() {
    run(cluster(Kubelet::new()), async |world| {
        let mut web = deployment("web", 1, "v1");
        web["spec"]["minReadySeconds"] = json!(30);
        world.create(DEPLOYMENTS, web).await;
        world.pass(s(20)).await;
        let young = world.object("deployments.apps", "web").unwrap();
        assert_eq!(
            (&young["status"]["readyReplicas"], &young["status"]["availableReplicas"]),
            (&json!(1), &json!(null))
        );
        world.pass(s(12)).await;
        assert!(is_complete(world, "web"));
    })
    .await;
}
