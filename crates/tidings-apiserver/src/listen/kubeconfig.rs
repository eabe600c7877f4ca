//! Writes a kubeconfig file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The kubeconfig in YAML. `users` are names and tokens.
pub(super) fn text(url: &str, authority_pem: Option<&str>, users: &[(String, String)]) -> String {
    let mut cluster = json!({"server": url});
    if let Some(pem) = authority_pem {
        cluster["certificate-authority-data"] = json!(STANDARD.encode(pem));
    }
    let contexts: Vec<Value> = users
        .iter()
        .map(|(name, _)| json!({"name": name, "context": {"cluster": "tidings", "user": name, "namespace": "default"}}))
        .collect();
    let entries: Vec<Value> =
        users.iter().map(|(name, token)| json!({"name": name, "user": {"token": token}})).collect();
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "tidings", "cluster": cluster}],
        "contexts": contexts,
        "users": entries,
        "current-context": users.first().map(|(name, _)| name.as_str()).unwrap_or_default(),
        "preferences": {},
    });
    serde_yaml::to_string(&config).expect("text and lists are YAML")
}
