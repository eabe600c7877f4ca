//! A controller in three processes with one lease on a real API server. The test kills the leader several times.
//!
//! The leader writes a record for each version of each object that it reconciles. In the order of the server, the
//! records of one term must not be interleaved with those of another, and the last version of every object must have a
//! record. The replicas are this same program, started with an environment variable.

mod reconcile_log;
mod replica;

use std::process::ExitCode;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube_client::api::{Patch, PatchParams, PostParams};
use kube_client::{Api, Client};
use kubernetes_tests::Cluster;
use kubernetes_tests::trials::Suite;
use serde_json::json;

use reconcile_log::ReconcileLog;
use replica::Replica;

const NAMESPACE: &str = "replicas";
const LEASE: &str = "tasks";
const TASKS: usize = 10;

fn main() -> ExitCode {
    if let Some(replica) = replica::config_from_environment() {
        return replica.run();
    }
    let mut suite = Suite::new("replicas");
    suite.alone("another replica takes over from a killed leader, and no key is lost", &[], takes_over);
    suite.run()
}

async fn takes_over(cluster: &mut Cluster) {
    let client = cluster.client().await;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = serde_json::from_value(json!({ "metadata": { "name": NAMESPACE } })).unwrap();
    namespaces.create(&PostParams::default(), &namespace).await.unwrap();
    let log = ReconcileLog::new(&client, NAMESPACE);
    let mut replicas: Vec<Replica> =
        ["one", "two", "three"].map(|name| Replica::start(cluster.kubeconfig(), name)).into();
    let mut leaders = Vec::new();
    for round in 0.. {
        // After a kill there is no leader for a while. The next leader must find this write.
        write(&client, &format!("round {round}, without a leader")).await;
        log.wait_for(&tasks(&client).await).await;
        write(&client, &format!("round {round}, under a leader")).await;
        log.wait_for(&tasks(&client).await).await;

        let leader = leader(&client).await;
        assert_eq!(log.in_order().await.last().map(|mark| mark.by.clone()).as_ref(), Some(&leader));
        leaders.push(leader.clone());
        let at = replicas.iter().position(|replica| replica.name() == leader);
        // Dropping it kills the process.
        drop(replicas.remove(at.unwrap_or_else(|| panic!("{leader} leads after its death"))));
        if replicas.is_empty() {
            break;
        }
    }
    let mut terms: Vec<String> = log.in_order().await.into_iter().map(|mark| mark.by).collect();
    terms.dedup();
    assert_eq!(terms, leaders, "the log entries of each leader are contiguous");
}

/// Creates all tasks, or changes them.
async fn write(client: &Client, what: &str) {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    for number in 0..TASKS {
        let name = format!("task-{number}");
        let task = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "what": what },
        });
        maps.patch(&name, &PatchParams::apply("test").force(), &Patch::Apply(task)).await.unwrap();
    }
}

/// The version of each task.
async fn tasks(client: &Client) -> Vec<(String, String)> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let list = maps.list(&Default::default()).await.unwrap();
    let metadata = list.items.into_iter().map(|map| map.metadata);
    metadata.map(|server_info| (server_info.name.unwrap(), server_info.resource_version.unwrap())).collect()
}

async fn leader(client: &Client) -> String {
    let leases: Api<Lease> = Api::namespaced(client.clone(), NAMESPACE);
    let lease = leases.get(LEASE).await.unwrap();
    lease.spec.and_then(|spec| spec.holder_identity).expect("someone has left a mark, so someone leads")
}
