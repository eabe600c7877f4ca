//! The configuration of a gateway follows everything that it is made of, and nothing else.

use std::time::Duration;

use tidings::SharedInformerFactory;
use tidings::derived::{Collection, Graph};
use tidings_apiserver::ApiServer;
use tokio::task::JoinSet;

use crate::examples::gateway::{GatewayConfig, gateway, gateway_configs, route, secret, server, slice};

struct Running {
    server: ApiServer,
    graph: Graph,
    configs: Collection<GatewayConfig>,
    _tasks: JoinSet<()>,
    _informers: tidings::Running,
}

async fn running() -> Running {
    let server = server().await.unwrap();
    let factory = SharedInformerFactory::new(server.client());
    let (graph, task, configs) = gateway_configs(&factory);
    let informers = factory.start();
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    configs.synced().await.unwrap();
    Running { server, graph, configs, _tasks: tasks, _informers: informers }
}

impl Running {
    async fn config(&self) -> GatewayConfig {
        tokio::time::sleep(Duration::from_secs(1)).await;
        GatewayConfig::clone(&self.configs.lister().get("shop/public").unwrap())
    }

    /// How often each function was evaluated, by collection.
    fn evaluations(&self) -> Vec<(String, u64)> {
        let computed = self.graph.stats().into_iter().filter(|stats| stats.operator != "informer");
        computed.map(|stats| (stats.name, stats.evaluations)).collect()
    }
}

fn routes(of: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let owned = |(path, addresses): &(&str, &[&str])| {
        ((*path).to_owned(), addresses.iter().map(|address| (*address).to_owned()).collect())
    };
    of.iter().map(owned).collect()
}

#[tokio::test(start_paused = true)]
async fn a_gateway_follows_its_routes_endpoints_and_certificate() {
    let running = running().await;
    let config = running.config().await;
    assert_eq!(config.certificate.as_deref(), Some("b25l"));
    assert_eq!(config.routes, routes(&[("/", &["10.0.0.1", "10.0.0.2"])]));

    running.server.put("endpointslices", slice("web-2", "web", &["10.0.0.3"]));
    running.server.put("routes", route("pay", "shop/public", "/pay", "pay"));
    running.server.put("secrets", secret("shop-cert", "dHdv"));
    let config = running.config().await;
    assert_eq!(config.certificate.as_deref(), Some("dHdv"));
    assert_eq!(config.routes, routes(&[("/pay", &[]), ("/", &["10.0.0.1", "10.0.0.2", "10.0.0.3"])]));

    running.server.remove("routes", "shop/web");
    running.server.remove("secrets", "shop/shop-cert");
    let config = running.config().await;
    assert_eq!((config.certificate, config.routes), (None, routes(&[("/pay", &[])])));
    running.server.remove("gateways", "shop/public");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(running.configs.lister().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_a_gateway_does_not_use_is_not_computed_again() {
    let running = running().await;
    let before = running.evaluations();
    // A Secret that nobody uses, labels of a gateway, and another annotation of a slice.
    running.server.put("secrets", secret("other", "dHdv"));
    let mut labelled = gateway("public", "shop-cert");
    labelled["metadata"]["labels"] = serde_json::json!({ "team": "shop" });
    running.server.put("gateways", labelled);
    let mut touched = slice("web-1", "web", &["10.0.0.1", "10.0.0.2"]);
    touched["metadata"]["annotations"] =
        serde_json::json!({ "endpoints.kubernetes.io/last-change-trigger-time": "now" });
    running.server.put("endpointslices", touched);
    running.config().await;
    assert_eq!(running.evaluations(), before);
    // A service without a route: only its backend.
    running.server.put("endpointslices", slice("db-1", "db", &["10.0.1.1"]));
    running.config().await;
    let after: Vec<_> =
        before.iter().map(|(name, n)| (name.clone(), n + u64::from(name == "backends"))).collect();
    assert_eq!(running.evaluations(), after);
}
