//! The messages of k8s.io/api/extensions/v1beta1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static DAEMON_SET: Message = Message {
    name: "DaemonSet",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&DAEMON_SET_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&DAEMON_SET_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static DAEMON_SET_CONDITION: Message = Message {
    name: "DaemonSetCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static DAEMON_SET_LIST: Message = Message {
    name: "DaemonSetList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&DAEMON_SET), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DAEMON_SET_SPEC: Message = Message {
    name: "DaemonSetSpec",
    fields: &[
        Field { number: 1, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 2, name: "template", shape: Shape::One, kind: Kind::Message(&super::core_v1::POD_TEMPLATE_SPEC), presence: Presence::Always },
        Field { number: 3, name: "updateStrategy", shape: Shape::One, kind: Kind::Message(&DAEMON_SET_UPDATE_STRATEGY), presence: Presence::Always },
        Field { number: 4, name: "minReadySeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "templateGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 6, name: "revisionHistoryLimit", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static DAEMON_SET_STATUS: Message = Message {
    name: "DaemonSetStatus",
    fields: &[
        Field { number: 1, name: "currentNumberScheduled", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "numberMisscheduled", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 3, name: "desiredNumberScheduled", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 4, name: "numberReady", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 5, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 6, name: "updatedNumberScheduled", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "numberAvailable", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 8, name: "numberUnavailable", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 9, name: "collisionCount", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 10, name: "conditions", shape: Shape::Many, kind: Kind::Message(&DAEMON_SET_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8), FieldEntry::Field(9)],
};

pub(super) static DAEMON_SET_UPDATE_STRATEGY: Message = Message {
    name: "DaemonSetUpdateStrategy",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "rollingUpdate", shape: Shape::Optional, kind: Kind::Message(&ROLLING_UPDATE_DAEMON_SET), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEPLOYMENT: Message = Message {
    name: "Deployment",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&DEPLOYMENT_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&DEPLOYMENT_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static DEPLOYMENT_CONDITION: Message = Message {
    name: "DeploymentCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 6, name: "lastUpdateTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 7, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static DEPLOYMENT_LIST: Message = Message {
    name: "DeploymentList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&DEPLOYMENT), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static DEPLOYMENT_SPEC: Message = Message {
    name: "DeploymentSpec",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 3, name: "template", shape: Shape::One, kind: Kind::Message(&super::core_v1::POD_TEMPLATE_SPEC), presence: Presence::Always },
        Field { number: 4, name: "strategy", shape: Shape::One, kind: Kind::Message(&DEPLOYMENT_STRATEGY), presence: Presence::Always },
        Field { number: 5, name: "minReadySeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "revisionHistoryLimit", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "paused", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 8, name: "rollbackTo", shape: Shape::Optional, kind: Kind::Message(&ROLLBACK_CONFIG), presence: Presence::NotEmpty },
        Field { number: 9, name: "progressDeadlineSeconds", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8)],
};

pub(super) static DEPLOYMENT_STATUS: Message = Message {
    name: "DeploymentStatus",
    fields: &[
        Field { number: 1, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 2, name: "replicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "updatedReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "readyReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "availableReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "unavailableReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 9, name: "terminatingReplicas", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 6, name: "conditions", shape: Shape::Many, kind: Kind::Message(&DEPLOYMENT_CONDITION), presence: Presence::NotEmpty },
        Field { number: 8, name: "collisionCount", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(7), FieldEntry::Field(3), FieldEntry::Field(8), FieldEntry::Field(6)],
};

pub(super) static DEPLOYMENT_STRATEGY: Message = Message {
    name: "DeploymentStrategy",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "rollingUpdate", shape: Shape::Optional, kind: Kind::Message(&ROLLING_UPDATE_DEPLOYMENT), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static HTTP_INGRESS_PATH: Message = Message {
    name: "HTTPIngressPath",
    fields: &[
        Field { number: 1, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "pathType", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "backend", shape: Shape::One, kind: Kind::Message(&INGRESS_BACKEND), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(1)],
};

pub(super) static HTTP_INGRESS_RULE_VALUE: Message = Message {
    name: "HTTPIngressRuleValue",
    fields: &[
        Field { number: 1, name: "paths", shape: Shape::Many, kind: Kind::Message(&HTTP_INGRESS_PATH), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static IP_BLOCK: Message = Message {
    name: "IPBlock",
    fields: &[
        Field { number: 1, name: "cidr", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "except", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static INGRESS: Message = Message {
    name: "Ingress",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&INGRESS_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&INGRESS_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static INGRESS_BACKEND: Message = Message {
    name: "IngressBackend",
    fields: &[
        Field { number: 1, name: "serviceName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "servicePort", shape: Shape::One, kind: Kind::IntOrString, presence: Presence::Always },
        Field { number: 3, name: "resource", shape: Shape::Optional, kind: Kind::Message(&super::core_v1::TYPED_LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static INGRESS_LIST: Message = Message {
    name: "IngressList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&INGRESS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static INGRESS_LOAD_BALANCER_INGRESS: Message = Message {
    name: "IngressLoadBalancerIngress",
    fields: &[
        Field { number: 1, name: "ip", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "hostname", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "ports", shape: Shape::Many, kind: Kind::Message(&INGRESS_PORT_STATUS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Unknown, FieldEntry::Field(2)],
};

pub(super) static INGRESS_LOAD_BALANCER_STATUS: Message = Message {
    name: "IngressLoadBalancerStatus",
    fields: &[
        Field { number: 1, name: "ingress", shape: Shape::Many, kind: Kind::Message(&INGRESS_LOAD_BALANCER_INGRESS), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static INGRESS_PORT_STATUS: Message = Message {
    name: "IngressPortStatus",
    fields: &[
        Field { number: 1, name: "port", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "protocol", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "error", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static INGRESS_RULE: Message = Message {
    name: "IngressRule",
    fields: &[
        Field { number: 1, name: "host", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 1, name: "http", shape: Shape::Optional, kind: Kind::Message(&HTTP_INGRESS_RULE_VALUE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Inlined(1, &INGRESS_RULE_VALUE)],
};

pub(super) static INGRESS_RULE_VALUE: Message = Message {
    name: "IngressRuleValue",
    fields: &[
        Field { number: 1, name: "http", shape: Shape::Optional, kind: Kind::Message(&HTTP_INGRESS_RULE_VALUE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static INGRESS_SPEC: Message = Message {
    name: "IngressSpec",
    fields: &[
        Field { number: 4, name: "ingressClassName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 1, name: "backend", shape: Shape::Optional, kind: Kind::Message(&INGRESS_BACKEND), presence: Presence::NotEmpty },
        Field { number: 2, name: "tls", shape: Shape::Many, kind: Kind::Message(&INGRESS_TLS), presence: Presence::NotEmpty },
        Field { number: 3, name: "rules", shape: Shape::Many, kind: Kind::Message(&INGRESS_RULE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(0)],
};

pub(super) static INGRESS_STATUS: Message = Message {
    name: "IngressStatus",
    fields: &[
        Field { number: 1, name: "loadBalancer", shape: Shape::One, kind: Kind::Message(&INGRESS_LOAD_BALANCER_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static INGRESS_TLS: Message = Message {
    name: "IngressTLS",
    fields: &[
        Field { number: 1, name: "hosts", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "secretName", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NETWORK_POLICY: Message = Message {
    name: "NetworkPolicy",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&NETWORK_POLICY_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NETWORK_POLICY_EGRESS_RULE: Message = Message {
    name: "NetworkPolicyEgressRule",
    fields: &[
        Field { number: 1, name: "ports", shape: Shape::Many, kind: Kind::Message(&NETWORK_POLICY_PORT), presence: Presence::NotEmpty },
        Field { number: 2, name: "to", shape: Shape::Many, kind: Kind::Message(&NETWORK_POLICY_PEER), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NETWORK_POLICY_INGRESS_RULE: Message = Message {
    name: "NetworkPolicyIngressRule",
    fields: &[
        Field { number: 1, name: "ports", shape: Shape::Many, kind: Kind::Message(&NETWORK_POLICY_PORT), presence: Presence::NotEmpty },
        Field { number: 2, name: "from", shape: Shape::Many, kind: Kind::Message(&NETWORK_POLICY_PEER), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NETWORK_POLICY_LIST: Message = Message {
    name: "NetworkPolicyList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&NETWORK_POLICY), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NETWORK_POLICY_PEER: Message = Message {
    name: "NetworkPolicyPeer",
    fields: &[
        Field { number: 1, name: "podSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 2, name: "namespaceSelector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 3, name: "ipBlock", shape: Shape::Optional, kind: Kind::Message(&IP_BLOCK), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static NETWORK_POLICY_PORT: Message = Message {
    name: "NetworkPolicyPort",
    fields: &[
        Field { number: 1, name: "protocol", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "port", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
        Field { number: 3, name: "endPort", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static NETWORK_POLICY_SPEC: Message = Message {
    name: "NetworkPolicySpec",
    fields: &[
        Field { number: 1, name: "podSelector", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::Always },
        Field { number: 2, name: "ingress", shape: Shape::Many, kind: Kind::Message(&NETWORK_POLICY_INGRESS_RULE), presence: Presence::NotEmpty },
        Field { number: 3, name: "egress", shape: Shape::Many, kind: Kind::Message(&NETWORK_POLICY_EGRESS_RULE), presence: Presence::NotEmpty },
        Field { number: 4, name: "policyTypes", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static REPLICA_SET: Message = Message {
    name: "ReplicaSet",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&REPLICA_SET_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&REPLICA_SET_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static REPLICA_SET_CONDITION: Message = Message {
    name: "ReplicaSetCondition",
    fields: &[
        Field { number: 1, name: "type", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "status", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "lastTransitionTime", shape: Shape::One, kind: Kind::Time, presence: Presence::Always },
        Field { number: 4, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "message", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static REPLICA_SET_LIST: Message = Message {
    name: "ReplicaSetList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&REPLICA_SET), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static REPLICA_SET_SPEC: Message = Message {
    name: "ReplicaSetSpec",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "minReadySeconds", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 2, name: "selector", shape: Shape::Optional, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
        Field { number: 3, name: "template", shape: Shape::One, kind: Kind::Message(&super::core_v1::POD_TEMPLATE_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(1)],
};

pub(super) static REPLICA_SET_STATUS: Message = Message {
    name: "ReplicaSetStatus",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "fullyLabeledReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 4, name: "readyReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 5, name: "availableReplicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 7, name: "terminatingReplicas", shape: Shape::Optional, kind: Kind::Int32, presence: Presence::NotEmpty },
        Field { number: 3, name: "observedGeneration", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
        Field { number: 6, name: "conditions", shape: Shape::Many, kind: Kind::Message(&REPLICA_SET_CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(5), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(6), FieldEntry::Field(4)],
};

pub(super) static ROLLBACK_CONFIG: Message = Message {
    name: "RollbackConfig",
    fields: &[
        Field { number: 1, name: "revision", shape: Shape::One, kind: Kind::Int64, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static ROLLING_UPDATE_DAEMON_SET: Message = Message {
    name: "RollingUpdateDaemonSet",
    fields: &[
        Field { number: 1, name: "maxUnavailable", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
        Field { number: 2, name: "maxSurge", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static ROLLING_UPDATE_DEPLOYMENT: Message = Message {
    name: "RollingUpdateDeployment",
    fields: &[
        Field { number: 1, name: "maxUnavailable", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
        Field { number: 2, name: "maxSurge", shape: Shape::Optional, kind: Kind::IntOrString, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SCALE: Message = Message {
    name: "Scale",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&SCALE_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&SCALE_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static SCALE_SPEC: Message = Message {
    name: "ScaleSpec",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static SCALE_STATUS: Message = Message {
    name: "ScaleStatus",
    fields: &[
        Field { number: 1, name: "replicas", shape: Shape::One, kind: Kind::Int32, presence: Presence::Always },
        Field { number: 2, name: "selector", shape: Shape::Map, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "targetSelector", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};
