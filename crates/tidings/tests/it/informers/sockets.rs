//! Informers over real sockets and in real time: plain HTTP, TLS and HTTP/2. The tests wait for conditions, never for time.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use serde_json::json;
use tidings::{Key, SharedInformerFactory, Version};
use tidings_apiserver::{ApiServer, Ending, Listen};
use tidings_source as source;
use tokio::task::JoinSet;

const SOON: Duration = Duration::from_secs(30);

fn put(server: &ApiServer, name: &str) -> Version {
    let pod = json!({ "metadata": { "namespace": "default", "name": name }, "spec": { "containers": [] } });
    Version::from(server.put("pods", pod))
}

/// Lists, follows a change, loses the connection, and follows the next change.
async fn check(server: &ApiServer, client: Client) {
    put(server, "first");
    let factory = SharedInformerFactory::new(client);
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced_within(SOON).await.unwrap();
    assert!(pods.lister().get("default/first").is_some());
    for name in ["second", "third"] {
        let version = put(server, name);
        pods.wait_for_object(&Key::new(Some("default"), name).unwrap(), &version, SOON).await.unwrap();
        assert!(pods.lister().get(&format!("default/{name}")).is_some());
        server.faults().cut_watches(Ending::Broken);
    }
    running.shutdown().await;
}

async fn config(listening: &tidings_apiserver::Listening) -> Config {
    let kubeconfig = Kubeconfig::from_yaml(&listening.kubeconfig()).unwrap();
    Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap()
}

#[tokio::test]
async fn informers_work_over_plain_http_tls_and_http_2() {
    let server = ApiServer::start().await;
    let mut doors = JoinSet::new();
    let (plain, serving) = server.listen(Listen::plain()).await.unwrap();
    doors.spawn(serving);
    let (tls, serving) = server.listen(Listen::tls()).await.unwrap();
    doors.spawn(serving);

    check(&server, source::client_from_config(config(&plain).await).unwrap()).await;
    check(&server, source::client_from_config(config(&tls).await).unwrap()).await;
    check(&server, source::http2_client(config(&tls).await).unwrap()).await;

    drop((plain, tls));
    while doors.join_next().await.is_some() {}
}
