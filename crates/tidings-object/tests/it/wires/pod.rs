//! A strategy for pods as a server writes them in JSON: members that Go omits when empty are absent or not empty, and
//! the others are always there. Some texts would not pass the validation of a server.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// Any pod.
pub(crate) fn pod() -> impl Strategy<Value = Value> {
    (metadata(), spec(), status())
        .prop_map(|(metadata, spec, status)| json!({"metadata": metadata, "spec": spec, "status": status}))
}

fn metadata() -> impl Strategy<Value = Value> {
    let names = (select(vec!["web-0", "a", "x.y"]), of(select(vec!["shop", "kube-system"])));
    let ids = (of(select(vec!["u-1", "8d2c"])), 1..u64::MAX / 4, of(1..i64::MAX));
    let times = (of(time()), of(time()), of(0..600_i64));
    let owners = vec(owner(), 0..3);
    (names, ids, times, texts(), texts(), owners, vec(text(), 0..3), vec(managed(), 0..3)).prop_map(
        |(
            (name, namespace),
            (uid, version, generation),
            times,
            labels,
            annotations,
            owners,
            finalizers,
            managed,
        )| {
            let mut metadata = Map::new();
            metadata.insert("name".to_owned(), name.into());
            metadata.insert("resourceVersion".to_owned(), version.to_string().into());
            insert(&mut metadata, "namespace", namespace);
            insert(&mut metadata, "uid", uid);
            insert(&mut metadata, "generation", generation);
            insert(&mut metadata, "creationTimestamp", times.0);
            insert(&mut metadata, "deletionTimestamp", times.1);
            insert(&mut metadata, "deletionGracePeriodSeconds", times.2);
            insert(&mut metadata, "labels", labels);
            insert(&mut metadata, "annotations", annotations);
            insert(&mut metadata, "ownerReferences", some(owners));
            insert(&mut metadata, "finalizers", some(finalizers));
            insert(&mut metadata, "managedFields", some(managed));
            Value::Object(metadata)
        },
    )
}

fn owner() -> impl Strategy<Value = Value> {
    (text(), select(vec!["o-1", "o-2", ""]), of(any::<bool>()), of(any::<bool>())).prop_map(
        |(name, uid, controller, block)| {
            let mut owner =
                members(json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": uid}));
            insert(&mut owner, "controller", controller);
            insert(&mut owner, "blockOwnerDeletion", block);
            Value::Object(owner)
        },
    )
}

fn managed() -> impl Strategy<Value = Value> {
    let fields = select(vec![json!({"f:spec": {".": {}, "k:{\"name\":\"é\"}": {}}}), json!({})]);
    (of(time()), fields).prop_map(|(time, fields)| {
        let mut entry = members(json!({"manager": "kubelet", "operation": "Update", "fieldsV1": fields}));
        insert(&mut entry, "time", time);
        Value::Object(entry)
    })
}

fn spec() -> impl Strategy<Value = Value> {
    (vec(container(), 1..4), of(filled()), of(0..9_i64), any::<bool>(), vec(volume(), 0..3)).prop_map(
        |(containers, node, grace, is_host, volumes)| {
            let mut spec = members(json!({"containers": containers}));
            insert(&mut spec, "nodeName", node);
            insert(&mut spec, "terminationGracePeriodSeconds", grace);
            insert(&mut spec, "hostNetwork", is_host.then_some(true));
            insert(&mut spec, "volumes", some(volumes));
            Value::Object(spec)
        },
    )
}

fn container() -> impl Strategy<Value = Value> {
    let quantity = select(vec!["100m", "1", "128Mi", "0"]);
    let port = prop_oneof![select(vec![json!(8080), json!(0)]), filled().prop_map(Value::from)];
    let env = (text(), of(filled())).prop_map(|(name, value)| {
        let mut env = members(json!({"name": name}));
        insert(&mut env, "value", value);
        Value::Object(env)
    });
    (text(), of(filled()), vec(text(), 0..3), vec(env, 0..3), of(quantity), of(port)).prop_map(
        |(name, image, args, env, memory, port)| {
            let resources = memory.map_or(json!({}), |memory| json!({"limits": {"memory": memory}}));
            let mut container = members(json!({"name": name, "resources": resources}));
            insert(&mut container, "image", image);
            insert(&mut container, "args", some(args));
            insert(&mut container, "env", some(env));
            insert(&mut container, "livenessProbe", port.map(|port| json!({"httpGet": {"port": port}})));
            Value::Object(container)
        },
    )
}

fn volume() -> impl Strategy<Value = Value> {
    (text(), of(filled()), of(0..0o777)).prop_map(|(name, map, mode)| {
        let mut source = Map::new();
        insert(&mut source, "name", map);
        insert(&mut source, "defaultMode", mode);
        json!({"name": name, "configMap": source})
    })
}

fn status() -> impl Strategy<Value = Value> {
    let condition = (text(), of(time()), of(time())).prop_map(|(kind, probed, changed)| {
        json!({"type": kind, "status": "True", "lastProbeTime": probed, "lastTransitionTime": changed})
    });
    (of(filled()), vec(condition, 0..3), of(time())).prop_map(|(phase, conditions, started)| {
        let mut status = Map::new();
        insert(&mut status, "phase", phase);
        insert(&mut status, "conditions", some(conditions));
        insert(&mut status, "startTime", started);
        Value::Object(status)
    })
}

fn text() -> impl Strategy<Value = &'static str> {
    select(vec!["web", "", "a.b/c", "é\"\\\n\u{1f600}", "0", "null", "2026-01-01T00:00:00Z", "'quoted'"])
}

fn filled() -> impl Strategy<Value = &'static str> {
    text().prop_filter("a text that is omitted when empty", |text| !text.is_empty())
}

fn texts() -> impl Strategy<Value = Option<Value>> {
    vec((text(), text()), 0..4).prop_map(|pairs| {
        let map: Map<_, _> = pairs.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        (!map.is_empty()).then_some(Value::Object(map))
    })
}

fn time() -> impl Strategy<Value = &'static str> {
    select(vec![
        "2026-09-01T10:00:00Z",
        "1970-01-01T00:00:01Z",
        "1969-12-31T23:59:59Z",
        "2024-02-29T23:59:59Z",
    ])
}

fn some<T>(items: Vec<T>) -> Option<Vec<T>> {
    (!items.is_empty()).then_some(items)
}

fn insert(object: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    object.extend(value.map(|value| (name.to_owned(), value.into())));
}

fn members(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(members) => members,
        other => unreachable!("{other} is no object"),
    }
}
