//! Every type of k8s-openapi decodes the same object from both formats. It is a test program of its own, because it
//! takes long to compile.

#[path = "it/equality/pairs.rs"]
mod pairs;

use std::collections::HashSet;
use std::fmt::Debug;

use k8s_openapi::{List, Resource};
use serde::de::DeserializeOwned;
use tidings_protobuf::{TypeMeta, from_slice};
use tidings_test_types as _;

use pairs::{Pair, pairs};

/// Kinds without a type in k8s-openapi, or whose type does not implement `Resource`.
const WITHOUT_A_TYPE: &[(&str, &str, &str)] = &[
    ("", "v1", "DeleteOptions"),
    ("", "v1", "List"),
    ("", "v1", "RangeAllocation"),
    ("meta.k8s.io", "v1", "PartialObjectMetadata"),
    ("meta.k8s.io", "v1", "PartialObjectMetadataList"),
];

/// Versions that no supported server has. k8s-openapi lacks types for some of their kinds.
const NO_LONGER_SERVED: &[(&str, &str)] = &[
    ("admissionregistration.k8s.io", "v1alpha1"),
    ("admissionregistration.k8s.io", "v1beta1"),
    ("apps", "v1beta1"),
    ("apps", "v1beta2"),
    ("authentication.k8s.io", "v1alpha1"),
    ("authentication.k8s.io", "v1beta1"),
    ("authorization.k8s.io", "v1beta1"),
    ("batch", "v1beta1"),
    ("certificates.k8s.io", "v1alpha1"),
    ("certificates.k8s.io", "v1beta1"),
    ("coordination.k8s.io", "v1beta1"),
    ("discovery.k8s.io", "v1beta1"),
    ("events.k8s.io", "v1beta1"),
    ("extensions", "v1beta1"),
    ("flowcontrol.apiserver.k8s.io", "v1beta1"),
    ("flowcontrol.apiserver.k8s.io", "v1beta2"),
    ("flowcontrol.apiserver.k8s.io", "v1beta3"),
    ("networking.k8s.io", "v1beta1"),
    ("node.k8s.io", "v1alpha1"),
    ("node.k8s.io", "v1beta1"),
    ("policy", "v1beta1"),
    ("rbac.authorization.k8s.io", "v1alpha1"),
    ("rbac.authorization.k8s.io", "v1beta1"),
    ("scheduling.k8s.io", "v1beta1"),
    ("storage.k8s.io", "v1alpha1"),
    ("storage.k8s.io", "v1beta1"),
];

macro_rules! check_listed {
    ($check:ident, $($first:ident$(::$more:ident)*: $($kind:ident)*;)*) => {$({
        use k8s_openapi::$first$(::$more)* as module;
        $($check.kind::<module::$kind>();)*
        $($check.kind::<List<module::$kind>>();)*
    })*};
}

macro_rules! check_single {
    ($check:ident, $($first:ident$(::$more:ident)*: $($kind:ident)*;)*) => {$({
        use k8s_openapi::$first$(::$more)* as module;
        $($check.kind::<module::$kind>();)*
    })*};
}

struct Check {
    pairs: Vec<Pair>,
    checked: HashSet<(String, String, String)>,
}

