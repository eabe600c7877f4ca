//! The built-in resources of Kubernetes 1.37, as one table.
//!
//! A row has only what differs from the default; [`ResourceRow::def`] adds the rest.

use super::{
    CowStr, Generation, ResourceDef, ResourceOrigin, ResourceScope, SelectableField, Subresource, Verb,
};

/// All built-in resources in the order of discovery: the core group, then the others as on a real server.
pub(crate) fn builtin_resources() -> Vec<ResourceDef> {
    TABLE
        .iter()
        .flat_map(|(group, version, rows)| rows.iter().map(move |row| row.def(group, version)))
        .collect()
}

/// One row of the table.
struct ResourceRow {
    kind: &'static str,
    plural: &'static str,
    short: &'static [&'static str],
    scope: ResourceScope,
    category: &'static str,
    subresources: &'static [&'static str],
    verbs: Verbs,
    fields: &'static [FieldRow],
    storage: &'static str,
    generation: Generation,
}

enum Verbs {
    All,
    NoCollectionDelete,
    CreateOnly,
    ReadOnly,
}

/// A selectable field: its name in the selector, its path in the object, the value that an absent field counts as.
type FieldRow = (&'static str, &'static str, &'static str);

const fn ns(kind: &'static str, plural: &'static str) -> ResourceRow {
    ResourceRow {
        kind,
        plural,
        short: &[],
        scope: ResourceScope::Namespaced,
        category: "",
        subresources: &[],
        verbs: Verbs::All,
        fields: &[],
        storage: "",
        generation: Generation::Absent,
    }
}

const fn cluster(kind: &'static str, plural: &'static str) -> ResourceRow {
    let mut row = ns(kind, plural);
    row.scope = ResourceScope::Cluster;
    row
}

impl ResourceRow {
    const fn short(mut self, names: &'static [&'static str]) -> Self {
        self.short = names;
        self
    }

    const fn subs(mut self, names: &'static [&'static str]) -> Self {
        self.subresources = names;
        self
    }

    const fn all(self) -> Self {
        self.category("all")
    }

    const fn category(mut self, name: &'static str) -> Self {
        self.category = name;
        self
    }

    const fn verbs(mut self, verbs: Verbs) -> Self {
        self.verbs = verbs;
        self
    }

    const fn fields(mut self, fields: &'static [FieldRow]) -> Self {
        self.fields = fields;
        self
    }

    /// The objects are stored with those of another resource, `group/plural`.
    const fn stored_as(mut self, storage: &'static str) -> Self {
        self.storage = storage;
        self
    }

    const fn counted(mut self) -> Self {
        self.generation = Generation::Counted;
        self
    }

    fn def(&self, group: &'static str, version: &'static str) -> ResourceDef {
        let owned = |names: &[&'static str]| names.iter().copied().map(CowStr::Borrowed).collect();
        ResourceDef {
            group: CowStr::Borrowed(group),
            version: CowStr::Borrowed(version),
            kind: CowStr::Borrowed(self.kind),
            list_kind: CowStr::Owned(format!("{}List", self.kind)),
            plural: CowStr::Borrowed(self.plural),
            singular: CowStr::Owned(self.kind.to_ascii_lowercase()),
            short_names: owned(self.short),
            categories: if self.category.is_empty() { Vec::new() } else { owned(&[self.category]) },
            scope: self.scope,
            subresources: self.subresources.iter().map(|name| self.subresource(name)).collect(),
            verbs: self.verbs.list(),
            selectable_fields: self.fields.iter().map(selectable).collect(),
            storage: if self.storage.is_empty() {
                CowStr::Owned(format!("{group}/{}", self.plural))
            } else {
                CowStr::Borrowed(self.storage)
            },
            generation: self.generation,
            origin: ResourceOrigin::Builtin,
        }
    }

    fn subresource(&self, name: &&'static str) -> Subresource {
        use Verb::{Create, Get, Patch, Update};
        let (kind, group, version, verbs): (_, _, _, &[Verb]) = match *name {
            "scale" => ("Scale", "autoscaling", "v1", &[Get, Patch, Update]),
            "eviction" => ("Eviction", "policy", "v1", &[Create]),
            "binding" => ("Binding", "", "", &[Create]),
            "token" => ("TokenRequest", "authentication.k8s.io", "v1", &[Create]),
            "log" => (self.kind, "", "", &[Get]),
            "finalize" => (self.kind, "", "", &[Update]),
            "attach" | "exec" | "portforward" => (connect_kind(name), "", "", &[Create, Get]),
            "proxy" => (
                if self.kind == "Node" { "NodeProxyOptions" } else { proxy_kind(self.kind) },
                "",
                "",
                &[Create, Verb::Delete, Get, Patch, Update],
            ),
            _ => (self.kind, "", "", &[Get, Patch, Update]),
        };
        Subresource {
            name: CowStr::Borrowed(name),
            kind: CowStr::Borrowed(kind),
            group: CowStr::Borrowed(group),
            version: CowStr::Borrowed(version),
            verbs: verbs.to_vec(),
        }
    }
}

