//! Service accounts: each namespace has its default account and the certificate.

use serde_json::json;
use tidings_cluster::{Cluster, ServiceAccounts};

use crate::world::run;

#[tokio::test(start_paused = true)]
async fn every_namespace_has_an_account_and_gets_it_back() {
    run(Cluster::new().with(ServiceAccounts), async |world| {
        world.create("/api/v1/namespaces", json!({ "metadata": { "name": "shop" } })).await;
        for namespace in ["default", "kube-system", "shop"] {
            world
                .until("account and certificate are there", |world| {
                    world.server.object("serviceaccounts", &format!("{namespace}/default")).is_some()
                        && world
                            .server
                            .object("configmaps", &format!("{namespace}/kube-root-ca.crt"))
                            .is_some()
                })
                .await;
        }
        let account = "/api/v1/namespaces/shop/serviceaccounts/default";
        let uid = world.server.object("serviceaccounts", "shop/default").unwrap()["metadata"]["uid"].clone();
        world.delete(account, json!({})).await;
        world
            .until("it is back", |world| {
                let account = world.server.object("serviceaccounts", "shop/default");
                account.is_some_and(|account| account["metadata"]["uid"] != uid)
            })
            .await;
    })
    .await;
}
