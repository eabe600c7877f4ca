//! The endpoints of one factory: its informers, a registry of metrics, and checks.

use std::fmt;
use std::io;
use std::net::SocketAddr;
#[cfg(feature = "metrics")]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
#[cfg(feature = "metrics")]
use axum::http::header;
#[cfg(feature = "metrics")]
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
#[cfg(feature = "metrics")]
use prometheus_client::{collector::Collector, encoding::text, registry::Registry};
use serde_json::{Value, json};
#[cfg(feature = "derived")]
use tidings_derived::GraphMetrics;
use tidings_factory::{InformerReport, SharedInformerFactory};
use tidings_workqueue::QueueMetrics;

use crate::check::{Checks, ProbeQuery};
use crate::diagnostics;
use crate::serve::{ServeTask, Serving, serve};

#[cfg(feature = "metrics")]
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The endpoints of the informers of one factory:
///
/// | path | response |
/// |---|---|
/// | `/controllers` | JSON: the last reconciles of each controller with causes and writes, and the loops that it reported |
/// | `/metrics` | all metrics of the registry and of the informers, as OpenMetrics text (feature `metrics`) |
/// | `/healthz` | 500 if a restart of the program would help, 200 otherwise |
/// | `/readyz` | 200 while every cache is filled and follows the server, 500 otherwise |
/// | `/informers` | JSON: each informer, queue, controller and graph, without data of objects |
///
/// The [documentation of the fields][fields] is a page. Names are stable: fields are only added.
///
/// `/healthz` and `/readyz` accept `?verbose`, `?exclude=NAME`, and the name of one check, as in `/readyz/informer-sync`.
/// `/controllers` accepts `?controller=NAME` and `?key=NAMESPACE/NAME`.
///
/// ```
/// use axum::{Router, routing};
/// use tidings_endpoints::Endpoints;
/// use tidings_factory::SharedInformerFactory;
///
/// fn routes(factory: &SharedInformerFactory) -> Router {
///     let endpoints = Endpoints::new(factory).readiness_check("warm", || Ok::<(), String>(()));
///     Router::new().route("/", routing::get(|| async { "hello" })).merge(endpoints.router())
/// }
/// ```
///
/// [fields]: https://github.com/tidings-rs/tidings/blob/main/docs/diagnostics.md
#[must_use = "nothing is served unless its router is mounted or served"]
pub struct Endpoints {
    factory: SharedInformerFactory,
    controllers: Option<Box<ReadControllers>>,
    #[cfg(feature = "metrics")]
    registry: Registry,
    /// Our own metrics.
    #[cfg(feature = "metrics")]
    own: Registry,
    queues: QueueMetrics,
    #[cfg(feature = "derived")]
    graphs: Option<GraphMetrics>,
    health: Checks,
    readiness: Checks,
}

