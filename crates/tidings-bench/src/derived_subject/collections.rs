//! The collections that are measured.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use k8s_openapi::api::core::v1::{Node, Pod, Service};
use tidings::derived::{Collection, CollectionNotification, Graph, Keyed, Value};
use tidings::{LabelSelector, Object};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::{Case, Running, Subject};

/// The only label of a node that is read.
pub(super) const ZONE: &str = "topology.kubernetes.io/zone";

/// A pod with the zone of its node. Texts are shared, as strings are in Go.
#[derive(Clone, PartialEq, Eq)]
struct Workload {
    key: String,
    app: Arc<str>,
    ip: Arc<str>,
    zone: Arc<str>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) ip: Arc<str>,
    pub(super) zone: Arc<str>,
}

/// The addresses that a service or a policy selects.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Endpoints {
    key: String,
    pub(super) addresses: Vec<Address>,
}

/// The last outputs that a handler received.
#[derive(Default)]
pub(super) struct Latest {
    by_key: Mutex<HashMap<String, Value<Endpoints>>>,
    changed: Notify,
}

impl Latest {
    fn take(&self, notification: &CollectionNotification<Endpoints>) {
        let value = notification.value();
        self.lock().insert(value.key.clone(), value.clone());
        self.changed.notify_one();
    }

    /// Waits until an output passes a test.
    pub(super) async fn shows(&self, key: &str, shows: impl Fn(&Endpoints) -> bool) {
        while !self.lock().get(key).is_some_and(|found| shows(found)) {
            self.changed.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Value<Endpoints>>> {
        self.by_key.lock().expect("no thread panics while it holds the lock")
    }
}

impl Keyed for Workload {
    fn key(&self) -> Cow<'_, str> {
        self.key.as_str().into()
    }
}

impl Keyed for Endpoints {
    fn key(&self) -> Cow<'_, str> {
        self.key.as_str().into()
    }
}

impl Subject {
    /// Makes the collections and waits until they have synced.
    pub(super) async fn build(&self, which: Case) -> anyhow::Result<Running> {
        let (graph, task) = Graph::new("bench");
        let (pod_feed, pods) = graph.feed::<Object<Pod>>("pods");
        let (node_feed, nodes) = graph.feed::<Object<Node>>("nodes");
        let (service_feed, services) = graph.feed::<Object<Service>>("services");
        pod_feed.replace(self.pods.all.iter().cloned());
        node_feed.replace(self.nodes.all.iter().cloned());
        let evaluations = &self.evaluations;
        let outputs = match which {
            Case::Policies => {
                service_feed.replace(self.policies.all.iter().cloned());
                policy_pods(&services, pods, evaluations)
            }
            Case::Endpoints => {
                service_feed.replace(self.services.all.iter().cloned());
                service_endpoints(&services, &pods, nodes, evaluations)
            }
        };
        pod_feed.complete();
        node_feed.complete();
        service_feed.complete();
        let latest = Arc::new(Latest::default());
        let own = Arc::clone(&latest);
        let registration = outputs.add_handler("latest", move |notification| own.take(notification))?;
        let mut tasks = JoinSet::new();
        tasks.spawn(task.run());
        outputs.synced().await?;
        registration.synced().await?;
        Ok(Running {
            _graph: graph,
            latest,
            pods: pod_feed,
            nodes: node_feed,
            services: service_feed,
            outputs,
            _tasks: tasks,
        })
    }
}

/// Policies with the addresses of the pods that each selects.
fn policy_pods(
    policies: &Collection<Object<Service>>,
    pods: Collection<Object<Pod>>,
    evaluations: &Arc<AtomicU64>,
) -> Collection<Endpoints> {
    let evaluations = Arc::clone(evaluations);
    policies.map("policies", move |cx, policy| {
        evaluations.fetch_add(1, Ordering::Relaxed);
        let app = policy.field_text(".spec.selector.app")?;
        let selected = cx.select(&pods, &LabelSelector::from_iter([("app", app)]));
        let zone: Arc<str> = Arc::default();
        let address = |ip: String| Address { ip: ip.into(), zone: Arc::clone(&zone) };
        let mut addresses: Vec<_> =
            selected.iter().filter_map(|pod| pod.field_text(".status.podIP").map(address)).collect();
        addresses.sort();
        Some(Endpoints { key: policy.key().into_owned(), addresses })
    })
}

/// Pods joined with their nodes, and the result with services.
fn service_endpoints(
    services: &Collection<Object<Service>>,
    pods: &Collection<Object<Pod>>,
    nodes: Collection<Object<Node>>,
    evaluations: &Arc<AtomicU64>,
) -> Collection<Endpoints> {
    let counted = Arc::clone(evaluations);
    let workloads = pods.map("workloads", move |cx, pod| {
        counted.fetch_add(1, Ordering::Relaxed);
        let node = cx.get(&nodes, &pod.field_text(".spec.nodeName")?);
        let zone = node.as_ref().and_then(|node| node.label(ZONE)).unwrap_or_default();
        Some(Workload {
            key: pod.key().into_owned(),
            app: pod.label("app")?.into(),
            ip: pod.field_text(".status.podIP")?.into(),
            zone: zone.into(),
        })
    });
    let by_app = workloads.index(|workload| vec![workload.app.to_string()]);
    let evaluations = Arc::clone(evaluations);
    services.map("endpoints", move |cx, service| {
        evaluations.fetch_add(1, Ordering::Relaxed);
        let selected = cx.by_index(&by_app, &service.field_text(".spec.selector.app")?);
        let mut addresses = Vec::with_capacity(selected.len());
        for workload in &selected {
            let workload: &Workload = workload;
            addresses.push(Address { ip: Arc::clone(&workload.ip), zone: Arc::clone(&workload.zone) });
        }
        addresses.sort();
        Some(Endpoints { key: service.key().into_owned(), addresses })
    })
}
