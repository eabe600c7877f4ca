//! The graph: a handle from which collections are made. All collections of a graph share one task and one published
//! state.

mod feed;

use std::fmt;
use std::sync::Arc;

use tidings_informer::SharedInformer;
use tidings_object::Object;

use crate::collection::{Collection, CollectionSnapshot, IntoOutput, Transformation};
use crate::element::Element;
use crate::error::{CollectionFault, DerivedError};
use crate::evaluation_context::EvaluationContext;
use crate::node::input::InformerInput;
use crate::node::transform::{Evaluate, RouteKeys};
use crate::shared::{GraphConfig, GraphShared, KeepAlive, WatchedInformer};
use crate::state::{GraphState, InputVersion};
use crate::stats::CollectionStats;
use crate::task::GraphTask;

pub use feed::Feed;

/// Makes collections. All collections of a graph see the same state of their inputs, and are published together.
///
/// This is a handle: its clones are the same graph. [`Graph::new`] returns the handle and a task, which does the work;
/// run it beside the informers.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_derived::Graph;
/// use tidings_factory::SharedInformerFactory;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let server = tidings_apiserver::ApiServer::start().await;
/// # server.put("pods", serde_json::json!({ "metadata": { "namespace": "shop", "name": "web-0" },
/// #     "spec": { "nodeName": "node-1", "containers": [] } }));
/// # let client = server.client();
/// let factory = SharedInformerFactory::new(client);
/// let (graph, task) = Graph::new("pods-by-node");
/// let pods = graph.informer(&factory.informer::<Pod>());
/// let nodes = pods.map("nodes", |_, pod| Some((pod.key().into_owned(), pod.field_text(".spec.nodeName")?)));
///
/// let running = factory.start();
/// let mut tasks = tokio::task::JoinSet::new();
/// tasks.spawn(task.run());
/// nodes.synced().await?;
/// assert_eq!(nodes.lister().get("shop/web-0").unwrap().1, "node-1");
/// # graph.stop();
/// # running.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Graph {
    pub(crate) shared: Arc<GraphShared>,
    /// While it is held, the task waits for new collections.
    _keep_alive: Arc<KeepAlive>,
}

/// The options of a graph.
#[must_use = "call `build` to get the graph"]
pub struct GraphBuilder {
    config: GraphConfig,
}

/// One published state of all collections of a graph.
#[derive(Clone)]
pub struct GraphSnapshot {
    state: Arc<GraphState>,
    graph: Arc<GraphShared>,
}

impl Graph {
    /// A graph with default options, and its task. Nothing happens before the task runs.
    pub fn new(name: impl Into<String>) -> (Graph, GraphTask) {
        Graph::builder(name).build()
    }

    /// Builds a graph with options.
    pub fn builder(name: impl Into<String>) -> GraphBuilder {
        let config = GraphConfig { name: name.into(), seed: 0, checks_purity: false, on_fault: None };
        GraphBuilder { config }
    }

    /// The cache of an informer as a collection. It copies nothing. It keeps the informer running.
    pub fn informer<K: 'static>(&self, informer: &SharedInformer<K>) -> Collection<Object<K>> {
        let (publications, weak) = (informer.publications(), informer.downgrade());
        let watched = WatchedInformer { publications, informer: weak, is_synced: false };
        let (own, seed) = (informer.clone(), self.shared.config.seed);
        let added = self.shared.add_node(informer.name(), "informer", Some(watched), |shared| {
            Box::new(InformerInput::new(shared, own, seed))
        });
        Collection::new(&self.shared, added)
    }

    /// A collection of at most one value. The function may read any collection.
    pub fn singleton<R, F>(&self, options: impl Into<Transformation>, function: F) -> Collection<R::Output>
    where
        R: IntoOutput<Output: Element>,
        F: for<'a> Fn(&EvaluationContext<'a>) -> R + Send + 'static,
    {
        let evaluate: Evaluate<R::Output> =
            Box::new(move |cx, _| Some(function(cx).into_output().map(crate::collection::computed)));
        crate::collection::derive(&self.shared, options.into(), "singleton", RouteKeys::One, evaluate)
    }

    /// The newest published state of all collections.
    pub fn snapshot(&self) -> GraphSnapshot {
        GraphSnapshot { state: self.shared.published.load(), graph: Arc::clone(&self.shared) }
    }

    /// Waits until a state is published that is newer than the one with this number, and returns its number.
    pub async fn changed_since(&self, round: u64) -> u64 {
        let mut rounds = self.shared.round.subscribe();
        match rounds.wait_for(|newest| *newest > round).await {
            Ok(newest) => *newest,
            Err(_) => round,
        }
    }

    /// The statistics of every collection in use.
    pub fn stats(&self) -> Vec<CollectionStats> {
        self.shared.collections().iter().map(|collection| collection.stats()).collect()
    }

    /// Waits until every collection that is in use now has synced.
    pub async fn synced(&self) -> Result<(), DerivedError> {
        for collection in self.shared.collections() {
            self.shared.wait_synced(&collection).await?;
        }
        Ok(())
    }

    /// Stops the graph. Pending notifications are delivered, within 30 s. The last state stays readable.
    pub fn stop(&self) {
        self.shared.stop.cancel();
    }

    /// Waits until it has stopped.
    pub async fn stopped(&self) {
        self.shared.stopped.wait().await;
    }
}

impl GraphBuilder {
    /// The seed of the hashes of keys, for runs that must repeat exactly. Keys come from outside, so that a program that
    /// is attacked with chosen keys should set a secret one.
    pub fn seed(mut self, seed: u64) -> Self {
        self.config.seed = seed;
        self
    }

    /// Runs each function twice and reports those whose results differ. For tests.
    pub fn check_purity(mut self) -> Self {
        self.config.checks_purity = true;
        self
    }

    /// Called with every fault: failed evaluations, keys that are not unique, panics of handlers. Faults are logged too.
    pub fn on_fault(mut self, hook: impl Fn(&CollectionFault) + Send + Sync + 'static) -> Self {
        self.config.on_fault = Some(Arc::new(hook));
        self
    }

    /// The graph, and its task.
    pub fn build(self) -> (Graph, GraphTask) {
        let shared = Arc::new(GraphShared::new(self.config));
        let keep_alive = Arc::new(KeepAlive(Arc::clone(&shared)));
        let task = GraphTask::new(Arc::clone(&shared), Arc::downgrade(&keep_alive));
        (Graph { shared, _keep_alive: keep_alive }, task)
    }
}

impl GraphSnapshot {
    /// One collection in this state. It is an error if the collection had not synced, or belongs to another graph.
    pub fn of<E: Element>(&self, collection: &Collection<E>) -> Result<CollectionSnapshot<E>, DerivedError> {
        if !Arc::ptr_eq(&self.graph, &collection.graph) {
            let reason = format!("it belongs to another graph than {:?}", self.graph.config.name);
            return Err(DerivedError::NotSynced { collection: collection.name().to_owned(), reason });
        }
        collection.snapshot_of(Arc::clone(&self.state))
    }

    /// The number of the round that published this state; 0 before the first one.
    pub fn round(&self) -> u64 {
        self.state.round
    }

    /// The versions of the informers in this state.
    pub fn versions(&self) -> &[InputVersion] {
        &self.state.versions
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("name", &self.shared.config.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for GraphBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphBuilder").field("name", &self.config.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for GraphSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphSnapshot").field("round", &self.state.round).finish_non_exhaustive()
    }
}
