//! Every kind that a server sends as protobuf, in the order of group, version and kind.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

#[rustfmt::skip]
mod admissionregistration_v1;
#[rustfmt::skip]
mod admissionregistration_v1alpha1;
#[rustfmt::skip]
mod admissionregistration_v1beta1;
#[rustfmt::skip]
mod apiextensions_v1;
#[rustfmt::skip]
mod apiregistration_v1;
#[rustfmt::skip]
mod apiserverinternal_v1alpha1;
#[rustfmt::skip]
mod apps_v1;
#[rustfmt::skip]
mod apps_v1beta1;
#[rustfmt::skip]
mod apps_v1beta2;
#[rustfmt::skip]
mod authentication_v1;
#[rustfmt::skip]
mod authentication_v1alpha1;
#[rustfmt::skip]
mod authentication_v1beta1;
#[rustfmt::skip]
mod authorization_v1;
#[rustfmt::skip]
mod authorization_v1beta1;
#[rustfmt::skip]
mod autoscaling_v1;
#[rustfmt::skip]
mod autoscaling_v2;
#[rustfmt::skip]
mod batch_v1;
#[rustfmt::skip]
mod batch_v1beta1;
#[rustfmt::skip]
mod certificates_v1;
#[rustfmt::skip]
mod certificates_v1alpha1;
#[rustfmt::skip]
mod certificates_v1beta1;
#[rustfmt::skip]
mod coordination_v1;
#[rustfmt::skip]
mod coordination_v1alpha2;
#[rustfmt::skip]
mod coordination_v1beta1;
#[rustfmt::skip]
mod core_v1;
#[rustfmt::skip]
mod discovery_v1;
#[rustfmt::skip]
mod discovery_v1beta1;
#[rustfmt::skip]
mod events_v1;
#[rustfmt::skip]
mod events_v1beta1;
#[rustfmt::skip]
mod extensions_v1beta1;
#[rustfmt::skip]
mod flowcontrol_v1;
#[rustfmt::skip]
mod flowcontrol_v1beta1;
#[rustfmt::skip]
mod flowcontrol_v1beta2;
#[rustfmt::skip]
mod flowcontrol_v1beta3;
#[rustfmt::skip]
mod lifecycle_v1alpha1;
#[rustfmt::skip]
mod meta_v1;
#[rustfmt::skip]
mod networking_v1;
#[rustfmt::skip]
mod networking_v1beta1;
#[rustfmt::skip]
mod node_v1;
#[rustfmt::skip]
mod node_v1alpha1;
#[rustfmt::skip]
mod node_v1beta1;
#[rustfmt::skip]
mod policy_v1;
#[rustfmt::skip]
mod policy_v1beta1;
#[rustfmt::skip]
mod rbac_v1;
#[rustfmt::skip]
mod rbac_v1alpha1;
#[rustfmt::skip]
mod rbac_v1beta1;
#[rustfmt::skip]
mod resource_v1;
#[rustfmt::skip]
mod resource_v1alpha3;
#[rustfmt::skip]
mod resource_v1beta1;
#[rustfmt::skip]
mod resource_v1beta2;
#[rustfmt::skip]
mod scheduling_v1;
#[rustfmt::skip]
mod scheduling_v1alpha3;
#[rustfmt::skip]
mod scheduling_v1beta1;
#[rustfmt::skip]
mod storage_v1;
#[rustfmt::skip]
mod storage_v1alpha1;
#[rustfmt::skip]
mod storage_v1beta1;
#[rustfmt::skip]
mod storagemigration_v1;
#[rustfmt::skip]
mod storagemigration_v1beta1;

use crate::message::Message;

/// The version of `k8s.io/api` whose types the table was made from.
pub const KUBERNETES_VERSION: &str = "v0.37.0";

