//! Whether a pod fits on a node: its selector and affinity, taints, and what is left of cpu, memory and pods.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::api::core::v1::{
    Node, NodeSelectorRequirement, NodeSelectorTerm, NodeSpec, NodeStatus, Pod, PodSpec, Taint, Toleration,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::object::{name, part};

/// Why a pod does not fit on a node, in the order in which Kubernetes checks it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Misfit {
    Unschedulable,
    Affinity,
    Taint(String),
    Pods,
    Cpu,
    Memory,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Unschedulable => f.write_str("node(s) were unschedulable"),
            Misfit::Affinity => f.write_str("node(s) didn't match Pod's node affinity/selector"),
            Misfit::Taint(taint) => write!(f, "node(s) had untolerated taint {{{taint}}}"),
            Misfit::Pods => f.write_str("Too many pods"),
            Misfit::Cpu => f.write_str("Insufficient cpu"),
            Misfit::Memory => f.write_str("Insufficient memory"),
        }
    }
}

/// A node, and what its pods leave free.
pub(crate) struct Room {
    node: Node,
    pub(crate) pods: usize,
    cpu: f64,
    memory: f64,
}

impl Room {
    pub(crate) fn of(node: &Node) -> Self {
        Room { node: node.clone(), pods: 0, cpu: 0.0, memory: 0.0 }
    }

    pub(crate) fn name(&self) -> &str {
        name(&self.node)
    }

    /// Takes the room that a pod needs.
    pub(crate) fn add(&mut self, pod: &Pod) {
        self.pods += 1;
        if let Some(spec) = part::<PodSpec>(&pod.spec) {
            self.cpu += requested(spec, "cpu");
            self.memory += requested(spec, "memory");
        }
    }

    /// Why the pod does not fit here, if it does not.
    pub(crate) fn misfit(&self, _pod: &Pod, spec: &PodSpec) -> Option<Misfit> {
        if !matches_node(spec, &self.node) {
            return Some(Misfit::Affinity);
        }
        if let Some(misfit) = repelled(spec, &self.node) {
            return Some(misfit);
        }
        let limit = |resource: &str| self.allocatable(resource);
        if limit("pods").is_some_and(|limit| self.pods as f64 + 1.0 > limit) {
            return Some(Misfit::Pods);
        }
        if limit("cpu").is_some_and(|limit| self.cpu + requested(spec, "cpu") > limit) {
            return Some(Misfit::Cpu);
        }
        let is_short = limit("memory").is_some_and(|limit| self.memory + requested(spec, "memory") > limit);
        is_short.then_some(Misfit::Memory)
    }

    /// What the node has of a resource. A node that reports nothing has no limit.
    fn allocatable(&self, resource: &str) -> Option<f64> {
        let status = part::<NodeStatus>(&self.node.status)?;
        let amounts = status.allocatable.as_ref().or(status.capacity.as_ref())?;
        quantity(amounts.get(resource)?)
    }
}

/// Whether the node selector and the required node affinity of a pod match a node.
pub(crate) fn matches_node(spec: &PodSpec, node: &Node) -> bool {
    let labels = node.metadata.labels.clone().unwrap_or_default();
    let has_labels = spec.node_selector.iter().flatten().all(|(key, value)| labels.get(key) == Some(value));
    let affinity = spec.affinity.as_ref().and_then(|affinity| affinity.node_affinity.as_ref());
    let required = affinity
        .and_then(|affinity| affinity.required_during_scheduling_ignored_during_execution.as_ref())
        .map(|required| &required.node_selector_terms);
    let fields = BTreeMap::from([("metadata.name".to_owned(), name(node).to_owned())]);
    has_labels && required.is_none_or(|terms| terms.iter().any(|term| matches_term(term, &labels, &fields)))
}

