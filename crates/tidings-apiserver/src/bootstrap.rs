//! The objects that exist in a new Kubernetes cluster: namespaces, the Service of the API server, RBAC roles, and what
//! each namespace gets.
//!
//! They are written when the server starts, from static tables: about 180 objects in some milliseconds. In Kubernetes
//! the API server creates most of them, and controllers the ServiceAccounts and `kube-root-ca.crt`.

use serde_json::{Value, json};

use crate::resource::{Generation, ResourceDef};
use crate::server::{Bootstrap, Core};
use crate::store::{KeyRange, Precondition, WatchVisibility};
use crate::write::encode_for_store;

mod roles;

const CONFIG_MAPS: &str = "/configmaps";
const ROOT_CA: &str = "kube-root-ca.crt";

impl Core {
    /// Creates the objects of a new cluster, as the settings say.
    pub(crate) fn bootstrap(&self) {
        if self.settings.bootstrap != Bootstrap::Namespaces {
            let time = self.clock.seconds();
            for (resource, object) in service_objects().into_iter().chain(other_objects(&time)) {
                self.create_unless_present(resource, object);
            }
            for (plural, object) in roles::objects() {
                self.create_unless_present(&format!("{plural}.rbac.authorization.k8s.io"), object);
            }
        }
        for namespace in ["default", "kube-system", "kube-public", "kube-node-lease"] {
            self.ensure_namespace(namespace);
        }
    }

    /// Creates what controllers create in each namespace.
    pub(crate) fn bootstrap_namespace(&self, name: &str) {
        if self.settings.bootstrap != Bootstrap::Kubernetes {
            return;
        }
        let account = json!({"metadata": {"name": "default", "namespace": name}});
        self.create_unless_present("serviceaccounts", account);
        let description = "the certificate authority of the API server, for clients in the cluster";
        let map = json!({
            "metadata": {"name": ROOT_CA, "namespace": name, "annotations": {"kubernetes.io/description": description}},
            "data": {"ca.crt": *self.root_ca.lock()},
        });
        self.create_unless_present("configmaps", map);
    }

    /// Publishes the certificate authority of a socket in all `kube-root-ca.crt`.
    pub(crate) fn publish_root_ca(&self, pem: &str) {
        *self.root_ca.lock() = pem.to_owned();
        if self.settings.bootstrap == Bootstrap::Namespaces {
            return;
        }
        let Some(def) = self.registry.named("configmaps") else { return };
        let snapshot = self.store.snapshot(CONFIG_MAPS, &KeyRange::all(), usize::MAX, None);
        for stored in snapshot.map(|snapshot| snapshot.objects).unwrap_or_default() {
            let field = match stored.name() {
                ROOT_CA => "ca.crt",
                "extension-apiserver-authentication" => "client-ca-file",
                _ => continue,
            };
            let mut map = Value::Object(stored.decoded());
            map["data"][field] = json!(pem);
            let draft = encode_for_store(&def, stored.key(), &map);
            let expected = Precondition::Version(stored.version());
            // An error means that a client has changed the object, and what it wrote stays.
            let _ = self.store.put(CONFIG_MAPS, expected, draft, WatchVisibility::Visible);
        }
    }

    fn create_unless_present(&self, resource: &str, mut object: Value) {
        let def = self.registry.named(resource).expect("the resource is built in");
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let key = match object["metadata"]["namespace"].as_str() {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.to_owned(),
        };
        self.stamp_bootstrapped(&def, &mut object);
        let draft = encode_for_store(&def, &key, &object);
        // An error means that the object exists, and it stays as it is.
        let _ = self.store.put(&def.storage, Precondition::Absent, draft, WatchVisibility::Visible);
    }

    fn stamp_bootstrapped(&self, def: &ResourceDef, object: &mut Value) {
        let metadata = &mut object["metadata"];
        metadata["uid"] = json!(self.new_uid());
        metadata["creationTimestamp"] = json!(self.clock.seconds());
        if def.generation == Generation::Counted {
            metadata["generation"] = json!(1);
        }
    }
}

type NamedObject = (&'static str, Value);

/// The Service `default/kubernetes` with its endpoints.
fn service_objects() -> Vec<NamedObject> {
    let labels = json!({"component": "apiserver", "provider": "kubernetes"});
    let address = "127.0.0.1";
    let port = json!({"name": "https", "port": 6443, "protocol": "TCP"});
    vec![
        (
            "services",
            json!({
                "metadata": {"name": "kubernetes", "namespace": "default", "labels": labels},
                "spec": {
                    "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "internalTrafficPolicy": "Cluster",
                    "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
                    "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
                    "sessionAffinity": "None", "type": "ClusterIP",
                },
                "status": {"loadBalancer": {}},
            }),
        ),
        (
            "endpoints",
            json!({
                "metadata": {
                    "name": "kubernetes", "namespace": "default",
                    "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"},
                },
                "subsets": [{"addresses": [{"ip": address}], "ports": [port]}],
            }),
        ),
        (
            "endpointslices.discovery.k8s.io",
            json!({
                "metadata": {
                    "name": "kubernetes", "namespace": "default",
                    "labels": {"kubernetes.io/service-name": "kubernetes"},
                },
                "addressType": "IPv4",
                "endpoints": [{"addresses": [address], "conditions": {"ready": true}}],
                "ports": [port],
            }),
        ),
        (
            "servicecidrs.networking.k8s.io",
            json!({"metadata": {"name": "kubernetes"}, "spec": {"cidrs": ["10.0.0.0/24"]}}),
        ),
        (
            "ipaddresses.networking.k8s.io",
            json!({
                "metadata": {"name": "10.0.0.1", "labels": {
                    "ipaddress.kubernetes.io/ip-family": "IPv4",
                    "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
                }},
                "spec": {"parentRef": {"group": "", "name": "kubernetes", "namespace": "default", "resource": "services"}},
            }),
        ),
    ]
}

fn other_objects(time: &str) -> Vec<NamedObject> {
    let mut objects = Vec::new();
    for (name, value, what) in [
        (
            "system-cluster-critical",
            2_000_000_000,
            "pods that the cluster needs and that may move to another node",
        ),
        ("system-node-critical", 2_000_001_000, "pods that their node needs"),
    ] {
        objects.push((
            "priorityclasses.scheduling.k8s.io",
            json!({
                "metadata": {"name": name}, "value": value, "description": what,
                "preemptionPolicy": "PreemptLowerPriority",
            }),
        ));
    }
    for name in ["controller-manager", "etcd-0", "scheduler"] {
        objects.push((
            "componentstatuses",
            json!({
                "metadata": {"name": name},
                "conditions": [{"type": "Healthy", "status": "True", "message": "ok"}],
            }),
        ));
    }
    objects.push((
        "configmaps",
        json!({
            "metadata": {"name": "extension-apiserver-authentication", "namespace": "kube-system"},
            "data": {"client-ca-file": ""},
        }),
    ));
    // kube-controller-manager reads since which day tokens in Secrets are tracked.
    let day = time.split_once('T').map_or(time, |(day, _)| day);
    objects.push((
        "configmaps",
        json!({
            "metadata": {"name": "kube-apiserver-legacy-service-account-token-tracking", "namespace": "kube-system"},
            "data": {"since": day},
        }),
    ));
    objects
}
