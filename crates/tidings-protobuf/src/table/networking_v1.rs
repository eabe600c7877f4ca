//! The messages of k8s.io/api/networking/v1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static HTTP_INGRESS_PATH: Message = Message {
    name: "HTTPIngressPath",
    fields: &[
        Field { number: 1, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "pathType", shape: Shape::Optional, kind: Kind::String, presence: Presence::Always },
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

pub(super) static IP_ADDRESS: Message = Message {
    name: "IPAddress",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&IP_ADDRESS_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static IP_ADDRESS_LIST: Message = Message {
    name: "IPAddressList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&IP_ADDRESS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static IP_ADDRESS_SPEC: Message = Message {
    name: "IPAddressSpec",
    fields: &[
        Field { number: 1, name: "parentRef", shape: Shape::Optional, kind: Kind::Message(&PARENT_REFERENCE), presence: Presence::NotEmpty },
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
        Field { number: 4, name: "service", shape: Shape::Optional, kind: Kind::Message(&INGRESS_SERVICE_BACKEND), presence: Presence::NotEmpty },
        Field { number: 3, name: "resource", shape: Shape::Optional, kind: Kind::Message(&super::core_v1::TYPED_LOCAL_OBJECT_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(0)],
};

pub(super) static INGRESS_CLASS: Message = Message {
    name: "IngressClass",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&INGRESS_CLASS_SPEC), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static INGRESS_CLASS_LIST: Message = Message {
    name: "IngressClassList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&INGRESS_CLASS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static INGRESS_CLASS_PARAMETERS_REFERENCE: Message = Message {
    name: "IngressClassParametersReference",
    fields: &[
        Field { number: 1, name: "apiGroup", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "scope", shape: Shape::Optional, kind: Kind::String, presence: Presence::Always },
        Field { number: 5, name: "namespace", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static INGRESS_CLASS_SPEC: Message = Message {
    name: "IngressClassSpec",
    fields: &[
        Field { number: 1, name: "controller", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "parameters", shape: Shape::Optional, kind: Kind::Message(&INGRESS_CLASS_PARAMETERS_REFERENCE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
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

pub(super) static INGRESS_SERVICE_BACKEND: Message = Message {
    name: "IngressServiceBackend",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "port", shape: Shape::One, kind: Kind::Message(&SERVICE_BACKEND_PORT), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static INGRESS_SPEC: Message = Message {
    name: "IngressSpec",
    fields: &[
        Field { number: 4, name: "ingressClassName", shape: Shape::Optional, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 1, name: "defaultBackend", shape: Shape::Optional, kind: Kind::Message(&INGRESS_BACKEND), presence: Presence::NotEmpty },
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

pub(super) static PARENT_REFERENCE: Message = Message {
    name: "ParentReference",
    fields: &[
        Field { number: 1, name: "group", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "resource", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "namespace", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static SERVICE_BACKEND_PORT: Message = Message {
    name: "ServiceBackendPort",
    fields: &[
        Field { number: 1, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "number", shape: Shape::One, kind: Kind::Int32, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SERVICE_CIDR: Message = Message {
    name: "ServiceCIDR",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&SERVICE_CIDR_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&SERVICE_CIDR_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static SERVICE_CIDR_LIST: Message = Message {
    name: "ServiceCIDRList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&SERVICE_CIDR), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SERVICE_CIDR_SPEC: Message = Message {
    name: "ServiceCIDRSpec",
    fields: &[
        Field { number: 1, name: "cidrs", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static SERVICE_CIDR_STATUS: Message = Message {
    name: "ServiceCIDRStatus",
    fields: &[
        Field { number: 1, name: "conditions", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::CONDITION), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};
