//! Compares the decoded values of typed objects from protobuf and from JSON.

use std::borrow::Borrow;
use std::fmt::{Debug, Display};
use std::sync::Arc;

use k8s_openapi::api;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions;
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_protobuf::from_slice;

use crate::difference::Difference;
use crate::intake::BothIntakes;
use crate::kinds::BuiltIn;
use crate::pair::Pair;

/// The differences between the decoded values.
pub(crate) type Decode = fn(&Pair<'_>, &BothIntakes) -> Vec<Difference>;

macro_rules! typed {
    ($($group:ident::$version:ident::{$($kind:ident),+ $(,)?};)+) => {
        vec![$($(of::<$group::$version::$kind>()),+),+]
    };
}

/// All kinds that are compared. k8s-openapi has a type for each kind of the newest release.
pub(crate) fn all() -> Vec<BuiltIn> {
    use api::{
        admissionregistration, apiserverinternal, apps, autoscaling, batch, certificates, coordination, core,
        discovery, events, flowcontrol, lifecycle, networking, node, policy, rbac, resource, scheduling,
        storage, storagemigration,
    };
    typed! {
        core::v1::{
            ConfigMap, Endpoints, Event, LimitRange, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod,
            PodTemplate, ReplicationController, ResourceQuota, Secret, Service, ServiceAccount,
        };
        admissionregistration::v1::{
            MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingWebhookConfiguration,
            ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, ValidatingWebhookConfiguration,
        };
        admissionregistration::v1alpha1::{MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding};
        admissionregistration::v1beta1::{MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding};
        apiextensions::v1::{CustomResourceDefinition};
        apiregistration::v1::{APIService};
        apiserverinternal::v1alpha1::{StorageVersion};
        apps::v1::{ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet};
        autoscaling::v1::{HorizontalPodAutoscaler};
        autoscaling::v2::{HorizontalPodAutoscaler};
        batch::v1::{CronJob, Job};
        certificates::v1::{CertificateSigningRequest, ClusterTrustBundle, PodCertificateRequest};
        certificates::v1beta1::{ClusterTrustBundle, PodCertificateRequest};
        coordination::v1::{Lease};
        coordination::v1alpha2::{LeaseCandidate};
        coordination::v1beta1::{LeaseCandidate};
        discovery::v1::{EndpointSlice};
        events::v1::{Event};
        flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
        lifecycle::v1alpha1::{Eviction, EvictionRequest};
        networking::v1::{IPAddress, Ingress, IngressClass, NetworkPolicy, ServiceCIDR};
        node::v1::{RuntimeClass};
        policy::v1::{PodDisruptionBudget};
        rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
        resource::v1::{DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate, ResourceSlice};
        resource::v1alpha3::{DeviceTaintRule, ResourcePoolStatusRequest};
        resource::v1beta1::{DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice};
        resource::v1beta2::{DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate, ResourceSlice};
        scheduling::v1::{PriorityClass};
        scheduling::v1alpha3::{CompositePodGroup, PodGroup, Workload};
        scheduling::v1beta1::{PodGroup, Workload};
        storage::v1::{
            CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass,
        };
        storagemigration::v1::{StorageVersionMigration};
        storagemigration::v1beta1::{StorageVersionMigration};
    }
}

fn of<K>() -> BuiltIn
where
    K: k8s_openapi::Resource + DeserializeOwned + Serialize + PartialEq + Debug + Send + Sync + 'static,
{
    BuiltIn { group: K::GROUP, version: K::VERSION, name: K::KIND, decode: decode::<K> }
}

fn decode<K>(pair: &Pair<'_>, taken: &BothIntakes) -> Vec<Difference>
where
    K: DeserializeOwned + Serialize + PartialEq + Debug + Send + Sync + 'static,
{
    let what = format!("{}, decoded", pair.what);
    // From text, as objects are decoded below: each deserializer compiles the code of all kinds once more.
    let json = serde_json::from_slice::<K>(&serde_json::to_vec(&pair.json).expect("a value is JSON"));
    let protobuf = from_slice::<K>(pair.message, pair.type_meta, pair.protobuf);
    let mut differences = unequal::<K, K>(&what, json.map_err(shown), protobuf.map_err(shown));
    let what = format!("{what} from what was taken in");
    let [json, protobuf] = [&taken.json, &taken.protobuf].map(|object| object.decoded::<K>().map_err(shown));
    differences.extend(unequal::<K, Arc<K>>(&what, json, protobuf));
    differences
}

fn shown(error: impl Display) -> String {
    error.to_string()
}

fn unequal<K, R>(what: &str, json: Result<R, String>, protobuf: Result<R, String>) -> Vec<Difference>
where
    K: Serialize + PartialEq + Debug,
    R: Borrow<K>,
{
    let (json, protobuf) = match (&json, &protobuf) {
        (Ok(json), Ok(protobuf)) => (json.borrow(), protobuf.borrow()),
        _ => return vec![Difference::whole(what, "", json.err(), protobuf.err())],
    };
    if json == protobuf {
        return Vec::new();
    }
    let value = |decoded: &K| serde_json::to_value(decoded).unwrap_or(Value::Null);
    let differences = Difference::between(what, &value(json), &value(protobuf));
    if differences.is_empty() { vec![Difference::whole(what, "", json, protobuf)] } else { differences }
}
