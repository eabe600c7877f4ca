//! The objects of both cases, one JSON object per line, in files that both contestants read.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

/// A folder with objects. It is removed when this is dropped.
pub(super) struct ObjectFiles(PathBuf);

impl ObjectFiles {
    /// Policies, each of which selects the pods of one application.
    pub(super) fn policies(folder: &Path, pods: usize, policies: usize) -> anyhow::Result<Self> {
        let files = ObjectFiles::new(folder)?;
        files.write("pods", (0..pods).map(|at| pod(at, policies, 1_000)))?;
        files.write("policies", (0..policies).map(service))?;
        Ok(files)
    }

    /// Services, each of which selects the pods of one application, and nodes with a zone.
    pub(super) fn endpoints(
        folder: &Path,
        pods: usize,
        nodes: usize,
        services: usize,
    ) -> anyhow::Result<Self> {
        let files = ObjectFiles::new(folder)?;
        files.write("pods", (0..pods).map(|at| pod(at, services, nodes)))?;
        files.write("nodes", (0..nodes).map(node))?;
        files.write("services", (0..services).map(service))?;
        Ok(files)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.0
    }

    fn new(folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        Ok(ObjectFiles(folder.to_owned()))
    }

    fn write(&self, name: &str, objects: impl Iterator<Item = Value>) -> anyhow::Result<()> {
        let path = self.0.join(format!("{name}.jsonl"));
        let write = || {
            let mut file = BufWriter::new(fs::File::create(&path)?);
            for object in objects {
                writeln!(file, "{object}")?;
            }
            file.flush()
        };
        write().with_context(|| format!("writing {}", path.display()))
    }
}

impl Drop for ObjectFiles {
    fn drop(&mut self) {
        // A folder that is left behind does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn metadata(namespace: Option<&str>, name: String, at: usize, labels: Value) -> Value {
    let mut metadata = json!({
        "name": name,
        "uid": format!("00000000-0000-4000-8000-{at:012}"),
        "resourceVersion": (at + 1).to_string(),
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": labels,
        "annotations": { "example.com/checksum": format!("{:016x}", at * 2_654_435_761) },
    });
    if let Some(namespace) = namespace {
        metadata["namespace"] = namespace.into();
    }
    metadata
}

/// A pod of an application on a node, as large as a small one in a cluster (about 2 kB).
fn pod(at: usize, apps: usize, nodes: usize) -> Value {
    let app = format!("app-{}", at % apps);
    let labels =
        json!({ "app": app, "pod-template-hash": format!("{:x}", at % apps + 0x5000), "tier": "web" });
    let environment: Vec<_> = (0..6)
        .map(|n| json!({ "name": format!("SETTING_{n}"), "value": format!("value-{n}-of-{app}") }))
        .collect();
    let condition = |kind: &str| json!({ "type": kind, "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-01T00:00:05Z" });
    let conditions = ["Ready", "Initialized", "ContainersReady", "PodScheduled"].map(condition);
    let ip = format!("10.{}.{}.{}", at >> 16, at >> 8 & 255, at & 255);
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata(Some("shop"), format!("pod-{at}"), at, labels),
        "spec": {
            "nodeName": format!("node-{}", at % nodes),
            "serviceAccountName": "web",
            "containers": [{
                "name": "web",
                "image": format!("registry.example.com/shop/{app}:1.2.3"),
                "env": environment,
                "ports": [{ "containerPort": 8080, "protocol": "TCP" }],
                "resources": {
                    "requests": { "cpu": "100m", "memory": "128Mi" },
                    "limits": { "cpu": "1", "memory": "256Mi" },
                },
                "volumeMounts": [{ "name": "config", "mountPath": "/etc/web", "readOnly": true }],
            }],
            "volumes": [{ "name": "config", "configMap": { "name": format!("{app}-config") } }],
            "tolerations": [{ "key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute" }],
        },
        "status": {
            "phase": "Running",
            "podIP": ip,
            "podIPs": [{ "ip": ip }],
            "hostIP": format!("192.168.{}.{}", (at % nodes) >> 8, (at % nodes) & 255),
            "conditions": conditions,
        },
    })
}

fn node(at: usize) -> Value {
    let labels = json!({
        "kubernetes.io/hostname": format!("node-{at}"),
        "kubernetes.io/os": "linux",
        "topology.kubernetes.io/zone": format!("zone-{}", at % 3),
    });
    let condition = |kind: &str, status: &str| {
        json!({
            "type": kind, "status": status, "reason": "KubeletHasNoPressure",
            "lastHeartbeatTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z",
        })
    };
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata(None, format!("node-{at}"), at, labels),
        "spec": { "podCIDR": format!("10.{}.{}.0/24", at >> 8, at & 255) },
        "status": {
            "capacity": { "cpu": "16", "memory": "64Gi", "pods": "110" },
            "allocatable": { "cpu": "15", "memory": "60Gi", "pods": "110" },
            "conditions": [condition("Ready", "True"), condition("MemoryPressure", "False"),
                condition("DiskPressure", "False"), condition("PIDPressure", "False")],
        },
    })
}

fn service(at: usize) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(Some("shop"), format!("service-{at}"), at, json!({ "team": format!("team-{}", at % 20) })),
        "spec": {
            "selector": { "app": format!("app-{at}") },
            "ports": [{ "name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP" }],
            "clusterIP": format!("172.16.{}.{}", at >> 8, at & 255),
        },
    })
}
