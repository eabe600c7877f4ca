//! Tests of the harness: that it really kills, restores and compacts a server.

use std::process::{Command, ExitCode, Stdio};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{ListParams, PostParams};
use kube_client::{Api, Client};
use kubernetes_tests::built::Program;
use kubernetes_tests::trials::Suite;
use kubernetes_tests::{Built, Cluster, Copies, User};
use serde_json::json;
use tokio::net::TcpStream;

fn main() -> ExitCode {
    let mut suite = Suite::new("harness");
    suite.alone("a killed server is gone, and comes back with its data", &[], comes_back);
    suite.alone("a restored server knows nothing of what came after the copy", &[], goes_back);
    suite
        .group("shared", &["--watch-cache=false"])
        .test("each user is known by certificate and by token", knows_its_users)
        .test("copies are objects like any other", copies_objects)
        .test("a compacted version is gone", compacts)
        .test("a server ends with the process that started it", ends_with_its_owner);
    suite.run()
}

async fn comes_back(cluster: &mut Cluster) {
    let (port, client) = (cluster.port(), cluster.client().await);
    write(&client, "kept").await;
    cluster.kill();
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err(), "the port is closed");
    cluster.restart().await.unwrap();
    assert_eq!(cluster.port(), port);
    assert_eq!(names(&client).await, ["kept"]);
}

async fn goes_back(cluster: &mut Cluster) {
    let client = cluster.client().await;
    write(&client, "before").await;
    cluster.kill();
    let copy = cluster.copy_data().unwrap();
    cluster.restart().await.unwrap();
    let version = write(&client, "after").await;
    cluster.kill();
    cluster.restore(&copy).unwrap();
    cluster.restart().await.unwrap();
    assert_eq!(names(&client).await, ["before"]);
    // The server itself writes at every start.
    let list = maps(&client).list_metadata(&ListParams::default()).await.unwrap();
    assert!(list.metadata.resource_version.is_some_and(|now| number(&now) < number(&version) + 50));
}

async fn knows_its_users(cluster: &Cluster) {
    for (user, code) in [
        (User::Admin, None),
        (User::AdminByToken, None),
        (User::Limited, Some(403)),
        (User::LimitedByToken, Some(403)),
    ] {
        let listed = maps(&cluster.client_of(user).await).list(&ListParams::default()).await;
        let answered = match listed {
            Err(kube_client::Error::Api(status)) => Some(status.code),
            listed => listed.map(|_| None).unwrap(),
        };
        assert_eq!(answered, code, "{user:?}");
    }
    assert!(cluster.version().starts_with("v1."), "{}", cluster.version());
}

async fn copies_objects(cluster: &Cluster) {
    let client = cluster.client().await;
    write(&client, "original").await;
    let of = "/registry/configmaps/default/original";
    cluster.copy_object(Copies { of, namespace: "kube-public", prefix: "copy-", count: 100 }).await.unwrap();
    let copies: Api<ConfigMap> = Api::namespaced(client, "kube-public");
    let copy = copies.get("copy-000100").await.unwrap();
    assert_eq!(copy.data.unwrap()["key"], "value");
    assert!(copies.get("copy-000101").await.is_err());
    copies.delete("copy-000001", &Default::default()).await.unwrap();
}

async fn compacts(cluster: &Cluster) {
    let client = cluster.client().await;
    let version = write(&client, "compacted").await;
    // A compaction keeps the version at which it is done.
    write(&client, "newest").await;
    cluster.compact().await.unwrap();
    let exact = ListParams::default().at(&version).matching(kube_client::api::VersionMatch::Exact);
    let listed = maps(&client).list(&exact).await;
    assert!(matches!(&listed, Err(kube_client::Error::Api(status)) if status.code == 410), "{listed:?}");
}

/// The server ends with its parent process, however that ends.
async fn ends_with_its_owner(_: &Cluster) {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(Built::from_environment(Program::Server).unwrap().program)
        .args(["-until-stdin-ends", "-dir"])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(child.try_wait().unwrap(), None, "it runs");
    drop(child.stdin.take());
    let ended = tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap();
    assert!(ended.success(), "{ended}");
}

fn maps(client: &Client) -> Api<ConfigMap> {
    Api::default_namespaced(client.clone())
}

async fn write(client: &Client, name: &str) -> String {
    let map =
        serde_json::from_value(json!({ "metadata": { "name": name }, "data": { "key": "value" } })).unwrap();
    let written = maps(client).create(&PostParams::default(), &map).await.unwrap();
    written.metadata.resource_version.unwrap()
}

async fn names(client: &Client) -> Vec<String> {
    let list = maps(client).list(&ListParams::default()).await.unwrap();
    list.items.into_iter().filter_map(|map| map.metadata.name).collect()
}

fn number(version: &str) -> u64 {
    version.parse().unwrap()
}
