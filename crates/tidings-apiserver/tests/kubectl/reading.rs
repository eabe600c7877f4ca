//! Commands that only read: get, watch, describe, explain, wait.

use serde_json::{Value, json};

use crate::Script;
use crate::tool::{KubectlSession, rows};

pub(crate) const SCRIPTS: &[Script] = &[
    ("get prints the columns of a cluster", get_shows_columns),
    ("get finds objects by name, label, field and namespace", get_finds),
    ("get -w prints each change", get_watches),
    ("describe prints an object and its events", describes),
    ("api-resources and api-versions list what is served", lists_resources),
    ("explain prints the fields of a kind", explains),
    ("wait returns when a condition is met or an object is deleted", waits),
    ("errors are those of a cluster", prints_errors),
];

fn pod(name: &str, labels: Value) -> Value {
    json!({
        "metadata": {"name": name, "labels": labels},
        "spec": {"nodeName": "node-1", "containers": [{"name": "c", "image": "nginx"}]},
        "status": {"phase": "Running", "podIP": "10.0.0.7", "containerStatuses": [
            {"name": "c", "ready": true, "restartCount": 0, "state": {"running": {}}}]},
    })
}

fn get_shows_columns(session: &KubectlSession) {
    session.server().put("pods", pod("web", json!({"app": "web"})));
    session.server().put(
        "nodes",
        json!({"metadata": {"name": "node-1"}, "status": {
        "conditions": [{"type": "Ready", "status": "True"}], "nodeInfo": {"kubeletVersion": "v1.36.0"}}}),
    );
    session.server().put(
        "services",
        json!({"metadata": {"name": "web"},
        "spec": {"type": "ClusterIP", "clusterIP": "10.0.0.1", "ports": [{"port": 80, "protocol": "TCP"}]}}),
    );
    let without_age = |line: &str| {
        let table = session.ok(line);
        rows(&table).iter().map(|row| row.rsplit_once(' ').expect("an age").0.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(without_age("get pods"), ["NAME READY STATUS RESTARTS", "web 1/1 Running 0"]);
    assert_eq!(
        without_age("get services"),
        ["NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S)", "web ClusterIP 10.0.0.1 <none> 80/TCP"]
    );
    let node = session.ok("get nodes --no-headers");
    let [name, status, roles, _age, version] = node.split_whitespace().collect::<Vec<_>>()[..] else {
        panic!("five columns: {node}")
    };
    assert_eq!([name, status, roles, version], ["node-1", "Ready", "<none>", "v1.36.0"]);
    let wide = session.ok("get pods -o wide");
    assert!(wide.contains("10.0.0.7") && wide.contains("node-1"), "{wide}");
    assert_eq!(session.ok("get pods --show-labels --no-headers").split_whitespace().last(), Some("app=web"));
    assert_eq!(session.ok("get pods,services -o name"), "pod/web\nservice/web\n");
}

fn get_finds(session: &KubectlSession) {
    session.server().put("pods", pod("a", json!({"app": "x"})));
    session.server().put("pods", pod("b", json!({"app": "y"})));
    let mut other = pod("c", json!({}));
    other["metadata"]["namespace"] = json!("kube-system");
    session.server().put("pods", other);
    assert_eq!(session.ok("get pod a -o jsonpath={.spec.nodeName}"), "node-1");
    assert_eq!(session.ok("get pods -l app=y -o name"), "pod/b\n");
    assert_eq!(session.ok("get pods --field-selector metadata.name=a -o name"), "pod/a\n");
    assert_eq!(session.ok("get pods -A --field-selector spec.nodeName=node-1 -o name").lines().count(), 3);
    assert_eq!(session.ok("get pods -n kube-system -o name"), "pod/c\n");
    assert_eq!(session.ok("get pods --chunk-size=1 -o name").lines().count(), 2);
    let yaml = session.ok("get pod a -o yaml");
    assert!(yaml.starts_with("apiVersion: v1\nkind: Pod\n"), "{yaml}");
}

fn get_watches(session: &KubectlSession) {
    session.server().put("pods", pod("a", json!({})));
    let mut watching = session.watch("get pods -w --output-watch-events --no-headers");
    assert!(watching.next().starts_with("ADDED a 1/1 Running 0 "));
    session.server().put("pods", pod("b", json!({})));
    assert!(watching.next().starts_with("ADDED b 1/1 Running 0 "));
    let mut failed = pod("b", json!({}));
    failed["status"] = json!({"phase": "Failed", "reason": "Evicted"});
    session.server().put("pods", failed);
    assert!(watching.next().starts_with("MODIFIED b 0/1 Evicted 0 "));
    session.server().remove("pods", "default/b");
    assert!(watching.next().starts_with("DELETED b 0/1 Evicted 0 "));
}

fn describes(session: &KubectlSession) {
    session.server().put("pods", pod("web", json!({"app": "web"})));
    let uid = session.object("pods", "default/web")["metadata"]["uid"].clone();
    session.server().put("events", json!({
        "metadata": {"name": "web.1"}, "type": "Warning", "reason": "BackOff", "message": "pulling again",
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "web", "uid": uid, "apiVersion": "v1"},
        "source": {"component": "kubelet"}, "count": 3,
        "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z",
    }));
    let output = session.ok("describe pod web");
    for part in ["Name:", "web", "Node:", "node-1", "app=web", "nginx", "BackOff", "pulling again"] {
        assert!(output.contains(part), "no {part} in:\n{output}");
    }
    session.server().put("configmaps", json!({"metadata": {"name": "c"}, "data": {"key": "value"}}));
    assert!(session.ok("describe configmap c").contains("value"));
    assert!(session.ok("describe namespace default").contains("Active"));
}

fn lists_resources(session: &KubectlSession) {
    let resources = session.ok("api-resources --no-headers");
    let rows = rows(&resources);
    for row in [
        "pods po v1 true Pod",
        "deployments deploy apps/v1 true Deployment",
        "customresourcedefinitions crd,crds apiextensions.k8s.io/v1 false CustomResourceDefinition",
    ] {
        assert!(rows.iter().any(|found| found == row), "no {row} in:\n{resources}");
    }
    assert!(session.ok("api-resources --api-group=batch -o name").contains("cronjobs.batch"));
    let versions = session.ok("api-versions");
    assert!(versions.lines().any(|line| line == "apps/v1") && versions.lines().any(|line| line == "v1"));
    assert!(session.ok("get --raw /version").contains("\"minor\":\"37\""));
    assert_eq!(session.ok("get --raw /readyz"), "ok");
}

fn explains(session: &KubectlSession) {
    let output = session.ok("explain pods.spec.containers");
    for part in ["KIND:", "Pod", "containers", "image", "<string>"] {
        assert!(output.contains(part), "no {part} in:\n{output}");
    }
    assert!(session.ok("explain deployment --recursive").contains("maxUnavailable"));
    assert!(session.fails("explain pods.spec.nonsense", "").contains("nonsense"));
}

fn waits(session: &KubectlSession) {
    let mut pod = pod("web", json!({}));
    session.server().put("pods", pod.clone());
    let mut waiting = session.watch("wait pod/web --for=condition=Ready --timeout=30s");
    // kubectl lists first and then watches. The condition is set after its list.
    while !session.server().requests().iter().any(|request| request.path.ends_with("/pods")) {
        std::thread::yield_now();
    }
    pod["status"]["conditions"] = json!([{"type": "Ready", "status": "True"}]);
    session.server().put("pods", pod);
    assert_eq!(waiting.next(), "pod/web condition met");
    let mut waiting = session.watch("wait pod/web --for=delete --timeout=30s");
    session.server().remove("pods", "default/web");
    // The pod may be deleted before kubectl reads it. Older versions report this as an error.
    let output = waiting.next();
    assert!(output.is_empty() || output == "pod/web condition met", "{output}");
}

fn prints_errors(session: &KubectlSession) {
    assert_eq!(
        session.fails("get pod nothing", ""),
        "Error from server (NotFound): pods \"nothing\" not found\n"
    );
    assert!(
        session.fails("get nonsense", "").contains("the server doesn't have a resource type \"nonsense\"")
    );
    assert!(session.fails("get pods --field-selector spec.nonsense=x", "").contains("BadRequest"));
    let invalid = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Not_A_Name}\n";
    let output = session.fails("create -f -", invalid);
    assert!(output.contains("is invalid") && output.contains("metadata.name"), "{output}");
    session.ok("create configmap c");
    assert!(session.fails("create configmap c", "").contains("already exists"));
    let unknown = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\nnonsense: 1\n";
    assert!(session.fails("create -f -", unknown).contains("nonsense"));
}
