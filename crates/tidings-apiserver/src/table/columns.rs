//! Which columns each kind has.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{batch, cluster, networking, pod, workload};
use crate::resource::ResourceDef;

/// One column of a built-in kind.
pub(super) struct Column {
    name: &'static str,
    kind: &'static str,
    priority: u8,
    pub(super) cell: Cell,
}

/// Where a cell comes from. Paths are JSON pointers.
pub(super) enum Cell {
    /// What stands there, or nothing.
    Text(&'static str),
    /// What stands there, or `<none>`.
    Known(&'static str),
    /// What stands there, or `<unknown>`.
    Sought(&'static str),
    /// The number that stands there, or 0.
    Number(&'static str),
    /// How long ago the time is that stands there.
    Age(&'static str),
    /// Made of several fields.
    Made(fn(&Value) -> Value),
    /// Made of several fields and the time.
    MadeNow(fn(&Value, Timestamp) -> Value),
}

impl Column {
    pub(super) fn told(&self) -> Value {
        let format = if self.name == "Name" { "name" } else { "" };
        json!({
            "name": self.name, "type": self.kind, "format": format, "description": "", "priority": self.priority,
        })
    }

    const fn text(name: &'static str, cell: Cell) -> Self {
        Self { name, kind: "string", priority: 0, cell }
    }

    const fn number(name: &'static str, path: &'static str) -> Self {
        Self { name, kind: "integer", priority: 0, cell: Cell::Number(path) }
    }

    const fn typed(name: &'static str, kind: &'static str, cell: Cell) -> Self {
        Self { name, kind, priority: 0, cell }
    }

    /// Shown by `-o wide` only.
    const fn wide(name: &'static str, cell: Cell) -> Self {
        Self { name, kind: "string", priority: 1, cell }
    }
}

pub(super) const NAME: Column = Column::text("Name", Cell::Text("/metadata/name"));
const AGE: Column = Column::text("Age", Cell::Age("/metadata/creationTimestamp"));
const CREATED: Column = Column::typed("Created At", "date", Cell::Text("/metadata/creationTimestamp"));
const CONTAINERS: Column = Column::wide("Containers", Cell::Made(workload::containers));
const IMAGES: Column = Column::wide("Images", Cell::Made(workload::images));
const SELECTOR: Column = Column::wide("Selector", Cell::Made(workload::selector));

/// The columns of a kind; name and age for those that have none of their own.
pub(super) fn of(def: &ResourceDef) -> &'static [Column] {
    match (def.group.as_ref(), def.kind.as_ref()) {
        ("", "Pod") => PODS,
        ("", "Node") => NODES,
        ("", "Service") => SERVICES,
        ("", "Endpoints") => ENDPOINTS,
        ("", "ConfigMap") => CONFIG_MAPS,
        ("", "Secret") => SECRETS,
        ("", "Namespace") => NAMESPACES,
        ("" | "events.k8s.io", "Event") => EVENTS,
        ("", "PersistentVolume") => VOLUMES,
        ("", "PersistentVolumeClaim") => CLAIMS,
        ("apps", "Deployment") => DEPLOYMENTS,
        ("apps", "ReplicaSet") | ("", "ReplicationController") => REPLICA_SETS,
        ("apps", "StatefulSet") => STATEFUL_SETS,
        ("apps", "DaemonSet") => DAEMON_SETS,
        ("batch", "Job") => JOBS,
        ("batch", "CronJob") => CRON_JOBS,
        ("coordination.k8s.io", "Lease") => LEASES,
        ("networking.k8s.io", "Ingress") => INGRESSES,
        ("networking.k8s.io", "NetworkPolicy") => NETWORK_POLICIES,
        ("discovery.k8s.io", "EndpointSlice") => ENDPOINT_SLICES,
        ("node.k8s.io", "RuntimeClass") => RUNTIME_CLASSES,
        (
            "admissionregistration.k8s.io",
            "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration",
        ) => WEBHOOKS,
        ("policy", "PodDisruptionBudget") => DISRUPTION_BUDGETS,
        ("storage.k8s.io", "StorageClass") => STORAGE_CLASSES,
        ("scheduling.k8s.io", "PriorityClass") => PRIORITY_CLASSES,
        ("rbac.authorization.k8s.io", "Role" | "ClusterRole") => ROLES,
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => BINDINGS,
        ("apiextensions.k8s.io", "CustomResourceDefinition") => ROLES,
        _ if def.is_custom() => &[NAME, Column { kind: "date", ..AGE }],
        _ => &[NAME, AGE],
    }
}

static PODS: &[Column] = &[
    NAME,
    Column::text("Ready", Cell::Made(pod::ready)),
    Column::text("Status", Cell::Made(pod::status)),
    Column::text("Restarts", Cell::MadeNow(pod::restarts)),
    AGE,
    Column::wide("IP", Cell::Known("/status/podIP")),
    Column::wide("Node", Cell::Known("/spec/nodeName")),
    Column::wide("Nominated Node", Cell::Known("/status/nominatedNodeName")),
    Column::wide("Readiness Gates", Cell::Made(pod::readiness_gates)),
];

static DEPLOYMENTS: &[Column] = &[
    NAME,
    Column::text("Ready", Cell::Made(workload::ready)),
    Column::text("Up-to-date", Cell::Number("/status/updatedReplicas")),
    Column::text("Available", Cell::Number("/status/availableReplicas")),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static REPLICA_SETS: &[Column] = &[
    NAME,
    Column::number("Desired", "/spec/replicas"),
    Column::number("Current", "/status/replicas"),
    Column::number("Ready", "/status/readyReplicas"),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static STATEFUL_SETS: &[Column] =
    &[NAME, Column::text("Ready", Cell::Made(workload::ready)), AGE, CONTAINERS, IMAGES];

static DAEMON_SETS: &[Column] = &[
    NAME,
    Column::number("Desired", "/status/desiredNumberScheduled"),
    Column::number("Current", "/status/currentNumberScheduled"),
    Column::number("Ready", "/status/numberReady"),
    Column::number("Up-to-date", "/status/updatedNumberScheduled"),
    Column::number("Available", "/status/numberAvailable"),
    Column::text("Node Selector", Cell::Made(workload::node_selector)),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static JOBS: &[Column] = &[
    NAME,
    Column::text("Status", Cell::Made(batch::job_status)),
    Column::text("Completions", Cell::Made(batch::completions)),
    Column::text("Duration", Cell::MadeNow(batch::job_duration)),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static CRON_JOBS: &[Column] = &[
    NAME,
    Column::text("Schedule", Cell::Text("/spec/schedule")),
    Column::text("Timezone", Cell::Known("/spec/timeZone")),
    Column::typed("Suspend", "boolean", Cell::Made(batch::is_suspended)),
    Column::typed("Active", "integer", Cell::Made(batch::active)),
    Column::text("Last Schedule", Cell::MadeNow(batch::last_schedule)),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static NODES: &[Column] = &[
    NAME,
    Column::text("Status", Cell::Made(cluster::node_status)),
    Column::text("Roles", Cell::Made(cluster::node_roles)),
    AGE,
    Column::text("Version", Cell::Text("/status/nodeInfo/kubeletVersion")),
    Column::wide("Internal-IP", Cell::Made(cluster::node_internal_ip)),
    Column::wide("External-IP", Cell::Made(cluster::node_external_ip)),
    Column::wide("OS-Image", Cell::Sought("/status/nodeInfo/osImage")),
    Column::wide("Kernel-Version", Cell::Sought("/status/nodeInfo/kernelVersion")),
    Column::wide("Container-Runtime", Cell::Sought("/status/nodeInfo/containerRuntimeVersion")),
];

static NAMESPACES: &[Column] = &[NAME, Column::text("Status", Cell::Text("/status/phase")), AGE];

static CONFIG_MAPS: &[Column] = &[NAME, Column::text("Data", Cell::Made(cluster::data_count)), AGE];

static SECRETS: &[Column] = &[
    NAME,
    Column::text("Type", Cell::Text("/type")),
    Column::text("Data", Cell::Made(cluster::data_count)),
    AGE,
];

static EVENTS: &[Column] = &[
    Column::text("Last Seen", Cell::MadeNow(cluster::event_last_seen)),
    Column::text("Type", Cell::Text("/type")),
    Column::text("Reason", Cell::Text("/reason")),
    Column::text("Object", Cell::Made(cluster::event_object)),
    Column::wide("Subobject", Cell::Text("/involvedObject/fieldPath")),
    Column::wide("Source", Cell::Made(cluster::event_source)),
    Column::text("Message", Cell::Made(cluster::event_message)),
    Column::wide("First Seen", Cell::MadeNow(cluster::event_first_seen)),
    Column::wide("Count", Cell::Made(cluster::event_count)),
    Column::wide("Name", Cell::Text("/metadata/name")),
];

static VOLUMES: &[Column] = &[
    NAME,
    Column::text("Capacity", Cell::Text("/spec/capacity/storage")),
    Column::text("Access Modes", Cell::Made(cluster::access_modes)),
    Column::text("Reclaim Policy", Cell::Text("/spec/persistentVolumeReclaimPolicy")),
    Column::text("Status", Cell::Made(cluster::phase)),
    Column::text("Claim", Cell::Made(cluster::volume_claim)),
    Column::text("StorageClass", Cell::Text("/spec/storageClassName")),
    Column::text("VolumeAttributesClass", Cell::Text("/spec/volumeAttributesClassName")),
    Column::text("Reason", Cell::Text("/status/reason")),
    AGE,
    Column::wide("VolumeMode", Cell::Known("/spec/volumeMode")),
];

static CLAIMS: &[Column] = &[
    NAME,
    Column::text("Status", Cell::Made(cluster::phase)),
    Column::text("Volume", Cell::Text("/spec/volumeName")),
    Column::text("Capacity", Cell::Text("/status/capacity/storage")),
    Column::text("Access Modes", Cell::Made(cluster::claimed_access_modes)),
    Column::text("StorageClass", Cell::Text("/spec/storageClassName")),
    Column::text("VolumeAttributesClass", Cell::Known("/spec/volumeAttributesClassName")),
    AGE,
    Column::wide("VolumeMode", Cell::Known("/spec/volumeMode")),
];

static SERVICES: &[Column] = &[
    NAME,
    Column::text("Type", Cell::Made(networking::service_type)),
    Column::text("Cluster-IP", Cell::Known("/spec/clusterIP")),
    Column::text("External-IP", Cell::Made(networking::external_ip)),
    Column::text("Port(s)", Cell::Made(networking::service_ports)),
    AGE,
    SELECTOR,
];

static ENDPOINTS: &[Column] = &[NAME, Column::text("Endpoints", Cell::Made(networking::endpoints)), AGE];

static ENDPOINT_SLICES: &[Column] = &[
    NAME,
    Column::text("AddressType", Cell::Text("/addressType")),
    Column::text("Ports", Cell::Made(networking::slice_ports)),
    Column::text("Endpoints", Cell::Made(networking::slice_endpoints)),
    AGE,
];

static INGRESSES: &[Column] = &[
    NAME,
    Column::text("Class", Cell::Known("/spec/ingressClassName")),
    Column::text("Hosts", Cell::Made(networking::ingress_hosts)),
    Column::text("Address", Cell::Made(networking::ingress_address)),
    Column::text("Ports", Cell::Made(networking::ingress_ports)),
    AGE,
];

static LEASES: &[Column] = &[NAME, Column::text("Holder", Cell::Text("/spec/holderIdentity")), AGE];

static DISRUPTION_BUDGETS: &[Column] = &[
    NAME,
    Column::text("Min Available", Cell::Made(cluster::min_available)),
    Column::text("Max Unavailable", Cell::Made(cluster::max_unavailable)),
    Column::number("Allowed Disruptions", "/status/disruptionsAllowed"),
    AGE,
];

static STORAGE_CLASSES: &[Column] = &[
    NAME,
    Column::text("Provisioner", Cell::Text("/provisioner")),
    Column::text("ReclaimPolicy", Cell::Text("/reclaimPolicy")),
    Column::text("VolumeBindingMode", Cell::Text("/volumeBindingMode")),
    Column::text("AllowVolumeExpansion", Cell::Made(cluster::allows_expansion)),
    AGE,
];

static PRIORITY_CLASSES: &[Column] = &[
    NAME,
    Column::number("Value", "/value"),
    Column::typed("Global-Default", "boolean", Cell::Made(cluster::is_global_default)),
    AGE,
    Column::text("PreemptionPolicy", Cell::Text("/preemptionPolicy")),
];

static ROLES: &[Column] = &[NAME, CREATED];
static BINDINGS: &[Column] = &[
    NAME,
    Column::text("Role", Cell::Made(cluster::bound_role)),
    AGE,
    Column::wide("Users", Cell::Made(cluster::bound_users)),
    Column::wide("Groups", Cell::Made(cluster::bound_groups)),
    Column::wide("ServiceAccounts", Cell::Made(cluster::bound_accounts)),
];

static NETWORK_POLICIES: &[Column] =
    &[NAME, Column::text("Pod-Selector", Cell::Made(networking::pod_selector)), AGE];

static WEBHOOKS: &[Column] =
    &[NAME, Column::typed("Webhooks", "integer", Cell::Made(cluster::webhook_count)), AGE];

static RUNTIME_CLASSES: &[Column] = &[NAME, Column::text("Handler", Cell::Text("/handler")), AGE];
