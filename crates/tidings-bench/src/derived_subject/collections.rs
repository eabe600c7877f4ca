//! The collections that are measured.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use k8s_openapi::api::core::v1::{Node, Pod, Service};
use tidings::derived::{Collection, Graph, Keyed};
use tidings::{LabelSelector, Object};
use tokio::task::JoinSet;

use super::{Case, Running, Subject};

/// The only label of a node that is read.
pub(super) const ZONE: &str = "topology.kubernetes.io/zone";

/// A pod with the zone of its node.
#[derive(Clone, PartialEq, Eq)]
struct Workload {
    key: String,
    app: String,
    ip: String,
    zone: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) ip: String,
    pub(super) zone: String,
}

/// The addresses that a service or a policy selects.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Endpoints {
    key: String,
    pub(super) addresses: Vec<Address>,
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
        outputs.add_handler("count", |_| {})?;
        let mut tasks = JoinSet::new();
        tasks.spawn(task.run());
        outputs.synced().await?;
        Ok(Running {
            graph,
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
        let address = |ip| Address { ip, zone: String::new() };
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
            app: pod.label("app")?.to_owned(),
            ip: pod.field_text(".status.podIP")?,
            zone: zone.to_owned(),
        })
    });
    let by_app = workloads.index(|workload| vec![workload.app.clone()]);
    let evaluations = Arc::clone(evaluations);
    services.map("endpoints", move |cx, service| {
        evaluations.fetch_add(1, Ordering::Relaxed);
        let selected = cx.by_index(&by_app, &service.field_text(".spec.selector.app")?);
        let mut addresses = Vec::with_capacity(selected.len());
        for workload in &selected {
            addresses.push(Address { ip: workload.ip.clone(), zone: workload.zone.clone() });
        }
        addresses.sort();
        Some(Endpoints { key: service.key().into_owned(), addresses })
    })
}
