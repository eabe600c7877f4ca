//! Compiles the decoders of the Kubernetes types that tests use, once for all test programs. It has no other function,
//! and is never published.
//!
//! A decoder is generic over the deserializer, and a `Pod` consists of about 120 types. Each program that decodes a `Pod`
//! would compile all of that again. Without optimisation, rustc instead links an instance that one of the loaded crates
//! has. A test program loads this crate with `use tidings_test_types as _;`.

use k8s_openapi::Resource;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Node, Pod, Secret, Service};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_protobuf::{TypeMeta, message};

/// Decodes and encodes a type in every way that tests do.
fn instances<K: Resource + DeserializeOwned + Serialize>() -> bool {
    let Some(message) = message(K::GROUP, K::VERSION, K::KIND) else { return false };
    let decoded = [
        tidings_protobuf::from_slice::<K>(message, TypeMeta::default(), b"").ok(),
        serde_json::from_slice::<K>(b"").ok(),
        serde_json::from_str::<K>("").ok(),
        serde_json::from_value::<K>(Value::Null).ok(),
    ];
    decoded
        .iter()
        .flatten()
        .all(|object| serde_json::to_value(object).is_ok() && serde_json::to_vec(object).is_ok())
}

/// Refers to the decoders of all types, so that they are compiled. Nothing calls it.
pub fn all() -> bool {
    instances::<ConfigMap>()
        && instances::<CustomResourceDefinition>()
        && instances::<Deployment>()
        && instances::<Event>()
        && instances::<Lease>()
        && instances::<Namespace>()
        && instances::<Node>()
        && instances::<Pod>()
        && instances::<ReplicaSet>()
        && instances::<Secret>()
        && instances::<Service>()
}
