//! The table columns of each built-in kind.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{batch, cluster, networking, pod, workload};
use crate::resource::ResourceDef;

/// One column of a built-in kind.
pub(super) struct TableColumn {
    name: &'static str,
    kind: &'static str,
    priority: u8,
    pub(super) cell: Cell,
}

/// How the value of a cell is made. Paths are JSON pointers.
pub(super) enum Cell {
    /// The value at the path, or empty.
    Text(&'static str),
    /// The value at the path, or `<none>`.
    OrNone(&'static str),
    /// The value at the path, or `<unknown>`.
    OrUnknown(&'static str),
    /// The number at the path, or 0.
    Number(&'static str),
    /// The age of the time at the path.
    Age(&'static str),
    /// Computed from the object.
    Computed(fn(&Value) -> Value),
    /// Computed from the object and the present time.
    ComputedAt(fn(&Value, Timestamp) -> Value),
}

impl TableColumn {
    pub(super) fn definition(&self) -> Value {
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

pub(super) const NAME: TableColumn = TableColumn::text("Name", Cell::Text("/metadata/name"));
const AGE: TableColumn = TableColumn::text("Age", Cell::Age("/metadata/creationTimestamp"));
const CREATED: TableColumn =
    TableColumn::typed("Created At", "date", Cell::Text("/metadata/creationTimestamp"));
const CONTAINERS: TableColumn = TableColumn::wide("Containers", Cell::Computed(workload::containers));
const IMAGES: TableColumn = TableColumn::wide("Images", Cell::Computed(workload::images));
const SELECTOR: TableColumn = TableColumn::wide("Selector", Cell::Computed(workload::selector));

/// The columns of a kind; name and age if it has no entry here.
pub(super) fn of(def: &ResourceDef) -> &'static [TableColumn] {
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
        ("apiextensions.k8s.io", "CustomResourceDefinition") => DEFINITIONS,
        ("certificates.k8s.io", "ClusterTrustBundle") => TRUST_BUNDLES,
        _ if def.is_custom() => &[NAME, TableColumn { kind: "date", ..AGE }],
        _ => &[NAME, AGE],
    }
}

static PODS: &[TableColumn] = &[
    NAME,
    TableColumn::text("Ready", Cell::Computed(pod::ready)),
    TableColumn::text("Status", Cell::Computed(pod::status)),
    TableColumn::text("Restarts", Cell::ComputedAt(pod::restarts)),
    AGE,
    TableColumn::wide("IP", Cell::OrNone("/status/podIP")),
    TableColumn::wide("Node", Cell::OrNone("/spec/nodeName")),
    TableColumn::wide("Nominated Node", Cell::OrNone("/status/nominatedNodeName")),
    TableColumn::wide("Readiness Gates", Cell::Computed(pod::readiness_gates)),
];

static DEPLOYMENTS: &[TableColumn] = &[
    NAME,
    TableColumn::text("Ready", Cell::Computed(workload::ready)),
    TableColumn::text("Up-to-date", Cell::Number("/status/updatedReplicas")),
    TableColumn::text("Available", Cell::Number("/status/availableReplicas")),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static REPLICA_SETS: &[TableColumn] = &[
    NAME,
    TableColumn::number("Desired", "/spec/replicas"),
    TableColumn::number("Current", "/status/replicas"),
    TableColumn::number("Ready", "/status/readyReplicas"),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static STATEFUL_SETS: &[TableColumn] =
    &[NAME, TableColumn::text("Ready", Cell::Computed(workload::ready)), AGE, CONTAINERS, IMAGES];

static DAEMON_SETS: &[TableColumn] = &[
    NAME,
    TableColumn::number("Desired", "/status/desiredNumberScheduled"),
    TableColumn::number("Current", "/status/currentNumberScheduled"),
    TableColumn::number("Ready", "/status/numberReady"),
    TableColumn::number("Up-to-date", "/status/updatedNumberScheduled"),
    TableColumn::number("Available", "/status/numberAvailable"),
    TableColumn::text("Node Selector", Cell::Computed(workload::node_selector)),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static JOBS: &[TableColumn] = &[
    NAME,
    TableColumn::text("Status", Cell::Computed(batch::job_status)),
    TableColumn::text("Completions", Cell::Computed(batch::completions)),
    TableColumn::text("Duration", Cell::ComputedAt(batch::job_duration)),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static CRON_JOBS: &[TableColumn] = &[
    NAME,
    TableColumn::text("Schedule", Cell::Text("/spec/schedule")),
    TableColumn::text("Timezone", Cell::OrNone("/spec/timeZone")),
    TableColumn::typed("Suspend", "boolean", Cell::Computed(batch::is_suspended)),
    TableColumn::typed("Active", "integer", Cell::Computed(batch::active)),
    TableColumn::text("Last Schedule", Cell::ComputedAt(batch::last_schedule)),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

static NODES: &[TableColumn] = &[
    NAME,
    TableColumn::text("Status", Cell::Computed(cluster::node_status)),
    TableColumn::text("Roles", Cell::Computed(cluster::node_roles)),
    AGE,
    TableColumn::text("Version", Cell::Text("/status/nodeInfo/kubeletVersion")),
    TableColumn::wide("Internal-IP", Cell::Computed(cluster::node_internal_ip)),
    TableColumn::wide("External-IP", Cell::Computed(cluster::node_external_ip)),
    TableColumn::wide("OS-Image", Cell::OrUnknown("/status/nodeInfo/osImage")),
    TableColumn::wide("Kernel-Version", Cell::OrUnknown("/status/nodeInfo/kernelVersion")),
    TableColumn::wide("Container-Runtime", Cell::OrUnknown("/status/nodeInfo/containerRuntimeVersion")),
];

static NAMESPACES: &[TableColumn] = &[NAME, TableColumn::text("Status", Cell::Text("/status/phase")), AGE];

static CONFIG_MAPS: &[TableColumn] =
    &[NAME, TableColumn::text("Data", Cell::Computed(cluster::data_count)), AGE];

static SECRETS: &[TableColumn] = &[
    NAME,
    TableColumn::text("Type", Cell::Text("/type")),
    TableColumn::text("Data", Cell::Computed(cluster::data_count)),
    AGE,
];

static EVENTS: &[TableColumn] = &[
    TableColumn::text("Last Seen", Cell::ComputedAt(cluster::event_last_seen)),
    TableColumn::text("Type", Cell::Text("/type")),
    TableColumn::text("Reason", Cell::Text("/reason")),
    TableColumn::text("Object", Cell::Computed(cluster::event_object)),
    TableColumn::wide("Subobject", Cell::Text("/involvedObject/fieldPath")),
    TableColumn::wide("Source", Cell::Computed(cluster::event_source)),
    TableColumn::text("Message", Cell::Computed(cluster::event_message)),
    TableColumn::wide("First Seen", Cell::ComputedAt(cluster::event_first_seen)),
    TableColumn::wide("Count", Cell::Computed(cluster::event_count)),
    TableColumn::wide("Name", Cell::Text("/metadata/name")),
];

static VOLUMES: &[TableColumn] = &[
    NAME,
    TableColumn::text("Capacity", Cell::Text("/spec/capacity/storage")),
    TableColumn::text("Access Modes", Cell::Computed(cluster::access_modes)),
    TableColumn::text("Reclaim Policy", Cell::Text("/spec/persistentVolumeReclaimPolicy")),
    TableColumn::text("Status", Cell::Computed(cluster::phase)),
    TableColumn::text("Claim", Cell::Computed(cluster::volume_claim)),
    TableColumn::text("StorageClass", Cell::Text("/spec/storageClassName")),
    TableColumn::text("VolumeAttributesClass", Cell::Text("/spec/volumeAttributesClassName")),
    TableColumn::text("Reason", Cell::Text("/status/reason")),
    AGE,
    TableColumn::wide("VolumeMode", Cell::OrNone("/spec/volumeMode")),
];

static CLAIMS: &[TableColumn] = &[
    NAME,
    TableColumn::text("Status", Cell::Computed(cluster::phase)),
    TableColumn::text("Volume", Cell::Text("/spec/volumeName")),
    TableColumn::text("Capacity", Cell::Text("/status/capacity/storage")),
    TableColumn::text("Access Modes", Cell::Computed(cluster::claimed_access_modes)),
    TableColumn::text("StorageClass", Cell::Text("/spec/storageClassName")),
    TableColumn::text("VolumeAttributesClass", Cell::OrNone("/spec/volumeAttributesClassName")),
    AGE,
    TableColumn::wide("VolumeMode", Cell::OrNone("/spec/volumeMode")),
];

static SERVICES: &[TableColumn] = &[
    NAME,
    TableColumn::text("Type", Cell::Computed(networking::service_type)),
    TableColumn::text("Cluster-IP", Cell::OrNone("/spec/clusterIP")),
    TableColumn::text("External-IP", Cell::Computed(networking::external_ip)),
    TableColumn::text("Port(s)", Cell::Computed(networking::service_ports)),
    AGE,
    SELECTOR,
];

static ENDPOINTS: &[TableColumn] =
    &[NAME, TableColumn::text("Endpoints", Cell::Computed(networking::endpoints)), AGE];

static ENDPOINT_SLICES: &[TableColumn] = &[
    NAME,
    TableColumn::text("AddressType", Cell::Text("/addressType")),
    TableColumn::text("Ports", Cell::Computed(networking::slice_ports)),
    TableColumn::text("Endpoints", Cell::Computed(networking::slice_endpoints)),
    AGE,
];

static INGRESSES: &[TableColumn] = &[
    NAME,
    TableColumn::text("Class", Cell::OrNone("/spec/ingressClassName")),
    TableColumn::text("Hosts", Cell::Computed(networking::ingress_hosts)),
    TableColumn::text("Address", Cell::Computed(networking::ingress_address)),
    TableColumn::text("Ports", Cell::Computed(networking::ingress_ports)),
    AGE,
];

static LEASES: &[TableColumn] = &[NAME, TableColumn::text("Holder", Cell::Text("/spec/holderIdentity")), AGE];

static DISRUPTION_BUDGETS: &[TableColumn] = &[
    NAME,
    TableColumn::text("Min Available", Cell::Computed(cluster::min_available)),
    TableColumn::text("Max Unavailable", Cell::Computed(cluster::max_unavailable)),
    TableColumn::number("Allowed Disruptions", "/status/disruptionsAllowed"),
    AGE,
];

static STORAGE_CLASSES: &[TableColumn] = &[
    NAME,
    TableColumn::text("Provisioner", Cell::Text("/provisioner")),
    TableColumn::text("ReclaimPolicy", Cell::Text("/reclaimPolicy")),
    TableColumn::text("VolumeBindingMode", Cell::Text("/volumeBindingMode")),
    TableColumn::text("AllowVolumeExpansion", Cell::Computed(cluster::allows_expansion)),
    AGE,
];

static PRIORITY_CLASSES: &[TableColumn] = &[
    NAME,
    TableColumn::number("Value", "/value"),
    TableColumn::typed("Global-Default", "boolean", Cell::Computed(cluster::is_global_default)),
    AGE,
    TableColumn::text("PreemptionPolicy", Cell::Text("/preemptionPolicy")),
];

static ROLES: &[TableColumn] = &[NAME, CREATED];
static DEFINITIONS: &[TableColumn] = &[
    NAME,
    TableColumn::text("Scope", Cell::Text("/spec/scope")),
    TableColumn::text("Versions", Cell::Computed(cluster::served_versions)),
    CREATED,
    TableColumn::wide("Group", Cell::Text("/spec/group")),
    TableColumn::wide("Kind", Cell::Text("/spec/names/kind")),
    TableColumn::wide("ShortNames", Cell::Computed(cluster::short_names)),
    TableColumn {
        kind: "boolean",
        ..TableColumn::wide("Established", Cell::Computed(cluster::is_established))
    },
];
static TRUST_BUNDLES: &[TableColumn] =
    &[NAME, TableColumn::text("SignerName", Cell::OrNone("/spec/signerName"))];
static BINDINGS: &[TableColumn] = &[
    NAME,
    TableColumn::text("Role", Cell::Computed(cluster::bound_role)),
    AGE,
    TableColumn::wide("Users", Cell::Computed(cluster::bound_users)),
    TableColumn::wide("Groups", Cell::Computed(cluster::bound_groups)),
    TableColumn::wide("ServiceAccounts", Cell::Computed(cluster::bound_accounts)),
];

static NETWORK_POLICIES: &[TableColumn] =
    &[NAME, TableColumn::text("Pod-Selector", Cell::Computed(networking::pod_selector)), AGE];

static WEBHOOKS: &[TableColumn] =
    &[NAME, TableColumn::typed("Webhooks", "integer", Cell::Computed(cluster::webhook_count)), AGE];

static RUNTIME_CLASSES: &[TableColumn] = &[NAME, TableColumn::text("Handler", Cell::Text("/handler")), AGE];
