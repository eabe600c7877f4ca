//! The other kinds: config maps, secrets, leases, a custom resource, and pods of about 1 KB for caches of a million.

use serde_json::{Value, json};

use super::chance::Chance;
use super::{NODES, SERVICES, namespace};
use crate::protocol::SENT_LABEL;

/// A pod with little in it.
pub(crate) fn small_pod(number: u64) -> Value {
    let mut chance = Chance::new(number);
    let (app, created) = (format!("app-{}", chance.below(SERVICES)), chance.time());
    json!({
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {
            "name": format!("{app}-{}-{}", chance.suffix(), chance.suffix()),
            "namespace": namespace(number),
            "uid": chance.uid(),
            "creationTimestamp": created,
            "labels": { "app": app, SENT_LABEL: "0" },
        },
        "spec": {
            "containers": [{
                "name": app, "image": format!("registry.example.com/{app}:v{}", chance.below(30)),
                "resources": { "requests": { "cpu": "100m" } },
            }],
            "nodeName": format!("node-{:04}.internal", chance.below(NODES)),
            "restartPolicy": "Always",
        },
        "status": {
            "phase": "Running", "podIP": chance.address(), "startTime": created,
            "conditions": [{ "type": "Ready", "status": "True", "lastTransitionTime": chance.time() }],
            "containerStatuses": [{
                "name": app, "ready": true, "restartCount": chance.below(4), "image": app, "imageID": "",
                "containerID": format!("containerd://{}", chance.hex(64)),
            }],
        },
    })
}

/// A config map with a few settings and one file.
pub(crate) fn config_map(number: u64) -> Value {
    let mut chance = Chance::new(number);
    let upstreams: String =
        (0..30).map(|n| format!("upstream-{n} {} weight={}\n", chance.address(), chance.below(9))).collect();
    json!({
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": metadata(&mut chance, &format!("config-{number}"), &namespace(number)),
        "data": { "log-level": "info", "upstreams.conf": upstreams, "zone": chance.of(&["eu-1", "eu-2", "us-1"]) },
    })
}

/// One of the ten objects of the informer with this number.
pub(crate) fn many_config_map(informer: u64, number: u64) -> Value {
    let mut chance = Chance::new((informer << 8) + number);
    json!({
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": metadata(&mut chance, &format!("config-{number}"), &format!("many-{informer}")),
        "data": { "upstream": chance.address(), "key": chance.hex(32) },
    })
}

/// A secret with a certificate and its key.
pub(crate) fn secret(number: u64) -> Value {
    let mut chance = Chance::new(number);
    json!({
        "kind": "Secret",
        "apiVersion": "v1",
        "metadata": metadata(&mut chance, &format!("tls-{number}"), &namespace(number)),
        "type": "kubernetes.io/tls",
        // Hexadecimal digits in fours are valid base64.
        "data": { "tls.crt": chance.hex(1_600), "tls.key": chance.hex(2_240) },
    })
}

/// A node's lease.
pub(crate) fn lease(number: u64) -> Value {
    let mut chance = Chance::new(number);
    let renewed = chance.time();
    json!({
        "kind": "Lease",
        "apiVersion": "coordination.k8s.io/v1",
        "metadata": metadata(&mut chance, &format!("node-{number}"), "kube-node-lease"),
        "spec": {
            "holderIdentity": format!("node-{number}"), "leaseDurationSeconds": 40,
            "renewTime": format!("{}.000000Z", renewed.trim_end_matches('Z')),
        },
    })
}

/// An object of a kind that was defined by [`widget_definition`].
pub(crate) fn widget(number: u64) -> Value {
    let mut chance = Chance::new(number);
    let parts: Vec<Value> = (0..8)
        .map(|part| json!({ "name": format!("part-{part}"), "serial": chance.hex(24), "weight": chance.below(900) }))
        .collect();
    json!({
        "kind": "Widget",
        "apiVersion": "example.com/v1",
        "metadata": metadata(&mut chance, &format!("widget-{number}"), &namespace(number)),
        "spec": { "color": chance.of(&["red", "green", "blue"]), "replicas": chance.below(9), "parts": parts },
        "status": { "phase": chance.of(&["Ready", "Pending"]), "observedAt": chance.time() },
    })
}

/// Defines the kind of widgets.
pub(crate) fn widget_definition() -> Value {
    json!({
        "kind": "CustomResourceDefinition",
        "apiVersion": "apiextensions.k8s.io/v1",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": "widgets", "singular": "widget", "kind": "Widget" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    })
}

fn metadata(chance: &mut Chance, name: &str, namespace: &str) -> Value {
    json!({
        "name": name, "namespace": namespace, "uid": chance.uid(), "creationTimestamp": chance.time(),
        "labels": { "app": format!("app-{}", chance.below(SERVICES)) },
    })
}
