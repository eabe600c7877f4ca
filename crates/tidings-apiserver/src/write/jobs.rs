//! Jobs: the selector and the labels of their pods, which the server generates.

use serde_json::{Value, json};

use super::text;

/// Sets selector and labels, unless the client manages them itself.
pub(super) fn set_selector(job: &mut Value) {
    if job["spec"]["manualSelector"] == true || !job["spec"]["template"].is_object() {
        return;
    }
    let (uid, name) = (text(job, "metadata", "uid").to_owned(), text(job, "metadata", "name").to_owned());
    let template = &mut job["spec"]["template"];
    if !template["metadata"].is_object() {
        template["metadata"] = json!({});
    }
    if !template["metadata"]["labels"].is_object() {
        template["metadata"]["labels"] = json!({});
    }
    let labels = &mut template["metadata"]["labels"];
    for prefix in ["", "batch.kubernetes.io/"] {
        labels[format!("{prefix}controller-uid")] = json!(uid);
        labels[format!("{prefix}job-name")] = json!(name);
    }
    if !job["spec"]["selector"].is_object() {
        job["spec"]["selector"] = json!({"matchLabels": {}});
    }
    if !job["spec"]["selector"]["matchLabels"].is_object() {
        job["spec"]["selector"]["matchLabels"] = json!({});
    }
    job["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"] = json!(uid);
}
