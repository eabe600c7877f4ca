//! Defaults of built-in kinds.
//!
//! Most are lines of a table that is generated from the code of Kubernetes ([`table`], `generator/`). Those that depend on
//! several fields, and those of admission plugins, are in [`dependent`]. The conformance tests compare both with a real
//! server.

use serde_json::{Map, Value, json};

use crate::resource::ResourceDef;
use crate::schema::{FieldPresence, KindSchema, Scalar, TypeRef, TypeShape};

mod dependent;
mod table;

pub(crate) use dependent::qos_class;

/// Sets the defaults of absent fields. Custom resources have theirs in their schema.
pub(crate) fn set(def: &ResourceDef, object: &mut Value) {
    if def.is_custom() {
        return;
    }
    dependent::set_before(def, object);
    table::apply(&format!("{}/{}/{}", def.group, def.version, def.kind), object);
    dependent::set_after(def, object);
}

/// Sets the status of a new object, as Go encodes an empty struct: `status: {}` with the fields that are always
/// encoded.
pub(crate) fn set_empty_status(def: &ResourceDef, object: &mut Value) {
    let schema = KindSchema::of(def);
    let KindSchema::Builtin(root) = schema else { return };
    if let (Some(fields), true) = (object.as_object_mut(), root.is_always_present("status"))
        && let Some(status) = root.field("status")
    {
        let present = fields.entry("status").or_insert_with(|| json!({}));
        fill_zero(present, status);
    }
}

/// Adds the fields that the JSON of a Go struct always has.
fn fill_zero(value: &mut Value, schema: TypeRef<'_>) {
    let (TypeShape::Object { fields, .. }, Some(map)) = (schema.shape(), value.as_object_mut()) else {
        return;
    };
    for (name, field) in fields {
        let below = schema.sibling(field.type_id);
        if !map.contains_key(name) {
            if schema.is_always_present(name) {
                map.insert(name.clone(), json!({}));
            } else if field.presence == FieldPresence::Always {
                map.insert(name.clone(), zero(below));
            }
        }
        if let Some(present) = map.get_mut(name) {
            fill_zero(present, below);
        }
    }
}

fn zero(schema: TypeRef<'_>) -> Value {
    match schema.shape() {
        TypeShape::Scalar(Scalar::Int32 | Scalar::Int64 | Scalar::Double) => json!(0),
        TypeShape::Scalar(Scalar::Boolean) => json!(false),
        TypeShape::Scalar(Scalar::String) => json!(""),
        _ => Value::Null,
    }
}