#[rustfmt::skip]
pub(crate) static KINDS: &[((&str, &str, &str), &Message)] = &[
    (("", "v1", "Binding"), &core_v1::BINDING),
    (("", "v1", "ComponentStatus"), &core_v1::COMPONENT_STATUS),
    (("", "v1", "ComponentStatusList"), &core_v1::COMPONENT_STATUS_LIST),
    (("", "v1", "ConfigMap"), &core_v1::CONFIG_MAP),
    (("", "v1", "ConfigMapList"), &core_v1::CONFIG_MAP_LIST),
    (("", "v1", "DeleteOptions"), &meta_v1::DELETE_OPTIONS),
    (("", "v1", "Endpoints"), &core_v1::ENDPOINTS),
    (("", "v1", "EndpointsList"), &core_v1::ENDPOINTS_LIST),
    (("", "v1", "Event"), &core_v1::EVENT),
    (("", "v1", "EventList"), &core_v1::EVENT_LIST),
    (("", "v1", "LimitRange"), &core_v1::LIMIT_RANGE),
    (("", "v1", "LimitRangeList"), &core_v1::LIMIT_RANGE_LIST),
    (("", "v1", "List"), &core_v1::LIST),
    (("", "v1", "Namespace"), &core_v1::NAMESPACE),
    (("", "v1", "NamespaceList"), &core_v1::NAMESPACE_LIST),
    (("", "v1", "Node"), &core_v1::NODE),
    (("", "v1", "NodeList"), &core_v1::NODE_LIST),
    (("", "v1", "PersistentVolume"), &core_v1::PERSISTENT_VOLUME),
    (("", "v1", "PersistentVolumeClaim"), &core_v1::PERSISTENT_VOLUME_CLAIM),
    (("", "v1", "PersistentVolumeClaimList"), &core_v1::PERSISTENT_VOLUME_CLAIM_LIST),
    (("", "v1", "PersistentVolumeList"), &core_v1::PERSISTENT_VOLUME_LIST),
    (("", "v1", "Pod"), &core_v1::POD),
    (("", "v1", "PodList"), &core_v1::POD_LIST),
    (("", "v1", "PodTemplate"), &core_v1::POD_TEMPLATE),
    (("", "v1", "PodTemplateList"), &core_v1::POD_TEMPLATE_LIST),
    (("", "v1", "RangeAllocation"), &core_v1::RANGE_ALLOCATION),
    (("", "v1", "ReplicationController"), &core_v1::REPLICATION_CONTROLLER),
    (("", "v1", "ReplicationControllerList"), &core_v1::REPLICATION_CONTROLLER_LIST),
    (("", "v1", "ResourceQuota"), &core_v1::RESOURCE_QUOTA),
    (("", "v1", "ResourceQuotaList"), &core_v1::RESOURCE_QUOTA_LIST),
    (("", "v1", "Secret"), &core_v1::SECRET),
    (("", "v1", "SecretList"), &core_v1::SECRET_LIST),
    (("", "v1", "Service"), &core_v1::SERVICE),
    (("", "v1", "ServiceAccount"), &core_v1::SERVICE_ACCOUNT),
    (("", "v1", "ServiceAccountList"), &core_v1::SERVICE_ACCOUNT_LIST),
    (("", "v1", "ServiceList"), &core_v1::SERVICE_LIST),
    (("", "v1", "Status"), &meta_v1::STATUS),
    (("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy"), &admissionregistration_v1::MUTATING_ADMISSION_POLICY),
    (("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicyBinding"), &admissionregistration_v1::MUTATING_ADMISSION_POLICY_BINDING),
    (("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicyBindingList"), &admissionregistration_v1::MUTATING_ADMISSION_POLICY_BINDING_LIST),
    (("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicyList"), &admissionregistration_v1::MUTATING_ADMISSION_POLICY_LIST),
    (("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"), &admissionregistration_v1::MUTATING_WEBHOOK_CONFIGURATION),
    (("admissionregistration.k8s.io", "v1", "MutatingWebhookConfigurationList"), &admissionregistration_v1::MUTATING_WEBHOOK_CONFIGURATION_LIST),
    (("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy"), &admissionregistration_v1::VALIDATING_ADMISSION_POLICY),
    (("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding"), &admissionregistration_v1::VALIDATING_ADMISSION_POLICY_BINDING),
    (("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBindingList"), &admissionregistration_v1::VALIDATING_ADMISSION_POLICY_BINDING_LIST),
    (("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyList"), &admissionregistration_v1::VALIDATING_ADMISSION_POLICY_LIST),
    (("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration"), &admissionregistration_v1::VALIDATING_WEBHOOK_CONFIGURATION),
    (("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfigurationList"), &admissionregistration_v1::VALIDATING_WEBHOOK_CONFIGURATION_LIST),
    (("admissionregistration.k8s.io", "v1alpha1", "MutatingAdmissionPolicy"), &admissionregistration_v1alpha1::MUTATING_ADMISSION_POLICY),
    (("admissionregistration.k8s.io", "v1alpha1", "MutatingAdmissionPolicyBinding"), &admissionregistration_v1alpha1::MUTATING_ADMISSION_POLICY_BINDING),
    (("admissionregistration.k8s.io", "v1alpha1", "MutatingAdmissionPolicyBindingList"), &admissionregistration_v1alpha1::MUTATING_ADMISSION_POLICY_BINDING_LIST),
    (("admissionregistration.k8s.io", "v1alpha1", "MutatingAdmissionPolicyList"), &admissionregistration_v1alpha1::MUTATING_ADMISSION_POLICY_LIST),
    (("admissionregistration.k8s.io", "v1alpha1", "ValidatingAdmissionPolicy"), &admissionregistration_v1alpha1::VALIDATING_ADMISSION_POLICY),
    (("admissionregistration.k8s.io", "v1alpha1", "ValidatingAdmissionPolicyBinding"), &admissionregistration_v1alpha1::VALIDATING_ADMISSION_POLICY_BINDING),
    (("admissionregistration.k8s.io", "v1alpha1", "ValidatingAdmissionPolicyBindingList"), &admissionregistration_v1alpha1::VALIDATING_ADMISSION_POLICY_BINDING_LIST),
    (("admissionregistration.k8s.io", "v1alpha1", "ValidatingAdmissionPolicyList"), &admissionregistration_v1alpha1::VALIDATING_ADMISSION_POLICY_LIST),
    (("admissionregistration.k8s.io", "v1beta1", "MutatingAdmissionPolicy"), &admissionregistration_v1beta1::MUTATING_ADMISSION_POLICY),
    (("admissionregistration.k8s.io", "v1beta1", "MutatingAdmissionPolicyBinding"), &admissionregistration_v1beta1::MUTATING_ADMISSION_POLICY_BINDING),
    (("admissionregistration.k8s.io", "v1beta1", "MutatingAdmissionPolicyBindingList"), &admissionregistration_v1beta1::MUTATING_ADMISSION_POLICY_BINDING_LIST),
    (("admissionregistration.k8s.io", "v1beta1", "MutatingAdmissionPolicyList"), &admissionregistration_v1beta1::MUTATING_ADMISSION_POLICY_LIST),
    (("admissionregistration.k8s.io", "v1beta1", "MutatingWebhookConfiguration"), &admissionregistration_v1beta1::MUTATING_WEBHOOK_CONFIGURATION),
    (("admissionregistration.k8s.io", "v1beta1", "MutatingWebhookConfigurationList"), &admissionregistration_v1beta1::MUTATING_WEBHOOK_CONFIGURATION_LIST),
    (("admissionregistration.k8s.io", "v1beta1", "ValidatingAdmissionPolicy"), &admissionregistration_v1beta1::VALIDATING_ADMISSION_POLICY),
    (("admissionregistration.k8s.io", "v1beta1", "ValidatingAdmissionPolicyBinding"), &admissionregistration_v1beta1::VALIDATING_ADMISSION_POLICY_BINDING),
    (("admissionregistration.k8s.io", "v1beta1", "ValidatingAdmissionPolicyBindingList"), &admissionregistration_v1beta1::VALIDATING_ADMISSION_POLICY_BINDING_LIST),
    (("admissionregistration.k8s.io", "v1beta1", "ValidatingAdmissionPolicyList"), &admissionregistration_v1beta1::VALIDATING_ADMISSION_POLICY_LIST),
    (("admissionregistration.k8s.io", "v1beta1", "ValidatingWebhookConfiguration"), &admissionregistration_v1beta1::VALIDATING_WEBHOOK_CONFIGURATION),
    (("admissionregistration.k8s.io", "v1beta1", "ValidatingWebhookConfigurationList"), &admissionregistration_v1beta1::VALIDATING_WEBHOOK_CONFIGURATION_LIST),
    (("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), &apiextensions_v1::CUSTOM_RESOURCE_DEFINITION),
    (("apiextensions.k8s.io", "v1", "CustomResourceDefinitionList"), &apiextensions_v1::CUSTOM_RESOURCE_DEFINITION_LIST),
    (("apiregistration.k8s.io", "v1", "APIService"), &apiregistration_v1::API_SERVICE),
    (("apiregistration.k8s.io", "v1", "APIServiceList"), &apiregistration_v1::API_SERVICE_LIST),
    (("apps", "v1", "ControllerRevision"), &apps_v1::CONTROLLER_REVISION),
    (("apps", "v1", "ControllerRevisionList"), &apps_v1::CONTROLLER_REVISION_LIST),
    (("apps", "v1", "DaemonSet"), &apps_v1::DAEMON_SET),
    (("apps", "v1", "DaemonSetList"), &apps_v1::DAEMON_SET_LIST),
    (("apps", "v1", "Deployment"), &apps_v1::DEPLOYMENT),
    (("apps", "v1", "DeploymentList"), &apps_v1::DEPLOYMENT_LIST),
    (("apps", "v1", "ReplicaSet"), &apps_v1::REPLICA_SET),
    (("apps", "v1", "ReplicaSetList"), &apps_v1::REPLICA_SET_LIST),
    (("apps", "v1", "StatefulSet"), &apps_v1::STATEFUL_SET),
    (("apps", "v1", "StatefulSetList"), &apps_v1::STATEFUL_SET_LIST),
    (("apps", "v1beta1", "ControllerRevision"), &apps_v1beta1::CONTROLLER_REVISION),
    (("apps", "v1beta1", "ControllerRevisionList"), &apps_v1beta1::CONTROLLER_REVISION_LIST),
    (("apps", "v1beta1", "Deployment"), &apps_v1beta1::DEPLOYMENT),
    (("apps", "v1beta1", "DeploymentList"), &apps_v1beta1::DEPLOYMENT_LIST),
    (("apps", "v1beta1", "Scale"), &apps_v1beta1::SCALE),
    (("apps", "v1beta1", "StatefulSet"), &apps_v1beta1::STATEFUL_SET),
    (("apps", "v1beta1", "StatefulSetList"), &apps_v1beta1::STATEFUL_SET_LIST),
    (("apps", "v1beta2", "ControllerRevision"), &apps_v1beta2::CONTROLLER_REVISION),
    (("apps", "v1beta2", "ControllerRevisionList"), &apps_v1beta2::CONTROLLER_REVISION_LIST),
    (("apps", "v1beta2", "DaemonSet"), &apps_v1beta2::DAEMON_SET),
    (("apps", "v1beta2", "DaemonSetList"), &apps_v1beta2::DAEMON_SET_LIST),
    (("apps", "v1beta2", "Deployment"), &apps_v1beta2::DEPLOYMENT),
    (("apps", "v1beta2", "DeploymentList"), &apps_v1beta2::DEPLOYMENT_LIST),
    (("apps", "v1beta2", "ReplicaSet"), &apps_v1beta2::REPLICA_SET),
    (("apps", "v1beta2", "ReplicaSetList"), &apps_v1beta2::REPLICA_SET_LIST),
    (("apps", "v1beta2", "Scale"), &apps_v1beta2::SCALE),
    (("apps", "v1beta2", "StatefulSet"), &apps_v1beta2::STATEFUL_SET),
    (("apps", "v1beta2", "StatefulSetList"), &apps_v1beta2::STATEFUL_SET_LIST),
    (("authentication.k8s.io", "v1", "SelfSubjectReview"), &authentication_v1::SELF_SUBJECT_REVIEW),
    (("authentication.k8s.io", "v1", "TokenRequest"), &authentication_v1::TOKEN_REQUEST),
    (("authentication.k8s.io", "v1", "TokenReview"), &authentication_v1::TOKEN_REVIEW),
    (("authentication.k8s.io", "v1alpha1", "SelfSubjectReview"), &authentication_v1alpha1::SELF_SUBJECT_REVIEW),
    (("authentication.k8s.io", "v1beta1", "SelfSubjectReview"), &authentication_v1beta1::SELF_SUBJECT_REVIEW),
    (("authentication.k8s.io", "v1beta1", "TokenReview"), &authentication_v1beta1::TOKEN_REVIEW),
    (("authorization.k8s.io", "v1", "LocalSubjectAccessReview"), &authorization_v1::LOCAL_SUBJECT_ACCESS_REVIEW),
    (("authorization.k8s.io", "v1", "SelfSubjectAccessReview"), &authorization_v1::SELF_SUBJECT_ACCESS_REVIEW),
    (("authorization.k8s.io", "v1", "SelfSubjectRulesReview"), &authorization_v1::SELF_SUBJECT_RULES_REVIEW),
    (("authorization.k8s.io", "v1", "SubjectAccessReview"), &authorization_v1::SUBJECT_ACCESS_REVIEW),
    (("authorization.k8s.io", "v1beta1", "LocalSubjectAccessReview"), &authorization_v1beta1::LOCAL_SUBJECT_ACCESS_REVIEW),
    (("authorization.k8s.io", "v1beta1", "SelfSubjectAccessReview"), &authorization_v1beta1::SELF_SUBJECT_ACCESS_REVIEW),
    (("authorization.k8s.io", "v1beta1", "SelfSubjectRulesReview"), &authorization_v1beta1::SELF_SUBJECT_RULES_REVIEW),
    (("authorization.k8s.io", "v1beta1", "SubjectAccessReview"), &authorization_v1beta1::SUBJECT_ACCESS_REVIEW),
    (("autoscaling", "v1", "HorizontalPodAutoscaler"), &autoscaling_v1::HORIZONTAL_POD_AUTOSCALER),
    (("autoscaling", "v1", "HorizontalPodAutoscalerList"), &autoscaling_v1::HORIZONTAL_POD_AUTOSCALER_LIST),
    (("autoscaling", "v1", "Scale"), &autoscaling_v1::SCALE),
    (("autoscaling", "v2", "HorizontalPodAutoscaler"), &autoscaling_v2::HORIZONTAL_POD_AUTOSCALER),
    (("autoscaling", "v2", "HorizontalPodAutoscalerList"), &autoscaling_v2::HORIZONTAL_POD_AUTOSCALER_LIST),
    (("batch", "v1", "CronJob"), &batch_v1::CRON_JOB),
    (("batch", "v1", "CronJobList"), &batch_v1::CRON_JOB_LIST),
    (("batch", "v1", "Job"), &batch_v1::JOB),
    (("batch", "v1", "JobList"), &batch_v1::JOB_LIST),
    (("batch", "v1beta1", "CronJob"), &batch_v1beta1::CRON_JOB),
    (("batch", "v1beta1", "CronJobList"), &batch_v1beta1::CRON_JOB_LIST),
    (("certificates.k8s.io", "v1", "CertificateSigningRequest"), &certificates_v1::CERTIFICATE_SIGNING_REQUEST),
    (("certificates.k8s.io", "v1", "CertificateSigningRequestList"), &certificates_v1::CERTIFICATE_SIGNING_REQUEST_LIST),
    (("certificates.k8s.io", "v1", "ClusterTrustBundle"), &certificates_v1::CLUSTER_TRUST_BUNDLE),
    (("certificates.k8s.io", "v1", "ClusterTrustBundleList"), &certificates_v1::CLUSTER_TRUST_BUNDLE_LIST),
    (("certificates.k8s.io", "v1", "PodCertificateRequest"), &certificates_v1::POD_CERTIFICATE_REQUEST),
    (("certificates.k8s.io", "v1", "PodCertificateRequestList"), &certificates_v1::POD_CERTIFICATE_REQUEST_LIST),
    (("certificates.k8s.io", "v1alpha1", "ClusterTrustBundle"), &certificates_v1alpha1::CLUSTER_TRUST_BUNDLE),
    (("certificates.k8s.io", "v1alpha1", "ClusterTrustBundleList"), &certificates_v1alpha1::CLUSTER_TRUST_BUNDLE_LIST),
    (("certificates.k8s.io", "v1beta1", "CertificateSigningRequest"), &certificates_v1beta1::CERTIFICATE_SIGNING_REQUEST),
    (("certificates.k8s.io", "v1beta1", "CertificateSigningRequestList"), &certificates_v1beta1::CERTIFICATE_SIGNING_REQUEST_LIST),
    (("certificates.k8s.io", "v1beta1", "ClusterTrustBundle"), &certificates_v1beta1::CLUSTER_TRUST_BUNDLE),
    (("certificates.k8s.io", "v1beta1", "ClusterTrustBundleList"), &certificates_v1beta1::CLUSTER_TRUST_BUNDLE_LIST),
    (("certificates.k8s.io", "v1beta1", "PodCertificateRequest"), &certificates_v1beta1::POD_CERTIFICATE_REQUEST),
    (("certificates.k8s.io", "v1beta1", "PodCertificateRequestList"), &certificates_v1beta1::POD_CERTIFICATE_REQUEST_LIST),
    (("coordination.k8s.io", "v1", "Lease"), &coordination_v1::LEASE),
    (("coordination.k8s.io", "v1", "LeaseList"), &coordination_v1::LEASE_LIST),
    (("coordination.k8s.io", "v1alpha2", "LeaseCandidate"), &coordination_v1alpha2::LEASE_CANDIDATE),
    (("coordination.k8s.io", "v1alpha2", "LeaseCandidateList"), &coordination_v1alpha2::LEASE_CANDIDATE_LIST),
    (("coordination.k8s.io", "v1beta1", "Lease"), &coordination_v1beta1::LEASE),
    (("coordination.k8s.io", "v1beta1", "LeaseCandidate"), &coordination_v1beta1::LEASE_CANDIDATE),
    (("coordination.k8s.io", "v1beta1", "LeaseCandidateList"), &coordination_v1beta1::LEASE_CANDIDATE_LIST),
    (("coordination.k8s.io", "v1beta1", "LeaseList"), &coordination_v1beta1::LEASE_LIST),
    (("discovery.k8s.io", "v1", "EndpointSlice"), &discovery_v1::ENDPOINT_SLICE),
    (("discovery.k8s.io", "v1", "EndpointSliceList"), &discovery_v1::ENDPOINT_SLICE_LIST),
    (("discovery.k8s.io", "v1beta1", "EndpointSlice"), &discovery_v1beta1::ENDPOINT_SLICE),
    (("discovery.k8s.io", "v1beta1", "EndpointSliceList"), &discovery_v1beta1::ENDPOINT_SLICE_LIST),
    (("events.k8s.io", "v1", "Event"), &events_v1::EVENT),
    (("events.k8s.io", "v1", "EventList"), &events_v1::EVENT_LIST),
    (("events.k8s.io", "v1beta1", "Event"), &events_v1beta1::EVENT),
    (("events.k8s.io", "v1beta1", "EventList"), &events_v1beta1::EVENT_LIST),
    (("extensions", "v1beta1", "DaemonSet"), &extensions_v1beta1::DAEMON_SET),
    (("extensions", "v1beta1", "DaemonSetList"), &extensions_v1beta1::DAEMON_SET_LIST),
    (("extensions", "v1beta1", "Deployment"), &extensions_v1beta1::DEPLOYMENT),
    (("extensions", "v1beta1", "DeploymentList"), &extensions_v1beta1::DEPLOYMENT_LIST),
    (("extensions", "v1beta1", "Ingress"), &extensions_v1beta1::INGRESS),
    (("extensions", "v1beta1", "IngressList"), &extensions_v1beta1::INGRESS_LIST),
    (("extensions", "v1beta1", "NetworkPolicy"), &extensions_v1beta1::NETWORK_POLICY),
    (("extensions", "v1beta1", "NetworkPolicyList"), &extensions_v1beta1::NETWORK_POLICY_LIST),
    (("extensions", "v1beta1", "ReplicaSet"), &extensions_v1beta1::REPLICA_SET),
    (("extensions", "v1beta1", "ReplicaSetList"), &extensions_v1beta1::REPLICA_SET_LIST),
    (("extensions", "v1beta1", "Scale"), &extensions_v1beta1::SCALE),
    (("flowcontrol.apiserver.k8s.io", "v1", "FlowSchema"), &flowcontrol_v1::FLOW_SCHEMA),
    (("flowcontrol.apiserver.k8s.io", "v1", "FlowSchemaList"), &flowcontrol_v1::FLOW_SCHEMA_LIST),
    (("flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration"), &flowcontrol_v1::PRIORITY_LEVEL_CONFIGURATION),
    (("flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfigurationList"), &flowcontrol_v1::PRIORITY_LEVEL_CONFIGURATION_LIST),
    (("flowcontrol.apiserver.k8s.io", "v1beta1", "FlowSchema"), &flowcontrol_v1beta1::FLOW_SCHEMA),
    (("flowcontrol.apiserver.k8s.io", "v1beta1", "FlowSchemaList"), &flowcontrol_v1beta1::FLOW_SCHEMA_LIST),
    (("flowcontrol.apiserver.k8s.io", "v1beta1", "PriorityLevelConfiguration"), &flowcontrol_v1beta1::PRIORITY_LEVEL_CONFIGURATION),
    (("flowcontrol.apiserver.k8s.io", "v1beta1", "PriorityLevelConfigurationList"), &flowcontrol_v1beta1::PRIORITY_LEVEL_CONFIGURATION_LIST),
    (("flowcontrol.apiserver.k8s.io", "v1beta2", "FlowSchema"), &flowcontrol_v1beta2::FLOW_SCHEMA),
    (("flowcontrol.apiserver.k8s.io", "v1beta2", "FlowSchemaList"), &flowcontrol_v1beta2::FLOW_SCHEMA_LIST),
    (("flowcontrol.apiserver.k8s.io", "v1beta2", "PriorityLevelConfiguration"), &flowcontrol_v1beta2::PRIORITY_LEVEL_CONFIGURATION),
    (("flowcontrol.apiserver.k8s.io", "v1beta2", "PriorityLevelConfigurationList"), &flowcontrol_v1beta2::PRIORITY_LEVEL_CONFIGURATION_LIST),
    (("flowcontrol.apiserver.k8s.io", "v1beta3", "FlowSchema"), &flowcontrol_v1beta3::FLOW_SCHEMA),
    (("flowcontrol.apiserver.k8s.io", "v1beta3", "FlowSchemaList"), &flowcontrol_v1beta3::FLOW_SCHEMA_LIST),
    (("flowcontrol.apiserver.k8s.io", "v1beta3", "PriorityLevelConfiguration"), &flowcontrol_v1beta3::PRIORITY_LEVEL_CONFIGURATION),
    (("flowcontrol.apiserver.k8s.io", "v1beta3", "PriorityLevelConfigurationList"), &flowcontrol_v1beta3::PRIORITY_LEVEL_CONFIGURATION_LIST),
    (("internal.apiserver.k8s.io", "v1alpha1", "StorageVersion"), &apiserverinternal_v1alpha1::STORAGE_VERSION),
    (("internal.apiserver.k8s.io", "v1alpha1", "StorageVersionList"), &apiserverinternal_v1alpha1::STORAGE_VERSION_LIST),
    (("lifecycle.k8s.io", "v1alpha1", "Eviction"), &lifecycle_v1alpha1::EVICTION),
    (("lifecycle.k8s.io", "v1alpha1", "EvictionList"), &lifecycle_v1alpha1::EVICTION_LIST),
    (("lifecycle.k8s.io", "v1alpha1", "EvictionRequest"), &lifecycle_v1alpha1::EVICTION_REQUEST),
    (("lifecycle.k8s.io", "v1alpha1", "EvictionRequestList"), &lifecycle_v1alpha1::EVICTION_REQUEST_LIST),
    (("meta.k8s.io", "v1", "PartialObjectMetadata"), &meta_v1::PARTIAL_OBJECT_METADATA),
    (("meta.k8s.io", "v1", "PartialObjectMetadataList"), &meta_v1::PARTIAL_OBJECT_METADATA_LIST),
    (("networking.k8s.io", "v1", "IPAddress"), &networking_v1::IP_ADDRESS),
    (("networking.k8s.io", "v1", "IPAddressList"), &networking_v1::IP_ADDRESS_LIST),
    (("networking.k8s.io", "v1", "Ingress"), &networking_v1::INGRESS),
    (("networking.k8s.io", "v1", "IngressClass"), &networking_v1::INGRESS_CLASS),
    (("networking.k8s.io", "v1", "IngressClassList"), &networking_v1::INGRESS_CLASS_LIST),
    (("networking.k8s.io", "v1", "IngressList"), &networking_v1::INGRESS_LIST),
    (("networking.k8s.io", "v1", "NetworkPolicy"), &networking_v1::NETWORK_POLICY),
    (("networking.k8s.io", "v1", "NetworkPolicyList"), &networking_v1::NETWORK_POLICY_LIST),
    (("networking.k8s.io", "v1", "ServiceCIDR"), &networking_v1::SERVICE_CIDR),
    (("networking.k8s.io", "v1", "ServiceCIDRList"), &networking_v1::SERVICE_CIDR_LIST),
    (("networking.k8s.io", "v1beta1", "IPAddress"), &networking_v1beta1::IP_ADDRESS),
    (("networking.k8s.io", "v1beta1", "IPAddressList"), &networking_v1beta1::IP_ADDRESS_LIST),
    (("networking.k8s.io", "v1beta1", "Ingress"), &networking_v1beta1::INGRESS),
    (("networking.k8s.io", "v1beta1", "IngressClass"), &networking_v1beta1::INGRESS_CLASS),
    (("networking.k8s.io", "v1beta1", "IngressClassList"), &networking_v1beta1::INGRESS_CLASS_LIST),
    (("networking.k8s.io", "v1beta1", "IngressList"), &networking_v1beta1::INGRESS_LIST),
    (("networking.k8s.io", "v1beta1", "ServiceCIDR"), &networking_v1beta1::SERVICE_CIDR),
    (("networking.k8s.io", "v1beta1", "ServiceCIDRList"), &networking_v1beta1::SERVICE_CIDR_LIST),
    (("node.k8s.io", "v1", "RuntimeClass"), &node_v1::RUNTIME_CLASS),
    (("node.k8s.io", "v1", "RuntimeClassList"), &node_v1::RUNTIME_CLASS_LIST),
    (("node.k8s.io", "v1alpha1", "RuntimeClass"), &node_v1alpha1::RUNTIME_CLASS),
    (("node.k8s.io", "v1alpha1", "RuntimeClassList"), &node_v1alpha1::RUNTIME_CLASS_LIST),
    (("node.k8s.io", "v1beta1", "RuntimeClass"), &node_v1beta1::RUNTIME_CLASS),
    (("node.k8s.io", "v1beta1", "RuntimeClassList"), &node_v1beta1::RUNTIME_CLASS_LIST),
    (("policy", "v1", "Eviction"), &policy_v1::EVICTION),
    (("policy", "v1", "PodDisruptionBudget"), &policy_v1::POD_DISRUPTION_BUDGET),
    (("policy", "v1", "PodDisruptionBudgetList"), &policy_v1::POD_DISRUPTION_BUDGET_LIST),
    (("policy", "v1beta1", "Eviction"), &policy_v1beta1::EVICTION),
    (("policy", "v1beta1", "PodDisruptionBudget"), &policy_v1beta1::POD_DISRUPTION_BUDGET),
    (("policy", "v1beta1", "PodDisruptionBudgetList"), &policy_v1beta1::POD_DISRUPTION_BUDGET_LIST),
    (("rbac.authorization.k8s.io", "v1", "ClusterRole"), &rbac_v1::CLUSTER_ROLE),
    (("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding"), &rbac_v1::CLUSTER_ROLE_BINDING),
    (("rbac.authorization.k8s.io", "v1", "ClusterRoleBindingList"), &rbac_v1::CLUSTER_ROLE_BINDING_LIST),
    (("rbac.authorization.k8s.io", "v1", "ClusterRoleList"), &rbac_v1::CLUSTER_ROLE_LIST),
    (("rbac.authorization.k8s.io", "v1", "Role"), &rbac_v1::ROLE),
    (("rbac.authorization.k8s.io", "v1", "RoleBinding"), &rbac_v1::ROLE_BINDING),
    (("rbac.authorization.k8s.io", "v1", "RoleBindingList"), &rbac_v1::ROLE_BINDING_LIST),
    (("rbac.authorization.k8s.io", "v1", "RoleList"), &rbac_v1::ROLE_LIST),
    (("rbac.authorization.k8s.io", "v1alpha1", "ClusterRole"), &rbac_v1alpha1::CLUSTER_ROLE),
    (("rbac.authorization.k8s.io", "v1alpha1", "ClusterRoleBinding"), &rbac_v1alpha1::CLUSTER_ROLE_BINDING),
    (("rbac.authorization.k8s.io", "v1alpha1", "ClusterRoleBindingList"), &rbac_v1alpha1::CLUSTER_ROLE_BINDING_LIST),
    (("rbac.authorization.k8s.io", "v1alpha1", "ClusterRoleList"), &rbac_v1alpha1::CLUSTER_ROLE_LIST),
    (("rbac.authorization.k8s.io", "v1alpha1", "Role"), &rbac_v1alpha1::ROLE),
    (("rbac.authorization.k8s.io", "v1alpha1", "RoleBinding"), &rbac_v1alpha1::ROLE_BINDING),
    (("rbac.authorization.k8s.io", "v1alpha1", "RoleBindingList"), &rbac_v1alpha1::ROLE_BINDING_LIST),
    (("rbac.authorization.k8s.io", "v1alpha1", "RoleList"), &rbac_v1alpha1::ROLE_LIST),
    (("rbac.authorization.k8s.io", "v1beta1", "ClusterRole"), &rbac_v1beta1::CLUSTER_ROLE),
    (("rbac.authorization.k8s.io", "v1beta1", "ClusterRoleBinding"), &rbac_v1beta1::CLUSTER_ROLE_BINDING),
    (("rbac.authorization.k8s.io", "v1beta1", "ClusterRoleBindingList"), &rbac_v1beta1::CLUSTER_ROLE_BINDING_LIST),
    (("rbac.authorization.k8s.io", "v1beta1", "ClusterRoleList"), &rbac_v1beta1::CLUSTER_ROLE_LIST),
    (("rbac.authorization.k8s.io", "v1beta1", "Role"), &rbac_v1beta1::ROLE),
    (("rbac.authorization.k8s.io", "v1beta1", "RoleBinding"), &rbac_v1beta1::ROLE_BINDING),
    (("rbac.authorization.k8s.io", "v1beta1", "RoleBindingList"), &rbac_v1beta1::ROLE_BINDING_LIST),
    (("rbac.authorization.k8s.io", "v1beta1", "RoleList"), &rbac_v1beta1::ROLE_LIST),
    (("resource.k8s.io", "v1", "DeviceClass"), &resource_v1::DEVICE_CLASS),
    (("resource.k8s.io", "v1", "DeviceClassList"), &resource_v1::DEVICE_CLASS_LIST),
    (("resource.k8s.io", "v1", "DeviceTaintRule"), &resource_v1::DEVICE_TAINT_RULE),
    (("resource.k8s.io", "v1", "DeviceTaintRuleList"), &resource_v1::DEVICE_TAINT_RULE_LIST),
    (("resource.k8s.io", "v1", "ResourceClaim"), &resource_v1::RESOURCE_CLAIM),
    (("resource.k8s.io", "v1", "ResourceClaimList"), &resource_v1::RESOURCE_CLAIM_LIST),
    (("resource.k8s.io", "v1", "ResourceClaimTemplate"), &resource_v1::RESOURCE_CLAIM_TEMPLATE),
    (("resource.k8s.io", "v1", "ResourceClaimTemplateList"), &resource_v1::RESOURCE_CLAIM_TEMPLATE_LIST),
    (("resource.k8s.io", "v1", "ResourceSlice"), &resource_v1::RESOURCE_SLICE),
    (("resource.k8s.io", "v1", "ResourceSliceList"), &resource_v1::RESOURCE_SLICE_LIST),
    (("resource.k8s.io", "v1alpha3", "DeviceTaintRule"), &resource_v1alpha3::DEVICE_TAINT_RULE),
    (("resource.k8s.io", "v1alpha3", "DeviceTaintRuleList"), &resource_v1alpha3::DEVICE_TAINT_RULE_LIST),
    (("resource.k8s.io", "v1alpha3", "ResourcePoolStatusRequest"), &resource_v1alpha3::RESOURCE_POOL_STATUS_REQUEST),
    (("resource.k8s.io", "v1alpha3", "ResourcePoolStatusRequestList"), &resource_v1alpha3::RESOURCE_POOL_STATUS_REQUEST_LIST),
    (("resource.k8s.io", "v1beta1", "DeviceClass"), &resource_v1beta1::DEVICE_CLASS),
    (("resource.k8s.io", "v1beta1", "DeviceClassList"), &resource_v1beta1::DEVICE_CLASS_LIST),
    (("resource.k8s.io", "v1beta1", "ResourceClaim"), &resource_v1beta1::RESOURCE_CLAIM),
    (("resource.k8s.io", "v1beta1", "ResourceClaimList"), &resource_v1beta1::RESOURCE_CLAIM_LIST),
    (("resource.k8s.io", "v1beta1", "ResourceClaimTemplate"), &resource_v1beta1::RESOURCE_CLAIM_TEMPLATE),
    (("resource.k8s.io", "v1beta1", "ResourceClaimTemplateList"), &resource_v1beta1::RESOURCE_CLAIM_TEMPLATE_LIST),
    (("resource.k8s.io", "v1beta1", "ResourceSlice"), &resource_v1beta1::RESOURCE_SLICE),
    (("resource.k8s.io", "v1beta1", "ResourceSliceList"), &resource_v1beta1::RESOURCE_SLICE_LIST),
    (("resource.k8s.io", "v1beta2", "DeviceClass"), &resource_v1beta2::DEVICE_CLASS),
    (("resource.k8s.io", "v1beta2", "DeviceClassList"), &resource_v1beta2::DEVICE_CLASS_LIST),
    (("resource.k8s.io", "v1beta2", "DeviceTaintRule"), &resource_v1beta2::DEVICE_TAINT_RULE),
    (("resource.k8s.io", "v1beta2", "DeviceTaintRuleList"), &resource_v1beta2::DEVICE_TAINT_RULE_LIST),
    (("resource.k8s.io", "v1beta2", "ResourceClaim"), &resource_v1beta2::RESOURCE_CLAIM),
    (("resource.k8s.io", "v1beta2", "ResourceClaimList"), &resource_v1beta2::RESOURCE_CLAIM_LIST),
    (("resource.k8s.io", "v1beta2", "ResourceClaimTemplate"), &resource_v1beta2::RESOURCE_CLAIM_TEMPLATE),
    (("resource.k8s.io", "v1beta2", "ResourceClaimTemplateList"), &resource_v1beta2::RESOURCE_CLAIM_TEMPLATE_LIST),
    (("resource.k8s.io", "v1beta2", "ResourceSlice"), &resource_v1beta2::RESOURCE_SLICE),
    (("resource.k8s.io", "v1beta2", "ResourceSliceList"), &resource_v1beta2::RESOURCE_SLICE_LIST),
    (("scheduling.k8s.io", "v1", "PriorityClass"), &scheduling_v1::PRIORITY_CLASS),
    (("scheduling.k8s.io", "v1", "PriorityClassList"), &scheduling_v1::PRIORITY_CLASS_LIST),
    (("scheduling.k8s.io", "v1alpha3", "CompositePodGroup"), &scheduling_v1alpha3::COMPOSITE_POD_GROUP),
    (("scheduling.k8s.io", "v1alpha3", "CompositePodGroupList"), &scheduling_v1alpha3::COMPOSITE_POD_GROUP_LIST),
    (("scheduling.k8s.io", "v1alpha3", "PodGroup"), &scheduling_v1alpha3::POD_GROUP),
    (("scheduling.k8s.io", "v1alpha3", "PodGroupList"), &scheduling_v1alpha3::POD_GROUP_LIST),
    (("scheduling.k8s.io", "v1alpha3", "Workload"), &scheduling_v1alpha3::WORKLOAD),
    (("scheduling.k8s.io", "v1alpha3", "WorkloadList"), &scheduling_v1alpha3::WORKLOAD_LIST),
    (("scheduling.k8s.io", "v1beta1", "PodGroup"), &scheduling_v1beta1::POD_GROUP),
    (("scheduling.k8s.io", "v1beta1", "PodGroupList"), &scheduling_v1beta1::POD_GROUP_LIST),
    (("scheduling.k8s.io", "v1beta1", "PriorityClass"), &scheduling_v1beta1::PRIORITY_CLASS),
    (("scheduling.k8s.io", "v1beta1", "PriorityClassList"), &scheduling_v1beta1::PRIORITY_CLASS_LIST),
    (("scheduling.k8s.io", "v1beta1", "Workload"), &scheduling_v1beta1::WORKLOAD),
    (("scheduling.k8s.io", "v1beta1", "WorkloadList"), &scheduling_v1beta1::WORKLOAD_LIST),
    (("storage.k8s.io", "v1", "CSIDriver"), &storage_v1::CSI_DRIVER),
    (("storage.k8s.io", "v1", "CSIDriverList"), &storage_v1::CSI_DRIVER_LIST),
    (("storage.k8s.io", "v1", "CSINode"), &storage_v1::CSI_NODE),
    (("storage.k8s.io", "v1", "CSINodeList"), &storage_v1::CSI_NODE_LIST),
    (("storage.k8s.io", "v1", "CSIStorageCapacity"), &storage_v1::CSI_STORAGE_CAPACITY),
    (("storage.k8s.io", "v1", "CSIStorageCapacityList"), &storage_v1::CSI_STORAGE_CAPACITY_LIST),
    (("storage.k8s.io", "v1", "StorageClass"), &storage_v1::STORAGE_CLASS),
    (("storage.k8s.io", "v1", "StorageClassList"), &storage_v1::STORAGE_CLASS_LIST),
    (("storage.k8s.io", "v1", "VolumeAttachment"), &storage_v1::VOLUME_ATTACHMENT),
    (("storage.k8s.io", "v1", "VolumeAttachmentList"), &storage_v1::VOLUME_ATTACHMENT_LIST),
    (("storage.k8s.io", "v1", "VolumeAttributesClass"), &storage_v1::VOLUME_ATTRIBUTES_CLASS),
    (("storage.k8s.io", "v1", "VolumeAttributesClassList"), &storage_v1::VOLUME_ATTRIBUTES_CLASS_LIST),
    (("storage.k8s.io", "v1alpha1", "CSIStorageCapacity"), &storage_v1alpha1::CSI_STORAGE_CAPACITY),
    (("storage.k8s.io", "v1alpha1", "CSIStorageCapacityList"), &storage_v1alpha1::CSI_STORAGE_CAPACITY_LIST),
    (("storage.k8s.io", "v1alpha1", "VolumeAttachment"), &storage_v1alpha1::VOLUME_ATTACHMENT),
    (("storage.k8s.io", "v1alpha1", "VolumeAttachmentList"), &storage_v1alpha1::VOLUME_ATTACHMENT_LIST),
    (("storage.k8s.io", "v1alpha1", "VolumeAttributesClass"), &storage_v1alpha1::VOLUME_ATTRIBUTES_CLASS),
    (("storage.k8s.io", "v1alpha1", "VolumeAttributesClassList"), &storage_v1alpha1::VOLUME_ATTRIBUTES_CLASS_LIST),
    (("storage.k8s.io", "v1beta1", "CSIDriver"), &storage_v1beta1::CSI_DRIVER),
    (("storage.k8s.io", "v1beta1", "CSIDriverList"), &storage_v1beta1::CSI_DRIVER_LIST),
    (("storage.k8s.io", "v1beta1", "CSINode"), &storage_v1beta1::CSI_NODE),
    (("storage.k8s.io", "v1beta1", "CSINodeList"), &storage_v1beta1::CSI_NODE_LIST),
    (("storage.k8s.io", "v1beta1", "CSIStorageCapacity"), &storage_v1beta1::CSI_STORAGE_CAPACITY),
    (("storage.k8s.io", "v1beta1", "CSIStorageCapacityList"), &storage_v1beta1::CSI_STORAGE_CAPACITY_LIST),
    (("storage.k8s.io", "v1beta1", "StorageClass"), &storage_v1beta1::STORAGE_CLASS),
    (("storage.k8s.io", "v1beta1", "StorageClassList"), &storage_v1beta1::STORAGE_CLASS_LIST),
    (("storage.k8s.io", "v1beta1", "VolumeAttachment"), &storage_v1beta1::VOLUME_ATTACHMENT),
    (("storage.k8s.io", "v1beta1", "VolumeAttachmentList"), &storage_v1beta1::VOLUME_ATTACHMENT_LIST),
    (("storage.k8s.io", "v1beta1", "VolumeAttributesClass"), &storage_v1beta1::VOLUME_ATTRIBUTES_CLASS),
    (("storage.k8s.io", "v1beta1", "VolumeAttributesClassList"), &storage_v1beta1::VOLUME_ATTRIBUTES_CLASS_LIST),
    (("storagemigration.k8s.io", "v1", "StorageVersionMigration"), &storagemigration_v1::STORAGE_VERSION_MIGRATION),
    (("storagemigration.k8s.io", "v1", "StorageVersionMigrationList"), &storagemigration_v1::STORAGE_VERSION_MIGRATION_LIST),
    (("storagemigration.k8s.io", "v1beta1", "StorageVersionMigration"), &storagemigration_v1beta1::STORAGE_VERSION_MIGRATION),
    (("storagemigration.k8s.io", "v1beta1", "StorageVersionMigrationList"), &storagemigration_v1beta1::STORAGE_VERSION_MIGRATION_LIST),
];