fn connect_kind(name: &str) -> &'static str {
    match name {
        "attach" => "PodAttachOptions",
        "exec" => "PodExecOptions",
        _ => "PodPortForwardOptions",
    }
}

fn proxy_kind(parent: &str) -> &'static str {
    if parent == "Pod" { "PodProxyOptions" } else { "ServiceProxyOptions" }
}

fn selectable(&(name, path, absent): &FieldRow) -> SelectableField {
    SelectableField {
        name: CowStr::Borrowed(name),
        path: path.split('.').map(CowStr::Borrowed).collect(),
        absent: CowStr::Borrowed(absent),
    }
}

impl Verbs {
    fn list(&self) -> Vec<Verb> {
        match self {
            Self::All => Verb::ALL.to_vec(),
            Self::NoCollectionDelete => {
                Verb::ALL.into_iter().filter(|v| *v != Verb::DeleteCollection).collect()
            }
            Self::CreateOnly => vec![Verb::Create],
            Self::ReadOnly => vec![Verb::Get, Verb::List],
        }
    }
}

const POD_FIELDS: &[FieldRow] = &[
    ("spec.nodeName", "spec.nodeName", ""),
    ("spec.restartPolicy", "spec.restartPolicy", ""),
    ("spec.schedulerName", "spec.schedulerName", ""),
    ("spec.serviceAccountName", "spec.serviceAccountName", ""),
    ("spec.hostNetwork", "spec.hostNetwork", "false"),
    ("status.phase", "status.phase", ""),
    ("status.podIP", "status.podIP", ""),
    ("status.nominatedNodeName", "status.nominatedNodeName", ""),
];

const EVENT_FIELDS: &[FieldRow] = &[
    ("involvedObject.kind", "involvedObject.kind", ""),
    ("involvedObject.namespace", "involvedObject.namespace", ""),
    ("involvedObject.name", "involvedObject.name", ""),
    ("involvedObject.uid", "involvedObject.uid", ""),
    ("involvedObject.apiVersion", "involvedObject.apiVersion", ""),
    ("involvedObject.resourceVersion", "involvedObject.resourceVersion", ""),
    ("involvedObject.fieldPath", "involvedObject.fieldPath", ""),
    ("reason", "reason", ""),
    ("reportingComponent", "reportingComponent", ""),
    ("source", "source.component", ""),
    ("type", "type", ""),
];

/// The paths are those of the stored version, which is that of the core group.
const EVENTS_V1_FIELDS: &[FieldRow] = &[
    ("regarding.kind", "involvedObject.kind", ""),
    ("regarding.namespace", "involvedObject.namespace", ""),
    ("regarding.name", "involvedObject.name", ""),
    ("regarding.uid", "involvedObject.uid", ""),
    ("regarding.apiVersion", "involvedObject.apiVersion", ""),
    ("regarding.resourceVersion", "involvedObject.resourceVersion", ""),
    ("regarding.fieldPath", "involvedObject.fieldPath", ""),
    ("reason", "reason", ""),
    ("reportingController", "reportingComponent", ""),
    ("type", "type", ""),
];

const POD_SUBRESOURCES: &[&str] = &[
    "attach",
    "binding",
    "ephemeralcontainers",
    "eviction",
    "exec",
    "log",
    "portforward",
    "proxy",
    "resize",
    "status",
];

const STATUS: &[&str] = &["status"];
const SCALE: &[&str] = &["scale", "status"];

