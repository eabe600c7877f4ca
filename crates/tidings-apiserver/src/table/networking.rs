//! Table cells of Services, Endpoints, EndpointSlices, Ingresses and NetworkPolicies.

use serde_json::{Value, json};

/// The largest number of items before `+ n more...`.
const SHOWN_MAX: usize = 3;

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn or_none(parts: &[String], none: &str) -> Value {
    if parts.is_empty() { json!(none) } else { json!(parts.join(",")) }
}

fn abridged(parts: &[String]) -> Value {
    match parts.len().saturating_sub(SHOWN_MAX) {
        0 => or_none(parts, "<none>"),
        more => json!(format!("{} + {more} more...", parts[..SHOWN_MAX].join(","))),
    }
}

pub(super) fn service_type(service: &Value) -> Value {
    json!(service["spec"]["type"].as_str().unwrap_or("ClusterIP"))
}

fn load_balancers(object: &Value) -> Vec<String> {
    items(&object["status"]["loadBalancer"]["ingress"])
        .filter_map(|ingress| ingress["ip"].as_str().or_else(|| ingress["hostname"].as_str()))
        .map(str::to_owned)
        .collect()
}

/// The external addresses of a service.
pub(super) fn external_ip(service: &Value) -> Value {
    let spec = &service["spec"];
    let given: Vec<_> = items(&spec["externalIPs"]).filter_map(|ip| ip.as_str().map(str::to_owned)).collect();
    match spec["type"].as_str() {
        Some("ExternalName") => json!(spec["externalName"].as_str().unwrap_or("<none>")),
        Some("LoadBalancer") => {
            let all: Vec<_> = load_balancers(service).into_iter().chain(given).collect();
            or_none(&all, "<pending>")
        }
        _ => or_none(&given, "<none>"),
    }
}

/// The ports of a service with their node ports.
pub(super) fn service_ports(service: &Value) -> Value {
    let ports: Vec<_> = items(&service["spec"]["ports"])
        .map(|port| {
            let node = port["nodePort"].as_i64().filter(|node| *node > 0).map(|node| format!(":{node}"));
            let protocol = port["protocol"].as_str().unwrap_or("TCP");
            format!("{}{}/{protocol}", port["port"], node.unwrap_or_default())
        })
        .collect();
    or_none(&ports, "<none>")
}

pub(super) fn endpoints(endpoints: &Value) -> Value {
    let mut parts = Vec::new();
    for subset in items(&endpoints["subsets"]) {
        for address in items(&subset["addresses"]) {
            let ip = address["ip"].as_str().unwrap_or_default();
            let ports: Vec<_> =
                items(&subset["ports"]).map(|port| format!("{ip}:{}", port["port"])).collect();
            parts.extend(if ports.is_empty() { vec![ip.to_owned()] } else { ports });
        }
    }
    abridged(&parts)
}

pub(super) fn slice_ports(slice: &Value) -> Value {
    let ports: Vec<_> = items(&slice["ports"]).map(|port| port["port"].to_string()).collect();
    if ports.is_empty() { json!("<unset>") } else { abridged(&ports) }
}

pub(super) fn slice_endpoints(slice: &Value) -> Value {
    let addresses: Vec<_> = items(&slice["endpoints"])
        .flat_map(|endpoint| items(&endpoint["addresses"]))
        .filter_map(|address| address.as_str().map(str::to_owned))
        .collect();
    if addresses.is_empty() { json!("<unset>") } else { abridged(&addresses) }
}

pub(super) fn ingress_hosts(ingress: &Value) -> Value {
    let hosts: Vec<_> = items(&ingress["spec"]["rules"])
        .map(|rule| rule["host"].as_str().filter(|host| !host.is_empty()).unwrap_or("*").to_owned())
        .collect();
    if hosts.is_empty() { json!("*") } else { abridged(&hosts) }
}

pub(super) fn ingress_address(ingress: &Value) -> Value {
    json!(load_balancers(ingress).join(","))
}

pub(super) fn ingress_ports(ingress: &Value) -> Value {
    json!(if items(&ingress["spec"]["tls"]).next().is_some() { "80, 443" } else { "80" })
}

/// The pod selector of a NetworkPolicy.
pub(super) fn pod_selector(policy: &Value) -> Value {
    super::workload::selector(&json!({"spec": {"selector": policy["spec"]["podSelector"]}}))
}
