//! A PodSet gets exactly the pods that it wants, even if the cache is late.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::Api;
use kube_client::api::{ListParams, Patch, PatchParams, PostParams};
use serde_json::{from_value, json};
use tidings::SharedInformerFactory;
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Fault};
use tokio::time::sleep;

use crate::examples::pod_set::support::{install, run_while};
use crate::examples::pod_set::{LABEL, PodSet, PodSetSpec, PodSetStatus, controller, scenario};

const MINUTE: Duration = Duration::from_secs(60);

async fn server_with_pod_sets() -> (ApiServer, SharedInformerFactory) {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    install::<PodSet>(factory.client()).await.unwrap();
    (server, factory)
}

async fn create_pod_set(server: &ApiServer, namespace: &str, replicas: usize) -> anyhow::Result<PodSet> {
    let pod_sets: Api<PodSet> = Api::namespaced(server.client(), namespace);
    let pod_set = PodSet::new("web", PodSetSpec { replicas, image: "nginx".to_owned() });
    Ok(pod_sets.create(&PostParams::default(), &pod_set).await?)
}

fn pod_requests(server: &ApiServer, verb: Verb) -> usize {
    let is_match = |verb_of: Option<Verb>, plural: &str| verb_of == Some(verb) && plural == "pods";
    server.requests().iter().filter(|request| is_match(request.verb, &request.plural)).count()
}

#[tokio::test(start_paused = true)]
async fn the_scenario_takes_one_write_for_each_pod_to_create_or_delete() {
    let (server, factory) = server_with_pod_sets().await;
    run_while(&factory, [controller()], scenario(&factory)).await.unwrap();
    // The controller: three pods, one that replaces the deleted pod, and from three to 250. The scenario: the orphan.
    assert_eq!(pod_requests(&server, Verb::Create), 3 + 1 + 247 + 1);
    // The controller: one after the orphan was adopted, and from 250 to one. The scenario: the victim.
    assert_eq!(pod_requests(&server, Verb::Delete), 1 + 249 + 1);
    assert_eq!(server.list_versions("pods").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn no_pod_is_created_twice_although_the_cache_is_late() {
    let (server, factory) = server_with_pod_sets().await;
    server.faults().inject(Fault::SlowStream(Duration::from_millis(300)).always().of("pods"));
    let scenario = async {
        create_pod_set(&server, "default", 7).await?;
        // Other changes request reconciles all the time.
        for round in 0..40 {
            let pod_sets: Api<PodSet> = Api::namespaced(server.client(), "default");
            let label = Patch::Merge(json!({ "metadata": { "labels": { "round": format!("{round}") } } }));
            pod_sets.patch("web", &PatchParams::default(), &label).await?;
            sleep(Duration::from_millis(100)).await;
        }
        sleep(MINUTE).await;
        let pod_sets: Api<PodSet> = Api::namespaced(server.client(), "default");
        assert_eq!(pod_sets.get("web").await?.status, Some(PodSetStatus { replicas: 7 }));
        Ok(())
    };
    run_while(&factory, [controller()], scenario).await.unwrap();
    assert_eq!(pod_requests(&server, Verb::Create), 7);
    assert_eq!(pod_requests(&server, Verb::Delete), 0);
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_adopted_only_if_it_has_no_controller_and_is_in_the_same_namespace() {
    let (server, factory) = server_with_pod_sets().await;
    let put = |namespace: &str, name: &str, owner: Option<&str>| {
        let owners = owner.map(|uid| json!([{ "apiVersion": "v1", "kind": "Node", "name": "n", "uid": uid, "controller": true }]));
        server.put("pods", json!({
            "metadata": { "namespace": namespace, "name": name, "labels": { LABEL: "web" }, "ownerReferences": owners },
            "spec": { "containers": [{ "name": "main", "image": "nginx" }] },
        }));
    };
    put("default", "orphan", None);
    put("default", "owned", Some("another"));
    put("elsewhere", "orphan", None);
    let scenario = async {
        create_pod_set(&server, "default", 1).await?;
        sleep(MINUTE).await;
        Ok(())
    };
    run_while(&factory, [controller()], scenario).await.unwrap();
    assert_eq!(pod_requests(&server, Verb::Create), 0, "the orphan is enough");
    let pods: Api<Pod> = Api::all(server.client());
    let pods = pods.list(&ListParams::default()).await.unwrap().items;
    let mut owners: Vec<_> = pods
        .iter()
        .map(|pod| {
            let owners = pod
                .metadata
                .owner_references
                .iter()
                .flatten()
                .map(|owner| owner.kind.as_str())
                .collect::<Vec<_>>();
            (pod.metadata.namespace.as_deref().unwrap(), pod.metadata.name.as_deref().unwrap(), owners)
        })
        .collect();
    owners.sort();
    let expected = [
        ("default", "orphan", vec!["PodSet"]),
        ("default", "owned", vec!["Node"]),
        ("elsewhere", "orphan", vec![]),
    ];
    assert_eq!(owners, expected);
}

#[tokio::test(start_paused = true)]
async fn a_pod_set_replaces_pods_that_have_ended() {
    let (server, factory) = server_with_pod_sets().await;
    let scenario = async {
        create_pod_set(&server, "default", 2).await?;
        sleep(MINUTE).await;
        let pods: Api<Pod> = Api::namespaced(server.client(), "default");
        let ended = pods.list(&ListParams::default()).await?.items.remove(0);
        let mut ended = serde_json::to_value(&ended)?;
        ended["status"] = json!({ "phase": "Failed" });
        pods.replace_status(
            ended["metadata"]["name"].as_str().unwrap(),
            &PostParams::default(),
            &from_value(ended.clone())?,
        )
        .await?;
        sleep(MINUTE).await;
        Ok(())
    };
    run_while(&factory, [controller()], scenario).await.unwrap();
    assert_eq!(server.list_versions("pods").len(), 3);
    assert_eq!(pod_requests(&server, Verb::Delete), 0, "ended pods are not deleted");
}
