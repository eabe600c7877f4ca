//! Table cells of nodes, volumes, events, and kinds with few columns.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Whether the node is ready and schedulable.
pub(super) fn node_status(node: &Value) -> Value {
    let ready = items(&node["status"]["conditions"]).find(|condition| condition["type"] == "Ready");
    let mut status = match ready.map(|condition| &condition["status"]) {
        Some(status) if status == "True" => "Ready".to_owned(),
        Some(_) => "NotReady".to_owned(),
        None => "Unknown".to_owned(),
    };
    if node["spec"]["unschedulable"] == true {
        status.push_str(",SchedulingDisabled");
    }
    json!(status)
}

/// The roles of a node, from its labels.
pub(super) fn node_roles(node: &Value) -> Value {
    let labels = node["metadata"]["labels"].as_object().into_iter().flatten();
    let roles: Vec<_> = labels
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None if key == "kubernetes.io/role" => value.as_str(),
            None => None,
        })
        .filter(|role| !role.is_empty())
        .collect();
    if roles.is_empty() { json!("<none>") } else { json!(roles.join(",")) }
}

fn node_address(node: &Value, kind: &str) -> Value {
    let found = items(&node["status"]["addresses"]).find(|address| address["type"] == kind);
    found.map_or_else(|| json!("<none>"), |address| address["address"].clone())
}

pub(super) fn node_internal_ip(node: &Value) -> Value {
    node_address(node, "InternalIP")
}

pub(super) fn node_external_ip(node: &Value) -> Value {
    node_address(node, "ExternalIP")
}

/// The number of keys in `data` and `binaryData`.
pub(super) fn data_count(object: &Value) -> Value {
    let count = |field: &str| object[field].as_object().map_or(0, serde_json::Map::len);
    json!(count("data") + count("binaryData"))
}

fn first_time(times: [&Value; 3]) -> Option<&Value> {
    times.into_iter().find(|time| time.is_string())
}

pub(super) fn event_last_seen(event: &Value, now: Timestamp) -> Value {
    let times = [&event["series"]["lastObservedTime"], &event["lastTimestamp"], &event["eventTime"]];
    json!(age::since(first_time(times), now))
}

pub(super) fn event_first_seen(event: &Value, now: Timestamp) -> Value {
    let times = [&event["firstTimestamp"], &event["eventTime"], &event["deprecatedFirstTimestamp"]];
    json!(age::since(first_time(times), now))
}

/// The object of an event, such as `pod/web`.
pub(super) fn event_object(event: &Value) -> Value {
    let about = if event["regarding"].is_object() { &event["regarding"] } else { &event["involvedObject"] };
    let kind = about["kind"].as_str().unwrap_or_default().to_lowercase();
    let name = about["name"].as_str().unwrap_or_default();
    json!(if kind.is_empty() { name.to_owned() } else { format!("{kind}/{name}") })
}

/// The component that reported an event.
pub(super) fn event_source(event: &Value) -> Value {
    let component = event["source"]["component"].as_str().or_else(|| event["reportingComponent"].as_str());
    let parts: Vec<_> = component.into_iter().chain(event["source"]["host"].as_str()).collect();
    json!(parts.join(", "))
}

pub(super) fn event_message(event: &Value) -> Value {
    json!(event["message"].as_str().or_else(|| event["note"].as_str()).unwrap_or_default().trim())
}

pub(super) fn event_count(event: &Value) -> Value {
    let count = event["series"]["count"].as_i64().or_else(|| event["count"].as_i64());
    json!(count.filter(|count| *count > 0).unwrap_or(1))
}

/// The phase, or `Terminating`.
pub(super) fn phase(object: &Value) -> Value {
    if object["metadata"]["deletionTimestamp"].is_null() {
        json!(object["status"]["phase"].as_str().unwrap_or_default())
    } else {
        json!("Terminating")
    }
}

fn modes(modes: &Value) -> Value {
    let short = items(modes).filter_map(|mode| match mode.as_str()? {
        "ReadWriteOnce" => Some("RWO"),
        "ReadOnlyMany" => Some("ROX"),
        "ReadWriteMany" => Some("RWX"),
        "ReadWriteOncePod" => Some("RWOP"),
        _ => None,
    });
    json!(short.collect::<Vec<_>>().join(","))
}

/// The access modes of a volume.
pub(super) fn access_modes(volume: &Value) -> Value {
    modes(&volume["spec"]["accessModes"])
}

/// The access modes of a claim.
pub(super) fn claimed_access_modes(claim: &Value) -> Value {
    modes(&claim["status"]["accessModes"])
}

/// The claim of a volume.
pub(super) fn volume_claim(volume: &Value) -> Value {
    let claim = &volume["spec"]["claimRef"];
    match (claim["namespace"].as_str(), claim["name"].as_str()) {
        (Some(namespace), Some(name)) => json!(format!("{namespace}/{name}")),
        _ => json!(""),
    }
}

fn number_or_none(value: &Value) -> Value {
    match value {
        Value::Null => json!("N/A"),
        Value::String(text) => json!(text),
        other => json!(other.to_string()),
    }
}

pub(super) fn min_available(budget: &Value) -> Value {
    number_or_none(&budget["spec"]["minAvailable"])
}

pub(super) fn max_unavailable(budget: &Value) -> Value {
    number_or_none(&budget["spec"]["maxUnavailable"])
}

pub(super) fn allows_expansion(class: &Value) -> Value {
    json!(class["allowVolumeExpansion"] == true)
}

pub(super) fn is_global_default(class: &Value) -> Value {
    json!(class["globalDefault"] == true)
}

/// The role of a binding.
pub(super) fn bound_role(binding: &Value) -> Value {
    let role = &binding["roleRef"];
    json!(format!(
        "{}/{}",
        role["kind"].as_str().unwrap_or_default(),
        role["name"].as_str().unwrap_or_default()
    ))
}

fn subjects(binding: &Value, kind: &str) -> Value {
    let found = items(&binding["subjects"]).filter(|subject| subject["kind"] == kind).filter_map(|subject| {
        let name = subject["name"].as_str()?;
        let namespace = subject["namespace"].as_str().filter(|namespace| !namespace.is_empty());
        Some(namespace.map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}")))
    });
    json!(found.collect::<Vec<_>>().join(", "))
}

pub(super) fn bound_users(binding: &Value) -> Value {
    subjects(binding, "User")
}

pub(super) fn bound_groups(binding: &Value) -> Value {
    subjects(binding, "Group")
}

pub(super) fn bound_accounts(binding: &Value) -> Value {
    subjects(binding, "ServiceAccount")
}

/// The served versions of a definition, sorted, with a mark at the stored one.
pub(super) fn served_versions(definition: &Value) -> Value {
    let served = items(&definition["spec"]["versions"]).filter(|version| version["served"] == true);
    let mut versions: Vec<String> = served
        .map(|version| {
            let name = version["name"].as_str().unwrap_or_default();
            if version["storage"] == true { format!("{name}(storage)") } else { name.to_owned() }
        })
        .collect();
    versions.sort();
    json!(versions.join(","))
}

pub(super) fn short_names(definition: &Value) -> Value {
    let names: Vec<&str> =
        items(&definition["spec"]["names"]["shortNames"]).filter_map(Value::as_str).collect();
    json!(names.join(","))
}

pub(super) fn is_established(definition: &Value) -> Value {
    let mut conditions = items(&definition["status"]["conditions"]);
    json!(conditions.any(|condition| condition["type"] == "Established" && condition["status"] == "True"))
}

pub(super) fn webhook_count(configuration: &Value) -> Value {
    json!(items(&configuration["webhooks"]).count())
}