/// The object at a path of fields, if it exists.
fn object_at<'a>(value: &'a mut Value, path: &[&str]) -> Option<&'a mut Map<String, Value>> {
    path.iter().try_fold(value, |value, name| value.get_mut(*name))?.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::builtin::builtin_resources;

    #[test]
    fn given_fields_stay_and_absent_ones_are_set() {
        let all = builtin_resources();
        let def = all.iter().find(|def| def.kind == "Deployment").unwrap();
        let mut object = json!({"spec": {"replicas": 0, "strategy": {"type": "Recreate"}, "template": {"spec": {
            "containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "x:1", "imagePullPolicy": "Never"}],
        }}}});
        set(def, &mut object);
        assert_eq!(object["spec"]["replicas"], 0);
        assert_eq!(object["spec"]["strategy"], json!({"type": "Recreate"}));
        assert_eq!(object["spec"]["progressDeadlineSeconds"], 600);
        let containers = &object["spec"]["template"]["spec"]["containers"];
        assert_eq!(containers[0]["imagePullPolicy"], "Always");
        assert_eq!(containers[1]["imagePullPolicy"], "Never");
        assert_eq!(containers[1]["terminationMessagePath"], "/dev/termination-log");
        assert_eq!(object["spec"]["template"]["spec"]["restartPolicy"], "Always");
    }

    fn with_defaults(kind: &str, mut object: Value) -> Value {
        let all = builtin_resources();
        set(all.iter().find(|def| def.kind == kind).unwrap(), &mut object);
        object
    }

    #[test]
    fn a_strategy_depends_on_its_type() {
        let strategy = |strategy: Value| {
            with_defaults("StatefulSet", json!({"spec": {"updateStrategy": strategy}}))["spec"]["updateStrategy"]
                .clone()
        };
        let whole = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0, "maxUnavailable": 1}});
        assert_eq!(strategy(Value::Null), whole);
        assert_eq!(strategy(json!({"type": ""})), whole);
        assert_eq!(strategy(json!({"type": "OnDelete"})), json!({"type": "OnDelete"}));
        // Kubernetes adds `rollingUpdate` only if the type is absent.
        assert_eq!(strategy(json!({"type": "RollingUpdate"})), json!({"type": "RollingUpdate"}));
    }

    #[test]
    fn limits_are_requests_in_pods_and_not_in_templates() {
        let spec = json!({"hostNetwork": true, "containers": [
            {"name": "a", "ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": "1"}}},
        ]});
        let pod = with_defaults("Pod", json!({"spec": spec}));
        assert_eq!(pod["spec"]["containers"][0]["resources"]["requests"], json!({"cpu": "1"}));
        assert_eq!(pod["spec"]["containers"][0]["ports"][0]["hostPort"], 80);
        let set = with_defaults("ReplicaSet", json!({"spec": {"template": {"spec": spec}}}));
        let container = &set["spec"]["template"]["spec"]["containers"][0];
        assert_eq!(container["resources"], json!({"limits": {"cpu": "1"}}));
        assert_eq!(container["ports"], json!([{"containerPort": 80, "protocol": "TCP"}]));
    }

    #[test]
    fn a_job_has_the_labels_of_its_pods_and_limits_of_containers_complete_each_other() {
        let job = json!({"metadata": {}, "spec": {"backoffLimitPerIndex": 1, "podFailurePolicy": {}, "template": {
            "metadata": {"labels": {"a": "b"}},
        }}});
        let job = with_defaults("Job", job);
        assert_eq!(job["metadata"]["labels"], json!({"a": "b"}));
        assert_eq!((&job["spec"]["completions"], &job["spec"]["parallelism"]), (&json!(1), &json!(1)));
        assert_eq!(job["spec"]["backoffLimit"], i32::MAX);
        assert_eq!(job["spec"]["podReplacementPolicy"], "Failed");
        let limits = json!({"spec": {"limits": [
            {"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "1", "memory": "1Mi"}},
            {"type": "Pod", "max": {"cpu": "2"}},
        ]}});
        let limits = with_defaults("LimitRange", limits)["spec"]["limits"].clone();
        assert_eq!(limits[0]["default"], json!({"cpu": "2"}));
        assert_eq!(limits[0]["defaultRequest"], json!({"cpu": "2", "memory": "1Mi"}));
        assert_eq!(limits[1], json!({"type": "Pod", "max": {"cpu": "2"}}));
    }

    #[test]
    fn values_of_wrong_types_do_not_panic() {
        for kind in
            ["Pod", "Service", "LimitRange", "StatefulSet", "Job", "ReplicationController", "RoleBinding"]
        {
            for value in [json!("x"), json!(1), json!([]), json!(["x", 1, null]), json!({}), Value::Null] {
                with_defaults(kind, json!({"metadata": value, "spec": value, "subjects": value}));
                let spec = json!({
                    "limits": value, "ports": value, "containers": [value], "volumes": [value],
                    "volumeClaimTemplates": value, "template": value, "tolerations": value,
                });
                with_defaults(kind, json!({"metadata": {}, "spec": spec}));
                let container = json!({"resources": value, "ports": value, "image": value});
                let spec =
                    json!({"hostNetwork": true, "containers": [container], "sessionAffinityConfig": value});
                with_defaults(kind, json!({"metadata": {}, "spec": spec}));
            }
        }
    }

    #[test]
    fn an_empty_status_has_the_fields_that_are_always_encoded() {
        let all = builtin_resources();
        for (kind, expected) in [
            ("Deployment", json!({})),
            ("ReplicaSet", json!({"replicas": 0})),
            ("Service", json!({"loadBalancer": {}})),
        ] {
            let def = all.iter().find(|def| def.kind == kind).unwrap();
            let mut object = json!({});
            set_empty_status(def, &mut object);
            assert_eq!(object["status"], expected, "{kind}");
        }
    }
}
