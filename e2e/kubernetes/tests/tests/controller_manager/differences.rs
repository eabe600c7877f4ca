//! Compares the objects of the real controllers with those of the stand-ins.
//!
//! Names, times, addresses and hashes are random and replaced. What is left must be equal, but for the fields that
//! `INTENDED` lists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// Fields in which the stand-ins differ on purpose: the kind, the path, and why.
const INTENDED: &[(&str, &str, &str)] = &[
    (
        "ControllerRevision of DaemonSet",
        "/data/spec/template/$patch",
        "the template is not stored as a patch",
    ),
    (
        "ControllerRevision of StatefulSet",
        "/data/spec/template/$patch",
        "the template is not stored as a patch",
    ),
    (
        "ControllerRevision of StatefulSet",
        "/metadata/labels/controller",
        "the hash has the label of a DaemonSet's",
    ),
    ("ReplicaSet of Deployment", "/status/terminatingReplicas", "pods that end are not counted"),
    ("web", "/status/terminatingReplicas", "pods that end are not counted"),
];

/// Fails with all differences that are not listed, and if a listed one does not occur.
pub(crate) fn check(real: &[Value], ours: &[Value]) {
    let (real, ours) = (fields(real), fields(ours));
    let paths: BTreeSet<&(String, String)> = real.keys().chain(ours.keys()).collect();
    let (mut unlisted, mut seen) = (Vec::new(), BTreeSet::new());
    for path in paths {
        if real.get(path) == ours.get(path) {
            continue;
        }
        let listed = INTENDED.iter().find(|(kind, field, _)| *kind == path.0 && path.1.starts_with(field));
        match listed {
            Some(entry) => {
                seen.insert(entry);
            }
            None => {
                unlisted.push(format!(
                    "{} {}: real {:?}, ours {:?}",
                    path.0,
                    path.1,
                    real.get(path),
                    ours.get(path)
                ));
            }
        }
    }
    let stale: Vec<_> = INTENDED.iter().filter(|entry| !seen.contains(entry)).collect();
    assert!(unlisted.is_empty() && stale.is_empty(), "{}\nlisted, but equal: {stale:?}", unlisted.join("\n"));
}

/// The values of each field of each kind, sorted.
fn fields(objects: &[Value]) -> BTreeMap<(String, String), Vec<String>> {
    let mut all: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for object in objects {
        let mut object = object.clone();
        let kind = kind_of(&object);
        if let (true, Some(metadata)) =
            (kind.starts_with("EndpointSlice"), object["metadata"].as_object_mut())
        {
            // Both depend on how many changes of pods a controller sees at the same time.
            metadata.remove("generation");
            metadata.remove("annotations");
        }
        remove_random(&mut object);
        collect(&object, "", &mut |path, value| {
            all.entry((kind.clone(), path.to_owned())).or_default().push(value);
        });
    }
    all.values_mut().for_each(|values| values.sort());
    all
}

/// Lists have no kinds, so an owner or a label says what an object is.
fn kind_of(object: &Value) -> String {
    let owner = &object["metadata"]["ownerReferences"][0];
    let kind = match object {
        _ if object["spec"]["containers"].is_array() => "Pod",
        _ if object["addressType"].is_string() => "EndpointSlice",
        _ if object["revision"].is_number() => "ControllerRevision",
        _ if owner["kind"] == "Deployment" => "ReplicaSet",
        _ => object["metadata"]["name"].as_str().unwrap_or_default(),
    };
    match owner["kind"].as_str() {
        Some(owner) => format!("{kind} of {owner}"),
        None => kind.to_owned(),
    }
}

fn collect(value: &Value, path: &str, note: &mut impl FnMut(&str, String)) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(name, value)| collect(value, &format!("{path}/{name}"), note));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().for_each(|item| collect(item, &format!("{path}[]"), note));
        }
        value => note(path, value.to_string()),
    }
}

/// Replaces what differs from run to run.
fn remove_random(value: &mut Value) {
    const RANDOM: [&str; 14] = [
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "managedFields",
        "name",
        "generateName",
        "nodeName",
        "hash",
        "podIP",
        "podIPs",
        "hostIP",
        "hostIPs",
        "addresses",
        "containerID",
    ];
    match value {
        Value::Object(fields) => {
            let kept =
                std::mem::take(fields).into_iter().filter(|(name, _)| !RANDOM.contains(&name.as_str()));
            *fields = kept.map(|(name, value)| with_word(name, value)).collect::<Map<_, _>>();
            fields.values_mut().for_each(remove_random);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_random),
        _ => {}
    }
}

/// Replaces values of times, hashes and messages by a word.
fn with_word(name: String, value: Value) -> (String, Value) {
    let is_time = name.ends_with("Time") || name.ends_with("At");
    let is_random = name == "message"
        || ["-hash", "/hash", "-uid", "Revision", "pod-name"].iter().any(|end| name.ends_with(end));
    match value {
        Value::String(_) if is_time || is_random => (name, Value::from("*")),
        value => (name, value),
    }
}