/// Reads controllers: with their last reconciles of one key or of all, or without reconciles.
type ReadControllers = dyn Fn(ReconcileFilter<'_>) -> Vec<Value> + Send + Sync;

/// Which reconciles and loops the status of a controller contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReconcileFilter<'a> {
    /// All loops, and no reconcile.
    Nothing,
    /// All that are kept.
    All,
    /// Those of one key.
    Key(&'a str),
}

impl Endpoints {
    /// The endpoints of the informers of a factory. Its checks are:
    ///
    /// - `informers` (health and readiness): no informer and none of its streams has failed.
    /// - `stopped` (health and readiness): not every [`Running`](tidings_factory::Running) of the factory has ended.
    /// - `informer-sync` (readiness): the cache of every requested informer is filled.
    pub fn new(factory: &SharedInformerFactory) -> Self {
        let (mut health, mut readiness) = (Checks::new("healthz"), Checks::new("readyz"));
        let filled = factory.clone();
        readiness.add("informer-sync", move || are_synced(&filled.reports()));
        for checks in [&mut health, &mut readiness] {
            let (followed, running) = (factory.clone(), factory.clone());
            checks.add("informers", move || none_of(followed.failures().iter().map(ToString::to_string)));
            checks.add("stopped", move || is_running(&running));
        }
        Endpoints {
            factory: factory.clone(),
            controllers: None,
            #[cfg(feature = "metrics")]
            registry: Registry::default(),
            #[cfg(feature = "metrics")]
            own: Registry::default(),
            queues: QueueMetrics::new(),
            #[cfg(feature = "derived")]
            graphs: None,
            health,
            readiness,
        }
    }

    /// Adds controllers to `/informers` and `/controllers`: one object for each, with its `name`. A manager does so for
    /// its controllers.
    pub fn controllers(
        mut self,
        read: impl Fn(ReconcileFilter<'_>) -> Vec<Value> + Send + Sync + 'static,
    ) -> Self {
        self.controllers = Some(Box::new(read));
        self
    }

    /// Adds the metrics of this registry to those of the informers, which are always included. A prefix or labels of this
    /// registry do not apply to the metrics of the informers.
    #[cfg(feature = "metrics")]
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Adds a collector. A prefix or labels of the [registry](Self::registry) do not apply to it.
    #[cfg(feature = "metrics")]
    pub fn collector(mut self, collector: impl Collector + 'static) -> Self {
        self.own.register_collector(Box::new(collector));
        self
    }

    /// Adds work queues to `/metrics` and `/informers`: those of a controller, or queues of your own.
    pub fn queues(mut self, queues: QueueMetrics) -> Self {
        self.queues = queues;
        self
    }

    /// Adds graphs of derived collections to `/metrics` and `/informers`, and these checks:
    ///
    /// - `graphs` (health and readiness): the task of no graph has panicked or was dropped.
    /// - `collection-sync` (readiness): every collection in use has synced.
    ///
    /// Graphs that are added to the set later are included.
    #[cfg(feature = "derived")]
    pub fn graphs(mut self, graphs: GraphMetrics) -> Self {
        let synced = graphs.clone();
        self.readiness.add("collection-sync", move || {
            let unsynced = synced.reports().into_iter().flat_map(|graph| graph.unsynced());
            none_of(unsynced.map(|collection| collection.to_string()))
        });
        for checks in [&mut self.health, &mut self.readiness] {
            let graphs = graphs.clone();
            checks.add("graphs", move || {
                none_of(graphs.reports().into_iter().filter_map(|graph| graph.failure))
            });
        }
        self.graphs = Some(graphs);
        self
    }

    /// Adds a check to `/healthz`. It fails if a restart of the program would help. It must not block; a panic is a failure.
    pub fn health_check<E: fmt::Display>(
        mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        self.health.add(name, move || check().map_err(|error| error.to_string()));
        self
    }

    /// Adds a check to `/readyz`. It fails while the program can't do its work. It must not block; a panic is a failure.
    pub fn readiness_check<E: fmt::Display>(
        mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        self.readiness.add(name, move || check().map_err(|error| error.to_string()));
        self
    }

    /// What `/informers` responds at this moment.
    pub fn diagnostics(&self) -> Value {
        let informers: Vec<_> = self.factory.reports().iter().map(diagnostics::informer).collect();
        let failures: Vec<_> = self.factory.failures().iter().map(diagnostics::failure).collect();
        let controllers = self.read_controllers(ReconcileFilter::Nothing);
        #[cfg(feature = "derived")]
        let graphs = self.graphs.as_ref().map(GraphMetrics::reports).unwrap_or_default();
        #[cfg(feature = "derived")]
        let graphs: Vec<_> = graphs.iter().map(diagnostics::graph).collect();
        #[cfg(not(feature = "derived"))]
        let graphs: Vec<Value> = Vec::new();
        json!({
            "informers": informers,
            "queues": diagnostics::queues(&self.queues),
            "controllers": controllers,
            "failures": failures,
            "graphs": graphs,
        })
    }

    fn read_controllers(&self, filter: ReconcileFilter<'_>) -> Vec<Value> {
        self.controllers.as_ref().map(|read| read(filter)).unwrap_or_default()
    }

    /// A router to mount in a server of your own.
    pub fn router(self) -> Router {
        let router = Router::new()
            .route("/healthz", get(healthz))
            .route("/healthz/{check}", get(one_of_healthz))
            .route("/readyz", get(readyz))
            .route("/readyz/{check}", get(one_of_readyz))
            .route("/informers", get(informers))
            .route("/controllers", get(controllers));
        #[cfg(feature = "metrics")]
        return router.route("/metrics", get(metrics)).with_state(Arc::new(self.with_collectors()));
        #[cfg(not(feature = "metrics"))]
        router.with_state(Arc::new(self))
    }

    /// Binds to an address, and returns a handle and the task that serves it. Every client that can reach the address can
    /// read the names of resources and namespaces, and error messages: bind to loopback or to a trusted network.
    pub async fn serve(self, address: impl Into<SocketAddr>) -> io::Result<(Serving, ServeTask)> {
        serve(self.router(), address.into()).await
    }

    /// Adds the metrics of informers, queues and graphs to our own.
    #[cfg(feature = "metrics")]
    fn with_collectors(mut self) -> Self {
        self.own.register_collector(Box::new(self.factory.metrics()));
        self.own.register_collector(Box::new(self.queues.clone()));
        #[cfg(feature = "derived")]
        if let Some(graphs) = &self.graphs {
            self.own.register_collector(Box::new(graphs.clone()));
        }
        self
    }
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoints").field("factory", &self.factory).finish_non_exhaustive()
    }
}

#[cfg(feature = "metrics")]
async fn metrics(State(endpoints): State<Arc<Endpoints>>) -> Response {
    match catch_unwind(AssertUnwindSafe(|| endpoints.metrics())) {
        Ok(Ok(body)) => ([(header::CONTENT_TYPE, OPEN_METRICS)], body).into_response(),
        Ok(Err(fmt::Error)) => {
            (StatusCode::INTERNAL_SERVER_ERROR, "a collector of the registry returned an error\n")
                .into_response()
        }
        Err(_) => {
            (StatusCode::INTERNAL_SERVER_ERROR, "a collector of the registry panicked\n").into_response()
        }
    }
}

#[cfg(feature = "metrics")]
impl Endpoints {
    /// Encodes both registries as one text.
    fn metrics(&self) -> Result<String, fmt::Error> {
        let mut body = String::new();
        text::encode_registry(&mut body, &self.own)?;
        text::encode_registry(&mut body, &self.registry)?;
        text::encode_eof(&mut body)?;
        Ok(body)
    }
}

type QueryPairs = Query<Vec<(String, String)>>;

async fn healthz(State(endpoints): State<Arc<Endpoints>>, Query(query): QueryPairs) -> (StatusCode, String) {
    endpoints.health.answer(&ProbeQuery::new(query))
}

async fn readyz(State(endpoints): State<Arc<Endpoints>>, Query(query): QueryPairs) -> (StatusCode, String) {
    endpoints.readiness.answer(&ProbeQuery::new(query))
}

async fn one_of_healthz(
    State(endpoints): State<Arc<Endpoints>>,
    Path(check): Path<String>,
) -> (StatusCode, String) {
    endpoints.health.answer_one(&check)
}

async fn one_of_readyz(
    State(endpoints): State<Arc<Endpoints>>,
    Path(check): Path<String>,
) -> (StatusCode, String) {
    endpoints.readiness.answer_one(&check)
}

async fn informers(State(endpoints): State<Arc<Endpoints>>) -> Json<Value> {
    Json(endpoints.diagnostics())
}

async fn controllers(State(endpoints): State<Arc<Endpoints>>, Query(query): QueryPairs) -> Json<Vec<Value>> {
    let value = |name: &str| query.iter().find(|(key, _)| key == name).map(|(_, value)| &**value);
    let filter = value("key").map_or(ReconcileFilter::All, ReconcileFilter::Key);
    let mut found = endpoints.read_controllers(filter);
    found.retain(|controller| value("controller").is_none_or(|name| controller["name"] == name));
    Json(found)
}

fn is_running(factory: &SharedInformerFactory) -> Result<(), String> {
    match factory.is_stopped() {
        true => Err("all informers are stopped, so that no cache follows the server".to_owned()),
        false => Ok(()),
    }
}

fn are_synced(reports: &[InformerReport]) -> Result<(), String> {
    none_of(reports.iter().filter_map(|report| report.unsynced.as_ref()).map(ToString::to_string))
}

fn none_of(problems: impl Iterator<Item = String>) -> Result<(), String> {
    let problems: Vec<_> = problems.collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ")) }
}
