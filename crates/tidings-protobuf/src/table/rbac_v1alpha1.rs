//! The messages of k8s.io/api/rbac/v1alpha1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static AGGREGATION_RULE: Message = Message {
    name: "AggregationRule",
    fields: &[
        Field { number: 1, name: "clusterRoleSelectors", shape: Shape::Many, kind: Kind::Message(&super::meta_v1::LABEL_SELECTOR), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static CLUSTER_ROLE: Message = Message {
    name: "ClusterRole",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "rules", shape: Shape::Many, kind: Kind::Message(&POLICY_RULE), presence: Presence::Always },
        Field { number: 3, name: "aggregationRule", shape: Shape::Optional, kind: Kind::Message(&AGGREGATION_RULE), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CLUSTER_ROLE_BINDING: Message = Message {
    name: "ClusterRoleBinding",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "subjects", shape: Shape::Many, kind: Kind::Message(&SUBJECT), presence: Presence::NotEmpty },
        Field { number: 3, name: "roleRef", shape: Shape::One, kind: Kind::Message(&ROLE_REF), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static CLUSTER_ROLE_BINDING_LIST: Message = Message {
    name: "ClusterRoleBindingList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&CLUSTER_ROLE_BINDING), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static CLUSTER_ROLE_LIST: Message = Message {
    name: "ClusterRoleList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&CLUSTER_ROLE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static POLICY_RULE: Message = Message {
    name: "PolicyRule",
    fields: &[
        Field { number: 1, name: "verbs", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "apiGroups", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "resources", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "resourceNames", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "nonResourceURLs", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Unknown, FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4)],
};

pub(super) static ROLE: Message = Message {
    name: "Role",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "rules", shape: Shape::Many, kind: Kind::Message(&POLICY_RULE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static ROLE_BINDING: Message = Message {
    name: "RoleBinding",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "subjects", shape: Shape::Many, kind: Kind::Message(&SUBJECT), presence: Presence::NotEmpty },
        Field { number: 3, name: "roleRef", shape: Shape::One, kind: Kind::Message(&ROLE_REF), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static ROLE_BINDING_LIST: Message = Message {
    name: "RoleBindingList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&ROLE_BINDING), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static ROLE_LIST: Message = Message {
    name: "RoleList",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::LIST_META), presence: Presence::Always },
        Field { number: 2, name: "items", shape: Shape::Many, kind: Kind::Message(&ROLE), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static ROLE_REF: Message = Message {
    name: "RoleRef",
    fields: &[
        Field { number: 1, name: "apiGroup", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 3, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static SUBJECT: Message = Message {
    name: "Subject",
    fields: &[
        Field { number: 1, name: "kind", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "apiVersion", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::Always },
        Field { number: 4, name: "namespace", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};
