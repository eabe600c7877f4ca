//! Services: the cluster addresses that the server gives them.
//!
//! Addresses come from 10.0.0.0/16, in the order of creation, and are not reused. No node ports are allocated.

use serde_json::{Value, json};

use crate::resource::ResourceDef;
use crate::server::Core;

/// Gives a new Service its address.
pub(super) fn allocate(core: &Core, service: &mut Value) {
    let spec = &mut service["spec"];
    if !spec.is_object() || spec["type"] == "ExternalName" {
        return;
    }
    if spec["clusterIP"].as_str().unwrap_or_default().is_empty() {
        // The first address is that of the Service `kubernetes`.
        let number = core.next_service_address();
        spec["clusterIP"] = json!(format!("10.0.{}.{}", (number >> 8) & 0xff, number & 0xff));
    }
    if spec["clusterIPs"].as_array().is_none_or(Vec::is_empty) {
        spec["clusterIPs"] = json!([spec["clusterIP"]]);
    }
    let has_selector = spec["selector"].as_object().is_some_and(|labels| !labels.is_empty());
    if spec["clusterIP"] == "None" && !has_selector {
        // A headless Service without a selector may have endpoints of both families.
        for (name, value) in
            [("ipFamilies", json!(["IPv4", "IPv6"])), ("ipFamilyPolicy", json!("RequireDualStack"))]
        {
            if spec[name].is_null() {
                spec[name] = value;
            }
        }
    }
    let family =
        if spec["clusterIP"].as_str().is_some_and(|address| address.contains(':')) { "IPv6" } else { "IPv4" };
    if spec["ipFamilies"].as_array().is_none_or(Vec::is_empty) {
        spec["ipFamilies"] = json!([family]);
    }
    if spec["ipFamilyPolicy"].is_null() {
        spec["ipFamilyPolicy"] = json!("SingleStack");
    }
}

/// An update that does not name the addresses keeps them.
pub(super) fn keep_addresses(def: &ResourceDef, old: &Value, new: &mut Value) {
    if !(def.group.is_empty() && def.kind == "Service") || new["spec"]["type"] == "ExternalName" {
        return;
    }
    if !new["spec"].is_object() {
        return;
    }
    for name in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
        let is_unset = match &new["spec"][name] {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => false,
        };
        if is_unset && !old["spec"][name].is_null() {
            new["spec"][name] = old["spec"][name].clone();
        }
    }
}
