//! A Keeper has exactly the pods that it wants, however late its cache is.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::Api;
use kube_client::api::{ListParams, Patch, PatchParams, PostParams};
use serde_json::{from_value, json};
use tidings::SharedInformerFactory;
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Fault};
use tokio::time::sleep;

use crate::examples::replica_keeper::playground::{install, run_while};
use crate::examples::replica_keeper::{Keeper, KeeperSpec, KeeperStatus, LABEL, controller, story};

const MINUTE: Duration = Duration::from_secs(60);

async fn with_keepers() -> (ApiServer, SharedInformerFactory) {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    install::<Keeper>(factory.client()).await.unwrap();
    (server, factory)
}

async fn create_keeper(server: &ApiServer, namespace: &str, replicas: usize) -> anyhow::Result<Keeper> {
    let keepers: Api<Keeper> = Api::namespaced(server.client(), namespace);
    let keeper = Keeper::new("web", KeeperSpec { replicas, image: "nginx".to_owned() });
    Ok(keepers.create(&PostParams::default(), &keeper).await?)
}

fn asked(server: &ApiServer, verb: Verb) -> usize {
    let is_asked = |verb_of: Option<Verb>, plural: &str| verb_of == Some(verb) && plural == "pods";
    server.requests().iter().filter(|request| is_asked(request.verb, &request.plural)).count()
}

#[tokio::test(start_paused = true)]
async fn the_story_takes_as_many_writes_as_there_are_pods_to_create_and_delete() {
    let (server, factory) = with_keepers().await;
    run_while(&factory, [controller()], story(&factory)).await.unwrap();
    // By the Keeper: three, one for the one that was deleted, and from three to 250. By the story: the orphan.
    assert_eq!(asked(&server, Verb::Create), 3 + 1 + 247 + 1);
    // By the Keeper: one when the orphan was adopted, and from 250 to one. By the story: the victim.
    assert_eq!(asked(&server, Verb::Delete), 1 + 249 + 1);
    assert_eq!(server.list_versions("pods").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn no_pod_is_created_twice_though_the_cache_hears_of_them_late() {
    let (server, factory) = with_keepers().await;
    server.faults().inject(Fault::SlowStream(Duration::from_millis(300)).always().of("pods"));
    let story = async {
        create_keeper(&server, "default", 7).await?;
        // Something else asks for a reconcile all the time.
        for round in 0..40 {
            let keepers: Api<Keeper> = Api::namespaced(server.client(), "default");
            let label = Patch::Merge(json!({ "metadata": { "labels": { "round": format!("{round}") } } }));
            keepers.patch("web", &PatchParams::default(), &label).await?;
            sleep(Duration::from_millis(100)).await;
        }
        sleep(MINUTE).await;
        let keepers: Api<Keeper> = Api::namespaced(server.client(), "default");
        assert_eq!(keepers.get("web").await?.status, Some(KeeperStatus { replicas: 7 }));
        Ok(())
    };
    run_while(&factory, [controller()], story).await.unwrap();
    assert_eq!(asked(&server, Verb::Create), 7);
    assert_eq!(asked(&server, Verb::Delete), 0);
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_adopted_only_if_it_is_nobodys_and_in_the_same_namespace() {
    let (server, factory) = with_keepers().await;
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
    let story = async {
        create_keeper(&server, "default", 1).await?;
        sleep(MINUTE).await;
        Ok(())
    };
    run_while(&factory, [controller()], story).await.unwrap();
    assert_eq!(asked(&server, Verb::Create), 0, "the orphan is all that is wanted");
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
        ("default", "orphan", vec!["Keeper"]),
        ("default", "owned", vec!["Node"]),
        ("elsewhere", "orphan", vec![]),
    ];
    assert_eq!(owners, expected);
}

#[tokio::test(start_paused = true)]
async fn a_keeper_makes_up_for_pods_that_have_ended() {
    let (server, factory) = with_keepers().await;
    let story = async {
        create_keeper(&server, "default", 2).await?;
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
    run_while(&factory, [controller()], story).await.unwrap();
    assert_eq!(server.list_versions("pods").len(), 3);
    assert_eq!(asked(&server, Verb::Delete), 0, "what has ended is left for people to look at");
}
