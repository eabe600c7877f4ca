//! The RBAC roles and bindings that kube-apiserver creates when it starts, read from a table.
//!
//! `roles.py` writes the table. One line is one object, and the indented lines below it are its rules:
//!
//! ```text
//! ClusterRole - view label=a=b aggregate=c=d      kind, namespace or `-`, name, labels, aggregation
//!  g=-,apps r=pods,deployments v=get,list         groups (`-` is the core group), resources, verbs; n= are names
//!  u=/healthz v=get                               URLs that are not resources
//! RoleBinding kube-public x Role=y User=z         the role, then the subjects
//! ```

use serde_json::{Map, Value, json};

const TABLE: &str = include_str!("roles.txt");
const GROUP: &str = "rbac.authorization.k8s.io";

/// The plural of each object with the object.
pub(super) fn objects() -> Vec<(&'static str, Value)> {
    let mut objects: Vec<(&'static str, Value)> = Vec::new();
    for line in TABLE.lines() {
        match (line.strip_prefix(' '), objects.last_mut()) {
            (Some(rule), Some((_, object))) => {
                if let Some(rules) = object["rules"].as_array_mut() {
                    rules.push(read_rule(rule));
                }
            }
            _ => objects.extend(read_object(line)),
        }
    }
    objects
}

fn read_object(line: &'static str) -> Option<(&'static str, Value)> {
    let mut words = line.split(' ');
    let (kind, namespace, name) = (words.next()?, words.next()?, words.next()?);
    let mut metadata = json!({
        "name": name,
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    });
    if namespace != "-" {
        metadata["namespace"] = json!(namespace);
    }
    let mut object = json!({"kind": kind, "apiVersion": format!("{GROUP}/v1"), "metadata": metadata});
    let is_binding = kind.ends_with("Binding");
    if !is_binding {
        object["rules"] = json!([]);
    }
    for word in words {
        let (key, value) = word.split_once('=')?;
        match key {
            "label" => {
                let (label, value) = value.split_once('=')?;
                object["metadata"]["labels"][label] = json!(value);
            }
            "aggregate" => {
                let (label, value) = value.split_once('=')?;
                let labels = Map::from_iter([(label.to_owned(), json!(value))]);
                // A controller computes the rules of an aggregated role.
                object["rules"] = Value::Null;
                object["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": labels}]});
            }
            "ClusterRole" | "Role" => {
                object["roleRef"] = json!({"apiGroup": GROUP, "kind": key, "name": value})
            }
            kind => {
                let subject = read_subject(kind, value);
                match object["subjects"].as_array_mut() {
                    Some(subjects) => subjects.push(subject),
                    None => object["subjects"] = json!([subject]),
                }
            }
        }
    }
    let plural = match kind {
        "ClusterRole" => "clusterroles",
        "ClusterRoleBinding" => "clusterrolebindings",
        "Role" => "roles",
        _ => "rolebindings",
    };
    Some((plural, object))
}

fn read_subject(kind: &str, name: &str) -> Value {
    match name.split_once('/') {
        Some((namespace, name)) if kind == "ServiceAccount" => {
            json!({"kind": kind, "namespace": namespace, "name": name})
        }
        _ => json!({"apiGroup": GROUP, "kind": kind, "name": name}),
    }
}

fn read_rule(line: &str) -> Value {
    let mut rule = Map::new();
    for word in line.split(' ') {
        let Some((key, values)) = word.split_once('=') else { continue };
        let field = match key {
            "g" => "apiGroups",
            "r" => "resources",
            "n" => "resourceNames",
            "u" => "nonResourceURLs",
            _ => "verbs",
        };
        let values = values.split(',').map(|value| json!(if value == "-" { "" } else { value })).collect();
        rule.insert(field.to_owned(), Value::Array(values));
    }
    Value::Object(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_roles_with_rules_and_bindings_with_subjects() {
        let objects = objects();
        let find = |plural: &str, name: &str| {
            let found =
                objects.iter().find(|(kind, object)| *kind == plural && object["metadata"]["name"] == name);
            found.map(|(_, object)| object.clone()).expect(name)
        };
        let admin = find("clusterroles", "cluster-admin");
        assert_eq!(admin["rules"][0], json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}));
        assert_eq!(admin["rules"][1], json!({"nonResourceURLs": ["*"], "verbs": ["*"]}));
        assert!(
            find("clusterroles", "view")["aggregationRule"]["clusterRoleSelectors"][0]["matchLabels"]
                .is_object()
        );
        let binding = find("clusterrolebindings", "cluster-admin");
        assert_eq!(binding["roleRef"]["name"], "cluster-admin");
        assert_eq!(binding["subjects"][0]["name"], "system:masters");
        let reader = find("roles", "extension-apiserver-authentication-reader");
        assert_eq!(reader["metadata"]["namespace"], "kube-system");
        assert!(objects.len() > 100, "{}", objects.len());
    }
}