/// A term without requirements matches nothing.
fn matches_term(
    term: &NodeSelectorTerm,
    labels: &BTreeMap<String, String>,
    fields: &BTreeMap<String, String>,
) -> bool {
    let expressions = term.match_expressions.iter().flatten().map(|requirement| (requirement, labels));
    let mut all = expressions
        .chain(term.match_fields.iter().flatten().map(|requirement| (requirement, fields)))
        .peekable();
    all.peek().is_some() && all.all(|(requirement, values)| matches_requirement(requirement, values))
}

fn matches_requirement(requirement: &NodeSelectorRequirement, values: &BTreeMap<String, String>) -> bool {
    let found = values.get(&requirement.key);
    let wanted = requirement.values.as_deref().unwrap_or_default();
    let compare = |is: fn(i64, i64) -> bool| {
        let number = |text: Option<&String>| text.and_then(|text| text.parse().ok());
        number(found).zip(number(wanted.first())).is_some_and(|(found, wanted)| is(found, wanted))
    };
    match requirement.operator.as_str() {
        "In" => found.is_some_and(|found| wanted.contains(found)),
        "NotIn" => found.is_none_or(|found| !wanted.contains(found)),
        "Exists" => found.is_some(),
        "DoesNotExist" => found.is_none(),
        "Gt" => compare(|found, wanted| found > wanted),
        "Lt" => compare(|found, wanted| found < wanted),
        _ => false,
    }
}

/// Why a node does not accept a pod: it is cordoned, or has a taint that the pod does not tolerate.
pub(crate) fn repelled(spec: &PodSpec, node: &Node) -> Option<Misfit> {
    let node_spec = part::<NodeSpec>(&node.spec)?;
    let cordon = Taint {
        key: "node.kubernetes.io/unschedulable".to_owned(),
        effect: "NoSchedule".to_owned(),
        ..Taint::default()
    };
    let tolerations = spec.tolerations.as_deref().unwrap_or_default();
    let is_tolerated = |taint: &Taint| tolerations.iter().any(|toleration| tolerates(toleration, taint));
    if node_spec.unschedulable == Some(true) && !is_tolerated(&cordon) {
        return Some(Misfit::Unschedulable);
    }
    let hard = node_spec.taints.iter().flatten().filter(|taint| taint.effect != "PreferNoSchedule");
    let taint = hard.into_iter().find(|taint| !is_tolerated(taint))?;
    let value = taint.value.as_deref().unwrap_or_default();
    Some(Misfit::Taint(format!("{}: {value}", taint.key)))
}

fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    let is_empty = |text: &Option<String>| text.as_deref().is_none_or(str::is_empty);
    let has_effect = is_empty(&toleration.effect) || toleration.effect.as_deref() == Some(&taint.effect);
    let has_key = is_empty(&toleration.key) || toleration.key.as_deref() == Some(&taint.key);
    let has_value = match toleration.operator.as_deref() {
        Some("Exists") => true,
        _ => toleration.value.as_deref().unwrap_or_default() == taint.value.as_deref().unwrap_or_default(),
    };
    has_effect && has_key && has_value
}

/// What all containers of a pod request of a resource.
fn requested(spec: &PodSpec, resource: &str) -> f64 {
    let requests =
        spec.containers.iter().filter_map(|container| container.resources.as_ref()?.requests.as_ref());
    requests.filter_map(|requests| quantity(requests.get(resource)?)).sum()
}

/// The value of a quantity: `500m`, `2`, `128Mi`, `1e3`.
fn quantity(quantity: &Quantity) -> Option<f64> {
    const SUFFIXES: [(&str, f64); 14] = [
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("Pi", 1_125_899_906_842_624.0),
        ("Ei", 1_152_921_504_606_846_976.0),
        ("n", 1e-9),
        ("u", 1e-6),
        ("m", 1e-3),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
    ];
    let text = quantity.0.as_str();
    let suffix = SUFFIXES.iter().find_map(|(suffix, factor)| Some((text.strip_suffix(suffix)?, factor)));
    let (number, factor) = suffix.map_or((text, 1.0), |(number, factor)| (number, *factor));
    number.parse::<f64>().ok().map(|number| number * factor)
}

#[cfg(test)]
mod tests;