impl Check {
    /// Decodes each object of a kind from both formats.
    fn kind<K: Resource + DeserializeOwned + PartialEq + Debug>(&mut self) {
        let is_this =
            |pair: &&Pair| (&*pair.group, &*pair.version, &*pair.kind) == (K::GROUP, K::VERSION, K::KIND);
        let type_meta = TypeMeta { api_version: Some(K::API_VERSION), kind: Some(K::KIND) };
        let mut objects = 0;
        for pair in self.pairs.iter().filter(is_this) {
            let name = pair.name();
            let from_json = serde_json::from_slice::<K>(pair.json.as_bytes());
            let from_protobuf = from_slice::<K>(pair.message, type_meta, &pair.protobuf);
            match (from_protobuf, from_json) {
                (Ok(one), Ok(other)) => assert!(one == other, "{name}:\n{one:?}\n{other:?}"),
                // Go writes null for a required time that is zero, and k8s-openapi rejects it in both formats.
                (Err(_), Err(_)) => continue,
                (Err(error), Ok(_)) => panic!("{name} is not read from protobuf: {error}"),
                (Ok(_), Err(error)) => panic!("{name} is not read from JSON: {error}"),
            }
            objects += 1;
        }
        assert!(objects >= 1, "{}/{} {} has {objects} objects", K::GROUP, K::VERSION, K::KIND);
        self.checked.insert((K::GROUP.to_owned(), K::VERSION.to_owned(), K::KIND.to_owned()));
    }
}

#[test]
fn each_kind_decodes_to_the_same_value_from_protobuf_and_from_json() {
    let mut check = Check { pairs: pairs(), checked: HashSet::new() };
    check_listed!(
        check,
        api::admissionregistration::v1: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration;
        api::admissionregistration::v1alpha1: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding;
        api::admissionregistration::v1beta1: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding;
        api::apiserverinternal::v1alpha1: StorageVersion;
        api::apps::v1: ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet;
        api::autoscaling::v1: HorizontalPodAutoscaler;
        api::autoscaling::v2: HorizontalPodAutoscaler;
        api::batch::v1: CronJob Job;
        api::certificates::v1: CertificateSigningRequest ClusterTrustBundle PodCertificateRequest;
        api::certificates::v1beta1: ClusterTrustBundle PodCertificateRequest;
        api::coordination::v1: Lease;
        api::coordination::v1alpha2: LeaseCandidate;
        api::coordination::v1beta1: LeaseCandidate;
        api::core::v1: ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount;
        api::discovery::v1: EndpointSlice;
        api::events::v1: Event;
        api::flowcontrol::v1: FlowSchema PriorityLevelConfiguration;
        api::lifecycle::v1alpha1: Eviction EvictionRequest;
        api::networking::v1: IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR;
        api::node::v1: RuntimeClass;
        api::policy::v1: PodDisruptionBudget;
        api::rbac::v1: ClusterRole ClusterRoleBinding Role RoleBinding;
        api::resource::v1: DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice;
        api::resource::v1alpha3: DeviceTaintRule ResourcePoolStatusRequest;
        api::resource::v1beta1: DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice;
        api::resource::v1beta2: DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice;
        api::scheduling::v1: PriorityClass;
        api::scheduling::v1alpha3: CompositePodGroup PodGroup Workload;
        api::scheduling::v1beta1: PodGroup Workload;
        api::storage::v1: CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass;
        api::storagemigration::v1: StorageVersionMigration;
        api::storagemigration::v1beta1: StorageVersionMigration;
        apiextensions_apiserver::pkg::apis::apiextensions::v1: CustomResourceDefinition;
        kube_aggregator::pkg::apis::apiregistration::v1: APIService;
    );
    check_single!(
        check,
        api::authentication::v1: SelfSubjectReview TokenRequest TokenReview;
        api::authorization::v1: LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview;
        api::autoscaling::v1: Scale;
        api::core::v1: Binding;
        api::policy::v1: Eviction;
        apimachinery::pkg::apis::meta::v1: Status;
    );
    let left_out = |pair: &&Pair| {
        let name = (pair.group.clone(), pair.version.clone(), pair.kind.clone());
        !check.checked.contains(&name)
            && !WITHOUT_A_TYPE.contains(&(&*name.0, &*name.1, &*name.2))
            && !NO_LONGER_SERVED.contains(&(&*name.0, &*name.1))
    };
    let left_out: HashSet<String> = check.pairs.iter().filter(left_out).map(Pair::name).collect();
    assert!(left_out.is_empty(), "not checked: {left_out:?}");
}
