//! The messages of k8s.io/api/authorization/v1beta1.
//! @generated from k8s.io/api v0.37.0 by generator/: change that, and run `just protobuf-table`.

use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};

pub(super) static LOCAL_SUBJECT_ACCESS_REVIEW: Message = Message {
    name: "LocalSubjectAccessReview",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&SUBJECT_ACCESS_REVIEW_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&SUBJECT_ACCESS_REVIEW_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static NON_RESOURCE_ATTRIBUTES: Message = Message {
    name: "NonResourceAttributes",
    fields: &[
        Field { number: 1, name: "path", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "verb", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static NON_RESOURCE_RULE: Message = Message {
    name: "NonResourceRule",
    fields: &[
        Field { number: 1, name: "verbs", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "nonResourceURLs", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static RESOURCE_ATTRIBUTES: Message = Message {
    name: "ResourceAttributes",
    fields: &[
        Field { number: 1, name: "namespace", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 2, name: "verb", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "group", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "version", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "resource", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 6, name: "subresource", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 7, name: "name", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 8, name: "fieldSelector", shape: Shape::Optional, kind: Kind::Message(&super::authorization_v1::FIELD_SELECTOR_ATTRIBUTES), presence: Presence::NotEmpty },
        Field { number: 9, name: "labelSelector", shape: Shape::Optional, kind: Kind::Message(&super::authorization_v1::LABEL_SELECTOR_ATTRIBUTES), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5), FieldEntry::Field(6), FieldEntry::Field(7), FieldEntry::Field(8)],
};

pub(super) static RESOURCE_RULE: Message = Message {
    name: "ResourceRule",
    fields: &[
        Field { number: 1, name: "verbs", shape: Shape::Many, kind: Kind::String, presence: Presence::Always },
        Field { number: 2, name: "apiGroups", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "resources", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "resourceNames", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};

pub(super) static SELF_SUBJECT_ACCESS_REVIEW: Message = Message {
    name: "SelfSubjectAccessReview",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&SELF_SUBJECT_ACCESS_REVIEW_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&SUBJECT_ACCESS_REVIEW_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static SELF_SUBJECT_ACCESS_REVIEW_SPEC: Message = Message {
    name: "SelfSubjectAccessReviewSpec",
    fields: &[
        Field { number: 1, name: "resourceAttributes", shape: Shape::Optional, kind: Kind::Message(&RESOURCE_ATTRIBUTES), presence: Presence::NotEmpty },
        Field { number: 2, name: "nonResourceAttributes", shape: Shape::Optional, kind: Kind::Message(&NON_RESOURCE_ATTRIBUTES), presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1)],
};

pub(super) static SELF_SUBJECT_RULES_REVIEW: Message = Message {
    name: "SelfSubjectRulesReview",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&SELF_SUBJECT_RULES_REVIEW_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&SUBJECT_RULES_REVIEW_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static SELF_SUBJECT_RULES_REVIEW_SPEC: Message = Message {
    name: "SelfSubjectRulesReviewSpec",
    fields: &[
        Field { number: 1, name: "namespace", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0)],
};

pub(super) static SUBJECT_ACCESS_REVIEW: Message = Message {
    name: "SubjectAccessReview",
    fields: &[
        Field { number: 1, name: "metadata", shape: Shape::One, kind: Kind::Message(&super::meta_v1::OBJECT_META), presence: Presence::Always },
        Field { number: 2, name: "spec", shape: Shape::One, kind: Kind::Message(&SUBJECT_ACCESS_REVIEW_SPEC), presence: Presence::Always },
        Field { number: 3, name: "status", shape: Shape::One, kind: Kind::Message(&SUBJECT_ACCESS_REVIEW_STATUS), presence: Presence::Always },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2)],
};

pub(super) static SUBJECT_ACCESS_REVIEW_SPEC: Message = Message {
    name: "SubjectAccessReviewSpec",
    fields: &[
        Field { number: 1, name: "resourceAttributes", shape: Shape::Optional, kind: Kind::Message(&RESOURCE_ATTRIBUTES), presence: Presence::NotEmpty },
        Field { number: 2, name: "nonResourceAttributes", shape: Shape::Optional, kind: Kind::Message(&NON_RESOURCE_ATTRIBUTES), presence: Presence::NotEmpty },
        Field { number: 3, name: "user", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 4, name: "group", shape: Shape::Many, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 5, name: "extra", shape: Shape::Map, kind: Kind::List(&Kind::String), presence: Presence::NotEmpty },
        Field { number: 6, name: "uid", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(4), FieldEntry::Field(5)],
};

pub(super) static SUBJECT_ACCESS_REVIEW_STATUS: Message = Message {
    name: "SubjectAccessReviewStatus",
    fields: &[
        Field { number: 1, name: "allowed", shape: Shape::One, kind: Kind::Bool, presence: Presence::Always },
        Field { number: 4, name: "denied", shape: Shape::One, kind: Kind::Bool, presence: Presence::NotEmpty },
        Field { number: 2, name: "reason", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
        Field { number: 3, name: "evaluationError", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(2), FieldEntry::Field(3), FieldEntry::Field(1)],
};

pub(super) static SUBJECT_RULES_REVIEW_STATUS: Message = Message {
    name: "SubjectRulesReviewStatus",
    fields: &[
        Field { number: 1, name: "resourceRules", shape: Shape::Many, kind: Kind::Message(&RESOURCE_RULE), presence: Presence::Always },
        Field { number: 2, name: "nonResourceRules", shape: Shape::Many, kind: Kind::Message(&NON_RESOURCE_RULE), presence: Presence::Always },
        Field { number: 3, name: "incomplete", shape: Shape::One, kind: Kind::Bool, presence: Presence::Always },
        Field { number: 4, name: "evaluationError", shape: Shape::One, kind: Kind::String, presence: Presence::NotEmpty },
    ],
    by_number: &[FieldEntry::Unknown, FieldEntry::Field(0), FieldEntry::Field(1), FieldEntry::Field(2), FieldEntry::Field(3)],
};
