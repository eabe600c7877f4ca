//! What several tests need: objects without a server, graphs that run, and waits.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use serde_json::Value as Json;
use tidings_derived::{Collection, CollectionFault, Element, Feed, Graph, GraphBuilder, Value};
use tidings_object::{Budget, Intake, Kind, NothingKnown, Object};
use tokio::task::JoinSet;

/// A value that changes in each round: its name and its number.
type Tick = (String, u64);

/// A graph whose task runs, with a log of its faults.
pub(crate) struct RunningGraph {
    pub(crate) graph: Graph,
    pub(crate) faults: Arc<parking_lot::Mutex<Vec<CollectionFault>>>,
    ticks: (Feed<Tick>, Collection<Tick>),
    next_tick: std::cell::Cell<u64>,
    pub(crate) tasks: JoinSet<()>,
}

impl RunningGraph {
    pub(crate) fn new() -> Self {
        Self::with(|builder| builder)
    }

    pub(crate) fn with(configure: impl FnOnce(GraphBuilder) -> GraphBuilder) -> Self {
        let faults = Arc::new(parking_lot::Mutex::new(Vec::new()));
        let log = Arc::clone(&faults);
        let builder = Graph::builder("test").seed(1).on_fault(move |fault| log.lock().push(fault.clone()));
        let (graph, task) = configure(builder).build();
        let ticks = graph.feed("ticks");
        ticks.0.complete();
        let mut tasks = JoinSet::new();
        tasks.spawn(task.run());
        RunningGraph { graph, faults, ticks, next_tick: std::cell::Cell::new(1), tasks }
    }

    /// Waits until everything that was fed before is published.
    pub(crate) async fn settled(&self) {
        let tick = self.next_tick.replace(self.next_tick.get() + 1);
        self.ticks.0.set(("tick".to_owned(), tick));
        within(async {
            loop {
                let snapshot = self.graph.snapshot();
                if snapshot
                    .of(&self.ticks.1)
                    .ok()
                    .and_then(|ticks| ticks.get("tick"))
                    .is_some_and(|own| own.1 == tick)
                {
                    return;
                }
                self.graph.changed_since(snapshot.round()).await;
            }
        })
        .await;
    }

    pub(crate) fn take_faults(&self) -> Vec<String> {
        self.faults.lock().drain(..).map(|fault| fault.to_string()).collect()
    }
}

/// Fails if something takes more than an hour of paused time.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(3600), future).await.expect("it takes too long")
}

/// Makes objects of JSON.
pub(crate) struct Objects {
    intake: Intake,
    version: std::cell::Cell<u64>,
}

impl Objects {
    pub(crate) fn new() -> Self {
        Objects {
            intake: Intake::new(Pod::resource(), Arc::new(Budget::default())),
            version: std::cell::Cell::new(1),
        }
    }

    /// An object with a version and a uid.
    pub(crate) fn object(&self, mut object: Json) -> Object<Json> {
        self.version.set(self.version.get() + 1);
        object["metadata"]["resourceVersion"] = self.version.get().to_string().into();
        object["metadata"]["uid"] = object["metadata"]["name"].clone();
        let bytes = serde_json::to_vec(&object).unwrap();
        Object::new(self.intake.json(&bytes, &NothingKnown).unwrap())
    }
}

/// The keys and values of a collection, by key.
pub(crate) fn values<E: Element>(collection: &Collection<E>) -> Vec<E> {
    collection.lister().list().iter().map(|value: &Value<E>| E::clone(value)).collect()
}
