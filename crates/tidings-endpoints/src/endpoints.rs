//! The endpoints, put together: whose informers, which registry, which checks.

use std::fmt;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;
use tidings_factory::{InformerReport, SharedInformerFactory};
use tidings_workqueue::QueueMetrics;

use crate::check::{Asked, Checks};
use crate::diagnostics::Diagnostics;
use crate::serve::{ServeError, ServeTask, Serving, serve};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What an operator may ask of the informers of one factory:
///
/// | path | answer |
/// |---|---|
/// | `/metrics` | every metric of the registry and of the informers, in OpenMetrics text |
/// | `/healthz` | 200 as long as restarting the program would mend nothing, 500 otherwise |
/// | `/readyz` | 200 while every cache is filled and follows the server, 500 otherwise |
/// | `/informers` | [`Diagnostics`] in JSON: each informer and each queue; nothing of any object's body |
///
/// `/healthz` and `/readyz` take `?verbose`, `?exclude=NAME`, and one check's name as in `/readyz/informer-sync`.
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
#[must_use = "it answers nothing unless its router is mounted or served"]
pub struct Endpoints {
    factory: SharedInformerFactory,
    registry: Registry,
    /// What we show ourselves.
    own: Registry,
    queues: QueueMetrics,
    health: Checks,
    readiness: Checks,
}

/// What the router reads from.
struct Sources {
    factory: SharedInformerFactory,
    registry: Registry,
    own: Registry,
    queues: QueueMetrics,
    health: Checks,
    readiness: Checks,
}

impl Endpoints {
    /// The endpoints of a factory's informers. Health and readiness have a check `informers`: no informer, and none of
    /// its lists and watches, has ended without being asked to; and a check `stopped`: not every
    /// [`Running`](tidings_factory::Running) of the factory has ended. Readiness also has `informer-sync`: every informer
    /// that was asked for has been filled.
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
            registry: Registry::default(),
            own: Registry::default(),
            queues: QueueMetrics::new(),
            health,
            readiness,
        }
    }

    /// Shows these metrics beside those of the informers, which are added by themselves. A prefix or labels of this registry
    /// are for what is registered in it: ours keep the names under which they are documented.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Shows what this collects as well, beside the informers and under its own names, whatever prefix the
    /// [registry](Self::registry) has.
    pub fn collector(mut self, collector: impl Collector + 'static) -> Self {
        self.own.register_collector(Box::new(collector));
        self
    }

    /// Shows these work queues too, in `/metrics` and in `/informers`: those of a controller, or a program's own.
    pub fn queues(mut self, queues: QueueMetrics) -> Self {
        self.queues = queues;
        self
    }

    /// Restarting the program would mend what this check finds. It must answer at once; a panic is a failure.
    pub fn health_check<E: fmt::Display>(
        mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        self.health.add(name, move || check().map_err(|error| error.to_string()));
        self
    }

    /// The program can't serve while this check fails. It must answer at once; a panic is a failure.
    pub fn readiness_check<E: fmt::Display>(
        mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        self.readiness.add(name, move || check().map_err(|error| error.to_string()));
        self
    }

    /// A router to mount in a server of your own.
    pub fn router(self) -> Router {
        let Endpoints { factory, registry, mut own, queues, health, readiness } = self;
        own.register_collector(Box::new(factory.metrics()));
        own.register_collector(Box::new(queues.clone()));
        Router::new()
            .route("/metrics", get(metrics))
            .route("/healthz", get(healthz))
            .route("/healthz/{check}", get(one_of_healthz))
            .route("/readyz", get(readyz))
            .route("/readyz/{check}", get(one_of_readyz))
            .route("/informers", get(informers))
            .with_state(Arc::new(Sources { factory, registry, own, queues, health, readiness }))
    }

    /// Binds to an address, and gives a handle and the task that serves it. Whoever can reach the address can read
    /// the names of resources and namespaces, and error messages: bind to loopback or a network that is trusted.
    pub async fn serve(self, address: impl Into<SocketAddr>) -> Result<(Serving, ServeTask), ServeError> {
        serve(self.router(), address.into()).await
    }
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoints").field("factory", &self.factory).finish_non_exhaustive()
    }
}

async fn metrics(State(sources): State<Arc<Sources>>) -> Response {
    match catch_unwind(AssertUnwindSafe(|| sources.metrics())) {
        Ok(Ok(body)) => ([(header::CONTENT_TYPE, OPEN_METRICS)], body).into_response(),
        Ok(Err(fmt::Error)) => {
            (StatusCode::INTERNAL_SERVER_ERROR, "a collector of the registry gave an error\n").into_response()
        }
        Err(_) => {
            (StatusCode::INTERNAL_SERVER_ERROR, "a collector of the registry panicked\n").into_response()
        }
    }
}

impl Sources {
    /// Two registries in one text, which ends once.
    fn metrics(&self) -> Result<String, fmt::Error> {
        let mut body = String::new();
        text::encode_registry(&mut body, &self.own)?;
        text::encode_registry(&mut body, &self.registry)?;
        text::encode_eof(&mut body)?;
        Ok(body)
    }
}

type Pairs = Query<Vec<(String, String)>>;

async fn healthz(State(sources): State<Arc<Sources>>, Query(query): Pairs) -> (StatusCode, String) {
    sources.health.answer(&Asked::new(query))
}

async fn readyz(State(sources): State<Arc<Sources>>, Query(query): Pairs) -> (StatusCode, String) {
    sources.readiness.answer(&Asked::new(query))
}

async fn one_of_healthz(
    State(sources): State<Arc<Sources>>,
    Path(check): Path<String>,
) -> (StatusCode, String) {
    sources.health.answer_one(&check)
}

async fn one_of_readyz(
    State(sources): State<Arc<Sources>>,
    Path(check): Path<String>,
) -> (StatusCode, String) {
    sources.readiness.answer_one(&check)
}

async fn informers(State(sources): State<Arc<Sources>>) -> Json<Diagnostics> {
    Json(Diagnostics::of(&sources.factory).with_queues(&sources.queues))
}

fn is_running(factory: &SharedInformerFactory) -> Result<(), String> {
    match factory.is_stopped() {
        true => Err("every informer was stopped: no cache follows the server".to_owned()),
        false => Ok(()),
    }
}

fn are_synced(reports: &[InformerReport]) -> Result<(), String> {
    none_of(reports.iter().filter_map(|report| report.unsynced.as_ref()).map(ToString::to_string))
}

fn none_of(troubles: impl Iterator<Item = String>) -> Result<(), String> {
    let troubles: Vec<_> = troubles.collect();
    if troubles.is_empty() { Ok(()) } else { Err(troubles.join("; ")) }
}
