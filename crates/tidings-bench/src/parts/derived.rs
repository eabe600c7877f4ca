//! Derived collections: pods become workloads, and the workloads of one application become one list. The task of the
//! graph is polled by hand, so that nothing depends on a scheduler.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use k8s_openapi::api::core::v1::Pod;
use tidings::derived::{Collection, Feed, Graph};
use tidings_object::{FieldPath, Intake, Object, RawObject};

use super::{fixture, intake, measured, take_in};

/// The pods of one application.
const PODS_PER_APPLICATION: u64 = 50;

/// A graph over pods, with the task that works when it is polled.
struct PodGraph {
    feed: Feed<Object<Pod>>,
    outputs: Collection<(String, Vec<Arc<str>>)>,
    task: Pin<Box<dyn Future<Output = ()>>>,
    _graph: Graph,
}

impl PodGraph {
    fn new() -> Self {
        let (graph, task) = Graph::new("bench");
        let (feed, pods) = graph.feed::<Object<Pod>>("pods");
        let workloads = pods.map("workloads", |_, pod| {
            let ip: Arc<str> = pod.field_text(".status.podIP")?.into();
            let number =
                pod.key().bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
            Some((pod.key().into_owned(), (number % 40, ip)))
        });
        let by_application = workloads.index(|(_, (application, _))| vec![application.to_string()]);
        let applications = graph.fixed("applications", (0..40).map(|number| (number.to_string(), ())));
        let outputs = applications.map("outputs", move |cx, application| {
            let selected = cx.by_index(&by_application, &application.key());
            Some((application.key().into_owned(), selected.iter().map(|one| Arc::clone(&one.1.1)).collect()))
        });
        feed.complete();
        PodGraph { feed, outputs, task: Box::pin(task.run()), _graph: graph }
    }

    /// Runs rounds until nothing is left to do.
    fn work(&mut self) {
        assert!(self.task.as_mut().now_or_never().is_none(), "a graph runs until it is stopped");
    }

    fn built(count: u64) -> (Self, Intake) {
        let intake = prefetching_intake();
        let mut graph = PodGraph::new();
        graph.feed.replace(pods(&intake, 0, count));
        graph.work();
        assert_eq!(graph.outputs.lister().len(), 40);
        (graph, intake)
    }
}

/// An intake as an informer has it after a function has read a field.
fn prefetching_intake() -> Intake {
    let intake = intake();
    intake.origin().prefetch_field(&FieldPath::parse(".status.podIP").expect("a path"));
    intake
}

/// Pods of one generation: the address and the version depend on it.
fn pods(intake: &Intake, generation: u64, count: u64) -> Vec<Object<Pod>> {
    (0..count).map(|number| Object::new(pod(intake, number, generation, generation))).collect()
}

fn pod(intake: &Intake, number: u64, version: u64, address: u64) -> Arc<RawObject> {
    let mut pod: serde_json::Value = serde_json::from_str(&fixture::pod(number)).expect("a fixture is JSON");
    pod["metadata"]["resourceVersion"] = (1_000_000 + version).to_string().into();
    pod["status"]["podIP"] = format!("10.{}.{}.{}", address % 256, number / 256 % 256, number % 256).into();
    take_in(intake, &pod.to_string())
}

/// The first round: every pod is evaluated.
pub(crate) fn build(times: u64) {
    let intake = prefetching_intake();
    let (pods, mut graph) = (pods(&intake, 0, times), PodGraph::new());
    measured(|| {
        graph.feed.replace(pods);
        graph.work();
    });
    assert_eq!(graph.outputs.lister().len(), 40);
}

/// One round for each changed pod, with all pods of its application.
pub(crate) fn update(times: u64) {
    let (mut graph, intake) = PodGraph::built(40 * PODS_PER_APPLICATION);
    let pods = pods(&intake, 1, times);
    measured(|| {
        for pod in pods {
            graph.feed.set(pod);
            graph.work();
        }
    });
}

/// One round for each pod that changes in nothing that a function has read.
pub(crate) fn heartbeat(times: u64) {
    let (mut graph, intake) = PodGraph::built(40 * PODS_PER_APPLICATION);
    let pods: Vec<Object<Pod>> =
        (0..times).map(|number| Object::new(pod(&intake, number % 2_000, number + 1, 0))).collect();
    measured(|| {
        for pod in pods {
            graph.feed.set(pod);
            graph.work();
        }
    });
}
