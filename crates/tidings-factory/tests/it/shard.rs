//! Informers of one shard each, with a server that does not support shards: each object is in exactly one.

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::SharedInformer;
use tidings_source::{ShardRange, Sharded};

fn put(server: &ApiServer, name: &str, round: u32) -> u64 {
    let labels = json!({ "round": round.to_string() });
    server.put("configmaps", json!({ "metadata": { "namespace": "a", "name": name, "labels": labels } }))
}

#[tokio::test(start_paused = true)]
async fn the_shards_of_a_server_that_ignores_them_add_up_to_all_objects() {
    let server = ApiServer::start().await;
    for i in 0..40 {
        put(&server, &format!("before-{i}"), 1);
    }
    let factory = SharedInformerFactory::new(server.client());
    let part = |index| InformerOptions::new().shard(ShardRange::part(index, 3).unwrap());
    let parts: Vec<SharedInformer<ConfigMap>> =
        (0..3).map(|index| factory.informer_with(part(index)).unwrap()).collect();
    let whole: SharedInformer<ConfigMap> = factory.informer();
    let running = factory.start();
    running.synced().await.unwrap();
    let mut version = 0;
    for i in 0..40 {
        version = put(&server, &format!("after-{i}"), 1);
        if i % 2 == 0 {
            version = put(&server, &format!("before-{i}"), 2);
        } else {
            server.remove("configmaps", &format!("a/before-{i}"));
            version = version.max(server.version());
        }
    }
    for informer in parts.iter().chain([&whole]) {
        let within = std::time::Duration::from_secs(60);
        informer
            .wait_for(&version.into(), within)
            .await
            .expect("each follows, also when others' objects change");
    }
    let seen = |informer: &SharedInformer<ConfigMap>| {
        let list = informer.lister().list();
        let mut seen: Vec<_> =
            list.iter().map(|map| (map.key().to_string(), map.version().clone())).collect();
        seen.sort_by(|a, b| a.0.cmp(&b.0));
        seen
    };
    let mut together: Vec<_> = parts.iter().flat_map(seen).collect();
    together.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(together, seen(&whole));
    assert_eq!(together.len(), 60);
    for informer in &parts {
        assert!(informer.lister().len() < 40, "{}", informer.lister().len());
        assert_eq!(informer.health().streams[0].sharded, Some(Sharded::ByClient));
    }
    assert_eq!(whole.health().streams[0].sharded, None);
    running.shutdown().await;
}
