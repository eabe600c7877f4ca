//! Derived collections of the demo: the pods of each node, counted by phase.

use kube_core::dynamic::DynamicObject;
use tidings::SharedInformer;
use tidings::derived::{Collection, Graph, GraphTask};

/// How many pods of a node run, and how many do not, by the name of the node.
pub(crate) type NodeLoad = (String, (usize, usize));

/// The graph over the informers of pods and nodes. The collection must be kept: a graph drops what nothing uses.
pub(crate) fn placement(
    pods: &SharedInformer<DynamicObject>,
    nodes: &SharedInformer<DynamicObject>,
) -> (Graph, GraphTask, Collection<NodeLoad>) {
    let (graph, task) = Graph::new("placement");
    let (pods, nodes) = (graph.informer(pods), graph.informer(nodes));
    let placed = pods.map("placed", |_, pod| {
        let (node, phase) = (pod.field_text(".spec.nodeName")?, pod.field_text(".status.phase"));
        Some((pod.key().into_owned(), (node, phase.unwrap_or_default())))
    });
    let by_node = placed.index(|(_, (node, _))| vec![node.clone()]);
    let load = nodes.map("load", move |cx, node| {
        let pods = cx.by_index(&by_node, &node.name());
        let running = pods.iter().filter(|pod| pod.1.1 == "Running").count();
        Some((node.name(), (running, pods.len() - running)))
    });
    (graph, task, load)
}
