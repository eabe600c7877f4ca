//! A running pod of a deployment, of about 6.7 KB: one container with environment, probes and mounts, a sidecar,
//! the projected token, tolerations, conditions, statuses and managed fields.

use serde_json::{Value, json};

use super::chance::Chance;
use super::{NODES, SERVICES, namespace};
use crate::protocol::SENT_LABEL;

/// Which numbers are drawn for a service, far from those of pods.
const SERVICE_SEED: u64 = 1 << 40;

/// What all pods of one service have from its template.
struct Service {
    name: String,
    /// The hash of its template.
    hash: String,
    /// Its replica set.
    owner: String,
    version: String,
    tier: &'static str,
    config_checksum: String,
    image: String,
    image_digest: String,
    proxy_digest: String,
    port: u64,
    cpu: &'static str,
    memory: &'static str,
    database: String,
}

/// The pod with this number.
pub(crate) fn pod(number: u64) -> Value {
    let mut chance = Chance::new(number);
    let service = Service::new(chance.below(SERVICES));
    let (created, started) = (chance.time(), chance.time());
    let token = chance.suffix();
    json!({
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": metadata(&mut chance, &service, number, &created),
        "spec": spec(&mut chance, &service, &token),
        "status": status(&mut chance, &service, &created, &started),
    })
}

impl Service {
    fn new(number: u64) -> Self {
        let mut chance = Chance::new(SERVICE_SEED + number);
        let name = format!("app-{number}");
        Service {
            hash: chance.hex(10),
            owner: chance.uid(),
            version: format!("v{}.{}.{}", 1 + chance.below(4), chance.below(30), chance.below(10)),
            tier: chance.of(&["frontend", "backend", "batch"]),
            config_checksum: chance.hex(64),
            image: format!("registry.example.com/{}/{name}", chance.of(&["shop", "data", "edge"])),
            image_digest: chance.hex(64),
            proxy_digest: chance.hex(64),
            port: 8_000 + chance.below(900),
            cpu: chance.of(&["100m", "250m", "500m", "1"]),
            memory: chance.of(&["128Mi", "256Mi", "512Mi", "1Gi"]),
            database: chance.hex(12),
            name,
        }
    }
}

fn metadata(chance: &mut Chance, service: &Service, number: u64, created: &str) -> Value {
    let Service { name, hash, owner, .. } = service;
    let updated = chance.time();
    json!({
        "name": format!("{name}-{hash}-{}", chance.suffix()),
        "generateName": format!("{name}-{hash}-"),
        "namespace": namespace(number),
        "uid": chance.uid(),
        "generation": 1,
        "creationTimestamp": created,
        "labels": {
            "app": name,
            "app.kubernetes.io/instance": name,
            "app.kubernetes.io/version": service.version,
            SENT_LABEL: "0",
            "pod-template-hash": hash,
            "tier": service.tier,
        },
        "annotations": {
            "checksum/config": service.config_checksum,
            "cni.example.com/containerID": chance.hex(64),
            "cni.example.com/podIP": format!("{}/32", chance.address()),
            "kubectl.kubernetes.io/restartedAt": updated,
            "prometheus.io/port": "9090",
            "prometheus.io/scrape": "true",
        },
        "ownerReferences": [{
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": format!("{name}-{hash}"), "uid": owner,
            "controller": true, "blockOwnerDeletion": true,
        }],
        "managedFields": managed_fields(service, created, &updated),
    })
}

/// Who set what: the controller the template, the kubelet the status.
fn managed_fields(service: &Service, created: &str, updated: &str) -> Value {
    let container = format!("k:{{\"name\":\"{}\"}}", service.name);
    let owner = format!("k:{{\"uid\":\"{}\"}}", service.owner);
    let condition = json!({
        ".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {},
    });
    json!([
        {
            "manager": "kube-controller-manager", "operation": "Update", "apiVersion": "v1", "time": created,
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": {
                    "f:annotations": { ".": {}, "f:checksum/config": {}, "f:prometheus.io/port": {} },
                    "f:generateName": {},
                    "f:labels": { ".": {}, "f:app": {}, "f:pod-template-hash": {}, "f:tier": {} },
                    "f:ownerReferences": { ".": {}, owner: {} },
                },
                "f:spec": {
                    "f:containers": { container: {
                        ".": {}, "f:args": {}, "f:env": { ".": {} }, "f:image": {}, "f:livenessProbe": {}, "f:name": {},
                        "f:ports": {}, "f:readinessProbe": {}, "f:resources": {}, "f:volumeMounts": {},
                    } },
                    "f:dnsPolicy": {}, "f:restartPolicy": {}, "f:schedulerName": {}, "f:volumes": { ".": {} },
                },
            },
        },
        {
            "manager": "kubelet", "operation": "Update", "apiVersion": "v1", "time": updated,
            "fieldsType": "FieldsV1", "subresource": "status",
            "fieldsV1": { "f:status": {
                "f:conditions": {
                    "k:{\"type\":\"ContainersReady\"}": condition,
                    "k:{\"type\":\"Ready\"}": condition,
                },
                "f:containerStatuses": {}, "f:hostIP": {}, "f:phase": {}, "f:podIP": {}, "f:startTime": {},
            } },
        },
    ])
}

