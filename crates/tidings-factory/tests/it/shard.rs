//! Informers of one shard each, with a server that applies shards and with one that ignores them: each object is in
//! exactly one.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tidings_apiserver::{ApiServer, ShardSelectors};
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::SharedInformer;
use tidings_source::{ShardRange, Sharded};

const SHARDS: u32 = 3;
const NAMESPACES: u32 = 10;

/// The hashes of names that differ in their last letter alone lie close together, so these differ in the first one.
fn namespace(number: u32) -> String {
    format!("{}-namespace", number % NAMESPACES)
}

fn key(name: &str, number: u32) -> String {
    format!("{}/{name}-{number}", namespace(number))
}

fn put(server: &ApiServer, key: &str, round: u32) -> u64 {
    let (namespace, name) = key.split_once('/').unwrap();
    let labels = json!({ "round": round.to_string() });
    server
        .put("configmaps", json!({ "metadata": { "namespace": namespace, "name": name, "labels": labels } }))
}

fn seen(informer: &SharedInformer<ConfigMap>) -> Vec<(String, String)> {
    let list = informer.lister().list();
    let mut seen: Vec<_> =
        list.iter().map(|map| (map.key().to_string(), map.version().to_string())).collect();
    seen.sort();
    seen
}

/// Follows changes with an informer of each shard, and with one of everything.
async fn add_up(server: ApiServer, range: impl Fn(u32) -> ShardRange, selects: impl Fn(u32) -> Sharded) {
    for number in 0..40 {
        put(&server, &key("before", number), 1);
    }
    let factory = SharedInformerFactory::new(server.client());
    let part = |index| factory.informer_with(InformerOptions::new().shard(range(index))).unwrap();
    let parts: Vec<SharedInformer<ConfigMap>> = (0..SHARDS).map(part).collect();
    let whole: SharedInformer<ConfigMap> = factory.informer();
    let running = factory.start();
    running.synced().await.unwrap();
    for number in 0..40 {
        put(&server, &key("after", number), 1);
        if number % 2 == 0 {
            put(&server, &key("before", number), 2);
        } else {
            server.remove("configmaps", &key("before", number));
        }
    }
    let version = server.version();
    for informer in parts.iter().chain([&whole]) {
        // If the server selects the objects, a bookmark advances the version past the changes of other shards.
        let followed = informer.wait_for(&version.into(), Duration::from_secs(180)).await;
        followed.expect("each follows, also when others' objects change");
    }
    let mut together: Vec<_> = parts.iter().flat_map(seen).collect();
    together.sort();
    assert_eq!(together, seen(&whole));
    assert_eq!(together.len(), 60);
    for (index, informer) in (0..).zip(&parts) {
        assert!((1..60).contains(&informer.lister().len()), "{}", informer.lister().len());
        assert_eq!(informer.health().streams[0].sharded, Some(selects(index)));
    }
    assert_eq!(whole.health().streams[0].sharded, None);
    running.shutdown().await;
}

fn by_uid(index: u32) -> ShardRange {
    ShardRange::part(index, SHARDS).unwrap()
}

fn by_namespace(index: u32) -> ShardRange {
    by_uid(index).by_namespace()
}

async fn applying() -> ApiServer {
    ApiServer::builder().shard_selectors(ShardSelectors::Applied).start().await
}

#[tokio::test(start_paused = true)]
async fn the_shards_of_a_server_that_ignores_them_add_up_to_all_objects() {
    add_up(ApiServer::start().await, by_uid, |_| Sharded::ByClient).await;
    add_up(ApiServer::start().await, by_namespace, |_| Sharded::ByClient).await;
}

#[tokio::test(start_paused = true)]
async fn the_shards_of_a_server_that_applies_them_add_up_to_all_objects() {
    add_up(applying().await, by_uid, |index| Sharded::ByServer(by_uid(index).to_string())).await;
    add_up(applying().await, by_namespace, |index| Sharded::ByServer(by_namespace(index).to_string())).await;
}

#[tokio::test(start_paused = true)]
async fn a_shard_by_namespace_has_all_objects_of_a_namespace_or_none() {
    let server = ApiServer::start().await;
    for number in 0..40 {
        put(&server, &key("map", number), 1);
    }
    let factory = SharedInformerFactory::new(server.client());
    let options = InformerOptions::new().shard(by_namespace(0));
    let part: SharedInformer<ConfigMap> = factory.informer_with(options).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    for number in 0..NAMESPACES {
        let namespace = namespace(number);
        let expected = if by_namespace(0).contains(&namespace) { 4 } else { 0 };
        let prefix = format!("{namespace}/");
        let found = seen(&part).iter().filter(|(key, _)| key.starts_with(&prefix)).count();
        assert_eq!(found, expected, "{namespace}");
    }
    running.shutdown().await;
}