/// Group, version, rows.
type GroupTable = (&'static str, &'static str, &'static [ResourceRow]);

#[rustfmt::skip]
const TABLE: &[GroupTable] = &[
    ("", "v1", &[
        ns("Binding", "bindings").verbs(Verbs::CreateOnly),
        cluster("ComponentStatus", "componentstatuses").short(&["cs"]).verbs(Verbs::ReadOnly),
        ns("ConfigMap", "configmaps").short(&["cm"]),
        ns("Endpoints", "endpoints").short(&["ep"]),
        ns("Event", "events").short(&["ev"]).fields(EVENT_FIELDS),
        ns("LimitRange", "limitranges").short(&["limits"]),
        cluster("Namespace", "namespaces").short(&["ns"]).subs(&["finalize", "status"]).verbs(Verbs::NoCollectionDelete)
            .fields(&[("status.phase", "status.phase", "")]),
        cluster("Node", "nodes").short(&["no"]).subs(&["proxy", "status"])
            .fields(&[("spec.unschedulable", "spec.unschedulable", "false")]),
        ns("PersistentVolumeClaim", "persistentvolumeclaims").short(&["pvc"]).subs(STATUS),
        cluster("PersistentVolume", "persistentvolumes").short(&["pv"]).subs(STATUS),
        ns("Pod", "pods").short(&["po"]).all().subs(POD_SUBRESOURCES).fields(POD_FIELDS).counted(),
        ns("PodTemplate", "podtemplates").counted(),
        ns("ReplicationController", "replicationcontrollers").short(&["rc"]).all().subs(SCALE).fields(&[("status.replicas", "status.replicas", "0")]).counted(),
        ns("ResourceQuota", "resourcequotas").short(&["quota"]).subs(STATUS),
        ns("Secret", "secrets").fields(&[("type", "type", "")]),
        ns("ServiceAccount", "serviceaccounts").short(&["sa"]).subs(&["token"]),
        ns("Service", "services").short(&["svc"]).all().subs(&["proxy", "status"])
            .fields(&[("spec.clusterIP", "spec.clusterIP", ""), ("spec.type", "spec.type", "")]),
    ]),
    ("apiregistration.k8s.io", "v1", &[
        cluster("APIService", "apiservices").category("api-extensions").subs(STATUS),
    ]),
    ("apps", "v1", &[
        ns("ControllerRevision", "controllerrevisions"),
        ns("DaemonSet", "daemonsets").short(&["ds"]).all().subs(STATUS).counted(),
        ns("Deployment", "deployments").short(&["deploy"]).all().subs(SCALE).counted(),
        ns("ReplicaSet", "replicasets").short(&["rs"]).all().subs(SCALE).counted(),
        ns("StatefulSet", "statefulsets").short(&["sts"]).all().subs(SCALE).counted(),
    ]),
    ("events.k8s.io", "v1", &[
        ns("Event", "events").short(&["ev"]).fields(EVENTS_V1_FIELDS).stored_as("/events"),
    ]),
    ("authentication.k8s.io", "v1", &[
        cluster("SelfSubjectReview", "selfsubjectreviews").verbs(Verbs::CreateOnly),
        cluster("TokenReview", "tokenreviews").verbs(Verbs::CreateOnly),
    ]),
    ("authorization.k8s.io", "v1", &[
        ns("LocalSubjectAccessReview", "localsubjectaccessreviews").verbs(Verbs::CreateOnly),
        cluster("SelfSubjectAccessReview", "selfsubjectaccessreviews").verbs(Verbs::CreateOnly),
        cluster("SelfSubjectRulesReview", "selfsubjectrulesreviews").verbs(Verbs::CreateOnly),
        cluster("SubjectAccessReview", "subjectaccessreviews").verbs(Verbs::CreateOnly),
    ]),
    ("autoscaling", "v2", &[
        ns("HorizontalPodAutoscaler", "horizontalpodautoscalers").short(&["hpa"]).all().subs(STATUS),
    ]),
    ("autoscaling", "v1", &[
        ns("HorizontalPodAutoscaler", "horizontalpodautoscalers").short(&["hpa"]).all().subs(STATUS),
    ]),
    ("batch", "v1", &[
        ns("CronJob", "cronjobs").short(&["cj"]).all().subs(STATUS).counted(),
        ns("Job", "jobs").all().subs(STATUS).fields(&[("status.successful", "status.succeeded", "0")]).counted(),
    ]),
    ("certificates.k8s.io", "v1", &[
        cluster("CertificateSigningRequest", "certificatesigningrequests").short(&["csr"]).subs(&["approval", "status"])
            .fields(&[("spec.signerName", "spec.signerName", "")]),
        cluster("ClusterTrustBundle", "clustertrustbundles").fields(&[("spec.signerName", "spec.signerName", "")]),
        ns("PodCertificateRequest", "podcertificaterequests").subs(STATUS).fields(&[
            ("spec.signerName", "spec.signerName", ""),
            ("spec.podName", "spec.podName", ""),
            ("spec.nodeName", "spec.nodeName", ""),
        ]),
    ]),
    ("networking.k8s.io", "v1", &[
        cluster("IngressClass", "ingressclasses").counted(),
        ns("Ingress", "ingresses").short(&["ing"]).subs(STATUS).counted(),
        cluster("IPAddress", "ipaddresses").short(&["ip"])
            .fields(&[("spec.parentRef.name", "spec.parentRef.name", "")]),
        ns("NetworkPolicy", "networkpolicies").short(&["netpol"]).counted(),
        cluster("ServiceCIDR", "servicecidrs").subs(STATUS),
    ]),
    ("policy", "v1", &[
        ns("PodDisruptionBudget", "poddisruptionbudgets").short(&["pdb"]).subs(STATUS).counted(),
    ]),
    ("rbac.authorization.k8s.io", "v1", &[
        cluster("ClusterRoleBinding", "clusterrolebindings"),
        cluster("ClusterRole", "clusterroles"),
        ns("RoleBinding", "rolebindings"),
        ns("Role", "roles"),
    ]),
    ("storage.k8s.io", "v1", &[
        cluster("CSIDriver", "csidrivers").counted(),
        cluster("CSINode", "csinodes").subs(STATUS),
        ns("CSIStorageCapacity", "csistoragecapacities"),
        cluster("StorageClass", "storageclasses").short(&["sc"]),
        cluster("VolumeAttachment", "volumeattachments").subs(STATUS),
        cluster("VolumeAttributesClass", "volumeattributesclasses").short(&["vac"]),
    ]),
    ("admissionregistration.k8s.io", "v1", &[
        cluster("MutatingAdmissionPolicy", "mutatingadmissionpolicies").category("api-extensions").counted(),
        cluster("MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings").category("api-extensions").counted(),
        cluster("MutatingWebhookConfiguration", "mutatingwebhookconfigurations").category("api-extensions").counted(),
        cluster("ValidatingAdmissionPolicy", "validatingadmissionpolicies").category("api-extensions").subs(STATUS).counted(),
        cluster("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings").category("api-extensions").counted(),
        cluster("ValidatingWebhookConfiguration", "validatingwebhookconfigurations").category("api-extensions").counted(),
    ]),
    ("apiextensions.k8s.io", "v1", &[
        cluster("CustomResourceDefinition", "customresourcedefinitions").short(&["crd", "crds"])
            .category("api-extensions").subs(STATUS).counted(),
    ]),
    ("scheduling.k8s.io", "v1", &[
        cluster("PriorityClass", "priorityclasses").short(&["pc"]).counted(),
    ]),
    ("coordination.k8s.io", "v1", &[
        ns("Lease", "leases"),
    ]),
    ("node.k8s.io", "v1", &[
        cluster("RuntimeClass", "runtimeclasses"),
    ]),
    ("discovery.k8s.io", "v1", &[
        ns("EndpointSlice", "endpointslices").counted(),
    ]),
    ("flowcontrol.apiserver.k8s.io", "v1", &[
        cluster("FlowSchema", "flowschemas").subs(STATUS).counted(),
        cluster("PriorityLevelConfiguration", "prioritylevelconfigurations").subs(STATUS).counted(),
    ]),
    ("resource.k8s.io", "v1", &[
        cluster("DeviceClass", "deviceclasses").counted(),
        ns("ResourceClaim", "resourceclaims").subs(STATUS),
        ns("ResourceClaimTemplate", "resourceclaimtemplates"),
        cluster("ResourceSlice", "resourceslices").counted().fields(&[
            ("spec.nodeName", "spec.nodeName", ""),
            ("spec.driver", "spec.driver", ""),
            ("spec.pool.name", "spec.pool.name", ""),
        ]),
    ]),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_built_in_resource_is_named_once_in_its_version() {
        let all = builtin_resources();
        let names: HashSet<_> = all.iter().map(|def| (def.api_version(), def.plural.clone())).collect();
        assert_eq!(names.len(), all.len());
    }

    #[test]
    fn the_versions_of_one_kind_share_their_objects() {
        let all = builtin_resources();
        let storage = |group: &str, version: &str, plural: &str| {
            let found = all.iter().find(|d| d.group == group && d.version == version && d.plural == plural);
            found.expect("the table has it").storage.clone()
        };
        assert_eq!(storage("", "v1", "events"), storage("events.k8s.io", "v1", "events"));
        let hpa = "horizontalpodautoscalers";
        assert_eq!(storage("autoscaling", "v1", hpa), storage("autoscaling", "v2", hpa));
    }
}
