//! A small gateway control plane: from Gateways, Routes, EndpointSlices and Secrets to one configuration per gateway.
//!
//! A change of one endpoint recomputes its service, the routes to that service and the gateways of these routes. A
//! heartbeat of a slice recomputes nothing. This runs a short scenario against an API server in this process:
//!
//! ```sh
//! cargo run -p tidings --example gateway
//! ```

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

#[expect(dead_code, reason = "its manager runs a graph too")]
#[path = "support/run.rs"]
pub(crate) mod support;

use std::borrow::Cow;

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tidings::SharedInformerFactory;
use tidings::controller::{Action, Context, Controller, Manager, Request};
use tidings::derived::{Collection, Graph, GraphTask, Keyed};
use tidings_apiserver::ApiServer;
use tokio::sync::mpsc::unbounded_channel;

use self::support::install;

/// Terminates TLS for a host name.
#[derive(CustomResource, Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "tidings.example",
    version = "v1",
    kind = "Gateway",
    namespaced,
    crates(kube_core = "::kube_core")
)]
pub(crate) struct GatewaySpec {
    /// The Secret with the certificate, in the namespace of the gateway.
    pub(crate) certificate: String,
}

/// Sends the requests below a path to a service.
#[derive(CustomResource, Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "tidings.example",
    version = "v1",
    kind = "Route",
    namespaced,
    crates(kube_core = "::kube_core")
)]
pub(crate) struct RouteSpec {
    /// The gateway, as `namespace/name`.
    pub(crate) gateway: String,
    /// The path.
    pub(crate) path: String,
    /// The service, in the namespace of the route.
    pub(crate) service: String,
}

/// A route with the addresses behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResolvedRoute {
    key: String,
    gateway: String,
    path: String,
    addresses: Vec<String>,
}

/// What one gateway needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GatewayConfig {
    pub(crate) gateway: String,
    pub(crate) certificate: Option<String>,
    /// Paths and addresses.
    pub(crate) routes: Vec<(String, Vec<String>)>,
}

impl Keyed for ResolvedRoute {
    fn key(&self) -> Cow<'_, str> {
        self.key.as_str().into()
    }
}

impl Keyed for GatewayConfig {
    fn key(&self) -> Cow<'_, str> {
        self.gateway.as_str().into()
    }
}

/// The whole control plane.
pub(crate) fn gateway_configs(
    factory: &SharedInformerFactory,
) -> (Graph, GraphTask, Collection<GatewayConfig>) {
    let (graph, task) = Graph::new("gateway");
    let gateways = graph.informer(&factory.informer::<Gateway>());
    let routes = graph.informer(&factory.informer::<Route>());
    let slices = graph.informer(&factory.informer::<EndpointSlice>());
    let secrets = graph.informer(&factory.informer::<Secret>());

    // The addresses of each service, which may have several slices.
    let backends = slices.group_by(
        "backends",
        |slice| {
            let service = slice.labels().value("kubernetes.io/service-name");
            let namespace = slice.namespace().unwrap_or_default();
            service.iter().map(|service| format!("{namespace}/{service}")).collect()
        },
        |_, service, slices| {
            let mut addresses = Vec::new();
            for slice in slices {
                let found = slice.field(".endpoints[*].addresses[*]")?;
                addresses.extend(found.texts().map(Cow::into_owned));
            }
            addresses.sort();
            Ok::<_, tidings::ReadError>(Some((service.to_owned(), addresses)))
        },
    );

    let resolved = routes.map("routes", move |cx, route| {
        let service = format!("{}/{}", route.namespace()?, route.field_text(".spec.service")?);
        Some(ResolvedRoute {
            key: route.key().into_owned(),
            gateway: route.field_text(".spec.gateway")?,
            path: route.field_text(".spec.path")?,
            addresses: cx.get(&backends, &service).map(|backend| backend.1.clone()).unwrap_or_default(),
        })
    });
    let by_gateway = resolved.index(|route| vec![route.gateway.clone()]);

    let configs = gateways.map("configs", move |cx, gateway| {
        let secret = format!("{}/{}", gateway.namespace()?, gateway.field_text(".spec.certificate")?);
        let routes = cx.by_index(&by_gateway, &gateway.key());
        Some(GatewayConfig {
            gateway: gateway.key().into_owned(),
            certificate: cx.get(&secrets, &secret).and_then(|secret| secret.field_text(".data['tls.crt']")),
            routes: routes.iter().map(|route| (route.path.clone(), route.addresses.clone())).collect(),
        })
    });
    (graph, task, configs)
}

pub(crate) fn slice(name: &str, service: &str, addresses: &[&str]) -> Value {
    let endpoints: Vec<_> = addresses.iter().map(|address| json!({ "addresses": [address] })).collect();
    json!({
        "metadata": { "namespace": "shop", "name": name, "labels": { "kubernetes.io/service-name": service } },
        "addressType": "IPv4",
        "endpoints": endpoints,
    })
}

pub(crate) fn gateway(name: &str, certificate: &str) -> Value {
    json!({ "metadata": { "namespace": "shop", "name": name }, "spec": { "certificate": certificate } })
}

pub(crate) fn route(name: &str, gateway: &str, path: &str, service: &str) -> Value {
    let spec = json!({ "gateway": gateway, "path": path, "service": service });
    json!({ "metadata": { "namespace": "shop", "name": name }, "spec": spec })
}

pub(crate) fn secret(name: &str, certificate: &str) -> Value {
    json!({ "metadata": { "namespace": "shop", "name": name }, "type": "Opaque", "data": { "tls.crt": certificate } })
}

pub(crate) async fn server() -> anyhow::Result<ApiServer> {
    let server = ApiServer::start().await;
    install::<Gateway>(&server.client()).await?;
    install::<Route>(&server.client()).await?;
    server.put("gateways", gateway("public", "shop-cert"));
    server.put("routes", route("web", "shop/public", "/", "web"));
    server.put("endpointslices", slice("web-1", "web", &["10.0.0.1", "10.0.0.2"]));
    server.put("secrets", secret("shop-cert", "b25l"));
    Ok(server)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let server = server().await?;
    let factory = SharedInformerFactory::new(server.client());
    let (_graph, task, configs) = gateway_configs(&factory);
    let (lister, (published, mut publications)) = (configs.lister(), unbounded_channel());
    let publish =
        Controller::for_collection("publish", &configs).reconcile(move |request: Request, _: Context| {
            println!("{request}: {:?}", lister.get(request.as_str()));
            let _ = published.send(());
            async { Ok(Action::await_change()) }
        });
    let manager = Manager::new(factory).runnable("graph", |stop| task.run_until(stop)).controller(publish);
    let scenario = async {
        publications.recv().await;
        server.put("endpointslices", slice("web-2", "web", &["10.0.0.3"]));
        publications.recv().await;
    };
    Ok(manager.run_until(scenario).await?)
}
