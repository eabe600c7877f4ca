//! An API server with nodes, scheduler and kubelet, and controllers: the real ones or stand-ins.

use std::path::Path;
use std::time::Duration;

use kubernetes_tests::{Built, ControllerManager};
use tempfile::TempDir;
use tidings::SharedInformerFactory;
use tidings_apiserver::{
    ApiServer, Bootstrap, GarbageCollection, Kubelet as ServerKubelet, Listen, Listening, NamespaceDeletion,
};
use tidings_cluster::{
    Cluster, DaemonSets, Deployments, EndpointSlices, GarbageCollector, Jobs, Kubelet, Namespaces, Nodes,
    Scheduler, ServiceAccounts, StatefulSets,
};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::objects::Objects;

/// Controllers that work end a test within this time, also on a busy machine.
const ENDS_WITHIN: Duration = Duration::from_secs(240);

/// Who does the work of kube-controller-manager.
#[derive(Clone, Copy)]
pub(crate) enum Controllers<'a> {
    Real(&'a Built),
    StandIns,
}

/// Runs a test with these controllers.
pub(crate) async fn run<T>(controllers: Controllers<'_>, test: impl AsyncFnOnce(&Objects) -> T) -> T {
    let server = ApiServer::builder()
        .strict()
        .bootstrap(Bootstrap::ApiServer)
        .garbage_collection(GarbageCollection::External)
        .namespace_deletion(NamespaceDeletion::External)
        .kubelet(ServerKubelet::Absent)
        .start()
        .await;
    let (listening, serving) = server.listen(Listen::tls()).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(serving);
    let folder = tempfile::tempdir().unwrap();
    let mut cluster = Cluster::new().with(Nodes::new(2)).with(Scheduler).with(Kubelet::new());
    let process = match controllers {
        Controllers::Real(built) => Some(start(built, &listening, &folder)),
        Controllers::StandIns => {
            cluster = cluster
                .with(Deployments)
                .with(StatefulSets)
                .with(DaemonSets)
                .with(Jobs)
                .with(EndpointSlices)
                .with(ServiceAccounts)
                .with(Namespaces)
                .with(GarbageCollector::new());
            None
        }
    };
    let objects = Objects::new(server.clone());
    let mut result = None;
    let test = async { result = timeout(ENDS_WITHIN, test(&objects)).await.ok() };
    cluster.manager(SharedInformerFactory::new(server.client())).run_until(test).await.unwrap();
    result.unwrap_or_else(|| {
        let output = process.as_ref().map(ControllerManager::output).unwrap_or_default();
        panic!("{}\n\nthe last output of kube-controller-manager:\n{output}", objects.awaited())
    })
}

fn start(built: &Built, listening: &Listening, folder: &TempDir) -> ControllerManager {
    let (kubeconfig, authority) = (folder.path().join("kubeconfig"), folder.path().join("ca.crt"));
    listening.write_kubeconfig(&kubeconfig).unwrap();
    std::fs::write(&authority, listening.certificate_authority().expect("it has TLS")).unwrap();
    let flags = flags(&authority);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    ControllerManager::start(built, &kubeconfig, &flags).unwrap()
}

fn flags(authority: &Path) -> Vec<String> {
    vec![
        "--use-service-account-credentials=true".to_owned(),
        format!("--root-ca-file={}", authority.display()),
        // Our nodes send no heartbeats.
        "--node-monitor-grace-period=24h".to_owned(),
    ]
}

/// Each controller asks for a token of its own service account, and its requests are those of this account.
pub(crate) async fn accounts_are_used(built: &Built) {
    run(Controllers::Real(built), async |objects| {
        objects.create("/api/v1/namespaces", serde_json::json!({"metadata": {"name": "new"}})).await;
        let account = "/api/v1/namespaces/new/serviceaccounts/default";
        objects.until(account, |account| account.is_some()).await;
        let root = "/api/v1/namespaces/new/configmaps/kube-root-ca.crt";
        let has_authority =
            |text: &str| text.starts_with("-----BEGIN CERTIFICATE-----") && text.contains("END CERTIFICATE");
        objects
            .until(root, |map| {
                map.is_some_and(|map| map["data"]["ca.crt"].as_str().is_some_and(has_authority))
            })
            .await;
        for controller in ["service-account-controller", "root-ca-cert-publisher"] {
            let user = format!("system:serviceaccount:kube-system:{controller}");
            assert!(objects.requests().iter().any(|request| request.user == user), "no request of {user}");
        }
    })
    .await;
}