fn spec(chance: &mut Chance, service: &Service, token: &str) -> Value {
    let token = format!("kube-api-access-{token}");
    json!({
        "volumes": [
            { "name": "config", "configMap": { "name": format!("{}-config", service.name), "defaultMode": 420 } },
            { "name": "tmp", "emptyDir": {} },
            { "name": token, "projected": { "defaultMode": 420, "sources": [
                { "serviceAccountToken": { "expirationSeconds": 3607, "path": "token" } },
                { "configMap": { "name": "kube-root-ca.crt", "items": [{ "key": "ca.crt", "path": "ca.crt" }] } },
                { "downwardAPI": { "items": [{
                    "path": "namespace", "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.namespace" },
                }] } },
            ] } },
        ],
        "containers": [main_container(service, &token), proxy_container(service, &token)],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": service.name,
        "serviceAccount": service.name,
        "nodeName": format!("node-{:04}.internal", chance.below(NODES)),
        "securityContext": { "runAsNonRoot": true, "runAsUser": 10_001 },
        "schedulerName": "default-scheduler",
        "tolerations": [toleration("not-ready"), toleration("unreachable")],
        "priority": 0,
        "enableServiceLinks": true,
        "preemptionPolicy": "PreemptLowerPriority",
    })
}

fn toleration(key: &str) -> Value {
    json!({
        "key": format!("node.kubernetes.io/{key}"), "operator": "Exists", "effect": "NoExecute",
        "tolerationSeconds": 300,
    })
}

fn main_container(service: &Service, token: &str) -> Value {
    let Service { name, port, database, .. } = service;
    let resources = json!({ "cpu": service.cpu, "memory": service.memory });
    let field = |path: &str| json!({ "fieldRef": { "apiVersion": "v1", "fieldPath": path } });
    json!({
        "name": name,
        "image": format!("{}@sha256:{}", service.image, service.image_digest),
        "args": [format!("--listen=:{port}"), format!("--config=/etc/{name}/config.yaml")],
        "ports": [
            { "name": "http", "containerPort": port, "protocol": "TCP" },
            { "name": "metrics", "containerPort": 9090, "protocol": "TCP" },
        ],
        "env": [
            { "name": "LOG_LEVEL", "value": "info" },
            { "name": "DB_DSN", "value": format!("postgres://{name}@db-{database}.internal:5432/{name}") },
            { "name": "DB_PASSWORD", "valueFrom": { "secretKeyRef": { "name": format!("{name}-db"), "key": "password" } } },
            { "name": "POD_IP", "valueFrom": field("status.podIP") },
            { "name": "POD_NAME", "valueFrom": field("metadata.name") },
        ],
        "resources": { "limits": resources, "requests": resources },
        "volumeMounts": [
            { "name": "config", "mountPath": format!("/etc/{name}") },
            { "name": "tmp", "mountPath": "/tmp" },
            { "name": token, "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount" },
        ],
        "livenessProbe": probe("/healthz", *port, 10),
        "readinessProbe": probe("/ready", *port, 5),
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    })
}

fn proxy_container(service: &Service, token: &str) -> Value {
    json!({
        "name": "proxy",
        "image": format!("registry.example.com/mesh/proxy@sha256:{}", service.proxy_digest),
        "args": [format!("--upstream=127.0.0.1:{}", service.port)],
        "resources": { "requests": { "cpu": "10m", "memory": "32Mi" } },
        "volumeMounts": [
            { "name": token, "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount" },
        ],
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    })
}

fn probe(path: &str, port: u64, period_seconds: u64) -> Value {
    json!({
        "httpGet": { "path": path, "port": port, "scheme": "HTTP" }, "timeoutSeconds": 1,
        "periodSeconds": period_seconds, "successThreshold": 1, "failureThreshold": 3,
    })
}

fn status(chance: &mut Chance, service: &Service, created: &str, started: &str) -> Value {
    let (ready, host, address) = (chance.time(), chance.address(), chance.address());
    let condition = |name: &str, since: &str| json!({ "type": name, "status": "True", "lastProbeTime": null, "lastTransitionTime": since });
    let mut container = |name: &str, image: &str, digest: &str| {
        let image = format!("{image}@sha256:{digest}");
        json!({
            "name": name, "state": { "running": { "startedAt": started } }, "lastState": {}, "ready": true,
            "restartCount": chance.below(4), "image": image, "imageID": image,
            "containerID": format!("containerd://{}", chance.hex(64)), "started": true,
        })
    };
    json!({
        "phase": "Running",
        "conditions": [
            condition("PodReadyToStartContainers", started),
            condition("Initialized", created),
            condition("Ready", &ready),
            condition("ContainersReady", &ready),
            condition("PodScheduled", created),
        ],
        "hostIP": host,
        "hostIPs": [{ "ip": host }],
        "podIP": address,
        "podIPs": [{ "ip": address }],
        "startTime": created,
        "containerStatuses": [
            container(&service.name, &service.image, &service.image_digest),
            container("proxy", "registry.example.com/mesh/proxy", &service.proxy_digest),
        ],
        "qosClass": "Burstable",
    })
}
